#version 430 core
/* How many partners a texel is too near to. */
#include "gl/shaders/self_search.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

layout(std430, binding = BIND_MASK) restrict writeonly buffer meet_buffer { uint meets[]; };

uint count;

void visit(int partner, float keep, int cloth_b) {
    vec3 after = uintBitsToFloat(seen[2 * own].xyz) - uintBitsToFloat(seen[2 * partner].xyz);
    count += v3_dot(after, after) < keep * keep ? 1u : 0u;
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    own = number_of(texel);
    uvec4 at = listed[own];
    count = 0u;
    if (at.w != NO_SLOT) {
        visit_partners(uintBitsToFloat(at.xyz));
    }
    meets[own] = count;
}
