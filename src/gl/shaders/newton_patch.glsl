/* The matrix of a level times a vector, which a work group has in shared memory around its texels,
 * so that it can do what is next to the product, too. Two passes a level instead of five took a
 * seventh less at 481 x 481 on an H200, in CUDA; with Mesa's renderer, for which shared memory is no
 * nearer, they take longer. A texel is named by its places there and in the planes. */
#ifndef TOILE_GL_NEWTON_PATCH
#define TOILE_GL_NEWTON_PATCH

#define PLACE             ivec2
#define EQUATION_PLACE(k) (k).y
#include "gl/shaders/newton_tile.glsl"
#include "gl/shaders/newton_coupled.glsl"
#include "gl/shaders/newton_system.glsl"
#include "gl/shaders/newton_repels.glsl"

/* The shader's own: texels of the patch along both sides, with two more on each, and threads. */
const int PATCH = PATCH_COLUMNS * PATCH_ROWS;

shared float patch_moves[3][PATCH];

/* The shader's own: what is multiplied, at a texel that is there. */
vec3 moved_at(ivec2 texel, int k);
/* And at a texel of any panel of the finest level. */
vec3 moved_in(int number, int k);

vec3 load_move(ivec2 k) {
    return vec3(patch_moves[0][k.x], patch_moves[1][k.x], patch_moves[2][k.x]);
}

/* For all threads of the group. first: its first texel. */
void fill_patch(ivec2 first) {
    for (int i = int(gl_LocalInvocationIndex); i < PATCH; i += PATCH_THREADS) {
        ivec2 texel = first + ivec2(i % PATCH_COLUMNS, i / PATCH_COLUMNS) - 2;
        vec3 moved = vec3(0.0);
        if (all(greaterThanEqual(texel, ivec2(0))) && is_there(texel)) {
            moved = moved_at(texel, place_of(texel));
        }
        for (int axis = 0; axis < 3; axis++) {
            patch_moves[axis][i] = moved[axis];
        }
    }
    barrier();
}

/* The place of the texel so many columns and rows from the first. */
ivec2 in_patch(ivec2 first, ivec2 away) {
    return ivec2((away.y + 2) * PATCH_COLUMNS + away.x + 2, place_of(first + away));
}

/* Bending and couplings. */
vec3 held_at(ivec2 k, ivec2 up) {
    vec3 bent = system_bending(k, up) * panel.bend;
    int touched = panel.coupled != 0 ? touched_at(k.y) : 0;
    return touched != 0 ? bent + gather_touched(touched - 1) : bent;
}

/* What the other ends of springs that repel a texel do: EQ_contact has its own. */
vec3 repelled_at(int k) {
    ivec2 own = repels_of(k);
    vec3 sum = vec3(0.0);
    for (int s = own.x; s < own.y; s += REPEL_WORDS) {
        float acting = repel_float(s, REPEL_ACTING);
        if (acting > 0.0) {
            vec3 moved = moved_in(int(repels[s + REPEL_PANEL]), int(repels[s + REPEL_PLACE]));
            sum = repel_product(sum, repel_direction(s), acting, moved);
        }
    }
    return sum;
}

vec3 product_at(ivec2 k) {
    ivec2 up = ivec2(PATCH_COLUMNS, panel.stride);
    vec3 bent = held_at(k, up);
    if (call.w > 0) {
        return bent + system_coarse_row(k) + system_coarse_up(k, up) + system_coarse_down(k, up);
    }
    vec3 pressed = block_times(block_at(EQ_contact, k.y), load_move(k));
    vec3 sum = bent + system_yarns(k, up) + system_diagonals(k, up) + pressed;
    return panel.repels != 0 ? sum + repelled_at(k.y) : sum;
}

#endif
