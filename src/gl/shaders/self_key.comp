#version 430 core
/* Where texels are, their slots in the hash, and how many are in each. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/self.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

layout(std430, binding = BIND_MASK) restrict readonly buffer mask_buffer { uint mask[]; };

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    vec3 p = level_at(LEVEL_x, index_of(cloth.grid, texel.x, texel.y));
    uint slot = NO_SLOT;
    if (mask[texel.x + texel.y * cloth.grid.columns] != 0u && has_cell(p)) {
        ivec3 c = cell_at(p);
        slot = uint(slot_at(c.x, c.y, c.z));
        atomicAdd(slots[slot], 1u);
    }
    listed[number_of(texel)] = uvec4(floatBitsToUint(p), slot);
}
