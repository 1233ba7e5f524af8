/* The matrix of a part's coarsest level, which is factored by Cholesky's method: three unknowns a
 * texel, row by row, those of one panel after the other. Bending is left out: cloth this coarse is
 * not held by it. */
#ifndef TOILE_KERNEL_COARSEST_H
#define TOILE_KERNEL_COARSEST_H

#include "kernel/block.h"

/* first: the first unknown of the panel. */
KERNEL_FN int coarsest_unknown(int first, int columns, int column, int row) {
    return first + 3 * (row * columns + column);
}

/* The place of a symmetric block's number in xx, yy, zz, yz, xz, xy. */
KERNEL_FN int coarsest_number(int a, int b) {
    return a == b ? a : 6 - a - b;
}

KERNEL_FN float coarsest_from(block b, int row, int column) {
    v3 part = v3_select(row == column, b.diagonal, b.sides);
    int i = row == column ? row : 3 - row - column; /* yz, xz, xy: the axis that is not there */
    return k_select(i == 0, part.x, k_select(i == 1, part.y, part.z));
}

/* What of a pivot is rounding, as a share of the number it began with: blocks are floats, and
 * elimination in floats adds to that. */
#define COARSEST_ROUNDING       1e-6
#define COARSEST_ROUNDING_FLOAT 4e-6

/* The root of the inverse of a pivot. A texel that nothing holds keeps its place: its pivot is
 * infinite. */
KERNEL_FN k_real coarsest_root(k_real pivot, k_real begun, k_real rounding) {
    bool held = pivot > rounding * begun;
    return held ? 1.0f / k_root(pivot) : 0.0f;
}

#endif
