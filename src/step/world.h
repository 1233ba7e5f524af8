/* What a world holds. */
#ifndef TOILE_STEP_WORLD_H
#define TOILE_STEP_WORLD_H

#include "cook/panel.h"
#include "cook/springs.h"
#include "device/device.h"
#include "model/body.h"
#include "step/gauge.h"
#include "toile/toile.h"

/* The first member of everything that has an id. A slot is used again with the next generation. */
typedef struct slot {
    uint32_t generation;
    bool used;
} slot;

/* What sleep knows of a cloth: step/sleep.c. */
typedef struct cloth_rest {
    bool asleep;
    double quiet;  /* s, for which no texel has moved away from where it was at their start */
    bool known;    /* the next three are those of its texels */
    v3 low, high;  /* m, box around them */
    float fastest; /* m/s, of them */
    bool wakes;    /* in the step that is planned: something may move it, */
    bool stirs;    /* or it is awake, or near what stirs */
    float way;     /* m, how far a texel may get in it */
} cloth_rest;

typedef struct cloth {
    slot slot;
    char *name;
    toile_cloth_def def; /* name points to the cloth's; panel is NULL when none was given */
    const panel *panel;  /* the one given, or the rectangle of the definition */
    grid grid;           /* the panel's, scaled */
    device_cloth *memory;
    float *mass;      /* kg, a texel */
    float *buffer;    /* 3 floats a texel, for read-back */
    springs springs;  /* of the last step, */
    float springs_of; /* s, whose substeps were so long */
    levels levels;    /* of solvers that have some; made by the first step */
    gauge gauge;      /* for measuring */
    bool fresh;       /* added since the last step: where it starts was not looked at yet */
    bool placed;      /* the caller put its texels somewhere */
    int stride;       /* from a texel that is stepped to the next: more than 1 when refined */
    float *places;    /* refined: 3 floats a texel, for whoever needs a second buffer */
    cloth_rest rest;
} cloth;

typedef struct world_body {
    slot slot;
    body body;
    solid surface; /* of a shape, to draw it; collision maps and refinement only */
    bool fresh;    /* as of a cloth */
} world_body;

typedef struct pin {
    slot slot;
    uint32_t cloth; /* index of its cloth */
    uint32_t body;  /* index of its body + 1, 0 for none */
    uint32_t *texels;
    uint32_t *coarse; /* their numbers in the grid that is stepped, where that is a coarser one */
    float *anchors; /* 3 a texel, in the frame of the pose (or of the body); of one that rides on a
                       body that deforms, in the world */
    struct pin_ride *rides; /* a texel; NULL: it does not ride */
    float *end_anchors;     /* where it will be at the end of the step, if it does */
    uint32_t count;
    float reach;         /* m, of the farthest anchor */
    float stiffness;     /* N/m, of each texel; 0: they are held */
    float along[3];      /* of a soft one: unit, or 0 */
    toile_pin_kind kind; /* and the next three: as in its definition */
    toile_corner corner;
    toile_edge edge;
    float point[2];
    motion motion;
    double middle[3]; /* of the pinned texels when it was made */
    pose now, next;
    bool driven;
    bool said_trapped; /* the log knows that it is in a body that does not carry it */
} pin;

/* Places of two cloths that springs draw together. */
typedef struct tie {
    slot slot;
    coupling_base *rows; /* panels are indices of cloths in the world; those of springs first */
    int count;           /* of springs; as many more rows resist bending, if it does */
    float stiffness;     /* N/m, of each spring; 0: relative */
    float bend;          /* N/m, of each row that resists bending; 0: a hinge, without them */
    float along[3];      /* unit, or 0 */
    double until;        /* s */
} tie;

/* Groups of its rows that have a stiffness of their own: springs, and what resists bending. */
static inline int tie_groups(const tie *t) {
    return t->bend > 0.0f ? 2 : 1;
}

static inline int tie_rows(const tie *t) {
    return tie_groups(t) * t->count;
}

/* An array of pointers, so that things stay where they are. */
typedef struct slots {
    slot **items;
    size_t count, capacity;
    size_t full; /* so many from the first on are used */
} slots;

struct toile_world {
    toile_world_def def; /* device points to the table's name, solver.levels to the next */
    toile_level_def *level_defs;
    team *team; /* the threads of the device, and of measuring */
    const device *device;
    device_context *context;
    slots cloths, bodies, pins, ties;
    double time;
    uint64_t steps;
    double calm;          /* s, second order: up to then steps are made in first order */
    double moment;        /* s, of a substep of the last step; 0 before the first */
    int32_t halvings;     /* of the longest substep, as cloth within bounds needs them */
    int32_t calm_steps;   /* in a row, that would have done with one less */
    bool tangled;         /* START_UNTANGLE: cloth may go through cloth */
    double untangled;     /* s, when it ended to; 0: it did not */
    bool prepared;        /* the plan's arrays fit what there is */
    bool maps_drawn;      /* those of the bodies there are */
    bool said_threads;    /* the log was told that there are fewer than wanted */
    float said_time_step; /* s, of the step that the log was last told about */
    int said_substeps;    /* that self-collision takes, as the log was last told */
    step_plan plan;
    device_cloth **plan_cloths;
    size_t *stirring;       /* room for cloths that sleep has yet to look at */
    float *contact_numbers; /* behind the contact arrays of the plan's cloths */
    toile_profile profile;
    toile_solver_info info;
    measuring *measuring;        /* behind a pointer: measuring changes nothing else */
    struct refine_world *refine; /* of the refine solver; NULL: it is another */
    toile_world *finer;          /* the world that this one is the coarse one of; or NULL */
};

/* Gives out a slot for a new thing of `size` bytes, zeroed, its id filled in; NULL on lack of
 * memory. */
void *slots_add(slots *s, size_t size, uint32_t *id_slot, uint32_t *id_generation,
                const char *what);
/* Takes the last addition back, for errors while it is being filled in. */
void slots_release(slots *s, uint32_t id_slot);
/* The ids of all things, as pairs of slot and generation: fills at most capacity of them and
 * returns how many there are. */
int slots_list(const slots *s, uint32_t *pairs, int capacity);
/* The thing of an id; asserts that it exists. */
void *slots_get(const slots *s, uint32_t id_slot, uint32_t id_generation);

static inline cloth *world_cloth(const toile_world *w, size_t index) {
    cloth *c = (cloth *)w->cloths.items[index];
    return c->slot.used ? c : NULL;
}

static inline world_body *world_body_at(const toile_world *w, size_t index) {
    world_body *b = (world_body *)w->bodies.items[index];
    return b->slot.used ? b : NULL;
}

static inline pin *world_pin(const toile_world *w, size_t index) {
    pin *p = (pin *)w->pins.items[index];
    return p->slot.used ? p : NULL;
}

static inline tie *world_tie(const toile_world *w, size_t index) {
    tie *t = (tie *)w->ties.items[index];
    return t->slot.used ? t : NULL;
}

/* body.c: poses that callers hand in, checked and as the model has them. */
toile_result pose_check(const float position[3], const float rotation[4]);
pose pose_from(const float position[3], const float rotation[4]);

/* cloth.c, body.c, pin.c: frees what a thing owns. */
void cloth_destroy(toile_world *w, cloth *c);
void body_destroy(world_body *b);
/* Refuses bodies that the solver cannot keep cloth out of, if there is cloth. */
toile_result bodies_check(const toile_world *w);
/* Do texels collide with meshes by PASS_CCD? */
bool bodies_take_ccd(const toile_world *w);
void pin_destroy(pin *p);
/* pin_ride.c: puts each texel of a pin on the face of its body that is nearest. */
toile_result pin_begin_ride(const toile_world *w, pin *p);
/* Where its texels will be at the end of the step, and that they are there. */
void pin_aim_ride(const toile_world *w, pin *p);
void pin_arrive(pin *p);
/* pin_check.c: refuses a pin that holds a texel of another one, where they do not agree on its
 * place, or do not when this one is moved. */
toile_result pin_check_second(const toile_world *w, const pin *p, bool moved);
/* Logs pins in bodies that do not carry them, each once. */
void pins_say_trapped(toile_world *w);
/* Removes the pins of a cloth, or on a body: index, and the other one NO_INDEX. */
enum { NO_INDEX = -1 };
void pins_remove_of(toile_world *w, int64_t cloth_index, int64_t body_index);
/* tie.c: frees what a tie owns; removes those of a cloth. */
void tie_destroy(tie *t);
void ties_remove_of(toile_world *w, size_t cloth_index);
/* couplings.c: refuses couplings, which ties and soft pins are, where the solver has none. */
toile_result couplings_check(const toile_world *w, const char *what);
/* A stiffness and a direction that a caller hands in; the latter as a unit vector, or 0. */
toile_result coupling_check_numbers(const char *what, float stiffness, const float along[3],
                                    float unit[3]);
/* What devices are told of them: all couplings, to be freed with free(), and where they are in the
 * step from now to an end. */
toile_result couplings_list(toile_world *w, coupling_base **rows, int *count);
void couplings_fill(toile_world *w);

/* Inverse masses of the texels of a cloth, zero where they are absent or pinned, and those of all
 * cloths written to the device. */
void cloth_inverse_masses(const toile_world *w, const cloth *c, float *out);
void cloths_update_masses(const toile_world *w);
/* Is a fabric curved by itself? */
bool cloths_curved(const toile_world *w);
/* Positions or velocities of a cloth in its buffer. */
const float *cloth_read(const toile_world *w, const cloth *c, device_field field);
/* Writes those in its buffer, 0 where there is no texel. */
void cloth_write(const toile_world *w, const cloth *c, device_field field);

/* plan.c: the plan for a step of time_step seconds. */
toile_result plan_prepare(toile_world *w);
toile_result plan_fill(toile_world *w, float time_step);
void plan_free(toile_world *w);
/* Index in the plan of the cloth at an index of the world. */
int plan_index(const toile_world *w, size_t cloth_index);
/* Where a pin will be at a time, the end of the step, and what the plan has of it. */
plan_pin plan_pin_of(const toile_world *w, pin *p, double end);
void plan_add(step_plan *plan, pass_call call);
bool plan_is_bounded(const toile_world *w); /* is cloth kept apart by bounds, in the solve? */
void plan_add_ccd(step_plan *plan);         /* what there is of it; before PASS_MOVE */

/* m; what is deeper than this is inside, and what is nearer is in the same place: rounding of
 * positions some metres from the origin stays below. */
#define START_TOLERANCE 1e-5

/* encounter.c: refuses cloth that starts inside a body, or in the same place as other cloth, where
 * one of the two was added since the last step; names both, and the index of the cloth. A body
 * between the texels of a flat cloth counts; of cloth that is not flat only the texels do. */
toile_result start_check(toile_world *w, size_t *cloth_index);
/* Everything may be where it is. */
void start_settle(toile_world *w);
/* overlap.c: cloth and cloth alone. */
toile_result overlaps_check(const toile_world *w, size_t *cloth_index);
/* pierce.c: cloth and itself, where bounds would keep it as it is. */
toile_result piercing_check(const toile_world *w, size_t *cloth_index);

/* solver_def.c: what does not fit the kind of solver, or each other. */
toile_result solver_def_check(const toile_world_def *def);

/* refine.c: what is wrong with options, and with a cloth for them; that one's stride. */
toile_result refine_check_options(const toile_refine_def *options);
toile_result refine_check_cloth(const toile_world *w, cloth *c);
toile_result refine_create(toile_world *w);
void refine_destroy(toile_world *w);
/* The coarse cloth of one that was added, or is removed; by the indices of both. */
toile_result refine_add_cloth(toile_world *w, size_t index);
void refine_remove_cloth(toile_world *w, size_t index);
/* The caller has put texels somewhere; steps were of so many seconds. */
void refine_take_texels(toile_world *w, size_t index, float time_step);
toile_result refine_take_pin(const toile_world *w, pin *p);
toile_result refine_world_step(toile_world *w, float time_step);
/* The coarse step was made, and bodies are about to arrive. Without success nothing was refined. */
toile_result refine_finish(toile_world *w, float time_step, toile_profile *profile);
void refine_count_info(const toile_world *w, toile_solver_info *info);

/* sleep.c: is there any? */
bool sleep_is_on(const toile_world *w);
/* Which cloths sleep in the step that is planned, once bodies, pins and couplings are. */
void sleep_plan(toile_world *w);
bool sleep_is_deep(const toile_world *w); /* all do, and no body moves */
/* That step was made: who falls asleep, and who is awake. */
void sleep_note(toile_world *w);
/* The box and the speed of a cloth, if they are not known. */
void sleep_look(const toile_world *w, cloth *c);
/* The cloth at an index is touched by the caller; NO_INDEX: all are. */
void sleep_end(toile_world *w, int64_t cloth_index);
void sleep_end_if(toile_world *w, bool changed);
/* Of what is near a body, or a cloth, that comes or goes. */
void sleep_end_near_body(toile_world *w, const body *b);
void sleep_end_near_cloth(toile_world *w, cloth *c);

/* step.c: a step, in the library's own rounding. */
toile_result world_step(toile_world *w, float time_step);

/* maps.c: images of the bodies, where collision needs them and they are not there. */
toile_result maps_check(const toile_world *w);
toile_result maps_prepare(toile_world *w);
/* Those of bodies that deform, for the step that was planned. */
toile_result maps_move(toile_world *w);
/* Does the body have images? What the plan has of such a one. */
bool has_map(const toile_world *w, const world_body *b);
const solid *map_solid(const world_body *b);

/* What is special about a solver with levels: multilevel.c, implicit.c. */
typedef struct solver_table {
    double (*longest_substep)(const toile_world *w); /* s, that the library chooses */
    double meeting_speed;           /* m/s, self-collision: in a substep so fast a texel gets as far
                                       as the distance that it keeps from others; 0: any */
    bool one_system;                /* all cloths are solved as one: PASS_SOLVE */
    void (*choose)(toile_world *w); /* what is done on each level; NULL: nothing to choose */
    toile_result (*create)(toile_world *w, cloth *c);     /* a cloth's arrays */
    const grid *(*level_grid)(const cloth *c, int depth); /* NULL beyond its last level */
    void (*fill)(const toile_world *w, cloth *c, cloth_params *p);
    void (*fill_world)(toile_world *w);
    void (*passes)(toile_world *w);
} solver_table;
/* A step was made: may the next one have longer substeps? */
void implicit_note_calm(toile_world *w, const device_solved *solved);

extern const solver_table multilevel_solver, implicit_solver;

/* Says, once, that there are fewer threads than wanted. Called behind what runs the team. */
void world_log_threads(toile_world *w);
void world_log(const toile_world *w, toile_log_item item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* surface.c: the render mesh of a cloth from its texels. */
void surface_positions(const panel *p, const float *texels, float *vertices);
/* Coordinates of a mesh of the cloth's panel, scale applied. */
void surface_coordinates(const cloth *c, const flat_mesh *mesh, float *coordinates);
void surface_normals(const panel *p, const float *texels, float *normals);

#endif
