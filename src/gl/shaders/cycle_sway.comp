#version 430 core
/* Forces along the normals of the cloth, the matrix of moves along them, and its first sweep, as in
 * cpu/sway.c. */
#include "gl/shaders/sway.glsl"
#define FORCE_FROM LEVEL_qx
#include "gl/shaders/forces.glsl"
#include "gl/shaders/grip.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

/* What a spring does to a texel, and ties it to. */
struct sway_tie {
    vec3 force;
    float coupling, ground, turn;
};

sway_tie both_of(sway_tie a, sway_tie b) {
    return sway_tie(a.force + b.force, a.coupling + b.coupling, a.ground + b.ground,
                    a.turn + b.turn);
}

/* bound: the thread has a limit there. */
sway_tie tie_to(int k, int to, float rest, float stiffness, bool bound) {
    vec3 d = level_at(FORCE_FROM, k + to) - level_at(FORCE_FROM, k);
    float inverse = 1.0 / k_sqrt(v3_dot(d, d) + KERNEL_TINY);
    float excess = spring_excess(rest, inverse), pull = stiffness * excess;
    float along = stiffness, across = spring_across(excess, stiffness);
    if (bound) {
        float both = k_min(matrix_at(MATRIX_bound, k), matrix_at(MATRIX_bound, k + to));
        float stiffer = stiffness * both, beyond = stiffer * bound_excess(cloth.longest, inverse);
        pull += beyond;
        along += bound_stiffness(stiffer, excess, rest, cloth.longest);
        across += beyond;
    }
    vec3 n = cycle_at(CYCLE_sx, k), m = cycle_at(CYCLE_sx, k + to);
    float here = v3_dot(d, n) * inverse, there = v3_dot(d, m) * inverse, same = v3_dot(n, m);
    return sway_tie(d * pull, sway_coupling(along, across, here, there, same),
                    sway_ground(along, across, here, there, same),
                    sway_turn(along, across, here, there, same));
}

/* A thread, which bends too. */
sway_tie thread_to(int k, int to, float stiffness, float weight, bool bound) {
    sway_tie tie = tie_to(k, to, cloth.spacing, stiffness * weight, bound);
    tie.coupling += SWAY_BEND * cloth.bend * (1.0 + cloth.bend_lag) * weight;
    return tie;
}

sway_tie diagonal_to(int k, int to, int cell) {
    return tie_to(k, to, cloth.diagonal, cloth.shear * coverage_at(cell), false);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y), up = level.grid.stride;
    if (!is_in(level.grid, texel) || is_settled()) {
        return;
    }
    thread_weights wu = weights_along(k, 1, up), wv = weights_along(k, up, 1);
    bool bound = matrix_at(MATRIX_bound, k) > 0.0;
    sway_tie west = thread_to(k, -1, cloth.stretch_u, wu.before, bound);
    sway_tie east = thread_to(k, 1, cloth.stretch_u, wu.after, bound);
    sway_tie south = thread_to(k, -up, cloth.stretch_v, wv.before, bound);
    sway_tie north = thread_to(k, up, cloth.stretch_v, wv.after, bound);
    sway_tie rise = diagonal_to(k, 1 + up, k), sink = diagonal_to(k, -1 - up, k - 1 - up);
    sway_tie left = diagonal_to(k, up - 1, k - 1), right = diagonal_to(k, 1 - up, k - up);
    sway_tie all = both_of(both_of(both_of(west, east), both_of(south, north)),
                           both_of(both_of(rise, sink), both_of(left, right)));
    vec3 r = grip_at(k, level_at(LEVEL_qx, k), balance_at(k, up, wu, wv, all.force));
    float inertia = matrix_at(MATRIX_inertia, k), ground = inertia + all.ground;
    float whole = cloth.cell_mass / (cloth.substep * cloth.substep);
    float diagonal = ground + all.coupling;
    bool touches = cycle_plane_at(CYCLE_gap, k) < FAR_AWAY;
    bool is_whole = inertia > SWAY_LEAST * whole, moves = is_whole && !touches;
    vec3 n = cycle_at(CYCLE_sx, k), a = cycle_at(CYCLE_ax, k);
    vec3 slides = touches ? along_surface(r, cycle_at(CYCLE_nx, k)) : r;
    set_cycle_plane(CYCLE_ua, k, is_whole ? v3_dot(slides, a) : 0.0);
    set_cycle_plane(CYCLE_ub, k, is_whole ? v3_dot(slides, v3_cross(n, a)) : 0.0);
    float stop = sway_stop(matrix_at(MATRIX_inverse, k), v3_dot(n, cycle_at(CYCLE_nx, k)));
    set_cycle_plane(CYCLE_ug, k, all.turn + (touches ? stop : 0.0));
    float force = moves ? v3_dot(r, n) : 0.0;
    float inverse = moves ? 1.0 / k_max(diagonal, KERNEL_TINY) : 0.0;
    set_cycle_plane(SWAY_FORCE, k, force);
    set_cycle_plane(SWAY_GROUND, k, moves ? ground : diagonal);
    set_cycle_plane(SWAY_INVERSE, k, inverse);
    set_cycle_plane(SWAY_WAY, k, SWAY_FIRST * inverse * force);
    set_cycle_plane(SWAY_EAST, k, east.coupling);
    set_cycle_plane(SWAY_NORTH, k, north.coupling);
    set_cycle_plane(SWAY_RISING, k, rise.coupling);
    set_cycle_plane(SWAY_FALLING, k - 1, left.coupling); /* of the cell to the left */
    if (texel.x + 1 == level.grid.columns) {
        set_cycle_plane(SWAY_FALLING, k, 0.0);
    }
}
