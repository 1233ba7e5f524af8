#include "cpu/refine_level.h"

#include "device/refine_search.h"

static const v3 ZERO = {0.0f, 0.0f, 0.0f};

static size_t index_of(const refine_level *l, int column, int row) {
    return (size_t)row * (size_t)l->columns + (size_t)column;
}

static bool is_old(int column, int row) {
    return column % 2 == 0 && row % 2 == 0;
}

static void swap_positions(refine_level *l) {
    v3 *positions = l->positions;
    l->positions = l->other;
    l->other = positions;
}

static void swap_marks(refine_level *l) {
    int32_t *marks = l->marks;
    l->marks = l->marks_other;
    l->marks_other = marks;
}

/* ---- subdivision --------------------------------------------------------------------------------
 */

void refine_subdivide(refine_level *l) {
    const int above = l->columns;
    l->columns = 2 * l->columns - 1;
    l->rows = 2 * l->rows - 1;
    for (int row = 0; row < l->rows; row++) {
        for (int column = 0; column < l->columns; column++) {
            const size_t at = (size_t)(row / 2) * (size_t)above + (size_t)(column / 2);
            const size_t right = column % 2 ? 1 : 0, down = row % 2 ? (size_t)above : 0;
            const v3 *p = l->positions + at;
            const size_t own = index_of(l, column, row);
            l->other[own] = refine_interpolate(p[0], p[right], p[down], p[down + right],
                                               0.5f * (float)(column % 2), 0.5f * (float)(row % 2));
            l->marks_other[own] = is_old(column, row) ? l->marks[at] : 0;
        }
    }
    swap_positions(l);
    swap_marks(l);
}

/* ---- forces -------------------------------------------------------------------------------------
 */

/* Rest length of the spring to a neighbour so many columns and rows away, m. */
static float rest_length(const refine_level *l, int columns, int rows) {
    const float share = 1.0f / (float)(1 << l->number);
    const float u = share * l->def->spacing[0] * (float)columns;
    const float v = share * l->def->spacing[1] * (float)rows;
    return k_sqrt(u * u + v * v);
}

/* The vertex in the finest grid. */
static size_t finest_index(const refine_level *l, int column, int row) {
    const int left = l->def->options.levels - l->number;
    const int columns = refine_size(l->columns, left);
    return (size_t)(row << left) * (size_t)columns + (size_t)(column << left);
}

static v3 relaxed(const refine_level *l, int column, int row) {
    const v3 p = l->positions[index_of(l, column, row)];
    v3 sum = ZERO;
    int springs = 0;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            const int c = column + x, r = row + y;
            if ((x != 0 || y != 0) && c >= 0 && r >= 0 && c < l->columns && r < l->rows) {
                const float share = is_old(c, r) ? 1.0f : 0.5f;
                sum = v3_add(sum, refine_pull(p, l->positions[index_of(l, c, r)],
                                              rest_length(l, x, y), share));
                springs++;
            }
        }
    }
    return v3_madd(p, sum, 1.0f / (float)springs);
}

void refine_apply_forces(refine_level *l) {
    const float kept = k_max(1.0f - l->def->options.damping * l->time_step, 0.0f);
    const v3 fall = v3_scale(l->gravity, l->time_step * l->time_step);
    for (int row = 0; row < l->rows && l->last; row++) {
        for (int column = 0; column < l->columns; column++) {
            const size_t finest = finest_index(l, column, row);
            if (!is_old(column, row)) {
                const v3 last = l->last[finest], before = l->before ? l->before[finest] : last;
                l->positions[index_of(l, column, row)] = refine_advance(last, before, fall, kept);
            }
        }
    }
    for (int i = 0; i < l->def->options.iterations; i++) {
        for (int row = 0; row < l->rows; row++) {
            for (int column = 0; column < l->columns; column++) {
                const size_t at = index_of(l, column, row);
                l->other[at] = is_old(column, row) ? l->positions[at] : relaxed(l, column, row);
            }
        }
        swap_positions(l);
    }
}

/* ---- parents ------------------------------------------------------------------------------------
 */

int refine_list_parents(int column, int row, int offsets[4][2]) {
    static const int all[3][4][2] = {{{-1, 0}, {1, 0}, {0, 0}, {0, 0}},
                                     {{0, -1}, {0, 1}, {0, 0}, {0, 0}},
                                     {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}}};
    const int kind = column % 2 && row % 2 ? 2 : column % 2 ? 0 : 1;
    for (int k = 0; k < 4; k++) {
        offsets[k][0] = all[kind][k][0];
        offsets[k][1] = all[kind][k][1];
    }
    return kind == 2 ? 4 : 2;
}

/* Those whose layers a vertex is judged by: its parents; or, of an old one that has moved, the
 * neighbours in its row and column. */
static int list_judges(const refine_level *l, int column, int row, size_t judges[4]) {
    static const int around[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    int offsets[4][2], count = 0;
    int listed = is_old(column, row) ? 4 : refine_list_parents(column, row, offsets);
    for (int k = 0; k < listed; k++) {
        const int c = column + (is_old(column, row) ? around[k][0] : offsets[k][0]);
        const int r = row + (is_old(column, row) ? around[k][1] : offsets[k][1]);
        if (c >= 0 && r >= 0 && c < l->columns && r < l->rows) {
            judges[count++] = index_of(l, c, r);
        }
    }
    return count;
}

/* ---- depth layers -------------------------------------------------------------------------------
 */

static bool is_winding(const refine_level *l) {
    return l->def->options.rule == REFINE_WINDING && l->images->layers > 1;
}

static v4 find_place(const refine_level *l, int view, v3 p) {
    const refine_images *images = l->images;
    const refine_view *v = &l->scene->views[view];
    const v4 at = refine_project(*v, (float)images->side, p);
    const bool seen = refine_seen(at, (float)images->side);
    const float distance = refine_distance(*v, p), steep = refine_steep(*v, distance);
    const float near = refine_near(&l->def->options) * refine_depth_of_metre(*v, distance);
    refine_place place = refine_place_begin(seen);
    for (int layer = 0; layer < images->peeled && seen; layer++) {
        const v4 pixel = refine_pixel(images, layer, view, at);
        if (pixel.w == 0.0f) {
            break;
        }
        const bool ahead = refine_is_ahead(pixel, at, steep, near);
        place = refine_place_add(place, (float)layer, pixel.w > 0.0f ? 1.0f : -1.0f, ahead,
                                 is_winding(l));
    }
    return (v4){place.layers, place.winding, place.front, place.back};
}

void refine_find_places(refine_level *l) {
    const size_t count = (size_t)l->columns * (size_t)l->rows;
    for (int view = 0; view < l->scene->view_count; view++) {
        for (size_t i = 0; i < count; i++) {
            l->places[(size_t)view * count + i] = find_place(l, view, l->positions[i]);
        }
    }
}

/* ---- detection ----------------------------------------------------------------------------------
 */

/* What all views say of a vertex. */
typedef struct verdict {
    bool inside;
    int layers; /* REFINE_LAYERS: not seen */
    int found;  /* case */
    int view;   /* that is to be pushed along; */
    v4 pixel;   /* to this surface */
    float depth;
} verdict;

/* One view that holds the vertex inside; returns how far its surface is. */
static float look(const refine_level *l, int view, size_t own, const size_t judges[4], int count,
                  verdict *out) {
    const refine_view *v = &l->scene->views[view];
    const v4 *places = l->places + (size_t)view * (size_t)l->columns * (size_t)l->rows;
    const v3 p = l->positions[own];
    const v4 place = places[own], at = refine_project(*v, (float)l->images->side, p);
    int front = 0, back = 0;
    for (int k = 0; k < count; k++) {
        const int side = refine_side(place, places[judges[k]], is_winding(l));
        front += side > 0;
        back += side < 0;
    }
    const int layer = (int)(refine_to_front(front, back, place) ? place.z : place.w);
    const v4 pixel = refine_pixel(l->images, layer, view, at);
    const float distance = refine_distance(*v, p);
    const float depth = refine_surface_depth(pixel, at, refine_steep(*v, distance));
    *out = (verdict){.layers = (int)place.x,
                     .found = refine_case(count, front, back),
                     .view = view,
                     .pixel = pixel,
                     .depth = depth};
    return k_abs(refine_depth_distance(*v, depth) - distance);
}

static verdict judge(const refine_level *l, int column, int row) {
    const size_t own = index_of(l, column, row), count = (size_t)l->columns * (size_t)l->rows;
    size_t judges[4];
    const int judge_count = list_judges(l, column, row, judges);
    verdict best = {.layers = REFINE_LAYERS, .view = -1};
    float nearest = 1e30f;
    int seen = 0, inside = 0;
    for (int view = 0; view < l->scene->view_count; view++) {
        const v4 place = l->places[(size_t)view * count + own];
        if (place.x >= 0.0f && seen++ == 0) {
            best.layers = (int)place.x;
        }
        if (refine_is_inside(place, is_winding(l))) {
            verdict here;
            const float way = look(l, view, own, judges, judge_count, &here);
            inside++;
            if (way < nearest) {
                nearest = way;
                best = here;
            }
        }
    }
    best.inside = refine_agree(inside, seen, l->def->options.any);
    best.found = best.inside ? best.found : REFINE_NO_CASE;
    return best;
}

/* ---- correction ---------------------------------------------------------------------------------
 */

static v3 push_along_view(const refine_level *l, v3 p, const verdict *of) {
    const size_t triangle = (size_t)k_abs(of->pixel.w) - 1;
    const uint32_t *corners = l->scene->corners + 3 * triangle;
    const v3 *end = l->scene->end;
    const v3 normal = refine_normal(end[corners[0]], end[corners[1]], end[corners[2]]);
    return refine_push(l->scene->views[of->view], p, of->depth, normal, l->def->options.thickness);
}

static v3 corrected(const refine_level *l, int column, int row, const verdict *of) {
    const v3 p = l->positions[index_of(l, column, row)];
    const float thickness = l->def->options.thickness;
    switch (l->def->options.correction) {
    case REFINE_LEAVE:
        return p;
    case REFINE_IMAGE:
        return push_along_view(l, p, of);
    case REFINE_OBJECT:
        return refine_leave(l->scene, p, ZERO, thickness);
    case REFINE_HISTORY:
        break;
    }
    const v3 side =
        l->last ? refine_met_normal(l->scene, l->last[finest_index(l, column, row)], p) : ZERO;
    return refine_leave(l->scene, p, side, thickness);
}

static void correct(refine_level *l, int column, int row) {
    const size_t at = index_of(l, column, row);
    const verdict v = judge(l, column, row);
    int32_t mark = (l->marks[at] & ~REFINE_LAYERS) | v.layers;
    l->other[at] = l->positions[at];
    if (v.inside) {
        mark = (mark & ~REFINE_CASE_MASK) | REFINE_INSIDE | v.found * REFINE_CASE;
        const v3 p = l->positions[at], q = corrected(l, column, row, &v);
        l->other[at] = q;
        mark |= p.x != q.x || p.y != q.y || p.z != q.z ? REFINE_CORRECTED : 0;
    }
    l->marks_other[at] = mark;
}

void refine_correct(refine_level *l, bool followed) {
    for (int row = 0; row < l->rows; row++) {
        for (int column = 0; column < l->columns; column++) {
            const size_t at = index_of(l, column, row);
            if (!is_old(column, row) || (followed && l->marks[at] & REFINE_FRESH)) {
                correct(l, column, row);
            } else {
                l->other[at] = l->positions[at];
                l->marks_other[at] = l->marks[at];
            }
        }
    }
    swap_positions(l);
    swap_marks(l);
}

/* ---- parents that follow ------------------------------------------------------------------------
 */

/* How far an old vertex goes: the mean of what its stretched springs ask for. */
static v3 find_move(const refine_level *l, int column, int row) {
    const size_t own = index_of(l, column, row);
    const float most = 1.0f + l->def->options.stretch;
    v3 sum = ZERO;
    int springs = 0;
    for (int y = -1; y <= 1 && !(l->marks[own] & REFINE_HELD); y++) {
        for (int x = -1; x <= 1; x++) {
            const int c = column + x, r = row + y;
            if ((x == 0 && y == 0) || c < 0 || r < 0 || c >= l->columns || r >= l->rows ||
                !(l->marks[index_of(l, c, r)] & REFINE_CORRECTED)) {
                continue;
            }
            const v3 pull = refine_follow(l->positions[own], l->positions[index_of(l, c, r)],
                                          most * rest_length(l, x, y));
            springs += v3_dot(pull, pull) > 0.0f;
            sum = v3_add(sum, pull);
        }
    }
    return springs > 0 ? v3_scale(sum, 1.0f / (float)springs) : ZERO;
}

/* Children that were not corrected go with their parents. */
static v3 find_child_move(const refine_level *l, int column, int row) {
    int offsets[4][2];
    const int count = refine_list_parents(column, row, offsets);
    v3 sum = ZERO;
    for (int k = 0; k < count; k++) {
        sum = v3_add(sum, find_move(l, column + offsets[k][0], row + offsets[k][1]));
    }
    return v3_scale(sum, 1.0f / (float)count);
}

void refine_move_parents(refine_level *l) {
    for (int row = 0; row < l->rows; row++) {
        for (int column = 0; column < l->columns; column++) {
            const size_t at = index_of(l, column, row);
            const bool old = is_old(column, row);
            v3 move = ZERO;
            if (old) {
                move = find_move(l, column, row);
            } else if (!(l->marks[at] & REFINE_CORRECTED)) {
                move = find_child_move(l, column, row);
            }
            const bool moves = v3_dot(move, move) > 0.0f;
            l->other[at] = v3_add(l->positions[at], move);
            l->marks_other[at] =
                (l->marks[at] & ~REFINE_FRESH) | (old && moves ? REFINE_MOVED | REFINE_FRESH : 0);
        }
    }
    swap_positions(l);
    swap_marks(l);
}
