#version 430 core
/* A vertex of the coarse cloth, as the CPU sends it (section 6.3, first pass). */
layout(location = 0) in vec3 place;
layout(location = 1) in int known;

out corner_block {
    flat vec3 position;
    flat int mark;
    flat int number;
} corner;

void main() {
    corner.position = place;
    corner.mark = known;
    corner.number = gl_VertexID;
}
