#version 430 core
/* Pinned texels get the velocity of their pin. One that is away from it, having been put somewhere
 * else, gets there by the end of the step. In double precision, as on the CPU: the difference of two
 * places over a short substep is a velocity. */
#include "gl/shaders/texel.glsl"

layout(local_size_x = GROUP_LINE) in;

layout(std430, binding = BIND_TABLE) restrict readonly buffer pinned_buffer {
    pinned_block pinned[];
};
/* A pin at a substep: where it is at the start and at the end, each a position, three columns,
 * and the time in the step. */
layout(std430, binding = BIND_MOMENTS) restrict readonly buffer pose_buffer { double poses[]; };
uniform ivec4 call; /* substeps from this one on, in x */

dvec3 column_of(int pose, int column) {
    int at = 13 * pose + 3 * column;
    return dvec3(poses[at], poses[at + 1], poses[at + 2]);
}

dvec3 place_of(int pose, pinned_block p) {
    double time = poses[13 * pose + 12];
    dvec3 a = dvec3(p.x, p.y, p.z) + dvec3(p.way_x, p.way_y, p.way_z) * time;
    return column_of(pose, 0) + (column_of(pose, 1) * a.x + column_of(pose, 2) * a.y +
                                 column_of(pose, 3) * a.z);
}

void main() {
    int t = int(gl_GlobalInvocationID.x);
    if (t >= cloth.pinned) {
        return;
    }
    pinned_block p = pinned[t];
    int pose = 2 * (substep * cloth.pin_count + p.pin);
    dvec3 from = place_of(pose, p), to = place_of(pose + 1, p);
    dvec3 away = from - dvec3(state_at(PLANE_x, p.at));
    dvec3 velocity = (to - from + away / double(call.x)) / double(cloth.moment);
    set_state(PLANE_vx, p.at, vec3(velocity));
}
