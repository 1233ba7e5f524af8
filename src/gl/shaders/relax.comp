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
    int k = index_of(level.grid, texel.x, texel.y);
    ivec2 start = start_of(set.x), end = end_of(set.x);
    int a = k + start.x, b = k + end.x + end.y * level.grid.stride;
    edge e = edge_at(k, set.x, LEVEL_lu);
    if (e.weight > 0.0) {
        float mass_a = table_at(TABLE_inverse_mass, a), mass_b = table_at(TABLE_inverse_mass, b);
        edge_ends ends = edge_ends(level_at(LEVEL_x, a), level_at(LEVEL_x, b), mass_a, mass_b);
        relax_edge(set.x, e, ends);
        set_level_plane(LEVEL_lu + set.x, k, e.multiplier);
        set_level(LEVEL_x, a, ends.from);
        set_level(LEVEL_x, b, ends.to);
    }
}
