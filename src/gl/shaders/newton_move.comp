#version 430 core
/* What conjugate gradients have found onto positions, and how hard bodies press then. */
#include "gl/shaders/newton_tile.glsl"
#include "gl/shaders/newton_sum.glsl"
#include "kernel/touch.h"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

/* Returns how far, squared. */
float move_texel(int k) {
    float inertia = equation_at(EQ_inertia, k);
    vec3 all = vec3(part_at(PART_SHIFT), part_at(PART_SHIFT + 1), part_at(PART_SHIFT + 2));
    vec3 move = v3_madd(vector_at(EQ_move, k), all, k_select(inertia > 0.0, 1.0, 0.0));
    vec3 place = vector_at(EQ_place, k) + move;
    set_vector(EQ_place, k, place);
    float gap = equation_at(EQ_gap, k);
    if (gap < TOUCH_FAR) {
        float hold = touch_pressure(gap, vector_at(EQ_normal, k), move, panel.press * inertia,
                                    equation_at(EQ_hold, k));
        set_equation(EQ_hold, k, hold);
        set_vector(EQ_gone, k, vector_at(EQ_gone, k) + move);
    }
    return solve_moved(place, move);
}

void main() {
    enter_tile();
    if (is_settled()) {
        return;
    }
    float moved = 0.0;
    if (is_there(own_texel())) {
        moved = move_texel(place_of(own_texel()));
    }
    vec4 sum = sum_tile(vec4(0.0, 0.0, 0.0, moved), true);
    if (gl_LocalInvocationIndex == 0u) {
        parts[sums_at() + SUMS_MOVED] = sum.w;
    }
}
