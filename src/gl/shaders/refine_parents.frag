#version 430 core
/* Old vertices follow their children (chapter 8, 2), and children that were not corrected follow
 * them. */
#include "gl/shaders/refine.glsl"

layout(location = 0) out vec4 position;
layout(location = 1) out int mark;

vec3 find_move(ivec2 at) {
    vec3 sum = vec3(0.0), p = position_of(at);
    int springs = 0;
    for (int y = -1; y <= 1 && (mark_of(at) & REFINE_HELD) == 0; y++) {
        for (int x = -1; x <= 1; x++) {
            ivec2 other = at + ivec2(x, y);
            if (other == at || !is_in_grid(other) || (mark_of(other) & REFINE_CORRECTED) == 0) {
                continue;
            }
            vec3 pull =
                refine_follow(p, position_of(other), cloth.z * rest_length(ivec2(x, y)));
            springs += v3_dot(pull, pull) > 0.0 ? 1 : 0;
            sum += pull;
        }
    }
    return springs > 0 ? v3_scale(sum, 1.0 / float(springs)) : vec3(0.0);
}

vec3 find_child_move(ivec2 at) {
    vec3 sum = vec3(0.0);
    int count = parent_count(at);
    for (int k = 0; k < count; k++) {
        sum += find_move(at + parent_way(at, k));
    }
    return v3_scale(sum, 1.0 / float(count));
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec3 move = vec3(0.0);
    if (is_old(at)) {
        move = find_move(at);
    } else if ((mark_of(at) & REFINE_CORRECTED) == 0) {
        move = find_child_move(at);
    }
    bool moves = is_old(at) && v3_dot(move, move) > 0.0;
    position = vec4(position_of(at) + move, 1.0);
    mark = (mark_of(at) & ~REFINE_FRESH) | (moves ? REFINE_MOVED | REFINE_FRESH : 0);
}
