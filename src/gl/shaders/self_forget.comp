#version 430 core
/* Second order: how velocities have changed is forgotten where texels met: blows do not go on. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/self.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

layout(std430, binding = BIND_CHANGE) restrict writeonly buffer implicit_buffer {
    float implicit[];
};
layout(std430, binding = BIND_MASK) restrict readonly buffer meet_buffer { uint meets[]; };

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (is_in(cloth.grid, texel) && meets[number_of(texel)] > 0u) {
        for (int axis = 0; axis < 3; axis++) {
            implicit[(IMPLICIT_change_x + axis) * cloth.grid.size +
                     index_of(cloth.grid, texel.x, texel.y)] = 0.0;
        }
    }
}
