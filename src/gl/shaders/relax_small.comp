#version 430 core
/* All iterations of Gauss-Seidel on a small level, by one work group that shares positions: its
 * sets wait for each other without the host, whose barriers take longer than a set of so few edges.
 * A thread always has the same edges, so that it alone reads and writes their multipliers. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/project.glsl"
#include "gl/shaders/relax.glsl"

layout(local_size_x = GROUP_SMALL) in;

uniform ivec4 call; /* x: iterations, y: texels go out of shapes then */

shared float positions[3][SMALL_TEXELS];

vec3 position_at(int i) {
    return vec3(positions[0][i], positions[1][i], positions[2][i]);
}

void set_position(int i, vec3 p) {
    for (int axis = 0; axis < 3; axis++) {
        positions[axis][i] = p[axis];
    }
}

void relax_texel(ivec2 texel, int kind) {
    int k = index_of(level.grid, texel.x, texel.y), plane = LEVEL_lu + kind;
    int columns = level.grid.columns, i = texel.x + texel.y * columns;
    ivec2 start = start_of(kind), end = end_of(kind);
    int from = i + start.x, to = i + end.x + end.y * columns;
    relaxed now = relaxed(position_at(from), position_at(to), level_plane_at(plane, k));
    relaxed next =
        relax_edge(k + start.x, k + end.x + end.y * level.grid.stride, k, kind, now);
    set_level_plane(plane, k, next.multiplier);
    set_position(from, next.from);
    set_position(to, next.to);
}

void relax_set(ivec2 set) {
    bool along_u = set.x == KIND_U;
    int columns = along_u ? (level.grid.columns + 1) / 2 : level.grid.columns;
    int rows = along_u ? level.grid.rows : (level.grid.rows + 1) / 2;
    for (int i = int(gl_LocalInvocationID.x); i < columns * rows; i += GROUP_SMALL) {
        ivec2 texel = texel_of_edge(ivec2(i % columns, i / columns), set);
        if (has_ends(texel, set.x)) {
            relax_texel(texel, set.x);
        }
    }
}

void main() {
    int columns = level.grid.columns, texels = columns * level.grid.rows;
    for (int i = int(gl_LocalInvocationID.x); i < texels; i += GROUP_SMALL) {
        set_position(i, level_at(LEVEL_x, index_of(level.grid, i % columns, i / columns)));
    }
    barrier();
    for (int i = 0; i < 8 * call.x; i++) {
        bool backwards = (i / 8) % 2 != 0;
        relax_set(sets[backwards ? 7 - i % 8 : i % 8]);
        barrier();
    }
    for (int i = int(gl_LocalInvocationID.x); i < texels; i += GROUP_SMALL) {
        int k = index_of(level.grid, i % columns, i / columns);
        set_level(LEVEL_x, k, call.y != 0 ? projected_out(k, position_at(i)) : position_at(i));
    }
}
