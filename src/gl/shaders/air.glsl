/* Wind on a cell, cut along both diagonals, as in cpu/wind.c. */
#ifndef TOILE_GL_AIR
#define TOILE_GL_AIR

#include "kernel/wind.h"

/* The shader's own: positions and velocities. */
vec3 x_at(PLACE k);
vec3 v_at(PLACE k);

vec3 corner_force(vec3 a, vec3 b, vec3 c, vec3 wind) {
    return 0.5 * wind_force(a, b, c, wind, cloth.drag, cloth.lift);
}

vec3 cell_force(PLACE k, PLACE up, vec3 wind) {
    vec3 x00 = x_at(k), x10 = x_at(k + RIGHT);
    vec3 x01 = x_at(k + up), x11 = x_at(k + RIGHT + up);
    vec3 sum = (v_at(k) + v_at(k + RIGHT + up)) + (v_at(k + RIGHT) + v_at(k + up));
    vec3 relative = v3_madd(wind, sum, -0.25);
    vec3 rising = corner_force(x00, x10, x11, relative) + corner_force(x11, x01, x00, relative);
    vec3 falling = corner_force(x10, x11, x01, relative) + corner_force(x01, x00, x10, relative);
    return wind_limit(rising + falling, relative, cloth.cell_mass, cloth.substep);
}

#endif
