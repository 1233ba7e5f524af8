/* Toile: a cloth simulator.
 *
 * A world holds cloths and bodies and is stepped through time on one device. Everything in a world
 * is named by an id that is passed by value; a zeroed id is null. Things are made from definition
 * structs that start from their default function:
 *
 *     toile_cloth_def def = toile_default_cloth_def();
 *     def.spacing = 0.01f;
 *     toile_cloth_id cloth = toile_world_add_cloth(world, &def);
 *
 * Units are SI: metres, kilograms, seconds, newtons. Angles in definitions are degrees. Axes are
 * those of glTF: right-handed, y up.
 *
 * Threads: different worlds may be used from different threads at once; one world from one thread
 * at a time. The error message is kept per thread.
 *
 * Errors: a function that can fail for a reason the user can mend returns a toile_result or a null
 * id and leaves a sentence in toile_error_message(); nothing has changed then. A programmer's
 * mistake (a null pointer, an id of something removed) goes to the assert handler.
 */
#ifndef TOILE_TOILE_H
#define TOILE_TOILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOILE_VERSION_MAJOR 0
#define TOILE_VERSION_MINOR 1
#define TOILE_VERSION_PATCH 0

#if defined(_WIN32)
#define TOILE_API
#else
#define TOILE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- results, errors, messages ------------------------------------------------------------------
 */

typedef enum toile_result {
    TOILE_OK = 0,
    TOILE_ERROR_INVALID,     /* a definition or argument is out of range: the user's mistake */
    TOILE_ERROR_MEMORY,      /* not enough memory; the message says how much was asked for */
    TOILE_ERROR_NUMERICAL,   /* the state is no longer finite; the last good state is kept */
    TOILE_ERROR_FORMAT,      /* saved state is cut short, altered, or of another version or world */
    TOILE_ERROR_UNAVAILABLE, /* this device does not exist here */
    TOILE_ERROR_STOPPED, /* the world's stop handler asked for it; the last good state is kept */
} toile_result;

/* The sentence that belongs to the last error of the calling thread; "" before the first one. Valid
 * until the next call of the library in this thread. */
TOILE_API const char *toile_error_message(void);

/* "0.1.0". */
TOILE_API const char *toile_version(void);

/* Called for a programmer's mistake. When it returns, the process is aborted. NULL restores the
 * default, which prints to stderr. Set it before other threads use the library. */
typedef void toile_assert_handler(const char *condition, const char *file, int line);
TOILE_API void toile_set_assert_handler(toile_assert_handler *handler);

/* What a world has to say that is not an error. */
typedef enum toile_log_item {
    TOILE_LOG_SUBSTEPS,          /* how many substeps were chosen, and why */
    TOILE_LOG_SUBSTEPS_UNSTABLE, /* warning: the caller's number of substeps is too small to be
                                    stable */
    TOILE_LOG_SOFTENED, /* stretch, shear or bend stiffness was reduced to fit the substeps */
    TOILE_LOG_DAMPING_CHANGED, /* the fabric's damping was capped to keep the step stable */
    TOILE_LOG_FEWER_THREADS,   /* not all threads that were wanted could be made */
    TOILE_LOG_PIN_TRAPPED, /* warning: a pin is inside a body that does not carry it; once a pin */
    TOILE_LOG_BROUGHT_OUT, /* CCD, warning: texels are inside a mesh and are brought out; once
                              until none is */
    TOILE_LOG_UNTANGLED,   /* START_UNTANGLE: no cloth goes through cloth any more */
    TOILE_LOG_ITEM_COUNT
} toile_log_item;
typedef void toile_log_handler(toile_log_item item, const char *message, void *user);

/* ---- fabrics ------------------------------------------------------------------------------------
 */

/* What a cloth is made of. All values describe the fabric, none the grid: spring constants are
 * derived from the fabric and the spacing, so that the drape does not depend on the resolution. */
typedef struct toile_fabric {
    float density;    /* kg/m^2, 0.001 to 100 */
    float stretch[2]; /* N/m, force per width and strain along warp (u) and weft (v); 0.1 to 1e7 */
    float shear;      /* N/m, shear force per width and angle in radians; 0 to 1e7 */
    float bend;       /* N m, moment per width and curvature; 0 to 10 */
    float damping;   /* s, ratio of viscous to elastic stress at unit rate (Kelvin-Voigt); 0 to 1 */
    float friction;  /* Coulomb coefficient against bodies; 0 to 10 */
    float thickness; /* m; 0 to 0.1 */
    float limit;     /* largest elongation of a warp or weft yarn, 0.05 is 5 %; 0.001 to 10 */
    float curvature[2]; /* 1/m, of warp and weft at rest, -1000 to 1000; default 0. Where it is
                           positive, the cloth curls towards the side its normal points to. IMPLICIT
                           only */
} toile_fabric;

/* The preset of that name ("cotton", "silk", ...). An unknown name gives a fabric of zeros, which
 * no cloth accepts, and an error message that lists the names. */
TOILE_API toile_fabric toile_fabric_named(const char *name);

/* The names of the presets: 0 <= index < toile_fabric_count(); NULL beyond. */
TOILE_API int toile_fabric_count(void);
TOILE_API const char *toile_fabric_name(int index);

/* ---- motion -------------------------------------------------------------------------------------
 */

/* A pose at a time, relative to where the thing was defined: rotated about its own centre, then
 * moved. Between keyframes translations are linear and rotations take the shortest arc; before the
 * first and after the last they hold. */
typedef struct toile_keyframe {
    float time;         /* s; rising */
    float translate[3]; /* m */
    float rotate[3];    /* degrees about x, then y, then z */
} toile_keyframe;

/* Where a thing starts: scaled, then rotated about x, y, z in that order, then moved. */
typedef struct toile_transform {
    float translate[3]; /* m */
    float rotate[3];    /* degrees */
    float scale; /* 0.001 to 1000. Resizes the cloth itself, its spacing included: not a stretch */
} toile_transform;

/* ---- worlds -------------------------------------------------------------------------------------
 */

typedef struct toile_world toile_world;

typedef struct toile_cloth_id {
    uint32_t slot; /* 0 is null */
    uint32_t generation;
} toile_cloth_id;
typedef struct toile_body_id {
    uint32_t slot;
    uint32_t generation;
} toile_body_id;
typedef struct toile_pin_id {
    uint32_t slot;
    uint32_t generation;
} toile_pin_id;
typedef struct toile_tie_id {
    uint32_t slot;
    uint32_t generation;
} toile_tie_id;

typedef enum toile_solver_kind {
    TOILE_SOLVER_MASS_SPRING, /* Rabenius 2018, Vassilev 2020 */
    TOILE_SOLVER_MULTILEVEL,  /* Schmitt 2013 */
    TOILE_SOLVER_IMPLICIT,    /* backward Euler by Newton's method, at the fabric's own stiffness */
    TOILE_SOLVER_REFINE,      /* Wang 2005: a coarse cloth is stepped on the CPU by mass-spring with
                                 CCD; then it is refined, and kept out of bodies by peeling them
                                 into layers. Rectangles only; device "cpu" or "gl", on which it is
                                 refined; an OpenGL context of its own */
} toile_solver_kind;

typedef enum toile_integrator {
    TOILE_INTEGRATOR_EULER,           /* Rabenius eq. (3), moving by the new velocity */
    TOILE_INTEGRATOR_VERLET,          /* Rabenius eq. (4), damped as in Wang eq. (5.1) */
    TOILE_INTEGRATOR_VELOCITY_VERLET, /* Vassilev eq. (4): half-step velocities; the default */
} toile_integrator;

typedef enum toile_stiffness {
    TOILE_STIFFNESS_AUTO, /* soften the springs to what max_substeps allow; the elongation limit
                             holds */
    TOILE_STIFFNESS_TRUE, /* the fabric's own values, however many substeps they take */
} toile_stiffness;

/* How a level of the multilevel solver is relaxed. */
typedef enum toile_relaxation {
    TOILE_RELAXATION_GAUSS_SEIDEL, /* edge by edge in eight independent sets */
    TOILE_RELAXATION_JACOBI,       /* all edges of a texel at once, averaged */
} toile_relaxation;

enum { TOILE_MAX_LEVELS = 16 };

typedef struct toile_level_def {
    toile_relaxation relaxation;
    int iterations; /* 1 to 10000 */
} toile_level_def;

/* How refined vertices that are inside a body get out of it. */
typedef enum toile_correction {
    TOILE_CORRECTION_OBJECT,  /* to the nearest surface; the default */
    TOILE_CORRECTION_HISTORY, /* to the side where they were in the step before */
    TOILE_CORRECTION_IMAGE,   /* along the view, as the thesis has it */
    TOILE_CORRECTION_NONE,    /* they are only counted */
} toile_correction;

/* What says that a vertex is inside. */
typedef enum toile_inside_rule {
    TOILE_INSIDE_WINDING, /* it is behind more front faces than back faces; the default */
    TOILE_INSIDE_PARITY,  /* it is behind an odd number of layers, as the thesis has it; wrong where
                             a body overlaps itself */
} toile_inside_rule;

/* REFINE. The spacing of a cloth is that of its finest grid, and all that is read, written and
 * measured is about that one. Its columns and rows, less one, must be multiples of 2^levels. Only
 * texels of the coarse grid, each 2^levels-th, can be pinned. */
typedef struct toile_refine_def {
    int levels; /* how often the spacing of the coarse grid is halved; 1 to 5, default 3 */
    toile_correction correction;
    toile_inside_rule rule;
    int directions; /* that bodies are peeled from, 1 to 13: the axes, the diagonals of a cube and
                       those of its faces; default 3. 0: from the camera only (see
                       toile_world_set_camera), which misses what it does not see */
    bool any_view;  /* OBJECT and HISTORY: one view that holds a vertex inside is enough to look for
                       it in space, which decides; else it takes most views; default on */
    int resolution; /* pixels along a side of a peel image; 8 to 8192, default 512 */
    int layers;     /* that are peeled at most; 0 to 32, default 8; 1: all that is behind a surface
                       counts as inside; 0: refined and not corrected */
    bool visible_only;    /* peels two layers, and corrects no vertex behind them; needs the camera;
                             default off */
    bool filter_objects;  /* bodies whose box does not meet the cloth's are left out; default on */
    bool one_pass;        /* detection and the next level in one pass; same result, not together
                             with move_parents or cloth; default off */
    bool move_parents;    /* coarse vertices follow refined ones that stretch their springs, also in
                             the next coarse step; default off */
    float parent_stretch; /* of those springs, that is allowed; 0 or more, default 0.05 */
    bool forces;          /* refined vertices feel springs and gravity; default off */
    int force_iterations; /* of their springs; 0 to 1000, default 4 */
    float force_damping;  /* 1/s, of their velocities; 0 or more, default 2 */
    bool cloth;           /* they keep their order against other parts of the cloth; default off */
    bool coarse_edges;    /* edges of the coarse cloth collide as its vertices do; the thesis has
                             none; default on */
} toile_refine_def;

/* How true the implicit solver is to its fabric, for how much work: lengths of substeps, and when
 * its iterations end (docs/physics.md). */
typedef enum toile_quality {
    TOILE_QUALITY_DEFAULT, /* velocities right to about two percent of their own */
    TOILE_QUALITY_GAME,    /* half as many substeps */
    TOILE_QUALITY_FILM,    /* twice as many, and velocities right to about 0.3 % */
} toile_quality;

/* Fields that have a kind's name beside them are of that kind; a world of another kind refuses
 * them, unless they are as toile_default_world_def() has them. */
typedef struct toile_solver_def {
    toile_solver_kind kind;
    toile_integrator integrator; /* MASS_SPRING, and REFINE, which steps its coarse cloth by it */
    toile_stiffness stiffness;   /* likewise */
    int substeps; /* a step is cut into so many; 0: the library picks a stable number; 0 to 100000
                   */
    int max_substeps; /* the most that the library picks, with MASS_SPRING under stiffness AUTO; 1
                         to 100000, default 128 */
    int limit_iterations; /* MASS_SPRING and REFINE: passes of the elongation limit a substep, in
                             pairs: an odd number means one more; 0 to 1000, default 2; 0 switches
                             it off */
    float damping; /* 1/s, decay rate of all velocities (viscous air); 0 to 1000, default 0.1 */

    /* MULTILEVEL. Levels are listed from the finest one, 0, to the coarsest. */
    int level_count; /* 0: the coarsest is about 20 x 20; at most 16, and at least 2 x 2 texels */
    const toile_level_def *levels; /* level_count of them, copied; NULL: chosen */
    int cycles; /* from the coarsest level to the finest, a substep; 1 to 1000; default 1 */
    float constraint_stiffness; /* k of Schmitt eq. (1), over 0 to 1; 0, the default: compliance
                                   from the fabric instead (XPBD) */
    float strain_limit;         /* MULTILEVEL and IMPLICIT: largest elongation, over 0 to 10; 0, the
                                   default: the fabric's */
    bool self_collision;        /* MULTILEVEL and IMPLICIT: texels of all cloths keep their
                                   thickness apart, and at least a spacing; default on. It takes
                                   a third of a step and more, and more substeps: with IMPLICIT
                                   about twice the time. MASS_SPRING has none, whatever this says */

    /* IMPLICIT */
    bool bounded;          /* with self_collision, on device "cpu", of order 1, without CCD: cloth
                              that starts apart never crosses itself or other cloth, and layers are
                              as thick as their fabric. Folds and piles take 5 to 20 times as long;
                              default off (docs/physics.md) */
    toile_quality quality; /* how long substeps are, and when iterations end; numbers below and
                              substeps override it */
    int order;             /* 1, the default: backward Euler, calm; 2: BDF2, swings freely; a step
                              in which a body strikes cloth, and those of the next tenth of a
                              second, are of order 1 */
    int iterations;        /* of Newton's method in a substep, the most; 0 to 1000; 0, the default:
                              50, which only blows take */
    float tolerance;       /* m; a substep is done when an iteration moves no texel further; 0 to 1;
                              0, the default: when it takes little of the motion's energy */
    bool sleep;            /* cloth at rest, with what it is tied to and what it lies on, is left
                              out of steps until something comes near, or changes; moves no texel
                              by more than 0.1 mm; default on. Other solvers ignore it
                              (docs/physics.md) */

    toile_refine_def refine; /* REFINE */
} toile_solver_def;

/* What of the cloth is kept out of bodies. */
typedef enum toile_collision {
    TOILE_COLLISION_AUTO, /* texels out of shapes; the coarse mesh out of meshes, or, with IMPLICIT,
                             texels out of both */
    TOILE_COLLISION_SHAPES, /* texels out of shapes; meshes are refused */
    TOILE_COLLISION_COARSE, /* the coarse mesh out of all bodies; not MASS_SPRING */
    TOILE_COLLISION_MAPS,   /* texels out of all bodies, by depth and normal images of them, which
                               OpenGL draws whatever the device; see docs/physics.md */
    TOILE_COLLISION_CCD,    /* texels out of shapes, and out of meshes by their way through each
                               substep, so that nothing is too fast; device "cpu" only; what AUTO is
                               for MASS_SPRING and meshes there */
} toile_collision;

/* CCD: what a texel does once it has met a mesh. */
typedef enum toile_response {
    TOILE_RESPONSE_FRICTION, /* slides or stays by Coulomb's law, and may bounce */
    TOILE_RESPONSE_FOLLOW,   /* goes with the body for the rest of the substep (Wang 2005, section
                                5.2), whatever their friction and reflection */
} toile_response;

/* Wind blows on every triangle. Drag acts along the relative wind, lift across it. */
typedef struct toile_wind_def {
    float velocity[3]; /* m/s, each -200 to 200; all zero, the default, switches air off */
    float air_density; /* kg/m^3, 0 to 2000, default 1.2 */
    float drag;        /* coefficient of a triangle that faces the wind, 0 to 10, default 1.2 */
    float lift;        /* coefficient, 0 to 10, default 0.6 */
    float gust;        /* the wind's strength varies by this fraction; 0 to 1, default 0 */
    float gust_period; /* s, the slowest beat of the gusts, 0.01 to 1000, default 2 */
} toile_wind_def;

/* Where device "gl" runs. */
typedef enum toile_gl_context {
    /* In a context that the library makes through EGL. Whatever is current in the caller's thread
     * is so again after each call. */
    TOILE_GL_CONTEXT_OWN,
    /* In the context, of OpenGL 4.3 or later and made through EGL, that is current in the thread
     * that creates the world. It must live as long as the world and be current in the thread of
     * every call that is given the world, toile_world_destroy included; a thread may hand it to
     * another one together with the world. A step without it is TOILE_ERROR_UNAVAILABLE; reading
     * without it gives zeros and writing does nothing, which the next step reports. What the
     * library binds and switches is set back before a call returns; errors that OpenGL kept from
     * before are dropped. */
    TOILE_GL_CONTEXT_CURRENT,
} toile_gl_context;

/* Is the call that the world is in to end? */
typedef bool toile_stop_handler(void *user);

/* Cloth that goes through other cloth, or through itself, in the first step after it was added. */
typedef enum toile_start {
    TOILE_START_APART,    /* is refused: of two cloths, and with solver.bounded of one */
    TOILE_START_UNTANGLE, /* with solver.bounded: is drawn out, in this and the following steps */
} toile_start;

typedef struct toile_world_def {
    const char *device; /* "cpu", the default, also for NULL: the same bits on every machine; "gl",
                           "gl-fragment" (MASS_SPRING by the fragment shaders of OpenGL 3.3);
                           "auto": "gl" where OpenGL runs on a GPU, else "cpu"; "null" */
    int threads;        /* 0 to 1024; 0: all there are. Same bits for any number. After fork(), a
                           child may use only worlds with 1 */
    float gravity[3];   /* m/s^2, each -1000 to 1000, default (0, -9.81, 0) */
    uint64_t seed;      /* of the gusts */
    toile_solver_def solver;
    toile_wind_def wind;
    toile_collision collision;
    float contact_margin; /* m kept between bodies and cloth beside its half thickness, at most 1;
                             negative, the default, means what flat triangles, of the grid and of
                             the mesh that is drawn, need on a round body, and a quarter of the
                             spacing around boxes */
    toile_start start;    /* default APART */
    toile_response response; /* CCD; default FRICTION */
    bool edges; /* CCD: edges and triangles of cloth, too, and not its texels alone; default false.
                   REFINE has coarse_edges instead. */
    int map_size;    /* MAPS: pixels along the longest side of a body; 16 to 2048, default 512 */
    int map_cameras; /* MAPS: 6, the default, at all sides of a body, or 2, at the front and the
                        back of its shortest side */
    int map_memory;  /* MAPS: MB, 0 to 1000000, in which images of bodies that deform are kept for
                        when their motion comes again, the oldest being dropped; default 0 */
    toile_log_handler *log; /* may be NULL */
    void *log_user;
    toile_stop_handler *stop; /* may be NULL; see toile_world_step */
    void *stop_user;
    toile_gl_context gl_context; /* of device "gl", which CURRENT makes of "auto"; default OWN */
} toile_world_def;

TOILE_API toile_world_def toile_default_world_def(void);
TOILE_API toile_result toile_world_create(const toile_world_def *def, toile_world **world);
TOILE_API void toile_world_destroy(toile_world *world); /* NULL is fine */

/* The definition in force, strings owned by the world. */
TOILE_API toile_world_def toile_world_get_def(const toile_world *world);
TOILE_API toile_result toile_world_set_gravity(toile_world *world, const float gravity[3]);
TOILE_API toile_result toile_world_set_wind(toile_world *world, const toile_wind_def *wind);

/* Where somebody looks from: REFINE with directions 0. */
typedef struct toile_camera {
    float eye[3], target[3]; /* m, apart from each other */
    float up[3];             /* any length but 0; default (0, 1, 0) */
    float fov;               /* degrees from the lower to the upper side of the picture, 1 to 170;
                                default 35 */
    float aspect;            /* its width by its height, 0.01 to 100; default 1 */
} toile_camera;
TOILE_API toile_camera toile_default_camera(void);
/* Holds from the next step on. Other solvers have no use for it. */
TOILE_API toile_result toile_world_set_camera(toile_world *world, const toile_camera *camera);

/* Advances by time_step seconds, 1e-6 to 1. Use the same one all the time: what the substeps allow
 * of a stiff fabric depends on it, and order 2 is a little less exact in a step that is longer or
 * shorter than the one before. The first step of a new set of cloths allocates; later ones do
 * not, but for one in which more texels of cloth meet than in any before: where there is no memory
 * for that, the result is TOILE_ERROR_MEMORY, and the world is as it was before the call. The first
 * step after a cloth or body was added is TOILE_ERROR_INVALID, and changes nothing, where that
 * starts inside a body or in the same place as another cloth, or, with solver.bounded, within
 * itself; the message says where. Pinned texels may be in a body, and what toile_world_load_state()
 * brings is not looked at. On TOILE_ERROR_NUMERICAL the world is as it was before the call and the
 * message names time, cloth and texel.
 *
 * The definition's stop handler is called by the calling thread at least once per substep, and must
 * not use the world. When it returns true, what is left of the step is not done, but for at most
 * one substep: the result is TOILE_ERROR_STOPPED, and the world is as it was before the call.
 * Device "gl" then works on at most four substeps at a time. */
TOILE_API toile_result toile_world_step(toile_world *world, float time_step);

/* Seconds and steps since creation. */
TOILE_API double toile_world_time(const toile_world *world);
TOILE_API uint64_t toile_world_step_count(const toile_world *world);

/* ---- cloths -------------------------------------------------------------------------------------
 */

/* A curve of an outline begins where the one before it ended. */
typedef enum toile_curve_kind {
    TOILE_CURVE_LINE,
    TOILE_CURVE_ARC,       /* of the circle through its ends and control[0] */
    TOILE_CURVE_QUADRATIC, /* Bezier, control[0] */
    TOILE_CURVE_CUBIC,     /* Bezier, control[0] and control[1] */
} toile_curve_kind;
typedef struct toile_curve {
    toile_curve_kind kind;
    float to[2]; /* m */
    float control[2][2];
} toile_curve;
/* Closed: the last curve ends at the start. Either way round. */
typedef struct toile_loop {
    float start[2]; /* m */
    const toile_curve *curves;
    int curve_count;
} toile_loop;
/* The first loop is the outer one, the others are holes in it. Loops do not cross or touch
 * themselves or each other. */
typedef struct toile_outline {
    const toile_loop *loops;
    int loop_count;
} toile_outline;

/* A cooked panel: grid, meshes and the tables that couple them. Never changes; may be used by many
 * cloths, worlds and threads. */
typedef struct toile_panel toile_panel;

typedef struct toile_panel_def {
    const toile_outline *outline; /* copied; NULL, the default: the rectangle of `size` */
    float size[2]; /* m, width along u and height along v, up to 1e4; default 1 x 1 */
    float spacing; /* m, of the texels, 1e-5 to 100, default 0.02; a side has at most 1e6 of it */
    float grain;   /* degrees from the outline's x-axis to the warp (u); default 0; outlines only */
    float coarse_edge; /* m, of the coarse mesh's triangles; 0, the default: chosen */
    float render_edge; /* m, of the render mesh's triangles; 0, the default: the spacing; outlines
                          only, a rectangle has a vertex a texel */
    bool snap;         /* puts inner vertices of the coarse mesh on texels; default off */
} toile_panel_def;

TOILE_API toile_panel_def toile_default_panel_def(void);
TOILE_API toile_result toile_panel_cook(const toile_panel_def *def, toile_panel **panel);
TOILE_API void
toile_panel_destroy(toile_panel *panel); /* NULL is fine; cloths keep what they use */

typedef struct toile_panel_info {
    int columns, rows; /* of the grid */
    size_t texels;     /* that exist, of columns * rows */
    float size[2];     /* m, of the box around the outline along warp and weft */
    float spacing;     /* m */
    double area;       /* m^2, of the exact outline */
    size_t coarse_vertices, coarse_triangles;
    size_t render_vertices, render_triangles;
    int parts; /* the grid falls into so many that no yarn connects; 1 is usual */
} toile_panel_info;
TOILE_API toile_panel_info toile_panel_get_info(const toile_panel *panel);

/* A cooked panel as bytes, the same on every machine. save wants exactly toile_panel_size() bytes.
 * load checks everything: bytes may come from strangers. */
TOILE_API size_t toile_panel_size(const toile_panel *panel);
TOILE_API toile_result toile_panel_save(const toile_panel *panel, void *bytes, size_t size);
TOILE_API toile_result toile_panel_load(const void *bytes, size_t size, toile_panel **panel);

/* A piece of fabric: by default a rectangle. It lies in the xy-plane around the origin, warp (u)
 * along x, weft (v) along y, before its transform. Texels are the multiples of spacing from its
 * lower left corner; a width of (n - 1) spacings has n of them. Another width is rounded to the
 * nearest such grid, and the exact outline is kept by the mesh, whose last column lies up to half a
 * spacing inside or outside the last texels; mass and stiffness are those of the exact size. */
typedef struct toile_cloth_def {
    const char *name;         /* copied; default "cloth" */
    const toile_panel *panel; /* NULL, the default: a rectangle of the next two. Its outline's box
                                 lies around the origin, the outline's x-axis along x */
    float size[2]; /* m, width along u and height along v, up to 1e4 scaled; default 1 x 1 */
    float spacing; /* m, 1e-5 to 100 scaled, default 0.02; a side has at most 1e6 of it, and at
                      least 2 x 2 texels must result */
    toile_fabric fabric;       /* default "cotton" */
    toile_transform transform; /* default: none */
    int layer; /* -1000 to 1000, larger is outside; default 0. TOILE_START_UNTANGLE draws the cloth
                  of the larger number to the front of the other one: to where the normals point
                  that toile_cloth_get_normals gives, x across y of the cloth's own plane */
} toile_cloth_def;

typedef struct toile_cloth_info {
    const char *name;
    int columns, rows; /* texels along u and v */
    size_t texels; /* columns * rows: length of the texel arrays, row by row from the lower left */
    size_t texels_present; /* of those, where there is cloth; all of a rectangle's */
    size_t vertices;       /* of the render mesh */
    size_t triangles;
    size_t coarse_vertices; /* of the coarse mesh */
    size_t coarse_triangles;
    float size[2]; /* m, scale applied */
    float spacing; /* m, scale applied */
    double mass;   /* kg */
    toile_fabric fabric;
    size_t solver_bytes; /* memory of the solver's arrays on the device; of those that the
                            implicit solver has for all cloths together a share by texels. What a
                            solver has beside positions and velocities is there from the first step
                            on */
} toile_cloth_info;

TOILE_API toile_cloth_def toile_default_cloth_def(void);
TOILE_API toile_cloth_id toile_world_add_cloth(toile_world *world, const toile_cloth_def *def);
TOILE_API void toile_world_remove_cloth(toile_world *world,
                                        toile_cloth_id cloth); /* its pins and ties, too */
TOILE_API toile_cloth_info toile_cloth_get_info(const toile_world *world, toile_cloth_id cloth);

/* The cloths of a world: fills at most capacity ids and returns how many there are. */
TOILE_API int toile_world_get_cloths(const toile_world *world, toile_cloth_id *ids, int capacity);

/* Read-back. Each fills out with exactly count elements of the kind named and returns
 * TOILE_ERROR_INVALID when count is not what toile_cloth_get_info says. Texel arrays hold 3 floats
 * a texel, mesh arrays 3 floats (2 for coordinates) a vertex, triangles 3 indices a triangle,
 * counter-clockwise seen from the side the cloth's normal points to (+z before the transform).
 * "mesh" is the render mesh, "coarse" the coarse mesh. */

/* A byte a texel: 1 where there is cloth. The others read as 0, and what is written to them is
 * ignored. */
TOILE_API toile_result toile_cloth_get_texel_mask(const toile_world *world, toile_cloth_id cloth,
                                                  uint8_t *out, size_t count);
/* What the last step of REFINE found out about a texel, a number each; all 0 with other solvers. */
enum {
    TOILE_MARK_LAYER = 255,  /* these bits: how many surfaces of bodies are in front of it, in the
                                view that decided; all of them: no view sees it */
    TOILE_MARK_INSIDE = 256, /* it was inside a body when it was refined, or nearer to it than
                                OBJECT and HISTORY keep it, */
    TOILE_MARK_CORRECTED = 512, /* and was moved out of it */
};
TOILE_API toile_result toile_cloth_get_refine_marks(const toile_world *world, toile_cloth_id cloth,
                                                    uint16_t *out, size_t count);
TOILE_API toile_result toile_cloth_get_texel_positions(const toile_world *world,
                                                       toile_cloth_id cloth, float *out,
                                                       size_t count);
TOILE_API toile_result toile_cloth_get_texel_velocities(const toile_world *world,
                                                        toile_cloth_id cloth, float *out,
                                                        size_t count);
TOILE_API toile_result toile_cloth_get_mesh_positions(const toile_world *world,
                                                      toile_cloth_id cloth, float *out,
                                                      size_t count);
TOILE_API toile_result toile_cloth_get_mesh_normals(const toile_world *world, toile_cloth_id cloth,
                                                    float *out, size_t count);
/* u and v in metres from the lower left corner of the cloth, or of the box around its outline: the
 * flat pattern itself. */
TOILE_API toile_result toile_cloth_get_mesh_coordinates(const toile_world *world,
                                                        toile_cloth_id cloth, float *out,
                                                        size_t count);
TOILE_API toile_result toile_cloth_get_mesh_triangles(const toile_world *world,
                                                      toile_cloth_id cloth, uint32_t *out,
                                                      size_t count);

TOILE_API toile_result toile_cloth_get_coarse_positions(const toile_world *world,
                                                        toile_cloth_id cloth, float *out,
                                                        size_t count);
TOILE_API toile_result toile_cloth_get_coarse_coordinates(const toile_world *world,
                                                          toile_cloth_id cloth, float *out,
                                                          size_t count);
TOILE_API toile_result toile_cloth_get_coarse_triangles(const toile_world *world,
                                                        toile_cloth_id cloth, uint32_t *out,
                                                        size_t count);

/* The place of a vertex among the texels: inside a square of four, or a little beside it. */
typedef struct toile_square {
    uint32_t texel; /* the lower left one's number in the texel arrays; the other three exist too */
    float fraction[2]; /* where the vertex lies from it along u and v, in spacings */
} toile_square;
/* A square a vertex of the render mesh, for those that draw from texels: values at a vertex are
 * bilinear in those of its square. They never change. */
TOILE_API toile_result toile_cloth_get_mesh_squares(const toile_world *world, toile_cloth_id cloth,
                                                    toile_square *out, size_t count);

/* Where device "gl" keeps texels, for those that draw them without reading them back: planes of
 * floats in a buffer object. Coordinate k of the texel in column i and row j is float
 * (position + k) * plane + first + j * row + i. There are others around them, which do not exist.
 */
typedef struct toile_gl_texels {
    uint32_t buffer; /* its name in the world's context; for reading only */
    int position;    /* number of the plane of x; those of y and z follow */
    int cover;       /* number of the plane of shares: how much of the cell up and right of a texel
                        is cloth; 0 where there is none */
    size_t plane;    /* floats of a plane */
    size_t row;      /* floats from a texel to the one above it */
    size_t first;    /* floats of a plane before its lower left texel */
} toile_gl_texels;
/* Valid as long as the cloth. What a step did is complete when it returns. Of use with
 * TOILE_GL_CONTEXT_CURRENT, in that context and those that share its objects. Other devices:
 * TOILE_ERROR_UNAVAILABLE. */
TOILE_API toile_result toile_cloth_get_gl_texels(const toile_world *world, toile_cloth_id cloth,
                                                 toile_gl_texels *out);

/* Put texels somewhere else, or in motion. Values must be finite; pinned texels ignore the velocity
 * and are taken to their pin by the next step. */
TOILE_API toile_result toile_cloth_set_texel_positions(toile_world *world, toile_cloth_id cloth,
                                                       const float *in, size_t count);
TOILE_API toile_result toile_cloth_set_texel_velocities(toile_world *world, toile_cloth_id cloth,
                                                        const float *in, size_t count);

/* ---- pins ---------------------------------------------------------------------------------------
 */

typedef enum toile_pin_kind {
    TOILE_PIN_CORNER,
    TOILE_PIN_EDGE,
    TOILE_PIN_POINT,
    TOILE_PIN_NEAR /* every texel that is near its body */
} toile_pin_kind;
typedef enum toile_corner {
    TOILE_CORNER_TOP_LEFT,
    TOILE_CORNER_TOP_RIGHT,
    TOILE_CORNER_BOTTOM_LEFT,
    TOILE_CORNER_BOTTOM_RIGHT
} toile_corner;
typedef enum toile_edge {
    TOILE_EDGE_TOP,
    TOILE_EDGE_BOTTOM,
    TOILE_EDGE_LEFT,
    TOILE_EDGE_RIGHT
} toile_edge;

/* Texels that do not move by themselves: held where they are when the pin is made, or carried by a
 * body, or moved by keyframes about the middle of the pinned texels. */
typedef struct toile_pin_def {
    toile_pin_kind kind;
    toile_corner corner; /* CORNER: the texel there; top is +v, right is +u. Of an outline the one
                            that is nearest to that corner of the box around it, warp along u */
    toile_edge edge; /* EDGE: all texels of that border. Where it lies between two rows of texels,
                        because the size is no multiple of the spacing, both; so for corners. Of an
                        outline those within half a spacing of that side of the box around it */
    float point[2];  /* POINT: m from the lower left corner of the cloth or of the box around its
                        outline, inside it */
    float radius;    /* POINT: m; texels within it, and always the nearest one there is; default 0.
                        NEAR: m; texels at most so far from the surface of the body, inside or out */
    toile_body_id body; /* null: held in space. On a SKINNED or DEFORMING body texels ride on the
                           triangles that are nearest to them; those of a CORNER or POINT on the
                           one that is nearest to their middle, as a rigid patch */
    const toile_keyframe *keyframes; /* copied; not together with body */
    int keyframe_count;
    float stiffness; /* N/m, 0 to 1e9; 0, the default: texels are held and do not move by
                        themselves. More: a soft pin, whose springs draw them to where they would be
                        held; this is the stiffness of all of them together. Only
                        IMPLICIT has them, and any number of soft pins may hold a texel */
    float along[3];  /* soft pins: the direction in which they hold, of any length; default 0, 0, 0:
                        all directions. A ring on a rail along x holds along y and, as another pin,
                        along z */
} toile_pin_def;

TOILE_API toile_pin_def toile_default_pin_def(void);
/* Two pins may hold the same texel only where they agree on its place: both held in space without
 * keyframes, or both on the same body. */
TOILE_API toile_pin_id toile_cloth_add_pin(toile_world *world, toile_cloth_id cloth,
                                           const toile_pin_def *def);
/* The pins of a world: fills at most capacity ids and returns how many there are. */
TOILE_API int toile_world_get_pins(const toile_world *world, toile_pin_id *ids, int capacity);
/* What a pin holds. The texels it lets go keep the velocity it gave them. */
typedef struct toile_pin_info {
    toile_cloth_id cloth;
    toile_body_id body; /* that carries it; null: none */
    int keyframe_count; /* that move it; 0 from toile_world_move_pin on */
    size_t texels;
} toile_pin_info;
TOILE_API toile_pin_info toile_pin_get_info(const toile_world *world, toile_pin_id pin);
/* Their numbers in the texel arrays of the cloth, rising. */
TOILE_API toile_result toile_pin_get_texels(const toile_world *world, toile_pin_id pin,
                                            uint32_t *out, size_t count);
TOILE_API void toile_world_remove_pin(toile_world *world, toile_pin_id pin);
/* Where the pin shall be at the end of the next step, as a pose relative to where it was made.
 * Replaces its keyframes. Refused where another pin holds one of its texels. The rotation is a unit
 * quaternion x, y, z, w about the middle of the pinned texels. */
TOILE_API toile_result toile_world_move_pin(toile_world *world, toile_pin_id pin,
                                            const float translate[3], const float rotation[4]);

/* ---- ties ---------------------------------------------------------------------------------------
 */

/* A line of points on a cloth. */
typedef struct toile_tie_run {
    toile_cloth_id cloth;
    const float *points; /* 2 a point, u and v: m from the lower left corner of the cloth or of the
                            box around its outline, inside it, its scale applied; copied */
    int point_count;     /* 1 to 10000: a point, or corners of a line */
} toile_tie_run;

/* Two such lines that are drawn together by springs, from the first points to the last ones. They
 * may be of different lengths, and of the same cloth. Only IMPLICIT has them. */
typedef struct toile_tie_def {
    toile_tie_run runs[2];
    int count;       /* springs, evenly along both lines; 0 to 100000; 0, the default: about one a
                        spacing of the finer cloth, along the shorter line */
    float stiffness; /* N/m, of all of them together; 0 to 1e9; 0, the default: four times what the
                        tied texels resist with by themselves, as of a seam */
    float along[3];  /* the direction in which they hold, of any length; default 0, 0, 0: all */
    float until;     /* s, time of the world at which it lets go; 0 or more, default infinite */
    float bend;      /* how much the cloths resist a bend along the tie, times as much as anywhere;
                        0 to 100; 0: a hinge. Both lines must be borders, with cloth on one side,
                        unless it is 0. Default -1: 1 where both are and it holds in all directions,
                        else 0 */
} toile_tie_def;

TOILE_API toile_tie_def toile_default_tie_def(void);
TOILE_API toile_tie_id toile_world_add_tie(toile_world *world, const toile_tie_def *def);
/* The ties of a world: fills at most capacity ids and returns how many there are. One that has let
 * go stays until it is removed. */
TOILE_API int toile_world_get_ties(const toile_world *world, toile_tie_id *ids, int capacity);
typedef struct toile_tie_info {
    toile_cloth_id cloths[2];
    int count;       /* springs */
    bool holds;      /* it has not let go */
    double mean_gap; /* m, between what they tie, at the end of the last step */
    double max_gap;
} toile_tie_info;
TOILE_API toile_tie_info toile_tie_get_info(const toile_world *world, toile_tie_id tie);
TOILE_API void toile_world_remove_tie(toile_world *world, toile_tie_id tie);

/* ---- bodies -------------------------------------------------------------------------------------
 */

typedef enum toile_shape_kind {
    TOILE_SHAPE_SPHERE,    /* center, radii[0] */
    TOILE_SHAPE_ELLIPSOID, /* center, radii, rotate */
    TOILE_SHAPE_CAPSULE,   /* a, b, radii[0] */
    TOILE_SHAPE_BOX,       /* center, half, rotate */
    TOILE_SHAPE_PLANE,     /* center is a point on it, normal points out of the solid half-space */
    TOILE_SHAPE_MESH,      /* mesh, center, rotate */
    TOILE_SHAPE_SKINNED,   /* mesh, skin, center, rotate: a mesh that hangs on joints */
    TOILE_SHAPE_DEFORMING, /* mesh, center, rotate: a mesh whose vertices the caller moves */
} toile_shape_kind;

/* A closed surface: every edge belongs to two triangles, which run around it in opposite
 * directions, counter-clockwise seen from outside. */
typedef struct toile_mesh_def {
    const float *positions; /* m, 3 a vertex, in the body's own frame */
    size_t vertices;
    const uint32_t *triangles; /* 3 a triangle */
    size_t triangle_count;     /* 2 to 4194304 */
} toile_mesh_def;

/* How a vertex hangs on several joints. */
typedef enum toile_skinning {
    TOILE_SKINNING_LINEAR,          /* by the mean of their matrices; the default */
    TOILE_SKINNING_DUAL_QUATERNION, /* by the mean of their motions, which keeps its volume where a
                                       limb is twisted or bent */
} toile_skinning;

/* What the vertices of a mesh hang on. */
typedef struct toile_skin_def {
    int joint_count;        /* 1 to 65535 */
    int influences;         /* joints of a vertex, at least 1 */
    const uint32_t *joints; /* influences a vertex; copied */
    const float *weights;   /* as many, 0 or more; of a vertex they sum to 1, within 1 %; copied */
    const float *matrices; /* 12 a joint, as toile_world_move_joints() has them, at the start; NULL:
                              the mesh starts as it is given */
    toile_skinning kind;
} toile_skin_def;

typedef struct toile_body_def {
    const char *name; /* copied; default "body" */
    toile_shape_kind shape;
    float center[3];     /* m, each -1e6 to 1e6 */
    float radii[3];      /* m, 1e-4 to 1e4 */
    float half[3];       /* m, half the edges, 1e-4 to 1e4 */
    float a[3], b[3];    /* m, each -1e6 to 1e6 */
    float normal[3];     /* any length but 0 */
    float rotate[3];     /* degrees about x, then y, then z */
    toile_mesh_def mesh; /* copied */
    bool open; /* SKINNED and DEFORMING: edges may belong to one triangle only. Such a body has an
                  inside near its surface alone; default off */
    toile_skin_def skin; /* SKINNED */
    float friction;   /* Coulomb, up to 10; used as sqrt(body * fabric). Negative, the default: the
                       * fabric's own
                       */
    float reflection; /* share of the normal velocity that is given back, 0 to 1; default 0 */
    const toile_keyframe *keyframes; /* copied */
    int keyframe_count;
} toile_body_def;

/* A pose: where the body's centre is and how it is turned from its definition. For capsules the
 * centre is the middle of a and b. */
typedef struct toile_pose {
    float position[3];
    float rotation[4]; /* unit quaternion x, y, z, w; includes the definition's rotate */
} toile_pose;

TOILE_API toile_body_def toile_default_body_def(void);
TOILE_API toile_body_id toile_world_add_body(toile_world *world, const toile_body_def *def);
TOILE_API void toile_world_remove_body(toile_world *world,
                                       toile_body_id body); /* and the pins on it */
TOILE_API int toile_world_get_bodies(const toile_world *world, toile_body_id *ids, int capacity);
/* The definition in force; name and keyframes are owned by the world. */
TOILE_API toile_body_def toile_body_get_def(const toile_world *world, toile_body_id body);
TOILE_API toile_pose toile_body_get_pose(const toile_world *world, toile_body_id body);
/* A pin that is inside a body which does not carry it, by more than 10 micrometres. It stays there:
 * the cloth around it is pushed out of the body, and stretched. */
typedef struct toile_trapped_pin {
    toile_pin_id pin;
    toile_body_id body; /* the one it is deepest in */
    float depth;        /* m, of its deepest texel */
} toile_trapped_pin;
/* Fills at most capacity of those there are now and returns how many there are. */
TOILE_API int toile_world_get_trapped_pins(const toile_world *world, toile_trapped_pin *out,
                                           int capacity);
/* The distance of a point from the surface of a body where it is now, in metres, negative inside;
 * of ellipsoids an estimate that is good near them. normal, which may be NULL, is the unit normal
 * of the surface there. */
TOILE_API float toile_body_get_distance(const toile_world *world, toile_body_id body,
                                        const float point[3], float normal[3]);

/* Where the body shall be at the end of the next step. Cloth feels the velocity that takes it
 * there. Replaces its keyframes. */
TOILE_API toile_result toile_world_move_body(toile_world *world, toile_body_id body,
                                             const toile_pose *pose);

/* Where the joints of a SKINNED body shall be at the end of the next step, in the body's own frame:
 * of each the rows of a 3 x 4 matrix that takes a vertex, as the mesh was given, to where the joint
 * has it then. count is the number of joints. Between the start and the end of a step vertices move
 * in straight lines; cloth feels their velocities. Numbers must be finite, and vertices stay within
 * 10 km. */
TOILE_API toile_result toile_world_move_joints(toile_world *world, toile_body_id body,
                                               const float *matrices, size_t count);
/* The same for the vertices of a DEFORMING body: 3 floats a vertex, in the body's own frame. */
TOILE_API toile_result toile_world_move_vertices(toile_world *world, toile_body_id body,
                                                 const float *positions, size_t count);
/* Where the vertices of a MESH, SKINNED or DEFORMING body are now, in the world: 3 floats a vertex;
 * count is the number of vertices. */
TOILE_API toile_result toile_body_get_vertices(const toile_world *world, toile_body_id body,
                                               float *out, size_t count);

/* ---- measuring ----------------------------------------------------------------------------------
 */

/* |length / rest - 1| over warp and weft edges; percentiles by rank. */
typedef struct toile_strain {
    double mean, p99, p999, max; /* of edges that the solver can move at one end at least */
    double pinned; /* largest of edges between two pinned texels: the motion of the pins */
} toile_strain;

/* A place in the world, at or in a body. */
typedef struct toile_place {
    toile_body_id body; /* null: there is none */
    double position[3]; /* m */
} toile_place;

/* What is pinned, or has a pinned corner, is left out everywhere. A point is inside a mesh by its
 * winding number, in whatever number of its parts it is; inside an open one, where it is below the
 * nearest surface. Boxes are measured as the meshes that they are. */
typedef struct toile_penetration {
    uint64_t count;     /* mesh vertices and triangle centres inside a body by more than 10
                           micrometres */
    double max_depth_m; /* from the deepest of these to the nearest surface; of bodies that are
                           round, from the deepest point of any triangle; 0 when none is inside */
    /* Of boxes and meshes, 0 for others: pairs of a cloth's triangle and a body's that cut each
     * other, the cloth's reaching more than 10 micrometres to both sides of the body's. Touching
     * does not count, nor does lying on a face. */
    uint64_t crossings;
    /* m, likewise: how far a body stands out of a cloth at most. Of a triangle of cloth and a body
     * it is the largest of
     *   - the distance of the triangle from a vertex of the body, or from a point of an edge that
     *     is convex, where the triangle is in the way from there straight into the body; less, in
     *     proportion, where it is nearer to other faces there than to those of the vertex or edge;
     *   - of the triangle's edges that have both ends outside and go through the body: how far the
     *     middle of what is inside would have to move sideways to be outside, at most the edge's
     *     length;
     *   - where the body comes out of the triangle's middle, how far the faces that are cut reach
     *     to both sides of it. */
    double crossing_depth_m;
    /* Mesh vertices that are pinched between two parts of a box or mesh: where parts overlap (the
     * winding number is 2 or more), or between two faces of opposite normals, both nearer than the
     * cloth's thickness, with less than that thickness between them. */
    uint64_t caught;
    toile_place deepest;  /* where max_depth_m is: in the cloth */
    toile_place farthest; /* where crossing_depth_m is: of the body or the cloth */
} toile_penetration;

typedef struct toile_metrics {
    toile_strain strain;
    toile_penetration penetration;
    uint64_t self_intersections;  /* pairs of mesh triangles that go through each other, or that lie
                                     in one plane over each other and share no vertex, of one cloth
                                     or of all together; touching does not count */
    uint64_t cloth_intersections; /* those of two cloths: counted for both, and once for all
                                     together; of one cloth that is measured alone, 0. Two triangles
                                     at ties that hold do not count in either */
    double kinetic_energy;        /* J, free texels */
    double elastic_energy;   /* J, springs as simulated (softened where the solver softened them); 0
                                before the first step */
    double potential_energy; /* J, in the field of gravity, zero at the origin */
    double momentum[3];      /* kg m/s, free texels */
    double lowest, highest;  /* m, along y; 0 without cloth */
    double area;             /* m^2, of the mesh */
} toile_metrics;

/* Measures one cloth, or with a null id all of them together. Like the next two, it allocates the
 * first time, takes the world's threads, with the same bits for any number of them, and gives
 * TOILE_ERROR_STOPPED when the stop handler asks for it. */
TOILE_API toile_result toile_world_measure(const toile_world *world, toile_cloth_id cloth,
                                           toile_metrics *out);

/* Parts of the metrics. All but the last cost a fraction of most steps. */
enum {
    TOILE_MEASURE_STRAIN = 1,
    TOILE_MEASURE_PENETRATION = 2,
    TOILE_MEASURE_INTERSECTIONS = 4,
    TOILE_MEASURE_ENERGY = 8, /* and momentum, lowest, highest, area */
    TOILE_MEASURE_ALL = 15
};
/* Measures these parts, the others being 0, of all cloths together and of each one, in the order of
 * toile_world_get_cloths. Both may be NULL; count is the number of cloths. */
TOILE_API toile_result toile_world_measure_cloths(const toile_world *world, unsigned what,
                                                  toile_metrics *all, toile_metrics *each,
                                                  int count);

/* The strain of one cloth alone. */
TOILE_API toile_result toile_cloth_get_strain(const toile_world *world, toile_cloth_id cloth,
                                              toile_strain *out);

/* The parts of a step, in the order of the report. */
typedef enum toile_stage {
    TOILE_STAGE_BODIES,
    TOILE_STAGE_FORCE,
    TOILE_STAGE_INTEGRATE,
    TOILE_STAGE_DETECT,
    TOILE_STAGE_LIMIT,
    TOILE_STAGE_RESPOND,
    TOILE_STAGE_MOVE,
    TOILE_STAGE_CHECK,
    TOILE_STAGE_COARSE,    /* bodies and the coarse mesh */
    TOILE_STAGE_RESTRICT,  /* multilevel: positions of coarse levels */
    TOILE_STAGE_SOLVE,     /* multilevel and implicit: the levels */
    TOILE_STAGE_SELF,      /* cloth and cloth */
    TOILE_STAGE_PEEL,      /* refine, as are the next: bodies into layers */
    TOILE_STAGE_SUBDIVIDE, /* new vertices */
    TOILE_STAGE_LAYERS,    /* how many are in front of a vertex */
    TOILE_STAGE_CORRECT,   /* vertices out of bodies, and parents after them */
    TOILE_STAGE_COUNT
} toile_stage;
TOILE_API const char *toile_stage_name(toile_stage stage);

typedef struct toile_profile {
    double stage_ms[TOILE_STAGE_COUNT]; /* of the last step, summed over substeps */
    double level_ms[TOILE_MAX_LEVELS];  /* the parts of TOILE_STAGE_SOLVE */
    double step_ms;
} toile_profile;
TOILE_API toile_profile toile_world_get_profile(const toile_world *world);

/* What the solver made of the fabric, valid after the first step. */
typedef struct toile_solver_info {
    int substeps;          /* of the last step */
    int levels;            /* of the hierarchy of grids, the most that a cloth has; else 0 */
    int iterations;        /* of the implicit solver in the last step, all substeps; else 0 */
    int gradients;         /* iterations of conjugate gradients in all of these, of the tied cloths
                              that took most in each substep; else 0 */
    bool converged;        /* its tolerance, or without one that of its quality, was reached in
                              every substep of the last step */
    double last_move;      /* m, how far the last iteration of any substep moved a texel at most */
    int asleep;            /* cloths that are, behind the last step */
    double stable_substep; /* s, longest stable substep at the stiffness used; infinite unless
                              mass-spring, as is the next */
    double true_substep;   /* s, longest stable substep at the fabric's own stiffness */
    double stretch_scale;  /* stiffness used / the fabric's, smallest over the cloths; 1 is true */
    double shear_scale;
    double bend_scale;
    double stretch_damping; /* s, smallest Kelvin-Voigt time used over the cloths */
    double bend_damping;
    uint64_t dropped_contacts; /* always 0: a texel may touch any number of bodies */
    uint64_t ambiguous_texels; /* MAPS: free texels at the end of the last step so deep between the
                                  surfaces of a body that no camera sees what is next to them; they
                                  do not collide with it */
    uint64_t inside_texels; /* CCD: free texels that were inside a mesh at the end of the last step
                               and are being brought out along the shortest way */
    uint64_t caught_texels; /* CCD: free texels between parts of a mesh that leave no room, as at an
                               armpit, at the end of the last step; they go with the mesh */
    bool untangling;        /* START_UNTANGLE: cloth may still go through cloth */
    uint64_t pierced;       /* START_UNTANGLE: edges of cloth that went through triangles at the end
                               of the last step; 0 from when there was none */
    double untangled;       /* s, when that was; 0: nothing was untangled, or not yet */
    uint64_t map_draws;     /* MAPS: how often a body that deforms was drawn, in all steps, and */
    uint64_t map_reuses;    /* how often it was not, since its images were those of an earlier
                               step */
    uint64_t refine_inside; /* REFINE: refined vertices that were inside a body, or too near to one,
                               in the last step */
    uint64_t refine_corrected; /* and how many of these were moved out of it */
    int refine_layers;         /* that were peeled */
    int threads;               /* of the last step */
    const char *device;        /* "cpu", "gl", "gl-fragment" */
    const char *simd;          /* "baseline", "avx2", "avx512", "none" */
} toile_solver_info;
TOILE_API toile_solver_info toile_world_get_solver_info(const toile_world *world);

/* ---- state --------------------------------------------------------------------------------------
 */

/* A hash of everything that changes while stepping. Equal states have equal hashes on every
 * machine. */
TOILE_API uint64_t toile_world_hash(const toile_world *world);

/* The whole state as bytes: a world made by the same calls that loads them goes on with the same
 * bits. save wants exactly toile_world_state_size() bytes. A refused load changes nothing. */
TOILE_API size_t toile_world_state_size(const toile_world *world);
TOILE_API toile_result toile_world_save_state(const toile_world *world, void *bytes, size_t size);
TOILE_API toile_result toile_world_load_state(toile_world *world, const void *bytes, size_t size);

/* ---- devices ------------------------------------------------------------------------------------
 */

typedef struct toile_device_info {
    const char *name;        /* "cpu", "gl", "gl-fragment", "null" */
    const char *description; /* "8 threads, avx2", or vendor, renderer and version; valid until the
                                next call in this thread */
    bool available;
    const char *reason; /* why not; "" when available */
} toile_device_info;
TOILE_API int toile_device_count(void);
TOILE_API toile_device_info toile_device_get_info(int index);

#ifdef __cplusplus
}
#endif

#endif
