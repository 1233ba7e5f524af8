#version 430 core
/* All iterations of Gauss-Seidel on a small level, by one work group: its sets wait for each other
 * without the host, whose barriers take longer than a set of so few edges. */
#define LEVEL_MEMORY coherent restrict
#include "gl/shaders/level.glsl"
#include "gl/shaders/relax.glsl"

layout(local_size_x = GROUP_SMALL) in;

uniform ivec4 call; /* x: iterations */

/* The order of cpu/relax.c, backwards every second time. */
const ivec2 sets[8] =
    ivec2[8](ivec2(KIND_U, 0), ivec2(KIND_U, 1), ivec2(KIND_V, 0), ivec2(KIND_RISING, 0),
             ivec2(KIND_FALLING, 0), ivec2(KIND_V, 1), ivec2(KIND_RISING, 1),
             ivec2(KIND_FALLING, 1));

void relax_set(ivec2 set) {
    bool along_u = set.x == KIND_U;
    int columns = along_u ? (level.grid.columns + 1) / 2 : level.grid.columns;
    int rows = along_u ? level.grid.rows : (level.grid.rows + 1) / 2;
    for (int i = int(gl_LocalInvocationID.x); i < columns * rows; i += GROUP_SMALL) {
        relax_number(ivec2(i % columns, i / columns), set.x, set.y);
    }
}

void main() {
    for (int i = 0; i < 8 * call.x; i++) {
        bool backwards = (i / 8) % 2 != 0;
        relax_set(sets[backwards ? 7 - i % 8 : i % 8]);
        memoryBarrierBuffer();
        barrier();
    }
}
