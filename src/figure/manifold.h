/* A closed triangle mesh that can be changed: it knows which triangle is across every edge. */
#ifndef TOILE_FIGURE_MANIFOLD_H
#define TOILE_FIGURE_MANIFOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "figure/vec.h"
#include "toile/toile.h"

#define MANIFOLD_NONE UINT32_MAX

typedef struct manifold_vertex {
    vec position;  /* m */
    uint32_t edge; /* a half-edge that starts here; MANIFOLD_NONE: removed */
} manifold_vertex;

/* Half-edge 3 t + k is the side of triangle t from its corner k to the next. */
typedef struct half_edge {
    uint32_t vertex; /* where it starts; MANIFOLD_NONE: the triangle is removed */
    uint32_t twin;   /* the one that runs along it in the other triangle */
} half_edge;

/* What is removed stays in the arrays until manifold_pack. */
typedef struct manifold {
    manifold_vertex *vertices;
    size_t vertex_count, vertex_capacity;
    half_edge *edges;
    size_t edge_count, edge_capacity; /* edge_count: three times the triangles */
} manifold;

void manifold_free(manifold *s); /* zeroed is fine */

/* Append. False: not enough memory. */
bool manifold_add_vertex(manifold *s, vec position);
bool manifold_add_triangle(manifold *s, uint32_t a, uint32_t b, uint32_t c);

/* Finds all twins once all triangles are there. Every edge must have two triangles. */
toile_result manifold_join(manifold *s);

static inline uint32_t edge_next(uint32_t h) {
    return h % 3 == 2 ? h - 2 : h + 1;
}

static inline uint32_t edge_previous(uint32_t h) {
    return h % 3 == 0 ? h + 2 : h - 1;
}

static inline uint32_t edge_start(const manifold *s, uint32_t h) {
    return s->edges[h].vertex;
}

static inline uint32_t edge_end(const manifold *s, uint32_t h) {
    return s->edges[edge_next(h)].vertex;
}

static inline vec edge_position(const manifold *s, uint32_t h) {
    return s->vertices[s->edges[h].vertex].position;
}

/* The next half-edge that starts at the same vertex, counter-clockwise. */
static inline uint32_t edge_around(const manifold *s, uint32_t h) {
    return s->edges[edge_previous(h)].twin;
}

/* Twice the area times the outward normal of the triangle that h is a side of. */
vec manifold_normal(const manifold *s, uint32_t h);

unsigned manifold_valence(const manifold *s, uint32_t vertex);

/* Puts a vertex on an edge and cuts both its triangles in two. False: not enough memory. */
bool manifold_split(manifold *s, uint32_t h, vec position);

/* Turns the edge in the quadrangle of its two triangles, unless the surface would no longer be a
 * manifold. */
bool manifold_flip(manifold *s, uint32_t h);

/* Draws the edge together: the vertex at its start goes, that at its end moves to the position.
 * Refuses when the surface would no longer be a manifold. */
bool manifold_collapse(manifold *s, uint32_t h, vec position);

/* Leaves out what was removed. */
toile_result manifold_pack(manifold *s);

#endif
