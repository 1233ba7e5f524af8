#version 430 core
/* The vertices of a skinned mesh at the end of the step: the driver of kernel/skin.h. */
#include "gl/shaders/solid_change.glsl"
#include "kernel/skin.h"

/* Of all skinned meshes, one behind the other: vertices as the mesh was given, their joints, their
 * weights, and what the joints do in this step. call.z: where those of this one begin; call.w: the
 * joints of a vertex, less than 0 where they are dual quaternions. */
layout(std430, binding = BIND_TABLE) restrict readonly buffer skin_buffer { uint skins[]; };

vec4 skin_vector(int at) {
    return uintBitsToFloat(uvec4(skins[at], skins[at + 1], skins[at + 2], skins[at + 3]));
}

skin_rows rows_at(int at) {
    return skin_rows(skin_vector(at), skin_vector(at + 4), skin_vector(at + 8));
}

skin_motion motion_at(int at) {
    return skin_motion(skin_vector(at), skin_vector(at + 4));
}

vec3 skin_linear(vec3 p, int joints, int weights, int numbers, int influences) {
    skin_rows sum = skin_rows_zero();
    for (int i = 0; i < influences; i++) {
        int joint = numbers + SKIN_ROWS_WORDS * int(skins[joints + i]);
        sum = skin_rows_add(sum, uintBitsToFloat(skins[weights + i]), rows_at(joint));
    }
    return skin_rows_apply(sum, p);
}

vec3 skin_dual(vec3 p, int joints, int weights, int numbers, int influences) {
    skin_motion motion = skin_motion_zero();
    skin_rows stretch = skin_rows_zero();
    vec4 first = skin_vector(numbers + SKIN_JOINT_WORDS * int(skins[joints]));
    for (int i = 0; i < influences; i++) {
        int joint = numbers + SKIN_JOINT_WORDS * int(skins[joints + i]);
        float weight = uintBitsToFloat(skins[weights + i]);
        motion = skin_motion_add(motion, first, weight, motion_at(joint));
        stretch = skin_rows_add(stretch, weight, rows_at(joint + 8));
    }
    return skin_joint_apply(motion, stretch, p);
}

void main() {
    int i = int(gl_GlobalInvocationID.x), vertices = call.y, influences = abs(call.w);
    if (i >= vertices) {
        return;
    }
    int joints = call.z + 3 * vertices + influences * i, weights = joints + influences * vertices;
    int numbers = call.z + 3 * vertices + 2 * influences * vertices, at = call.z + 3 * i;
    vec3 p = uintBitsToFloat(uvec3(skins[at], skins[at + 1], skins[at + 2]));
    vec3 place = call.w > 0 ? skin_linear(p, joints, weights, numbers, influences)
                            : skin_dual(p, joints, weights, numbers, influences);
    set_solid_vector(solid_of(call.x).ends + 3 * i, place);
}
