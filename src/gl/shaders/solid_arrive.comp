#version 430 core
/* A step is over: the end of a mesh is the start of the next one. call: vertices, triangles, nodes.
 */
#include "gl/shaders/solid_change.glsl"
#include "kernel/triangle.h"

void main() {
    int i = int(gl_GlobalInvocationID.x);
    solid_block s = solid_of(call.x);
    if (i < call.y) {
        set_solid_vector(s.starts + 3 * i, solid_vector(s.ends + 3 * i));
    }
    if (i < call.z) {
        int from = s.end_corners + CORNERS_WORDS * i, to = s.faces + FACE_WORDS * i;
        vec3 a = solid_vector(from), b = solid_vector(from + 3), c = solid_vector(from + 6);
        set_solid_vector(to, a);
        set_solid_vector(to + 3, b);
        set_solid_vector(to + 6, c);
        set_solid_vector(to + 9, triangle_normal(a, b, c));
    }
    for (int k = 0; k < BOXES_WORDS && i < call.w; k++) {
        solids[s.nodes + NODE_WORDS * i + k] = solids[s.end_boxes + BOXES_WORDS * i + k];
    }
}
