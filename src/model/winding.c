/* The generalised winding number (Jacobson, Kavan and Sorkine-Hornung, Robust Inside-Outside
 * Segmentation using Generalized Winding Numbers, 2013) is a sum of solid angles over all
 * triangles. For closed meshes, the only ones a solid is made of, it is a whole number, and the
 * signed crossings of any ray from the point add up to the same one: +1 where the ray leaves the
 * solid, -1 where it enters. That needs the few triangles around a ray, and no sums for the nodes
 * of the tree (Barill et al., Fast Winding Numbers for Soups and Clouds, 2018), which would have to
 * be found anew for each pose of a body that deforms.
 *
 * The ray runs along an axis. So it is the winding number of a projected triangle around a
 * projected point that counts, which is a sum over edges, and an edge gives both triangles that
 * share it the same, with opposite signs: no ray slips through between two triangles or hits both,
 * also where it passes through edges and vertices. There is no grazing that would need another
 * direction. Only whether a triangle is before or behind the point is a matter of rounding, where
 * the point is in its plane but for that; another axis is taken then. */
#include "model/winding.h"

#include "model/cut.h"
#include "model/solid_walk.h"

/* More than rounding makes of side_of(), as a share of the product of its three lengths: six
 * products of three differences, each off by some 2^-53. */
static const double SIDE_ROUNDING = 1e-14;

typedef struct ray {
    const solid *solid;
    float origin[3];
    int axis;
    int crossings;  /* signed, so far */
    bool uncertain; /* by rounding */
} ray;

static void load(v3 p, float out[3]) {
    out[0] = p.x;
    out[1] = p.y;
    out[2] = p.z;
}

/* How often the edges of the projected triangle go around the ray, counter-clockwise seen against
 * it: Sunday's algorithm (Inclusion of a Point in a Polygon, 2001). An edge is always taken from
 * its lower end, so that both its triangles see the ray on the same side of it. */
static int turns_around(const ray *r, float t[3][3]) {
    int u = (r->axis + 1) % 3, v = (r->axis + 2) % 3, turns = 0;
    double x = (double)r->origin[u], y = (double)r->origin[v];
    for (int k = 0; k < 3; k++) {
        const float *a = t[k], *b = t[(k + 1) % 3];
        bool up = b[v] > r->origin[v];
        if ((a[v] > r->origin[v]) == up) {
            continue;
        }
        const float *low = up ? a : b, *high = up ? b : a;
        double dx = (double)high[u] - (double)low[u], dy = (double)high[v] - (double)low[v];
        if (dx * (y - (double)low[v]) > dy * (x - (double)low[u])) {
            turns += up ? 1 : -1;
        }
    }
    return turns;
}

static double longest(const double a[3], const double b[3]) {
    return fmax(fabs(b[0] - a[0]), fmax(fabs(b[1] - a[1]), fabs(b[2] - a[2])));
}

/* Does the ray, which meets the triangle's plane within the triangle, meet it before the point? */
static bool is_ahead(ray *r, float t[3][3], int turns) {
    float at = r->origin[r->axis], a = t[0][r->axis], b = t[1][r->axis], c = t[2][r->axis];
    if (at < a && at < b && at < c) {
        return true;
    }
    if (at > a && at > b && at > c) {
        return false;
    }
    double corners[3][3], p[3];
    for (int k = 0; k < 9; k++) {
        corners[k / 3][k % 3] = (double)t[k / 3][k % 3];
        p[k % 3] = (double)r->origin[k % 3];
    }
    double side = side_of(corners[0], corners[1], corners[2], p);
    double scale =
        longest(corners[0], corners[1]) * longest(corners[0], corners[2]) * longest(corners[0], p);
    r->uncertain = r->uncertain || !(fabs(side) > SIDE_ROUNDING * scale);
    return turns > 0 ? side < 0.0 : side > 0.0;
}

static bool cross_face(void *user, uint32_t face) {
    ray *r = user;
    const solid_face *f = &r->solid->faces[face];
    float t[3][3];
    load(f->a, t[0]);
    load(f->b, t[1]);
    load(f->c, t[2]);
    int turns = turns_around(r, t);
    if (turns != 0 && is_ahead(r, t, turns)) {
        r->crossings += turns;
    }
    return true;
}

int solid_winding(const solid *s, v3 point) {
    ray r = {.solid = s, .uncertain = true};
    load(point, r.origin);
    for (r.axis = 0; r.axis < 3 && r.uncertain; r.axis++) {
        float end[3] = {r.origin[0], r.origin[1], r.origin[2]};
        end[r.axis] = INFINITY;
        r.crossings = 0;
        r.uncertain = false;
        solid_walk(s, point, v3_make(end[0], end[1], end[2]), cross_face, &r);
    }
    return r.crossings;
}
