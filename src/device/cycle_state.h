/* The arrays of the implicit solver on the CPU, listed once: those of each grid of a cycle, and
 * those of contact on the finest. */
#ifndef TOILE_DEVICE_CYCLE_STATE_H
#define TOILE_DEVICE_CYCLE_STATE_H

#include "cook/multigrid.h"
#include "device/state.h"

/*  X(name, where, unit, meaning and the passes that fill it)
 *
 *  ALL levels have it, only the FINEST, or only that of worlds with MESHES as bodies. */
#define CYCLE_PLANES(X)                                                                            \
    X(rx, ALL, "N", "unbalanced force; residual, restrict defect")                                 \
    X(ry, ALL, "N", "force")                                                                       \
    X(rz, ALL, "N", "force")                                                                       \
    X(ex, ALL, "m", "what is to be added to positions; prolong, smooth")                           \
    X(ey, ALL, "m", "correction")                                                                  \
    X(ez, ALL, "m", "correction")                                                                  \
    X(tx, ALL, "N or m", "defect of the first sweep; then the correction between sweeps")          \
    X(ty, ALL, "N or m", "defect or correction")                                                   \
    X(tz, ALL, "N or m", "defect or correction")                                                   \
    X(nx, ALL, "1", "normal of the body that holds the texel; grip, down")                         \
    X(ny, ALL, "1", "normal")                                                                      \
    X(nz, ALL, "1", "normal")                                                                      \
    X(hold, ALL, "N", "how hard it presses, 0: not at all, below: a coarse texel cannot slide")    \
    X(ua, ALL, "N", "force along the tangent a of the cloth; sway; on the finest then the way")    \
    X(ub, ALL, "N", "the same along b")                                                            \
    X(ug, ALL, "N/m", "ground of such ways; sway, slide")                                          \
    X(ui, ALL, "m/N", "inverse of their diagonal; slide")                                          \
    X(wa, ALL, "m", "way along a of a coarse texel; slide")                                        \
    X(wb, ALL, "m", "the same along b")                                                            \
    X(la, ALL, "N or m", "what is left of forces along a; then ways between sweeps")               \
    X(lb, ALL, "N or m", "the same along b")                                                       \
    X(bx, FINEST, "m", "position ahead by the retardation of bending; push, correct")              \
    X(by, FINEST, "m", "position ahead")                                                           \
    X(bz, FINEST, "m", "position ahead")                                                           \
    X(cx, FINEST, "m", "the same of texels that have moved by themselves; local")                  \
    X(cy, FINEST, "m", "position ahead")                                                           \
    X(cz, FINEST, "m", "position ahead")                                                           \
    X(sx, FINEST, "1", "normal of the cloth; normal, local")                                       \
    X(sy, FINEST, "1", "normal")                                                                   \
    X(sz, FINEST, "1", "normal")                                                                   \
    X(ax, FINEST, "1", "tangent a of the cloth; normal, local")                                    \
    X(ay, FINEST, "1", "tangent")                                                                  \
    X(az, FINEST, "1", "tangent")                                                                  \
    X(kx, FINEST, "m/s", "change of the velocity before the step, for its failure; backup")        \
    X(ky, FINEST, "m/s", "change")                                                                 \
    X(kz, FINEST, "m/s", "change")                                                                 \
    X(gx, FINEST, "m", "how far it has gone against it in the substep; grip, keep")                \
    X(gy, FINEST, "m", "gone")                                                                     \
    X(gz, FINEST, "m", "gone")                                                                     \
    X(gap, FINEST, "m", "its distance from it; grip")                                              \
    X(glue, FINEST, "N", "what holds it on once it was held in the substep; residual")             \
    X(press, FINEST, "N", "force into the surface, when an iteration is done; work")               \
    X(mu, FINEST, "1", "Coulomb's coefficient there; grip")                                        \
    X(back, FINEST, "m/s", "how fast it sends the texel away; grip")                               \
    X(most, FINEST, "N", "limit of friction, as the texels around have it, too; local")            \
    X(fx, FINEST, "N", "friction kept from substep to substep, a state; keep")                     \
    X(fy, FINEST, "N", "friction")                                                                 \
    X(fz, FINEST, "N", "friction")                                                                 \
    X(limit, FINEST, "N", "its limit, a state; keep")                                              \
    X(backup_fx, FINEST, "N", "friction before the step; backup")                                  \
    X(backup_fy, FINEST, "N", "friction")                                                          \
    X(backup_fz, FINEST, "N", "friction")                                                          \
    X(backup_limit, FINEST, "N", "its limit")                                                      \
    X(mx, MESHES, "1", "normal of the nearest mesh, 0 where none is near; meshes")                 \
    X(my, MESHES, "1", "normal")                                                                   \
    X(mz, MESHES, "1", "normal")                                                                   \
    X(level, MESHES, "m", "how far its plane of contact is from the origin along it; meshes")      \
    X(wx, MESHES, "m", "way of its surface in the substep; meshes")                                \
    X(wy, MESHES, "m", "way")                                                                      \
    X(wz, MESHES, "m", "way")                                                                      \
    X(friction, MESHES, "1", "with it; meshes")                                                    \
    X(reflection, MESHES, "1", "what share of an approach it gives back; meshes")

typedef enum cycle_plane {
#define X(name, where, unit, meaning) CYCLE_##name,
    CYCLE_PLANES(X)
#undef X
        CYCLE_PLANE_COUNT
} cycle_plane;

/* What planes of a level are while ways along the cloth's normals are looked for, before the cycle
 * over A begins (kernel/sway.h). */
typedef enum sway_plane {
    SWAY_FORCE = CYCLE_rx,   /* N, along the normal */
    SWAY_GROUND = CYCLE_ry,  /* N/m, what does not depend on texels around */
    SWAY_INVERSE = CYCLE_rz, /* m/N, of the matrix's diagonal; 0: the texel takes no part */
    SWAY_WAY = CYCLE_ex,     /* m */
    SWAY_EAST = CYCLE_ey,    /* N/m, couplings, in the places of cook/multigrid.h */
    SWAY_NORTH = CYCLE_ez,
    SWAY_LEFT = CYCLE_tx, /* N, what the first sweep has left; then ways between sweeps */
    SWAY_RISING = CYCLE_ty,
    SWAY_FALLING = CYCLE_tz
} sway_plane;

typedef union cycle_planes {
    struct {
#define X(name, where, unit, meaning) float *name;
        CYCLE_PLANES(X)
#undef X
    };
    float *plane[CYCLE_PLANE_COUNT];
} cycle_planes;

typedef struct cycle_level {
    const matrix_level *matrix;
    cycle_planes at;
    int32_t *row_held; /* a row: is a texel of it held by a body? grip, down */
} cycle_level;

/* Around `middle` no mesh is nearer than `radius` to a texel's plane of contact, once `motion` of
 * meshes is taken off. */
typedef struct mesh_clearance {
    v3 middle;
    float radius;
    double motion;
    int body; /* that was nearest, and its face; -1: none was */
    uint32_t face;
} mesh_clearance;

/* What is summed over texels at the end of an iteration (kernel/implicit.h). */
typedef enum work_sum {
    WORK_DONE,     /* J, by forces that are left, over ways of the substep */
    WORK_KINETIC,  /* J, of texels that no body touches */
    WORK_MOTION,   /* J, of all texels */
    WORK_INERTIA,  /* N/m, of those that no body touches */
    WORK_thrust_x, /* N, that times ways */
    WORK_thrust_y,
    WORK_thrust_z,
    WORK_left_x, /* N, forces that are left */
    WORK_left_y,
    WORK_left_z,
    WORK_SUMS
} work_sum;

typedef struct cycle_state {
    int count; /* of levels */
    cycle_level levels[MULTIGRID_LEVELS];
    const multigrid *tables;
    int32_t *row_plain;    /* 2 a row of the finest: the first and the end of columns, in whole
                              vectors, around which all cells are full of cloth */
    int32_t *row_span;     /* 2 a row of the finest: the first and the end of columns, in whole
                              vectors, near a body; ready */
    int32_t *row_meshes;   /* a row of the finest: is a texel of it near a mesh? meshes */
    float *held;           /* 9 planes of the coarsest, for solving it where bodies hold it */
    mesh_clearance *clear; /* a texel, in the layout of planes; NULL without meshes */
    double motion;         /* m, that the fastest point of a mesh has gone in all substeps */
    float *row_moved;      /* a row of the finest: the longest correction, m; correct */
    int32_t *row_struck;   /* a row of the finest: has a body struck a texel in the step? change */
    float *row_work;       /* WORK_SUMS a row of the finest; work */
    float share;           /* of their way in the substep that texels take */
    float trust;           /* what velocities are multiplied by at the end of the substep, */
    v3 drift;              /* m/s, and what is added to them then */
    bool settled;          /* while others iterate */
    size_t bytes;
} cycle_state;

/* Arrays for the levels of a cloth, whose tables must outlive them. coverage: its plane. */
toile_result cycle_state_create(cycle_state *s, const multigrid *tables, const float *coverage,
                                bool meshes);
void cycle_state_free(cycle_state *s); /* zeroed is fine */

#endif
