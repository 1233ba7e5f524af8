#version 430 core
/* From the coarse mesh to texels; each gathers from its triangle. */
#include "gl/shaders/sample.glsl"
#include "kernel/mapping.h"

layout(std430, binding = BIND_TABLE) restrict readonly buffer sampled_buffer { uint sampled[]; };
layout(std430, binding = BIND_OTHER) restrict readonly buffer moved_buffer { float moved[]; };

vec3 moved_at(uint vertex, int from) {
    int at = MOVED_FLOATS * int(vertex) + from;
    return vec3(moved[at], moved[at + 1], moved[at + 2]);
}

vec3 sample_at(ivec2 texel, int from) {
    int at = cloth.vertices * PROJECTED_WORDS +
             SAMPLED_WORDS * (texel.x + texel.y * cloth.grid.columns);
    return triangle_value(moved_at(sampled[at], from), moved_at(sampled[at + 1], from),
                          moved_at(sampled[at + 2], from), uintBitsToFloat(sampled[at + 3]),
                          uintBitsToFloat(sampled[at + 4]));
}
