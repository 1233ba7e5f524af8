#version 430 core
/* Gauss-Seidel on a small level, behind what it gains from the coarser one. */
#define LEVEL_MEMORY coherent restrict
#include "gl/shaders/level.glsl"
#include "gl/shaders/upsample.glsl"
#include "gl/shaders/relax_small.glsl"

/* x: iterations, y: texels go out of shapes then, z: where odd texels are listed, w: how many */
uniform ivec4 call;

void main() {
    int texels = level.grid.columns * level.grid.rows;
    for (int i = int(gl_LocalInvocationID.x); i < texels; i += THREADS) {
        upsample_texel(texel_of(i), false);
    }
    for (int o = int(gl_LocalInvocationID.x); o < call.w; o += THREADS) {
        upsample_odd(call.z + ODD_WORDS * o, false);
    }
    memoryBarrierBuffer();
    barrier();
    relax_level(call.x, call.y != 0);
}
