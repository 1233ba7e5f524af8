#version 430 core
/* How many partners a texel is too near to. For Newton's method it takes room for as many springs,
 * and parts whose texels are too near each other become an island. */
#include "gl/shaders/self_search.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

layout(std430, binding = BIND_MASK) restrict writeonly buffer meet_buffer { uint meets[]; };
layout(std430, binding = BIND_REPELS_MADE) coherent buffer repel_buffer { uint repels[]; };

#include "gl/shaders/islands.glsl"

uint count;
int joined; /* the last part that its own was joined with */

/* The later one leads to the earlier one, so that the first part of an island does not depend on
 * who comes first. */
void join_parts(int one, int other) {
    int a = island_of(one, self.islands), b = island_of(other, self.islands);
    while (a != b) {
        int low = min(a, b);
        uint next = atomicCompSwap(repels[self.islands + max(a, b)], 0u, uint(low) + 1u);
        if (next == 0u) {
            return;
        }
        a = island_of(int(next) - 1, self.islands);
        b = island_of(low, self.islands);
    }
}

void visit(int partner, float keep, int cloth_b) {
    vec3 after = uintBitsToFloat(seen[2 * own].xyz) - uintBitsToFloat(seen[2 * partner].xyz);
    if (!(v3_dot(after, after) < keep * keep)) {
        return;
    }
    count++;
    int part = cloths[cloth_b].part;
    if (self.repels_most > 0 && part != joined) {
        join_parts(joined = part, cloths[cloth.mark].part);
    }
}

/* Where the springs of a texel are is not the same each time, but their order is, and what they do.
 * The count goes on where there is no room, so that it tells how much is needed. */
void take_room(ivec2 texel) {
    uint first = atomicAdd(repels[0], count);
    if (first + count <= uint(self.repels_most)) {
        repels[head_of(texel, cloth.mark) + REPELS_START] =
            uint(self.repels) + REPEL_WORDS * first;
    }
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    own = number_of(texel);
    uvec4 at = listed[own];
    count = 0u;
    joined = cloths[cloth.mark].part;
    if (at.w != NO_SLOT) {
        visit_partners(uintBitsToFloat(at.xyz));
    }
    meets[own] = count;
    if (count > 0u && self.repels_most > 0) {
        take_room(texel);
    }
}
