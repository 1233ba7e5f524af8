/* The generalised winding number (Jacobson, Kavan and Sorkine-Hornung, Robust Inside-Outside
 * Segmentation using Generalized Winding Numbers, 2013) is a sum of solid angles over all
 * triangles. For closed meshes it is a whole number, and the signed crossings of any ray from the
 * point add up to the same one: +1 where the ray leaves the solid, -1 where it enters. That needs
 * the few triangles around a ray, and no sums for the nodes of the tree (Barill et al., Fast
 * Winding Numbers for Soups and Clouds, 2018), which would have to be found anew for each pose of a
 * body that deforms.
 *
 * The ray runs along x. So it is the winding number of a projected triangle around a projected
 * point that counts, which is a sum over edges, and an edge gives both triangles that share it the
 * same, with opposite signs: no ray slips through between two triangles or hits both, also where it
 * passes through edges and vertices. There is no grazing that would need another direction.
 *
 * Whether a triangle is ahead of the point is asked in double. Corners are floats of 24 bits, so
 * that a triangle which is not seen exactly edge-on has some 2^-48 of the square of its size for an
 * area: enough for the sign to survive rounding, unless the point is next to it. */
#include "model/winding.h"

#include "model/cut.h"
#include "model/solid_walk.h"

typedef struct ray {
    const solid *solid;
    float time;
    float origin[3];
    int crossings; /* signed, so far */
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
    int turns = 0;
    double y = (double)r->origin[1], z = (double)r->origin[2];
    for (int k = 0; k < 3; k++) {
        const float *a = t[k], *b = t[(k + 1) % 3];
        bool up = b[2] > r->origin[2];
        if ((a[2] > r->origin[2]) == up) {
            continue;
        }
        const float *low = up ? a : b, *high = up ? b : a;
        double dy = (double)high[1] - (double)low[1], dz = (double)high[2] - (double)low[2];
        if (dy * (z - (double)low[2]) > dz * (y - (double)low[1])) {
            turns += up ? 1 : -1;
        }
    }
    return turns;
}

/* Does the ray meet the triangle, given that its line does? */
static bool is_ahead(const ray *r, float t[3][3], int turns) {
    float at = r->origin[0];
    if (at < t[0][0] && at < t[1][0] && at < t[2][0]) {
        return true;
    }
    if (at > t[0][0] && at > t[1][0] && at > t[2][0]) {
        return false;
    }
    double corners[3][3], p[3];
    for (int k = 0; k < 9; k++) {
        corners[k / 3][k % 3] = (double)t[k / 3][k % 3];
        p[k % 3] = (double)r->origin[k % 3];
    }
    double side = side_of(corners[0], corners[1], corners[2], p);
    return turns > 0 ? side < 0.0 : side > 0.0;
}

static bool cross_face(void *user, uint32_t face) {
    ray *r = user;
    const solid_corners at = solid_corners_at(r->solid, face, r->time);
    float t[3][3];
    load(at.a, t[0]);
    load(at.b, t[1]);
    load(at.c, t[2]);
    int turns = turns_around(r, t);
    if (turns != 0 && is_ahead(r, t, turns)) {
        r->crossings += turns;
    }
    return true;
}

int solid_winding(const solid *s, v3 point, float time) {
    ray r = {.solid = s, .time = time};
    load(point, r.origin);
    solid_walk_at(s, time, point, v3_make(INFINITY, point.y, point.z), cross_face, &r);
    return r.crossings;
}
