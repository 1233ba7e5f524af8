/* Pairs for continuous collision: random ones, and those that are hard on rounding and on roots. */
#ifndef TOILE_TEST_CCD_CASES_H
#define TOILE_TEST_CCD_CASES_H

#include <stdint.h>

#include "ccd_reference.h"
#include "kernel/ccd.h"

/* Four points at both ends of the step: a vertex and a triangle, or two edges. */
typedef struct ccd_case {
    v3 x[2][4];
    bool edges;
    float thickness, tolerance;
    double contact; /* a time at which the distance is exactly 0, or INFINITY: it is not known */
} ccd_case;

enum {
    FAMILY_RANDOM,   /* the size of their way is that of their edges, or far from it */
    FAMILY_CONTACT,  /* they touch at a known time, exactly: in a face, on an edge, at a corner */
    FAMILY_FLAT,     /* the same, and all in one plane at all times */
    FAMILY_GRAZE,    /* the same, but do not cross: a double root of the cubic */
    FAMILY_COLLAPSE, /* the same with triangles and edges without an area or a length */
    FAMILY_PARALLEL, /* the same with edges on one line or parallel, triangles edge-on */
    FAMILY_REST,     /* no motion at all, or all by the same */
    FAMILY_BESIDE,   /* one of the above, moved aside by next to nothing */
    FAMILY_SLIDE,    /* along the triangle at next to no distance */
    FAMILY_PIVOT,    /* turning about a corner next to the vertex */
    FAMILY_SLIVER,   /* over a long thin triangle, or edges that are nearly parallel */
    FAMILY_TWIST,    /* through each other and back: three roots */
    FAMILY_COUNT
};

static const char *const family_names[FAMILY_COUNT] = {
    "random",  "contact", "in a plane", "grazing", "collapsed", "parallel",
    "at rest", "beside",  "sliding",    "pivot",   "sliver",    "twisting"};

static uint64_t case_state = 88172645463325252u;

static inline uint64_t case_bits(void) { /* xorshift, Marsaglia 2003 */
    case_state ^= case_state << 13;
    case_state ^= case_state >> 7;
    case_state ^= case_state << 17;
    return case_state >> 11;
}

/* A whole number from low to high. */
static inline int whole(int low, int high) {
    return low + (int)(case_bits() % (uint64_t)(high - low + 1));
}

/* From -1 to 1. */
static inline float part(void) {
    return (float)((double)case_bits() / (double)(UINT64_C(1) << 52) - 1.0);
}

static inline v3 part_v3(float size) {
    v3 a = v3_make(part(), part(), part());
    return v3_scale(a, size);
}

static inline v3 whole_v3(int most, int step) {
    int x = step * whole(-most, most), y = step * whole(-most, most), z = step * whole(-most, most);
    return v3_make((float)x, (float)y, (float)z);
}

/* ---- contacts that are exact: whole numbers all the way -----------------------------------------
 */

/* Times are sixteenths, weights quarters: corners are multiples of 4 at the contact, ways of 64. */
typedef struct contact_case {
    v3 at[4], way[4];
    int weights[3], sixteenths; /* of edges: where on the first, where on the second, in quarters */
} contact_case;

static inline v3 weighted(const v3 *x, const int *weights) {
    v3 sum = v3_scale(x[0], (float)weights[0]);
    sum = v3_madd(v3_madd(sum, x[1], (float)weights[1]), x[2], (float)weights[2]);
    return v3_scale(sum, 0.25f);
}

/* Vertex 0 on triangle 1, 2, 3. */
static inline contact_case triangle_contact(int family) {
    contact_case c = {.sixteenths = whole(0, 16)};
    c.weights[0] = whole(0, 4);
    c.weights[1] = whole(0, 4 - c.weights[0]);
    c.weights[2] = 4 - c.weights[0] - c.weights[1];
    for (int k = 1; k < 4; k++) {
        c.at[k] = whole_v3(8, 4);
        c.way[k] = whole_v3(2, 64);
    }
    c.way[0] = whole_v3(2, 64);
    v3 ab = v3_sub(c.at[2], c.at[1]), ac = v3_sub(c.at[3], c.at[1]);
    if (family == FAMILY_COLLAPSE) {
        c.at[3] = whole(0, 3) ? v3_madd(c.at[1], ab, (float)whole(-1, 2)) : c.at[3];
        c.at[2] = whole(0, 3) ? c.at[2] : c.at[1];
        if (whole(0, 1)) {
            c.way[3] = v3_madd(c.way[1], v3_sub(c.way[2], c.way[1]), (float)whole(-1, 2));
        }
    } else if (family == FAMILY_GRAZE) { /* the vertex moves along the plane, as its foot does */
        v3 along = v3_add(v3_scale(ab, (float)whole(-4, 4)), v3_scale(ac, (float)whole(-4, 4)));
        c.way[0] = v3_madd(weighted(c.way + 1, c.weights), along, (float)whole(0, 2));
    } else if (family == FAMILY_PARALLEL) { /* edge-on: the triangle's way lies in its plane */
        for (int k = 1; k < 4; k++) {
            c.way[k] = v3_madd(v3_scale(ab, 16.0f), ac, (float)(16 * whole(-1, 1)));
        }
    }
    c.at[0] = weighted(c.at + 1, c.weights);
    return c;
}

/* Edge 0 1 and edge 2 3. */
static inline contact_case edge_contact(int family) {
    contact_case c = {.sixteenths = whole(0, 16), .weights = {whole(0, 4), whole(0, 4), 0}};
    for (int k = 0; k < 4; k++) {
        c.at[k] = whole_v3(8, 4);
        c.way[k] = whole_v3(2, 64);
    }
    v3 ab = v3_sub(c.at[1], c.at[0]), quarter = whole_v3(8, 1);
    if (family == FAMILY_PARALLEL) {
        quarter = v3_scale(ab, 0.25f * (float)whole(-3, 3));
        c.way[1] = whole(0, 1) ? c.way[0] : c.way[1];
        c.way[3] = whole(0, 1) ? c.way[2] : c.way[3];
    } else if (family == FAMILY_COLLAPSE) {
        c.at[1] = whole(0, 1) ? c.at[0] : c.at[1];
        quarter = whole(0, 1) ? v3_make(0.0f, 0.0f, 0.0f) : quarter;
        c.way[1] = whole(0, 1) ? c.way[0] : c.way[1];
    } else if (family == FAMILY_GRAZE) {
        v3 cd = v3_scale(quarter, 4.0f);
        v3 along = v3_madd(v3_scale(ab, (float)whole(-2, 2)), cd, (float)whole(-2, 2));
        c.way[1] = c.way[0];
        c.way[3] = c.way[2] = v3_madd(c.way[0], along, (float)whole(0, 2));
    }
    v3 meeting = v3_madd(c.at[0], v3_sub(c.at[1], c.at[0]), 0.25f * (float)c.weights[0]);
    c.at[2] = v3_madd(meeting, quarter, (float)-c.weights[1]);
    c.at[3] = v3_madd(meeting, quarter, (float)(4 - c.weights[1]));
    return c;
}

/* Linear maps keep contacts. These are of small whole numbers, and may be singular. */
static inline v3 mapped(v3 a, const v3 *columns) {
    return v3_madd(v3_madd(v3_scale(columns[0], a.x), columns[1], a.y), columns[2], a.z);
}

/* Up to here all are multiples of 1/4 below 2^14, so that up to 2^21 away from the origin all is
 * exact. Then a power of two as the unit. */
static inline ccd_case exact_case(int family) {
    ccd_case x = {.edges = whole(0, 1)};
    contact_case c = x.edges ? edge_contact(family) : triangle_contact(family);
    v3 columns[3] = {whole_v3(2, 1), whole_v3(2, 1), whole_v3(2, 1)};
    v3 away = whole(0, 3) ? v3_make(0.0f, 0.0f, 0.0f) : whole_v3(1 << 9, 1 << 12);
    float unit = ldexpf(1.0f, whole(0, 2) ? -11 : whole(-24, 8));
    v3 common = whole_v3(whole(0, 1), 64);
    for (int k = 0; k < 4; k++) {
        if (family == FAMILY_FLAT) {
            c.at[k].z = 0.0f;
            c.way[k].z = 0.0f;
        } else if (family == FAMILY_REST) {
            c.way[k] = common;
        }
    }
    for (int k = 0; k < 4; k++) {
        v3 at = mapped(c.at[k], columns), way = mapped(c.way[k], columns);
        v3 start = v3_add(away, v3_madd(at, way, -(float)c.sixteenths / 16.0f));
        x.x[0][k] = v3_scale(start, unit);
        x.x[1][k] = v3_scale(v3_add(start, way), unit);
    }
    x.contact = (double)c.sixteenths / 16.0;
    return x;
}

/* ---- the rest -----------------------------------------------------------------------------------
 */

static inline ccd_case random_case(void) {
    ccd_case x = {.edges = whole(0, 1), .contact = INFINITY};
    float way = 0.02f * ldexpf(1.0f, whole(0, 1) ? 0 : whole(-16, 16));
    v3 common = part_v3(way), away = part_v3(whole(0, 3) ? 0.0f : 100.0f);
    for (int k = 0; k < 4; k++) {
        v3 at = part_v3(0.02f);
        x.x[0][k] = v3_add(away, at);
        v3 own = k < (x.edges ? 2 : 1) ? v3_add(common, part_v3(way)) : part_v3(0.1f * way);
        x.x[1][k] = v3_add(x.x[0][k], own);
    }
    return x;
}

/* Vertex or edge along the plane z = 0, in which the triangle or the other edge lies, or nearly. */
static inline ccd_case sliding_case(void) {
    ccd_case x = random_case();
    int first = x.edges ? 2 : 1;
    float height = ldexpf(1e-3f, -whole(0, 16)), way = 0.05f * part();
    for (int k = 0; k < 4; k++) {
        x.x[0][k] = part_v3(0.02f);
        x.x[0][k].z = k < first ? height * (1.0f + 0.5f * part()) : 0.0f;
        x.x[1][k] = x.x[0][k];
        if (k < first) {
            x.x[1][k].x += way;
        } else {
            x.x[1][k].z = height * part();
        }
    }
    return x;
}

/* One corner stays, next to the vertex or the edge, and the others swing past. */
static inline ccd_case pivot_case(void) {
    ccd_case x = random_case();
    int first = x.edges ? 2 : 1;
    float near = ldexpf(1e-2f, -whole(0, 10));
    for (int k = 0; k < 4; k++) {
        x.x[0][k] = part_v3(k < first ? near : 0.02f);
        x.x[1][k] = x.x[0][k];
    }
    x.x[0][first] = x.x[1][first] = part_v3(0.1f * near);
    for (int k = first + 1; k < 4; k++) {
        x.x[1][k] = v3_add(x.x[0][k], part_v3(0.2f));
    }
    if (x.edges) {
        x.x[0][1] = x.x[1][1] = part_v3(0.02f);
    }
    return x;
}

/* Three corners nearly on a line and the fourth over them, or two edges side by side: as far from
 * each other as the sliver is wide, or less. */
static inline ccd_case sliver_case(void) {
    ccd_case x = random_case();
    v3 along = part_v3(0.02f), across = part_v3(0.02f * ldexpf(1.0f, -whole(3, 20)));
    v3 out = v3_scale(v3_cross(ccd_unit(along), across), 1.0f + part());
    v3 sum = v3_make(0.0f, 0.0f, 0.0f);
    for (int k = 0; k < 4; k++) {
        bool first = k < (x.edges ? 2 : 1);
        x.x[0][k] = v3_madd(v3_scale(along, part()), across, part());
        if (!x.edges && first) { /* over the middle of the triangle, which comes later */
            continue;
        }
        x.x[0][k] = first ? v3_add(x.x[0][k], out) : x.x[0][k];
        sum = v3_madd(sum, x.x[0][k], 1.0f / 3.0f);
    }
    if (!x.edges) {
        x.x[0][0] = v3_add(sum, out);
    }
    for (int k = 0; k < 4; k++) {
        x.x[1][k] = v3_add(x.x[0][k], v3_madd(part_v3(0.3f * v3_largest(out)), along, part()));
    }
    return x;
}

/* Every corner goes to the other side. */
static inline ccd_case twisting_case(void) {
    ccd_case x = random_case();
    for (int k = 0; k < 4; k++) {
        x.x[1][k] = v3_madd(part_v3(0.005f), x.x[0][k], -1.0f);
    }
    return x;
}

static inline ccd_case make_case(int family) {
    ccd_case x;
    if (family == FAMILY_RANDOM) {
        x = random_case();
    } else if (family == FAMILY_SLIDE) {
        x = sliding_case();
    } else if (family == FAMILY_PIVOT) {
        x = pivot_case();
    } else if (family == FAMILY_SLIVER) {
        x = sliver_case();
    } else if (family == FAMILY_TWIST) {
        x = twisting_case();
    } else if (family == FAMILY_BESIDE) {
        x = exact_case(whole(FAMILY_CONTACT, FAMILY_REST));
        v3 aside = part_v3(ldexpf(v3_largest(v3_sub(x.x[1][0], x.x[0][0])), -whole(3, 20)));
        for (int k = 0; k < (x.edges ? 2 : 1); k++) {
            x.x[0][k] = v3_add(x.x[0][k], aside);
            x.x[1][k] = v3_add(x.x[1][k], aside);
        }
        x.contact = INFINITY;
    } else {
        x = exact_case(family);
    }
    x.thickness = whole(0, 1) ? 0.0f : 1e-3f * (1.0f + part());
    x.tolerance = whole(0, 1) ? 0.0f : 1e-5f;
    return x;
}

/* ---- the case as the kernel and as the reference see it -----------------------------------------
 */

static inline ccd_quad case_quad(const ccd_case *x, int end) {
    const v3 *a = x->x[end];
    return x->edges ? ccd_from_edges(a[0], a[1], a[2], a[3])
                    : ccd_from_triangle(a[0], a[1], a[2], a[3]);
}

static inline d3 difference(v3 a, v3 b) {
    return (d3){(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
}

static inline moving case_moving(const ccd_case *x) {
    static const int edge_ends[4][2] = {{0, 2}, {1, 2}, {1, 3}, {0, 3}};
    static const int triangle_ends[4][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 3}};
    moving m = {.size = (double)x->thickness};
    for (int k = 0; k < 4; k++) {
        const int *ends = x->edges ? edge_ends[k] : triangle_ends[k];
        d3 end = difference(x->x[1][ends[0]], x->x[1][ends[1]]);
        m.start[k] = difference(x->x[0][ends[0]], x->x[0][ends[1]]);
        m.way[k] = d3_sub(end, m.start[k]);
        d3 s = m.start[k];
        m.size = fmax(m.size, fmax(fmax(fabs(s.x), fabs(s.y)), fabs(s.z)));
        m.size = fmax(m.size, fmax(fmax(fabs(end.x), fabs(end.y)), fabs(end.z)));
    }
    return m;
}

#endif
