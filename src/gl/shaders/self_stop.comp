#version 430 core
/* Takes from velocities what leads to partners: the start of the substep is moved, by which the
 * velocity is told, and not its end. */
#include "gl/shaders/self_contact.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void visit(int partner, float keep, int cloth_b) {
    near_pair p;
    if (is_near_pair(partner, keep, p)) {
        float stop = self_stop(p.before, p.after, p.direction, p.depth);
        float friction = k_sqrt(cloths[cloth.mark].friction * cloths[cloth_b].friction);
        float press = self_press(p.before, p.after, p.direction, keep);
        vec3 slide = self_friction(p.before, p.after, p.direction, stop + press, friction);
        way = v3_madd(way, v3_madd(slide, p.direction, stop), p.part);
    }
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (gather_way(texel)) {
        int k = index_of(cloth.grid, texel.x, texel.y);
        set_state(PLANE_x, k, state_at(PLANE_x, k) - way);
    }
}
