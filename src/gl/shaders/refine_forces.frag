#version 430 core
/* Forces on new vertices (chapter 8, 3): first their own motion, then iterations of springs. */
#include "gl/shaders/refine.glsl"

uniform int advances; /* 1: the first */

layout(location = 0) out vec4 position;
layout(location = 1) out int mark;

vec3 advanced(ivec2 at, vec3 p) {
    if ((choice.w & 1) == 0) {
        return p;
    }
    vec3 last = texelFetch(last_positions, at << level.w, 0).xyz;
    vec3 before = (choice.w & 2) == 0 ? last : texelFetch(positions_before, at << level.w, 0).xyz;
    return refine_advance(last, before, force.xyz, force.w);
}

vec3 relaxed(ivec2 at, vec3 p) {
    vec3 sum = vec3(0.0);
    int springs = 0;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            ivec2 other = at + ivec2(x, y);
            if (other != at && is_in_grid(other)) {
                sum += refine_pull(p, position_of(other), rest_length(ivec2(x, y)),
                                   is_old(other) ? 1.0 : 0.5);
                springs++;
            }
        }
    }
    return v3_madd(p, sum, 1.0 / float(springs));
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec3 p = position_of(at);
    if (!is_old(at)) {
        p = advances == 1 ? advanced(at, p) : relaxed(at, p);
    }
    position = vec4(p, 1.0);
    mark = mark_of(at);
}
