#version 430 core
/* The solution on a part's coarsest level, W' W r. */
#define FACTOR_MEMORY readonly
#include "gl/shaders/newton_part.glsl"

shared float forces[PART_UNKNOWNS], halfway[PART_UNKNOWNS];

void main() {
    if (!enter_part()) {
        return;
    }
    int n = panel.unknowns, own = int(gl_LocalInvocationID.x);
    for (int row = own; row < n; row += PART_THREADS) {
        forces[row] = equation_at(EQ_residual + row % 3, place_of_unknown(row));
    }
    barrier();
    for (int row = own; row < n; row += PART_THREADS) {
        float sum = 0.0;
        for (int i = 0; i <= row; i++) {
            sum += factors[panel.factor + row * n + i] * forces[i];
        }
        halfway[row] = sum;
    }
    barrier();
    for (int row = own; row < n; row += PART_THREADS) {
        float sum = 0.0;
        for (int i = row; i < n; i++) {
            sum += factors[panel.factor + i * n + row] * halfway[i];
        }
        set_equation(EQ_result + row % 3, place_of_unknown(row), sum);
    }
}
