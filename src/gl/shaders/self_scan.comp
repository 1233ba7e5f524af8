#version 430 core
/* The totals of blocks of slots become what is before each. One work group goes over all of them. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/self.glsl"
#include "gl/shaders/scan.glsl"

layout(local_size_x = SELF_LINE) in;

void main() {
    int own = int(gl_LocalInvocationID.x);
    uint before = 0u;
    for (int first = 0; first < self.blocks; first += SELF_LINE) {
        int block = first + own;
        uint count = block < self.blocks ? slots[block_at(block)] : 0u;
        uint sum = scan_up_to(own, count);
        if (block < self.blocks) {
            slots[block_at(block)] = before + sum - count;
        }
        before += scan_total();
    }
}
