#version 430 core
/* How stiff couplings are in the substep: a row of a level a thread. */
#include "gl/shaders/newton_coupled.glsl"
#include "gl/shaders/newton_system.glsl"
#include "gl/shaders/newton_aims.glsl"

layout(local_size_x = GROUP_LINE) in;

/* z: the first aim */

/* Blocks are of springs alone. */
vec3 load_move(int k) {
    return vec3(0.0);
}

/* What a texel resists a move with by itself: springs, inertia and bending, so that touching a body
 * does not change how stiff a coupling is. */
block own_inverse(int k, system_block there) {
    if (!(load_inertia(k) > 0.0)) {
        return block_zero();
    }
    return block_inverse(block_lift(system_own(k, there.stride), NEWTON_BEND * there.bend));
}

block give_of(int row) {
    block give = block_zero();
    for (int k = 0; k < load_count(row); k++) {
        system_block there = panels[call.y + row_panel(row, k)];
        give = coupling_give(give, own_inverse(row_word(row, ROW_TEXELS + k), there),
                             load_row_weight(row, k));
    }
    return give;
}

block stiffness_of(int row) {
    int aim = call.z + row;
    return coupling_stiffness(aim_stiffness(aim), aim_along(aim), give_of(row));
}

/* A row is as stiff as those that were merged to it. */
block sum_finer(int row) {
    int first = coupled_at(COUPLED_FIRST_FINER) + row, list = coupled_at(COUPLED_FINER);
    int stiffness = int(couplings[COUPLED_WORDS * (call.w - 1) + COUPLED_STIFFNESS]);
    block sum = block_zero();
    for (uint i = couplings[first]; i < couplings[first + 1]; i++) {
        int finer = int(couplings[list + int(i)]);
        sum = block_add(sum, coupled_block(stiffness + STIFFNESS_WORDS * finer));
    }
    return sum;
}

void main() {
    int row = int(gl_GlobalInvocationID.x);
    if (row >= coupled_at(COUPLED_ROWS)) {
        return;
    }
    panel = panels[call.y];
    enter_level();
    block stiff = call.w == 0 ? stiffness_of(row) : sum_finer(row);
    int at = coupled_at(COUPLED_STIFFNESS) + STIFFNESS_WORDS * row;
    set_coupled_vector(at, stiff.diagonal);
    set_coupled_vector(at + 3, stiff.sides);
}
