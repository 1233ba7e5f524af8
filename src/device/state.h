/* The arrays of a cloth on the CPU, each listed once: allocation, backup and restoring come from
 * the list. Saving and hashing see a cloth through the fields of its device instead, which every
 * device has. Each plane holds one float a texel in the layout of cook/grid.h. */
#ifndef TOILE_DEVICE_STATE_H
#define TOILE_DEVICE_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "cook/grid.h"
#include "kernel/prelude.h"

/*  X(name, kind, unit, meaning and the passes that fill it)
 *
 *  SAVED planes are the state, which is kept by the BACKUP planes and restored after a failure.
 * TABLE planes come from cooking and pins. SCRATCH planes live within a substep. BACKUP planes
 * mirror the SAVED ones, in the same order. */
#define STATE_PLANES(X)                                                                            \
    X(x, SAVED, "m", "position; move, respond")                                                    \
    X(y, SAVED, "m", "position")                                                                   \
    X(z, SAVED, "m", "position")                                                                   \
    X(vx, SAVED, "m/s", "velocity; pin, integrate, limit, respond")                                \
    X(vy, SAVED, "m/s", "velocity")                                                                \
    X(vz, SAVED, "m/s", "velocity")                                                                \
    X(coverage, TABLE, "1", "cloth in the cell up and right of the texel; cook")                   \
    X(inverse_mass, TABLE, "1/kg", "0 for absent and pinned texels; cook and pins")                \
    X(ax, SCRATCH, "m/s^2", "acceleration; force")                                                 \
    X(ay, SCRATCH, "m/s^2", "acceleration")                                                        \
    X(az, SCRATCH, "m/s^2", "acceleration")                                                        \
    X(sx, SCRATCH, "N or m/s",                                                                     \
      "wind on the cell, wind to force; velocities between passes of limit")                       \
    X(sy, SCRATCH, "N or m/s", "wind or velocity")                                                 \
    X(sz, SCRATCH, "N or m/s", "wind or velocity")                                                 \
    X(backup_x, BACKUP, "m", "the state before the step")                                          \
    X(backup_y, BACKUP, "m", "position")                                                           \
    X(backup_z, BACKUP, "m", "position")                                                           \
    X(backup_vx, BACKUP, "m/s", "velocity")                                                        \
    X(backup_vy, BACKUP, "m/s", "velocity")                                                        \
    X(backup_vz, BACKUP, "m/s", "velocity")

typedef enum plane_kind { PLANE_SAVED, PLANE_TABLE, PLANE_SCRATCH, PLANE_BACKUP } plane_kind;

typedef enum plane {
#define X(name, kind, unit, meaning) PLANE_##name,
    STATE_PLANES(X)
#undef X
        PLANE_COUNT
} plane;

#define COUNT_SAVED(name, kind, unit, meaning)  +(PLANE_##kind == PLANE_SAVED)
#define COUNT_BACKUP(name, kind, unit, meaning) +(PLANE_##kind == PLANE_BACKUP)
enum {
    SAVED_PLANES = 0 STATE_PLANES(COUNT_SAVED),
    FIRST_SAVED = PLANE_x,
    FIRST_BACKUP = PLANE_backup_x
};
_Static_assert(SAVED_PLANES == 0 STATE_PLANES(COUNT_BACKUP), "BACKUP planes mirror the SAVED ones");
#undef COUNT_SAVED
#undef COUNT_BACKUP

typedef union cloth_planes {
    struct {
#define X(name, kind, unit, meaning) float *name;
        STATE_PLANES(X)
#undef X
    };
    float *plane[PLANE_COUNT];
} cloth_planes;

/* A box around texels; empty when low is above high. */
typedef struct row_box {
    v3 low, high;
} row_box;

typedef struct cloth_state {
    grid grid;
    cloth_planes at;    /* planes */
    float *row_stretch; /* a row: longest thread over its rest length; force */
    row_box *row_box;   /* a row: where its free texels are and will be; detect */
    int32_t *row_bad;   /* a row: first column that is not finite, -1 for none; check */
    size_t bytes;       /* of all of these */
} cloth_state;

toile_result cloth_state_create(cloth_state *s, const grid *g);
void cloth_state_free(cloth_state *s);

#endif
