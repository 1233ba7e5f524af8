/* Rest curvature: the force of a fabric that bends by itself, before the solve of a substep
 * (kernel/bend.h). */
#include "cpu/bending.h"

static bool has_curvature(const cloth_params *p) {
    return p->curl_u != 0.0f || p->curl_v != 0.0f;
}

/* The way between the neighbours of a texel along a thread, as much as its halves weigh. */
__attribute__((always_inline)) static inline v3
thread_way(field x, const float *restrict c, ptrdiff_t k, ptrdiff_t next, ptrdiff_t side) {
    thread_weights w = weights_along(c, k, next, side);
    v3 here = field_at(x, k);
    return v3_sub(v3_scale(v3_sub(field_at(x, k + next), here), w.after),
                  v3_scale(v3_sub(field_at(x, k - next), here), w.before));
}

static void normal_row(const pass_args *args, size_t first) {
    const level_planes *l = &args->hierarchy->levels[0].at;
    const implicit_planes *to = &args->implicit->at;
    const field x = field_from(l->x, l->y, l->z, first);
    const float *restrict c = args->state->at.coverage + first;
    float *restrict sx = to->sx + first, *restrict sy = to->sy + first,
                    *restrict sz = to->sz + first;
    const ptrdiff_t up = args->state->grid.stride;
    const int columns = grid_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 normal = bend_normal(thread_way(x, c, i, 1, up), thread_way(x, c, i, up, 1));
        sx[i] = normal.x;
        sy[i] = normal.y;
        sz[i] = normal.z;
    }
}

/* Where velocities lead. */
void CPU_FN(normal_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end && has_curvature(args->params); row++) {
        normal_row(args, grid_index(&args->state->grid, 0, row));
    }
}

__attribute__((always_inline)) static inline v3
curl_along(field n, const float *restrict c, ptrdiff_t k, ptrdiff_t next, ptrdiff_t side) {
    thread_weights w = weights_along(c, k, next, side);
    return bend_gradient(field_at(n, k - next), field_at(n, k), field_at(n, k + next),
                         w.bend_before, w.bend_here, w.bend_after);
}

static void curl_row(const pass_args *args, size_t first) {
    const cloth_planes *s = &args->state->at;
    const implicit_planes *from = &args->implicit->at;
    const field n = field_from(from->sx, from->sy, from->sz, first);
    const float *restrict c = s->coverage + first, *restrict inverse_mass = s->inverse_mass + first;
    float *restrict vx = s->vx + first, *restrict vy = s->vy + first, *restrict vz = s->vz + first;
    const float substep = args->plan->substep;
    const float curl_u = args->params->curl_u, curl_v = args->params->curl_v;
    const ptrdiff_t up = args->state->grid.stride;
    const int columns = grid_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 force =
            bend_rest_force(curl_along(n, c, i, 1, up), curl_along(n, c, i, up, 1), curl_u, curl_v);
        float gain = substep * inverse_mass[i];
        vx[i] += gain * force.x;
        vy[i] += gain * force.y;
        vz[i] += gain * force.z;
    }
}

void CPU_FN(curl_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end && has_curvature(args->params); row++) {
        curl_row(args, grid_index(&args->state->grid, 0, row));
    }
}
