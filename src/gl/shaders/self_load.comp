#version 430 core
/* Texels as their partners see them during a push. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/self.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

layout(std430, binding = BIND_SEEN) restrict writeonly buffer seen_buffer { uvec4 seen[]; };

layout(std430, binding = BIND_MASK) restrict readonly buffer mask_buffer { uint mask[]; };

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    int number = number_of(texel), k = index_of(cloth.grid, texel.x, texel.y);
    seen[2 * number] = floatBitsToUint(vec4(level_at(LEVEL_x, k), plane_at(PLANE_inverse_mass, k)));
    uint tied = mask[texel.x + texel.y * cloth.grid.columns] & SELF_TIED;
    seen[2 * number + 1] = uvec4(floatBitsToUint(state_at(PLANE_x, k)), uint(cloth.mark) | tied);
}
