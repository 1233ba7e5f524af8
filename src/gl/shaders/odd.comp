#version 430 core
/* Upsampling for texels that the usual weights do not fit. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/other.glsl"

layout(local_size_x = GROUP_LINE) in;

/* Where they are listed, and how many: numbers of the coarser level. z: as x of upsample.comp. */
uniform ivec4 call;

void main() {
    int o = int(gl_GlobalInvocationID.x);
    if (o >= call.y) {
        return;
    }
    int at = call.x + ODD_WORDS * o, k = int(table[at]), wide = level.coarser.size;
    vec3 sum = vec3(0.0);
    float push = level_plane_at(LEVEL_push, k);
    for (int n = 0; n < 4; n++) {
        int c = int(table[at + 1 + n]);
        float weight = uintBitsToFloat(table[at + 5 + n]);
        for (int axis = 0; axis < 3; axis++) {
            sum[axis] += weight * (other[(LEVEL_x + axis) * wide + c] -
                                   other[(LEVEL_bx + axis) * wide + c]);
        }
        push += weight * other[LEVEL_push * wide + c];
    }
    set_level(call.z != 0 ? LEVEL_qx : LEVEL_x, k, level_at(LEVEL_x, k) + sum);
    set_level_plane(LEVEL_push, k, push);
}
