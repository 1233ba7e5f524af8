#version 430 core
/* What bodies have changed on the coarse mesh, into texels. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/marks.glsl"
#include "kernel/mapping.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

layout(std430, binding = BIND_TABLE) restrict readonly buffer sampled_buffer { uint sampled[]; };
layout(std430, binding = BIND_OTHER) restrict readonly buffer moved_buffer { float moved[]; };

vec3 moved_at(uint vertex, int from) {
    int at = MOVED_FLOATS * int(vertex) + from;
    return vec3(moved[at], moved[at + 1], moved[at + 2]);
}

vec3 sample_at(int at, int from) {
    return triangle_value(moved_at(sampled[at], from), moved_at(sampled[at + 1], from),
                          moved_at(sampled[at + 2], from), uintBitsToFloat(sampled[at + 3]),
                          uintBitsToFloat(sampled[at + 4]));
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(cloth.grid, texel.x, texel.y);
    if (!is_in(cloth.grid, texel) || marks[cloth.mark].touched != stamp ||
        !(plane_at(PLANE_inverse_mass, k) > 0.0)) {
        return;
    }
    int at = cloth.vertices * PROJECTED_WORDS +
             SAMPLED_WORDS * (texel.x + texel.y * cloth.grid.columns);
    vec3 way = sample_at(at, 0), kick = sample_at(at, 3);
    int arrival = level.bend_taken > 0.0 ? LEVEL_qx : LEVEL_x;
    set_state(PLANE_x, k, state_at(PLANE_x, k) + way);
    set_state(PLANE_vx, k, state_at(PLANE_vx, k) + kick);
    set_level(arrival, k, level_at(arrival, k) + v3_madd(way, kick, cloth.substep));
}
