#version 430 core
/* Directions and pulls of springs. */
#include "gl/shaders/newton_cloth.glsl"
#include "kernel/link.h"

link_cloth fabric() {
    return link_cloth(cloth.spacing, cloth.diagonal, cloth.longest, cloth.stretch_u,
                      cloth.stretch_v, cloth.shear);
}

void keep_spring(int q, int k, int up) {
    vec4 spring = link_spring(link_of(q, fabric()),
                              level_at(LEVEL_x, k + link_to(q, up)) - level_at(LEVEL_x, k),
                              plane_at(PLANE_coverage, k + link_cell(q)),
                              plane_at(PLANE_coverage, k + link_other_cell(q, up)));
    set_vector(EQ_springs + 4 * q, k, spring.xyz);
    set_equation(EQ_springs + 4 * q + 3, k, spring.w);
}

void main() {
    int k = enter(), up = cloth.grid.stride;
    if (!is_there() || rests()) {
        return;
    }
    if (parts[call.z + PART_COUPLED] != 0.0 || parts[call.z + PART_REPELS] != 0.0) {
        set_vector(EQ_result, k, level_at(LEVEL_x, k)); /* for couplings, and texels that repel */
    }
    for (int q = 0; q < SYSTEM_LINKS; q++) {
        keep_spring(q, k, up);
    }
}
