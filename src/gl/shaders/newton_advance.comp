#version 430 core
/* Along the direction of conjugate gradients, and the first sweep of the next cycle. */
#include "gl/shaders/newton_tile.glsl"
#include "gl/shaders/newton_sum.glsl"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

/* Returns the force that is left. */
vec3 advance(int k) {
    float alpha = part_at(PART_ALPHA);
    vec3 r = v3_madd(vector_at(EQ_residual, k), vector_at(EQ_product, k), -alpha);
    set_vector(EQ_move, k, v3_madd(vector_at(EQ_move, k), vector_at(EQ_direction, k), alpha));
    set_vector(EQ_residual, k, r);
    set_vector(EQ_guess, k, solve_first(block_at(EQ_inverse, k), r));
    return r;
}

/* call.z: which iteration of conjugate gradients it is. That which solves the part is made. */
bool is_solved() {
    float after = part_at(PART_SOLVED);
    return after != 0.0 && after < float(call.z);
}

void main() {
    enter_tile();
    if (part_at(PART_RESTS) != 0.0 || is_solved()) {
        return;
    }
    vec3 left = vec3(0.0);
    if (is_there(own_texel())) {
        left = advance(place_of(own_texel()));
    }
    if (part_at(PART_LOOSE) != 0.0) {
        vec4 sum = sum_tile(vec4(left, 0.0), false);
        if (gl_LocalInvocationIndex == 0u) {
            for (int i = 0; i < 3; i++) {
                parts[sums_at() + SUMS_FORCE + i] = sum[i];
            }
        }
    }
}
