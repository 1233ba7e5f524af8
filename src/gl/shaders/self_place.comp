#version 430 core
/* The numbers of texels by slot, in any order. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/self.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

layout(std430, binding = BIND_MASK) restrict writeonly buffer number_buffer { uint numbers[]; };

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    int number = number_of(texel);
    for (int rank = 0; rank <= cloths[cloth.mark].rank; rank++) {
        uint slot = listed[key_of(number, rank)].w;
        if (slot != NO_SLOT) {
            uint place = atomicAdd(slots[placed_at(int(slot))], 1u);
            numbers[slots[start_at(int(slot))] + place] = uint(number);
        }
    }
}
