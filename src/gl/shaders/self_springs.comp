#version 430 core
/* The springs of texels and their partners, for the matrix of Newton's method. */
#include "gl/shaders/self_contact.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

layout(std430, binding = BIND_REPELS_MADE) restrict buffer repel_buffer { uint repels[]; };

int next; /* word of the next spring */

/* Both ends have a pair's spring, or none. */
void visit(int partner, float keep, int cloth_b) {
    near_pair p;
    ivec2 there = texel_of(partner, cloth_b);
    if (!is_near_pair(partner, keep, p) || repels[head_of(there, cloth_b) + REPELS_START] == 0u) {
        return;
    }
    float rest = self_rest(p.before, p.direction, keep);
    float stiffness =
        self_spring(p.masses, float(meets[own]), float(meets[partner]), cloth.substep);
    repels[next + REPEL_PLACE] = uint(place_of(there, cloth_b));
    repels[next + REPEL_PANEL] = uint(cloth_b);
    for (int axis = 0; axis < 3; axis++) {
        repels[next + REPEL_DIRECTION + axis] = floatBitsToUint(p.direction[axis]);
    }
    repels[next + REPEL_REST] = floatBitsToUint(rest);
    repels[next + REPEL_STIFFNESS] = floatBitsToUint(stiffness);
    next += REPEL_WORDS;
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel) || self.repels_most == 0) {
        return;
    }
    int head = head_of(texel, cloth.mark), first = int(repels[head + REPELS_START]);
    own = number_of(texel);
    if (first == 0 || !(uintBitsToFloat(seen[2 * own].w) > 0.0)) {
        return;
    }
    next = first;
    visit_partners(uintBitsToFloat(listed[own].xyz));
    repels[head + REPELS_COUNT] = uint((next - first) / REPEL_WORDS);
}
