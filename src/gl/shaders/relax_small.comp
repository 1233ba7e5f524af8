#version 430 core
/* All iterations of Gauss-Seidel on a small level, by one work group: its sets wait for each other
 * without the host, whose barriers take longer than a set of so few edges. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/project.glsl"

const int THREADS = GROUP_SMALL, ROOM = 2 * GROUP_SMALL;

#include "gl/shaders/relax_group.glsl"

layout(local_size_x = GROUP_SMALL) in;

uniform ivec4 call; /* x: iterations, y: texels go out of shapes then */

int window_columns() {
    return level.grid.columns;
}

int window_rows() {
    return level.grid.rows;
}

ivec2 window_corner() {
    return ivec2(0);
}

void store_edge(int s) {
    ivec2 texel = place_of(s);
    if (is_there(texel)) {
        int k = index_of(level.grid, texel.x, texel.y);
        set_level_plane(LEVEL_lu + sets[s].x, k, edges[s].multiplier);
    }
}

void store_edges() {
    store_edge(0);
    store_edge(1);
    store_edge(2);
    store_edge(3);
    store_edge(4);
    store_edge(5);
    store_edge(6);
    store_edge(7);
}

void main() {
    load_edges(LEVEL_lu);
    load_window(LEVEL_x);
    relax_window(0, call.x);
    store_edges();
    int columns = level.grid.columns, texels = columns * level.grid.rows;
    for (int i = int(gl_LocalInvocationID.x); i < texels; i += THREADS) {
        int k = index_of(level.grid, i % columns, i / columns);
        set_level(LEVEL_x, k, call.y != 0 ? projected_out(k, position_at(i)) : position_at(i));
    }
}
