/* A mesh whose texture coordinates are its flat pattern, taken apart into pieces of cloth.
 *
 * Vertices of equal position and coordinates are one. Triangles that share an edge of such vertices
 * belong to the same island: where coordinates differ on the two sides of an edge, the cloth is
 * cut. Islands may lie on top of each other in the pattern; each is a piece of its own. */
#ifndef TOILE_IO_ISLANDS_H
#define TOILE_IO_ISLANDS_H

#include <stdbool.h>

#include "cook/flat_mesh.h"
#include "io/isometry.h"
#include "io/mesh.h"
#include "toile/toile.h"

typedef struct islands_def {
    double scale; /* m a unit of the coordinates; 0, "auto": areas in the pattern are, in sum, those
                     in space */
    double limit; /* of the mean stretch of an island. A single triangle may have five times that:
                     unwrapping heaps up what it cannot flatten at the tips of darts */
    double tolerance; /* m: border points are left out where the outline stays that near to them */
} islands_def;

/* 10 %: a drape already worn stretches its fabric by about its elongation limit, up to 5 to 10 %.
 * What is further from isometric was unwrapped for painting, and would snap when it is let go. */
#define ISLANDS_LIMIT 0.1

typedef struct island {
    toile_outline outline; /* m, its box at (0, 0); the outer loop first, then holes; lines only */
    flat_mesh flat;        /* the island's own triangles, in the outline's frame */
    float *positions;      /* m, 3 a vertex of flat: where it is in space */
    float size[2];         /* m, of the box */
    bool mirrored; /* it was the mirror image of its surface, and u was turned round: so triangles
                      run counter-clockwise in the pattern, and keep their front in space */
    isometry isometry;
    toile_loop *loops; /* of the outline */
    toile_curve *curves;
} island;

typedef struct islands {
    island *items; /* in the order of their first triangles */
    size_t count;
    double scale;      /* m a unit: the one given or found */
    isometry isometry; /* of all together */
} islands;

/* Refuses, naming triangle or edge: no coordinates, triangles without area in the pattern, turned
 * over against others of their island, or on top of their neighbour; edges of more than two
 * triangles; borders that touch themselves; more stretch than the limit. Triangles count from 1 in
 * the order of the file. Whether the outline crosses itself is for outline_create to say. name
 * stands for the file in messages. */
toile_result islands_create(islands *out, const mesh_data *mesh, const islands_def *def,
                            const char *name);
void islands_free(islands *all); /* zeroed is fine */

#endif
