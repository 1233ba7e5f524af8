#version 430 core
/* Does the cloth need another iteration? Those of the next ones return at once if not. */
#include "gl/shaders/cycle.glsl"

layout(local_size_x = 1) in;

uniform ivec4 call; /* x: iterations done, y: the least, z: the most */

void main() {
    mark_block m = marks[cloth.mark];
    if (m.settled != 0) {
        return;
    }
    bool little = intBitsToFloat(m.moved) <= cloth.little_move;
    if (call.x >= call.z || (call.x >= call.y && little)) {
        marks[cloth.mark].settled = 1;
        marks[cloth.mark].iterations = m.iterations + call.x;
        marks[cloth.mark].restless = little ? m.restless : 1;
        marks[cloth.mark].last_move = intBitsToFloat(m.moved);
    }
    marks[cloth.mark].moved = 0;
}
