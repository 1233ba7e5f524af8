/* Wind on the cells. A cell is cut along both diagonals, each pair of triangles at half weight, so
 * that no diagonal is preferred. */
#include "kernel/wind.h"
#include "cpu/passes.h"

static inline v3 corner_force(v3 a, v3 b, v3 c, v3 wind, float drag, float lift) {
    return v3_scale(wind_force(a, b, c, wind, drag, lift), 0.5f);
}

static void wind_row(const pass_args *args, size_t first) {
    const wind_args *w = &args->plan->wind;
    const cloth_planes *s = &args->state->at;
    field x = field_from(s->x, s->y, s->z, first), v = field_from(s->vx, s->vy, s->vz, first);
    const float *restrict c = s->coverage + first;
    float *restrict sx = s->sx + first, *restrict sy = s->sy + first, *restrict sz = s->sz + first;
    const ptrdiff_t up = args->state->grid.stride;
    const int cells = args->state->grid.stride;
    const v3 wind = w->velocity[args->parity];
    const float drag = w->drag, lift = w->lift;
    const float cell_mass = args->params->cell_mass, substep = args->plan->substep;
#pragma omp simd
    for (int i = 0; i < cells; i++) {
        v3 x00 = field_at(x, i), x10 = field_at(x, i + 1), x01 = field_at(x, i + up),
           x11 = field_at(x, i + 1 + up);
        v3 sum = v3_add(v3_add(field_at(v, i), field_at(v, i + 1 + up)),
                        v3_add(field_at(v, i + 1), field_at(v, i + up)));
        v3 relative = v3_madd(wind, sum, -0.25f);
        v3 rising = v3_add(corner_force(x00, x10, x11, relative, drag, lift),
                           corner_force(x11, x01, x00, relative, drag, lift));
        v3 falling = v3_add(corner_force(x10, x11, x01, relative, drag, lift),
                            corner_force(x01, x00, x10, relative, drag, lift));
        v3 force = wind_limit(v3_add(rising, falling), relative, cell_mass, substep);
        force = v3_scale(force, c[i]);
        sx[i] = force.x;
        sy[i] = force.y;
        sz[i] = force.z;
    }
}

static void clear_row(const pass_args *args, int row) {
    const cloth_planes *s = &args->state->at;
    size_t first = grid_index(&args->state->grid, 0, row);
    for (int i = 0; i < args->state->grid.stride; i++) {
        s->sx[first + (size_t)i] = s->sy[first + (size_t)i] = s->sz[first + (size_t)i] = 0.0f;
    }
}

void CPU_FN(wind_rows)(const pass_args *args, int row_begin, int row_end) {
    int last = args->state->grid.rows - 1;
    for (int row = row_begin; row < row_end; row++) {
        if (row < last) {
            wind_row(args, grid_index(&args->state->grid, 0, row));
        } else {
            clear_row(args, row);
        }
    }
}
