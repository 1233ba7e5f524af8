/* Cloth against cloth on the CPU, for the implicit solver: which parts of the meshes that are drawn
 * may meet in a move, how far it may go, and what presses them apart then. kernel/meet.h has the
 * law and the proof that nothing crosses.
 *
 * Every move of Newton's method goes from places where nothing crosses. It is looked at as a whole:
 * boxes around the ways of triangles give pairs, all of which are cut until none fails. What is
 * near then makes contacts, rows of the system on every level until the next move. */
#ifndef TOILE_CPU_MEET_H
#define TOILE_CPU_MEET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/barrier.h"
#include "cook/flatness.h"
#include "cook/mapping.h"
#include "cook/tree_pairs.h"
#include "cpu/meet_batch.h"
#include "cpu/passes.h"
#include "device/newton_state.h"
#include "kernel/mapping.h"
#include "kernel/meet.h"

/* A cloth. Vertices are those of its render mesh; where it is `plain`, they are its texels. */
typedef struct meet_cloth {
    const flat_mesh *mesh;        /* that is drawn */
    const projection *projection; /* its vertices among texels */
    const grid *grid;
    float scale; /* from coordinates of the mesh to m */
    bool plain;
    uint32_t texels, vertices;
    float lever; /* how far a vertex goes at most where no texel goes farther than 1 */
    triangle_tree tree;
    meet_leaf *leaves; /* of the tree */
    cell_span *cells;  /* a triangle of a leaf, as those in `owned`: its cell, for `flat` */
    flatness flat;
    float grow;     /* m, boxes of the tree on each side */
    uint8_t *owned; /* a triangle of a leaf: bits of its vertices, and of its edges from there on,
                       that no other triangle has */
    float *at;      /* m, 3 a texel: where it is */
    float *way;     /* m, 3 a texel: of the move */
    float *goal;    /* m, 3 a texel: where it leads, by the share there is */
    float *listed_from; /* m, 3 a texel: pairs were listed for a way from here ... */
    float *listed;      /* m, 3 a texel: ... to here, */
    float slack;        /* m, from which it may stray so far before they are listed anew */
    float strayed;      /* m, the farthest from there in the substep */
    float *gone;        /* m, a texel: the most that a move has it away from listed_from */
    float *share;       /* a texel: of its way that it may take */
    atomic_uint *next;  /* a texel: the same, while it is looked for; bits of a float above 0 */
    uint8_t *held;      /* a texel: is it pinned, or not there? MEET_LATE: and has been cut */
    float *target;      /* m, 3 a texel: where the substep takes it, if it is held */
    float *start;       /* m, 3 a vertex: at the start of the substep */
    float *from;        /* m, 3 a vertex: where it is */
    float *until;       /* m, 3 a vertex: where its way leads likewise; where the cloth is `plain`,
                           goal */
    const float *swept; /* m, 3 a vertex: until here pairs are being listed for */
    uint32_t *chain;    /* a vertex: its first contact and 1, while they are looked at; else 0 */
    bool *tied;         /* a vertex: is it at a tie? */
    float cut;          /* m, the most that was taken from a way in the last move */
    int group;          /* the first of those that it may meet, one by the other */
    float alike;        /* the share that these go, if shares of their own did not hold */
    bool touches;       /* has it contacts? */
    bool asleep;
} meet_cloth;

/* Corners are vertices of their cloths: of a vertex and a triangle, or of two edges. */
typedef struct meet_pair {
    uint32_t corners[4];
    uint32_t first, second; /* cloths of its two parts */
    bool edges;
    v3 normal;   /* unit, from the second part to the first when pairs were listed */
    float apart; /* m, then */
} meet_pair;

/* A pair that is nearer than at rest, and what presses it apart. */
typedef struct meet_contact {
    meet_pair pair;
    meet_place place;
    float rest;       /* m */
    float draws;      /* of an edge that is drawn out of a triangle: its share (cpu/meet_untangle.h)
                         along the normal, by `rest` in the substep. Else 0 */
    bool passed_over; /* a nearer one stands for it */
    meet_press press;
} meet_contact;

/* Of the spacing, the most that texels may stray from where pairs were listed for; and pairs are
 * listed for so many times the way of the first move, since they serve in the next substep, too.
 * With 0.25 and 4 lists serve longer, but a sheet that crumples has half as many pairs more, and
 * took twice the time. */
#define MEET_SLACK 0.05f
#define MEET_AHEAD 2.0f

/* 1/m: sums of integers are the same for any number of threads. */
#define MEET_NANOMETRES 1e9

/* Passes over all pairs of a move, at most: then all of what touches goes the same share. */
enum { MEET_PASSES = 24 };

enum { MEET_FREE, MEET_HELD, MEET_LATE };

/* Of the way up to the first contact, for them. */
#define MEET_ALIKE 0.8f

/* What a thread finds. */
typedef struct meet_found {
    meet_pair *pairs;
    size_t pair_count, pair_room;
    uint32_t *near;  /* of its share of pairs, those that may be contacts along the move */
    uint32_t *risky; /* and of these, those that may have to be cut */
    size_t near_count, risky_count, near_room, risky_room;
    meet_contact *contacts;
    size_t contact_count, contact_room;
    float *cuts;    /* m, a cloth: the most that was taken from a way */
    float *strayed; /* m, a cloth: from the ways that pairs were listed for */
    float apart;    /* m squared, ways from what is common to all */
    int64_t way[3]; /* MEET_NANOMETRES, of all texels in the first move */
    float *least;   /* a cloth: share up to the first contact that it is the first part of */
    bool failed;    /* no memory */
} meet_found;

/* A task of the walk over pairs of boxes: who did it, and where its pairs are. */
typedef struct meet_task {
    int thread;
    size_t first, count;
} meet_task;

typedef struct meet_weight {
    uint32_t texel; /* in planes of the level */
    float weight;
} meet_weight;

/* A row that a texel is in. */
typedef struct meet_entry {
    uint32_t row;
    float weight, share; /* share: of its stiffness that counts for the texel (kernel/coupling.h) */
} meet_entry;

typedef struct meet_texel {
    uint32_t texel, first; /* of its entries; those of the next begin where they end */
} meet_texel;

/* Rows of contacts on a level. */
typedef struct meet_level {
    uint32_t rows;
    size_t row_room;
    coupling_end *ends; /* two a row: the cells that it lies in */
    uint32_t *first;    /* a row: of its weights; rows + 1 */
    block *stiffness;   /* N/m */
    v3 *pulls;          /* N, on a texel of weight 1 */
    bool *joined;       /* both ends are solved by sweeps here: else each feels the row by itself */
    uint32_t *merged;   /* rows of the finer level that it stands for */
    meet_weight *weights;
    uint32_t touched;
    meet_texel *texel; /* touched + 1, in the order of planes */
    meet_entry *entry; /* of a texel by rising row */
    size_t texel_room, entry_room;
    uint32_t *first_of_row; /* a row of the equations: of its touched texels; and one more */
    uint32_t *slot;         /* a texel of the planes: its number among the touched and 1; or 0 */
} meet_level;

typedef struct meet_table {
    meet_cloth *cloths;
    int count;
    const triangle_tree **trees; /* a cloth; NULL: it sleeps */
    tree_pairs walk;
    meet_task *tasks;
    size_t task_room;
    atomic_size_t next_task;
    meet_found *found;         /* a thread */
    int threads, most_threads; /* of the step; that there is room for */
    meet_pair *pairs;
    size_t pair_count, pair_room;
    atomic_bool fails[MEET_PASSES]; /* a pass over pairs: would any cross? */
    atomic_bool falls[MEET_PASSES]; /* and did shares fall? */
    bool plain;                     /* all cloths are */
    bool listed;                    /* pairs are, in this step */
    bool flat;                      /* what was when they were listed is */
    v3 mean;                        /* m, of all ways of the move */
    v3 common;                      /* m, the same, as far as it was taken out of them */
    v3 along;                       /* m, mean way since pairs were listed */
    meet_contact *contacts;
    size_t contact_count, contact_room;
    uint32_t *chained; /* a contact: the next one of its vertex, and 1 */
    size_t chained_room;
    struct untangle *tangle; /* of cloth that starts in cloth; NULL: there was none yet */
    bool looked;             /* for edges in triangles, in this step */
    size_t pierced[2]; /* edges that go through triangles when a step begins, and at its end */
    meet_level level[SYSTEM_LEVELS];
    uint32_t *merged; /* a hash of rows that are merged */
    size_t merged_room;
    bool failed; /* no memory */
} meet_table;

/* What a move is made with. */
typedef struct meet_run {
    meet_table *table;
    newton_state *state;
    const pass_args *panels;
    const step_plan *plan;
    barrier *barrier;
    const meet_vectors *vectors;
    bool first; /* move of a substep */
} meet_run;

/* Room for cloths that are added one after the other. NULL with an error message on failure. */
meet_table *meet_create(int cloths, int threads);
toile_result meet_add_cloth(meet_table *t, const struct toile_panel *p, const grid *g);
/* A texel of a cloth is tied: what lies around both ends of ties does not meet. Behind the last one
 * meet_tie_vertices takes them over. */
void meet_tie(meet_table *t, int cloth, int column, int row);
toile_result meet_arrange(meet_table *t, const equations *e);
void meet_free(meet_table *t); /* NULL is fine */

/* PASS_MEET, of rows: texels are where a substep begins. Then of vertices that are no texels. */
void meet_begin_rows(meet_table *t, int cloth, const pass_args *args, int begin, int end);
void meet_begin_vertices(meet_table *t, int cloth, int share, int shares);

/* Texels have moved, straight from where they were after the move before. Puts those back that
 * would cross, and lists what is near then. All threads; they have met. */
void meet_move(const meet_run *run, int thread);

/* Forces without those of contacts are known: makes the rows of contacts.
 * All threads; they have met. */
void meet_press_all(const meet_run *run, int thread);
void meet_forget_levels(const meet_run *run); /* there are no rows */

/* Its parts. Ways of the move, and whether pairs must be listed for it; goals by shares, and the
 * same; the list. */
void meet_load_move(const meet_run *run, int thread);
void meet_vertices(const meet_run *run, int thread);
void meet_aim(const meet_run *run, int thread);
void meet_find_pairs(const meet_run *run, int thread);
/* Thread 0: trees are fitted; their pairs of boxes are shared out as tasks. */
void meet_list_tasks(meet_table *t);
bool meet_stays_flat(const meet_run *run, int thread);
/* Is a texel farther from the ways that pairs were listed for than the list allows for? All threads
 * find the same; thread 0 notes it then. */
bool meet_strays(const meet_run *run);
void meet_note_strays(const meet_run *run);
void meet_list_close(const meet_run *run, int thread);
void meet_cut(const meet_run *run, int thread);
void meet_settle(const meet_run *run, int thread);
void meet_list_near(const meet_run *run, int thread);

/* A thread's share of what there is so many of. */
typedef struct meet_range {
    size_t begin, end;
} meet_range;

static inline meet_range meet_share_of(size_t count, int thread, int threads) {
    return (meet_range){count * (size_t)thread / (size_t)threads,
                        count * ((size_t)thread + 1) / (size_t)threads};
}

static inline v3 meet_load(const float *vectors, size_t i) {
    return v3_make(vectors[3 * i], vectors[3 * i + 1], vectors[3 * i + 2]);
}

static inline void meet_store(float *vectors, size_t i, v3 value) {
    vectors[3 * i] = value.x;
    vectors[3 * i + 1] = value.y;
    vectors[3 * i + 2] = value.z;
}

/* The texels that a vertex is made of, and their weights. */
typedef struct meet_square {
    uint32_t texels[4];
    float weights[4];
    int count;
} meet_square;

static inline meet_square meet_square_of(const meet_cloth *c, uint32_t vertex) {
    if (c->plain) {
        return (meet_square){{vertex}, {1.0f}, 1};
    }
    const projection *p = c->projection;
    const uint32_t at = p->texels[vertex], up = (uint32_t)c->grid->columns;
    const float u = p->fractions[2 * vertex], v = p->fractions[2 * vertex + 1];
    return (meet_square){{at, at + 1, at + up, at + up + 1},
                         {(1.0f - u) * (1.0f - v), u * (1.0f - v), (1.0f - u) * v, u * v},
                         4};
}

/* The cloth of a corner. */
static inline const meet_cloth *meet_cloth_of(const meet_table *t, const meet_pair *p, int corner) {
    const bool first = corner == 0 || (p->edges && corner == 1);
    return &t->cloths[first ? p->first : p->second];
}

/* Corners of a pair where the move begins. */
typedef struct meet_corners {
    v3 at[4];
} meet_corners;

static inline meet_corners meet_corners_of(const meet_table *t, const meet_pair *p) {
    meet_corners c;
    for (int k = 0; k < 4; k++) {
        c.at[k] = meet_load(meet_cloth_of(t, p, k)->from, p->corners[k]);
    }
    return c;
}

static inline ccd_quad meet_quad_of(const meet_corners *c, bool edges) {
    return edges ? ccd_from_edges(c->at[0], c->at[1], c->at[2], c->at[3])
                 : ccd_from_triangle(c->at[0], c->at[1], c->at[2], c->at[3]);
}

/* m, by which the first part is above the second along a direction. */
static inline float meet_gap(const v3 at[4], bool edges, v3 direction) {
    const v4 heights = {v3_dot(at[0], direction), v3_dot(at[1], direction),
                        v3_dot(at[2], direction), v3_dot(at[3], direction)};
    return meet_low(heights, edges) - meet_high(heights, edges);
}

/* m, the mean of both cloths: the largest rest distance. */
static inline float meet_thickness(const step_plan *plan, const meet_pair *p) {
    return 0.5f * (plan->cloths[p->first].thickness + plan->cloths[p->second].thickness);
}

/* A texel in planes of a level. */
static inline size_t meet_texel_at(const meet_table *t, const system_level *table,
                                   const meet_cloth *c, uint32_t texel) {
    const system_panel *own = &table->panels[c - t->cloths];
    const uint32_t columns = (uint32_t)c->grid->columns;
    return own->first + grid_index(&own->grid, (int)(texel % columns), (int)(texel / columns));
}

/* A vertex that is no texel, of a field of these. */
static inline v3 meet_vertex_of(const meet_cloth *c, const float *texels, size_t vertex) {
    const projection *p = c->projection;
    const size_t at = p->texels[vertex], up = (size_t)c->grid->columns;
    return square_value(meet_load(texels, at), meet_load(texels, at + 1),
                        meet_load(texels, at + up), meet_load(texels, at + up + 1),
                        p->fractions[2 * vertex], p->fractions[2 * vertex + 1]);
}

/* m, at which the parts of a pair rest, given where they are nearest. */
float meet_rest_of(const meet_run *run, const meet_pair *p, v4 weights);

/* Grows an array for so many elements; false, with an error message: there is no memory. What was
 * in it is lost. */
bool meet_room(void **array, size_t *room, size_t count, size_t size);

#endif
