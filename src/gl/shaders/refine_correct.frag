#version 430 core
/* Judges and corrects the vertices of a level (sections 6.5 and 6.6). */
#include "gl/shaders/refine_correct.glsl"

layout(location = 0) out vec4 position;
layout(location = 1) out int mark;

void main() {
    vertex v = correct(ivec2(gl_FragCoord.xy));
    position = vec4(v.position, 1.0);
    mark = v.mark;
}
