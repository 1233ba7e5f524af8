/* Where a rectangle of cloth is flat enough not to cut itself, so that nobody has to look.
 *
 * Let f map the pattern to where the cloth is. On a triangle its derivative is J = (a, b): an edge
 * along u by its rest length, and one along v. If one matrix M makes M^T J positive definite in all
 * triangles of a convex piece of the pattern, then for two points x, y of it
 *
 *     (x - y) . M^T (f(x) - f(y)) = integral of (x - y) . M^T J (x - y) along the way > 0,
 *
 * and they are in different places. With M = (a0, b0), the middles of boxes around all a and all b,
 * and their half diagonals r, s, this is so where min(|a0|^2, |b0|^2) - |a0 . b0| > r^2 + s^2.
 *
 * If that difference is `least` at least, f(x) and f(y) are apart by least / (|a0| + |b0|) times
 * the distance of x and y. Where texels go straight, so do edges: boxes around both ends of their
 * ways hold all that is between.
 *
 * Pieces are squares of 2, 4, 8 ... cells that begin every 1, 2, 4 ...: whatever is no larger than
 * half of one is inside of one. */
#ifndef TOILE_COOK_FLATNESS_H
#define TOILE_COOK_FLATNESS_H

#include "cook/tree.h"

enum { FLATNESS_LEVELS = 24, FLATNESS_CELLS = 1 };

/* Boxes around the edges along u and v of a square of cells, by their rest lengths. */
typedef struct tangents {
    float low[2][3], high[2][3];
} tangents;

typedef struct flat_level {
    uint32_t columns, rows; /* of squares, with FLATNESS_CELLS << level cells a side */
    tangents *tangents;     /* of each */
    uint8_t *flat;          /* the square of twice the size that begins there */
} flat_level;

/* Cells from the first to the last that a node of the tree has triangles in. */
typedef struct cell_span {
    uint32_t low[2], high[2];
} cell_span;

typedef struct flatness {
    const float *positions;      /* m, 3 a vertex, the caller's */
    const float *until;          /* likewise: flat all the way from there to here; or NULL */
    float least;                 /* of what the proof finds to be above 0: the least that counts */
    uint32_t columns, rows;      /* of vertices */
    float per_edge, per_last[2]; /* 1/m, of the rest lengths: all edges, but those along u in the
                                    last column of cells, along v in the last row */
    flat_level levels[FLATNESS_LEVELS];
    int level_count; /* 0: no rectangle; nothing is known to be flat */
    cell_span *spans;
} flatness;

/* spacing: m, of the vertices; last: of the last column and row, in spacings. */
toile_result flatness_create(flatness *f, const triangle_tree *tree, uint32_t columns,
                             uint32_t rows, float spacing, const float last[2]);
void flatness_free(flatness *f); /* zeroed is fine */

/* Fits some rows of the smallest squares; different ones may be fitted at once. Then the rest. */
void flatness_fit_rows(flatness *f, uint32_t first, uint32_t end);
void flatness_fit(flatness *f);

/* Instead of the rest: is all flat that was when it was fitted last, if only just? Squares that
 * were not stay what they are. */
bool flatness_lasts(flatness *f);

/* Can no triangles of the two nodes, by their numbers, have more in common than the vertices and
 * edges that they share? */
bool flatness_holds(const flatness *f, size_t a, size_t b);

/* The cell that has a triangle of a leaf; the smallest square that has two; and is that flat? */
cell_span cell_span_of(const flatness *f, const tree_leaf *l, int i);
bool flatness_holds_in(const flatness *f, const cell_span *s);

static inline uint32_t cell_lesser(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static inline uint32_t cell_greater(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static inline cell_span cell_span_join(const cell_span *a, const cell_span *b) {
    return (cell_span){
        {cell_lesser(a->low[0], b->low[0]), cell_lesser(a->low[1], b->low[1])},
        {cell_greater(a->high[0], b->high[0]), cell_greater(a->high[1], b->high[1])}};
}

#endif
