#version 430 core
/* Moves along normals: what a grid gains from the coarser one, and two sweeps; on the finest one
 * all of it onto positions. A work group has a tile, with as much around it as the sweeps reach.
 * Ways go to the plane of the defect: other groups still read those before. */
#include "gl/shaders/sway.glsl"

layout(std430, binding = BIND_OTHER) restrict readonly buffer coarser_buffer { float coarser[]; };

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

uniform ivec4 call; /* x: there is a coarser grid, y: with ways along the cloth */

const int MARGIN = 2, WIDE = UP_COLUMNS + 2 * MARGIN, HIGH = UP_ROWS + 2 * MARGIN;

/* Ways before the sweeps, and after the first. */
shared float tile[2][WIDE * HIGH];

#include "gl/shaders/slide.glsl"

ivec2 texel_of(int i) {
    return ivec2(gl_WorkGroupID.xy * gl_WorkGroupSize.xy) - MARGIN + ivec2(i % WIDE, i / WIDE);
}

bool is_there(ivec2 texel) {
    return texel.x >= 0 && texel.y >= 0 && is_in(level.grid, texel);
}

/* Between the rows of k and k + other of the coarser grid. */
float between(int k, int other) {
    int at = SWAY_LEFT * level.coarser.size + k;
    return cycle_between(coarser[at], coarser[at + other]);
}

float gained(ivec2 texel, int k) {
    float way = cycle_plane_at(SWAY_WAY, k);
    if (call.x == 0 || !(cycle_plane_at(SWAY_INVERSE, k) > 0.0)) {
        return way;
    }
    int from = index_of(level.coarser, texel.x / 2, texel.y / 2);
    int other = (texel.y & 1) != 0 ? level.coarser.stride : 0;
    float on = between(from, other);
    return way + ((texel.x & 1) != 0 ? cycle_between(on, between(from + 1, other)) : on);
}

vec3 row_at(int n, int i) {
    return vec3(tile[n][i - 1], tile[n][i], tile[n][i + 1]);
}

float swept(int n, int i, int k, float weight) {
    vec3 here = row_at(n, i);
    float near = swayed(sways_at(k), row_at(n, i - WIDE), here.x, here.z, row_at(n, i + WIDE));
    return cycle_sweep(here.y, cycle_plane_at(SWAY_FORCE, k), near,
                       cycle_plane_at(SWAY_INVERSE, k), weight);
}

void fill_tile() {
    for (int i = int(gl_LocalInvocationIndex); i < WIDE * HIGH; i += UP_COLUMNS * UP_ROWS) {
        ivec2 texel = texel_of(i);
        int k = index_of(level.grid, texel.x, texel.y);
        tile[0][i] = is_there(texel) ? gained(texel, k) : 0.0;
    }
}

void sweep_tile() {
    const int wide = WIDE - 2, high = HIGH - 2;
    for (int j = int(gl_LocalInvocationIndex); j < wide * high; j += UP_COLUMNS * UP_ROWS) {
        int i = (j / wide + 1) * WIDE + j % wide + 1;
        ivec2 texel = texel_of(i);
        int k = index_of(level.grid, texel.x, texel.y);
        tile[1][i] = is_there(texel) ? swept(0, i, k, SWAY_SECOND) : 0.0;
    }
}

void main() {
    if (is_settled()) {
        return;
    }
    fill_tile();
    barrier();
    sweep_tile();
    barrier();
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(level.grid, texel)) {
        return;
    }
    int k = index_of(level.grid, texel.x, texel.y);
    ivec2 place = ivec2(gl_LocalInvocationID.xy) + MARGIN;
    float way = swept(1, place.y * WIDE + place.x, k, SWAY_THIRD);
    if (level.depth == 0) {
        vec3 n = cycle_at(CYCLE_sx, k), q = level_at(LEVEL_qx, k) + n * way;
        if (call.y != 0 && matrix_at(MATRIX_inverse, k) > 0.0) {
            vec3 a = cycle_at(CYCLE_ax, k);
            q += a * slide_gain(0, texel) + v3_cross(n, a) * slide_gain(1, texel);
        }
        set_level(LEVEL_qx, k, q);
    } else {
        set_cycle_plane(SWAY_LEFT, k, way);
    }
}
