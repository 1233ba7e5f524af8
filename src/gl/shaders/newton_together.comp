#version 430 core
/* The sweeps of texels that couplings touch, together (kernel/coupling.h): the first one of a cycle
 * and the last. One work group has all of a level, for it waits between its steps, and they are
 * few. */
#define NEWTON_MEMORY coherent
#include "gl/shaders/newton_coupled.glsl"

layout(local_size_x = TOGETHER_THREADS) in;

/* x: not 0: the last sweep */

void wait_for_all() {
    memoryBarrierBuffer();
    barrier();
}

/* Enters its panel; is the texel of a part that still moves, and not on its coarsest level? */
bool takes_part(int touched) {
    panel = panels[call.y + touched_word(touched, TOUCHED_PANEL)];
    return !rests() && panel.last == 0;
}

/* The first step, which is stored where rows load it. */
void begin(int touched) {
    int k = touched_word(touched, TOUCHED_TEXEL);
    int at = way_at(touched, WAY_FORCE);
    if (call.x == 0) {
        set_coupled_vector(at, vector_at(EQ_residual, k));
    }
    vec3 way = coupling_first(block_at(EQ_inverse, k), coupled_vector(at));
    set_coupled_vector(way_at(touched, WAY_STEP), way);
    set_vector(coupled_plane, k, way);
}

/* The next ones. */
void go_on(int touched, float before, float rho) {
    int k = touched_word(touched, TOUCHED_TEXEL), step = way_at(touched, WAY_STEP);
    block own = block_lift(block_at(call.w == 0 ? EQ_own : EQ_block, k), NEWTON_BEND * panel.bend);
    vec3 way = vector_at(coupled_plane, k);
    vec3 left = coupled_vector(way_at(touched, WAY_FORCE)) -
                (block_times(own, way) + gather_touched(touched));
    vec3 next = coupling_next(coupled_vector(step), block_at(EQ_inverse, k), left, before, rho);
    set_coupled_vector(step, next);
    set_vector(coupled_plane, k, way + next);
}

void end(int touched) {
    int k = touched_word(touched, TOUCHED_TEXEL);
    vec3 way = vector_at(coupled_plane, k) * NEWTON_WEIGHT;
    if (call.x != 0) {
        way += coupled_vector(way_at(touched, WAY_GUESS));
    }
    set_vector(coupled_plane, k, way);
}

void pull_rows() {
    wait_for_all();
    for (int r = int(gl_LocalInvocationID.x); r < coupled_at(COUPLED_ROWS); r += TOGETHER_THREADS) {
        keep_pull(r);
    }
    wait_for_all();
}

void main() {
    int own = int(gl_LocalInvocationID.x), count = coupled_at(COUPLED_TOUCHED);
    panel = panels[call.y];
    enter_level();
    coupled_plane = call.x != 0 ? EQ_result : EQ_guess;
    for (int t = own; t < count; t += TOGETHER_THREADS) {
        if (takes_part(t)) {
            begin(t);
        }
    }
    float rho = coupling_rho(0.0);
    for (int step = 1; step < COUPLING_STEPS; step++) {
        float before = rho;
        rho = coupling_rho(before);
        pull_rows();
        for (int t = own; t < count; t += TOGETHER_THREADS) {
            if (takes_part(t)) {
                go_on(t, before, rho);
            }
        }
    }
    for (int t = own; t < count; t += TOGETHER_THREADS) {
        if (takes_part(t)) {
            end(t);
        }
    }
    if (call.x == 0) {
        pull_rows(); /* for what the sweep has left */
    }
}
