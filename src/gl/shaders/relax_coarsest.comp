#version 430 core
/* Gauss-Seidel on a small level that is the coarsest, which is filled from the finer one before. */
#define LEVEL_MEMORY coherent restrict
#include "gl/shaders/level.glsl"
#include "gl/shaders/restrict.glsl"
#include "gl/shaders/relax_small.glsl"

/* x: iterations, y: texels go out of shapes then, z: not the first cycle of the substep */
uniform ivec4 call;

void main() {
    int texels = level.grid.columns * level.grid.rows;
    for (int i = int(gl_LocalInvocationID.x); i < texels; i += THREADS) {
        restrict_texel(texel_of(i), call.z != 0);
    }
    memoryBarrierBuffer();
    barrier();
    relax_level(call.x, call.y != 0);
}
