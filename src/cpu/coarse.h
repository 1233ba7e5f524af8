/* Collision on the coarse mesh: Schmitt 2013 sections 4 and 6. */
#ifndef TOILE_CPU_COARSE_H
#define TOILE_CPU_COARSE_H

#include <stdatomic.h>

#include "cook/panel.h"
#include "cpu/passes.h"

/* A ball around where a vertex once was in which there was no mesh. */
typedef struct clearance {
    v3 middle;
    float radius;  /* m; 0: nothing is known */
    double motion; /* coarse_state.motion at that time */
} clearance;

/* What bodies do to the coarse mesh of a cloth in a substep. */
typedef struct coarse_state {
    const panel *panel;
    float *offsets;      /* m, 3 a vertex: moved by so much */
    float *kicks;        /* m/s, 3 a vertex: velocity changed by so much */
    atomic_uint touched; /* number of the last substep in which a vertex was */
    clearance *clear;    /* a vertex */
    double motion;       /* m, way of the fastest point of any mesh up to this substep */
    size_t bytes;
} coarse_state;

toile_result coarse_create(coarse_state *c, const panel *p);
void coarse_free(coarse_state *c); /* zeroed is fine */

/* Before a substep: meshes will have moved by so much at its end. */
void coarse_begin(coarse_state *c, const step_plan *plan, int parity);

/* Forgets what is known about free space, for bodies are elsewhere. */
void coarse_forget(coarse_state *c);

/* Texels are projected onto some of the vertices, which are kept out of the bodies. substep: a
 * number that no earlier substep had. */
void coarse_collide(coarse_state *c, const pass_args *args, unsigned substep, uint32_t begin,
                    uint32_t end);

/* What that changed is sampled into some rows of texels. */
void coarse_sample(const coarse_state *c, const pass_args *args, unsigned substep, int row_begin,
                   int row_end);

#endif
