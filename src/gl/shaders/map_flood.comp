#version 430 core
/* For each pixel the nearest one on the body: jump flooding (Rong and Tan 2006). */
#include "gl/shaders/map_pixels.glsl"

layout(std430, binding = 0) restrict readonly buffer from_buffer { uint from[]; };
layout(std430, binding = 1) restrict writeonly buffer to_buffer { uint to[]; };

void main() {
    ivec2 own = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in_image(own)) {
        return;
    }
    int jump = call.z;
    uint best = NOWHERE;
    if (jump == 0) {
        best = is_filled(own) ? word_of(own) : NOWHERE;
    } else {
        int least = 0x7fffffff;
        for (int n = 0; n < 9; n++) {
            ivec2 other = own + jump * ivec2(n % 3 - 1, n / 3 - 1);
            uint there = is_in_image(other) ? from[other.y * call.x + other.x] : NOWHERE;
            ivec2 way = place_of(there) - own;
            int squared = way.x * way.x + way.y * way.y;
            if (there != NOWHERE && squared < least) {
                least = squared;
                best = there;
            }
        }
    }
    to[own.y * call.x + own.x] = best;
}
