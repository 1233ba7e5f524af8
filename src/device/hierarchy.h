/* The arrays of the multilevel solver on the CPU: those of each level, listed once. The implicit
 * solver has its finest one. */
#ifndef TOILE_DEVICE_HIERARCHY_H
#define TOILE_DEVICE_HIERARCHY_H

#include "cook/levels.h"
#include "device/state.h"

/*  X(name, where, unit, meaning and the passes that fill it)
 *
 *  ALL levels have it, those whose constraints are RELAXED, only COARSE ones of them, or those that
 *  are relaxed by JACOBI. */
#define LEVEL_PLANES(X)                                                                            \
    X(x, ALL, "m", "position at the end of the substep; predict, restrict, upsample, relax")       \
    X(y, ALL, "m", "position")                                                                     \
    X(z, ALL, "m", "position")                                                                     \
    X(qx, ALL, "m", "the same before bending, and between passes of Jacobi")                       \
    X(qy, ALL, "m", "position")                                                                    \
    X(qz, ALL, "m", "position")                                                                    \
    X(push, ALL, "m", "moved so far by shapes on coarser levels; project out, upsample")           \
    X(lu, RELAXED, "kg m",                                                                         \
      "multiplier of the thread to the right, as if it were of full width; predict, upsample, "    \
      "relax")                                                                                     \
    X(lv, RELAXED, "kg m", "of the thread up")                                                     \
    X(lr, RELAXED, "kg m", "of the rising diagonal of the cell")                                   \
    X(lf, RELAXED, "kg m", "of the falling one")                                                   \
    X(bx, COARSE, "m", "position when it was restricted; restrict")                                \
    X(by, COARSE, "m", "position")                                                                 \
    X(bz, COARSE, "m", "position")                                                                 \
    X(ox, ALL, "m", "what bending moves a smooth bend by; bend, restrict")                         \
    X(oy, ALL, "m", "what bending moves it by")                                                    \
    X(oz, ALL, "m", "what bending moves it by")                                                    \
    X(bu, COARSE, "kg m", "multiplier when it was restricted; restrict")                           \
    X(bv, COARSE, "kg m", "multiplier")                                                            \
    X(br, COARSE, "kg m", "multiplier")                                                            \
    X(bf, COARSE, "kg m", "multiplier")                                                            \
    X(nu, JACOBI, "kg m", "multiplier between passes of Jacobi")                                   \
    X(nv, JACOBI, "kg m", "multiplier")                                                            \
    X(nr, JACOBI, "kg m", "multiplier")                                                            \
    X(nf, JACOBI, "kg m", "multiplier")

typedef enum level_plane {
#define X(name, where, unit, meaning) LEVEL_##name,
    LEVEL_PLANES(X)
#undef X
        LEVEL_PLANE_COUNT
} level_plane;

typedef union level_planes {
    struct {
#define X(name, where, unit, meaning) float *name;
        LEVEL_PLANES(X)
#undef X
    };
    float *plane[LEVEL_PLANE_COUNT];
} level_planes;

typedef struct level_state {
    const level *table;
    level_planes at;
    const float *inverse_mass; /* plane, 1/kg */
    const float *coverage;     /* plane */
} level_state;

typedef struct hierarchy {
    int count; /* of levels */
    level_state levels[MAX_LEVELS];
    size_t bytes;
} hierarchy;

/* Arrays for the levels of a cloth, whose tables must outlive them. jacobi: a flag a level; NULL
 * where there are no constraints, and one level. */
toile_result hierarchy_create(hierarchy *h, const levels *tables, const cloth_state *finest,
                              const bool *jacobi);
void hierarchy_free(hierarchy *h); /* zeroed is fine */

#endif
