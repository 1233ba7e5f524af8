/* Cloth that starts in cloth, on the CPU: which edges go through which triangles, and what draws
 * them out. kernel/untangle.h has the formulas. */
#ifndef TOILE_CPU_MEET_UNTANGLE_H
#define TOILE_CPU_MEET_UNTANGLE_H

#include "cpu/meet.h"

/* An edge that goes through a triangle. */
typedef struct piercing {
    uint32_t edge[2], face[3]; /* vertices */
    uint32_t edge_cloth, face_cloth;
    float at;         /* of the edge, where it goes through */
    float on[3];      /* of the triangle's corners: weights of the place */
    v3 normal;        /* unit, of the triangle */
    v3 push;          /* unit, along which the edge moves; or 0 */
    v3 shorten;       /* G */
    uint32_t contour; /* another one of the same contour; itself: it stands for it */
    bool decided;     /* is it known which side is wrong? */
} piercing;

/* Of a vertex near a contour. */
enum {
    UNTANGLE_AT = 1,        /* of an edge or a triangle that is pierced, */
    UNTANGLE_NEAR = 2,      /* or of a neighbour of one that has such a vertex */
    UNTANGLE_UNDECIDED = 4, /* the same, of a contour of which no side is wrong */
    UNTANGLE_WRONG = 8      /* on the wrong side of a contour */
};

typedef struct untangle_cloth {
    uint8_t *near;   /* a vertex: bits of the above */
    uint32_t *part;  /* a vertex: another one of the same part of the cloth, contours being cuts */
    uint32_t *size;  /* of a part: vertices */
    uint32_t *depth; /* of a part: contours between it and the largest */
    uint32_t *last;  /* a vertex: its last piercing and 1, while contours are put together */
    v3 *normals;     /* a vertex: of its triangles, not unit */
    uint64_t *cuts;  /* edges that are cut, sorted */
    size_t cut_count, cut_room;
    bool in_itself;
} untangle_cloth;

typedef struct untangle_found {
    piercing *piercings;
    size_t count, room;
} untangle_found;

/* An edge of a contour that is to be shortened. */
typedef struct edge_use {
    uint32_t cloth;
    uint64_t key; /* its vertices */
    uint32_t piercing;
} edge_use;

typedef struct untangle {
    untangle_cloth *cloths;
    int cloth_count;
    untangle_found *found; /* a thread */
    int threads;
    piercing *piercings;
    size_t count, room;
    edge_use *uses; /* sorted */
    size_t use_count, use_room;
} untangle;

void untangle_free(untangle *u); /* NULL is fine */

/* Where cloth is, which edges go through which triangles, and what follows from that. All threads;
 * they have met. */
void untangle_look(const meet_run *run, int thread);

/* Decides which way each goes, and what is near. Thread 0. */
bool untangle_decide(const meet_run *run);

/* Of a plan that untangles: is a pair near such an edge? */
bool untangle_is_near(const meet_run *run, const meet_pair *p);

/* And in the way, its normal being that from the second part to the first? */
bool untangle_leaves_out(const meet_run *run, const meet_pair *p, v3 normal);

/* Adds what draws edges out of triangles to the contacts. Thread 0. */
bool untangle_add_contacts(const meet_run *run);

#endif
