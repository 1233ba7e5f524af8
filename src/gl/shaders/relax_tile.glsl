/* Iterations of Gauss-Seidel, by work groups that have a tile each. Each of the eight sets of an
 * iteration reaches one texel further along u, along v or both, six along either: so much around
 * its tile for each iteration a group relaxes too, as its neighbours do. They still read what it
 * starts from, so x, y, z and the multipliers go to other planes, and with the next dispatch from
 * there back.
 *
 * The shader says how large tiles are, how many iterations there are at most, and THREADS. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/project.glsl"

const int MARGIN = 6 * ITERATIONS, WIDE = COLUMNS + 2 * MARGIN, HIGH = ROWS + 2 * MARGIN;
const int ROOM = WIDE * HIGH;

#include "gl/shaders/relax_group.glsl"

/* x: from the other planes, y: iterations before, z: iterations, w: texels go out of shapes then */
uniform ivec4 call;

int window_columns() {
    return WIDE;
}

int window_rows() {
    return HIGH;
}

ivec2 window_corner() {
    return ivec2(gl_WorkGroupID.xy) * ivec2(COLUMNS, ROWS) - MARGIN;
}

bool is_in_tile(ivec2 place) {
    ivec2 own = place - MARGIN;
    return own.x >= 0 && own.y >= 0 && own.x < COLUMNS && own.y < ROWS;
}

/* The group's own are those that start in its tile. */
void store_edge(int s, int multipliers) {
    ivec2 place = place_of(s), texel = window_corner() + place;
    if (is_in_tile(place) && is_in(level.grid, texel)) {
        int k = index_of(level.grid, texel.x, texel.y);
        set_level_plane(multipliers + sets[s].x, k, edges[s].multiplier);
    }
}

void store_edges(int multipliers) {
    store_edge(0, multipliers);
    store_edge(1, multipliers);
    store_edge(2, multipliers);
    store_edge(3, multipliers);
    store_edge(4, multipliers);
    store_edge(5, multipliers);
    store_edge(6, multipliers);
    store_edge(7, multipliers);
}

void main() {
    bool back = call.x != 0;
    load_edges(back ? LEVEL_nu : LEVEL_lu);
    load_window(back ? LEVEL_qx : LEVEL_x);
    relax_window(call.y, call.z);
    store_edges(back ? LEVEL_lu : LEVEL_nu);
    for (int i = int(gl_LocalInvocationIndex); i < COLUMNS * ROWS; i += THREADS) {
        ivec2 place = ivec2(i % COLUMNS, i / COLUMNS) + MARGIN;
        ivec2 texel = window_corner() + place;
        if (is_in(level.grid, texel)) {
            int k = index_of(level.grid, texel.x, texel.y);
            vec3 p = position_at(place.y * WIDE + place.x);
            set_level(back ? LEVEL_x : LEVEL_qx, k, call.w != 0 ? projected_out(k, p) : p);
        }
    }
}
