/* The safety grid: scraps of every fabric, from a centimetre to metres, with long and short steps,
 * that swing, fall and are hit. None may gain energy, nor be stretched far beyond its limit. What
 * decides is the largest figure of all frames. */
#ifndef TOILE_BENCH_SAFETY_H
#define TOILE_BENCH_SAFETY_H

#include <stdbool.h>

#include "toile/toile.h"

enum { SAFETY_TEXELS = 17, SAFETY_SPACINGS = 5, SAFETY_STEPS = 3 };
extern const float safety_spacings[SAFETY_SPACINGS], safety_steps[SAFETY_STEPS]; /* m, s */

/* Sizes are those of the cloth, a square. Blows come at the speed of a fall from one size. */
typedef enum safety_scene {
    SAFETY_CORNER,  /* swings by a corner, level at first */
    SAFETY_CORNERS, /* by two */
    SAFETY_BALL,    /* falls, level, on a ball of 5/16 of its size that lies on a floor */
    SAFETY_BESIDE,  /* a tenth of its size beside the middle of the ball */
    SAFETY_ASIDE,   /* three tenths */
    SAFETY_FLOOR,   /* falls on its edge, a little tilted */
    SAFETY_WALL,    /* is thrown against a wall, and falls to the floor */
    SAFETY_STRUCK,  /* hangs by two corners, and a ball goes through it to and fro */
    SAFETY_SCENES,
} safety_scene;

typedef struct safety_def {
    int fabric;      /* as toile_fabric_name() counts them */
    float spacing;   /* m; of SAFETY_TEXELS along an edge */
    float time_step; /* s */
    safety_scene scene;
    int frames;
    toile_solver_def solver;
} safety_def;

typedef struct safety_result {
    double gain;       /* of energy above that of the start, in parts of weight times size */
    double motion;     /* the same without the energy of springs and bending; no fault */
    double rise;       /* above the least energy before; no fault: what contact and yarns beyond
                          their limit hold for a moment is not in it, and comes back */
    double elongation; /* of a yarn: 0.05 is 5 % */
    double shortening; /* likewise; no fault */
    double reach;      /* of a texel from where the middle of the cloth was, in sizes */
    int stopped;       /* the frame whose step failed, by its numbers; 0: none */
} safety_result;

/* The runs of the grid have numbers from 0 on. Without air, which would hide a gain. */
int safety_count(void);
safety_def safety_get(int number);
const char *safety_scene_name(safety_scene scene); /* "corner" */

/* The same run with iterations until nothing moves by more than 0.1 um. */
safety_def safety_converged(const safety_def *def);

toile_result safety_run(const safety_def *def, safety_result *out);

/* What may be wrong with a run. */
typedef enum safety_fault {
    SAFETY_STOPPED,
    SAFETY_GAINED,    /* energy, more than 0.05; not where a body moves, which gives some */
    SAFETY_STRETCHED, /* beyond the larger of 5 % and three times the fabric's limit */
    SAFETY_THROWN,    /* by a body that moves: farther than its pins let it go */
    SAFETY_FAULTS,
} safety_fault;
const char *safety_fault_name(safety_fault fault); /* "stopped" */

/* Rises by as much as it must not gain. */
bool safety_rises(const safety_def *def, const safety_result *r);

/* How much of it there is, in parts of what is allowed: above 1 the run has the fault. */
double safety_amount(const safety_def *def, const safety_result *r, safety_fault fault);

/* The run has the fault, and the converged one has less of it, by more than a tenth. */
bool safety_has_own(const safety_def *def, const safety_result *r, const safety_result *converged,
                    safety_fault fault);

#endif
