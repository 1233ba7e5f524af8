#version 430 core
/* The solution on the coarsest level of a part that newton_small does not take. */
#define FACTOR_MEMORY readonly
#define SOLUTION_UNKNOWNS PART_UNKNOWNS
#include "gl/shaders/newton_part.glsl"
#include "gl/shaders/newton_solution.glsl"

void main() {
    if (!enter_part() || panel.small != 0) {
        return;
    }
    int n = panel.unknowns, own = int(gl_LocalInvocationID.x);
    for (int row = own; row < n; row += PART_THREADS) {
        forces[row] = equation_at(EQ_residual + row % 3, place_of_unknown(row));
    }
    barrier();
    for (int row = own; row < n; row += PART_THREADS) {
        go_halfway(row);
    }
    barrier();
    for (int row = own; row < n; row += PART_THREADS) {
        set_equation(EQ_result + row % 3, place_of_unknown(row), solution_at(row));
    }
}
