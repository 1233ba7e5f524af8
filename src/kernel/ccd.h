/* Continuous collision: does a vertex meet a triangle, or an edge another edge, while all of their
 * corners move along straight lines during a step? Wang 2005 section 5.2 (W4) has it for vertices;
 * edges, which he leaves out, go the same way. Below that: the response (W5), and boxes around what
 * moves.
 *
 * Wang solves a cubic for the times at which four points are coplanar. Where they are coplanar all
 * along, it has nothing to tell; where they nearly are, rounding decides whether there is a root;
 * and it knows of no thickness. So there is no polynomial here. Instead, conservative advancement
 * (Mirtich 1996; additive CCD, Li et al. 2021, is related) by separating planes:
 *
 * - Seen from the vertex, which then rests at the origin, the triangle is three points that move
 *   along straight lines. Seen from one edge, the other is a parallelogram: the four differences of
 *   their ends. Either is a convex quad against the origin; a triangle has its last corner twice.
 * - Take any unit vector n. The height n.q of a corner q is linear in time. While all corners are
 *   higher than the thickness, so is the whole quad, and the pair is farther apart than that. Until
 *   when this is so takes four divisions.
 * - So any n proves a stretch of time free, however it was found. Rounding matters only in the
 *   heights, where it has a simple bound: e = CCD_ROUNDING times the largest coordinate difference
 *   between the two. Stretches in a row from 0 to 1 prove a miss.
 * - The n that is taken is the direction to the nearest point of the quad at the present time. It
 *   proves a stretch unless the pair is near. If it is, that is the hit.
 *
 * What holds, tested for coordinate differences from 1e-7 to 1e6 m:
 * - A miss is a miss: at all times in [0, 1] the distance is greater than the thickness.
 * - A hit is not late: its time is at or before the first at which the distance is the thickness.
 * - A hit is not made up: at its time the distance is at most thickness + tolerance + CCD_FALSE e.
 *   The tolerance may be 0.
 * Nothing is a special case: coplanar, parallel, collapsed, resting. What touches at the start is a
 * hit at 0, whether it parts or not. Distance from the origin costs nothing, since a difference of
 * floats is rounded in proportion to itself. Numbers that are not finite make a hit.
 *
 * The greater the tolerance, the fewer stretches: pairs of cloth size with a tolerance of 0.05 mm
 * take 1.9 on average and 7 at most. With none, a triangle that turns about a corner next to the
 * vertex can take thousands. Tried and dropped, because they made all others slower: a second
 * direction from a later time; a direction turned by Gilbert's algorithm (1966) to suit a whole
 * stretch. Even the best direction there is takes up to a thousand. */
#ifndef TOILE_KERNEL_CCD_H
#define TOILE_KERNEL_CCD_H

#include "kernel/contact.h"
#include "kernel/vec.h"

/* Of the largest coordinate difference, more than a height may be off: differences, products and
 * sums make 7 parts in 2^24 of it, and GLSL may round worse. Of a time, too. */
#define CCD_ROUNDING 1e-6f

/* Nearer than this many roundings no direction need go on, and it is a hit. */
#define CCD_NEAR 8.0f

/* What this and the place at a time, which is rounded too, make of the tolerance. */
#define CCD_FALSE 10.0f

/* A stretch is at least 4e-7 steps long, so that this many are never needed. */
#define CCD_STRETCHES (1 << 22)

/* Later than any time in the step. */
#define CCD_NEVER 2.0f

/* Least square that is divided by: keeps what is collapsed from making infinities. */
#define CCD_TINY 1e-36f

KERNEL_STRUCT(ccd_quad) {
    v3 a, b, c, d;
};

/* The normal is a unit vector from the triangle to the vertex, or from the second edge to the
 * first. If they intersect at the start it is the normal of the triangle or of both edges, either
 * way round, or 0 where there is none. */
KERNEL_STRUCT(ccd_hit) {
    bool found;
    float time; /* in steps */
    v3 normal;
};

/* ---- the quad -----------------------------------------------------------------------------------
 */

/* What triangle a, b, c is to the vertex p. */
KERNEL_FN ccd_quad ccd_from_triangle(v3 p, v3 a, v3 b, v3 c) {
    ccd_quad q;
    q.a = v3_sub(p, a);
    q.b = v3_sub(p, b);
    q.c = v3_sub(p, c);
    q.d = q.c;
    return q;
}

/* What edge c d is to edge a b. */
KERNEL_FN ccd_quad ccd_from_edges(v3 a, v3 b, v3 c, v3 d) {
    ccd_quad q;
    q.a = v3_sub(a, c);
    q.b = v3_sub(b, c);
    q.c = v3_sub(b, d);
    q.d = v3_sub(a, d);
    return q;
}

KERNEL_FN ccd_quad ccd_at(ccd_quad start, ccd_quad end, float time) {
    ccd_quad q;
    q.a = v3_mix(start.a, end.a, time);
    q.b = v3_mix(start.b, end.b, time);
    q.c = v3_mix(start.c, end.c, time);
    q.d = v3_mix(start.d, end.d, time);
    return q;
}

KERNEL_FN float ccd_size(ccd_quad q) {
    return k_max(k_max(v3_largest(q.a), v3_largest(q.b)), k_max(v3_largest(q.c), v3_largest(q.d)));
}

/* ---- directions ---------------------------------------------------------------------------------
 */

KERNEL_FN v3 ccd_unit(v3 a) {
    return v3_scale(a, 1.0f / k_sqrt(k_max(v3_dot(a, a), CCD_TINY)));
}

/* The quad's unit normal, 0 if it has none. The cross product of a sliver may lean towards its long
 * side by as many roundings as it is thin, which would put the far corner off by more than the
 * distance; made perpendicular once more, it leans across, where the corners are near. */
KERNEL_FN v3 ccd_face_normal(ccd_quad q) {
    v3 ab = v3_sub(q.b, q.a);
    v3 bc = v3_sub(q.c, q.b);
    v3 longer = ccd_unit(v3_select(v3_dot(ab, ab) > v3_dot(bc, bc), ab, bc));
    v3 normal = ccd_unit(v3_cross(ccd_unit(ab), ccd_unit(bc)));
    return ccd_unit(v3_madd(normal, longer, -v3_dot(normal, longer)));
}

/* A vector without its part along another, whose squared length is given. */
KERNEL_FN v3 ccd_across(v3 a, v3 along, float squared) {
    return v3_madd(a, along, -v3_dot(a, along) / squared);
}

/* The direction from the origin to the nearest point of a side, perpendicular to it when that is no
 * end: from the nearer end, and twice, for the reason above. */
KERNEL_FN v3 ccd_side_direction(v3 a, v3 b) {
    v3 ab = v3_sub(b, a);
    float squared = k_max(v3_dot(ab, ab), CCD_TINY);
    v3 nearer = v3_select(v3_dot(a, a) < v3_dot(b, b), a, b);
    v3 foot = ccd_across(ccd_across(nearer, ab, squared), ab, squared);
    bool at_end = v3_dot(a, ab) >= 0.0f || v3_dot(b, ab) <= 0.0f;
    return ccd_unit(v3_select(at_end, nearer, foot));
}

/* The height of the lowest corner. */
KERNEL_FN float ccd_height(ccd_quad q, v3 n) {
    return k_min(k_min(v3_dot(q.a, n), v3_dot(q.b, n)), k_min(v3_dot(q.c, n), v3_dot(q.d, n)));
}

KERNEL_FN v4 ccd_higher(v4 best, ccd_quad q, v3 n) {
    float height = ccd_height(q, n);
    bool higher = height > best.w;
    return v4_make(v3_select(higher, n, v4_xyz(best)), k_select(higher, height, best.w));
}

/* In xyz the direction from the origin to the nearest point of the quad, in w the height there: the
 * distance. Of the five that it can be, the one that sees the quad highest: the greatest lower
 * bound of the distance is the distance, and no case is told from another by a sign that rounding
 * may turn. */
KERNEL_FN v4 ccd_direction(ccd_quad q) {
    v3 normal = ccd_face_normal(q);
    normal = v3_scale(normal, k_select(v3_dot(normal, q.a) < 0.0f, -1.0f, 1.0f));
    v4 best = v4_make(normal, ccd_height(q, normal));
    best = ccd_higher(best, q, ccd_side_direction(q.a, q.b));
    best = ccd_higher(best, q, ccd_side_direction(q.b, q.c));
    best = ccd_higher(best, q, ccd_side_direction(q.c, q.d));
    best = ccd_higher(best, q, ccd_side_direction(q.d, q.a));
    return best;
}

/* ---- stretches of time --------------------------------------------------------------------------
 */

/* Until when a corner that is above the limit stays so, given its heights at the start and at the
 * end of the step. */
KERNEL_FN float ccd_corner_until(float start, float end, float limit) {
    float crossing = (start - limit) / k_max(start - end, CCD_TINY) * (1.0f - CCD_ROUNDING);
    return k_select(end > limit, CCD_NEVER, k_select(start > limit, crossing, 0.0f));
}

/* Until when all corners do. */
KERNEL_FN float ccd_until(ccd_quad start, ccd_quad end, v3 n, float limit) {
    float a = ccd_corner_until(v3_dot(start.a, n), v3_dot(end.a, n), limit);
    float b = ccd_corner_until(v3_dot(start.b, n), v3_dot(end.b, n), limit);
    float c = ccd_corner_until(v3_dot(start.c, n), v3_dot(end.c, n), limit);
    float d = ccd_corner_until(v3_dot(start.d, n), v3_dot(end.d, n), limit);
    return k_min(k_min(a, b), k_min(c, d));
}

/* The first contact of a quad and the origin, given the quad at the start and at the end of the
 * step. */
KERNEL_FN ccd_hit ccd_first_contact(ccd_quad start, ccd_quad end, float thickness,
                                    float tolerance) {
    float rounding = CCD_ROUNDING * k_max(k_max(ccd_size(start), ccd_size(end)), thickness);
    float limit = thickness + rounding;
    float near = thickness + tolerance + CCD_NEAR * rounding;
    ccd_hit hit;
    hit.found = true;
    hit.time = 0.0f;
    hit.normal = ccd_face_normal(start);
    for (int i = 0; i < CCD_STRETCHES; i++) {
        v4 direction = ccd_direction(ccd_at(start, end, hit.time));
        if (!(direction.w > near)) {
            hit.normal = v3_select(direction.w > rounding, v4_xyz(direction), hit.normal);
            return hit;
        }
        float until = ccd_until(start, end, v4_xyz(direction), limit);
        if (until > 1.0f) {
            hit.found = false;
            return hit;
        }
        hit.time = until;
        hit.normal = v4_xyz(direction);
    }
    return hit;
}

/* ---- where -------------------------------------------------------------------------------------
 */

/* A point of a triangle. */
KERNEL_FN v3 ccd_point(v3 weights, v3 a, v3 b, v3 c) {
    return v3_madd(v3_madd(v3_scale(a, weights.x), b, weights.y), c, weights.z);
}

/* How much weight to move from one corner to another, `side` away from it, so that the point gets
 * as near to the origin as it can without weights below 0. */
KERNEL_FN float ccd_move(v3 point, v3 side, float from, float to) {
    float most = -v3_dot(point, side) / k_max(v3_dot(side, side), CCD_TINY);
    return k_min(k_max(most, -to), from);
}

/* The weights made better along one side after the other. In slivers they are off by as many
 * roundings as those are thin, and the point along the sliver with them. */
KERNEL_FN v4 ccd_polished(v3 weights, v3 a, v3 b, v3 c) {
    v3 w = weights;
    float move = ccd_move(ccd_point(w, a, b, c), v3_sub(b, a), w.x, w.y);
    w = v3_make(w.x - move, w.y + move, w.z);
    move = ccd_move(ccd_point(w, a, b, c), v3_sub(c, b), w.y, w.z);
    w = v3_make(w.x, w.y - move, w.z + move);
    move = ccd_move(ccd_point(w, a, b, c), v3_sub(a, c), w.z, w.x);
    w = v3_make(w.x + move, w.y, w.z - move);
    v3 point = ccd_point(w, a, b, c);
    return v4_make(w, v3_dot(point, point));
}

KERNEL_FN v4 ccd_nearer(v4 best, v4 other) {
    bool nearer = other.w < best.w;
    return v4_make(v3_select(nearer, v4_xyz(other), v4_xyz(best)),
                   k_select(nearer, other.w, best.w));
}

/* The weights of three points in the point of their triangle that is nearest to the origin, and in
 * w its squared distance: the nearest of the foot of the perpendicular and one on each side. */
KERNEL_FN v4 ccd_triangle_weights(v3 a, v3 b, v3 c) {
    v3 normal = v3_cross(v3_sub(b, a), v3_sub(c, a));
    v3 areas = v3_make(positive_part(v3_dot(normal, v3_cross(b, c))),
                       positive_part(v3_dot(normal, v3_cross(c, a))),
                       positive_part(v3_dot(normal, v3_cross(a, b))));
    float sum = areas.x + areas.y + areas.z;
    v3 at_a = v3_make(1.0f, 0.0f, 0.0f);
    v3 in_face = v3_scale(areas, 1.0f / k_max(sum, CCD_TINY));
    float along_ab = ccd_move(a, v3_sub(b, a), 1.0f, 0.0f);
    float along_bc = ccd_move(b, v3_sub(c, b), 1.0f, 0.0f);
    float along_ca = ccd_move(c, v3_sub(a, c), 1.0f, 0.0f);
    v4 best = ccd_polished(v3_select(sum > CCD_TINY, in_face, at_a), a, b, c);
    best = ccd_nearer(best, ccd_polished(v3_make(1.0f - along_ab, along_ab, 0.0f), a, b, c));
    best = ccd_nearer(best, ccd_polished(v3_make(0.0f, 1.0f - along_bc, along_bc), a, b, c));
    return ccd_nearer(best, ccd_polished(v3_make(along_ca, 0.0f, 1.0f - along_ca), a, b, c));
}

/* The same for the triangle as the vertex sees it, from ccd_at at the time of the hit. */
KERNEL_FN v3 ccd_on_triangle(ccd_quad q) {
    return v4_xyz(ccd_triangle_weights(q.a, q.b, q.c));
}

/* For edges: in x where on the first edge, 0 at its one end and 1 at the other, in y where on the
 * second; z is 0. */
KERNEL_FN v3 ccd_edges_at(v4 abc, v4 acd) {
    v3 in_abc = v3_make(abc.y + abc.z, abc.z, 0.0f);
    v3 in_acd = v3_make(acd.y, acd.y + acd.z, 0.0f);
    return v3_select(acd.w < abc.w, in_acd, in_abc);
}

KERNEL_FN v3 ccd_on_edges(ccd_quad q) {
    return ccd_edges_at(ccd_triangle_weights(q.a, q.b, q.c), ccd_triangle_weights(q.a, q.c, q.d));
}

/* ---- response -----------------------------------------------------------------------------------
 *
 * Wang 2005 section 5.2 (W5): up to the contact a vertex follows its own path, after it that of the
 * body: it sticks to the point of the triangle that it hit. */

/* Where the vertex then is at the end of the step: on the surface point there, and `distance` off
 * it. That should be more than thickness + tolerance, or the next step begins with a hit. */
KERNEL_FN v3 ccd_follow(v3 surface_end, v3 end_normal, float distance) {
    return v3_madd(surface_end, end_normal, distance);
}

/* The velocity after the contact, by Coulomb's friction, of which sticking is the limit; velocities
 * here are ways per step. */
KERNEL_FN v3 ccd_after(v3 own, v3 body, v3 normal, float friction, float reflection) {
    bool reached = contact_reached(own, normal, 0.0f, body, 1.0f);
    return contact_velocity(own, normal, body, reached, 0.0f, friction, reflection);
}

/* Where the vertex then is at the end of the step, at least `distance` off the surface. x is the
 * vertex, `surface` the point of the triangle that it hit, at the start and at the end. */
KERNEL_FN v3 ccd_slide(v3 x_start, v3 x_end, v3 surface_start, v3 surface_end, float time,
                       v3 normal, v3 end_normal, float distance, float friction, float reflection) {
    v3 own = v3_sub(x_end, x_start);
    v3 after = ccd_after(own, v3_sub(surface_end, surface_start), normal, friction, reflection);
    v3 end = v3_madd(v3_madd(x_start, own, time), after, 1.0f - time);
    float gap = v3_dot(v3_sub(end, surface_end), end_normal) - distance;
    return v3_madd(end, end_normal, contact_push(gap));
}

/* ---- boxes around what moves --------------------------------------------------------------------
 *
 * The box of a vertex, edge or triangle and its way is that of its corners at the start and at the
 * end (v3_min, v3_max). If one of the two boxes of a pair has a margin of at least the thickness,
 * and they do not meet, the pair misses. */

/* The corners of a box with a margin, rounded outwards. */
KERNEL_FN v3 ccd_box_low(v3 low, float margin) {
    float more = margin + CCD_ROUNDING * k_max(v3_largest(low), margin);
    return v3_sub(low, v3_make(more, more, more));
}

KERNEL_FN v3 ccd_box_high(v3 high, float margin) {
    float more = margin + CCD_ROUNDING * k_max(v3_largest(high), margin);
    return v3_add(high, v3_make(more, more, more));
}

KERNEL_FN bool ccd_boxes_meet(v3 low, v3 high, v3 other_low, v3 other_high) {
    return low.x <= other_high.x && other_low.x <= high.x && low.y <= other_high.y &&
           other_low.y <= high.y && low.z <= other_high.z && other_low.z <= high.z;
}

#endif
