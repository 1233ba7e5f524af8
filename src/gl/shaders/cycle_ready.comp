#version 430 core
/* Positions ahead by the retardation of bending. */
#include "gl/shaders/cycle.glsl"
#include "gl/shaders/shapes.glsl"

uniform ivec4 call; /* x: the iteration */

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

/* Is a texel at p within a spacing of a body? */
bool is_near(int k, vec3 p) {
    bool near = cloth.meshes != 0 && cycle_plane_at(CYCLE_level, k) > -FAR_AWAY;
    for (int body = 0; body < cloth.body_count && !near; body++) {
        shape s = shape_of(body);
        near = !s.solid && shape_hit(s, p).w < contacts[body].distance + cloth.spacing;
    }
    return near && plane_at(PLANE_inverse_mass, k) > 0.0;
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || is_settled()) {
        return;
    }
    vec3 x = level_at(LEVEL_x, k);
    set_cycle(CYCLE_bx, k, v3_madd(x, x - state_at(PLANE_x, k), cloth.bend_lag));
    if (is_near(k, x)) {
        cycle[row_mark(texel)] = row_stamp(stamp);
    }
    if (texel == ivec2(0)) {
        marks[cloth.mark].ready = stamp;
    }
    if (call.x == 0) {
        set_cycle_plane(CYCLE_glue, k, 0.0);
    }
}
