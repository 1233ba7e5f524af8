/* Values of texels at a vertex of a mesh (S4), from planes that a vertex stage reads. */
#ifndef TOILE_GL_SQUARE
#define TOILE_GL_SQUARE

#include "kernel/prelude.glsl"
#include "kernel/mapping.h"

uniform ivec2 layout_of_planes; /* floats of a plane, and from a row to the next */

/* The three planes from `plane` on; who includes this says where they are. */
vec3 texel_at(int plane, int k);

vec3 planes_at(samplerBuffer from, int plane, int k) {
    int at = plane * layout_of_planes.x + k;
    return vec3(texelFetch(from, at).r, texelFetch(from, at + layout_of_planes.x).r,
                texelFetch(from, at + 2 * layout_of_planes.x).r);
}

/* k: the square's lower left texel; fraction: where the vertex lies from it, in spacings. */
vec3 square_at(int plane, int k, vec2 fraction) {
    int up = k + layout_of_planes.y;
    return square_value(texel_at(plane, k), texel_at(plane, k + 1), texel_at(plane, up),
                        texel_at(plane, up + 1), fraction.x, fraction.y);
}

#endif
