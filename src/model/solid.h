/* Closed triangle meshes, and how far a point is from their surface: sign by angle-weighted
 * pseudonormals (Baerentzen and Aanaes, Signed Distance Computation Using the Angle Weighted
 * Pseudonormal, 2005), search by a tree of boxes.
 *
 * All arrays are flat and hold indices, not pointers, so that a device can copy them as they are.
 */
#ifndef TOILE_MODEL_SOLID_H
#define TOILE_MODEL_SOLID_H

#include <stdint.h>

#include "kernel/vec.h"
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

/* What a mesh that deforms has twice: the boxes of a node's children, the corners of a face. */
typedef struct solid_boxes {
    v3 low[2], high[2];
} solid_boxes;

typedef struct solid_corners {
    v3 a, b, c;
} solid_corners;

/* Of the half edges along an edge, and of those from a vertex, one has the lowest number. By these
 * bits whoever goes over faces sees each edge and each vertex once. */
enum { SOLID_FIRST_EDGE = 1, SOLID_FIRST_VERTEX = 8 };

/* No face, and no half edge on the other side. */
#define SOLID_NONE UINT32_MAX

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
    v3 *part_normals;        /* SOLID_PARTS a face: unit pseudonormals; NULL: it deforms */
    uint32_t *twins;         /* a half edge: the one that runs the other way, or SOLID_NONE */
    uint8_t *firsts;         /* of a face: SOLID_FIRST_EDGE << k, SOLID_FIRST_VERTEX << k */
    uint32_t node_count;
    bool open; /* it has borders */

    /* A mesh that deforms is in the frame of the world. What is above is how it is at the start of
     * the step; this is how it is at the end. In between, vertices move in straight lines at
     * constant speed. A box between those of start and end has in it what is in them, so that one
     * tree serves the whole step. NULL and 0: it does not deform. */
    float *ends;                /* m, 3 a vertex */
    solid_boxes *end_boxes;     /* node_count */
    solid_corners *end_corners; /* of faces */
    float longest_way;          /* m, of a vertex in the step */
    uint32_t arrivals;          /* how often the end has become the start */
} solid;

/* Copies the mesh and checks it: finite, indices in range, no triangle without an area, every edge
 * between two triangles that run along it in opposite directions, every connected part with its
 * outside outside. The sentence of a refusal names triangles, vertices and places. Whether surfaces
 * cross each other is not checked; where they touch in a vertex, each has its own normal there. */
toile_result solid_create(solid *s, const toile_mesh_def *def);
void solid_free(solid *s); /* zeroed is fine */

/* The same for a mesh that deforms, as it is at the start of the first step. If it may be `open`,
 * edges with a triangle on one side only have its normal, and inside is what is below the surface.
 */
toile_result solid_create_deforming(solid *s, const toile_mesh_def *def, bool open);
/* The ends were filled in: where it will be at the end of the step. */
void solid_aim(solid *s);
/* The step is over: the end is the start of the next one, which ends there, too. */
void solid_arrive(solid *s);

static inline bool solid_deforms(const solid *s) {
    return s->ends != NULL;
}

/* The signed distance of a point, negative inside, in w, and in xyz the unit direction out of the
 * solid: that of the nearest surface point to or from the point, or its pseudonormal when the point
 * is on the surface. A point farther from the surface than reach on either side, or one that is not
 * finite, gives zeros and an infinite distance. May be called from many threads at once; does not
 * allocate; the same bits on every machine. */
v4 solid_distance(const solid *s, v3 point, float reach);

/* Where a point is nearest to a solid. */
typedef struct solid_touch {
    v4 distance;   /* as solid_distance() has it */
    uint32_t face; /* SOLID_NONE: it is out of reach, and the rest is 0 */
    v3 weights;    /* of the corners of the face in the nearest point */
    v3 way;        /* m, that this point goes in the whole step; 0 unless the mesh deforms */
} solid_touch;

/* The same, at a time between the start of the step, 0, and its end, 1. hint: the face that was
 * nearest a moment ago, which makes the search shorter and does not change its result, or
 * SOLID_NONE. */
solid_touch solid_nearest(const solid *s, v3 point, float reach, float time, uint32_t hint);

/* The unit pseudonormal of a part of a face, 0 to SOLID_PARTS - 1, at a time. */
v3 solid_normal(const solid *s, uint32_t face, uint32_t part, float time);

/* A point of a face at a time. */
v3 solid_point(const solid *s, uint32_t face, v3 weights, float time);
/* The corners of a face at a time. */
solid_corners solid_corners_at(const solid *s, uint32_t face, float time);
/* Of a child of a node at a time. */
static inline solid_boxes solid_boxes_at(const solid *s, uint32_t index, float time) {
    const solid_node *n = &s->nodes[index];
    solid_boxes boxes = {{n->low[0], n->low[1]}, {n->high[0], n->high[1]}};
    for (int child = 0; s->ends && child < 2; child++) {
        const solid_boxes *end = &s->end_boxes[index];
        boxes.low[child] = v3_mix(boxes.low[child], end->low[child], time);
        boxes.high[child] = v3_mix(boxes.high[child], end->high[child], time);
    }
    return boxes;
}

/* How fast its fastest point is at most when it moves and spins around its origin. */
float solid_fastest(const solid *s, v3 velocity, v3 spin);

#endif
