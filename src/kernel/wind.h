/* Wind on a triangle: pressure drag along the relative wind and lift across it. */
#ifndef TOILE_KERNEL_WIND_H
#define TOILE_KERNEL_WIND_H

#include "kernel/vec.h"

/* Force of air that moves with `wind` relative to a triangle with corners a, b, c. drag and lift
 * are the coefficients times half the air's density.
 *
 * With area A, unit normal n turned to the lee side and angle t between n and the wind w:
 *     drag = A cos(t) |w| w,   lift = A cos(t) |w|^2 (n - cos(t) w/|w|),
 * so that a triangle edge-on feels nothing and one that faces the wind only drag. */
KERNEL_FN v3 wind_force(v3 a, v3 b, v3 c, v3 wind, float drag, float lift) {
    v3 area = v3_scale(v3_cross(v3_sub(b, a), v3_sub(c, a)), 0.5f);
    float inverse_area = v3_inverse_length(area);
    float inverse_speed = v3_inverse_length(wind);
    float speed = v3_dot(wind, wind) * inverse_speed;
    float through = v3_dot(area, wind); /* +- A cos(t) |w| */
    float flow = k_abs(through);
    float cosine = flow * inverse_area * inverse_speed;
    v3 lee = v3_scale(area, k_select(through < 0.0f, -inverse_area, inverse_area));
    v3 across = v3_sub(v3_scale(lee, speed), v3_scale(wind, cosine));
    return v3_scale(v3_add(v3_scale(wind, drag), v3_scale(across, lift)), flow);
}

/* In a substep air cannot give a mass more than its own velocity: without this, light cloth in
 * dense air would be thrown beyond it, and back, ever faster. */
KERNEL_FN v3 wind_limit(v3 force, v3 wind, float mass, float time_step) {
    float most = mass * k_sqrt(v3_dot(wind, wind));
    float impulse = k_sqrt(v3_dot(force, force)) * time_step;
    return v3_scale(force, k_select(impulse > most, most / k_max(impulse, KERNEL_TINY), 1.0f));
}

#endif
