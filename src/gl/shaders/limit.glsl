/* The elongation limit as a Jacobi pass: a texel gathers the corrections of its four threads. */
#ifndef TOILE_GL_LIMIT
#define TOILE_GL_LIMIT

#include "kernel/limit.h"
#include "kernel/spring.h"

/* The shader's own: positions, velocities, inverse masses, and the cells' coverage. */
vec3 x_at(PLACE k);
vec3 v_at(PLACE k);
float inverse_mass_at(PLACE k);
float coverage_at(PLACE k);

vec3 correction_from(PLACE k, PLACE to, float weight, bool rates) {
    vec3 d = x_at(k + to) - x_at(k);
    vec3 rate = v_at(k + to) - v_at(k);
    float own = weight > 0.0 ? inverse_mass_at(k) : 0.0;
    float there = inverse_mass_at(k + to);
    return rates ? limit_rate_correction(d, rate, cloth.longest, own, there)
                 : limit_correction(d, rate, cloth.longest, cloth.substep, own, there);
}

/* The velocity of a texel whose threads keep their lengths or, with rates, do not become longer. */
vec3 limited_at(PLACE k, PLACE up, bool rates) {
    float own = coverage_at(k), west = coverage_at(k - RIGHT);
    float south = coverage_at(k - up), corner = coverage_at(k - RIGHT - up);
    vec3 along_u = correction_from(k, -RIGHT, thread_weight(west, corner), rates) +
                   correction_from(k, RIGHT, thread_weight(own, south), rates);
    vec3 along_v = correction_from(k, -up, thread_weight(south, corner), rates) +
                   correction_from(k, up, thread_weight(own, west), rates);
    return v3_madd(v_at(k), along_u + along_v, LIMIT_RELAXATION);
}

#endif
