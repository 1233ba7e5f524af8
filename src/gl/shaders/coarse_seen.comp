#version 430 core
/* The coarse mesh and bodies, after surface_project.vert. */
#include "gl/shaders/coarse.glsl"

layout(std430, binding = BIND_TABLE) restrict readonly buffer seen_buffer { float seen[]; };

vec3 project(int plane, int vertex) {
    int at = 6 * vertex + (plane == PLANE_x ? 0 : 3);
    return vec3(seen[at], seen[at + 1], seen[at + 2]);
}
