/* What the implicit solver keeps of a cloth on the CPU beside device/state.h, each array listed
 * once: what goes on from substep to substep, and what bodies do to texels within one. The solve
 * itself, of all cloths, is in newton_state.h. */
#ifndef TOILE_DEVICE_IMPLICIT_STATE_H
#define TOILE_DEVICE_IMPLICIT_STATE_H

#include <stdbool.h>

#include "device/plan.h"
#include "device/state.h"

/*  X(name, kind, unit, meaning and the passes that fill it)
 *
 *  KEPT planes are state that a step that fails does not change. SAVED planes are state: they are
 * kept by the BACKUP planes, which mirror them in the same order, and saved and hashed with a
 * world. SCRATCH planes live within a substep. MESHES planes are there in worlds with meshes as
 * bodies; they are made afresh in the first substep of a step. */
#define IMPLICIT_PLANES(X)                                                                         \
    X(rest_x, KEPT, "m", "where the texel was when it came to rest; backup")                       \
    X(rest_y, KEPT, "m", "rest")                                                                   \
    X(rest_z, KEPT, "m", "rest")                                                                   \
    X(change_x, SAVED, "m/s", "second order: change of the velocity in the last substep; change")  \
    X(change_y, SAVED, "m/s", "change")                                                            \
    X(change_z, SAVED, "m/s", "change")                                                            \
    X(fx, SAVED, "N", "friction; end")                                                             \
    X(fy, SAVED, "N", "friction")                                                                  \
    X(fz, SAVED, "N", "friction")                                                                  \
    X(limit, SAVED, "N", "mean of the pressure, which limits it; end")                             \
    X(backup_change_x, BACKUP, "m/s", "the state before the step; backup")                         \
    X(backup_change_y, BACKUP, "m/s", "change")                                                    \
    X(backup_change_z, BACKUP, "m/s", "change")                                                    \
    X(backup_fx, BACKUP, "N", "friction")                                                          \
    X(backup_fy, BACKUP, "N", "friction")                                                          \
    X(backup_fz, BACKUP, "N", "friction")                                                          \
    X(backup_limit, BACKUP, "N", "its limit")                                                      \
    X(sx, SCRATCH, "1", "normal of the cloth, where its fabric is curved; normal")                 \
    X(sy, SCRATCH, "1", "normal")                                                                  \
    X(sz, SCRATCH, "1", "normal")                                                                  \
    X(began_x, SCRATCH, "m/s", "second order: velocity that the substep began with; stage")        \
    X(began_y, SCRATCH, "m/s", "began")                                                            \
    X(began_z, SCRATCH, "m/s", "began")                                                            \
    X(nx, SCRATCH, "1", "normal of the nearest body; forces")                                      \
    X(ny, SCRATCH, "1", "normal")                                                                  \
    X(nz, SCRATCH, "1", "normal")                                                                  \
    X(gx, SCRATCH, "m", "how far the texel has gone against it in the substep; forces, move")      \
    X(gy, SCRATCH, "m", "gone")                                                                    \
    X(gz, SCRATCH, "m", "gone")                                                                    \
    X(gap, SCRATCH, "m", "its distance from it; forces")                                           \
    X(mu, SCRATCH, "1", "Coulomb's coefficient there; forces")                                     \
    X(back, SCRATCH, "m/s", "how fast it sends the texel away; forces")                            \
    X(hold, SCRATCH, "N", "how hard it presses, 0: not at all; forces, move")                      \
    X(mx, MESHES, "1", "normal of the nearest mesh, 0 where none is near; meshes")                 \
    X(my, MESHES, "1", "normal")                                                                   \
    X(mz, MESHES, "1", "normal")                                                                   \
    X(level, MESHES, "m", "how far its plane of contact is from the origin along it; meshes")      \
    X(wx, MESHES, "m", "way of its surface in the substep; meshes")                                \
    X(wy, MESHES, "m", "way")                                                                      \
    X(wz, MESHES, "m", "way")                                                                      \
    X(friction, MESHES, "1", "with it; meshes")                                                    \
    X(reflection, MESHES, "1", "what share of an approach it gives back; meshes")

typedef enum implicit_kind {
    IMPLICIT_IS_KEPT,
    IMPLICIT_IS_SAVED,
    IMPLICIT_IS_BACKUP,
    IMPLICIT_IS_SCRATCH,
    IMPLICIT_IS_MESHES
} implicit_kind;

typedef enum implicit_plane {
#define X(name, kind, unit, meaning) IMPLICIT_##name,
    IMPLICIT_PLANES(X)
#undef X
        IMPLICIT_PLANE_COUNT
} implicit_plane;

#define COUNT_KIND(which, kind)                  +(IMPLICIT_IS_##kind == IMPLICIT_IS_##which)
#define COUNT_SAVED(name, kind, unit, meaning)   COUNT_KIND(SAVED, kind)
#define COUNT_BACKUP(name, kind, unit, meaning)  COUNT_KIND(BACKUP, kind)
#define COUNT_SCRATCH(name, kind, unit, meaning) COUNT_KIND(SCRATCH, kind)
enum {
    IMPLICIT_SAVED_PLANES = 0 IMPLICIT_PLANES(COUNT_SAVED),
    IMPLICIT_STATE_PLANES = IMPLICIT_SAVED_PLANES + IMPLICIT_change_x,
    IMPLICIT_SCRATCH_PLANES = 0 IMPLICIT_PLANES(COUNT_SCRATCH),
    IMPLICIT_FIRST_KEPT = IMPLICIT_rest_x, /* SAVED ones follow */
    IMPLICIT_FIRST_SAVED = IMPLICIT_change_x,
    IMPLICIT_FIRST_BACKUP = IMPLICIT_backup_change_x,
    IMPLICIT_FIRST_SCRATCH = IMPLICIT_sx,
    IMPLICIT_FIRST_TOUCH = IMPLICIT_nx, /* what bodies do; gl has it in planes of the equations */
    IMPLICIT_FIRST_MESHES = IMPLICIT_mx
};
_Static_assert(IMPLICIT_SAVED_PLANES == 0 IMPLICIT_PLANES(COUNT_BACKUP),
               "BACKUP planes mirror the SAVED ones");
#undef COUNT_SAVED
#undef COUNT_BACKUP
#undef COUNT_SCRATCH
#undef COUNT_KIND

typedef union implicit_planes {
    struct {
#define X(name, kind, unit, meaning) float *name;
        IMPLICIT_PLANES(X)
#undef X
    };
    float *plane[IMPLICIT_PLANE_COUNT];
} implicit_planes;

/* Around `middle` no mesh is nearer than `radius` to a texel's plane of contact, once `motion` of
 * meshes is taken off. */
typedef struct mesh_clearance {
    v3 middle;
    float radius;
    double motion;
    int body; /* that was nearest, and its face; -1: none was */
    uint32_t face;
} mesh_clearance;

/* Of a row, in whole vectors: from the first up to the end; none where both are 0. */
typedef struct column_range {
    int begin, end;
} column_range;

/* Around two of them; one that begins with the last column and ends with the first is none. */
static inline column_range column_join(column_range a, column_range b) {
    return (column_range){a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

typedef struct implicit_state {
    bool there;                /* the solver is implicit: there are arrays */
    implicit_planes at;        /* planes */
    column_range *row_touched; /* a row: texels that a body or the cloth itself may touch; forces */
    column_range *row_pressed; /* a row: those of them that are pressed or rubbed; forces */
    int32_t *row_meshes;       /* a row: is a texel of it near a mesh? meshes */
    int32_t *row_struck;       /* a row: has a body struck a texel in the step? change */
    cloth_motion *row_motion;  /* a row: lengths squared; check */
    mesh_clearance *clear;     /* a texel, in the layout of planes; NULL without meshes */
    double motion;             /* m, that the fastest point of a mesh has gone in all substeps */
    size_t bytes;
} implicit_state;

/* Zeroed arrays for a cloth. */
toile_result implicit_state_create(implicit_state *s, const grid *g, bool meshes);
/* The state of another one of the same grid; nothing if it has none. */
void implicit_state_keep(implicit_state *s, const implicit_state *from, const grid *g);
/* After a step that failed: the state before it, and nothing that is not finite. */
void implicit_state_restore(implicit_state *s, const grid *g);
void implicit_state_free(implicit_state *s); /* zeroed is fine */

/* PASS_CHECK: how texels that are there move, and what that comes to. */
void cloth_motion_rows(implicit_state *s, const cloth_state *state, const uint8_t *mask,
                       int row_begin, int row_end);
cloth_motion cloth_motion_of(const implicit_state *s, const grid *g);

#endif
