#version 430 core
/* Upsampling for texels that the usual weights do not fit. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/upsample.glsl"

layout(local_size_x = GROUP_LINE) in;

/* Where they are listed, and how many: numbers of the coarser level. z: beside. */
uniform ivec4 call;

void main() {
    int o = int(gl_GlobalInvocationID.x);
    if (o < call.y) {
        upsample_odd(call.x + ODD_WORDS * o, call.z != 0);
    }
}
