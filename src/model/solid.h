/* Closed triangle meshes, and how far a point is from their surface: sign by angle-weighted
 * pseudonormals (Baerentzen and Aanaes, Signed Distance Computation Using the Angle Weighted
 * Pseudonormal, 2005), search by a tree of boxes.
 *
 * All arrays are flat and hold indices, not pointers, so that a device can copy them as they are.
 */
#ifndef TOILE_MODEL_SOLID_H
#define TOILE_MODEL_SOLID_H

#include <stdint.h>

#include "kernel/prelude.h"
#include "toile/toile.h"

/* The most triangles of a mesh, and the farthest a vertex may be from the body's centre. */
enum { SOLID_TRIANGLES = 1 << 22 };
#define SOLID_REACH 1e4f

/* An inner node of the tree: the boxes of its two children. A child is a leaf when its count is not
 * 0: `count` faces from `first` on. Otherwise `first` is the number of its node. */
typedef struct solid_node {
    v3 low[2], high[2];
    uint32_t first[2];
    uint32_t count[2];
} solid_node;

/* A triangle in the order of the tree. */
typedef struct solid_face {
    v3 a, b, c;
    v3 normal; /* unit, outwards */
} solid_face;

/* Of the corners and edges of a face: TRIANGLE_A to TRIANGLE_CA, less 1. */
enum { SOLID_PARTS = 6 };

typedef struct solid {
    float *positions; /* m, 3 a vertex, as given */
    size_t vertices;
    uint32_t *triangles; /* 3 a triangle, as given */
    size_t triangle_count;
    double volume; /* m^3, of all parts */
    v3 low, high;  /* m, box around it */
    float grain;   /* m, rounding of a place on the surface */

    solid_node *nodes;       /* node_count; the first is the root */
    solid_face *faces;       /* triangle_count */
    uint32_t *face_triangle; /* its number among the triangles, by which ties are decided */
    v3 *part_normals;        /* SOLID_PARTS a face: unit pseudonormals */
    uint32_t node_count;
} solid;

/* Copies the mesh and checks it: finite, indices in range, no triangle without an area, every edge
 * between two triangles that run along it in opposite directions, every connected part with its
 * outside outside. The sentence of a refusal names triangles, vertices and places. Whether surfaces
 * cross each other is not checked; where they touch in a vertex, each has its own normal there. */
toile_result solid_create(solid *s, const toile_mesh_def *def);
void solid_free(solid *s); /* zeroed is fine */

/* The signed distance of a point, negative inside, in w, and in xyz the unit direction out of the
 * solid: that of the nearest surface point to or from the point, or its pseudonormal when the point
 * is on the surface. A point farther from the surface than reach on either side, or one that is not
 * finite, gives zeros and an infinite distance. May be called from many threads at once; does not
 * allocate; the same bits on every machine. */
v4 solid_distance(const solid *s, v3 point, float reach);

/* How fast its fastest point is at most when it moves and spins around its origin. */
float solid_fastest(const solid *s, v3 velocity, v3 spin);

#endif
