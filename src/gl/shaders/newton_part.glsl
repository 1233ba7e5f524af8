/* The coarsest level of a part, which a work group has. Its factor is W with W' W the inverse of
 * the matrix, n numbers a row. */
#ifndef TOILE_GL_NEWTON_PART
#define TOILE_GL_NEWTON_PART

#include "gl/shaders/newton_coupled.glsl"

layout(local_size_x = PART_THREADS) in;

layout(std430, binding = BIND_COARSER) FACTOR_MEMORY restrict buffer factor_buffer {
    float factors[];
};

/* Returns whether there is something to do. */
bool enter_part() {
    panel = panels[call.y + panels[int(gl_WorkGroupID.x)].lead];
    enter_level();
    return panel.last != 0 && !rests();
}

/* The panel of an unknown; three unknowns a texel, those of one panel after the other. */
system_block panel_of(int i) {
    system_block own = panel;
    while (own.next >= 0 && i >= panels[call.y + own.next].unknown) {
        own = panels[call.y + own.next];
    }
    return own;
}

ivec2 texel_of(system_block own, int i) {
    int t = (i - own.unknown) / 3;
    return ivec2(t % own.columns, t / own.columns);
}

int place_of_unknown(int i) {
    system_block own = panel_of(i);
    ivec2 texel = texel_of(own, i);
    return own.first + texel.y * own.stride + texel.x;
}

#endif
