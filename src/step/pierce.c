/* Cloth that starts within itself: bounds keep apart what starts apart, and keep what goes through
 * itself as it is. Counted as measuring does (step/intersect.h): triangles that ties hold to each
 * other do not count. */
#include <inttypes.h>

#include "base/error.h"
#include "step/world.h"

typedef struct piercing {
    uint64_t count;  /* pairs of triangles */
    double place[3]; /* m, near the first */
} piercing;

static toile_result find_piercing(const toile_world *w, cloth *c, piercing *found) {
    toile_result result = gauge_create(c);
    if (result != TOILE_OK) {
        return result;
    }
    gauge *g = &c->gauge;
    gauge_choose(w, c);
    gauge_read(w, c);
    tree_fit_leaves(&g->tree, 0, g->tree.leaf_count);
    tree_fit_nodes(&g->tree);
    if (c->panel->rectangle) {
        flatness_fit_rows(&g->flatness, 0, g->flatness.levels[0].rows);
        flatness_fit(&g->flatness);
    }
    const triangle_tree *const trees[] = {&g->tree};
    tree_pairs pairs = {0};
    result = tree_pairs_list(&pairs, trees, 1);
    for (size_t i = 0; i < pairs.task_count && result == TOILE_OK; i++) {
        double place[3];
        find_task_cuts(&pairs, &pairs.tasks[i], place);
        for (int k = 0; k < 3 && found->count == 0 && pairs.tasks[i].found > 0; k++) {
            found->place[k] = place[k];
        }
        found->count += pairs.tasks[i].found;
    }
    tree_pairs_free(&pairs);
    return result;
}

toile_result piercing_check(const toile_world *w, size_t *cloth_index) {
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < w->cloths.count && result == TOILE_OK && plan_is_bounded(w); i++) {
        cloth *c = world_cloth(w, i);
        piercing found = {0};
        if (c && c->fresh) {
            *cloth_index = i;
            result = find_piercing(w, c, &found);
        }
        if (result == TOILE_OK && found.count > 0) {
            result = error_set(TOILE_ERROR_INVALID,
                               "\"%s\" starts within itself: %" PRIu64
                               " pair%s of its triangles cut each other, such as near (%.4g, %.4g, "
                               "%.4g): expected a cloth that does not, or start \"untangle\"",
                               c->name, found.count, found.count == 1 ? "" : "s", found.place[0],
                               found.place[1], found.place[2]);
        }
    }
    return result;
}
