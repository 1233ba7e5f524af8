#version 430 core
/* From a grid to the next coarser one: what the first sweep has left of the forces, those forces
 * there, how bodies hold it (cpu/held.c), and its first sweep. A work group has a tile of the
 * coarse grid, and the defect of the finer texels around it. */
#include "gl/shaders/cycle.glsl"

layout(std430, binding = BIND_OTHER) restrict buffer coarser_buffer { float coarser[]; };

layout(local_size_x = DOWN_COLUMNS, local_size_y = DOWN_ROWS) in;

const int WIDE = 2 * DOWN_COLUMNS + 1, HIGH = 2 * DOWN_ROWS + 1;

shared float defects[3][WIDE * HIGH];

void set_coarser(int plane, int k, vec3 value) {
    for (int axis = 0; axis < 3; axis++) {
        coarser[(plane + axis) * level.coarser.size + k] = value[axis];
    }
}

vec3 defect_at(int k) {
    vec3 r = cycle_at(CYCLE_rx, k), near = around(CYCLE_ex, k);
    vec3 t = vec3(cycle_defect(r.x, near.x, CYCLE_FIRST), cycle_defect(r.y, near.y, CYCLE_FIRST),
                  cycle_defect(r.z, near.z, CYCLE_FIRST));
    return level.depth == 0 ? hold_back(k, t) : t;
}

void fill_tile() {
    ivec2 corner = 2 * ivec2(gl_WorkGroupID.xy * gl_WorkGroupSize.xy) - 1;
    for (int i = int(gl_LocalInvocationIndex); i < WIDE * HIGH; i += DOWN_COLUMNS * DOWN_ROWS) {
        ivec2 texel = corner + ivec2(i % WIDE, i / WIDE);
        bool there = texel.x >= 0 && texel.y >= 0 && is_in(level.grid, texel);
        vec3 t = there ? defect_at(index_of(level.grid, texel.x, texel.y)) : vec3(0.0);
        for (int axis = 0; axis < 3; axis++) {
            defects[axis][i] = t[axis];
        }
    }
}

float row_at(int axis, int i) {
    return cycle_gather_row(defects[axis][i - 1], defects[axis][i], defects[axis][i + 1]);
}

float gathered(int axis, int i) {
    return cycle_gather(row_at(axis, i - WIDE), row_at(axis, i), row_at(axis, i + WIDE));
}

/* The normal of a coarse texel, and how stiffly it is held. */
vec4 hold_coarse(int below) {
    vec3 sum = vec3(0.0);
    float total = 0.0;
    for (int n = 0; n < 9; n++) {
        int across = n % 3 - 1, along = n / 3 - 1;
        int f = below + across + along * level.grid.stride;
        float hold = cycle_plane_at(CYCLE_hold, f);
        if (hold != 0.0) {
            float inverse = matrix_at(MATRIX_inverse, f);
            float stiffness = grip_stiffness(hold, inverse, level.depth == 0);
            float w = cycle_weight(across, along) * k_abs(stiffness);
            total += w;
            sum = v3_madd(sum, cycle_at(CYCLE_nx, f), hold < 0.0 ? 0.0 : w);
        }
    }
    return grip_coarse(sum, total);
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
    int k = index_of(level.coarser, texel.x, texel.y);
    vec3 r = vec3(gathered(0, i), gathered(1, i), gathered(2, i));
    vec4 held = hold_coarse(index_of(level.grid, 2 * texel.x, 2 * texel.y));
    float inverse = coarser[(CYCLE_COUNT + MATRIX_inverse) * level.coarser.size + k];
    vec3 e = CYCLE_FIRST * inverse * r;
    set_coarser(CYCLE_nx, k, held.xyz);
    coarser[CYCLE_hold * level.coarser.size + k] = held.w;
    set_coarser(CYCLE_rx, k, r);
    set_coarser(CYCLE_ex, k, grip_sweep(e, e, 0.0, held.xyz, held.w, inverse));
}
