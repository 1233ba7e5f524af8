#version 430 core
/* What conjugate gradients have found onto positions, and how hard bodies press then. */
#include "gl/shaders/newton_cloth.glsl"
#include "gl/shaders/newton_sum.glsl"

/* Returns how far, squared. */
float move_texel(int k) {
    int shift = call.z + PART_SHIFT;
    float inertia = equation_at(EQ_inertia, k);
    vec3 all = vec3(parts[shift], parts[shift + 1], parts[shift + 2]);
    vec3 move = v3_madd(vector_at(EQ_move, k), all, k_select(inertia > 0.0, 1.0, 0.0));
    vec3 place = level_at(LEVEL_x, k) + move;
    set_level(LEVEL_x, k, place);
    float gap = implicit_plane_at(IMPLICIT_gap, k);
    if (gap < TOUCH_FAR) {
        float hold = implicit_plane_at(IMPLICIT_hold, k);
        set_implicit_plane(IMPLICIT_hold, k, touch_pressure(gap, implicit_at(IMPLICIT_nx, k), move,
                                                      contact_times() * inertia, hold));
        set_implicit(IMPLICIT_gx, k, implicit_at(IMPLICIT_gx, k) + move);
    }
    return solve_moved(place, move);
}

void main() {
    int k = enter();
    if (rests()) {
        return;
    }
    float moved = 0.0;
    if (is_there()) {
        moved = move_texel(k);
    }
    vec4 sum = sum_tile(vec4(0.0, 0.0, 0.0, moved), true);
    if (gl_LocalInvocationIndex == 0u) {
        parts[sums_at() + SUMS_MOVED] = sum.w;
    }
}
