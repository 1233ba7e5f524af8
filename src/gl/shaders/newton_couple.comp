#version 430 core
/* The force of couplings on touched texels of the finest level, and what they add to the blocks
 * that these are moved by, into planes that are free until NEWTON_FORCES takes them from there. */
#include "gl/shaders/newton_coupled.glsl"

layout(local_size_x = GROUP_LINE) in;

void main() {
    int touched = int(gl_GlobalInvocationID.x);
    if (touched >= coupled_at(COUPLED_TOUCHED)) {
        return;
    }
    panel = panels[touched_word(touched, TOUCHED_PANEL)];
    enter_level();
    if (!rests()) {
        int k = touched_word(touched, TOUCHED_TEXEL);
        set_vector(EQ_guess, k, gather_touched(touched));
        set_block(EQ_direction, k, own_touched(touched));
    }
}
