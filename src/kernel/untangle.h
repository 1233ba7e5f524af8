/* Cloth that starts in other cloth, or in itself, is drawn apart: docs/physics.md, Untangling.
 *
 * Where an edge of one sheet goes through a triangle of another, a force moves the edge one way and
 * the triangle the other, along a direction that follows from which side is wrong. Where nothing
 * says which, the curve in which both sheets cut each other is shortened (Volino and
 * Magnenat-Thalmann 2006, Resolving surface collisions through intersection contour minimization):
 * if edge and triangle move apart by d, its length changes by -d.G / 2 or so, with
 * G = sum of R - 2 (E.R) / (E.N) N over the faces at the edge. E is the direction of the edge, N
 * the normal of the triangle, R the direction of the curve from the edge into the face. */
#ifndef TOILE_KERNEL_UNTANGLE_H
#define TOILE_KERNEL_UNTANGLE_H

#include "kernel/meet.h"

/* 1/s: spacings, of the finer cloth, that the edge goes through the triangle in a second. */
#define UNTANGLE_SPEED 10.0f

/* Of what the texels resist a move apart with by themselves. */
#define UNTANGLE_STIFF 1.0f

/* Of the rest distance, what is left of it near edges that go through triangles: what has just come
 * through is not to jump by the thickness of the cloth. */
#define UNTANGLE_REST 0.1f

/* Of the spacing: while edges go through triangles no texel goes farther in an iteration of
 * Newton's method. Without this, iterations threw a panel in a tube centimetres far. */
#define UNTANGLE_MOVE 0.1f

/* An edge nearly along the triangle would move it far: the factor of N is at most this. */
#define UNTANGLE_STEEP 4.0f

/* R: the curve lies in both planes. inwards: any direction from the edge into its face. */
KERNEL_FN v3 untangle_into(v3 face_normal, v3 normal, v3 inwards) {
    v3 along = v3_cross(face_normal, normal);
    v3 unit = v3_scale(along, v3_inverse_length(along));
    return v3_scale(unit, k_select(v3_dot(unit, inwards) < 0.0f, -1.0f, 1.0f));
}

/* What a face at the edge adds to G. */
KERNEL_FN v3 untangle_shorten(v3 edge, v3 normal, v3 into) {
    float across = v3_dot(edge, normal), along = v3_dot(edge, into);
    float part = k_select(k_abs(across) > 1e-6f, along / across, 0.0f);
    part = k_min(k_max(part, -UNTANGLE_STEEP), UNTANGLE_STEEP);
    return v3_madd(into, normal, -2.0f * part);
}

/* Draws one end of an edge along a unit vector against a triangle, until it has gone so far in the
 * substep. share: of the edge's force that acts on this end. */
KERNEL_FN meet_press untangle_press(v3 push, float share, float way, v3 slid, block gives) {
    float stiff = share * UNTANGLE_STIFF / v3_dot(push, block_times(gives, push));
    float left = k_min(k_max(way - v3_dot(slid, push), 0.0f), 2.0f * way);
    meet_press p;
    p.stiffness = block_scale(block_outer(push), k_select(left > 0.0f, stiff, 0.0f));
    p.pull = v3_scale(push, -stiff * left);
    return p;
}

#endif
