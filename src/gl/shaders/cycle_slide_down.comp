#version 430 core
/* Ways along the cloth, from a grid to the next coarser one: what the first sweep has left of the
 * forces, those forces, ground and diagonal there, and its first sweep; as in cpu/slide.c. Forces of
 * the finest grid go down as they are. A work group has a tile of the coarse grid, and the defect
 * of the finer texels around it. */
#include "gl/shaders/sway.glsl"

layout(std430, binding = BIND_OTHER) restrict buffer coarser_buffer { float coarser[]; };

layout(local_size_x = DOWN_COLUMNS, local_size_y = DOWN_ROWS) in;

const int WIDE = 2 * DOWN_COLUMNS + 1, HIGH = 2 * DOWN_ROWS + 1;

shared float defects[2][WIDE * HIGH];

vec3 ways_at(int plane, int k) {
    return vec3(cycle_plane_at(plane, k - 1), cycle_plane_at(plane, k),
                cycle_plane_at(plane, k + 1));
}

float defect_at(int part, int k) {
    int up = level.grid.stride, way = CYCLE_wa + part;
    float force = cycle_plane_at(CYCLE_ua + part, k);
    if (level.depth == 0) {
        return force;
    }
    vec3 here = ways_at(way, k);
    float near = swayed(couplings_at(k), ways_at(way, k - up), here.x, here.z,
                        ways_at(way, k + up));
    float left = cycle_defect(force, near, CYCLE_FIRST);
    return cycle_plane_at(CYCLE_ui, k) > 0.0 ? left : 0.0;
}

void fill_tile() {
    ivec2 corner = 2 * ivec2(gl_WorkGroupID.xy * gl_WorkGroupSize.xy) - 1;
    for (int i = int(gl_LocalInvocationIndex); i < WIDE * HIGH; i += DOWN_COLUMNS * DOWN_ROWS) {
        ivec2 texel = corner + ivec2(i % WIDE, i / WIDE);
        bool there = texel.x >= 0 && texel.y >= 0 && is_in(level.grid, texel);
        int k = index_of(level.grid, texel.x, texel.y);
        for (int part = 0; part < 2; part++) {
            defects[part][i] = there ? defect_at(part, k) : 0.0;
        }
    }
}

float row_at(int part, int i) {
    return cycle_gather_row(defects[part][i - 1], defects[part][i], defects[part][i + 1]);
}

float ground_row(int k) {
    return cycle_gather_row(cycle_plane_at(CYCLE_ug, k - 1), cycle_plane_at(CYCLE_ug, k),
                            cycle_plane_at(CYCLE_ug, k + 1));
}

void set_coarser(int plane, int k, float value) {
    coarser[plane * level.coarser.size + k] = value;
}

void main() {
    if (is_settled()) {
        return;
    }
    fill_tile();
    barrier();
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(level.coarser, texel)) {
        return;
    }
    int i = (2 * int(gl_LocalInvocationID.y) + 1) * WIDE + 2 * int(gl_LocalInvocationID.x) + 1;
    int to = index_of(level.coarser, texel.x, texel.y);
    int k = index_of(level.grid, 2 * texel.x, 2 * texel.y), up = level.grid.stride;
    float ground = cycle_gather(ground_row(k - up), ground_row(k), ground_row(k + up));
    float own = coarser[(CYCLE_COUNT + MATRIX_inverse) * level.coarser.size + to];
    float inverse = sway_inverse(own, ground);
    set_coarser(CYCLE_ug, to, ground);
    set_coarser(CYCLE_ui, to, inverse);
    for (int part = 0; part < 2; part++) {
        float force = cycle_gather(row_at(part, i - WIDE), row_at(part, i), row_at(part, i + WIDE));
        set_coarser(CYCLE_ua + part, to, force);
        set_coarser(CYCLE_wa + part, to, CYCLE_FIRST * inverse * force);
    }
}
