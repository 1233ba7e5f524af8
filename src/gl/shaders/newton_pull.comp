#version 430 core
/* What couplings of a level sum up: a row a thread. */
#define COUPLED_MOVE(row, k, texel) moved_in(row, k, texel)
#define COUPLED_AIM(row) aim_of(row)
#include "gl/shaders/newton_tile.glsl"
#include "gl/shaders/newton_aims.glsl"
vec3 moved_in(int row, int k, int texel);
vec3 aim_of(int row);
#include "gl/shaders/newton_coupled.glsl"
#include "gl/shaders/newton_gain.glsl"

layout(local_size_x = GROUP_LINE) in;

/* x: PULL_, z: with places the first aim, else the first panel of the coarser level */

vec3 moved_in(int row, int k, int texel) {
    if (call.x != PULL_GAINED) {
        return vector_at(coupled_plane, texel);
    }
    return with_gain_in(row_panel(row, k), texel);
}

vec3 aim_of(int row) {
    return call.x == PULL_PLACES ? aim_place(call.z + row) : vec3(0.0);
}

void main() {
    int row = int(gl_GlobalInvocationID.x);
    if (row >= coupled_at(COUPLED_ROWS)) {
        return;
    }
    panel = panels[call.y + row_word(row, ROW_PANELS)];
    enter_level();
    coupled_plane = call.x == PULL_PLACES      ? EQ_place
                    : call.x == PULL_DIRECTION ? EQ_direction
                                               : EQ_guess;
    if (call.x != PULL_GAINED || panel.last == 0) {
        keep_pull(row);
    }
}
