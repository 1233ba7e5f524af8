/* The passes over one level. */
#ifndef TOILE_CPU_REFINE_LEVEL_H
#define TOILE_CPU_REFINE_LEVEL_H

#include "cpu/refine_image.h"

/* One level of a cloth, and what its passes read. */
typedef struct refine_level {
    const refine_def *def;
    const refine_scene *scene;
    const refine_images *images; /* layers of the bodies */
    const refine_images *cloth;  /* of the level above this one */
    int number;                  /* from 1 */
    int columns, rows;
    v3 *positions, *other; /* m, a vertex; passes that read neighbours write the other one */
    int32_t *marks, *marks_other;
    v4 *places;              /* [view][vertex]: layers, winding, front, back */
    const v3 *last, *before; /* m, finest grids of the last two steps; NULL: not known */
    float time_step;
    v3 gravity;
} refine_level;

/* The vertices of the level above that a new one lies between, as offsets from it: those on both
 * sides in its row or column, or in four corners. Returns how many there are. */
int refine_list_parents(int column, int row, int offsets[4][2]);

/* Makes the level out of the one above it, which the arrays hold, and turns them into its own. */
void refine_subdivide(refine_level *l);
/* Moves new vertices by their own motion and springs. */
void refine_apply_forces(refine_level *l);
/* Puts new vertices back before or behind other parts of the cloth. */
void refine_keep_order(refine_level *l);
/* Finds the depth layers of all vertices. */
void refine_find_places(refine_level *l);
/* Judges new vertices, and corrects them. followed: and those that followed their children. */
void refine_correct(refine_level *l, bool followed);
/* Old vertices follow their children. */
void refine_move_parents(refine_level *l);

#endif
