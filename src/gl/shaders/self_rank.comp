#version 430 core
/* The texels of a slot in the order of their numbers, so that sums over them repeat. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/self.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

layout(std430, binding = BIND_MASK) restrict readonly buffer number_buffer { uint numbers[]; };
layout(std430, binding = BIND_ENTRIES) restrict writeonly buffer entry_buffer { uvec4 entries[]; };

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    uint number = uint(number_of(texel));
    for (int rank = 0; rank <= cloths[cloth.mark].rank; rank++) {
        uvec4 own = listed[key_of(int(number), rank)];
        uint slot = own.w;
        if (slot == NO_SLOT) {
            return;
        }
        uint begin = slots[start_at(int(slot))], end = begin + slots[slot], place = begin;
        for (uint e = begin; e < end; e++) {
            place += numbers[e] < number ? 1u : 0u;
        }
        entries[place] = uvec4(own.xyz, number);
    }
}
