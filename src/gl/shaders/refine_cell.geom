#version 430 core
/* A cell of the level above, where it lies in the geometry image of the new level. */
layout(lines_adjacency) in;
layout(triangle_strip, max_vertices = 4) out;

in corner_block {
    flat vec3 position;
    flat int mark;
    flat int number;
} corner[];

uniform ivec2 size; /* of the new level */

flat out vec3 corner_a, corner_b, corner_c, corner_d;
flat out ivec4 corner_marks;
flat out ivec2 cell;

void main() {
    int above = (size.x + 1) / 2;
    ivec2 at = ivec2(corner[0].number % above, corner[0].number / above);
    ivec2 begin = 2 * at;
    /* Two pixels each way; three where there is no next cell. */
    ivec2 end = begin + 2 + ivec2(equal(begin + 3, size));
    for (int k = 0; k < 4; k++) {
        ivec2 place = ivec2((k & 1) == 1 ? end.x : begin.x, (k & 2) == 2 ? end.y : begin.y);
        corner_a = corner[0].position;
        corner_b = corner[1].position;
        corner_c = corner[2].position;
        corner_d = corner[3].position;
        corner_marks = ivec4(corner[0].mark, corner[1].mark, corner[2].mark, corner[3].mark);
        cell = at;
        gl_Position = vec4(2.0 * vec2(place) / vec2(size) - 1.0, 0.0, 1.0);
        EmitVertex();
    }
    EndPrimitive();
}
