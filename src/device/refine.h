/* Refinement of a coarse cloth (Wang 2005 chapter 6), as a device offers it. The formulas are those
 * of kernel/refine.h.
 *
 * Per step: the coarse grid as its own step left it and the bodies at both ends of the step go in;
 * the finest grid, what is known of each of its vertices, and times come out when asked for. */
#ifndef TOILE_DEVICE_REFINE_H
#define TOILE_DEVICE_REFINE_H

#include <stdint.h>

#include "kernel/refine.h"
#include "toile/toile.h"

enum {
    REFINE_MOST_LEVELS = 5,
    REFINE_MOST_VIEWS = 13,
    REFINE_MOST_LAYERS = 32,
    REFINE_CASES = 10,
    REFINE_CLOTH_LAYERS = 4, /* of the cloth itself, that are peeled */
};

typedef enum refine_correction {
    REFINE_LEAVE,   /* none: vertices are only judged */
    REFINE_IMAGE,   /* along the view */
    REFINE_OBJECT,  /* to the nearest surface */
    REFINE_HISTORY, /* to the side where it was */
} refine_correction;

/* What says inside: kernel/refine.h. */
typedef enum refine_rule { REFINE_PARITY, REFINE_WINDING } refine_rule;

/* When peeling stops, at the latest after `layers`. */
typedef enum refine_stop {
    REFINE_STOP_QUERY, /* when nothing more was drawn; the GPU is asked after each layer */
    REFINE_STOP_LATE,  /* one layer after the last that something was drawn in the step before: the
                          answers of that step are there by now, and nothing waits */
    REFINE_STOP_FIXED, /* after `layers` */
} refine_stop;

typedef struct refine_options {
    int levels;     /* 1 to REFINE_MOST_LEVELS */
    int layers;     /* that are peeled at most; 1: "without depth peeling" of Figure 7.4 (b), where
                       all that is behind a surface counts as inside; 0: subdivision only */
    int resolution; /* pixels along a side of a peel image, 8 to 8192 */
    int directions; /* 0: the view of the camera; else that many views, 1 to REFINE_MOST_VIEWS: the
                       axes, the diagonals of a cube, the diagonals of its faces */
    bool any; /* a vertex that one view holds inside is corrected, not only one that most do */
    refine_rule rule;
    refine_correction correction;
    refine_stop stop;
    float thickness;     /* m, that corrected vertices keep from surfaces; REFINE_OBJECT and
                            REFINE_HISTORY: what is nearer is corrected as well */
    bool visible_only;   /* W11, section 6.7: peels two layers, and corrects no vertex behind them.
                            Needs the camera's view. */
    bool filter_objects; /* bodies whose box does not meet that of the cloth are neither peeled nor
                            searched */
    bool one_pass;       /* detection and the next subdivision in one pass; same result */
    bool move_parents;   /* old vertices follow children that stretch their springs */
    float stretch;       /* of springs, that they allow, as a share */
    bool forces;         /* new vertices feel springs and gravity */
    int iterations;      /* of their springs */
    float damping;       /* share of their velocity that is lost per second */
    bool cloth;          /* vertices keep their order against other parts of the cloth */
} refine_options;

refine_options refine_default_options(void);

/* A closed triangle mesh. Closed is not checked: parity is wrong where it is not (Figure 7.5). */
typedef struct refine_object {
    size_t vertices;
    const uint32_t *triangles; /* 3 a triangle, counter-clockwise from outside */
    size_t triangle_count;
} refine_object;

typedef struct refine_def {
    int columns, rows;            /* of the coarse grid, 2 or more */
    float spacing[2];             /* m, at rest, between columns and rows of the coarse grid */
    const uint8_t *held;          /* a vertex of the coarse grid: not 0 when nothing may move it; or
                                     NULL */
    const refine_object *objects; /* the object list of section 6.5 */
    size_t object_count;
    refine_options options;
} refine_def;

typedef struct refine_camera {
    v3 eye, forward, up;
    float tangents[2]; /* of half the angle of view, across and up */
    float begin, end; /* m along the view, begin > 0. What is before begin counts with its depth. */
} refine_camera;

typedef struct refine_step {
    float *coarse;             /* m, 3 a vertex, row by row. REFINE_OBJECT and REFINE_HISTORY bring
                                  those that are inside a body, and not held, out of it */
    const float *const *start; /* m, an object: its vertices at the start of the step; or NULL:
                                  they rest */
    const float *const *end;   /* at its end */
    const refine_camera *camera; /* with directions = 0 */
    float time_step;             /* s */
    v3 gravity;                  /* m/s^2 */
} refine_step;

typedef enum refine_pass {
    REFINE_PASS_UPLOAD,
    REFINE_PASS_PEEL,
    REFINE_PASS_SUBDIVIDE,
    REFINE_PASS_FORCES,
    REFINE_PASS_CLOTH,
    REFINE_PASS_LAYERS,
    REFINE_PASS_CORRECT,
    REFINE_PASS_PARENTS,
    REFINE_PASS_COUNT
} refine_pass;

extern const char *const refine_pass_names[REFINE_PASS_COUNT];

/* Of a level; the first is that of the coarse grid, where nothing is new. */
typedef struct refine_count {
    int vertices; /* new ones */
    int inside, corrected, moved, reordered, unseen;
    int cases[REFINE_CASES]; /* by REFINE_A1 and the others */
} refine_count;

/* What may be asked for after a step. Arrays are the caller's, or NULL. */
typedef struct refine_result {
    float *positions;                            /* m, 3 a vertex of the finest grid, row by row */
    float *before;                               /* the same in the step before; 0: not known */
    int32_t *marks;                              /* REFINE_INSIDE and the others */
    refine_count counts[REFINE_MOST_LEVELS + 1]; /* when there are marks */
    double times[REFINE_PASS_COUNT];             /* ms */
    int layers;                                  /* that were peeled */
    int objects;                                 /* that were kept by the filter */
} refine_result;

typedef struct refiner refiner; /* of a cloth, on a device */

typedef struct refine_driver {
    const char *name;
    toile_result (*open)(refiner **out, const refine_def *def);
    void (*close)(refiner *r); /* NULL is fine */
    /* Allocates nothing after the first one. */
    toile_result (*step)(refiner *r, const refine_step *step);
    /* Waits for the device. */
    toile_result (*read)(refiner *r, refine_result *out);
    /* Where the finest grid was at the last two steps, for history and forces: to go on with a
     * saved state. NULL: not known. */
    toile_result (*set_history)(refiner *r, const float *last, const float *before);
} refine_driver;

/* m along a view: what is nearer to a surface counts as inside. */
static inline float refine_near(const refine_options *o) {
    return o->correction >= REFINE_OBJECT ? REFINE_ASKEW * o->thickness : 0.0f;
}

/* n columns or rows, halved so many times. */
static inline int refine_size(int coarse, int times) {
    return (coarse - 1) * (1 << times) + 1;
}

/* The level, from 0, at which a vertex of the finest grid of so many levels was made. */
int refine_level_of(int column, int row, int levels);

/* Says what is wrong with a definition, or with a step for it. */
toile_result refine_check_def(const refine_def *def);
toile_result refine_check_step(const refine_def *def, const refine_step *step);

/* Counts of finest marks. */
void refine_count_marks(const refine_def *def, const int32_t *marks, refine_count *counts);

#endif
