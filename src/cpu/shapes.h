/* Shapes as passes over texels see them. */
#ifndef TOILE_CPU_SHAPES_H
#define TOILE_CPU_SHAPES_H

#include "cpu/passes.h"
#include "kernel/shape.h"
#include "model/body.h"

/* The shapes that have a signed distance, with its name in kernel/shape.h. */
#define SHAPES(X)                                                                                  \
    X(SPHERE, sphere)                                                                              \
    X(ELLIPSOID, ellipsoid)                                                                        \
    X(CAPSULE, capsule)                                                                            \
    X(BOX, box)                                                                                    \
    X(PLANE, plane)

typedef v4 distance_function(v3 p, v3 size);

static inline v3 to_shape(const shape_args *s, v3 p) {
    return shape_local_point(p, s->center, s->axis_x, s->axis_y, s->axis_z);
}

static inline v3 from_shape(const shape_args *s, v3 n) {
    return shape_world_direction(n, s->axis_x, s->axis_y, s->axis_z);
}

/* May a texel of the row touch the shape? The distance of the middle of the row's box tells. */
static inline bool is_near(const row_box *box, const shape_args *shape, float distance) {
    v3 middle = v3_scale(v3_add(box->low, box->high), 0.5f);
    v3 half = v3_scale(v3_sub(box->high, box->low), 0.5f);
    float gap = shape_distance(shape->kind, to_shape(shape, middle), shape->size).w - distance;
    return box->low.x <= box->high.x && gap < k_sqrt(v3_dot(half, half));
}

typedef struct contact_args {
    shape_args shape;
    float distance; /* m from the surface to the texels' plane of contact */
    float friction;
    int begin, end; /* columns that are looked at */
} contact_args;

#endif
