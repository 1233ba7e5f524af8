/* How far a body that is a mesh goes through triangles of cloth that it meets. */
#ifndef TOILE_STEP_STANDING_H
#define TOILE_STEP_STANDING_H

#include "model/solid.h"
#include "cook/tree.h"

/* A triangle of cloth in the body's frame. */
typedef struct patch {
    v3 corners[3], low, high;
    uint32_t vertices[3];
    bool pinned;
    bool clear;    /* no face meets it */
    bool cut;      /* a face cuts it */
    float through; /* m, how far such faces reach to both sides of it at least */
    int winding;
} patch;

typedef struct standing {
    float depth; /* m; 0: the body does not go through */
    v3 place;    /* in the body's frame */
} standing;

/* Of some triangles of cloth together with all of the body that is near them. Three things tell, of
 * which the worst counts:
 *   - A vertex of the body, or a point of an edge that is convex, from which a way straight into
 *     the body meets the triangle: how far the point is from the triangle. Less, in proportion,
 *     where the triangle is nearer to other faces there than to those of the vertex or edge.
 *   - An edge of the triangle with both ends outside that has a part of itself in the body, as
 * where a plate goes through a cloth: how far the middle of the part would have to move sideways,
 *     unless that is more than the edge is long.
 *   - A part of the body that comes out of the middle of the triangle, as a needle does: how far
 *     the faces around it reach to both sides.
 * Points of the body are looked for as far as STANDING_REACH, and farther where large faces are
 * cut. */
#define STANDING_REACH 0.01f
standing standing_measure(const solid *s, const patch *patches, int count);

#endif
