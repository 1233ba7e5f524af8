/* The matrix of a level times what load_move has. */
#ifndef TOILE_GL_NEWTON_PRODUCT
#define TOILE_GL_NEWTON_PRODUCT

vec3 product_at(int k) {
    int up = panel.stride;
    vec3 bent = system_bending(k, up) * panel.bend;
    if (call.w > 0) {
        return bent + system_coarse_row(k) + system_coarse_up(k, up) + system_coarse_down(k, up);
    }
    vec3 pressed = block_times(block_at(EQ_contact, k), load_move(k));
    return bent + system_yarns(k, up) + system_diagonals(k, up) + pressed;
}

#endif
