#version 430 core
/* Edge-based Gauss-Seidel, one of the eight independent sets. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/relax.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: the number of the set */

void main() {
    ivec2 set = sets[call.x], texel = texel_of_edge(ivec2(gl_GlobalInvocationID.xy), set);
    if (!has_ends(texel, set.x)) {
        return;
    }
    int k = index_of(level.grid, texel.x, texel.y), plane = LEVEL_lu + set.x;
    ivec2 start = start_of(set.x), end = end_of(set.x);
    int a = k + start.x, b = k + end.x + end.y * level.grid.stride;
    relaxed now = relaxed(level_at(LEVEL_x, a), level_at(LEVEL_x, b), level_plane_at(plane, k));
    relaxed next = relax_edge(a, b, k, set.x, now);
    set_level_plane(plane, k, next.multiplier);
    set_level(LEVEL_x, a, next.from);
    set_level(LEVEL_x, b, next.to);
}
