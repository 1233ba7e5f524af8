/* Bodies in the implicit step: kernel/implicit.h has the law. A texel is held by the body that
 * presses it hardest; what is left in the wedge between two, the response at the end of the substep
 * takes out. */
#include "cpu/grip.h"
#include <float.h>
#include <string.h>

#include "cpu/surface.h"
#include "kernel/cycle.h"
#include "kernel/implicit.h"

/* Rows are looked at this many spacings around a body: corrections are small against it. */
static const float REACH = 1.0f;

/* Inlined for each shape, for a loop that calls through a pointer has no vectors. */
__attribute__((always_inline)) static inline int grip_by(const pass_args *args, size_t first,
                                                         level_plane from, toucher by) {
    const cloth_planes *s = &args->state->at;
    const level_planes *l = &args->hierarchy->levels[0].at;
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field x = field_from(l->plane[from], l->plane[from + 1], l->plane[from + 2], first);
    const field start = field_from(s->x, s->y, s->z, first);
    const bool second = args->plan->substep < args->plan->moment;
    const field v =
        second ? field_from(s->ax, s->ay, s->az, first) : field_from(s->vx, s->vy, s->vz, first);
    const float *restrict mass = s->inverse_mass + first;
    const float *restrict inverse = args->cycle->levels[0].matrix->plane[MATRIX_INVERSE] + first;
    const field r = field_from(c->rx, c->ry, c->rz, first);
    float *restrict nx = c->nx + first, *restrict ny = c->ny + first, *restrict nz = c->nz + first;
    float *restrict gx = c->gx + first, *restrict gy = c->gy + first, *restrict gz = c->gz + first;
    const float *restrict glue = c->glue + first;
    float *restrict hold = c->hold + first, *restrict mu = c->mu + first,
                    *restrict gaps = c->gap + first;
    float *restrict back = c->back + first;
    const float substep = args->plan->substep, band = GRIP_BAND * args->params->spacing;
    const float least = grip_least(args->plan->gravity, substep);
    int held = 0;
#pragma omp simd reduction(| : held)
    for (int i = by.contact->begin; i < by.contact->end; i++) {
        v3 p = field_at(x, i);
        surface at = surface_at(by, c, first, i, p, substep);
        v3 n = at.normal, gone = v3_sub(v3_sub(p, field_at(start, i)), at.way);
        float stiffness = 1.0f / k_max(inverse[i], KERNEL_TINY);
        float off = grip_off(at.gap, p);
        float pressure = grip_pressure(field_at(r, i), n, off, stiffness) + glue[i];
        bool grips = (mass[i] > 0.0f) & (pressure > hold[i]);
        bool rubs = (mass[i] > 0.0f) & (at.gap < k_min(band, gaps[i])) & !(hold[i] > 0.0f);
        bool touches = grips | rubs;
        nx[i] = k_select(touches, n.x, nx[i]);
        ny[i] = k_select(touches, n.y, ny[i]);
        nz[i] = k_select(touches, n.z, nz[i]);
        gx[i] = k_select(touches, gone.x, gx[i]);
        gy[i] = k_select(touches, gone.y, gy[i]);
        gz[i] = k_select(touches, gone.z, gz[i]);
        gaps[i] = k_select(touches, at.gap, gaps[i]);
        mu[i] = k_select(touches, at.friction, mu[i]);
        float leaves = grip_back(field_at(v, i), at.way, n, substep, at.reflection, least);
        back[i] = k_select(touches, leaves, back[i]);
        hold[i] = k_select(grips, pressure, hold[i]);
        held |= touches;
    }
    return held;
}

/* Of a texel and those around it. */
static inline float blurred(const float *restrict a, ptrdiff_t k, ptrdiff_t up) {
    return grip_blur(grip_blur(a[k - up - 1], a[k - up], a[k - up + 1]),
                     grip_blur(a[k - 1], a[k], a[k + 1]),
                     grip_blur(a[k + up - 1], a[k + up], a[k + up + 1]));
}

static void blur_limit(const pass_args *args, size_t first) {
    const cycle_planes *c = &args->cycle->levels[0].at;
    const float *restrict limit = c->limit + first;
    const float *restrict inertia = args->cycle->tables->inertia + first;
    float *restrict most = c->most + first;
    const ptrdiff_t up = args->state->grid.stride;
    const int columns = row_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        most[i] = grip_blurred(inertia[i], blurred(limit, i, up), blurred(inertia, i, up));
    }
}

void CPU_FN(glue_row)(const pass_args *args, int row) {
    const size_t first = grid_index(&args->state->grid, 0, row);
    const cycle_planes *c = &args->cycle->levels[0].at;
    const float *restrict inverse = args->cycle->levels[0].matrix->plane[MATRIX_INVERSE] + first;
    const field against = field_from(c->nx, c->ny, c->nz, first);
    const field normal = field_from(c->sx, c->sy, c->sz, first);
    const float *restrict hold = c->hold + first;
    float *restrict glue = c->glue + first;
    const float spacing = args->params->spacing;
    const int columns = row_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        float same = v3_dot(field_at(against, i), field_at(normal, i));
        glue[i] = grip_glue(hold[i], same, spacing, inverse[i]);
    }
}

void CPU_FN(rub_row)(const pass_args *args, size_t first, float corrected) {
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field kept = field_from(c->fx, c->fy, c->fz, first);
    const field gone = field_from(c->gx, c->gy, c->gz, first);
    const field e = field_from(c->ex, c->ey, c->ez, first);
    const field normal = field_from(c->nx, c->ny, c->nz, first);
    const float *restrict inertia = args->cycle->tables->inertia + first;
    const float *restrict most = c->most + first, *restrict gap = c->gap + first;
    float *restrict rx = c->rx + first, *restrict ry = c->ry + first, *restrict rz = c->rz + first;
    const int columns = row_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 way = v3_madd(field_at(gone, i), field_at(e, i), corrected);
        v3 slid = along_surface(way, field_at(normal, i));
        v3 friction = grip_friction(field_at(kept, i), slid, inertia[i], most[i]);
        bool touched = gap[i] < FLT_MAX;
        rx[i] += k_select(touched, friction.x, 0.0f);
        ry[i] += k_select(touched, friction.y, 0.0f);
        rz[i] += k_select(touched, friction.z, 0.0f);
    }
}

/* The columns of a vector each that are within reach of a body, added to a span. */
__attribute__((always_inline)) static inline void span_by(const pass_args *args, size_t first,
                                                          toucher by, int32_t span[2]) {
    const level_planes *l = &args->hierarchy->levels[0].at;
    const field x = field_from(l->x, l->y, l->z, first);
    const float reach = by.contact->distance + REACH * args->params->spacing;
    for (int vector = by.contact->begin; vector < by.contact->end; vector += GRID_VECTOR) {
        float gaps[GRID_VECTOR], least = FLT_MAX;
#pragma omp simd
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            v3 p = field_at(x, vector + lane);
            gaps[lane] = by.distance_to(to_shape(&by.contact->shape, p), by.contact->shape.size).w;
        }
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            least = k_min(least, gaps[lane]);
        }
        if (least < reach) {
            span[0] = vector < span[0] ? vector : span[0];
            span[1] = vector + GRID_VECTOR > span[1] ? vector + GRID_VECTOR : span[1];
        }
    }
}

typedef int grip_function(const pass_args *args, size_t first, level_plane from,
                          const contact_args *contact);
typedef void span_function(const pass_args *args, size_t first, const contact_args *contact,
                           int32_t span[2]);

#define GRIP(KIND, name)                                                                           \
    static int grip_##name(const pass_args *args, size_t first, level_plane from,                  \
                           const contact_args *contact) {                                          \
        return grip_by(args, first, from, (toucher){contact, name##_distance});                    \
    }                                                                                              \
    static void span_##name(const pass_args *args, size_t first, const contact_args *contact,      \
                            int32_t span[2]) {                                                     \
        span_by(args, first, (toucher){contact, name##_distance}, span);                           \
    }
SHAPES(GRIP)

#define GRIP_OF(KIND, name) [TOILE_SHAPE_##KIND] = grip_##name,
static grip_function *const grips[] = {SHAPES(GRIP_OF)};
#define SPAN_OF(KIND, name) [TOILE_SHAPE_##KIND] = span_##name,
static span_function *const spans[] = {SHAPES(SPAN_OF)};

/* Are there planes of meshes for texels of the row? */
static bool has_meshes(const pass_args *args, int row) {
    return args->cycle->clear && !args->plan->coarse_only && args->cycle->row_meshes[row];
}

/* The contact of some columns of a row with a shape, if it may touch it. */
static bool contact_of(const pass_args *args, int row, int b, int begin, int end,
                       contact_args *out) {
    const cloth_params *p = args->params;
    *out = (contact_args){args->plan->bodies[b].shape[args->parity], p->contact_distance[b],
                          p->contact_friction[b], begin, end};
    return begin < end && !args->plan->coarse_only && !args->plan->bodies[b].solid &&
           is_near(&args->state->row_box[row], &out->shape, out->distance + REACH * p->spacing);
}

/* All of a row, for the planes of meshes. */
static contact_args whole_row(const pass_args *args) {
    return (contact_args){.end = row_floats(&args->state->grid)};
}

bool CPU_FN(is_near_bodies)(const pass_args *args, int row) {
    const int32_t *span = &args->cycle->row_span[2 * row];
    return span[0] < span[1] || has_meshes(args, row);
}

/* Rows that are not near bodies are held by none, which is not said again in each iteration. */
static void let_go(const pass_args *args, int row) {
    const cycle_planes *c = &args->cycle->levels[0].at;
    const size_t first = grid_index(&args->state->grid, 0, row);
    const size_t bytes = (size_t)row_floats(&args->state->grid) * sizeof(float);
    memset(c->glue + first, 0, bytes);
    memset(c->hold + first, 0, bytes);
}

void CPU_FN(span_row)(const pass_args *args, int row) {
    int32_t *span = &args->cycle->row_span[2 * row];
    const int columns = row_floats(&args->state->grid);
    const bool was_near = span[0] < span[1] || args->cycle->clear;
    span[0] = columns;
    span[1] = 0;
    for (int b = 0; b < args->plan->body_count; b++) {
        contact_args contact;
        if (contact_of(args, row, b, 0, columns, &contact)) {
            spans[contact.shape.kind](args, grid_index(&args->state->grid, 0, row), &contact, span);
        }
    }
    if (was_near && (args->iteration == 0 || !CPU_FN(is_near_bodies)(args, row))) {
        let_go(args, row);
    }
}

bool CPU_FN(grip_row)(const pass_args *args, int row, level_plane from) {
    const size_t first = grid_index(&args->state->grid, 0, row);
    const int32_t *span = &args->cycle->row_span[2 * row];
    int held = 0;
    if (!CPU_FN(is_near_bodies)(args, row)) {
        return false;
    }
    memset(args->cycle->levels[0].at.hold + first, 0,
           (size_t)row_floats(&args->state->grid) * sizeof(float));
    if (from == LEVEL_x && args->iteration == 0) {
        blur_limit(args, first);
    }
    for (int i = 0; i < row_floats(&args->state->grid); i++) {
        args->cycle->levels[0].at.gap[first + (size_t)i] = FLT_MAX;
    }
    for (int b = 0; b < args->plan->body_count; b++) {
        contact_args contact;
        if (contact_of(args, row, b, span[0], span[1], &contact)) {
            held |= grips[contact.shape.kind](args, first, from, &contact);
        }
    }
    if (has_meshes(args, row)) {
        const contact_args whole = whole_row(args);
        held |= grip_by(args, first, from, (toucher){&whole, NULL});
    }
    if (held) {
        CPU_FN(rub_row)(args, first, 0.0f);
    }
    return held != 0;
}

/* Friction at the end of the substep. A texel that is not pressed now loses it in some substeps;
 * one that left, at once. */
static void keep_row(const pass_args *args, size_t first) {
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field normal = field_from(c->nx, c->ny, c->nz, first);
    const field gone = field_from(c->gx, c->gy, c->gz, first);
    const float *restrict inertia = args->cycle->tables->inertia + first;
    const float *restrict gap = c->gap + first, *restrict press = c->press + first,
                          *restrict mu = c->mu + first, *restrict most = c->most + first;
    const float *restrict hold = c->hold + first;
    float *restrict fx = c->fx + first, *restrict fy = c->fy + first, *restrict fz = c->fz + first;
    float *restrict limit = c->limit + first;
    const float follow = args->plan->grip_follow;
    const int columns = row_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        bool touched = gap[i] < FLT_MAX;
        v3 slid = v3_select(touched, along_surface(field_at(gone, i), field_at(normal, i)),
                            v3_make(0.0f, 0.0f, 0.0f));
        float pressed =
            grip_reaction(press[i], field_at(normal, i), field_at(gone, i), inertia[i], hold[i]);
        limit[i] = grip_limit(limit[i], k_select(touched, mu[i] * pressed, 0.0f), follow);
        v3 f = grip_friction(v3_make(fx[i], fy[i], fz[i]), slid, inertia[i], most[i]);
        fx[i] = f.x;
        fy[i] = f.y;
        fz[i] = f.z;
    }
}

/* What is left of the way of a row's texels against the surface, in the whole substep. */
static void end_row(const pass_args *args, size_t first) {
    const cycle_planes *c = &args->cycle->levels[0].at;
    const level_planes *l = &args->hierarchy->levels[0].at;
    const int columns = row_floats(&args->state->grid);
    for (int axis = 0; axis < 3; axis++) {
        const float *restrict x = l->plane[LEVEL_x + axis] + first;
        const float *restrict q = l->plane[LEVEL_qx + axis] + first;
        float *restrict gone = c->plane[CYCLE_gx + axis] + first;
#pragma omp simd
        for (int i = 0; i < columns; i++) {
            gone[i] += x[i] - q[i];
        }
    }
}

/* A texel that a body holds goes on with it, and gives nothing back of the blow: what of its
 * velocity leads to the surface or from it is taken out. Where it will be stays, by moving where it
 * was. */
static void settle_row(const pass_args *args, size_t first) {
    const cloth_planes *s = &args->state->at;
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field normal = field_from(c->nx, c->ny, c->nz, first);
    const field gone = field_from(c->gx, c->gy, c->gz, first);
    const float *restrict hold = c->hold + first;
    const float rate = 1.0f / args->plan->substep;
    float *restrict x = s->x + first, *restrict y = s->y + first, *restrict z = s->z + first;
    float *restrict vx = s->vx + first, *restrict vy = s->vy + first, *restrict vz = s->vz + first;
    const int columns = row_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 n = field_at(normal, i);
        float came = k_select(hold[i] > 0.0f, v3_dot(field_at(gone, i), n), 0.0f);
        x[i] += came * n.x;
        y[i] += came * n.y;
        z[i] += came * n.z;
        vx[i] -= came * rate * n.x;
        vy[i] -= came * rate * n.y;
        vz[i] -= came * rate * n.z;
    }
}

void CPU_FN(keep_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_planes *c = &args->cycle->levels[0].at;
    for (int row = row_begin; row < row_end; row++) {
        const size_t first = grid_index(&args->state->grid, 0, row);
        const int32_t *span = &args->cycle->row_span[2 * row];
        if (span[0] < span[1] || has_meshes(args, row)) {
            end_row(args, first);
            keep_row(args, first);
            settle_row(args, first);
        } else {
            for (int p = CYCLE_fx; p <= CYCLE_limit; p++) {
                memset(c->plane[p] + first, 0,
                       (size_t)row_floats(&args->state->grid) * sizeof(float));
            }
        }
    }
}

/* Held texels of a row leave bodies that reflect. */
static void rebound_row(const pass_args *args, size_t first) {
    const cloth_planes *s = &args->state->at;
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field normal = field_from(c->nx, c->ny, c->nz, first);
    const float *restrict hold = c->hold + first, *restrict back = c->back + first;
    float *restrict vx = s->vx + first, *restrict vy = s->vy + first, *restrict vz = s->vz + first;
    const int columns = row_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 leaves = v3_scale(field_at(normal, i), k_select(hold[i] > 0.0f, back[i], 0.0f));
        vx[i] += leaves.x;
        vy[i] += leaves.y;
        vz[i] += leaves.z;
    }
}

void CPU_FN(rebound_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        if (args->cycle->levels[0].row_held[row]) {
            rebound_row(args, grid_index(&args->state->grid, 0, row));
        }
    }
}
