/* A mesh cut along the borders of its flat pattern: which triangles hang together.
 *
 * What islands.c builds pieces of cloth from; nobody else needs it. */
#ifndef TOILE_IO_CUTTER_H
#define TOILE_IO_CUTTER_H

#include "io/mesh.h"
#include "toile/toile.h"

typedef struct cut_edge {
    uint32_t low, high; /* vertices */
    uint32_t corner;    /* 3 * triangle + place of its first vertex */
} cut_edge;

typedef struct cutter {
    const char *name; /* of the file, for messages */
    const mesh_data *mesh;
    size_t triangles;
    uint32_t *vertices; /* a corner: the vertex, equal ones joined */
    double *area2;      /* a triangle: twice its area in the pattern, units^2, signed */
    cut_edge *edges;    /* 3 a triangle, sorted */
    uint32_t *parts;    /* a triangle: another of its island, or itself; later its island */
    uint32_t *order;    /* triangles, island by island */
    uint32_t *starts;   /* an island: first of order; one more at the end */
    uint32_t *locals;   /* a vertex: its number in the island that is being built */
    uint8_t *border;    /* a corner: its edge has no triangle on the other side */
    size_t count;       /* islands */
} cutter;

static inline const float *cutter_flat(const cutter *c, uint32_t vertex) {
    return c->mesh->coordinates + 2 * (size_t)vertex;
}

static inline const float *cutter_space(const cutter *c, uint32_t vertex) {
    return c->mesh->positions + 3 * (size_t)vertex;
}

/* Refuses what has no flat pattern, triangles without area in it or on top of their neighbour, and
 * edges of more than two. */
toile_result cutter_create(cutter *c, const mesh_data *mesh, const char *name);
void cutter_free(cutter *c); /* zeroed is fine */

/* The scale that makes the areas of pattern and surface the same. */
toile_result cutter_fit_scale(const cutter *c, double *scale);

#endif
