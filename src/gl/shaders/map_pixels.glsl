/* What passes over the pixels of a new image begin with. */
#include "gl/blocks.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* columns, rows, and as the pass understands them */
layout(binding = MAP_UNIT_FRONT) uniform sampler2D front;

const uint NOWHERE = 0xffffffffu;

bool is_in_image(ivec2 at) {
    return at.x >= 0 && at.y >= 0 && at.x < call.x && at.y < call.y;
}

bool is_filled(ivec2 at) {
    return texelFetch(front, at, 0).xyz != vec3(0.0);
}

uint word_of(ivec2 at) {
    return uint(at.x) | uint(at.y) << 16;
}

ivec2 place_of(uint at) {
    return ivec2(at & 0xffffu, at >> 16);
}
