/* The coarsest level of a panel, which a work group has. Its factor is W with W' W the inverse of
 * the matrix, n numbers a row. */
#ifndef TOILE_GL_NEWTON_PANEL
#define TOILE_GL_NEWTON_PANEL

#include "gl/shaders/newton_tile.glsl"

layout(local_size_x = PANEL_THREADS) in;

layout(std430, binding = BIND_COARSER) restrict buffer factor_buffer { float factors[]; };

/* Returns whether there is something to do. */
bool enter_panel() {
    tile.panel = int(gl_WorkGroupID.x);
    panel = panels[call.y + tile.panel];
    enter_level();
    return panel.last != 0 && !rests();
}

/* Of an unknown; three a texel. */
int place_of_unknown(int i) {
    return place_of(ivec2(i / 3 % panel.columns, i / 3 / panel.columns));
}

#endif
