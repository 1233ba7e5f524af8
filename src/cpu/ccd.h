/* Continuous collision of texels with meshes: Wang 2005 section 5.2 (W4, W5). */
#ifndef TOILE_CPU_CCD_H
#define TOILE_CPU_CCD_H

#include "cpu/passes.h"

/* A ball around where a texel once was in which nothing needs to be done about meshes, and what was
 * nearest then. Neither changes what is found, only what is looked for. */
typedef struct ccd_clearance {
    v3 middle;
    float radius;  /* m; 0: nothing is known */
    double motion; /* of the plan, at that time */
    int body;
    uint32_t face;
    bool outside; /* of all parts of the body; stays so until something was met */
    bool caught;  /* there is no room for it */
} ccd_clearance;

/* What a part of the cloth that would meet a mesh wants of its corners. */
typedef struct ccd_push {
    v3 shift;       /* m, of its end */
    v3 way;         /* m, that it goes in the substep: what is to be added to it */
    float share[3]; /* of a corner in both */
    bool rides;     /* instead, corners with a share go that way and no other */
} ccd_push;

/* Edges to the right and up, the diagonal, and two triangles of a texel's cell. */
enum { CCD_PARTS = 5 };

typedef struct ccd_state {
    ccd_clearance *clear; /* a texel, in the layout of planes */
    v3 *from;             /* m, a texel: where it is at the start of the substep */
    /* For edges; NULL without them. */
    v3 *to;                      /* m, a texel: where its way ends */
    float *room;                 /* m, a texel: free of meshes around its way, or not more than 0 */
    uint8_t *changed;            /* a texel: is that new since edges were looked at? */
    uint8_t *met;                /* a cell: bits of the parts that have pushes */
    bool *row_changed, *row_met; /* a row: does any of its texels have that set? Of halos, too */
    ccd_push *pushes;            /* CCD_PARTS a cell */
    size_t count;
    size_t bytes;
} ccd_state;

/* Texels that were inside a mesh, and those between parts of one that leave them no room. */
typedef struct ccd_count {
    uint64_t inside, caught;
} ccd_count;

/* edges: PASS_CCD_EDGES and PASS_CCD_PUSH will be asked for. */
toile_result ccd_create(ccd_state *s, const grid *g, bool edges);
void ccd_free(ccd_state *s); /* zeroed is fine */

/* Bodies are elsewhere: nothing is known of free space. */
void ccd_forget(ccd_state *s);

/* At the start of a substep, before anything moves texels. */
void ccd_begin(ccd_state *s, const cloth_state *cloth, int row_begin, int row_end);

/* Velocities of some rows that take them through the substep without meeting a mesh, and positions,
 * where these are to be others than velocities lead from. */
ccd_count ccd_rows(ccd_state *s, const pass_args *args, int row_begin, int row_end);

/* Texels take what edges want of them (cpu/edges.h), and then see to it themselves that they meet
 * nothing. */
void ccd_push_rows(ccd_state *s, const pass_args *args, int row_begin, int row_end);

/* m, that a texel's velocity takes it in the substep. */
static inline v3 ccd_way(const pass_args *args, size_t k) {
    const cloth_planes *at = &args->state->at;
    return v3_scale(v3_make(at->vx[k], at->vy[k], at->vz[k]), args->plan->substep);
}

#endif
