/* Continuous collision as in Wang 2005 section 5.2, for comparison: the times at which four points
 * are coplanar are the roots of a cubic; of those in [0, 1] the smallest counts at which the vertex
 * is in the triangle, or the edges cross, within CUBIC_SLACK of their length (Bridson et al. 2002
 * section 7: 1e-6).
 *
 * Included once for each type: REAL is the type and CUBIC(name) what functions are called. */

static inline REAL CUBIC(dot)(const REAL *a, const REAL *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline REAL CUBIC(triple)(const REAL *a, const REAL *b, const REAL *c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static inline REAL CUBIC(value)(const REAL *k, REAL t) {
    return ((k[3] * t + k[2]) * t + k[1]) * t + k[0];
}

/* Two sides of the triangle, or the two edges, and what is between them; at the start, and their
 * ways. */
typedef struct CUBIC(sides) {
    REAL at[3][3], way[3][3];
} CUBIC(sides);

static inline CUBIC(sides) CUBIC(sides_of)(const ccd_case *x) {
    static const int ends[2][3][2] = {{{2, 1}, {3, 1}, {0, 1}}, {{1, 0}, {3, 2}, {2, 0}}};
    CUBIC(sides) s;
    for (int k = 0; k < 3; k++) {
        const int *e = ends[x->edges][k];
        v3 at = v3_sub(x->x[0][e[0]], x->x[0][e[1]]), end = v3_sub(x->x[1][e[0]], x->x[1][e[1]]);
        v3 way = v3_sub(end, at);
        REAL p[3] = {(REAL)at.x, (REAL)at.y, (REAL)at.z};
        REAL v[3] = {(REAL)way.x, (REAL)way.y, (REAL)way.z};
        memcpy(s.at[k], p, sizeof(p));
        memcpy(s.way[k], v, sizeof(v));
    }
    return s;
}

/* Are they where they are coplanar also within each other? The 2 x 2 system of the two sides. */
static inline bool CUBIC(inside)(const CUBIC(sides) * s, REAL t, bool edges) {
    REAL q[3][3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            q[k][i] = s->at[k][i] + t * s->way[k][i];
        }
    }
    REAL aa = CUBIC(dot)(q[0], q[0]), ab = CUBIC(dot)(q[0], q[1]), bb = CUBIC(dot)(q[1], q[1]);
    REAL ap = CUBIC(dot)(q[0], q[2]), bp = CUBIC(dot)(q[1], q[2]), det = aa * bb - ab * ab;
    REAL slack = (REAL)CUBIC_SLACK, u = (ap * bb - bp * ab) / det;
    REAL v = edges ? (ap * ab - bp * aa) / det : (bp * aa - ap * ab) / det;
    bool within = u >= -slack && v >= -slack;
    return within && (edges ? u <= 1 + slack && v <= 1 + slack : u + v <= 1 + slack);
}

/* The time of the first contact, or 2. */
static inline REAL CUBIC(first_contact)(const ccd_case *x) {
    CUBIC(sides) s = CUBIC(sides_of)(x);
    const REAL *a = s.at[0], *b = s.at[1], *c = s.at[2];
    const REAL *da = s.way[0], *db = s.way[1], *dc = s.way[2];
    REAL k[4] = {CUBIC(triple)(a, b, c),
                 CUBIC(triple)(da, b, c) + CUBIC(triple)(a, db, c) + CUBIC(triple)(a, b, dc),
                 CUBIC(triple)(a, db, dc) + CUBIC(triple)(da, b, dc) + CUBIC(triple)(da, db, c),
                 CUBIC(triple)(da, db, dc)};
    /* Between the ends and its extremes the cubic has one root at most. */
    REAL cuts[4] = {0, 1, 1, 1}, square = k[2] * k[2] - 3 * k[3] * k[1];
    if (square >= 0) {
        REAL half = -(k[2] + (REAL)copysign(sqrt((double)square), (double)k[2]));
        REAL r = half / (3 * k[3]), other = k[1] / half;
        cuts[1] = r > 0 && r < 1 ? r : 1;
        cuts[2] = other > 0 && other < 1 ? other : 1;
    }
    if (cuts[2] < cuts[1]) {
        REAL swap = cuts[1];
        cuts[1] = cuts[2];
        cuts[2] = swap;
    }
    for (int i = 0; i < 3; i++) {
        REAL low = cuts[i], high = cuts[i + 1], at_low = CUBIC(value)(k, low);
        REAL at_high = CUBIC(value)(k, high);
        if ((at_low > 0 && at_high > 0) || (at_low < 0 && at_high < 0)) {
            continue;
        }
        if (at_low == 0 && CUBIC(inside)(&s, low, x->edges)) {
            return low;
        }
        for (int halvings = 0; halvings < 40; halvings++) {
            REAL middle = (low + high) / 2;
            bool same = (CUBIC(value)(k, middle) > 0) == (at_low > 0);
            low = same ? middle : low;
            high = same ? high : middle;
        }
        if (CUBIC(inside)(&s, high, x->edges)) {
            return high;
        }
    }
    return 2;
}
