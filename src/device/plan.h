/* What a device is asked to do for one step: the passes of a substep in order, and the numbers they
 * need. The host fills it in once a step; substeps move bodies, pins and wind along. */
#ifndef TOILE_DEVICE_PLAN_H
#define TOILE_DEVICE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "cook/levels.h"
#include "kernel/prelude.h"
#include "model/rotation.h"
#include "model/skin.h"
#include "model/solid.h"
#include "toile/toile.h"

/* The passes. Each belongs to a stage, whose time it counts for. What a pass reads is what passes
 * before it have written, wherever: the device sees to that. */
typedef enum pass {
    PASS_BACKUP,       /* keep the state in case the step fails */
    PASS_BODIES,       /* where bodies, pins and wind will be at the end of the next substep */
    PASS_PINS,         /* velocities that take pinned texels there */
    PASS_WIND,         /* forces of the air on the cells */
    PASS_FORCE,        /* springs, bending, wind, gravity -> accelerations */
    PASS_INTEGRATE,    /* accelerations -> velocities */
    PASS_DETECT,       /* contact planes */
    PASS_LIMIT,        /* velocities of threads that would be too long, into the scratch planes */
    PASS_LIMIT_BACK,   /* the same, from the scratch planes back */
    PASS_REST,         /* velocities of threads at their limit, into the scratch planes */
    PASS_REST_BACK,    /* the same, from the scratch planes back */
    PASS_RESPOND,      /* velocities of texels in contact */
    PASS_MAPS_RESPOND, /* the same with bodies that have images */
    PASS_CCD_BEGIN,    /* where texels are at the start of the substep, for PASS_CCD */
    PASS_CCD,          /* velocities of texels that would meet a mesh on their way from there */
    PASS_CCD_EDGES,    /* what edges and triangles that would meet a mesh want of texels; with */
    PASS_CCD_PUSH,     /* texels do it, as far as they meet nothing; as often as is needed */
    PASS_MOVE,         /* velocities -> positions */
    PASS_PREDICT,      /* multilevel: where texels get to without constraints; multipliers zero */
    PASS_COARSE_BEGIN, /* how far meshes move in the substep */
    PASS_COARSE,       /* vertices of the coarse mesh out of bodies */
    PASS_SAMPLE,       /* what that changed, into texels */
    PASS_RESTRICT,     /* the positions of a coarse level */
    PASS_UPSAMPLE,     /* what the next coarser level has changed, added to this one */
    PASS_BEND,         /* a step of the bending energy */
    PASS_RELAX,        /* the level's iterations, by one of the next three */
    PASS_RELAX_EVEN,   /* Gauss-Seidel: the sets within rows and between rows 2k and 2k + 1 */
    PASS_RELAX_ODD,    /* those between rows 2k + 1 and 2k + 2 */
    PASS_JACOBI,       /* all edges of a texel at once, into the scratch planes */
    PASS_JACOBI_BACK,  /* and from them back */
    PASS_JACOBI_COPY,  /* after an odd number */
    PASS_PROJECT_OUT,  /* texels of a coarse level out of shapes */
    PASS_MAPS_OUT,     /* out of bodies that have images */
    PASS_SELF,         /* cloth and cloth, by those from MOVED to PUSH */
    PASS_SELF_AHEAD,   /* implicit, before the solve: by those to LOAD, and MEET */
    PASS_SELF_AFTER,   /* and behind it: MEET and STOP */
    PASS_SELF_MOVED,   /* how far texels are from where their partners were listed */
    PASS_SELF_KEY,     /* their slots in the hash */
    PASS_SELF_COUNT,   /* how many are in each slot */
    PASS_SELF_SORT,    /* texels by slot */
    PASS_SELF_LIST,    /* the partners of each texel */
    PASS_SELF_LOAD,    /* positions, where partners can read them */
    PASS_SELF_PUSH,    /* texels away from their partners */
    PASS_SELF_MEET,    /* how many partners a texel is too near to */
    PASS_SELF_STOP,    /* velocities that lead to partners */
    PASS_SELF_FORGET,  /* second order: blows do not go on */
    PASS_MEET,         /* implicit: where cloth is that meets cloth in the solve */
    PASS_BEGIN,        /* implicit: where velocities lead, and velocities without springs */
    PASS_NORMAL,       /* normals, where a fabric is curved by itself */
    PASS_CURL,         /* the force of its curvature, to velocities */
    PASS_MESHES_BEGIN, /* how far meshes move in the substep */
    PASS_MESHES,       /* where the surfaces of meshes are, for texels near one */
    PASS_MAPS,         /* the same of bodies that have images */
    PASS_STAGE,        /* second order: what it starts from */
    PASS_CHANGE,       /* second order: how velocities have changed */
    PASS_REBOUND,      /* pressed texels leave bodies that reflect */
    PASS_SOLVE,        /* Newton's method, by the passes of device/newton_order.h */
    PASS_VELOCITY,     /* velocities from positions */
    PASS_CHECK,        /* is everything finite? */
    PASS_COUNT
} pass;

toile_stage pass_stage(pass p);

/* How often some passes are done. */
enum {
    /* Pairs of PASS_REST. Threads at their limit form long chains, and each pair of passes reaches
     * two texels further. Once a step this costs little. */
    REST_PAIRS = 8,
    /* PASS_SELF_PUSH of a substep: all pairs push at once, and what one takes another may give
     * back. One left ten times as many triangles in each other where cloth crumples as two. */
    SELF_PUSHES = 2
};

typedef struct pass_call {
    pass pass;
    float share;    /* PASS_INTEGRATE: of the substep */
    int level;      /* that it works on */
    bool again;     /* not the first cycle of the substep */
    bool backwards; /* PASS_RELAX_EVEN and _ODD: the sets in reverse order */
} pass_call;

/* A shape during a substep. */
typedef struct shape_args {
    toile_shape_kind kind;
    v3 center;
    v3 axis_x, axis_y, axis_z; /* its frame in the world, at the end of the substep */
    v3 size;
    v3 velocity, spin; /* m/s, 1/s */
    float reflection;
    float time; /* that is, between the start of the step, 0, and its end, 1 */
    v3 from_center, from_x, from_y, from_z; /* its frame at the start of the substep, */
    float from;                             /* and the time then */
} shape_args;

typedef struct plan_body {
    pose start, end;     /* of the shape's own frame */
    const solid *solid;  /* of meshes and, with collision maps, of whatever has images; else NULL */
    shape_args shape[2]; /* at the end of even and of odd substeps */

    /* Of a skinned one, if its ends come from its joints; else NULL. */
    const body_skin *skin;
    const float *rest;   /* m, 3 a vertex: the mesh as it was given */
    const float *joints; /* SKIN_FLOATS a joint: from there to the world at the end of the step */
} plan_body;

/* Texels that are taken along. */
typedef struct plan_pin {
    pose start, end;
    int cloth;                /* index in the plan */
    const uint32_t *texels;   /* column + row * columns */
    const float *anchors;     /* 3 a texel, in the frame of the pose, at the start of the step */
    const float *end_anchors; /* and at its end */
    uint32_t count;
} plan_pin;

/* Rows of couplings (cook/coupling.h) of one tie or soft pin. */
typedef struct plan_coupling {
    int first, count; /* of those that the device was given */
    float stiffness;  /* N/m, of each; 0: as stiff as its texels make it (kernel/coupling.h), below
                         0: none */
    v3 along;         /* the direction in which it holds; 0: all */
    double until;     /* s, it has let go from then on */
    plan_pin pin;     /* of a soft pin: a row a texel; count 0 for ties */
} plan_coupling;

/* The numbers of one cloth. */
typedef struct cloth_params {
    float spacing, diagonal;                     /* m, rest lengths */
    float stretch_u, stretch_v;                  /* N/m */
    float shear, bend;                           /* N/m */
    float stretch_retardation, bend_retardation; /* s */
    float longest;                               /* m, limit of a thread */
    bool limited;
    float cell_mass;                  /* kg, of a full cell */
    float compliance_u, compliance_v; /* s^2/kg, of threads: 1 / (stiffness substep^2) */
    float compliance_shear;           /* of diagonals */
    float bend_lag;                   /* retardation of bending in substeps */
    float curl_u, curl_v;             /* N, bending stiffness times rest curvature */
    float bend_rate;                  /* kg, B / spacing^2 * substep^2 */
    float bend_stiff[MAX_LEVELS];     /* kg, see kernel/bend.h */
    float bend_taken[MAX_LEVELS];     /* of a bending step there; 0: none is */
    float self_distance;              /* m, that texels keep from each other */
    float self_friction;
    float thickness;         /* m */
    int layer;               /* larger is outside */
    float contact_reach;     /* m, rows this near a body are looked at */
    float little_move;       /* m, an iteration that moves no texel further is the last one; 0: what
                                it takes of the energy says so */
    float strike;            /* m/s: cloth that a body stops faster is struck (kernel/stage.h) */
    bool pinned;             /* is any texel? */
    bool asleep;             /* no pass concerns it */
    bool looks;              /* PASS_BACKUP keeps where texels are, for PASS_CHECK */
    float *contact_distance; /* a body: m from its surface to the texels' plane of contact */
    float *coarse_distance;  /* a body: the same for vertices of the coarse mesh */
    float *contact_friction; /* a body */
} cloth_params;

/* What PASS_CHECK finds out about a cloth that is awake. */
typedef struct cloth_motion {
    float gone;    /* m, of the texel that is farthest from where it was when PASS_BACKUP looked */
    float fastest; /* m/s, of a texel */
    v3 low, high;  /* m, box around texels */
} cloth_motion;

typedef struct wind_args {
    bool on;
    v3 velocity[2];   /* at the end of even and of odd substeps */
    float drag, lift; /* coefficients times half the density of air */
} wind_args;

/* Texels: a level with fewer is left to one thread, because meeting would take longer. */
enum { SMALL_LEVEL = 1500 };

/* How a level is relaxed. */
typedef struct level_plan {
    toile_level_def def;
    bool small; /* one thread is faster than all of them */
} level_plan;

typedef struct step_plan {
    double time; /* s, of the world at the start */
    int substeps;
    float substep; /* s, that passes work with; a share of it with second order */
    float moment;  /* s, of a whole substep: from one place of bodies and pins to the next */
    float span;    /* s, of the step */
    float pace;    /* second order: it by that of the step before, as far as changes go on */
    bool gives_up; /* second order: where cloth is struck, the state stays as it was */
    bool halves;   /* and where cloth that touches cloth does not converge */
    pass_call *passes;
    int pass_count, pass_capacity;
    int prologue; /* those up to this one run once, before the substeps */
    int epilogue; /* those from here on run once, after them */
    level_plan levels[MAX_LEVELS];
    int level_count;         /* the most that a cloth has */
    float grip_follow;       /* share a substep by which the limit of friction follows pressure */
    int most_iterations;     /* PASS_SOLVE: of Newton's method in a substep, */
    int most_touching;       /* of Newton's method for cloth within bounds that touches cloth, */
    int gradients;           /* of conjugate gradients in each of these, */
    double enough, little;   /* and when both end: shares of kinetic energy, */
    double slow;             /* at least of that at so many m/s (step/implicit.c), */
    double share;            /* of the latter also that of what all have taken */
    float relaxation;        /* of Gauss-Seidel: k of Schmitt eq. (1) */
    float jacobi_relaxation; /* share of the sum over a texel's edges that is taken */
    int limit_pairs;         /* PASS_LIMIT and PASS_LIMIT_BACK are done so often */
    v3 gravity;              /* m/s^2 */
    float viscosity;         /* 1/s, decay rate of velocities; 0 for the Verlet of Wang eq. (5.1) */
    float persistence; /* share of the velocity left after a substep, for that one; 1 for others */
    toile_wind_def wind_def;
    uint64_t seed;
    wind_args wind;
    bool coarse_only; /* texels do not collide themselves */
    bool maps;        /* those of bodies that are solids have images, which texels collide with */
    bool ccd;         /* texels collide with meshes by PASS_CCD */
    bool edges;       /* and edges by PASS_CCD_EDGES */
    bool untangle;    /* cloth may be in cloth, and is drawn out of it; PASS_MEET */
    bool follows;     /* and then go with them, as W5 has it; else friction decides */
    double motion[2]; /* m, a bound of what any point of a mesh has gone in all substeps up to the
                         end of the last even and the last odd one */
    plan_body *bodies;
    int body_count;
    plan_pin *pins;
    int pin_count;
    plan_coupling *couplings; /* PASS_SOLVE */
    int coupling_count;
    cloth_params *cloths;
    cloth_motion *motions; /* a cloth; NULL: nobody asks. The device fills it */
    int cloth_count;
    toile_stop_handler *stop; /* NULL: steps are not stopped */
    void *stop_user;
} step_plan;

/* Is the step to be stopped? For the thread that called the library. */
static inline bool plan_stops(const step_plan *plan) {
    return plan->stop && plan->stop(plan->stop_user);
}

/* Where bodies are and how the wind blows at the end of a substep. The substep before is kept, so
 * that one thread can look ahead while others are still in it. */
void plan_advance(step_plan *plan, int substep);

/* Where a texel of a pin is at a time of the step, 0 to 1; at: its pose then. */
void plan_pin_place(const plan_pin *pin, const pose *at, uint32_t texel, double time,
                    double place[3]);

/* How far the fastest point of any mesh goes in a substep, m. */
float plan_mesh_way(const step_plan *plan, int parity);

/* The velocity of a body's surface at a point of the world. way: how far the mesh that deforms has
 * this point go in the step. */
v3 plan_surface_velocity(const step_plan *plan, const shape_args *s, v3 point, v3 way);

#endif
