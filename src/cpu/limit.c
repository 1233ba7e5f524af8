/* The elongation limit as Jacobi passes: every texel gathers the corrections of its four threads.
 */
#include "kernel/limit.h"
#include "cpu/passes.h"
#include "kernel/spring.h"

typedef enum limit_kind { LIMIT_LENGTH, LIMIT_RATE } limit_kind;

typedef struct limit_args {
    limit_kind kind;
    float longest, substep;
} limit_args;

static inline v3 correction_from(field x, field v, const float *restrict mass, ptrdiff_t k,
                                 ptrdiff_t to, float weight, limit_args limit) {
    v3 d = v3_sub(field_at(x, k + to), field_at(x, k));
    v3 rate = v3_sub(field_at(v, k + to), field_at(v, k));
    float own = k_select(weight > 0.0f, mass[k], 0.0f);
    return limit.kind == LIMIT_RATE
               ? limit_rate_correction(d, rate, limit.longest, own, mass[k + to])
               : limit_correction(d, rate, limit.longest, limit.substep, own, mass[k + to]);
}

/* Inlined for each kind, so that the loop need not ask. */
__attribute__((always_inline)) static inline void limit_row(const pass_args *args, size_t first,
                                                            plane from, plane to, limit_kind kind) {
    const cloth_planes *s = &args->state->at;
    field x = field_from(s->x, s->y, s->z, first);
    field v = field_from(s->plane[from], s->plane[from + 1], s->plane[from + 2], first);
    float *restrict ox = s->plane[to] + first, *restrict oy = s->plane[to + 1] + first,
                    *restrict oz = s->plane[to + 2] + first;
    const float *restrict mass = s->inverse_mass + first, *restrict c = s->coverage + first;
    const ptrdiff_t up = args->state->grid.stride;
    const limit_args limit = {kind, args->params->longest, args->plan->substep};
    const int columns = grid_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        ptrdiff_t k = i;
        float left = thread_weight(c[k - 1], c[k - 1 - up]), right = thread_weight(c[k], c[k - up]);
        float below = thread_weight(c[k - up], c[k - up - 1]),
              above = thread_weight(c[k], c[k - 1]);
        v3 along_u = v3_add(correction_from(x, v, mass, k, -1, left, limit),
                            correction_from(x, v, mass, k, 1, right, limit));
        v3 along_v = v3_add(correction_from(x, v, mass, k, -up, below, limit),
                            correction_from(x, v, mass, k, up, above, limit));
        v3 out = v3_madd(field_at(v, k), v3_add(along_u, along_v), LIMIT_RELAXATION);
        ox[i] = out.x;
        oy[i] = out.y;
        oz[i] = out.z;
    }
}

void CPU_FN(limit_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        limit_row(args, grid_index(&args->state->grid, 0, row), PLANE_vx, PLANE_sx, LIMIT_LENGTH);
    }
}

void CPU_FN(limit_back_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        limit_row(args, grid_index(&args->state->grid, 0, row), PLANE_sx, PLANE_vx, LIMIT_LENGTH);
    }
}

void CPU_FN(rest_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        limit_row(args, grid_index(&args->state->grid, 0, row), PLANE_vx, PLANE_sx, LIMIT_RATE);
    }
}

void CPU_FN(rest_back_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        limit_row(args, grid_index(&args->state->grid, 0, row), PLANE_sx, PLANE_vx, LIMIT_RATE);
    }
}
