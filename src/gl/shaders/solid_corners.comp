#version 430 core
/* The corners of faces at the end of the step, from its vertices there. */
#include "gl/shaders/solid_change.glsl"

void main() {
    int i = int(gl_GlobalInvocationID.x);
    if (i >= call.y) {
        return;
    }
    solid_block s = solid_of(call.x);
    int triangle = s.triangles + 3 * int(solids[s.numbers + i]);
    for (int k = 0; k < 3; k++) {
        set_solid_vector(s.end_corners + CORNERS_WORDS * i + 3 * k,
                         solid_vector(s.ends + 3 * int(solids[triangle + k])));
    }
}
