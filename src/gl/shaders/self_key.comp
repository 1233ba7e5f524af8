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
    int number = number_of(texel), own = cloths[cloth.mark].rank;
    uint there = mask[texel.x + texel.y * cloth.grid.columns] & SELF_THERE;
    bool found = there != 0u && has_cell(own, p);
    for (int rank = 0; rank <= own; rank++) {
        self_grid g = grids[rank];
        uint slot = NO_SLOT;
        if (found) {
            ivec3 c = cell_at(rank, p);
            slot = uint(rank == own ? slot_at(g.own_first, g.own_count, c.x, c.y, c.z)
                                    : slot_at(g.guest_first, g.guest_count, c.x, c.y, c.z));
            atomicAdd(slots[slot], 1u);
        }
        listed[key_of(number, rank)] = uvec4(floatBitsToUint(p), slot);
    }
}
