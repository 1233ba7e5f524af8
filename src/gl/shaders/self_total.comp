#version 430 core
/* How many texels each block of slots has. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/self.glsl"

layout(local_size_x = SELF_LINE) in;

shared uint total;

void main() {
    int block = int(gl_WorkGroupID.x), own = int(gl_LocalInvocationID.x);
    if (own == 0) {
        total = 0u;
    }
    barrier();
    for (int i = own; i < SELF_BLOCK; i += SELF_LINE) {
        int slot = block * SELF_BLOCK + i;
        atomicAdd(total, slot < self.slots ? slots[slot] : 0u);
    }
    barrier();
    if (own == 0) {
        slots[block_at(block)] = total;
    }
}
