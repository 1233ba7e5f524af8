#version 430 core
/* The factor of a panel's coarsest matrix, a row of it a thread. Bending is left out: cloth this
 * coarse is not held by it. */
#include "gl/shaders/newton_panel.glsl"

const int ROOM = PANEL_UNKNOWNS * PANEL_UNKNOWNS;

/* A texel that nothing holds keeps its place: its pivot is infinite. Rounding of floats in a pivot,
 * as a share of the number it began with. */
const float ROUNDING = 4e-6;

shared float matrix[ROOM], root[PANEL_UNKNOWNS]; /* root: of the inverse pivot */

/* The block of a texel and the one that `q` leads to, the row a of it. */
void gather_block(int q, ivec2 from, int row, int n) {
    if (from.x < 0 || from.y < 0 || from.x >= panel.columns) {
        return;
    }
    int a = row % 3, low = 3 * (from.y * panel.columns + from.x), k = place_of(from);
    for (int b = 0; b < 3; b++) {
        int number = a == b ? a : 6 - a - b; /* of xx, yy, zz, yz, xz, xy */
        matrix[row * n + low + b] = equation_at(EQ_east + 6 * q + number, k);
    }
}

/* A row of the lower half. */
void gather_row(int row, int n) {
    ivec2 texel = ivec2(row / 3 % panel.columns, row / 3 / panel.columns);
    for (int i = 0; i < n; i++) {
        matrix[row * n + i] = 0.0;
    }
    gather_block(SYSTEM_EAST, texel - ivec2(1, 0), row, n);
    gather_block(SYSTEM_NORTH, texel - ivec2(0, 1), row, n);
    gather_block(SYSTEM_RISE, texel - ivec2(1, 1), row, n);
    gather_block(SYSTEM_LEFT, texel - ivec2(-1, 1), row, n);
    gather_block(SYSTEM_OWN, texel, row, n);
}

/* matrix becomes U with U root^2 U' what it was, column by column. */
void eliminate(int row, int n) {
    float least = row < n ? ROUNDING * matrix[row * n + row] : 0.0;
    for (int k = 0; k < n; k++) {
        if (row >= k && row < n) {
            float sum = matrix[row * n + k];
            for (int m = 0; m < k; m++) {
                sum -= matrix[row * n + m] * matrix[k * n + m] * (root[m] * root[m]);
            }
            matrix[row * n + k] = sum;
            if (row == k) {
                root[k] = sum > least ? inversesqrt(sum) : 0.0;
            }
        }
        barrier();
    }
}

/* A column of W, by substitution. */
void invert(int column, int n) {
    int at = panel.factor + column;
    for (int i = 0; i < n; i++) {
        float sum = i == column ? 1.0 : 0.0;
        for (int m = column; m < i; m++) {
            sum -= matrix[i * n + m] * root[m] * factors[at + m * n];
        }
        factors[at + i * n] = i < column ? 0.0 : sum * root[i];
    }
}

void main() {
    if (!enter_panel()) {
        return;
    }
    int n = 3 * panel.columns * panel.rows, own = int(gl_LocalInvocationID.x);
    if (own < n) {
        gather_row(own, n);
    }
    eliminate(own, n);
    if (own < n) {
        invert(own, n);
    }
}
