/* A device is a table of functions. Arguments are checked in front of it, in src/step. */
#ifndef TOILE_DEVICE_DEVICE_H
#define TOILE_DEVICE_DEVICE_H

#include "base/team.h"
#include "cook/coupling.h"
#include "cook/panel.h"
#include "device/maps.h"
#include "device/plan.h"
#include "device/state.h"

typedef struct device_context device_context; /* of one world */
typedef struct device_cloth device_cloth;     /* a cloth's memory on the device */

/* The last four are the implicit solver's: the change of velocities in the last substep, which
 * only second order keeps, friction, its limit, in the first of three floats, and where texels were
 * when they came to rest. */
typedef enum device_field {
    FIELD_POSITION,
    FIELD_VELOCITY,
    FIELD_CHANGE,
    FIELD_FRICTION,
    FIELD_LIMIT,
    FIELD_REST,
    FIELD_COUNT
} device_field;

/* Where a step failed. */
typedef struct device_failure {
    int cloth, column, row;
} device_failure;

/* What the iterations of a step came to. */
typedef struct device_solved {
    int iterations;
    int gradients; /* iterations of conjugate gradients in all of these; PASS_SOLVE */
    bool converged;
    double last_move;    /* m, of the last iteration of a substep, the largest */
    bool struck;         /* has a body struck cloth? Second order asks */
    bool given_up;       /* a substep did not converge, and the plan halves then */
    uint64_t hidden;     /* texels that no camera of collision maps could tell of at its end */
    uint64_t inside;     /* texels in a mesh that PASS_CCD was bringing out at its end */
    uint64_t caught;     /* texels between parts of one that had no room */
    uint64_t pierced[2]; /* edges of cloth that went through triangles at its start and end; of a
                            plan that untangles */
} device_solved;

/* What PASS_SOLVE has for all cloths of a world. */
typedef struct device_system {
    int levels;   /* of grids */
    size_t bytes; /* of its arrays */
} device_system;

typedef struct device {
    const char *name;
    bool springs_only; /* knows no solver but mass-spring; has no set_levels, _implicit, _self */
    bool deforms;      /* knows bodies that do */
    bool continuous;   /* knows PASS_CCD */
    bool sleeps;       /* leaves cloths that sleep alone, and fills in the motions of the others */

    /* Can it be used here? Returns its description, or NULL and the reason. */
    const char *(*describe)(const char **reason);
    /* Is it a GPU here, and no driver that computes on the CPU? NULL: it never is. */
    bool (*is_gpu)(void);

    /* For a world of this definition, which was checked, with the world's threads; NULL with an
     * error message. */
    device_context *(*open)(const toile_world_def *def, team *threads);
    void (*close)(device_context *context);
    int (*threads)(const device_context *context);
    const char *(*simd)(const device_context *context);

    /* Memory of a cloth on the panel's grid as scaled for it, with the panel's coverage filled in;
     * inverse masses follow, as often as pins change. The panel outlives it. */
    device_cloth *(*cloth_create)(device_context *context, const panel *p, const grid *g);
    void (*cloth_destroy)(device_cloth *cloth);
    size_t (*cloth_bytes)(const device_cloth *cloth);

    /* Makes room for the levels of the multilevel solver; the tables must stay. jacobi: a flag a
     * level, or NULL for the one level of the implicit solver. Called again when pins change. */
    toile_result (*set_levels)(device_cloth *cloth, const levels *tables, const bool *jacobi);

    /* Makes room for what the implicit solver keeps of a cloth, after the one level it needs was
     * set. meshes: there are some for its texels to collide with. Called again when pins or bodies
     * change; the state in it is kept. */
    toile_result (*set_implicit)(device_cloth *cloth, bool meshes);

    /* Makes room for what the cloths of a world do to each other. They are those of the next runs,
     * in the same order. A distance a cloth: that its texels keep, m. */
    toile_result (*set_self)(device_context *context, device_cloth *const *cloths,
                             const float *distances, int count);

    /* Makes room for cloths of the implicit solver to collide with each other, and with themselves,
     * by their meshes, in PASS_SOLVE. Called behind set_equations, for the same cloths. NULL: it
     * has that not; set_self is called instead. */
    toile_result (*set_meet)(device_context *context, device_cloth *const *cloths, int count);

    /* Makes room for PASS_SOLVE over all cloths of a world, those of the next runs, in the same
     * order, with couplings between them, whose panels are these cloths. Called again when any of
     * them or pins change. NULL: it has no such pass. */
    toile_result (*set_equations)(device_context *context, device_cloth *const *cloths, int count,
                                  const coupling_base *couplings, int coupling_count);
    device_system (*system)(const device_context *context); /* what that has made; NULL likewise */
    bool couples;                                           /* it can do with couplings */

    /* Makes room for PASS_CCD, or takes it back. Called before the first step, and again when
     * cloths, pins or bodies change. NULL: it has no such pass. */
    toile_result (*set_ccd)(device_cloth *cloth, bool on, bool edges);

    /* Draws the images that texels are compared with; the set before is gone. With no surfaces only
     * looks whether that is possible here. */
    toile_result (*set_maps)(device_context *context, const map_request *request);
    /* Those of bodies that deform, for the step that their solids are about to make. Adds to the
     * counts. */
    toile_result (*move_maps)(device_context *context, map_counts *counts);

    /* One float a texel, row by row. */
    void (*write_inverse_mass)(device_cloth *cloth, const float *inverse_mass);
    /* Three floats a texel, row by row. */
    void (*write)(device_cloth *cloth, device_field field, const float *values);
    void (*read)(const device_cloth *cloth, device_field field, float *values);

    /* Where OpenGL finds the texels; NULL: their memory is not OpenGL's. */
    toile_gl_texels (*locate)(const device_cloth *cloth);

    /* Runs all substeps and adds the times of the stages up. TOILE_ERROR_NUMERICAL, without a
     * message, leaves the state as it was and tells where. The state is also as it was where cloth
     * was struck or a substep did not converge and the plan gives up then, and with
     * TOILE_ERROR_STOPPED, without a message: before each substep but the first the plan is asked
     * whether it stops. */
    toile_result (*run)(device_context *context, step_plan *plan, device_cloth *const *cloths,
                        toile_profile *profile, device_solved *solved, device_failure *failure);
} device;

/* All devices, ended by NULL. */
extern const device *const device_list[];

extern const device cpu_device;
extern const device gl_device, gl_fragment_device; /* where the library is built with them */
extern const device null_device;

#endif
