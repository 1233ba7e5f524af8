#include "figure/measure.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

const girth_range chest_range = {0.690, 0.735, 1.0};
const girth_range waist_range = {0.580, 0.660, -1.0};
const girth_range hip_range = {0.465, 0.550, 1.0};

/* Fractions of the stature: how far out the tip of the shoulder is, how long a hand. */
#define SHOULDER_TIP 0.105
#define HAND_LENGTH  0.108

/* ---- slices -------------------------------------------------------------------------------------
 */

typedef struct slicer {
    const float *positions;
    const uint32_t *indices;
    size_t vertices, triangles;
    int side, depth; /* which coordinates are across and along the view of the body */
    double middle;   /* m across: where the body is cut in halves */
    vec low, high;   /* m, across, up, along */
    vec *points;     /* of one slice: two per triangle that it cuts */
    vec *gaps;       /* x and z: where a piece of the slice begins and ends */
    size_t count;    /* points */
} slicer;

static vec vertex_at(const slicer *s, uint32_t index) {
    const float *p = s->positions + 3 * (size_t)index;
    return vec_make((double)p[s->side], (double)p[1], (double)p[s->depth]);
}

static void cut_triangle(slicer *s, size_t triangle, double level) {
    const uint32_t *v = s->indices + 3 * triangle;
    for (int k = 0; k < 3; k++) {
        vec a = vertex_at(s, v[k]), b = vertex_at(s, v[(k + 1) % 3]);
        if ((a.y < level) != (b.y < level)) {
            s->points[s->count++] = vec_lerp(a, b, (level - a.y) / (b.y - a.y));
        }
    }
}

static int compare_starts(const void *a, const void *b) {
    const vec *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

/* The piece of the slice that the middle lies in, as a range across. Arms and legs that stand apart
 * are other pieces. */
static bool find_piece(slicer *s, double level, double *from, double *to) {
    s->count = 0;
    for (size_t t = 0; t < s->triangles; t++) {
        cut_triangle(s, t, level);
    }
    size_t gaps = s->count / 2;
    for (size_t i = 0; i < gaps; i++) {
        double a = s->points[2 * i].x, b = s->points[2 * i + 1].x;
        s->gaps[i] = vec_make(fmin(a, b), 0.0, fmax(a, b));
    }
    qsort(s->gaps, gaps, sizeof *s->gaps, compare_starts);
    for (size_t i = 0; i < gaps;) {
        *from = s->gaps[i].x;
        *to = s->gaps[i].z;
        for (i++; i < gaps && s->gaps[i].x <= *to; i++) {
            *to = fmax(*to, s->gaps[i].z);
        }
        if (*from <= s->middle && s->middle <= *to) {
            return true;
        }
    }
    return false;
}

static int compare_points(const void *a, const void *b) {
    const vec *p = a, *q = b;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return (p->z > q->z) - (p->z < q->z);
}

static double turn(vec a, vec b, vec c) {
    return (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
}

/* One half of the hull (Andrew's monotone chain), in place of the points given. */
static double chain_length(const vec *points, size_t count, bool back, vec *chain) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        vec p = points[back ? count - 1 - i : i];
        while (used > 1 && turn(chain[used - 2], chain[used - 1], p) <= 0.0) {
            used--;
        }
        chain[used++] = p;
    }
    double length = 0.0;
    for (size_t i = 1; i < used; i++) {
        double x = chain[i].x - chain[i - 1].x, z = chain[i].z - chain[i - 1].z;
        length += sqrt(x * x + z * z);
    }
    return length;
}

double hull_length(vec *points, size_t count) {
    if (count < 3) {
        return 0.0;
    }
    vec *chain = memory_alloc(count, sizeof *chain, "a slice");
    if (!chain) {
        return 0.0;
    }
    qsort(points, count, sizeof *points, compare_points);
    double length =
        chain_length(points, count, false, chain) + chain_length(points, count, true, chain);
    free(chain);
    return length;
}

/* ---- measurements -------------------------------------------------------------------------------
 */

static double girth_at(slicer *s, double level) {
    double from, to;
    if (!find_piece(s, level, &from, &to)) {
        return 0.0;
    }
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->points[i].x >= from && s->points[i].x <= to) {
            s->points[kept++] = s->points[i];
        }
    }
    return hull_length(s->points, kept);
}

static double find_girth(slicer *s, girth_range range, double *level) {
    double height = s->high.y - s->low.y, best = 0.0;
    for (int i = 0; i <= GIRTH_LEVELS; i++) {
        double fraction = range.low + (range.high - range.low) * i / GIRTH_LEVELS;
        double girth = girth_at(s, s->low.y + fraction * height);
        if (girth > 0.0 && (best == 0.0 || range.sign * girth > range.sign * best)) {
            best = girth;
            *level = fraction * height;
        }
    }
    return best;
}

/* Down from the seat to where the middle of the body is free. */
static double find_inseam(slicer *s) {
    double height = s->high.y - s->low.y, from, to;
    double above = 0.55, below = 0.0;
    for (int percent = 55; percent > 30 && below == 0.0; percent--) {
        double fraction = 0.01 * percent;
        if (find_piece(s, s->low.y + fraction * height, &from, &to)) {
            above = fraction;
        } else {
            below = fraction;
        }
    }
    for (int i = 0; i < 12 && below > 0.0; i++) {
        double fraction = 0.5 * (above + below);
        if (find_piece(s, s->low.y + fraction * height, &from, &to)) {
            above = fraction;
        } else {
            below = fraction;
        }
    }
    return below * height;
}

/* Where an upright plane cuts the surface highest: the tip of the shoulder. */
static vec find_shoulder(const slicer *s, double out) {
    vec shoulder = {out, s->low.y, 0.0};
    for (size_t i = 0; i < 3 * s->triangles; i++) {
        vec a = vertex_at(s, s->indices[i]),
            b = vertex_at(s, s->indices[i % 3 == 2 ? i - 2 : i + 1]);
        if ((a.x < out) != (b.x < out)) {
            vec p = vec_lerp(a, b, (out - a.x) / (b.x - a.x));
            shoulder = p.y > shoulder.y ? p : shoulder;
        }
    }
    return shoulder;
}

static double find_arm(const slicer *s) {
    double height = s->high.y - s->low.y;
    vec tip = vertex_at(s, 0), shoulder = find_shoulder(s, s->middle + SHOULDER_TIP * height);
    for (size_t v = 0; v < s->vertices; v++) {
        vec p = vertex_at(s, (uint32_t)v);
        tip = p.x > tip.x ? p : tip;
    }
    double length = vec_length(vec_sub(tip, shoulder)) - HAND_LENGTH * height;
    /* Arms in front of the body or behind it end somewhere else. */
    return length > 0.2 * height && length < 0.5 * height ? length : 0.0;
}

static void find_box(slicer *s) {
    s->low = s->high = vertex_at(s, 0);
    for (size_t v = 1; v < s->vertices; v++) {
        vec p = vertex_at(s, (uint32_t)v);
        s->low = vec_make(fmin(s->low.x, p.x), fmin(s->low.y, p.y), fmin(s->low.z, p.z));
        s->high = vec_make(fmax(s->high.x, p.x), fmax(s->high.y, p.y), fmax(s->high.z, p.z));
    }
}

toile_result measure_body(const float *positions, size_t vertices, const uint32_t *indices,
                          size_t triangles, measures *out) {
    *out = (measures){0};
    slicer s = {.positions = positions,
                .indices = indices,
                .vertices = vertices,
                .triangles = triangles,
                .depth = 2};
    find_box(&s);
    if (s.high.z - s.low.z > s.high.x - s.low.x) { /* it looks along x */
        s.side = 2;
        s.depth = 0;
        find_box(&s);
    }
    s.middle = 0.5 * (s.low.x + s.high.x);
    s.points = memory_alloc(3 * triangles, sizeof *s.points, "slices");
    s.gaps = memory_alloc(2 * triangles, sizeof *s.gaps, "slices");
    if (!s.points || !s.gaps) {
        free(s.points);
        free(s.gaps);
        return TOILE_ERROR_MEMORY;
    }
    out->height = s.high.y - s.low.y;
    out->chest = find_girth(&s, chest_range, &out->chest_level);
    out->waist = find_girth(&s, waist_range, &out->waist_level);
    out->hip = find_girth(&s, hip_range, &out->hip_level);
    out->inseam = find_inseam(&s);
    out->arm = find_arm(&s);
    free(s.points);
    free(s.gaps);
    return TOILE_OK;
}
