#version 430 core
/* A vertex of the new level (section 6.3). */
#include "kernel/prelude.glsl"
#include "kernel/refine.h"

flat in vec3 corner_a, corner_b, corner_c, corner_d;
flat in ivec4 corner_marks;
flat in ivec2 cell;

layout(location = 0) out vec4 position;
layout(location = 1) out int mark;

void main() {
    ivec2 in_cell = ivec2(gl_FragCoord.xy) - 2 * cell;
    vec3 p = refine_interpolate(corner_a, corner_b, corner_c, corner_d, 0.5 * float(in_cell.x),
                                0.5 * float(in_cell.y));
    bool old = in_cell.x != 1 && in_cell.y != 1;
    position = vec4(p, 1.0);
    mark = old ? corner_marks[in_cell.x / 2 + in_cell.y / 2 * 2] : 0;
}
