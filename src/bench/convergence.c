#include "bench/convergence.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cpu/passes.h"
#include "kernel/implicit.h"
#include "step/world.h"

/* From about the tenth on the factor hardly grows. */
enum { CYCLES = 20, AXES = 3 };

/* What is measured with: the grids' own arrays, apart from those of the world. */
typedef struct trial_cycle {
    const pass_table *passes;
    cycle_state state;
    double *error[AXES], *force[AXES]; /* planes of the finest grid: e, and A e */
} trial_cycle;

/* ---- the matrix ---------------------------------------------------------------------------------
 */

/* An edge of the matrix; returns its energy. */
static double add_edge(const double *e, double *force, float coupling, size_t a, size_t b) {
    double pull = (double)coupling * (e[a] - e[b]);
    force[a] += pull;
    force[b] -= pull;
    return pull * (e[a] - e[b]);
}

/* Multiplies by A. Returns e' A e. */
static double multiply(const matrix_level *m, const double *e, double *force) {
    const grid *g = &m->grid;
    const size_t up = (size_t)g->stride;
    double energy = 0.0;
    for (size_t k = 0; k < g->size; k++) {
        force[k] = (double)m->plane[MATRIX_GROUND][k] * e[k];
        energy += force[k] * e[k];
    }
    for (int row = 0; row < g->rows; row++) {
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            energy += add_edge(e, force, m->plane[MATRIX_EAST][k], k, k + 1);
            energy += add_edge(e, force, m->plane[MATRIX_NORTH][k], k, k + up);
            energy += add_edge(e, force, m->plane[MATRIX_RISING][k], k, k + 1 + up);
            energy += add_edge(e, force, m->plane[MATRIX_FALLING][k], k + 1, k + up);
        }
    }
    return energy;
}

static double multiply_axes(trial_cycle *c) {
    double energy = 0.0;
    for (int axis = 0; axis < AXES; axis++) {
        energy += multiply(c->state.levels[0].matrix, c->error[axis], c->force[axis]);
    }
    return energy;
}

/* ---- the cycle ----------------------------------------------------------------------------------
 */

static void run_pass(const trial_cycle *c, pass p, int depth) {
    const pass_args args = {.cycle = &c->state, .level = depth};
    c->passes->row_passes[p](&args, 0, c->state.levels[depth].matrix->grid.rows);
}

/* The passes of a step, after the residual and its first sweep. What is to be added to positions is
 * the finest level's e in the end. */
static void run_cycle(const trial_cycle *c) {
    const int last = c->state.count - 1;
    for (int k = 0; k < last; k++) {
        run_pass(c, PASS_DEFECT, k);
        run_pass(c, PASS_DOWN, k + 1);
    }
    run_pass(c, PASS_EXACT, last);
    for (int k = last - 1; k >= 0; k--) {
        run_pass(c, PASS_UP, k);
        run_pass(c, PASS_SWEEP, k);
        run_pass(c, PASS_SWEEP_BACK, k);
    }
}

/* An error of e leaves the force -A e. */
static void start_cycle(const trial_cycle *c) {
    const cycle_level *finest = &c->state.levels[0];
    const float *inverse = finest->matrix->plane[MATRIX_INVERSE];
    for (int axis = 0; axis < AXES; axis++) {
        float *r = finest->at.plane[CYCLE_rx + axis], *e = finest->at.plane[CYCLE_ex + axis];
        for (size_t k = 0; k < finest->matrix->grid.size; k++) {
            r[k] = (float)(inverse[k] > 0.0f ? -c->force[axis][k] : 0.0);
            e[k] = cycle_sweep(0.0f, r[k], 0.0f, inverse[k], CYCLE_FIRST);
        }
    }
}

/* Adds what the cycle found. */
static void finish_cycle(trial_cycle *c) {
    const cycle_level *finest = &c->state.levels[0];
    for (int axis = 0; axis < AXES; axis++) {
        for (size_t k = 0; k < finest->matrix->grid.size; k++) {
            c->error[axis][k] += (double)finest->at.plane[CYCLE_ex + axis][k];
        }
    }
}

static void scale_error(trial_cycle *c, double by) {
    for (int axis = 0; axis < AXES; axis++) {
        for (size_t k = 0; k < c->state.levels[0].matrix->grid.size; k++) {
            c->error[axis][k] *= by;
            c->force[axis][k] *= by;
        }
    }
}

/* ---- measuring ----------------------------------------------------------------------------------
 */

/* Errors of all wavelengths, none where nothing moves. */
static void draw_error(trial_cycle *c) {
    const matrix_level *m = c->state.levels[0].matrix;
    uint32_t random = 1;
    for (int axis = 0; axis < AXES; axis++) {
        for (size_t k = 0; k < m->grid.size; k++) {
            random = random * 1664525u + 1013904223u;
            bool moves = m->plane[MATRIX_INVERSE][k] > 0.0f;
            c->error[axis][k] = moves ? (double)(random >> 8) / (1 << 23) - 1.0 : 0.0;
        }
    }
}

static double worst_factor(trial_cycle *c) {
    double worst = 0.0;
    draw_error(c);
    double before = multiply_axes(c);
    for (int i = 0; i < CYCLES && before > 0.0; i++) {
        scale_error(c, 1.0 / sqrt(before)); /* to an energy of 1: floats keep its digits */
        start_cycle(c);
        run_cycle(c);
        finish_cycle(c);
        before = multiply_axes(c);
        worst = fmax(worst, sqrt(before));
    }
    return worst;
}

static toile_result trial_cycle_create(trial_cycle *c, const cloth *of) {
    *c = (trial_cycle){.passes = passes_choose()};
    toile_result result = cycle_state_create(&c->state, &of->matrix, of->panel->coverage, false);
    for (int axis = 0; axis < AXES && result == TOILE_OK; axis++) {
        size_t size = of->matrix.levels[0].grid.size;
        c->error[axis] = memory_alloc(size, sizeof *c->error[axis], "the error of a cycle");
        c->force[axis] = memory_alloc(size, sizeof *c->force[axis], "the error of a cycle");
        result = c->error[axis] && c->force[axis] ? TOILE_OK : TOILE_ERROR_MEMORY;
    }
    return result;
}

static void trial_cycle_free(trial_cycle *c) {
    for (int axis = 0; axis < AXES; axis++) {
        free(c->error[axis]);
        free(c->force[axis]);
    }
    cycle_state_free(&c->state);
}

toile_result convergence_measure(const toile_world *world, toile_cloth_id cloth_id,
                                 double *factor) {
    trial_cycle c;
    const cloth *of = slots_get(&world->cloths, cloth_id.slot, cloth_id.generation);
    toile_result result = trial_cycle_create(&c, of);
    if (result == TOILE_OK) {
        *factor = worst_factor(&c);
    }
    trial_cycle_free(&c);
    return result;
}
