#version 430 core
/* The boxes of nodes at the end of the step, from the leaves up: a node's height is how many nodes
 * there are below it at most. One work group, which waits for each height. */
#include "gl/shaders/solid_change.glsl"

void fit(solid_block s, int node) {
    for (int child = 0; child < 2; child++) {
        int first = int(solids[node * NODE_WORDS + s.nodes + 12 + child]);
        int count = int(solids[node * NODE_WORDS + s.nodes + 14 + child]);
        int below = s.end_boxes + BOXES_WORDS * first, corners = s.end_corners + CORNERS_WORDS * first;
        vec3 low, high;
        if (count == 0) {
            low = v3_min(solid_vector(below), solid_vector(below + 3));
            high = v3_max(solid_vector(below + 6), solid_vector(below + 9));
        } else {
            low = high = solid_vector(corners);
            for (int k = 1; k < 3 * count; k++) {
                vec3 corner = solid_vector(corners + 3 * k);
                low = v3_min(low, corner);
                high = v3_max(high, corner);
            }
        }
        int at = s.end_boxes + BOXES_WORDS * node + 3 * child;
        set_solid_vector(at, low);
        set_solid_vector(at + 6, high);
    }
}

void main() {
    solid_block s = solid_of(call.x);
    int heights = int(solids[s.heights]), nodes = s.heights + 2 + heights;
    for (int height = 0; height < heights; height++) {
        int begin = int(solids[s.heights + 1 + height]), end = int(solids[s.heights + 2 + height]);
        for (int i = begin + int(gl_LocalInvocationID.x); i < end; i += GROUP_LINE) {
            fit(s, int(solids[nodes + i]));
        }
        memoryBarrierBuffer();
        barrier();
    }
}
