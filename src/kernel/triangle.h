/* The nearest point of a triangle. Written with clamped segments and signed distances from the
 * edges instead of the usual products of dot products (Ericson, Real-Time Collision
 * Detection, 5.1.5): those lose all digits of the barycentric coordinates when the point is many
 * edges away, these are the exact answer for a point that is off by rounding only. */
#ifndef TOILE_KERNEL_TRIANGLE_H
#define TOILE_KERNEL_TRIANGLE_H

#include "kernel/vec.h"

/* Which part of a triangle a, b, c is nearest. */
#define TRIANGLE_FACE 0.0f
#define TRIANGLE_A    1.0f
#define TRIANGLE_B    2.0f
#define TRIANGLE_C    3.0f
#define TRIANGLE_AB   4.0f
#define TRIANGLE_BC   5.0f
#define TRIANGLE_CA   6.0f

/* More than rounding may make of a height that is the distance itself. */
#define TRIANGLE_PLANE_BOUND 1.0001f

/* The squared distance of a point from a box, 0 inside. */
KERNEL_FN float box_squared(v3 p, v3 low, v3 high) {
    v3 d = v3_make(k_max(k_max(low.x - p.x, p.x - high.x), 0.0f),
                   k_max(k_max(low.y - p.y, p.y - high.y), 0.0f),
                   k_max(k_max(low.z - p.z, p.z - high.z), 0.0f));
    return v3_dot(d, d);
}

/* From the nearest point of the segment a b to a point that is at from_a from its one end and at
 * from_b from its other, in xyz, and in w which of the three given parts is nearest. */
KERNEL_FN v4 segment_offset(v3 from_a, v3 from_b, float part_a, float part_b, float part_ab) {
    v3 ab = v3_sub(from_a, from_b);
    float t = v3_dot(from_a, ab) / k_max(v3_dot(ab, ab), KERNEL_TINY);
    bool at_a = t <= 0.0f;
    bool at_b = t >= 1.0f;
    v3 between = v3_madd(from_a, ab, -t);
    v3 offset = v3_select(at_a, from_a, v3_select(at_b, from_b, between));
    return v4_make(offset, k_select(at_a, part_a, k_select(at_b, part_b, part_ab)));
}

/* From the nearest point of the triangle to p, in xyz, and in w which part is nearest. normal is
 * the unit normal, around which a, b, c run counter-clockwise. */
KERNEL_FN v4 triangle_offset(v3 p, v3 a, v3 b, v3 c, v3 normal) {
    v3 from_a = v3_sub(p, a);
    v3 from_b = v3_sub(p, b);
    v3 from_c = v3_sub(p, c);
    /* Where p lies as seen from the three edges, inwards being positive. */
    float side_ab = v3_dot(v3_cross(normal, v3_sub(b, a)), from_a);
    float side_bc = v3_dot(v3_cross(normal, v3_sub(c, b)), from_b);
    float side_ca = v3_dot(v3_cross(normal, v3_sub(a, c)), from_c);
    if (side_ab > 0.0f && side_bc > 0.0f && side_ca > 0.0f) {
        return v4_make(v3_scale(normal, v3_dot(from_a, normal)), TRIANGLE_FACE);
    }
    /* What is outside of the triangle is nearest to an edge that it is outside of. */
    v4 best = v4_make(from_a, TRIANGLE_A);
    float squared = v3_dot(from_a, from_a);
    if (side_ab <= 0.0f) {
        v4 other = segment_offset(from_a, from_b, TRIANGLE_A, TRIANGLE_B, TRIANGLE_AB);
        float there = v3_dot(v4_xyz(other), v4_xyz(other));
        if (there < squared) {
            best = other;
            squared = there;
        }
    }
    if (side_bc <= 0.0f) {
        v4 other = segment_offset(from_b, from_c, TRIANGLE_B, TRIANGLE_C, TRIANGLE_BC);
        float there = v3_dot(v4_xyz(other), v4_xyz(other));
        if (there < squared) {
            best = other;
            squared = there;
        }
    }
    if (side_ca <= 0.0f) {
        v4 other = segment_offset(from_c, from_a, TRIANGLE_C, TRIANGLE_A, TRIANGLE_CA);
        float there = v3_dot(v4_xyz(other), v4_xyz(other));
        if (there < squared) {
            best = other;
        }
    }
    return best;
}

/* The normal of a triangle, 0 where it has none. */
KERNEL_FN v3 triangle_normal(v3 a, v3 b, v3 c) {
    v3 normal = v3_cross(v3_sub(b, a), v3_sub(c, a));
    float squared = v3_dot(normal, normal);
    return v3_scale(normal, squared > 0.0f ? 1.0f / k_sqrt(squared) : 0.0f);
}

/* The angle between two directions, in radians, by the tangents of halves of it until the series
 * converges: functions of libraries differ in the last bit between machines. */
KERNEL_FN float angle_between(v3 a, v3 b) {
    v3 cross = v3_cross(a, b);
    float sine = k_sqrt(v3_dot(cross, cross));
    float both = k_sqrt(v3_dot(a, a)) * k_sqrt(v3_dot(b, b)) + v3_dot(a, b);
    float length = k_sqrt(sine * sine + both * both) + both;
    float tangent = length > 0.0f ? sine / length : 0.0f; /* of a quarter */
    tangent = tangent / (1.0f + k_sqrt(1.0f + tangent * tangent));
    tangent = tangent / (1.0f + k_sqrt(1.0f + tangent * tangent));
    float squared = tangent * tangent;
    float sum = 1.0f / 7.0f - squared / 9.0f;
    sum = 1.0f / 5.0f - squared * sum;
    sum = 1.0f / 3.0f - squared * sum;
    return 16.0f * tangent * (1.0f - squared * sum);
}

/* The unit direction out of a closed mesh and the signed distance of a point that is at `offset`
 * from its nearest triangle; normal is the pseudonormal of the part that is nearest. A point on the
 * surface, within `grain` of it, has that for its direction. */
KERNEL_FN v4 triangle_signed(v4 offset, v3 normal, float distance, float grain) {
    v3 way = v4_xyz(offset);
    float side = k_select(v3_dot(way, normal) < 0.0f, -1.0f, 1.0f);
    bool on_normal = offset.w == TRIANGLE_FACE || !(distance > grain);
    v3 direction = v3_select(on_normal, normal, v3_scale(way, side / k_max(distance, grain)));
    return v4_make(direction, side * distance);
}

#endif
