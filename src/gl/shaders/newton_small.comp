#version 430 core
/* A cycle from the first level on that is small enough for one work group: down to the coarsest
 * level of a panel that nothing is tied to, the solution there, and up again, a texel a thread.
 * What is multiplied stays in shared memory, where each level has two texels of nothing around it;
 * matrices are read from where they are. Level 0 is the first one here, and the last one, of which
 * no matrix is needed, is SMALL_LEVELS - 1 at most. In CUDA, on an H200, all of it takes 7 us. */
#define PLACE             ivec2
#define EQUATION_PLACE(k) (k).y
#define EQUATION(i)       (level == 0 ? equations[i] : lower[i])

#include "gl/blocks.h"

layout(std430, binding = BIND_COARSER) restrict readonly buffer lower_buffer { float lower[]; };

int level;

#include "gl/shaders/newton_tile.glsl"
#include "gl/shaders/newton_system.glsl"
#include "kernel/cycle.h"

layout(local_size_x = SMALL_THREADS) in;

layout(std430, binding = BIND_FACTORS) restrict readonly buffer factor_buffer { float factors[]; };

#define SOLUTION_UNKNOWNS SHARED_UNKNOWNS
#include "gl/shaders/newton_solution.glsl"

/* Guess or result, force, and what the guess leaves of it. */
shared float moves[3][SMALL_ROOM], residuals[3][SMALL_ROOM], left[3][SMALL_ROOM];

/* x, y: the first panel of the first level, z: panels of a level, w: depth of the first level */

int number;               /* of the panel */
int begins[SMALL_LEVELS]; /* a level: where its room begins */
ivec2 texel;              /* of the thread, and its places here and in planes */
ivec2 own;

vec3 load_move(ivec2 k) {
    return vec3(moves[0][k.x], moves[1][k.x], moves[2][k.x]);
}

void keep_move(vec3 move) {
    for (int axis = 0; axis < 3; axis++) {
        moves[axis][own.x] = move[axis];
    }
}

int room_along() {
    return panel.columns + 4;
}

system_block panel_at(int which) {
    return panels[call.y + call.z * which + number];
}

/* Also finds the thread's texel. */
void enter_small(int which) {
    level = which;
    panel = panel_at(which);
    enter_level();
    int i = int(gl_LocalInvocationIndex);
    texel = ivec2(i % panel.columns, i / panel.columns);
    own = ivec2(begins[which] + (texel.y + 2) * room_along() + texel.x + 2, place_of(texel));
}

bool has_texel() {
    return texel.y < panel.rows;
}

bool is_free() {
    return has_texel() && equation_at(EQ_inverse, own.y) > 0.0;
}

/* As newton_patch.glsl has it, without couplings. */
vec3 product_at(ivec2 k) {
    ivec2 up = ivec2(room_along(), panel.stride);
    return system_bending(k, up) * panel.bend + system_coarse_row(k) + system_coarse_up(k, up) +
           system_coarse_down(k, up);
}

vec3 residual_at(int i) {
    return vec3(residuals[0][i], residuals[1][i], residuals[2][i]);
}

void keep_residual(vec3 r) {
    for (int axis = 0; axis < 3; axis++) {
        residuals[axis][own.x] = r[axis];
    }
}

/* Returns the last level. */
int clear() {
    int last = 0, room = 0;
    for (int i = 0; i < SMALL_LEVELS; i++) {
        begins[i] = room;
        if (i == 0 || panel_at(last).last == 0) {
            system_block next = panel_at(i);
            last = i;
            room += (next.columns + 4) * (next.rows + 4);
        }
    }
    for (int i = int(gl_LocalInvocationIndex); i < 3 * SMALL_ROOM; i += SMALL_THREADS) {
        moves[i / SMALL_ROOM][i % SMALL_ROOM] = 0.0;
        left[i / SMALL_ROOM][i % SMALL_ROOM] = 0.0;
    }
    barrier();
    return last;
}

void begin() {
    if (has_texel()) {
        keep_residual(vector_at(EQ_residual, own.y));
        keep_move(vector_at(EQ_guess, own.y));
    }
    barrier();
}

/* What the first sweep of the level has left. */
void find_left() {
    vec3 force = is_free() ? residual_at(own.x) - product_at(own) : vec3(0.0);
    for (int axis = 0; axis < 3 && has_texel(); axis++) {
        left[axis][own.x] = force[axis];
    }
    barrier();
}

float gathered_row(int axis, int i) {
    return cycle_gather_row(left[axis][i - 1], left[axis][i], left[axis][i + 1]);
}

float gathered(int axis, int i, int up) {
    return cycle_gather(gathered_row(axis, i - up), gathered_row(axis, i),
                        gathered_row(axis, i + up));
}

/* That on the next coarser one, and its first sweep, which the last one does without. */
void go_down(int to) {
    int from = begins[level], up = room_along();
    enter_small(to);
    if (has_texel()) {
        int i = from + (2 * texel.y + 2) * up + 2 * texel.x + 2;
        vec3 r = vec3(gathered(0, i, up), gathered(1, i, up), gathered(2, i, up));
        keep_residual(r);
        if (panel.last == 0) {
            keep_move(solve_first(block_at(EQ_inverse, own.y), r));
        }
    }
    barrier();
}

/* Of the last level; a thread has three unknowns. */
void solve_exactly() {
    int row = 3 * int(gl_LocalInvocationIndex);
    for (int axis = 0; axis < 3 && has_texel(); axis++) {
        forces[row + axis] = residuals[axis][own.x];
    }
    barrier();
    for (int axis = 0; axis < 3 && has_texel(); axis++) {
        go_halfway(row + axis);
    }
    barrier();
    for (int axis = 0; axis < 3 && has_texel(); axis++) {
        moves[axis][own.x] = solution_at(row + axis);
    }
    barrier();
}

/* Between two rows of the coarser level or twice the same one, and likewise columns. */
float gained(int axis, int from, int up) {
    ivec2 low = texel / 2, high = (texel + 1) / 2;
    int under = from + (low.y + 2) * up + 2, over = from + (high.y + 2) * up + 2;
    return cycle_between(
        cycle_between(moves[axis][under + low.x], moves[axis][over + low.x]),
        cycle_between(moves[axis][under + high.x], moves[axis][over + high.x]));
}

/* What a level gains from the coarser one, and its last sweep. */
void go_up(int to) {
    int from = begins[level], up = room_along();
    enter_small(to);
    if (is_free()) {
        keep_move(load_move(own) + vec3(gained(0, from, up), gained(1, from, up),
                                        gained(2, from, up)));
    }
    barrier();
    vec3 z = vec3(0.0);
    if (has_texel()) {
        z = solve_sweep(load_move(own), block_at(EQ_inverse, own.y),
                        residual_at(own.x) - product_at(own));
    }
    barrier();
    if (has_texel()) {
        keep_move(z);
    }
    barrier();
}

void main() {
    number = panels[int(gl_WorkGroupID.x)].lead;
    panel = panel_at(0);
    if (panel.small != SMALL_FIRST || rests()) {
        return;
    }
    int last = clear();
    enter_small(0);
    begin();
    for (int i = 0; i < last; i++) {
        find_left();
        go_down(i + 1);
    }
    solve_exactly();
    for (int i = last - 1; i >= 0; i--) {
        go_up(i);
    }
    if (has_texel()) {
        set_vector(EQ_result, own.y, load_move(own));
    }
}
