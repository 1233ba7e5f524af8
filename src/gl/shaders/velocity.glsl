/* The velocity of a texel from the position that constraints or the solver have left. */
#ifndef TOILE_GL_VELOCITY
#define TOILE_GL_VELOCITY

#include "kernel/integrate.h"

vec3 velocity_to(vec3 end, vec3 x, vec3 v) {
    float time = cloth.substep, rate = 1.0 / time;
    return vec3(integrate_arrival(v.x, x.x, end.x, time, rate),
                integrate_arrival(v.y, x.y, end.y, time, rate),
                integrate_arrival(v.z, x.z, end.z, time, rate));
}

vec3 arrival_velocity(int k, vec3 x, vec3 v) {
    return velocity_to(level_at(LEVEL_x, k), x, v);
}

#endif
