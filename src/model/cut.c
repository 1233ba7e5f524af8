#include "model/cut.h"

/* ---- exact arithmetic ---------------------------------------------------------------------------
 */

/* A number as a sum of doubles that do not overlap, the largest last (Shewchuk, Adaptive Precision
 * Floating-Point Arithmetic and Fast Robust Geometric Predicates, 1997). */
enum { EXACT_TERMS = 48 };

typedef struct exact {
    double terms[EXACT_TERMS];
    int count;
} exact;

/* Shewchuk's figures 6 and 7: GROW-EXPANSION by TWO-SUM. */
static void add(exact *e, double x) {
    for (int i = 0; i < e->count; i++) {
        double sum = x + e->terms[i], virtual = sum - x;
        double error = (x - (sum - virtual)) + (e->terms[i] - virtual);
        e->terms[i] = error;
        x = sum;
    }
    e->terms[e->count++] = x;
}

/* A product of two floats is a double; that with a third one is two. */
static void add_product(exact *e, double x, double y, double z) {
    double xy = x * y, product = xy * z;
    add(e, fma(xy, z, -product));
    add(e, product);
}

/* 12 terms: the determinant of three points. */
static void add_determinant(exact *e, double sign, const double a[3], const double b[3],
                            const double c[3]) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        add_product(e, sign * a[k], b[i], c[j]);
        add_product(e, -sign * a[k], b[j], c[i]);
    }
}

static bool is_same(const double a[3], const double b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

double side_of_exactly(const double a[3], const double b[3], const double c[3], const double d[3]) {
    if (is_same(a, d) || is_same(b, d) || is_same(c, d)) { /* most: triangles share a vertex */
        return 0.0;
    }
    exact e = {.count = 0};
    add_determinant(&e, 1.0, b, c, d);
    add_determinant(&e, -1.0, a, c, d);
    add_determinant(&e, 1.0, a, b, d);
    add_determinant(&e, -1.0, a, b, c);
    int last = e.count - 1;
    while (last > 0 && e.terms[last] == 0.0) {
        last--;
    }
    return e.terms[last];
}

/* ---- two triangles ------------------------------------------------------------------------------
 */

/* Where the corners of a triangle are, seen from another one's plane. */
typedef struct sides {
    double of[3];
    bool above, below; /* is any? */
} sides;

static sides sides_of(double plane[3][3], double t[3][3]) {
    sides s = {.above = false};
    for (int k = 0; k < 3; k++) {
        s.of[k] = side_of(plane[0], plane[1], plane[2], t[k]);
        s.above = s.above || s.of[k] > 0.0;
        s.below = s.below || s.of[k] < 0.0;
    }
    return s;
}

/* The corner of a triangle with corners on both sides that has its side for itself. */
static int lone_corner(const sides *s) {
    for (int k = 0; k < 3; k++) {
        double other = s->of[(k + 1) % 3], another = s->of[(k + 2) % 3];
        if ((s->of[k] > 0.0 && other <= 0.0 && another <= 0.0) ||
            (s->of[k] < 0.0 && other >= 0.0 && another >= 0.0)) {
            return k;
        }
    }
    return 0;
}

/* Each plane cuts a piece out of the line that it has in common with the other one. Do the pieces
 * overlap? Guigue and Devillers, Fast and Robust Triangle-Triangle Overlap Test Using Orientation
 * Predicates, 2003. */
static bool pieces_overlap(double a[3][3], const sides *of_a, double b[3][3], const sides *of_b) {
    int i = lone_corner(of_a), j = lone_corner(of_b);
    int a_next = of_b->of[j] < 0.0 ? 2 : 1, b_next = of_a->of[i] < 0.0 ? 2 : 1;
    const double *p1 = a[i], *q1 = a[(i + a_next) % 3], *r1 = a[(i + 3 - a_next) % 3];
    const double *p2 = b[j], *q2 = b[(j + b_next) % 3], *r2 = b[(j + 3 - b_next) % 3];
    return side_of(q1, p2, p1, q2) < 0.0 && side_of(p1, p2, r1, r2) < 0.0;
}

/* Does an edge of a go through the inside of b? */
static bool edges_cut(double a[3][3], const sides *of_a, double b[3][3]) {
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        if (!(of_a->of[k] * of_a->of[next] < 0.0)) {
            continue;
        }
        double turns[3];
        for (int i = 0; i < 3; i++) {
            turns[i] = side_of(a[k], a[next], b[i], b[(i + 1) % 3]);
        }
        if ((turns[0] > 0.0 && turns[1] > 0.0 && turns[2] > 0.0) ||
            (turns[0] < 0.0 && turns[1] < 0.0 && turns[2] < 0.0)) {
            return true;
        }
    }
    return false;
}

/* A point beside the plane of a triangle, a float again. */
static void find_apex(double t[3][3], double apex[3]) {
    double largest = -1.0;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double normal = fabs((t[1][i] - t[0][i]) * (t[2][j] - t[0][j]) -
                             (t[1][j] - t[0][j]) * (t[2][i] - t[0][i]));
        if (normal > largest) {
            largest = normal;
            axis = k;
        }
        apex[k] = t[0][k];
    }
    apex[axis] = apex[axis] < 0.0 ? 1.0 : -1.0;
}

/* Has an edge of t all of another triangle of its plane beyond it, but for rounding? */
static bool edge_parts(double t[3][3], double other[3][3], const double apex[3]) {
    for (int k = 0; k < 3; k++) {
        const double *p = t[k], *q = t[(k + 1) % 3];
        double inner = side_of(p, q, t[(k + 2) % 3], apex), deepest = 0.0;
        for (int i = 0; i < 3; i++) {
            double side = side_of(p, q, other[i], apex);
            deepest = fmax(deepest, inner > 0.0 ? side : -side);
        }
        if (inner == 0.0 || !(deepest > 0.01 * fabs(inner))) {
            return true;
        }
    }
    return false;
}

cut_kind triangles_cut(double a[3][3], double b[3][3]) {
    /* Most triangles that are near each other lie on one side of each other's planes. */
    const sides of_a = sides_of(b, a);
    if (of_a.above != of_a.below) {
        return CUT_NONE;
    }
    const sides of_b = sides_of(a, b);
    if (of_b.above != of_b.below) {
        return CUT_NONE;
    }
    bool cut;
    if (of_a.above && of_b.above) {
        cut = pieces_overlap(a, &of_a, b, &of_b);
    } else if (of_a.above) { /* a has no area */
        cut = edges_cut(a, &of_a, b);
    } else if (of_b.above) {
        cut = edges_cut(b, &of_b, a);
    } else {
        double apex[3];
        find_apex(a, apex);
        return edge_parts(a, b, apex) || edge_parts(b, a, apex) ? CUT_NONE : CUT_TOGETHER;
    }
    return cut ? CUT_THROUGH : CUT_NONE;
}
