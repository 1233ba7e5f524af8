#version 430 core
/* An iteration of Gauss-Seidel, by work groups that share the positions of a tile. Each of the
 * eight sets reaches one texel further along u, along v or both, six along either: so much around
 * its tile a group relaxes too, as its neighbours do. They still read what it starts from, so x, y,
 * z and the multipliers go to other planes, and with the next iteration, backwards, from there
 * back. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/project.glsl"
#include "gl/shaders/relax.glsl"

layout(local_size_x = TILE_COLUMNS, local_size_y = TILE_ROWS) in;

uniform ivec4 call; /* x: backwards, y: texels go out of shapes then */

const int MARGIN = 6, WIDE = TILE_COLUMNS + 2 * MARGIN, HIGH = TILE_ROWS + 2 * MARGIN;
const int THREADS = TILE_COLUMNS * TILE_ROWS;

shared float positions[3][WIDE * HIGH];

vec3 position_at(int i) {
    return vec3(positions[0][i], positions[1][i], positions[2][i]);
}

void set_position(int i, vec3 p) {
    for (int axis = 0; axis < 3; axis++) {
        positions[axis][i] = p[axis];
    }
}

ivec2 corner() {
    return ivec2(gl_WorkGroupID.xy * gl_WorkGroupSize.xy) - MARGIN;
}

bool is_there(ivec2 texel) {
    return texel.x >= 0 && texel.y >= 0 && is_in(level.grid, texel);
}

/* An edge, which is the group's own if it starts in its tile. place: of its texel in the tile. */
void relax_texel(ivec2 texel, ivec2 place, int kind) {
    if (!is_there(texel)) {
        return;
    }
    int k = index_of(level.grid, texel.x, texel.y), i = place.y * WIDE + place.x;
    ivec2 start = start_of(kind), end = end_of(kind);
    relaxed now = relaxed(vec3(0.0), vec3(0.0),
                          level_plane_at((call.x != 0 ? LEVEL_nu : LEVEL_lu) + kind, k));
    bool inside = place.x + 1 < WIDE && place.y + 1 < HIGH;
    if (inside && has_ends(texel, kind)) {
        int from = i + start.x, to = i + end.x + end.y * WIDE;
        now = relaxed(position_at(from), position_at(to), now.multiplier);
        now = relax_edge(k + start.x, k + end.x + end.y * level.grid.stride, k, kind, now);
        set_position(from, now.from);
        set_position(to, now.to);
    }
    ivec2 core = place - MARGIN;
    if (core.x >= 0 && core.y >= 0 && core.x < TILE_COLUMNS && core.y < TILE_ROWS) {
        set_level_plane((call.x != 0 ? LEVEL_lu : LEVEL_nu) + kind, k, now.multiplier);
    }
}

void relax_set(ivec2 set) {
    int columns = set.x == KIND_U ? WIDE / 2 : WIDE, rows = set.x == KIND_U ? HIGH : HIGH / 2;
    for (int i = int(gl_LocalInvocationIndex); i < columns * rows; i += THREADS) {
        ivec2 place = texel_of_edge(ivec2(i % columns, i / columns), set);
        relax_texel(corner() + place, place, set.x);
    }
}

void main() {
    bool backwards = call.x != 0;
    int from = backwards ? LEVEL_qx : LEVEL_x, to = backwards ? LEVEL_x : LEVEL_qx;
    for (int i = int(gl_LocalInvocationIndex); i < WIDE * HIGH; i += THREADS) {
        ivec2 texel = corner() + ivec2(i % WIDE, i / WIDE);
        if (is_there(texel)) {
            set_position(i, level_at(from, index_of(level.grid, texel.x, texel.y)));
        }
    }
    barrier();
    for (int i = 0; i < 8; i++) {
        relax_set(sets[backwards ? 7 - i : i]);
        barrier();
    }
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy), place = ivec2(gl_LocalInvocationID.xy) + MARGIN;
    if (is_in(level.grid, texel)) {
        int k = index_of(level.grid, texel.x, texel.y);
        vec3 p = position_at(place.y * WIDE + place.x);
        set_level(to, k, call.y != 0 ? projected_out(k, p) : p);
    }
}
