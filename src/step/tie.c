/* Ties between cloths, and what becomes of them and of soft pins: couplings of the equations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cook/mapping.h"
#include "step/world.h"

enum { MOST_POINTS = 10000, MOST_SPRINGS = 100000 };
static const float STIFFEST = 1e9f;

/* In spacings: a point that is nearer to a line of texels is on it. */
static const float ON_TEXEL = 1e-4f;

toile_tie_def toile_default_tie_def(void) {
    return (toile_tie_def){.until = INFINITY};
}

/* ---- checks -------------------------------------------------------------------------------------
 */

toile_result couplings_check(const toile_world *w, const char *what) {
    if (w->def.solver.kind != TOILE_SOLVER_IMPLICIT) {
        return error_set(TOILE_ERROR_INVALID,
                         "%s: only the implicit solver has them: expected solver \"implicit\"",
                         what);
    }
    if (!w->device->couples && w->device != &null_device) {
        return error_set(
            TOILE_ERROR_INVALID,
            "%s: device \"%s\" does not have them yet: expected device \"cpu\" or \"gl\"", what,
            w->device->name);
    }
    return TOILE_OK;
}

toile_result coupling_check_numbers(const char *what, float stiffness, const float along[3],
                                    float unit[3]) {
    if (!(stiffness >= 0.0f && stiffness <= STIFFEST)) {
        return error_set(TOILE_ERROR_INVALID, "%s stiffness is %g: expected 0 to %g N/m", what,
                         (double)stiffness, (double)STIFFEST);
    }
    double squared = 0.0;
    for (int k = 0; k < 3; k++) {
        squared += (double)along[k] * (double)along[k];
    }
    if (!isfinite(squared)) {
        return error_set(TOILE_ERROR_INVALID,
                         "%s along is (%g, %g, %g): expected a direction, or 0, 0, 0 for all", what,
                         (double)along[0], (double)along[1], (double)along[2]);
    }
    for (int k = 0; k < 3; k++) {
        unit[k] = squared > 0.0 ? (float)((double)along[k] / sqrt(squared)) : 0.0f;
    }
    return TOILE_OK;
}

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

/* Springs draw sums of places together; rows of the other kind keep directions. */
typedef enum tie_kind { TIE_SPRING, TIE_BEND } tie_kind;

/* The line of a tie on one of its cloths. */
typedef struct tie_line {
    const cloth *cloth;
    const toile_tie_run *run;
    int index;        /* of the cloth */
    float *uv;        /* 2 a spring */
    projection place; /* of each */
} tie_line;

static void line_free(tie_line *l) {
    free(l->uv);
    projection_free(&l->place);
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
    }
    return result;
}

/* ---- bending ------------------------------------------------------------------------------------
 */

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

/* How many springs have cloth half a spacing to the left, less those that have it to the right. */
static int cloth_to_the_left(const tie_line *l, const tie *t) {
    const double half = 0.5 * (double)l->cloth->grid.spacing;
    int sum = 0;
    for (int i = 0; i < t->count; i++) {
        double left[2];
        left_of(l, t, i, left);
        const double u = (double)l->uv[2 * i], v = (double)l->uv[2 * i + 1];
        sum += is_covered(l->cloth, u + half * left[0], v + half * left[1]);
        sum -= is_covered(l->cloth, u - half * left[0], v - half * left[1]);
    }
    return sum;
}

/* How a place in the square changes when it goes inwards by a length: its bilinear slope. */
static coupling_end slope_of(const tie_line *l, const tie *t, int i, double length, double side) {
    double left[2];
    left_of(l, t, i, left);
    coupling_end end = end_of(&l->place, i, &l->cloth->grid, l->index);
    const float u = snapped(l->place.fractions[2 * i]), v = snapped(l->place.fractions[2 * i + 1]);
    const double spacings = side * length / (double)l->cloth->grid.spacing;
    for (int k = 0; k < CELL_CORNERS; k++) {
        const double along = (k % 2 ? 1.0 : -1.0) * (double)(k / 2 ? v : 1.0f - v);
        const double across = (k / 2 ? 1.0 : -1.0) * (double)(k % 2 ? u : 1.0f - u);
        end.weights[k] = (float)(spacings * (along * left[0] + across * left[1]));
    }
    return end;
}

/* Rows behind those of the springs: of a flat cloth what both sides go inwards adds up to nothing.
 * Its curvature is that sum over the square of the length. */
static toile_result place_bends(tie *t, const tie_line lines[2]) {
    const double length =
        fmax((double)lines[0].cloth->grid.spacing, (double)lines[1].cloth->grid.spacing);
    for (int r = 0; r < 2; r++) {
        const int side = cloth_to_the_left(&lines[r], t);
        if (abs(side) <= t->count / 2) {
            return error_set(TOILE_ERROR_INVALID,
                             "tie bend: run %d has cloth on both sides of it, or on none: expected "
                             "a border of cloth '%s'",
                             r, lines[r].cloth->name);
        }
        const double turn = (side > 0 ? 1.0 : -1.0) * (r == 0 ? 1.0 : -1.0);
        for (int i = 0; i < t->count; i++) {
            coupling_base *row = &t->rows[t->count + i];
            row->kind = TIE_BEND;
            row->ends[r] = slope_of(&lines[r], t, i, length, turn);
        }
    }
    const double one = (double)lines[0].cloth->def.fabric.bend;
    const double other = (double)lines[1].cloth->def.fabric.bend;
    const double bend = one + other > 0.0 ? 2.0 * one * other / (one + other) : 0.0;
    const double shorter = fmin(run_length(lines[0].run), run_length(lines[1].run));
    const double stiffness = bend * shorter / t->count / (length * length * length);
    t->bend_stiffness = stiffness > 0.0 ? (float)stiffness : -1.0f;
    return TOILE_OK;
}

/* ---- ties ---------------------------------------------------------------------------------------
 */

static int tie_rows(const tie *t) {
    return t->bends ? 2 * t->count : t->count;
}

static toile_result place_rows(tie *t, const toile_tie_def *def, const cloth *const cloths[2]) {
    tie_line lines[2] = {{0}};
    toile_result result = TOILE_OK;
    for (int r = 0; r < 2 && result == TOILE_OK; r++) {
        result = line_create(&lines[r], t, cloths[r], &def->runs[r]);
        for (int i = 0; result == TOILE_OK && i < t->count; i++) {
            t->rows[i].ends[r] = end_of(&lines[r].place, i, &cloths[r]->grid, lines[r].index);
        }
    }
    if (result == TOILE_OK && t->bends) {
        result = place_bends(t, lines);
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
    t->bends = def->bend;
    t->rows = memory_alloc((size_t)tie_rows(t), sizeof *t->rows, "a tie");
    return t->rows ? place_rows(t, def, cloths) : TOILE_ERROR_MEMORY;
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

/* ---- couplings ----------------------------------------------------------------------------------
 */

static bool is_soft(const pin *p) {
    return p && p->stiffness > 0.0f;
}

/* How many ties and soft pins there are, and their springs. */
static int count_springs(const toile_world *w, int *groups) {
    int count = 0;
    *groups = 0;
    for (size_t i = 0; i < w->ties.count; i++) {
        const tie *t = world_tie(w, i);
        *groups += t ? 1 + t->bends : 0;
        count += t ? tie_rows(t) : 0;
    }
    for (size_t i = 0; i < w->pins.count; i++) {
        const pin *p = world_pin(w, i);
        *groups += is_soft(p);
        count += is_soft(p) ? (int)p->count : 0;
    }
    return count;
}

/* A texel is the corner of a cell that lies within the grid. */
static coupling_base texel_row(const toile_world *w, const pin *p, uint32_t t) {
    const grid *g = &world_cloth(w, p->cloth)->grid;
    const int column = (int)(p->texels[t] % (uint32_t)g->columns);
    const int row = (int)(p->texels[t] / (uint32_t)g->columns);
    const int right = column == g->columns - 1, top = row == g->rows - 1;
    coupling_base base = {
        .ends = {{.panel = plan_index(w, p->cloth), .column = column - right, .row = row - top},
                 {.panel = NO_PANEL}}};
    base.ends[0].weights[right + 2 * top] = 1.0f;
    return base;
}

static coupling_base *list_tie(const toile_world *w, const tie *t, coupling_base *out) {
    for (int i = 0; i < tie_rows(t); i++, out++) {
        *out = t->rows[i];
        for (int e = 0; e < 2; e++) {
            out->ends[e].panel = plan_index(w, (size_t)out->ends[e].panel);
        }
    }
    return out;
}

toile_result couplings_list(toile_world *w, coupling_base **rows, int *count) {
    *count = count_springs(w, &w->plan.coupling_count);
    w->plan.couplings = memory_alloc((size_t)w->plan.coupling_count, sizeof *w->plan.couplings,
                                     "the plan of a step");
    *rows = memory_alloc((size_t)*count, sizeof **rows, "the plan of a step");
    if (!w->plan.couplings || !*rows) {
        return TOILE_ERROR_MEMORY;
    }
    coupling_base *out = *rows;
    for (size_t i = 0; i < w->ties.count; i++) {
        out = world_tie(w, i) ? list_tie(w, world_tie(w, i), out) : out;
    }
    for (size_t i = 0; i < w->pins.count; i++) {
        const pin *p = world_pin(w, i);
        for (uint32_t t = 0; is_soft(p) && t < p->count; t++) {
            *out++ = texel_row(w, p, t);
        }
    }
    return TOILE_OK;
}

static v3 direction(const float along[3]) {
    return v3_make(along[0], along[1], along[2]);
}

static plan_coupling *fill_tie(const tie *t, plan_coupling *out, int first) {
    const v3 along = direction(t->along);
    *out++ = (plan_coupling){first, t->count, t->stiffness, along, t->until, {.count = 0}};
    if (t->bends) {
        first += t->count;
        *out++ = (plan_coupling){first, t->count, t->bend_stiffness, along, t->until, {.count = 0}};
    }
    return out;
}

void couplings_fill(toile_world *w) {
    plan_coupling *out = w->plan.couplings;
    const double end = w->time + (double)w->plan.span;
    int first = 0;
    for (size_t i = 0; i < w->ties.count; i++) {
        const tie *t = world_tie(w, i);
        if (t) {
            out = fill_tie(t, out, first);
            first += tie_rows(t);
        }
    }
    for (size_t i = 0; i < w->pins.count; i++) {
        pin *p = world_pin(w, i);
        if (is_soft(p)) {
            const plan_pin pinned = plan_pin_of(w, p, end);
            *out++ = (plan_coupling){first,    (int)p->count, p->stiffness, direction(p->along),
                                     INFINITY, pinned};
            first += (int)p->count;
        }
    }
}
