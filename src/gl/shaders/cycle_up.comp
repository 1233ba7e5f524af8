#version 430 core
/* What a grid gains from the coarser one, and two sweeps; on the finest one all of it onto
 * positions. A work group has a tile, with as much around it as the sweeps reach. Corrections go
 * from ex, ey, ez to tx, ty, tz: other groups still read the former. */
#include "gl/shaders/cycle.glsl"

layout(std430, binding = BIND_OTHER) restrict readonly buffer coarser_buffer { float coarser[]; };

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

uniform ivec4 call; /* x: where the coarser grid has its correction, -1: there is none */

const int MARGIN = 2, WIDE = UP_COLUMNS + 2 * MARGIN, HIGH = UP_ROWS + 2 * MARGIN;

/* Corrections before the sweeps, and after the first. */
shared float tile[2][3][WIDE * HIGH];
/* Bits of the longest of the group; floats that are not negative are in the order of their bits. */
shared int longest;

vec3 tile_at(int n, int i) {
    return vec3(tile[n][0][i], tile[n][1][i], tile[n][2][i]);
}

void set_tile(int n, int i, vec3 e) {
    for (int axis = 0; axis < 3; axis++) {
        tile[n][axis][i] = e[axis];
    }
}

ivec2 texel_of(int i) {
    return ivec2(gl_WorkGroupID.xy * gl_WorkGroupSize.xy) - MARGIN + ivec2(i % WIDE, i / WIDE);
}

bool is_there(ivec2 texel) {
    return texel.x >= 0 && texel.y >= 0 && is_in(level.grid, texel);
}

/* Between the rows of k and k + other of the coarser grid. */
float between(int plane, int k, int other) {
    int at = plane * level.coarser.size + k;
    return cycle_between(coarser[at], coarser[at + other]);
}

float gain_at(int plane, int k, int other, bool next) {
    float on = between(plane, k, other);
    return next ? cycle_between(on, between(plane, k + 1, other)) : on;
}

vec3 gained(ivec2 texel, int k) {
    vec3 e = cycle_at(CYCLE_ex, k);
    if (call.x < 0) {
        return e;
    }
    int above = index_of(level.coarser, texel.x / 2, texel.y / 2);
    int other = (texel.y & 1) != 0 ? level.coarser.stride : 0;
    bool next = (texel.x & 1) != 0;
    if (matrix_at(MATRIX_inverse, k) > 0.0) {
        e += vec3(gain_at(call.x, above, other, next), gain_at(call.x + 1, above, other, next),
                  gain_at(call.x + 2, above, other, next));
    }
    return level.depth == 0 ? land(k, e) : e;
}

vec3 swept(int n, int i, int k, float weight) {
    int under = i - WIDE, over = i + WIDE;
    vec3 near =
        coupled(couplings_at(k),
                vec3[3](tile_at(n, under - 1), tile_at(n, under), tile_at(n, under + 1)),
                tile_at(n, i - 1), tile_at(n, i + 1),
                vec3[3](tile_at(n, over - 1), tile_at(n, over), tile_at(n, over + 1)));
    vec3 e = sweep(k, tile_at(n, i), near, weight);
    return level.depth == 0 ? land(k, e) : sweep_held(k, e, tile_at(n, i), 1.0 - weight);
}

void fill_tile() {
    for (int i = int(gl_LocalInvocationIndex); i < WIDE * HIGH; i += UP_COLUMNS * UP_ROWS) {
        ivec2 texel = texel_of(i);
        int k = index_of(level.grid, texel.x, texel.y);
        set_tile(0, i, is_there(texel) ? gained(texel, k) : vec3(0.0));
    }
}

void sweep_tile() {
    const int wide = WIDE - 2, high = HIGH - 2;
    for (int j = int(gl_LocalInvocationIndex); j < wide * high; j += UP_COLUMNS * UP_ROWS) {
        int i = (j / wide + 1) * WIDE + j % wide + 1;
        ivec2 texel = texel_of(i);
        int k = index_of(level.grid, texel.x, texel.y);
        set_tile(1, i, is_there(texel) ? swept(0, i, k, CYCLE_SECOND) : vec3(0.0));
    }
}

void main() {
    if (is_settled()) {
        return;
    }
    longest = 0;
    fill_tile();
    barrier();
    sweep_tile();
    barrier();
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (is_in(level.grid, texel)) {
        int k = index_of(level.grid, texel.x, texel.y);
        ivec2 place = ivec2(gl_LocalInvocationID.xy) + MARGIN;
        int i = place.y * WIDE + place.x;
        vec3 e = swept(1, i, k, CYCLE_THIRD);
        set_cycle(CYCLE_tx, k, e);
        if (level.depth == 0) {
            set_level(LEVEL_x, k, level_at(LEVEL_qx, k) + e);
            atomicMax(longest, floatBitsToInt(k_sqrt(v3_dot(e, e))));
        }
    }
    if (level.depth == 0) {
        barrier();
        if (gl_LocalInvocationIndex == 0u) {
            atomicMax(marks[cloth.mark].moved, longest);
        }
    }
}
