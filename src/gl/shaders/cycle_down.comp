#version 430 core
/* The forces of a coarse grid, how bodies hold it (cpu/held.c), and its first sweep. */
#include "gl/shaders/cycle.glsl"

layout(std430, binding = BIND_OTHER) restrict readonly buffer finer_buffer { float finer[]; };

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

float finer_at(int plane, int k) {
    return finer[plane * level.finer.size + k];
}

vec3 finer_vector(int plane, int k) {
    return vec3(finer_at(plane, k), finer_at(plane + 1, k), finer_at(plane + 2, k));
}

float row_at(int plane, int k) {
    return cycle_gather_row(finer_at(plane, k - 1), finer_at(plane, k), finer_at(plane, k + 1));
}

float gathered(int plane, int k) {
    int up = level.finer.stride;
    return cycle_gather(row_at(plane, k - up), row_at(plane, k), row_at(plane, k + up));
}

void hold_coarse(int k, int below) {
    vec3 sum = vec3(0.0);
    float total = 0.0;
    for (int n = 0; n < 9; n++) {
        int across = n % 3 - 1, along = n / 3 - 1;
        int f = below + across + along * level.finer.stride;
        float hold = finer_at(CYCLE_hold, f);
        if (hold != 0.0) {
            float inverse = finer_at(CYCLE_COUNT + MATRIX_inverse, f);
            float stiffness = grip_stiffness(hold, inverse, level.depth == 1);
            float w = cycle_weight(across, along) * k_abs(stiffness);
            total += w;
            sum = v3_madd(sum, finer_vector(CYCLE_nx, f), hold < 0.0 ? 0.0 : w);
        }
    }
    vec4 coarse = grip_coarse(sum, total);
    set_cycle(CYCLE_nx, k, coarse.xyz);
    set_cycle_plane(CYCLE_hold, k, coarse.w);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || is_settled()) {
        return;
    }
    int below = index_of(level.finer, 2 * texel.x, 2 * texel.y);
    vec3 r = vec3(gathered(CYCLE_tx, below), gathered(CYCLE_ty, below), gathered(CYCLE_tz, below));
    hold_coarse(k, below);
    vec3 e = CYCLE_FIRST * matrix_at(MATRIX_inverse, k) * r;
    set_cycle(CYCLE_rx, k, r);
    set_cycle(CYCLE_ex, k, sweep_held(k, e, e, 0.0));
}
