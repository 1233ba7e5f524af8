/* Response of texels to their contact planes, body by body. */
#include "kernel/contact.h"
#include "cpu/passes.h"

static void respond_row(const pass_args *args, size_t first, int b) {
    const cloth_planes *s = &args->state->at;
    const shape_args body = args->plan->bodies[b].shape[args->parity];
    const float friction = args->params->contact_friction[b], substep = args->plan->substep;
    const int32_t *restrict tag = args->state->contact_body + first;
    const float *restrict offset = s->contact_offset + first, *restrict mass =
                                                                  s->inverse_mass + first;
    field normals = field_from(s->ax, s->ay, s->az, first);
    float *restrict x = s->x + first, *restrict y = s->y + first, *restrict z = s->z + first;
    float *restrict vx = s->vx + first, *restrict vy = s->vy + first, *restrict vz = s->vz + first;
    const int columns = args->state->grid.stride;
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        bool touches = (tag[i] == b + 1) & (mass[i] > 0.0f);
        v3 p = v3_make(x[i], y[i], z[i]), v = v3_make(vx[i], vy[i], vz[i]),
           n = field_at(normals, i);
        v3 surface = contact_surface_velocity(body.velocity, body.spin, v3_sub(p, body.center));
        float gap = contact_gap(p, n, offset[i], surface, substep);
        v3 after = contact_velocity(v, n, gap, surface, friction, body.reflection, substep);
        v3 out =
            v3_madd(p, n, k_max(-gap, 0.0f)); /* a texel inside is put on the surface, not thrown */
        x[i] = k_select(touches, out.x, p.x);
        y[i] = k_select(touches, out.y, p.y);
        z[i] = k_select(touches, out.z, p.z);
        vx[i] = k_select(touches, after.x, v.x);
        vy[i] = k_select(touches, after.y, v.y);
        vz[i] = k_select(touches, after.z, v.z);
    }
}

void CPU_FN(respond_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        if (!args->state->row_contact[row]) {
            continue;
        }
        for (int b = 0; b < args->plan->body_count; b++) {
            respond_row(args, grid_index(&args->state->grid, 0, row), b);
        }
    }
}
