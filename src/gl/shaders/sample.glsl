/* What bodies have changed on the coarse mesh, into texels. Who includes this says how it gets there.
 */
#include "gl/shaders/level.glsl"
#include "gl/shaders/marks.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

/* from: 0, the way of the mesh at a texel; 3, its change of velocity. */
vec3 sample_at(ivec2 texel, int from);

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(cloth.grid, texel.x, texel.y);
    if (!is_in(cloth.grid, texel) || marks[cloth.mark].touched != stamp ||
        !(plane_at(PLANE_inverse_mass, k) > 0.0)) {
        return;
    }
    vec3 way = sample_at(texel, 0), kick = sample_at(texel, 3);
    int arrival = level.bend_taken > 0.0 ? LEVEL_qx : LEVEL_x;
    set_state(PLANE_x, k, state_at(PLANE_x, k) + way);
    set_state(PLANE_vx, k, state_at(PLANE_vx, k) + kick);
    set_level(arrival, k, level_at(arrival, k) + v3_madd(way, kick, cloth.substep));
}
