#version 430 core
/* A corner of a body's triangle. */
#include "gl/shaders/refine_peel.glsl"

layout(binding = REFINE_UNIT_TRIANGLES) uniform usamplerBuffer triangles;
layout(binding = REFINE_UNIT_END) uniform samplerBuffer ends;

void main() {
    int number = gl_VertexID / 3;
    uvec3 corners = texelFetch(triangles, number).xyz;
    emit_corner(number, texelFetch(ends, int(corners[gl_VertexID % 3])).xyz);
}
