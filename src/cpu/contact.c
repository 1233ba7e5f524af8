/* Contact of texels with bodies: which rows are near one, and the response of their texels. */
#include "kernel/contact.h"
#include "cpu/shapes.h"

/* Where the free texels of a row are and will be along an axis. The lanes are written out: not
 * every compiler turns the smallest of floats into vectors by itself. */
static void extent_of_row(const pass_args *args, size_t first, int axis, float *low, float *high) {
    const cloth_planes *s = &args->state->at;
    const float *restrict x = s->plane[PLANE_x + axis] + first;
    const float *restrict v = s->plane[PLANE_vx + axis] + first;
    const float *restrict mass = s->inverse_mass + first;
    const float substep = args->plan->substep;
    const int columns = grid_floats(&args->state->grid);
    float lows[GRID_VECTOR], highs[GRID_VECTOR];
    for (int lane = 0; lane < GRID_VECTOR; lane++) {
        lows[lane] = FLT_MAX;
        highs[lane] = -FLT_MAX;
    }
    for (int i = 0; i < columns; i += GRID_VECTOR) {
#pragma omp simd
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            bool free = mass[i + lane] > 0.0f;
            float here = x[i + lane], ahead = here + v[i + lane] * substep;
            lows[lane] = k_min(lows[lane], k_select(free, k_min(here, ahead), FLT_MAX));
            highs[lane] = k_max(highs[lane], k_select(free, k_max(here, ahead), -FLT_MAX));
        }
    }
    *low = FLT_MAX;
    *high = -FLT_MAX;
    for (int lane = 0; lane < GRID_VECTOR; lane++) {
        *low = k_min(*low, lows[lane]);
        *high = k_max(*high, highs[lane]);
    }
}

static row_box box_of_row(const pass_args *args, size_t first) {
    row_box box;
    extent_of_row(args, first, 0, &box.low.x, &box.high.x);
    extent_of_row(args, first, 1, &box.low.y, &box.high.y);
    extent_of_row(args, first, 2, &box.low.z, &box.high.z);
    return box;
}

void CPU_FN(detect_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        args->state->row_box[row] = box_of_row(args, grid_index(&args->state->grid, 0, row));
    }
}

/* How far shapes have moved texels on coarse levels; without levels anything finite, times 0. */
static const float *push_at(const pass_args *args, size_t first) {
    bool levels_there = args->hierarchy->count > 0;
    return (levels_there ? args->hierarchy->levels[0].at.push : args->state->at.inverse_mass) +
           first;
}

/* Inlined for each shape, for a loop that calls through a pointer has no vectors. Returns whether a
 * texel touched. */
__attribute__((always_inline)) static inline int respond_row(const pass_args *args, size_t first,
                                                             const contact_args *contact,
                                                             distance_function *distance_to) {
    const cloth_planes *s = &args->state->at;
    const contact_args c = *contact;
    const float substep = args->plan->substep, reflection = c.shape.reflection;
    const float *restrict mass = s->inverse_mass + first;
    float *restrict x = s->x + first, *restrict y = s->y + first, *restrict z = s->z + first;
    float *restrict vx = s->vx + first, *restrict vy = s->vy + first, *restrict vz = s->vz + first;
    const float *restrict push = push_at(args, first);
    const float press = args->hierarchy->count > 0 ? 1.0f / substep : 0.0f;
    int touched = 0;
#pragma omp simd reduction(| : touched)
    for (int i = c.begin; i < c.end; i++) {
        v3 p = v3_make(x[i], y[i], z[i]), v = v3_make(vx[i], vy[i], vz[i]);
        v3 ahead = v3_madd(p, v, substep);
        v4 hit = distance_to(to_shape(&c.shape, ahead), c.shape.size);
        v3 n = from_shape(&c.shape, v4_xyz(hit));
        v3 arm = v3_sub(ahead, c.shape.center);
        v3 surface = contact_surface_velocity(c.shape.velocity, c.shape.spin, arm);
        float gap = contact_gap(p, ahead, hit.w - c.distance, n, surface, substep);
        bool free = mass[i] > 0.0f;
        bool reached = free & contact_reached(v, n, gap, surface, substep);
        float shift = k_select(free, contact_shift(gap, reached, reflection), 0.0f);
        /* What coarse levels pushed out is on the surface, or was pulled off it again. */
        float near = k_select(gap < c.distance, push[i] * press, 0.0f);
        float pressure = k_select(free, near, 0.0f), rubs = k_select(reached, 1.0f, pressure);
        v3 after = contact_velocity(v, n, surface, reached, pressure, c.friction, reflection);
        x[i] = p.x + n.x * shift;
        y[i] = p.y + n.y * shift;
        z[i] = p.z + n.z * shift;
        vx[i] = k_select(rubs > 0.0f, after.x, v.x);
        vy[i] = k_select(rubs > 0.0f, after.y, v.y);
        vz[i] = k_select(rubs > 0.0f, after.z, v.z);
        touched |= reached | (free & (gap < 0.0f));
    }
    return touched;
}

typedef int respond_function(const pass_args *args, size_t first, const contact_args *contact);

#define RESPOND(KIND, name)                                                                        \
    static int respond_##name(const pass_args *args, size_t first, const contact_args *contact) {  \
        return respond_row(args, first, contact, name##_distance);                                 \
    }
SHAPES(RESPOND)

#define RESPONSE(KIND, name) [TOILE_SHAPE_##KIND] = respond_##name,
static respond_function *const responses[] = {SHAPES(RESPONSE)};

/* One sweep over the bodies; returns how many were touched. */
static int respond_to_all(const pass_args *args, int row) {
    const cloth_params *p = args->params;
    int count = 0;
    for (int b = 0; b < args->plan->body_count; b++) {
        const contact_args contact = {args->plan->bodies[b].shape[args->parity],
                                      p->contact_distance[b], p->contact_friction[b], 0,
                                      grid_floats(&args->state->grid)};
        if (!args->plan->bodies[b].solid && is_near(&args->state->row_box[row], &contact.shape,
                                                    contact.distance + p->contact_reach)) {
            size_t first = grid_index(&args->state->grid, 0, row);
            count += responses[contact.shape.kind](args, first, &contact);
        }
    }
    return count;
}

void CPU_FN(respond_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        for (int sweep = 0; sweep < CONTACT_SWEEPS && respond_to_all(args, row) > 1; sweep++) {
        }
    }
}

typedef void project_function(const pass_args *args, size_t first, const contact_args *contact);

/* Coarse levels: what relaxation has pulled below the surface, or deeper below it, goes back. A
 * texel that was inside before stays there: the mean of texels on a ball is inside it. Friction and
 * the rest of the response are left to the finest level, by respond_rows, which is told how hard it
 * was: most of the pressure of cloth that is pulled against a body is felt here. Without that a
 * square slid off a sphere that held it with friction. */
__attribute__((always_inline)) static inline void project_row(const pass_args *args, size_t first,
                                                              const contact_args *contact,
                                                              distance_function *distance_to) {
    const level_state *l = &args->hierarchy->levels[args->level];
    const contact_args c = *contact;
    const float *restrict mass = l->inverse_mass + first;
    const field before = field_from(l->at.bx, l->at.by, l->at.bz, first);
    float *restrict x = l->at.x + first, *restrict y = l->at.y + first,
                    *restrict z = l->at.z + first, *restrict push = l->at.push + first;
#pragma omp simd
    for (int i = c.begin; i < c.end; i++) {
        v3 p = v3_make(x[i], y[i], z[i]);
        v4 hit = distance_to(to_shape(&c.shape, p), c.shape.size);
        float was = distance_to(to_shape(&c.shape, field_at(before, i)), c.shape.size).w;
        v3 n = from_shape(&c.shape, v4_xyz(hit));
        float out = contact_push(hit.w - k_min(was, c.distance));
        out = k_select(mass[i] > 0.0f, out, 0.0f);
        x[i] = p.x + n.x * out;
        y[i] = p.y + n.y * out;
        z[i] = p.z + n.z * out;
        push[i] += out;
    }
}

#define PROJECT(KIND, name)                                                                        \
    static void project_##name(const pass_args *args, size_t first, const contact_args *contact) { \
        project_row(args, first, contact, name##_distance);                                        \
    }
SHAPES(PROJECT)

#define PROJECTION(KIND, name) [TOILE_SHAPE_##KIND] = project_##name,
static project_function *const projections[] = {SHAPES(PROJECTION)};

static row_box box_of_level_row(const level_state *l, size_t first) {
    row_box box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (int i = 0; i < l->table->grid.columns; i++) {
        size_t k = first + (size_t)i;
        if (l->inverse_mass[k] > 0.0f) {
            v3 p = v3_make(l->at.x[k], l->at.y[k], l->at.z[k]);
            box.low = v3_make(k_min(box.low.x, p.x), k_min(box.low.y, p.y), k_min(box.low.z, p.z));
            box.high =
                v3_make(k_max(box.high.x, p.x), k_max(box.high.y, p.y), k_max(box.high.z, p.z));
        }
    }
    return box;
}

void CPU_FN(project_out_rows)(const pass_args *args, int row_begin, int row_end) {
    const level_state *l = &args->hierarchy->levels[args->level];
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&l->table->grid, 0, row);
        row_box box = box_of_level_row(l, first);
        for (int b = 0; b < args->plan->body_count; b++) {
            const contact_args contact = {
                args->plan->bodies[b].shape[args->parity], args->params->contact_distance[b],
                args->params->contact_friction[b], 0, grid_floats(&l->table->grid)};
            if (!args->plan->bodies[b].solid && is_near(&box, &contact.shape, contact.distance)) {
                projections[contact.shape.kind](args, first, &contact);
            }
        }
    }
}
