#version 430 core
/* What keeps texels away from their partners, for the solve. */
#include "gl/shaders/self_contact.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void visit(int partner, float keep, int cloth_b) {
    near_pair p;
    if (is_near_pair(partner, keep, p)) {
        way = v3_madd(way, p.direction, p.part * self_repulsion(p.depth));
    }
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (gather_way(texel)) {
        int k = index_of(cloth.grid, texel.x, texel.y);
        set_state(PLANE_vx, k, state_at(PLANE_vx, k) + way * (1.0 / cloth.substep));
    }
}
