/* The acceleration of a texel by springs, bending, wind and gravity, gathered from its twelve
 * neighbours. Sums run in mirrored pairs, as in cpu/spring.c. */
#ifndef TOILE_GL_SPRINGS
#define TOILE_GL_SPRINGS

#include "gl/shaders/bending.glsl"

/* The shader's own, beside those of bending.glsl: positions, velocities, inverse masses, and wind
 * on the cells. */
vec3 x_at(PLACE k);
vec3 v_at(PLACE k);
float inverse_mass_at(PLACE k);
vec3 air_at(PLACE k);

vec3 bent_at(PLACE k) {
    return v3_madd(x_at(k), v_at(k), cloth.bend_retardation);
}

vec3 spring_to(PLACE k, PLACE to, vec3 here, vec3 here_v, float rest, float stiffness) {
    vec3 d = x_at(k + to) - here;
    vec3 rate = v_at(k + to) - here_v;
    return spring_force(d, rate, rest, stiffness, cloth.stretch_retardation);
}

vec3 springs_at(PLACE k, PLACE up, thread_weights wu, thread_weights wv) {
    vec3 x = x_at(k), v = v_at(k);
    float h = cloth.spacing, g = cloth.diagonal;
    float ku = cloth.stretch_u, kv = cloth.stretch_v, ks = cloth.shear;
    vec3 along_u = spring_to(k, -RIGHT, x, v, h, ku * wu.before) +
                   spring_to(k, RIGHT, x, v, h, ku * wu.after);
    vec3 along_v = spring_to(k, -up, x, v, h, kv * wv.before) +
                   spring_to(k, up, x, v, h, kv * wv.after);
    vec3 rising = spring_to(k, RIGHT + up, x, v, g, ks * coverage_at(k)) +
                  spring_to(k, -RIGHT - up, x, v, g, ks * coverage_at(k - RIGHT - up));
    vec3 falling = spring_to(k, up - RIGHT, x, v, g, ks * coverage_at(k - RIGHT)) +
                   spring_to(k, RIGHT - up, x, v, g, ks * coverage_at(k - up));
    return (along_u + along_v) + (rising + falling);
}

vec3 wind_at(PLACE k, PLACE up) {
    return (air_at(k) + air_at(k - RIGHT - up)) + (air_at(k - RIGHT) + air_at(k - up));
}

vec3 acceleration_at(PLACE k, PLACE up, thread_weights wu, thread_weights wv) {
    vec3 force = springs_at(k, up, wu, wv) - bending_at(k, up, wu, wv) * cloth.bend;
    if (cloth.windy != 0) {
        force = v3_madd(force, wind_at(k, up), 0.25);
    }
    vec3 gravity = vec3(cloth.gravity_x, cloth.gravity_y, cloth.gravity_z);
    return v3_madd(gravity, force, inverse_mass_at(k));
}

/* How long the threads to the right and up are, over their rest length; 0 where there is none. */
float stretch_at(PLACE k, PLACE up, float weight_u, float weight_v) {
    vec3 here = x_at(k);
    vec3 right = x_at(k + RIGHT) - here, above = x_at(k + up) - here;
    float u = weight_u > 0.0 ? v3_dot(right, right) : 0.0;
    float v = weight_v > 0.0 ? v3_dot(above, above) : 0.0;
    return k_sqrt(k_max(u, v)) / cloth.spacing;
}

#endif
