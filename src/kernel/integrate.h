/* Velocities from accelerations and from positions, and what a step must not leave. */
#ifndef TOILE_KERNEL_INTEGRATE_H
#define TOILE_KERNEL_INTEGRATE_H

#include "kernel/vec.h"

/* Beyond these a step has failed: 1000 km, 100 km/s. */
#define INTEGRATE_FARTHEST 1e6f
#define INTEGRATE_FASTEST  1e5f

/* Share of the velocity that viscous air leaves; implicit, so never unstable. */
KERNEL_FN float integrate_drag(float viscosity, float time) {
    return 1.0f / (1.0f + viscosity * time);
}

/* A velocity after a time with the acceleration a, of which `keep` was kept before. */
KERNEL_FN float integrate_velocity(float v, float a, float keep, float time, float drag) {
    return (v * keep + a * time) * drag;
}

/* A velocity without springs or constraints: damped as in Wang eq. (5.1), and with what gravity and
 * wind add in a substep. */
KERNEL_FN float integrate_free(float v, float keep, float pull, float push) {
    return v * keep + (pull + push);
}

/* v = (end - x) / substep, as the change of what was predicted: the difference of two positions has
 * lost digits, and free fall would go wrong by millimetres in a second. rate: 1 / substep. */
KERNEL_FN float integrate_arrival(float v, float x, float end, float substep, float rate) {
    float changed = (end - (x + v * substep)) * rate;
    return v + changed;
}

/* So written that a position or velocity that is no number counts. */
KERNEL_FN bool integrate_failed(v3 x, v3 v) {
    float far = k_abs(x.x) + k_abs(x.y) + k_abs(x.z);
    float fast = k_abs(v.x) + k_abs(v.y) + k_abs(v.z);
    bool near = far < INTEGRATE_FARTHEST;
    bool slow = fast < INTEGRATE_FASTEST;
    return !(near && slow);
}

#endif
