#version 430 core
/* The factor of a part's coarsest matrix, rows of it a thread. A matrix that does not fit into
 * shared memory is behind its factor. */
#define FACTOR_MEMORY coherent
#include "gl/shaders/newton_part.glsl"
#include "kernel/coarsest.h"
#include "kernel/link.h"

const int ROOM = SHARED_UNKNOWNS * SHARED_UNKNOWNS;

shared float matrix[ROOM], root[PART_UNKNOWNS]; /* root: of the inverse pivot */

int n, outside; /* where the matrix begins among the factors; 0: it is in shared memory */

float matrix_at(int row, int column) {
    return outside > 0 ? factors[outside + row * n + column] : matrix[row * n + column];
}

void set_matrix(int row, int column, float value) {
    if (outside > 0) {
        factors[outside + row * n + column] = value;
    } else {
        matrix[row * n + column] = value;
    }
}

/* The block of the texel from which `q` leads to this one, a row of it. */
void gather_block(int q, system_block own, ivec2 texel, int row) {
    ivec2 from = texel - ivec2(link_across(q), link_along(q));
    if (from.x < 0 || from.y < 0 || from.x >= own.columns) {
        return;
    }
    int low = coarsest_unknown(own.unknown, own.columns, from.x, from.y);
    int k = own.first + from.y * own.stride + from.x;
    for (int b = 0; b < 3; b++) {
        int number = coarsest_number((row - own.unknown) % 3, b);
        set_matrix(row, low + b, equation_at(EQ_east + 6 * q + number, k));
    }
}

/* A coupling adds to the row of a texel that has this weight in it. */
void gather_pairs(int coupling, int row, float weight) {
    block stiff = load_stiffness(coupling);
    for (int k = 0; k < load_count(coupling); k++) {
        float both = weight * load_row_weight(coupling, k);
        int low = row_word(coupling, ROW_UNKNOWNS + k);
        for (int b = 0; b < 3 && both != 0.0 && low <= row; b++) {
            float own = coarsest_from(stiff, row % 3, b);
            set_matrix(row, low + b, matrix_at(row, low + b) + both * own);
        }
    }
}

void gather_couplings(int row) {
    for (int c = 0; c < coupled_at(COUPLED_ROWS); c++) {
        for (int k = 0; k < load_count(c) && row_word(c, ROW_PART) == panel.part; k++) {
            float weight = load_row_weight(c, k);
            if (row_word(c, ROW_UNKNOWNS + k) == row / 3 * 3) {
                gather_pairs(c, row, weight);
            }
        }
    }
}

/* A row of the lower half. */
void gather_row(int row) {
    system_block own = panel_of(row);
    ivec2 texel = texel_of(own, row);
    for (int i = 0; i < n; i++) {
        set_matrix(row, i, 0.0);
    }
    for (int q = 0; q <= SYSTEM_LINKS; q++) {
        gather_block(q, own, texel, row);
    }
    if (panel.coupled != 0) {
        gather_couplings(row);
    }
}

/* What a column takes of a row; above: that of the column. */
void eliminate_from(int row, int k) {
    float begun = matrix_at(row, k), sum = begun;
    for (int m = 0; m < k; m++) {
        sum -= matrix_at(row, m) * matrix_at(k, m) * (root[m] * root[m]);
    }
    set_matrix(row, k, sum);
    if (row == k) {
        root[k] = coarsest_root(sum, begun, COARSEST_ROUNDING_FLOAT);
    }
}

/* The matrix becomes U with U root^2 U' what it was, column by column. */
void eliminate() {
    for (int k = 0; k < n; k++) {
        for (int row = k + int(gl_LocalInvocationID.x); row < n; row += PART_THREADS) {
            eliminate_from(row, k);
        }
        memoryBarrierBuffer();
        barrier();
    }
}

/* A column of W, by substitution. */
void invert(int column) {
    int at = panel.factor + column;
    for (int i = 0; i < n; i++) {
        float sum = i == column ? 1.0 : 0.0;
        for (int m = column; m < i; m++) {
            sum -= matrix_at(i, m) * root[m] * factors[at + m * n];
        }
        factors[at + i * n] = i < column ? 0.0 : sum * root[i];
    }
}

void main() {
    if (!enter_part()) {
        return;
    }
    n = panel.unknowns;
    outside = n > SHARED_UNKNOWNS ? panel.factor + n * n : 0;
    int own = int(gl_LocalInvocationID.x);
    for (int row = own; row < n; row += PART_THREADS) {
        gather_row(row);
    }
    memoryBarrierBuffer();
    barrier();
    eliminate();
    for (int column = own; column < n; column += PART_THREADS) {
        invert(column);
    }
}
