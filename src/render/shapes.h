/* Round meshes for bodies. Sphere, ellipsoid, capsule and box with rounded edges are one shape: a
 * sphere that is cut along its three planes of symmetry, scaled, and moved apart at the cuts. */
#ifndef TOILE_RENDER_SHAPES_H
#define TOILE_RENDER_SHAPES_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/prelude.h"
#include "render/draw.h"

/* A cut sphere: the topology that all bodies share. */
typedef struct cut_sphere {
    size_t vertices;
    size_t indices;
    v3 *directions;      /* a vertex: unit, from the middle of its part */
    v3 *sides;           /* a vertex: -1 or 1 along each axis, which of the eight parts it is in */
    uint32_t *triangles; /* counter-clockwise seen from outside */
} cut_sphere;

/* divisions is the number of edges along a quarter of a great circle. */
toile_result cut_sphere_make(cut_sphere *s, uint32_t divisions);
void cut_sphere_free(cut_sphere *s); /* zeroed is fine */

/* A bounded body as a cut sphere: a vertex is at position + rotation * (sides * core + directions *
 * radii). */
typedef struct round_shape {
    v3 core;
    v3 radii;
    v3 position;
    float rotation[4];
} round_shape;

/* Not for planes, which have no bounds, nor for meshes, which are no spheres. */
round_shape round_shape_of(const draw_body *body);
v3 round_shape_point(const round_shape *shape, v3 side, v3 direction);
v3 round_shape_normal(const round_shape *shape, v3 direction);

/* The box around it in world axes. */
draw_bounds round_shape_bounds(const round_shape *shape);

/* The same for any body but a plane. */
draw_bounds body_bounds(const draw_body *body);

#endif
