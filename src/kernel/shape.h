/* Signed distance and outward normal of the shapes, in their own frames: centre at the origin,
 * capsules along y, planes with y as the normal. size is what the shape needs: (radius, -, -),
 * (radius, half length, -), radii, half edges,
 * (height, -, -). Each returns the unit normal in xyz and the
 * distance in w, negative inside. */
#ifndef TOILE_KERNEL_SHAPE_H
#define TOILE_KERNEL_SHAPE_H

#include "kernel/vec.h"

/* A point of the world in the frame of a shape, given by its centre and axes, and a direction of
 * the shape in the world. */
KERNEL_FN v3 shape_local_point(v3 p, v3 center, v3 axis_x, v3 axis_y, v3 axis_z) {
    v3 d = v3_sub(p, center);
    return v3_make(v3_dot(d, axis_x), v3_dot(d, axis_y), v3_dot(d, axis_z));
}

KERNEL_FN v3 shape_world_direction(v3 n, v3 axis_x, v3 axis_y, v3 axis_z) {
    return v3_add(v3_scale(axis_x, n.x), v3_add(v3_scale(axis_y, n.y), v3_scale(axis_z, n.z)));
}

KERNEL_FN v4 sphere_distance(v3 p, v3 size) {
    float squared = v3_dot(p, p);
    float inverse = v3_inverse_length(p);
    bool at_center = squared < KERNEL_TINY;
    v3 normal = v3_select(at_center, v3_make(0.0f, 1.0f, 0.0f), v3_scale(p, inverse));
    return v4_make(normal, squared * inverse - size.x);
}

KERNEL_FN v4 capsule_distance(v3 p, v3 size) {
    float along = k_max(k_min(p.y, size.y), -size.y);
    return sphere_distance(v3_make(p.x, p.y - along, p.z), size);
}

/* The exact distance has no closed form. This one is exact on the surface and its error grows with
 * the square of the distance: with f = |p/r|, the surface is f = 1, and f (f - 1) / |p/r^2| is a
 * first-order step to it that is also exact for spheres. Contact works within a few thicknesses of
 * the surface, where it holds. */
KERNEL_FN v4 ellipsoid_distance(v3 p, v3 size) {
    v3 inverse_radii = v3_make(1.0f / size.x, 1.0f / size.y, 1.0f / size.z);
    v3 scaled = v3_mul(p, inverse_radii);
    v3 gradient = v3_mul(scaled, inverse_radii);
    float f = k_sqrt(v3_dot(scaled, scaled));
    float inverse = v3_inverse_length(gradient);
    bool at_center = v3_dot(gradient, gradient) < KERNEL_TINY;
    float inside = -k_min(size.x, k_min(size.y, size.z));
    v3 normal = v3_select(at_center, v3_make(0.0f, 1.0f, 0.0f), v3_scale(gradient, inverse));
    return v4_make(normal, k_select(at_center, inside, f * (f - 1.0f) * inverse));
}

KERNEL_FN v4 box_distance(v3 p, v3 size) {
    v3 q = v3_make(k_abs(p.x) - size.x, k_abs(p.y) - size.y, k_abs(p.z) - size.z);
    v3 side = v3_make(k_select(p.x < 0.0f, -1.0f, 1.0f), k_select(p.y < 0.0f, -1.0f, 1.0f),
                      k_select(p.z < 0.0f, -1.0f, 1.0f));
    float deepest = k_max(q.x, k_max(q.y, q.z));
    v3 beyond = v3_make(k_max(q.x, 0.0f), k_max(q.y, 0.0f), k_max(q.z, 0.0f));
    float squared = v3_dot(beyond, beyond);
    float inverse = v3_inverse_length(beyond);
    bool outside = deepest > 0.0f;
    bool x_face = q.x >= deepest;
    bool y_face = q.y >= deepest;
    v3 face = v3_select(x_face, v3_make(1.0f, 0.0f, 0.0f),
                        v3_select(y_face, v3_make(0.0f, 1.0f, 0.0f), v3_make(0.0f, 0.0f, 1.0f)));
    v3 normal = v3_mul(v3_select(outside, v3_scale(beyond, inverse), face), side);
    return v4_make(normal, k_select(outside, squared * inverse, deepest));
}

KERNEL_FN v4 plane_distance(v3 p, v3 size) {
    return v4_make(v3_make(0.0f, 1.0f, 0.0f), p.y - size.x);
}

#endif
