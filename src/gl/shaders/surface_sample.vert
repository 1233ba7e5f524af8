#version 430 core
/* A vertex of the coarse mesh, where it lies in its panel (S1). */
layout(location = 0) in vec2 place_in; /* m */

out corner_block {
    vec2 place;
    flat int number;
} corner;

void main() {
    corner.place = place_in;
    corner.number = gl_VertexID;
}
