/* The end of a substep with at most one body, which concerns each texel by itself: velocity,
 * response and move. */
#ifndef TOILE_GL_FINISH
#define TOILE_GL_FINISH

#include "gl/shaders/respond.glsl"
#include "gl/shaders/velocity.glsl"

/* end: where constraints have left the texel. */
void finish_texel(int k, vec3 end, bool responds) {
    vec3 x = state_at(PLANE_x, k), v = state_at(PLANE_vx, k);
    if (plane_at(PLANE_inverse_mass, k) > 0.0) {
        v = velocity_to(end, x, v);
        if (responds) {
            respond(k, 0, x, v);
        }
        set_state(PLANE_vx, k, v);
    }
    set_state(PLANE_x, k, v3_madd(x, v, cloth.substep));
}

#endif
