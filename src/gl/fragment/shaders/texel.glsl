/* What every pass of the fragment way begins with. A texel of a texture is one of the cloth; two
 * absent ones surround the cloth, so that neighbours are read without asking for the border. */
#ifndef TOILE_GL_FRAGMENT_TEXEL
#define TOILE_GL_FRAGMENT_TEXEL

#include "kernel/prelude.glsl"
#include "kernel/vec.h"
#include "gl/blocks.h"
#include "gl/fragment/layout.h"

/* How files that other devices share name a texel, and the steps to the next ones. */
#define PLACE ivec2
#define RIGHT ivec2(1, 0)
#define UP    ivec2(0, 1)

layout(std140) uniform cloth_uniform { cloth_block cloth; };

uniform sampler2D positions;
uniform sampler2D velocities;
uniform sampler2D tables; /* inverse mass, and coverage of the cell up and right */

vec3 x_at(ivec2 k) {
    return texelFetch(positions, k, 0).xyz;
}

vec3 v_at(ivec2 k) {
    return texelFetch(velocities, k, 0).xyz;
}

float inverse_mass_at(ivec2 k) {
    return texelFetch(tables, k, 0).x;
}

float coverage_at(ivec2 k) {
    return texelFetch(tables, k, 0).y;
}

#endif
