/* All iterations of Gauss-Seidel on a small level, by one work group: its sets wait for each other
 * without the host, whose barriers take longer than a set of so few edges. */
#ifndef TOILE_GL_RELAX_SMALL
#define TOILE_GL_RELAX_SMALL

#include "gl/shaders/project.glsl"

const int THREADS = GROUP_SMALL, ROOM = 2 * GROUP_SMALL;

#include "gl/shaders/relax_group.glsl"

layout(local_size_x = GROUP_SMALL) in;

int window_columns() {
    return level.grid.columns;
}

int window_rows() {
    return level.grid.rows;
}

ivec2 window_corner() {
    return ivec2(0);
}

void narrow_window(int iterations) {
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

ivec2 texel_of(int number) {
    return ivec2(number % level.grid.columns, number / level.grid.columns);
}

/* projects: texels go out of shapes then. */
void relax_level(int iterations, bool projects) {
    load_edges(LEVEL_lu);
    load_window(LEVEL_x);
    relax_window(0, iterations);
    store_edges();
    int texels = level.grid.columns * level.grid.rows;
    for (int i = int(gl_LocalInvocationID.x); i < texels; i += THREADS) {
        ivec2 texel = texel_of(i);
        int k = index_of(level.grid, texel.x, texel.y);
        set_level(LEVEL_x, k, projects ? projected_out(k, position_at(i)) : position_at(i));
    }
}

#endif
