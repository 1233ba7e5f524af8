/* What passes of the implicit solver over the texels of a cloth begin with: its planes. */
#ifndef TOILE_GL_IMPLICIT
#define TOILE_GL_IMPLICIT

#include "gl/shaders/level.glsl"
#include "gl/shaders/marks.glsl"

layout(std430, binding = BIND_TABLE) restrict buffer implicit_buffer { float implicit[]; };

/* The first of CLEAR_: what bodies do to texels is in planes of the equations. */
const int IMPLICIT_CLEAR = IMPLICIT_nx;

float implicit_plane_at(int plane, int k) {
    return implicit[plane * level.grid.size + k];
}

void set_implicit_plane(int plane, int k, float value) {
    implicit[plane * level.grid.size + k] = value;
}

vec3 implicit_at(int plane, int k) {
    return vec3(implicit_plane_at(plane, k), implicit_plane_at(plane + 1, k),
                implicit_plane_at(plane + 2, k));
}

void set_implicit(int plane, int k, vec3 value) {
    set_implicit_plane(plane, k, value.x);
    set_implicit_plane(plane + 1, k, value.y);
    set_implicit_plane(plane + 2, k, value.z);
}

#endif
