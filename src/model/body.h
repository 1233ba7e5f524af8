/* Bodies: shapes that move as they are told, and meshes that deform as they are told. */
#ifndef TOILE_MODEL_BODY_H
#define TOILE_MODEL_BODY_H

#include "kernel/prelude.h"
#include "model/motion.h"
#include "model/shape_kind.h"
#include "model/skin.h"
#include "model/solid.h"
#include "toile/toile.h"

typedef struct body {
    toile_body_def def; /* name, mesh and keyframes point to what the body owns */
    char *name;
    motion motion;
    solid solid; /* meshes only; of one that deforms, in the world */
    solid hull;  /* boxes only: their mesh, by which they are measured */
    v3 size;     /* radius in x | radii | half length in y and radius in x | half edges | unused |
                    unused */
    pose base;   /* where the definition puts it */
    quat align;  /* turns the shape's own frame (capsule along y, plane normal y) into the body's */
    pose now;    /* at the world's time */
    pose next;   /* at the end of the step that is being made */
    bool driven; /* the caller moves it: keyframes no longer count */

    /* Of one that deforms, else NULL. */
    float *rest;       /* m, 3 a vertex: the mesh as it was given */
    float *wanted;     /* the same at the end of the step, in the body's own frame */
    body_skin skin;    /* SKINNED: what the vertices hang on */
    float *joints;     /* SKINNED: what the caller wants of them, SKIN_FLOATS a joint */
    float *placed;     /* the same with the pose: from `rest` to the world at the end of the step */
    bool placed_known; /* it is that; not after a state was loaded, until the caller says more */
    bool aimed;        /* the ends of the solid are those of `wanted` at the pose `aim` */
    pose aim;
} body;

static inline bool body_deforms(const body *b) {
    return b->wanted != NULL;
}

/* The mesh that a body is or, in its shape's own frame, a box; NULL: it is another shape. */
static inline const solid *body_mesh(const body *b) {
    return shape_is_mesh(b->def.shape)       ? &b->solid
           : b->def.shape == TOILE_SHAPE_BOX ? &b->hull
                                             : NULL;
}

toile_body_def body_default_def(void);
toile_result body_create(body *b, const toile_body_def *def);
void body_free(body *b);

/* Fills in next, and the ends of a mesh that deforms, for a step that ends at `time`. */
void body_aim(body *b, double time);
/* That step was made: it is there now. */
void body_arrive(body *b);
/* It was not: unless the caller moves it, it forgets where it was going. */
void body_stay(body *b);
/* Where it is now was read from a saved state. */
void body_restore(body *b);

/* What the caller wants of its vertices or joints at the end of the next step. */
toile_result body_move_vertices(body *b, const float *positions);
toile_result body_move_joints(body *b, const float *matrices);

/* How the ends of a skinned body come from its mesh as it was given; NULL: they have no such form
 * now. */
const float *body_placed_joints(const body *b);

/* The pose of the shape's own frame for a pose of the body; a mesh that deforms is in the world. */
pose body_shape_pose(const body *b, const pose *p);

/* Smallest radius of curvature, m; infinite for planes, zero for the edges of boxes and meshes. */
float body_roundness(const body *b);

/* The distance of a point to a shape of that size, which is no mesh, both in the shape's own frame,
 * and the normal. */
v4 shape_distance(toile_shape_kind kind, v3 p, v3 size);
/* The distance of a point of the shape's own frame to its surface, and the normal there. */
v4 body_distance(const body *b, v3 p);
/* How deep a point of the shape's own frame is inside, negative outside. There it is cheaper than
 * the distance, and may say that the surface is nearer than it is, but not that it is farther. */
float body_depth(const body *b, v3 p);

#endif
