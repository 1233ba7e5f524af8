#version 430 core
/* The coarse mesh and bodies; each vertex is projected here. */
#include "gl/shaders/coarse.glsl"
#include "kernel/mapping.h"

layout(std430, binding = BIND_TABLE) restrict readonly buffer projected_buffer {
    uint projected[];
};

vec3 project(int plane, int vertex) {
    int at = PROJECTED_WORDS * vertex, k = int(projected[at]), up = k + cloth.grid.stride;
    return square_value(state_at(plane, k), state_at(plane, k + 1), state_at(plane, up),
                        state_at(plane, up + 1), uintBitsToFloat(projected[at + 1]),
                        uintBitsToFloat(projected[at + 2]));
}
