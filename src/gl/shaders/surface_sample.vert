#version 430 core
/* A vertex of the coarse mesh, where it lies in its panel (S1). */
layout(location = 0) in vec2 place_in; /* m */
layout(location = 1) in vec3 first_in;
layout(location = 2) in vec3 second_in;

out corner_block {
    vec2 place;
    vec3 first, second;
    flat int number;
} corner;

void main() {
    corner.place = place_in;
    corner.first = first_in;
    corner.second = second_in;
    corner.number = gl_VertexID;
}
