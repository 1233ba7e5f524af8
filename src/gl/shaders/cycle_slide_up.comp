#version 430 core
/* Ways along the cloth: what a grid gains from the coarser one, and two sweeps. A work group has a
 * tile, with as much around it as the sweeps reach. Ways go to the planes of the defect: other
 * groups still read those before. */
#include "gl/shaders/sway.glsl"

layout(std430, binding = BIND_OTHER) restrict readonly buffer coarser_buffer { float coarser[]; };

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

uniform ivec4 call; /* x: there is a coarser grid */

const int MARGIN = 2, WIDE = UP_COLUMNS + 2 * MARGIN, HIGH = UP_ROWS + 2 * MARGIN;

/* Ways before the sweeps, and after the first. */
shared float tile[2][2][WIDE * HIGH];

#include "gl/shaders/slide.glsl"

ivec2 texel_of(int i) {
    return ivec2(gl_WorkGroupID.xy * gl_WorkGroupSize.xy) - MARGIN + ivec2(i % WIDE, i / WIDE);
}

bool is_there(ivec2 texel) {
    return texel.x >= 0 && texel.y >= 0 && is_in(level.grid, texel);
}

float gained(int part, ivec2 texel, int k) {
    float way = cycle_plane_at(CYCLE_wa + part, k);
    bool gains = call.x != 0 && cycle_plane_at(CYCLE_ui, k) > 0.0;
    return gains ? way + slide_gain(part, texel) : way;
}

vec3 row_at(int n, int part, int i) {
    return vec3(tile[n][part][i - 1], tile[n][part][i], tile[n][part][i + 1]);
}

float swept(int n, int part, int i, int k, float weight) {
    vec3 here = row_at(n, part, i);
    float near = swayed(couplings_at(k), row_at(n, part, i - WIDE), here.x, here.z,
                        row_at(n, part, i + WIDE));
    return cycle_sweep(here.y, cycle_plane_at(CYCLE_ua + part, k), near,
                       cycle_plane_at(CYCLE_ui, k), weight);
}

void fill_tile() {
    for (int i = int(gl_LocalInvocationIndex); i < WIDE * HIGH; i += UP_COLUMNS * UP_ROWS) {
        ivec2 texel = texel_of(i);
        int k = index_of(level.grid, texel.x, texel.y);
        for (int part = 0; part < 2; part++) {
            tile[0][part][i] = is_there(texel) ? gained(part, texel, k) : 0.0;
        }
    }
}

void sweep_tile() {
    const int wide = WIDE - 2, high = HIGH - 2;
    for (int j = int(gl_LocalInvocationIndex); j < wide * high; j += UP_COLUMNS * UP_ROWS) {
        int i = (j / wide + 1) * WIDE + j % wide + 1;
        ivec2 texel = texel_of(i);
        int k = index_of(level.grid, texel.x, texel.y);
        for (int part = 0; part < 2; part++) {
            tile[1][part][i] = is_there(texel) ? swept(0, part, i, k, CYCLE_SECOND) : 0.0;
        }
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
    for (int part = 0; part < 2; part++) {
        set_cycle_plane(CYCLE_la + part, k,
                        swept(1, part, place.y * WIDE + place.x, k, CYCLE_THIRD));
    }
}
