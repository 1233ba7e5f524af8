/* Measuring cloth: what is kept from one time to the next, and the parts of it. */
#ifndef TOILE_STEP_GAUGE_H
#define TOILE_STEP_GAUGE_H

#include "kernel/shape.h"
#include "model/body.h"
#include "cook/flatness.h"
#include "step/intersect.h"

struct cloth;

/* Of a cloth. Made when it is first measured. */
typedef struct gauge {
    triangle_tree tree;    /* over its render mesh */
    flatness flatness;     /* of a rectangle's */
    float *texels;         /* m, 3 a texel */
    float *vertices;       /* m, 3 a vertex of the render mesh */
    bool *pinned;          /* a texel */
    bool *tied_texels;     /* a texel: is it at a tie that holds? */
    bool *tied;            /* a vertex of the render mesh: is one of its texels? */
    uint32_t *row_threads; /* warp and weft threads from a texel of a row to the next */
    uint32_t *row_strains; /* where the strains of a row begin; one more than there are rows */
    float *strains;        /* of each of these threads that is not pinned at both ends */
    float *picked;         /* room for as many; both are the world's */
    bool there;
} gauge;

/* A body at the time of measuring, as the kernels want it. */
typedef struct body_frame {
    const body *body;
    toile_body_id id;
    v3 center, axes[3];
} body_frame;

/* A part of the work, in the order of which the results are put together. */
typedef struct measure_task {
    void (*run)(const toile_world *w, struct measure_task *t);
    struct cloth *cloth;
    uint32_t index;      /* of the cloth among those measured */
    uint32_t first, end; /* leaves, rows, a node, or a crossing task */
    double sum, pinned;  /* of strains; the largest between pinned texels */
    toile_strain strain;
    toile_penetration penetration;
} measure_task;

/* Of a world. */
typedef struct measuring {
    struct cloth **cloths; /* measured, and what was found, of each */
    const triangle_tree **trees;
    toile_metrics *metrics;
    uint32_t cloth_count;
    size_t cloth_capacity;
    float *strains, *picked; /* of all cloths, one behind the other */
    size_t strain_count, strain_capacity;
    body_frame *bodies;
    size_t body_count, body_capacity;
    measure_task *tasks;
    size_t task_count, task_capacity;
    tree_pairs crossings;
    uint64_t work; /* pairs of boxes and triangles that were looked at, the last time */
} measuring;

void measuring_free(measuring *m); /* zeroed is fine */

toile_result gauge_create(struct cloth *c); /* where it is not there */
void gauge_free(gauge *g);                  /* zeroed is fine */
/* Marks what is pinned and finds room for the strains of the rest. */
void gauge_choose(const toile_world *w, struct cloth *c);
bool gauge_row_pinned(const struct cloth *c, int row); /* is any texel of it? */
/* Reads texels back and places the vertices. */
void gauge_read(const toile_world *w, struct cloth *c);

/* strain.c */
/* Fills in; the sum. pinned: the largest that is left out. */
double strain_rows(const struct cloth *c, uint32_t first, uint32_t end, double *pinned);
/* Percentiles and maximum of strains; picked has room for as many. */
toile_strain strain_ranks(const float *strains, size_t count, float *picked);

/* m, at which a point counts as inside, and a cut as one: rounding of positions some metres from
 * the origin stays below it. */
#define PENETRATION_TOLERANCE 1e-5f

static inline v3 frame_local_point(const body_frame *f, v3 p) {
    return shape_local_point(p, f->center, f->axes[0], f->axes[1], f->axes[2]);
}

static inline v3 frame_world_direction(const body_frame *f, v3 n) {
    return shape_world_direction(n, f->axes[0], f->axes[1], f->axes[2]);
}

/* A point of the world at that body. */
static inline toile_place frame_place(const body_frame *f, v3 p) {
    return (toile_place){f->id, {(double)p.x, (double)p.y, (double)p.z}};
}

/* What is below a node of a cloth's tree, but for what is pinned: somebody wants that where it is.
 * penetration.c: vertices and middles of triangles in bodies. */
void penetration_measure(const measuring *m, const struct cloth *c, const tree_node *n,
                         toile_penetration *out);
bool is_vertex_pinned(const struct cloth *c, size_t vertex);
/* The sum of two. */
void penetration_add(toile_penetration *sum, const toile_penetration *p);
/* inside.c: all of it, of a body that is a mesh or a box. */
void inside_measure(const struct cloth *c, const body_frame *f, const tree_node *n,
                    toile_penetration *out);

/* energy.c: all that is not strain, penetration or self-intersections. */
void measure_energy(toile_metrics *out, const toile_world *w, const struct cloth *c);

#endif
