#version 430 core
/* Where velocities lead, and velocities without springs; see cpu/implicit.c. */
#include "gl/shaders/implicit.glsl"
#include "gl/shaders/predict.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel)) {
        return;
    }
    vec3 v = state_at(PLANE_vx, k);
    bool free = plane_at(PLANE_inverse_mass, k) > 0.0;
    vec3 way = (free ? v * cloth.persistence : v) * cloth.substep;
    set_level(LEVEL_x, k, state_at(PLANE_x, k) + way);
    set_state(PLANE_vx, k, predicted_velocity(k));
}
