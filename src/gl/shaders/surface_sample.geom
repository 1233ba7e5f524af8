#version 430 core
/* A triangle of the coarse mesh as it is, and a border along each outer edge of it (S2): between
 * the edge and where it is shifted to. The border's corners are those of Schmitt 2013 figure 5. */
#include "kernel/prelude.glsl"
#include "kernel/mapping.h"
#include "gl/shaders/raster.glsl"

layout(triangles_adjacency) in;
layout(triangle_strip, max_vertices = 15) out;

in corner_block {
    vec2 place;
    flat int number;
} corner[];

/* Texels read it by its number. With all of a triangle handed on with each corner, drawing took
 * half as long again. */
flat out int triangle;

void emit(vec2 place) {
    triangle = gl_PrimitiveIDIn;
    gl_Position = raster_position(place);
    EmitVertex();
}

/* At the index between two corners stands the first of them again where there is no triangle beyond
 * their edge. */
bool is_outer(int edge) {
    return corner[2 * edge + 1].number == corner[2 * edge].number;
}

void main() {
    vec2 origin = corner[0].place;
    vec3 lines[3];
    for (int k = 0; k < 3; k++) {
        vec2 a = corner[2 * k].place - origin, b = corner[(2 * k + 2) % 6].place - origin;
        lines[k] = line_through(a.x, a.y, b.x, b.y);
        if (is_outer(k)) {
            lines[k] = line_shift_by_cell(lines[k], raster.z);
        }
        emit(corner[2 * k].place);
    }
    EndPrimitive();
    for (int k = 0; k < 3; k++) {
        if (is_outer(k)) {
            emit(corner[2 * k].place);
            emit(origin + line_meet(lines[k], lines[(k + 2) % 3]).xy);
            emit(corner[(2 * k + 2) % 6].place);
            emit(origin + line_meet(lines[k], lines[(k + 1) % 3]).xy);
            EndPrimitive();
        }
    }
}
