#version 430 core
/* Directions and pulls of springs. */
#include "gl/shaders/newton_tile.glsl"
#include "kernel/link.h"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

link_cloth fabric() {
    return link_cloth(panel.spacing, panel.diagonal, panel.longest, panel.stretch_u,
                      panel.stretch_v, panel.shear);
}

void keep_spring(int q, int k) {
    vec4 spring =
        link_spring(link_of(q, fabric()),
                    vector_at(EQ_place, k + link_to(q, panel.stride)) - vector_at(EQ_place, k),
                    equation_at(EQ_cover, k + link_cell(q)),
                    equation_at(EQ_cover, k + link_other_cell(q, panel.stride)));
    set_vector(EQ_springs + 4 * q, k, spring.xyz);
    set_equation(EQ_springs + 4 * q + 3, k, spring.w);
}

void main() {
    enter_tile();
    if (is_settled() || !is_there(own_texel())) {
        return;
    }
    for (int q = 0; q < SYSTEM_LINKS; q++) {
        keep_spring(q, place_of(own_texel()));
    }
}
