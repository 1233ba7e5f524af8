/* What passes of refinement share: src/gl/refine.h. */
#ifndef TOILE_GL_REFINE
#define TOILE_GL_REFINE

#include "kernel/prelude.glsl"
#include "kernel/refine.h"
#include "gl/refine_units.h"

layout(std140, binding = REFINE_BIND_NUMBERS) uniform refine_numbers {
    refine_view views[REFINE_VIEWS];
    ivec4 level;  /* columns, rows, its number, levels below it */
    ivec4 images; /* views, pixels a side, images in a row of an atlas, by winding */
    ivec4 choice; /* correction, any, bodies, what is known: 1 the last step, 2 that before it */
    vec4 cloth;   /* m: rest lengths of the level across and down, longest as a share, thickness */
    vec4 force;   /* m: what gravity does in a step; share of the velocity that is kept */
};

layout(binding = REFINE_UNIT_POSITIONS) uniform sampler2D positions;
layout(binding = REFINE_UNIT_MARKS) uniform isampler2D marks;
layout(binding = REFINE_UNIT_LAYERS) uniform sampler2DArray layers;
layout(binding = REFINE_UNIT_PLACES) uniform sampler2D places; /* views beside each other */
layout(binding = REFINE_UNIT_LAST) uniform sampler2D last_positions;
layout(binding = REFINE_UNIT_BEFORE) uniform sampler2D positions_before;

uniform int peeled;   /* layers */
uniform int followed; /* 1: also look at vertices that followed their children */

bool is_old(ivec2 at) {
    return (at.x & 1) == 0 && (at.y & 1) == 0;
}

bool is_in_grid(ivec2 at) {
    return at.x >= 0 && at.y >= 0 && at.x < level.x && at.y < level.y;
}

vec3 position_of(ivec2 at) {
    return texelFetch(positions, at, 0).xyz;
}

int mark_of(ivec2 at) {
    return texelFetch(marks, at, 0).x;
}

/* Rest length of the spring to a neighbour so many columns and rows away, m. */
float rest_length(ivec2 way) {
    vec2 lengths = cloth.xy * vec2(way);
    return k_sqrt(lengths.x * lengths.x + lengths.y * lengths.y);
}

ivec2 pixel_of(int view, vec4 projected) {
    ivec2 tile = ivec2(view % images.z, view / images.z);
    return images.y * tile + ivec2(projected.xy);
}

vec4 layer_at(int layer, int view, vec4 projected) {
    return texelFetch(layers, ivec3(pixel_of(view, projected), layer), 0);
}

/* Parents of a new vertex lie on both sides in its row or column, or in four corners. */
int parent_count(ivec2 at) {
    return (at.x & at.y & 1) == 1 ? 4 : 2;
}

ivec2 parent_way(ivec2 at, int k) {
    if ((at.x & at.y & 1) == 1) {
        return ivec2((k & 1) * 2 - 1, (k & 2) - 1);
    }
    return (at.x & 1) == 1 ? ivec2(k * 2 - 1, 0) : ivec2(0, k * 2 - 1);
}

#endif
