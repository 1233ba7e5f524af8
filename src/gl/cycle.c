#include "gl/cycle.h"

#include <string.h>

#include "base/memory.h"
#include "device/cycle_state.h"

enum { FRICTION_PLANES = CYCLE_limit - CYCLE_fx + 1 };

/* After so many steps that needed fewer iterations than were queued, fewer are. A step that has to
 * be made again costs as much as some that queue too many. */
enum { CALM_STEPS = 4 };

/* Of Newton's method in the first step, and of conjugate gradients in each. */
enum { FEW_ITERATIONS = 4, FEW_GRADIENTS = 8 };

void gl_cycle_free(gl_cycle *cycle) {
    for (int k = 0; k < cycle->count; k++) {
        glDeleteBuffers(1, &cycle->planes[k]);
    }
    glDeleteBuffers(1, &cycle->exact);
    *cycle = (gl_cycle){0};
}

/* Copies planes of one size between buffers, behind what shaders wrote. */
static void copy_planes(GLuint from, int first, GLuint to, int other, int count, const grid *g) {
    size_t bytes = g->size * sizeof(float);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_COPY_READ_BUFFER, from);
    glBindBuffer(GL_COPY_WRITE_BUFFER, to);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER,
                        (GLintptr)((size_t)first * bytes), (GLintptr)((size_t)other * bytes),
                        (GLsizeiptr)((size_t)count * bytes));
}

static toile_result make_cycle(device_cloth *cloth, const multigrid *tables, gl_cycle *made) {
    const machine *m = cloth->gl->machine;
    toile_result result = TOILE_OK;
    made->bytes = (size_t)tables->unknowns * (size_t)tables->unknowns * sizeof(float);
    for (int k = 0; k < tables->count && result == TOILE_OK; k++) {
        const grid *g = &tables->levels[k].grid;
        size_t planes = CYCLE_PLANE_COUNT + MATRIX_COUNT;
        made->count = k + 1;
        made->bytes += planes * g->size * sizeof(float);
        result = gl_make_planes(m, g, planes, &made->planes[k]);
    }
    return result;
}

toile_result gl_set_cycle(device_cloth *cloth, const multigrid *tables, bool meshes) {
    context_before before;
    gl_cycle made = {.tables = tables, .meshes = meshes};
    toile_result result = context_enter(&cloth->gl->machine->context, &before);
    if (result != TOILE_OK) {
        return result;
    }
    result = make_cycle(cloth, tables, &made);
    if (result == TOILE_OK && cloth->cycle.count > 0) {
        copy_planes(cloth->cycle.planes[0], CYCLE_fx, made.planes[0], CYCLE_fx, FRICTION_PLANES,
                    &cloth->grid);
    }
    if (result == TOILE_OK) {
        gl_cycle_free(&cloth->cycle);
        cloth->cycle = made;
        result = context_check("making the grids of a cloth");
    } else {
        gl_cycle_free(&made);
    }
    context_leave(&cloth->gl->machine->context, &before);
    return result;
}

toile_result gl_cycle_upload(device_cloth *cloth) {
    gl_cycle *cycle = &cloth->cycle;
    const multigrid *tables = cycle->tables;
    if (cycle->count == 0 || cycle->fills == tables->fills) {
        return TOILE_OK;
    }
    for (int k = 0; k < cycle->count; k++) {
        const matrix_level *l = &tables->levels[k];
        for (int p = 0; p < MATRIX_PLANES; p++) {
            gl_write_plane(cycle->planes[k], &l->grid, CYCLE_PLANE_COUNT + p, l->plane[p]);
        }
    }
    const grid *finest = &tables->levels[0].grid;
    gl_write_plane(cycle->planes[0], finest, CYCLE_PLANE_COUNT + MATRIX_inertia, tables->inertia);
    gl_write_plane(cycle->planes[0], finest, CYCLE_PLANE_COUNT + MATRIX_bound, tables->bound);
    size_t unknowns = (size_t)tables->unknowns;
    cycle->fills = tables->fills;
    return gl_make_buffer(cloth->gl->machine, &cycle->exact, unknowns * unknowns * sizeof(float),
                          tables->exact);
}

/* Newton's method may have so many iterations, each of some fifty dispatches, that they are tried
 * from few on. One more than lately: without work groups it costs little, a step again much. */
static int guess_newton(const gl_guess *guess, int few, int most) {
    int number = guess->iterations > 0 ? guess->iterations + 1 : few;
    return number < most ? number : most;
}

int gl_guess_iterations(const gl_guess *guess, const step_plan *plan) {
    int most = plan->most_iterations, least = plan->iterations;
    if (plan->gradients > 0) {
        return guess_newton(guess, FEW_ITERATIONS, most);
    }
    int number = guess->iterations > 0 && guess->iterations < most ? guess->iterations : most;
    return number > least ? number : least;
}

int gl_more_iterations(int number, const step_plan *plan) {
    int most = plan->most_iterations;
    return plan->gradients > 0 && 2 * number < most ? 2 * number : most;
}

int gl_guess_gradients(const gl_guess *guess, const step_plan *plan) {
    return guess_newton(guess, FEW_GRADIENTS, plan->gradients);
}

int gl_more_gradients(int number, const step_plan *plan) {
    return 2 * number < plan->gradients ? 2 * number : plan->gradients;
}

void gl_learn_iterations(gl_guess *guess, int wanted) {
    if (wanted >= guess->iterations) {
        *guess = (gl_guess){.iterations = wanted};
        return;
    }
    guess->most = wanted > guess->most ? wanted : guess->most;
    if (++guess->calm == CALM_STEPS) {
        *guess = (gl_guess){.iterations = guess->most};
    }
}
