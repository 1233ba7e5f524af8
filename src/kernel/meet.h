/* Cloth against cloth in the implicit solver: a vertex and a triangle, or two edges, of one cloth
 * or of two. Either is a pair of four corners; those of its first part come first.
 *
 * Law. Nearer than their rest distance, which follows from the thickness of the fabrics, the
 * nearest points of a pair press each other apart. Where layers touch at first they are as stiff as
 * a few times what their texels resist a move apart with by themselves, so that the solve has
 * contacts among its own. Below half of the rest distance the force grows as 1 / distance, so that
 * no load makes it zero (Chen et al. 2025, Offset geometric contact, section 3, has both). Nothing
 * is expected: a contact is what is too near. One that was expected to become so pulled where it
 * did not, and layers that slid over each other were glued.
 *
 * Bound. Corners that go straight from places apart stay apart if along one direction all of the
 * first part is above all of the second at the start and at the end: the lowest of heights that are
 * linear in time is concave, the highest convex, so that what is between them is at least what is
 * between at both ends in proportion. A move that fails this, and the continuous collision of
 * kernel/ccd.h, is cut: each corner takes a share of its way that makes it hold along the direction
 * between the nearest points at the start. Shares only fall, so that looking at all pairs again
 * while any fails ends, if need be with all shares at zero. What moves together is not cut, for
 * only heights of both parts against each other count (after Chen et al. 2026, Divide and truncate,
 * whose planes are fixed in space). */
#ifndef TOILE_KERNEL_MEET_H
#define TOILE_KERNEL_MEET_H

#include "kernel/ccd.h"
#include "kernel/newton.h"

/* Where a pair is nearest. */
KERNEL_STRUCT(meet_place) {
    v4 weights;     /* of the corners: those of the first part add up to 1, of the second to -1 */
    v3 normal;      /* unit, from the second to the first */
    float distance; /* m; 0 where they touch or cross, and the normal says nothing */
};

/* The direction is that of ccd_direction, not the difference of nearest points: where these are off
 * by a rounding, that of parts which are micrometres apart may point anywhere. The weights of a
 * vertex and a triangle, and of two edges, from where they are nearest (kernel/ccd.h). */
KERNEL_FN v4 meet_face_weights(v3 w) {
    return v4_make(v3_make(1.0f, -w.x, -w.y), -w.z);
}

/* a b and c d, of which the quad is a - c, b - c, b - d, a - d. */
KERNEL_FN v4 meet_edge_weights(float first, float second) {
    return v4_make(v3_make(1.0f - first, first, second - 1.0f), -second);
}

/* ---- the law ------------------------------------------------------------------------------------
 */

/* Parts of a cloth that lie near each other in its pattern rest at most at this share of their flat
 * distance: fabric that is thicker than its spacing must not push itself apart. */
#define MEET_FLAT 0.5f

/* Two edges rest at this share of the thickness. Vertices and triangles alone keep flat layers
 * apart, of which each edge crosses several others; edges are needed where ridges cross. */
#define MEET_EDGES 0.5f

KERNEL_FN float meet_reach(float thickness, bool edges) {
    return thickness * k_select(edges, MEET_EDGES, 1.0f);
}

KERNEL_FN float meet_rest(float thickness, float in_pattern, bool edges) {
    return k_min(meet_reach(thickness, edges), MEET_FLAT * in_pattern);
}

/* Of the rest distance, from where on the force is no longer linear, and nearer than which it does
 * not get stiffer. */
#define MEET_HALF  0.5f
#define MEET_LEAST 0.02f

/* N, nearer than at rest, for a stiffness in N/m at first touch. */
KERNEL_FN float meet_force(float distance, float rest, float stiffness) {
    float d = k_max(distance, MEET_LEAST * rest);
    float near = stiffness * rest * rest / (4.0f * d);
    return k_select(d < MEET_HALF * rest, near, stiffness * (rest - d));
}

/* Its derivative, N/m. */
KERNEL_FN float meet_stiffness(float distance, float rest, float stiffness) {
    float d = k_max(distance, MEET_LEAST * rest);
    float ratio = 0.5f * rest / d;
    return stiffness * k_select(d < MEET_HALF * rest, ratio * ratio, 1.0f);
}

/* m/N, added so that what nothing can move has a force, too. */
#define MEET_GIVES 1e-9f

/* What a contact does to a corner of weight 1: the block that moves meet, and the force that
 * resists at the place. slid: how far the first part has gone against the second in the substep. */
KERNEL_STRUCT(meet_press) {
    block stiffness; /* N/m */
    v3 pull;         /* N */
};

/* Where forces without the contact take it, each texel of it by itself: the way of the first part
 * against the second, and how far a newton on each would. */
KERNEL_STRUCT(meet_pull) {
    v3 way;      /* m */
    block gives; /* m/N */
};

KERNEL_FN meet_pull meet_no_pull(void) {
    meet_pull none;
    none.way = v3_make(0.0f, 0.0f, 0.0f);
    none.gives = block_lift(block_zero(), MEET_GIVES);
    return none;
}

KERNEL_FN meet_pull meet_add_pull(meet_pull pull, block inverse, v3 force, float weight) {
    meet_pull sum;
    sum.way = v3_madd(pull.way, block_times(inverse, force), weight);
    sum.gives = block_add(pull.gives, block_scale(inverse, weight * weight));
    return sum;
}

/* N/m, of a contact at first touch: so many times what its texels resist a move apart with by
 * themselves. With 8, 16 and 32 a sheet one degree below the angle of friction creeps by 0.4, 0.2
 * and 0.1 mm in a second, with 64 by 0.05 mm. gives: of those, m/N. */
#define MEET_STIFF 64.0f

KERNEL_FN float meet_stiff(v3 normal, block gives) {
    return MEET_STIFF / v3_dot(normal, block_times(gives, normal));
}

/* Friction is limited by how hard these forces push the parts together, at most by how hard the
 * contact presses: it may have been cut to be too near. It is a spring over how far the parts have
 * slid in the substep, and Coulomb's limit is that of the spring or, before anything has slid, of
 * forces that push along the contact. What slides on resists across the slip only; what stops is
 * held by its secant (kernel/newton.h). */
KERNEL_FN meet_press meet_pressed(meet_place place, float rest, float stiffness, float friction,
                                  v3 slid, meet_pull pull) {
    v3 n = place.normal;
    float force = meet_force(place.distance, rest, stiffness);
    float stiff = meet_stiffness(place.distance, rest, stiffness);
    v3 push = block_times(block_inverse(pull.gives), pull.way);
    float load = -v3_dot(n, push);
    v3 along = v3_madd(push, n, load);
    v3 drawn = v3_madd(slid, n, -v3_dot(slid, n));
    float limit = friction * positive_part(k_min(force, load));
    bool slides = newton_slides(drawn, along, limit, stiffness);
    bool starts = !slides && stiffness * stiffness * v3_dot(drawn, drawn) <= limit * limit &&
                  v3_dot(along, along) > friction * friction * load * load;
    float grip = newton_grip(drawn, limit, stiffness);
    meet_press p;
    p.stiffness = newton_press_block(n, stiff);
    p.stiffness =
        block_add(p.stiffness, newton_grip_block(n, k_select(starts, 0.0f, grip), drawn, slides));
    v3 rub =
        v3_select(starts, v3_scale(along, limit * v3_inverse_length(along)), v3_scale(drawn, grip));
    p.pull = v3_madd(rub, n, -force);
    return p;
}

/* ---- the bound ----------------------------------------------------------------------------------
 */

/* m; nearer to each other than this, rounding of positions some metres from the origin could make
 * parts cross. */
#define MEET_TOUCH 2e-6f
#define MEET_GRAIN 5e-9f

/* How near a move may take a pair: a share of its distance, and at most of the thickness. */
#define MEET_KEPT 0.25f

KERNEL_FN float meet_keep(float distance, float thickness) {
    return k_max(k_min(0.5f * distance, MEET_KEPT * thickness), k_min(MEET_TOUCH, distance));
}

/* m, by which a texel brings a corner nearer, given its weight in the corner and its own way along
 * the direction. Corners on a border beyond the last texels have weights below 0. */
KERNEL_FN float meet_nearing(float weight, float along) {
    return positive_part(weight * along);
}

/* Heights of the corners along a direction, m. */
KERNEL_FN float meet_low(v4 heights, bool edges) {
    return k_select(edges, k_min(heights.x, heights.y), heights.x);
}

KERNEL_FN float meet_high(v4 heights, bool edges) {
    float cd = k_max(heights.z, heights.w);
    return k_select(edges, cd, k_max(heights.y, cd));
}

/* Where the lowest of the first part and the highest of the second are to end, in x and y, so that
 * they keep a distance; z is 0. approach: how far the corners come nearer that can be
 * cut, along the direction, 0 for those that leave. */
KERNEL_FN v3 meet_ends(v4 heights, v4 approach, bool edges, float keep) {
    float low = meet_low(heights, edges);
    float high = meet_high(heights, edges);
    float lack = keep - (low - high);
    float first = k_select(edges, k_max(approach.x, approach.y), approach.x);
    float second = k_max(approach.z, approach.w);
    second = k_select(edges, second, k_max(approach.y, second));
    float sum = first + second;
    float share = k_select(sum > 0.0f, first / k_max(sum, 1e-30f), 0.5f);
    return v3_make(low + share * positive_part(lack), high - (1.0f - share) * positive_part(lack),
                   0.0f);
}

#endif
