/* Forces of springs, bending, wind and gravity: one texel gathers from its twelve neighbours, so no
 * two threads write the same place. Sums run in mirrored pairs: (left + right) + (below + above),
 * so a cloth that is its own mirror image stays so to the bit. */
#include "kernel/spring.h"
#include "cpu/bending.h"

static inline v3 spring_to(field x, field v, ptrdiff_t k, ptrdiff_t to, v3 here, v3 here_v,
                           float rest, float stiffness, float retardation) {
    v3 d = v3_sub(field_at(x, k + to), here);
    v3 rate = v3_sub(field_at(v, k + to), here_v);
    return spring_force(d, rate, rest, stiffness, retardation);
}

/* The force of all springs on a texel. */
static inline v3 springs_at(const cloth_params *p, field x, field v, const float *restrict c,
                            ptrdiff_t k, ptrdiff_t up, thread_weights wu, thread_weights wv) {
    v3 here = field_at(x, k), here_v = field_at(v, k);
    float t = p->stretch_retardation, h = p->spacing, g = p->diagonal;
    float ku = p->stretch_u, kv = p->stretch_v, ks = p->shear;
    v3 along_u = v3_add(spring_to(x, v, k, -1, here, here_v, h, ku * wu.before, t),
                        spring_to(x, v, k, 1, here, here_v, h, ku * wu.after, t));
    v3 along_v = v3_add(spring_to(x, v, k, -up, here, here_v, h, kv * wv.before, t),
                        spring_to(x, v, k, up, here, here_v, h, kv * wv.after, t));
    v3 rising = v3_add(spring_to(x, v, k, 1 + up, here, here_v, g, ks * c[k], t),
                       spring_to(x, v, k, -1 - up, here, here_v, g, ks * c[k - 1 - up], t));
    v3 falling = v3_add(spring_to(x, v, k, up - 1, here, here_v, g, ks * c[k - 1], t),
                        spring_to(x, v, k, 1 - up, here, here_v, g, ks * c[k - up], t));
    return v3_add(v3_add(along_u, along_v), v3_add(rising, falling));
}

/* How long the threads to the right and up are, over their rest length; 0 where there is none. */
static inline float stretch_at(field x, ptrdiff_t k, ptrdiff_t up, float weight_u, float weight_v,
                               float inverse_spacing) {
    v3 here = field_at(x, k);
    v3 right = v3_sub(field_at(x, k + 1), here), above = v3_sub(field_at(x, k + up), here);
    float u = k_select(weight_u > 0.0f, v3_dot(right, right), 0.0f);
    float v = k_select(weight_v > 0.0f, v3_dot(above, above), 0.0f);
    return k_sqrt(k_max(u, v)) * inverse_spacing;
}

static float spring_row(const pass_args *args, size_t first) {
    const cloth_params *p = args->params;
    const step_plan *plan = args->plan;
    const cloth_planes *s = &args->state->at;
    field x = field_from(s->x, s->y, s->z, first), v = field_from(s->vx, s->vy, s->vz, first);
    const bent_field bent = {x, v, p->bend_retardation, BENT_BY_VELOCITY};
    field wind = field_from(s->sx, s->sy, s->sz, first);
    const float *restrict c = s->coverage + first, *restrict inverse_mass = s->inverse_mass + first;
    float *restrict ax = s->ax + first, *restrict ay = s->ay + first, *restrict az = s->az + first;
    const ptrdiff_t up = args->state->grid.stride;
    const float inverse_spacing = 1.0f / p->spacing;
    const float blows = plan->wind.on ? 0.25f : 0.0f;
    const int columns = grid_floats(&args->state->grid);
    float longest = 0.0f;
#pragma omp simd reduction(max : longest)
    for (int i = 0; i < columns; i++) {
        ptrdiff_t k = i;
        thread_weights wu = weights_along(c, k, 1, up), wv = weights_along(c, k, up, 1);
        v3 force = springs_at(p, x, v, c, k, up, wu, wv);
        v3 bend = bending_at(bent, c, k, up, wu, wv);
        force = v3_sub(force, v3_scale(bend, p->bend));
        v3 cells = v3_add(v3_add(field_at(wind, k), field_at(wind, k - 1 - up)),
                          v3_add(field_at(wind, k - 1), field_at(wind, k - up)));
        force = v3_madd(force, cells, blows);
        v3 a = v3_madd(plan->gravity, force, inverse_mass[i]);
        ax[i] = a.x;
        ay[i] = a.y;
        az[i] = a.z;
        longest = k_max(longest, stretch_at(x, k, up, wu.after, wv.after, inverse_spacing));
    }
    return longest;
}

void CPU_FN(spring_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        args->state->row_stretch[row] = spring_row(args, grid_index(&args->state->grid, 0, row));
    }
}
