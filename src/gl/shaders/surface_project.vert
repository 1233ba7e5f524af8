#version 430 core
/* A vertex of the coarse mesh from the texels around it (S4), captured into a buffer. */
#include "gl/blocks.h"
#include "gl/shaders/square.glsl"

layout(location = 0) in uint texel_in;
layout(location = 1) in vec2 fraction_in;

layout(binding = SURFACE_UNIT_PLANES) uniform samplerBuffer planes;
uniform ivec2 fields; /* the first planes of two vectors */

out vec3 first, second;

vec3 texel_at(int plane, int k) {
    return planes_at(planes, plane, k);
}

void main() {
    first = square_at(fields.x, int(texel_in), fraction_in);
    second = square_at(fields.y, int(texel_in), fraction_in);
}
