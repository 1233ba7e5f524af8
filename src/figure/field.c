#include "figure/field.h"

#include "base/error.h"

/* m: how far the mirror plane is rounded, and the edge where the floor cuts. */
#define MIRROR_ROUNDING 0.005
#define FLOOR_ROUNDING  0.012

/* Natural cubic splines through the reaches: continuous curvature, for a surface that shines shows
 * every kink. Solved by Thomas' algorithm. */
static void spline_make(part *p, int reach) {
    double slope[FIELD_STATIONS] = {0.0}, out[FIELD_STATIONS] = {0.0};
    for (size_t i = 1; i + 1 < p->count; i++) {
        const station *a = &p->stations[i - 1], *b = &p->stations[i], *c = &p->stations[i + 1];
        double left = b->at - a->at, right = c->at - b->at;
        double share = left / (left + right);
        double pivot = share * slope[i - 1] + 2.0;
        double bend = (c->reach[reach] - b->reach[reach]) / right -
                      (b->reach[reach] - a->reach[reach]) / left;
        slope[i] = (share - 1.0) / pivot;
        out[i] = (6.0 * bend / (left + right) - share * out[i - 1]) / pivot;
    }
    p->curve[p->count - 1][reach] = 0.0;
    for (size_t i = p->count - 1; i-- > 0;) {
        p->curve[i][reach] = slope[i] * p->curve[i + 1][reach] + out[i];
    }
}

static void part_bound(part *p) {
    double low = p->stations[0].at - p->cap[0], high = p->stations[p->count - 1].at + p->cap[1];
    double widest = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        for (int k = 0; k < REACH_COUNT; k++) {
            widest = fmax(widest, p->stations[i].reach[k]);
        }
    }
    double half = 0.5 * (high - low);
    p->center = vec_madd(p->origin, p->axis, 0.5 * (low + high));
    /* Corners of rounded rectangles reach farther than the sides, splines farther than stations. */
    p->radius = sqrt(half * half + 2.0 * widest * widest);
}

void field_add(field *f, const part *p) {
    TOILE_ASSERT(f->count < FIELD_PARTS && p->count > 0 && p->count <= FIELD_STATIONS);
    part *own = &f->parts[f->count++];
    *own = *p;
    for (int k = 0; k < REACH_COUNT; k++) {
        spline_make(own, k);
    }
    part_bound(own);
}

part part_ellipsoid(vec center, vec radii) {
    return (part){.origin = center,
                  .axis = {0.0, 1.0, 0.0},
                  .out = {1.0, 0.0, 0.0},
                  .front = {0.0, 0.0, 1.0},
                  .stations = {{0.0, {radii.x, radii.x, radii.z, radii.z}}},
                  .count = 1,
                  .cap = {radii.y, radii.y},
                  .roundness = 2.0};
}

static void reach_at(const part *p, double at, double out[REACH_COUNT]) {
    size_t i = 0;
    while (i + 2 < p->count && p->stations[i + 1].at < at) {
        i++;
    }
    if (p->count == 1) {
        for (int k = 0; k < REACH_COUNT; k++) {
            out[k] = p->stations[0].reach[k];
        }
        return;
    }
    const station *a = &p->stations[i], *b = &p->stations[i + 1];
    double h = b->at - a->at, t = (at - a->at) / h, s = 1.0 - t;
    double cs = (s * s * s - s) * h * h / 6.0, ct = (t * t * t - t) * h * h / 6.0;
    for (int k = 0; k < REACH_COUNT; k++) {
        out[k] = s * a->reach[k] + t * b->reach[k] + cs * p->curve[i][k] + ct * p->curve[i + 1][k];
    }
}

/* To first order: how far the point is beyond the level q = 1, by the slope of q. With u and v the
 * coordinates over the reaches, q^4 = u^4 + v^4 + roundness u^2 v^2 is an ellipse for 2 and ever
 * more of a rectangle below. */
static double part_distance(const part *p, vec at) {
    vec d = vec_sub(at, p->origin);
    double along = vec_dot(d, p->axis), x = vec_dot(d, p->out), y = vec_dot(d, p->front);
    double low = p->stations[0].at, high = p->stations[p->count - 1].at;
    double inside = clamp(along, low, high), beyond = along - inside;
    double cap = p->cap[beyond > 0.0];
    double reach[REACH_COUNT];
    reach_at(p, inside, reach);
    double a = x > 0.0 ? reach[REACH_OUT] : reach[REACH_IN];
    double b = y > 0.0 ? reach[REACH_FRONT] : reach[REACH_BACK];
    double u = x / a, v = y / b, w = cap > 0.0 ? beyond / cap : 0.0;
    double uu = u * u, vv = v * v;
    double ring = sqrt(uu * uu + vv * vv + p->roundness * uu * vv); /* q^2 of the section */
    double q = sqrt(ring + w * w);
    if (!(q > 1e-9)) {
        return -fmin(a, b);
    }
    double part_u = 0.0, part_v = 0.0;
    if (ring > 0.0) {
        part_u = (uu + 0.5 * p->roundness * vv) * u / (ring * q * a);
        part_v = (vv + 0.5 * p->roundness * uu) * v / (ring * q * b);
    }
    double part_w = cap > 0.0 ? w / (q * cap) : 0.0;
    return (q - 1.0) / sqrt(part_u * part_u + part_v * part_v + part_w * part_w);
}

/* The quadratic smooth minimum: differs from the minimum where both are nearer than the width. */
static double smooth_minimum(double a, double b, double width) {
    double h = width - fabs(a - b);
    return h > 0.0 ? fmin(a, b) - h * h / (4.0 * width) : fmin(a, b);
}

double field_distance(const field *f, vec at, unsigned groups) {
    at.x = sqrt(at.x * at.x + MIRROR_ROUNDING * MIRROR_ROUNDING);
    double distance = 1e3;
    for (size_t i = 0; i < f->count; i++) {
        const part *p = &f->parts[i];
        if (!(p->group & groups)) {
            continue;
        }
        double least = vec_length(vec_sub(at, p->center)) - p->radius;
        if (p->hollow) {
            if (least < p->blend - distance) {
                distance = -smooth_minimum(-distance, part_distance(p, at), p->blend);
            }
        } else if (least < distance + p->blend) {
            distance = smooth_minimum(distance, part_distance(p, at), p->blend);
        }
    }
    return -smooth_minimum(-distance, at.y - f->floor, FLOOR_ROUNDING);
}

vec field_gradient(const field *f, vec at) {
    const double h = 1e-4;
    vec g;
    g.x = field_distance(f, vec_make(at.x + h, at.y, at.z), ~0u) -
          field_distance(f, vec_make(at.x - h, at.y, at.z), ~0u);
    g.y = field_distance(f, vec_make(at.x, at.y + h, at.z), ~0u) -
          field_distance(f, vec_make(at.x, at.y - h, at.z), ~0u);
    g.z = field_distance(f, vec_make(at.x, at.y, at.z + h), ~0u) -
          field_distance(f, vec_make(at.x, at.y, at.z - h), ~0u);
    return vec_scale(g, 0.5 / h);
}
