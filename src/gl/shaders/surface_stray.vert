#version 430 core
/* A texel that its triangle's border is not sure to reach: it exists to make a square whole, lies
 * where shifted edges part, or is as near to another triangle. It gets its value from the one that
 * cooking gave it. */
#include "gl/blocks.h"
#include "kernel/prelude.glsl"
#include "kernel/mapping.h"
#include "gl/shaders/raster.glsl"

layout(location = 0) in vec2 place_in; /* column and row */
layout(location = 1) in uvec3 corners_in;
layout(location = 2) in vec2 weights_in;

layout(binding = SURFACE_UNIT_VERTICES) uniform samplerBuffer vertices; /* two vectors each */

flat out vec3 first, second;

vec3 value_at(uint vertex, int from) {
    int at = 6 * int(vertex) + from;
    return vec3(texelFetch(vertices, at).r, texelFetch(vertices, at + 1).r,
                texelFetch(vertices, at + 2).r);
}

vec3 sample_from(int from) {
    return triangle_value(value_at(corners_in.x, from), value_at(corners_in.y, from),
                          value_at(corners_in.z, from), weights_in.x, weights_in.y);
}

void main() {
    gl_Position = raster_position(place_in * raster.z);
    gl_PointSize = 1.0;
    first = sample_from(0);
    second = sample_from(3);
}
