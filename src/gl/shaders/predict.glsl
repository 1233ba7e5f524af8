/* Velocities without springs or constraints: damped, and with gravity and wind. */
#ifndef TOILE_GL_PREDICT
#define TOILE_GL_PREDICT

#include "kernel/integrate.h"

float predict(float v, float gravity, float wind, float inverse_mass) {
    float push = 0.25 * cloth.substep * wind * inverse_mass;
    return integrate_free(v, cloth.persistence, gravity * cloth.substep, push);
}

vec3 wind_at(int k, int up) {
    return (state_at(PLANE_sx, k) + state_at(PLANE_sx, k - 1 - up)) +
           (state_at(PLANE_sx, k - 1) + state_at(PLANE_sx, k - up));
}

vec3 predicted_velocity(int k) {
    float inverse_mass = plane_at(PLANE_inverse_mass, k);
    vec3 v = state_at(PLANE_vx, k);
    if (!(inverse_mass > 0.0)) {
        return v;
    }
    vec3 wind = cloth.windy != 0 ? wind_at(k, cloth.grid.stride) : vec3(0.0);
    return vec3(predict(v.x, cloth.gravity_x, wind.x, inverse_mass),
                predict(v.y, cloth.gravity_y, wind.y, inverse_mass),
                predict(v.z, cloth.gravity_z, wind.z, inverse_mass));
}

#endif
