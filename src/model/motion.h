/* Motion that is known beforehand: keyframes. */
#ifndef TOILE_MODEL_MOTION_H
#define TOILE_MODEL_MOTION_H

#include "model/rotation.h"
#include "toile/toile.h"

typedef struct motion {
    toile_keyframe *keyframes;
    int count; /* 0: stands still */
} motion;

/* Copies and checks keyframes: finite, times rising. */
toile_result motion_create(motion *m, const toile_keyframe *keyframes, int count);
void motion_free(motion *m);

/* The pose at a time, relative to the definition. */
pose motion_at(const motion *m, double time);

#endif
