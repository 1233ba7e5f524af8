/* Springs that repel texels, as self_springs has made them. */
#ifndef TOILE_GL_NEWTON_REPELS
#define TOILE_GL_NEWTON_REPELS

#include "kernel/repel.h"

layout(std430, binding = BIND_REPELS) restrict buffer repel_buffer { uint repels[]; };

/* Those of a texel by its place in planes of the finest level: the word of the first, and the end.
 */
ivec2 repels_of(int place) {
    int head = REPELS_HEADS + REPELS_PLACE * place, first = int(repels[head + REPELS_START]);
    return ivec2(first, first + REPEL_WORDS * int(repels[head + REPELS_COUNT]));
}

float repel_float(int spring, int what) {
    return uintBitsToFloat(repels[spring + what]);
}

vec3 repel_direction(int spring) {
    return vec3(repel_float(spring, REPEL_DIRECTION), repel_float(spring, REPEL_DIRECTION + 1),
                repel_float(spring, REPEL_DIRECTION + 2));
}

#endif
