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

/* What is summed: work, kinetic energy without touched texels and with them, and how many these
 * are; and of loose cloth thrust, inertia and forces that are left. */
struct work_sums {
    vec4 work, thrust, left;
};

const work_sums NOTHING = work_sums(vec4(0.0), vec4(0.0), vec4(0.0));

shared vec4 parts[THREADS];
shared bool last;

/* In an order that does not depend on anything. Only the first thread gets the sum. */
vec4 sum_vectors(vec4 part) {
    int at = int(gl_LocalInvocationIndex);
    barrier();
    parts[at] = part;
    for (int step = THREADS / 2; step > 0; step /= 2) {
        barrier();
        if (at < step) {
            parts[at] += parts[at + step];
        }
    }
    return parts[at];
}

work_sums sum_group(work_sums part) {
    part.work = sum_vectors(part.work);
    if (cloth.pinned == 0) {
        part.thrust = sum_vectors(part.thrust);
        part.left = sum_vectors(part.left);
    }
    return part;
}

/* On a touched texel: with friction, and along the surface alone; across it, it is kept as how hard
 * the body presses. */
vec3 left_at(int k) {
    vec3 r = force_at(k).force;
    if (is_touched(k)) {
        vec3 n = cycle_at(CYCLE_nx, k);
        vec3 slid = along_surface(gone_at(k), n);
        r += grip_friction(cycle_at(CYCLE_fx, k), slid, matrix_at(MATRIX_inertia, k),
                           cycle_plane_at(CYCLE_most, k));
        set_cycle_plane(CYCLE_press, k, -v3_dot(r, n));
        r = along_surface(r, n);
    }
    return r;
}

work_sums work_at(int k) {
    vec3 way = level_at(LEVEL_x, k) - state_at(PLANE_x, k), left = left_at(k);
    float inertia = takes_part(k) ? matrix_at(MATRIX_inertia, k) : 0.0;
    vec3 thrust = inertia_force(way, inertia);
    vec3 any = inertia_force(way, matrix_at(MATRIX_inertia, k));
    return work_sums(vec4(v3_dot(left, way), 0.5 * v3_dot(thrust, way), 0.5 * v3_dot(any, way),
                          is_touched(k) ? 1.0 : 0.0),
                     vec4(thrust, inertia), vec4(left, 0.0));
}

/* Groups leave their sums one after the other in planes whose forces are of no use any more: where
 * there are texels, for what is around them must stay zero. */
int place_of(int at) {
    return index_of(level.grid, at % level.grid.columns, at / level.grid.columns);
}

void leave_vector(int plane, int group, vec4 sum) {
    for (int i = 0; i < 4; i++) {
        set_cycle_plane(plane, place_of(4 * group + i), sum[i]);
    }
}

vec4 left_vector(int plane, int group) {
    vec4 sum;
    for (int i = 0; i < 4; i++) {
        sum[i] = cycle_plane_at(plane, place_of(4 * group + i));
    }
    return sum;
}

/* Says in every thread whether this is the last group to end. */
bool leave_sums(work_sums sum, int groups) {
    if (gl_LocalInvocationIndex == 0u) {
        int group = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
        leave_vector(CYCLE_rx, group, sum.work);
        leave_vector(CYCLE_ry, group, sum.thrust);
        leave_vector(CYCLE_rz, group, sum.left);
        memoryBarrierBuffer();
        last = atomicAdd(marks[cloth.mark].groups, 1) == groups - 1;
        memoryBarrierBuffer();
    }
    barrier();
    return last;
}

work_sums sum_all(int groups) {
    work_sums part = NOTHING;
    for (int i = int(gl_LocalInvocationIndex); i < groups; i += THREADS) {
        part.work += left_vector(CYCLE_rx, i);
        part.thrust += left_vector(CYCLE_ry, i);
        part.left += left_vector(CYCLE_rz, i);
    }
    return sum_group(part);
}

/* What is to be done about the work at the end of the substep; does it ask for no other iteration?
 */
bool look_at_work(work_sums sum) {
    bool touched = sum.work.w > 0.0;
    vec3 way = trust_way(sum.thrust.xyz, sum.thrust.w, cloth.pinned == 0 && !touched);
    float work = trust_work(sum.work.x, sum.left.xyz, way);
    float kinetic = trust_kinetic(sum.work.y, sum.thrust.xyz, way);
    float trust = trust_of(work, kinetic, cloth.slow, cloth.substep, touched);
    vec3 drift = trust_drift(way, trust, cloth.substep);
    marks[cloth.mark].share = touched ? trust_share(work, sum.work.z, cloth.slow) : 1.0;
    marks[cloth.mark].trust = trust;
    marks[cloth.mark].drift_x = drift.x;
    marks[cloth.mark].drift_y = drift.y;
    marks[cloth.mark].drift_z = drift.z;
    return touched || trust_enough(work, kinetic, cloth.slow, cloth.substep);
}

/* Does the cloth need another iteration? */
void settle(work_sums sum) {
    mark_block m = marks[cloth.mark];
    float moved = intBitsToFloat(m.moved);
    bool little = moved <= cloth.little_move;
    bool enough = look_at_work(sum) && little;
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
    bool own = is_in(level.grid, texel) && plane_at(PLANE_inverse_mass, k) > 0.0;
    work_sums part = NOTHING;
    if (own) {
        part = work_at(k);
    }
    part = sum_group(part);
    if (leave_sums(part, groups)) {
        part = sum_all(groups);
        if (gl_LocalInvocationIndex == 0u) {
            settle(part);
        }
    }
}
