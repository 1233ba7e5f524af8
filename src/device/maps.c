#include "device/maps.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* ---- layout -------------------------------------------------------------------------------------
 */

/* Two cameras see most of a body along its shortest side: a person from the front. */
static int shortest_side(const float sides[3]) {
    int axis = 2;
    for (int k = 0; k < 2; k++) {
        axis = sides[k] < sides[axis] ? k : axis;
    }
    return axis;
}

/* Fits the cameras to a box. The image keeps its size, and pixels take that of the box: a body that
 * grows needs no more memory. */
static void fit(body_map *b, v3 low, v3 high, int side) {
    const float smallest = 1e-9f; /* m, of a pixel: what deforms may shrink to a point */
    v3 size = v3_sub(high, low);
    const float sides[3] = {size.x, size.y, size.z};
    const int border = (int)MAPS_BORDER;
    float longest = k_max(size.x, k_max(size.y, size.z));
    b->low = low;
    b->high = high;
    b->pixel = k_max(longest / (float)(side - 2 * border - 1), smallest);
    b->axis = shortest_side(sides);
    for (int k = 0; k < 3; k++) {
        b->size[k] = 2 * border + 1 + (int)floorf(sides[k] / b->pixel);
    }
}

void map_fit_end(map_set *set, int body) {
    const solid *s = set->motions[body].solid;
    const solid_boxes *root = &s->end_boxes[0];
    body_map *b = &set->bodies[body];
    fit(b, v3_min(root->low[0], root->low[1]), v3_max(root->high[0], root->high[1]), set->side);
    b->longest_way = s->longest_way;
}

static toile_result plan_body(map_set *set, int body, const solid *s) {
    body_map *b = &set->bodies[body];
    *b = (body_map){.views = set->cameras / 2, .layer = set->layers, .images = MAPS_IMAGES};
    if (solid_deforms(s)) {
        b->images = MAPS_MOVING_IMAGES;
        set->deforms = true;
        set->motions[body].solid = s;
        set->motions[body].vertices =
            memory_alloc(6 * s->vertices, sizeof(float), "images of bodies");
        map_fit_end(set, body);
    } else {
        fit(b, s->low, s->high, set->side);
    }
    set->layers += b->images * b->views;
    return !solid_deforms(s) || set->motions[body].vertices ? TOILE_OK : TOILE_ERROR_MEMORY;
}

toile_result map_set_plan(map_set *set, const map_request *request) {
    map_set_free(set);
    size_t count = (size_t)request->count + 1;
    set->bodies = memory_alloc(count, sizeof *set->bodies, "images of bodies");
    set->motions = memory_alloc(count, sizeof *set->motions, "images of bodies");
    toile_result result = set->bodies && set->motions ? TOILE_OK : TOILE_ERROR_MEMORY;
    set->count = result == TOILE_OK ? request->count : 0;
    set->side = request->side;
    set->cameras = request->cameras;
    set->memory.most = request->memory;
    for (int b = 0; b < set->count && result == TOILE_OK; b++) {
        if (request->surfaces[b].solid) {
            result = plan_body(set, b, request->surfaces[b].solid);
        }
    }
    return result;
}

void map_set_free(map_set *set) {
    if (set->studio) {
        map_drawer_here->close(set->studio);
    }
    map_set_forget(set, map_copy_mover.drop);
    for (int b = 0; b < set->count; b++) {
        free(set->motions[b].vertices);
    }
    free(set->memory.kept);
    free(set->bodies);
    free(set->motions);
    free(set->images);
    *set = (map_set){0};
}
