#version 430 core
/* The elongation limit as Jacobi passes: every texel gathers the corrections of its four threads. A
 * cloth of which no thread is near its limit is left alone. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/marks.glsl"
#include "kernel/limit.h"
#include "kernel/spring.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

/* The planes that velocities are read from and written to, and 1 to limit rates, 0 lengths. */
uniform ivec4 call;

vec3 correction_from(int k, int to, float weight) {
    vec3 d = state_at(PLANE_x, k + to) - state_at(PLANE_x, k);
    vec3 rate = state_at(call.x, k + to) - state_at(call.x, k);
    float own = weight > 0.0 ? plane_at(PLANE_inverse_mass, k) : 0.0;
    float there = plane_at(PLANE_inverse_mass, k + to);
    return call.z != 0 ? limit_rate_correction(d, rate, cloth.longest, own, there)
                       : limit_correction(d, rate, cloth.longest, cloth.substep, own, there);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel) || marks[cloth.mark].stretched != stamp) {
        return;
    }
    int up = cloth.grid.stride, k = index_of(cloth.grid, texel.x, texel.y);
    float own = plane_at(PLANE_coverage, k), west = plane_at(PLANE_coverage, k - 1);
    float south = plane_at(PLANE_coverage, k - up), corner = plane_at(PLANE_coverage, k - 1 - up);
    vec3 along_u = correction_from(k, -1, thread_weight(west, corner)) +
                   correction_from(k, 1, thread_weight(own, south));
    vec3 along_v = correction_from(k, -up, thread_weight(south, corner)) +
                   correction_from(k, up, thread_weight(own, west));
    set_state(call.y, k, v3_madd(state_at(call.x, k), along_u + along_v, LIMIT_RELAXATION));
}
