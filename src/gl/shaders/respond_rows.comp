#version 430 core
/* Texels that get to one of several bodies. A work group has a row, for the sweeps of a row end
 * together, as in cpu/contact.c. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/respond.glsl"

layout(local_size_x = GROUP_ROW) in;

/* The first and the last body that a texel of the row touches in a sweep. */
shared int lowest, highest;

void respond_texel(int k) {
    vec3 p = state_at(PLANE_x, k), v = state_at(PLANE_vx, k);
    for (int body = 0; body < cloth.body_count; body++) {
        if (!shape_of(body).solid && respond(k, body, p, v)) {
            atomicMin(lowest, body);
            atomicMax(highest, body);
        }
    }
    set_state(PLANE_x, k, p);
    set_state(PLANE_vx, k, v);
}

void main() {
    int row = int(gl_WorkGroupID.x), own = int(gl_LocalInvocationID.x);
    for (int sweep = 0; sweep < CONTACT_SWEEPS; sweep++) {
        if (own == 0) {
            lowest = cloth.body_count;
            highest = -1;
        }
        barrier();
        for (int column = own; column < cloth.grid.columns; column += GROUP_ROW) {
            int k = index_of(cloth.grid, column, row);
            if (plane_at(PLANE_inverse_mass, k) > 0.0) {
                respond_texel(k);
            }
        }
        barrier();
        bool several = lowest < highest;
        barrier();
        if (!several) {
            break;
        }
    }
}
