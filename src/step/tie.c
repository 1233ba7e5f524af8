/* Ties between cloths. They become couplings in couplings.c. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "cook/mapping.h"
#include "step/world.h"

enum { MOST_POINTS = 10000, MOST_SPRINGS = 100000 };
static const float MOST_BEND = 100.0f;

/* The bend of a tie that goes by what it ties. */
static const float BEND_AUTO = -1.0f;

/* In spacings: a point that is nearer to a line of texels is on it. */
static const float ON_TEXEL = 1e-4f;

toile_tie_def toile_default_tie_def(void) {
    return (toile_tie_def){.until = INFINITY, .bend = BEND_AUTO};
}

/* ---- checks -------------------------------------------------------------------------------------
 */

static toile_result check_run(const cloth *c, const toile_tie_run *run, int number) {
    if (run->point_count < 1 || run->point_count > MOST_POINTS || !run->points) {
        return error_set(TOILE_ERROR_INVALID, "tie run %d has %d points: expected 1 to %d", number,
                         run->point_count, MOST_POINTS);
    }
    const grid *g = &c->grid;
    for (int i = 0; i < run->point_count; i++) {
        const float u = run->points[2 * i], v = run->points[2 * i + 1];
        if (!(u >= 0.0f && u <= g->size_u && v >= 0.0f && v <= g->size_v)) {
            return error_set(TOILE_ERROR_INVALID,
                             "tie run %d, point %d: (%.9g, %.9g) is outside cloth '%s': expected u "
                             "from 0 to %.9g m and v from 0 to %.9g m",
                             number, i, (double)u, (double)v, c->name, (double)g->size_u,
                             (double)g->size_v);
        }
    }
    return TOILE_OK;
}

static toile_result check_tie(const toile_tie_def *def, const cloth *const cloths[2]) {
    if (def->count < 0 || def->count > MOST_SPRINGS) {
        return error_set(TOILE_ERROR_INVALID, "tie count is %d: expected 0 to %d", def->count,
                         MOST_SPRINGS);
    }
    if (!(def->until >= 0.0f)) {
        return error_set(TOILE_ERROR_INVALID, "tie until is %g: expected 0 s or more",
                         (double)def->until);
    }
    if (def->bend != BEND_AUTO && !(def->bend >= 0.0f && def->bend <= MOST_BEND)) {
        return error_set(TOILE_ERROR_INVALID, "tie bend is %g: expected 0 to %g, or %g",
                         (double)def->bend, (double)MOST_BEND, (double)BEND_AUTO);
    }
    toile_result result = TOILE_OK;
    for (int r = 0; r < 2 && result == TOILE_OK; r++) {
        result = check_run(cloths[r], &def->runs[r], r);
    }
    return result;
}

/* ---- places -------------------------------------------------------------------------------------
 */

static double piece_length(const toile_tie_run *run, int piece) {
    const float *a = run->points + 2 * piece;
    return hypot((double)a[2] - (double)a[0], (double)a[3] - (double)a[1]);
}

static double run_length(const toile_tie_run *run) {
    double length = 0.0;
    for (int piece = 0; piece + 1 < run->point_count; piece++) {
        length += piece_length(run, piece);
    }
    return length;
}

/* The point at a length of the line. */
static void run_point(const toile_tie_run *run, double at, float point[2]) {
    int piece = 0;
    while (piece + 2 < run->point_count && at > piece_length(run, piece)) {
        at -= piece_length(run, piece++);
    }
    const float *a = run->points + 2 * piece;
    double whole = run->point_count > 1 ? piece_length(run, piece) : 0.0;
    double share = whole > 0.0 ? fmin(at / whole, 1.0) : 0.0;
    for (int k = 0; k < 2; k++) {
        double to = run->point_count > 1 ? (double)a[2 + k] : (double)a[k];
        point[k] = (float)((double)a[k] + share * (to - (double)a[k]));
    }
}

static int usual_count(const toile_tie_def *def, const cloth *const cloths[2]) {
    double shorter = fmin(run_length(&def->runs[0]), run_length(&def->runs[1]));
    double finer = fmin((double)cloths[0]->grid.spacing, (double)cloths[1]->grid.spacing);
    return 1 + (int)fmin(round(shorter / finer), MOST_SPRINGS - 1);
}

static float snapped(float fraction) {
    return fabsf(fraction - roundf(fraction)) < ON_TEXEL ? roundf(fraction) : fraction;
}

static coupling_end end_of(const projection *p, int i, const grid *g, int index) {
    const float u = snapped(p->fractions[2 * i]), v = snapped(p->fractions[2 * i + 1]);
    const float along[2] = {1.0f - u, u}, across[2] = {1.0f - v, v};
    coupling_end end = {.panel = index,
                        .column = (int)(p->texels[i] % (uint32_t)g->columns),
                        .row = (int)(p->texels[i] / (uint32_t)g->columns)};
    for (int k = 0; k < CELL_CORNERS; k++) {
        end.weights[k] = along[k % 2] * across[k / 2];
    }
    return end;
}

/* The line of a tie on one of its cloths. */
typedef struct tie_line {
    const cloth *cloth;
    const toile_tie_run *run;
    int index;        /* of the cloth */
    float *uv;        /* 2 a spring */
    projection place; /* of each */
    int side;         /* where cloth is: 1 to the left, -1 to the right; 0: it is no border */
} tie_line;

static void line_free(tie_line *l) {
    free(l->uv);
    projection_free(&l->place);
}

/* Is there cloth in the cell that a place lies in? */
static bool is_covered(const cloth *c, double u, double v) {
    const grid *g = &c->grid;
    const int column = (int)floor(u / (double)g->spacing), row = (int)floor(v / (double)g->spacing);
    return column >= 0 && row >= 0 && column < g->columns - 1 && row < g->rows - 1 &&
           c->panel->coverage[grid_index(&c->panel->grid, column, row)] > 0.0f;
}

/* The direction of the line at a spring, turned left. */
static void left_of(const tie_line *l, const tie *t, int i, double out[2]) {
    const int from = i > 0 ? i - 1 : 0, to = i + 1 < t->count ? i + 1 : i;
    const double u = (double)l->uv[2 * to] - (double)l->uv[2 * from];
    const double v = (double)l->uv[2 * to + 1] - (double)l->uv[2 * from + 1];
    const double length = hypot(u, v);
    out[0] = length > 0.0 ? -v / length : 0.0;
    out[1] = length > 0.0 ? u / length : 0.0;
}

/* Most springs of a border have cloth half a spacing to one side of it, and none to the other. */
static int side_of(const tie_line *l, const tie *t) {
    const double half = 0.5 * (double)l->cloth->grid.spacing;
    int sum = 0;
    for (int i = 0; i < t->count; i++) {
        double left[2];
        left_of(l, t, i, left);
        const double u = (double)l->uv[2 * i], v = (double)l->uv[2 * i + 1];
        sum += is_covered(l->cloth, u + half * left[0], v + half * left[1]);
        sum -= is_covered(l->cloth, u - half * left[0], v - half * left[1]);
    }
    return 2 * abs(sum) > t->count ? (sum > 0 ? 1 : -1) : 0;
}

/* Each spring ends at a place in a square of four texels, as vertices of the cloth's mesh lie. */
static toile_result line_create(tie_line *l, const tie *t, const cloth *c,
                                const toile_tie_run *run) {
    *l = (tie_line){.cloth = c, .run = run, .index = (int)run->cloth.slot - 1};
    l->uv = memory_alloc((size_t)t->count, 2 * sizeof *l->uv, "a tie");
    if (!l->uv) {
        return TOILE_ERROR_MEMORY;
    }
    const double length = run_length(run);
    for (int i = 0; i < t->count; i++) {
        run_point(run, t->count > 1 ? length * i / (t->count - 1) : 0.0, l->uv + 2 * i);
    }
    const flat_mesh points = {.vertex_count = (uint32_t)t->count, .uv = l->uv};
    toile_result result = projection_create(&l->place, &points, &c->grid, c->panel->mask);
    if (result != TOILE_OK) {
        error_prefix("tie: ");
        return result;
    }
    l->side = side_of(l, t);
    return TOILE_OK;
}

/* ---- bending ------------------------------------------------------------------------------------
 */

/* How a place in the square changes when it goes inwards by a length: its bilinear slope. */
static coupling_end slope_of(const tie_line *l, const tie *t, int i, double length) {
    double left[2];
    left_of(l, t, i, left);
    coupling_end end = end_of(&l->place, i, &l->cloth->grid, l->index);
    const float u = snapped(l->place.fractions[2 * i]), v = snapped(l->place.fractions[2 * i + 1]);
    const double spacings = l->side * length / (double)l->cloth->grid.spacing;
    for (int k = 0; k < CELL_CORNERS; k++) {
        const double along = (k % 2 ? 1.0 : -1.0) * (double)(k / 2 ? v : 1.0f - v);
        const double across = (k / 2 ? 1.0 : -1.0) * (double)(k % 2 ? u : 1.0f - u);
        end.weights[k] = (float)(spacings * (along * left[0] + across * left[1]));
    }
    return end;
}

static double bend_length(const tie_line lines[2]) {
    return fmax((double)lines[0].cloth->grid.spacing, (double)lines[1].cloth->grid.spacing);
}

/* How much both sides resist a bend, times as much as their cloth. */
static toile_result bend_factor(const tie *t, const tie_line lines[2], float given, float *out) {
    const bool directed = t->along[0] != 0.0f || t->along[1] != 0.0f || t->along[2] != 0.0f;
    const bool borders = lines[0].side != 0 && lines[1].side != 0;
    *out = given == BEND_AUTO ? (borders && !directed ? 1.0f : 0.0f) : given;
    if (*out == 0.0f || borders) {
        return TOILE_OK;
    }
    if (t->count == 1) {
        return error_set(TOILE_ERROR_INVALID, "tie bend is %g: expected 0, or more than one spring",
                         (double)given);
    }
    const int r = lines[0].side != 0;
    return error_set(TOILE_ERROR_INVALID,
                     "tie bend: run %d has cloth on both sides of it, or on none: expected a "
                     "border of cloth '%s', or bend 0",
                     r, lines[r].cloth->name);
}

/* N/m, of each of the rows. */
static float bend_stiffness(const tie *t, const tie_line lines[2], float factor) {
    const double one = (double)lines[0].cloth->def.fabric.bend;
    const double other = (double)lines[1].cloth->def.fabric.bend;
    if (factor == 0.0f || one + other == 0.0) {
        return 0.0f;
    }
    const double bend = 2.0 * one * other / (one + other);
    const double shorter = fmin(run_length(lines[0].run), run_length(lines[1].run));
    const double length = bend_length(lines);
    return (float)((double)factor * bend * shorter / (t->count - 1) / (length * length * length));
}

/* Rows behind those of the springs: of a flat cloth what both sides go inwards adds up to nothing.
 * Its curvature is that sum over the square of the length. Those at both ends stand for half as
 * long a piece of the tie, as texels of a border do. */
static void place_bends(tie *t, const tie_line lines[2]) {
    for (int r = 0; r < 2; r++) {
        const double length = (r == 0 ? 1.0 : -1.0) * bend_length(lines);
        for (int i = 0; i < t->count; i++) {
            const bool is_end = i == 0 || i == t->count - 1;
            coupling_base *row = &t->rows[t->count + i];
            row->fine = true;
            row->ends[r] = slope_of(&lines[r], t, i, is_end ? length * sqrt(0.5) : length);
        }
    }
}

/* ---- ties ---------------------------------------------------------------------------------------
 */

static toile_result place_rows(tie *t, const tie_line lines[2]) {
    t->rows = memory_alloc((size_t)tie_rows(t), sizeof *t->rows, "a tie");
    if (!t->rows) {
        return TOILE_ERROR_MEMORY;
    }
    for (int r = 0; r < 2; r++) {
        const tie_line *l = &lines[r];
        for (int i = 0; i < t->count; i++) {
            t->rows[i].ends[r] = end_of(&l->place, i, &l->cloth->grid, l->index);
        }
    }
    if (t->bend > 0.0f) {
        place_bends(t, lines);
    }
    return TOILE_OK;
}

static toile_result place_tie(tie *t, const toile_tie_def *def, const cloth *const cloths[2]) {
    tie_line lines[2] = {{0}};
    float factor = 0.0f;
    toile_result result = TOILE_OK;
    for (int r = 0; r < 2 && result == TOILE_OK; r++) {
        result = line_create(&lines[r], t, cloths[r], &def->runs[r]);
    }
    if (result == TOILE_OK) {
        result = bend_factor(t, lines, def->bend, &factor);
    }
    if (result == TOILE_OK) {
        t->bend = bend_stiffness(t, lines, factor);
        result = place_rows(t, lines);
    }
    line_free(&lines[0]);
    line_free(&lines[1]);
    return result;
}

static toile_result tie_create(const toile_world *w, tie *t, const toile_tie_def *def) {
    const cloth *cloths[2];
    for (int r = 0; r < 2; r++) {
        const toile_cloth_id id = def->runs[r].cloth;
        cloths[r] = slots_get(&w->cloths, id.slot, id.generation);
    }
    toile_result result = couplings_check(w, "ties");
    if (result == TOILE_OK) {
        result = check_tie(def, cloths);
    }
    if (result == TOILE_OK) {
        result = coupling_check_numbers("tie", def->stiffness, def->along, t->along);
    }
    if (result != TOILE_OK) {
        return result;
    }
    t->count = def->count > 0 ? def->count : usual_count(def, cloths);
    t->stiffness = def->stiffness / (float)t->count;
    t->until = (double)def->until;
    return place_tie(t, def, cloths);
}

void tie_destroy(tie *t) {
    free(t->rows);
    t->rows = NULL;
}

static void end_sleep(toile_world *w, const tie *t) {
    for (int e = 0; e < 2; e++) {
        sleep_end(w, t->rows[0].ends[e].panel);
    }
}

toile_tie_id toile_world_add_tie(toile_world *world, const toile_tie_def *def) {
    TOILE_ASSERT(world && def);
    toile_tie_id id = {0};
    tie *t = slots_add(&world->ties, sizeof *t, &id.slot, &id.generation, "ties");
    if (!t) {
        return (toile_tie_id){0};
    }
    if (tie_create(world, t, def) != TOILE_OK) {
        tie_destroy(t);
        slots_release(&world->ties, id.slot);
        return (toile_tie_id){0};
    }
    end_sleep(world, t);
    world->prepared = false;
    return id;
}

static void tie_remove(toile_world *w, size_t index) {
    end_sleep(w, world_tie(w, index));
    tie_destroy(world_tie(w, index));
    slots_release(&w->ties, (uint32_t)index + 1);
    w->prepared = false;
}

void toile_world_remove_tie(toile_world *world, toile_tie_id id) {
    TOILE_ASSERT(world);
    slots_get(&world->ties, id.slot, id.generation);
    tie_remove(world, id.slot - 1);
}

void ties_remove_of(toile_world *w, size_t cloth_index) {
    for (size_t i = 0; i < w->ties.count; i++) {
        const tie *t = world_tie(w, i);
        if (t && ((size_t)t->rows[0].ends[0].panel == cloth_index ||
                  (size_t)t->rows[0].ends[1].panel == cloth_index)) {
            tie_remove(w, i);
        }
    }
}

int toile_world_get_ties(const toile_world *world, toile_tie_id *ids, int capacity) {
    TOILE_ASSERT(world && (ids || capacity == 0));
    return slots_list(&world->ties, (uint32_t *)ids, capacity);
}

/* Adds the place of an end, times a factor. */
static void add_place(const toile_world *w, const coupling_end *end, double factor, double out[3]) {
    const cloth *c = world_cloth(w, (size_t)end->panel);
    for (int k = 0; k < CELL_CORNERS; k++) {
        const size_t texel =
            (size_t)(end->row + k / 2) * (size_t)c->grid.columns + (size_t)(end->column + k % 2);
        for (int axis = 0; axis < 3; axis++) {
            out[axis] +=
                factor * (double)end->weights[k] * (double)c->buffer[3 * texel + (size_t)axis];
        }
    }
}

toile_tie_info toile_tie_get_info(const toile_world *world, toile_tie_id id) {
    TOILE_ASSERT(world);
    const tie *t = slots_get(&world->ties, id.slot, id.generation);
    toile_tie_info info = {.count = t->count, .holds = world->time < t->until};
    for (int e = 0; e < 2; e++) {
        const size_t index = (size_t)t->rows[0].ends[e].panel;
        const cloth *c = world_cloth(world, index);
        info.cloths[e] = (toile_cloth_id){(uint32_t)index + 1, c->slot.generation};
        cloth_read(world, c, FIELD_POSITION);
    }
    for (int i = 0; i < t->count; i++) {
        double apart[3] = {0.0, 0.0, 0.0};
        add_place(world, &t->rows[i].ends[0], 1.0, apart);
        add_place(world, &t->rows[i].ends[1], -1.0, apart);
        double gap = sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]);
        info.mean_gap += gap / t->count;
        info.max_gap = fmax(info.max_gap, gap);
    }
    return info;
}
