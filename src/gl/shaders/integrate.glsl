/* A velocity after a share of the substep. */
#ifndef TOILE_GL_INTEGRATE
#define TOILE_GL_INTEGRATE

#include "kernel/integrate.h"

vec3 integrated(vec3 v, vec3 a, float share) {
    float time = cloth.substep * share, drag = integrate_drag(cloth.viscosity, time);
    float keep = cloth.persistence;
    return vec3(integrate_velocity(v.x, a.x, keep, time, drag),
                integrate_velocity(v.y, a.y, keep, time, drag),
                integrate_velocity(v.z, a.z, keep, time, drag));
}

#endif
