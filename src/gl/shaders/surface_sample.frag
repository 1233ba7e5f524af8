#version 430 core
/* A texel gets what the triangle's linear function is at its middle, on the border too: that is
 * what S3 comes to (kernel/mapping.h). It is computed here rather than interpolated from what a
 * geometry shader put to the corners, for rasterisers may place corners on a raster of 1/256 pixel
 * and interpolate between those places: half of that is 9 um on a metre of 225 texels.
 *
 * Depth is the squared distance from the triangle, so that each texel keeps the nearest one, as in
 * cook/mapping.c. Those that two are as near to are drawn behind by surface_stray.vert. */
#include "kernel/prelude.glsl"
#include "kernel/mapping.h"
#include "kernel/triangle.h"
#include "gl/blocks.h"
#include "gl/shaders/raster.glsl"

flat in int triangle;

layout(binding = SURFACE_UNIT_VERTICES) uniform samplerBuffer vertices; /* two vectors each */
layout(binding = SURFACE_UNIT_TRIANGLES) uniform usamplerBuffer triangles;
layout(binding = SURFACE_UNIT_PLACES) uniform samplerBuffer vertex_places; /* m */

layout(location = 0) out vec3 first_out;
layout(location = 1) out vec3 second_out;

const float FARTHEST = 16.0; /* square cells */

vec2 places[3];
vec3 firsts[3], seconds[3];

vec3 vector_at(int at) {
    return vec3(texelFetch(vertices, at).r, texelFetch(vertices, at + 1).r,
                texelFetch(vertices, at + 2).r);
}

/* Between corners stands what tells about their edge. */
void load_triangle() {
    for (int k = 0; k < 3; k++) {
        int vertex = int(texelFetch(triangles, 6 * triangle + 2 * k).r);
        places[k] = texelFetch(vertex_places, vertex).rg;
        firsts[k] = vector_at(6 * vertex);
        seconds[k] = vector_at(6 * vertex + 3);
    }
}

/* In cells, from corner 0. */
vec3 from_corner(vec2 place) {
    return vec3((place - places[0]) / raster.z, 0.0);
}

float depth_at(vec2 place) {
    vec3 offset = v4_xyz(triangle_offset(from_corner(place), vec3(0.0), from_corner(places[1]),
                                         from_corner(places[2]), vec3(0.0, 0.0, 1.0)));
    return min(v3_dot(offset, offset) / FARTHEST, 0.999);
}

void main() {
    load_triangle();
    vec2 place = (gl_FragCoord.xy - 0.5) * raster.z;
    vec2 low = min(places[0], min(places[1], places[2]));
    vec2 high = max(places[0], max(places[1], places[2]));
    float half_cell = 0.501 * raster.z;
    if (any(lessThan(place, low - half_cell)) || any(greaterThan(place, high + half_cell))) {
        discard; /* no cell beyond touches the triangle: Hasselgren 2005, the second algorithm */
    }
    vec2 b = places[1] - places[0], c = places[2] - places[0], p = place - places[0];
    vec3 weights = triangle_weights(b.x, b.y, c.x, c.y, p.x, p.y);
    first_out = triangle_value(firsts[0], firsts[1], firsts[2], weights.x, weights.y);
    second_out = triangle_value(seconds[0], seconds[1], seconds[2], weights.x, weights.y);
    gl_FragDepth = depth_at(place);
}
