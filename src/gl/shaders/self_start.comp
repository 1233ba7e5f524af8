#version 430 core
/* Where each slot begins. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/self.glsl"
#include "gl/shaders/scan.glsl"

layout(local_size_x = SELF_LINE) in;

void main() {
    int block = int(gl_WorkGroupID.x), own = int(gl_LocalInvocationID.x);
    uint before = slots[block_at(block)];
    for (int first = 0; first < SELF_BLOCK; first += SELF_LINE) {
        int slot = block * SELF_BLOCK + first + own;
        uint count = slot < self.slots ? slots[slot] : 0u;
        uint sum = scan_up_to(own, count);
        if (slot < self.slots) {
            slots[start_at(slot)] = before + sum - count;
            slots[placed_at(slot)] = 0u;
        }
        before += scan_total();
    }
}
