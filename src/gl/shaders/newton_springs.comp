#version 430 core
/* Directions and pulls of springs. */
#include "gl/shaders/newton_cloth.glsl"
#include "kernel/spring.h"

/* To the texel `to` away; one, other: the cells on both its sides. stiffer: beyond the limit. */
void keep_spring(int q, int k, int to, int one, int other, float rest, float longest,
                 float stiffness, float stiffer) {
    float weight = thread_weight(plane_at(PLANE_coverage, k + one),
                                 plane_at(PLANE_coverage, k + other));
    vec4 spring = newton_spring(level_at(LEVEL_x, k + to) - level_at(LEVEL_x, k), rest, longest,
                                weight * stiffness, weight * stiffer);
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
    float h = cloth.spacing, d = cloth.diagonal, u = cloth.stretch_u, v = cloth.stretch_v;
    keep_spring(SYSTEM_EAST, k, 1, 0, -up, h, cloth.longest, u, NEWTON_STIFFER * u);
    keep_spring(SYSTEM_NORTH, k, up, 0, -1, h, cloth.longest, v, NEWTON_STIFFER * v);
    keep_spring(SYSTEM_RISE, k, up + 1, 0, 0, d, d, cloth.shear, 0.0);
    keep_spring(SYSTEM_LEFT, k, up - 1, -1, -1, d, d, cloth.shear, 0.0);
}
