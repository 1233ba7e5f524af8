/* Cloth against cloth in the layers: chapter 8, 4. */
#include "cpu/refine_level.h"

/* How many layers of other parts than a vertex are in front of a point. wanted: the one of them
 * whose depth is to be found; it is left alone when there are not so many. -1: not seen. */
static int count_others(const refine_level *l, int view, v3 p, int column, int row, int wanted,
                        float *depth) {
    const refine_images *images = l->cloth;
    const refine_view *v = &l->scene->views[view];
    const v4 at = refine_project(*v, (float)images->side, p);
    const float steep = refine_steep(*v, refine_distance(*v, p));
    int ahead = 0, others = 0;
    if (!refine_seen(at, (float)images->side)) {
        return -1;
    }
    for (int layer = 0; layer < images->peeled; layer++) {
        const v4 pixel = refine_pixel(images, layer, view, at);
        if (pixel.w != 0.0f && refine_is_other(pixel.w, l->columns / 2, column, row)) {
            const float surface = refine_surface_depth(pixel, at, steep);
            *depth = others++ == wanted ? surface : *depth;
            ahead += surface < at.z;
        }
    }
    return ahead;
}

/* Of the parents, where they agree; or -1. */
static int agreed_order(const refine_level *l, int view, int column, int row) {
    int offsets[4][2], agreed = -2;
    const int parents = refine_list_parents(column, row, offsets);
    for (int k = 0; k < parents; k++) {
        const int c = column + offsets[k][0], r = row + offsets[k][1];
        const v3 p = l->positions[(size_t)r * (size_t)l->columns + (size_t)c];
        float unused = 0.0f;
        const int here = count_others(l, view, p, column, row, -1, &unused);
        agreed = agreed == -2 || agreed == here ? here : -1;
    }
    return agreed;
}

/* The shortest way back, of all views; false: it is in order. */
static bool put_back(const refine_level *l, int column, int row, v3 *out) {
    const v3 p = l->positions[(size_t)row * (size_t)l->columns + (size_t)column];
    const float farthest = k_max(l->def->spacing[0], l->def->spacing[1]) / (float)(1 << l->number);
    float nearest = farthest;
    bool found = false;
    for (int view = 0; view < l->scene->view_count; view++) {
        const refine_view *v = &l->scene->views[view];
        const int wanted = agreed_order(l, view, column, row);
        float depth = -1.0f;
        const int own = count_others(l, view, p, column, row, -1, &depth);
        if (wanted < 0 || own < 0 || own == wanted) {
            continue;
        }
        count_others(l, view, p, column, row, refine_order_layer(own, wanted), &depth);
        const float way = k_abs(refine_depth_distance(*v, depth) - refine_distance(*v, p));
        if (depth >= 0.0f && way < nearest) {
            const float thickness = l->def->options.thickness;
            nearest = way;
            found = true;
            *out = refine_push(*v, p, depth, v->forward, own > wanted ? -thickness : thickness);
        }
    }
    return found;
}

void refine_keep_order(refine_level *l) {
    for (int row = 0; row < l->rows; row++) {
        for (int column = 0; column < l->columns; column++) {
            const size_t at = (size_t)row * (size_t)l->columns + (size_t)column;
            v3 p = l->positions[at];
            if ((column % 2 || row % 2) && put_back(l, column, row, &p)) {
                l->marks[at] |= REFINE_REORDERED;
            }
            l->other[at] = p;
        }
    }
    v3 *positions = l->positions;
    l->positions = l->other;
    l->other = positions;
}
