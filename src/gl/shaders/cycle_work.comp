#version 430 core
/* The work of the forces that an iteration has left, as in cpu/work.c, and whether the cloth needs
 * another one. */
#define CYCLE_MEMORY coherent restrict /* sums of groups */
#include "gl/shaders/cycle.glsl"
#define FORCE_FROM LEVEL_x
#include "gl/shaders/forces.glsl"
#include "gl/shaders/trust.glsl"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

/* x: iterations done with this one, y: it may be the last one, z: ITERATION_ and what it is. */
uniform ivec4 call;

const int THREADS = UP_COLUMNS * UP_ROWS;

/* Of threads: work and kinetic energy. */
shared vec2 sums[THREADS];
shared bool last;

/* In an order that does not depend on anything. Only the first thread gets the sum. */
vec2 sum_group(vec2 part) {
    int at = int(gl_LocalInvocationIndex);
    sums[at] = part;
    for (int step = THREADS / 2; step > 0; step /= 2) {
        barrier();
        if (at < step) {
            sums[at] += sums[at + step];
        }
    }
    return sums[at];
}

vec2 work_at(int k) {
    vec3 way = level_at(LEVEL_x, k) - state_at(PLANE_x, k);
    vec3 inert = inertia_force(way, matrix_at(MATRIX_inertia, k));
    return vec2(v3_dot(force_at(k).force, way), 0.5 * v3_dot(inert, way));
}

/* Groups leave their sums one after the other in planes whose forces are of no use any more: where
 * there are texels, for what is around them must stay zero. */
int place_of(int group) {
    return index_of(level.grid, group % level.grid.columns, group / level.grid.columns);
}

/* Says in every thread whether this is the last group to end. */
bool leave_sum(vec2 sum, int groups) {
    if (gl_LocalInvocationIndex == 0u) {
        int k = place_of(int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x));
        set_cycle_plane(CYCLE_rx, k, sum.x);
        set_cycle_plane(CYCLE_ry, k, sum.y);
        memoryBarrierBuffer();
        last = atomicAdd(marks[cloth.mark].groups, 1) == groups - 1;
        memoryBarrierBuffer();
    }
    barrier();
    return last;
}

vec2 sum_all(int groups) {
    vec2 part = vec2(0.0);
    for (int i = int(gl_LocalInvocationIndex); i < groups; i += THREADS) {
        int k = place_of(i);
        part += vec2(cycle_plane_at(CYCLE_rx, k), cycle_plane_at(CYCLE_ry, k));
    }
    return sum_group(part);
}

/* Does the cloth need another iteration? */
void settle(float work, float kinetic) {
    mark_block m = marks[cloth.mark];
    float moved = intBitsToFloat(m.moved);
    bool little = moved <= cloth.little_move;
    bool enough = little && trust_enough(work, kinetic, cloth.slow, cloth.substep);
    marks[cloth.mark].trust = trust_of(work, kinetic, cloth.substep);
    marks[cloth.mark].moved = 0;
    marks[cloth.mark].groups = 0;
    marks[cloth.mark].wanted = max(m.wanted, call.x);
    if (call.z == ITERATION_LAST || (call.y != 0 && enough)) {
        marks[cloth.mark].settled = 1;
        marks[cloth.mark].iterations = m.iterations + call.x;
        marks[cloth.mark].restless = little ? m.restless : 1;
        marks[cloth.mark].last_move = moved;
    } else if (call.z == ITERATION_SHORT) {
        marks[cloth.mark].hurried = 1;
    }
}

void main() {
    if (is_settled()) {
        return;
    }
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    int groups = int(gl_NumWorkGroups.x * gl_NumWorkGroups.y);
    bool own = is_in(level.grid, texel) && takes_part(k);
    vec2 sum = sum_group(own ? work_at(k) : vec2(0.0));
    if (leave_sum(sum, groups)) {
        sum = sum_all(groups);
        if (gl_LocalInvocationIndex == 0u) {
            settle(sum.x, sum.y);
        }
    }
}
