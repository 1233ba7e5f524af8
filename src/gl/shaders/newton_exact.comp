#version 430 core
/* The solution on a panel's coarsest level, W' W r. */
#include "gl/shaders/newton_panel.glsl"

shared float forces[PANEL_THREADS], halfway[PANEL_THREADS];

void main() {
    if (!enter_panel()) {
        return;
    }
    int n = 3 * panel.columns * panel.rows, own = int(gl_LocalInvocationID.x);
    if (own < n) {
        forces[own] = equation_at(EQ_residual + own % 3, place_of_unknown(own));
    }
    barrier();
    float sum = 0.0;
    for (int i = 0; i <= own && own < n; i++) {
        sum += factors[panel.factor + own * n + i] * forces[i];
    }
    halfway[own] = sum;
    barrier();
    sum = 0.0;
    for (int i = own; i < n; i++) {
        sum += factors[panel.factor + i * n + own] * halfway[i];
    }
    if (own < n) {
        set_equation(EQ_result + own % 3, place_of_unknown(own), sum);
    }
}
