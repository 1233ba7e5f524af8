#include "gl/implicit.h"

#include "device/implicit_state.h"

/* After so many steps that needed fewer iterations than were queued, fewer are. A step that has to
 * be made again costs as much as some that queue too many. Of 300 steps, of cloth that falls on a
 * ball and of cloth that swings, 17 were made again with 1, 11 with 4, 9 with 16, which queues two
 * more iterations of conjugate gradients in each of Newton's method. */
enum { CALM_STEPS = 4 };

/* Of Newton's method in the first step, and of conjugate gradients in each: twice the 2 and 3 that
 * the first substep of these took. */
enum { FEW_ITERATIONS = 4, FEW_GRADIENTS = 8 };

void gl_implicit_free(gl_implicit *s) {
    glDeleteBuffers(1, &s->planes);
    *s = (gl_implicit){0};
}

/* The state, behind what shaders wrote. */
static void copy_state(GLuint from, GLuint to, const grid *g) {
    const size_t bytes = g->size * sizeof(float);
    const GLintptr first = (GLintptr)(IMPLICIT_FIRST_KEPT * bytes);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_COPY_READ_BUFFER, from);
    glBindBuffer(GL_COPY_WRITE_BUFFER, to);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, first, first,
                        (GLsizeiptr)(IMPLICIT_STATE_PLANES * bytes));
}

toile_result gl_set_implicit(device_cloth *cloth, bool meshes) {
    enum { PLANES = IMPLICIT_FIRST_TOUCH + CLEAR_COUNT };
    gl_implicit made = {.meshes = meshes, .bytes = PLANES * cloth->grid.size * sizeof(float)};
    context_before before;
    toile_result result = context_enter(&cloth->gl->machine->context, &before);
    if (result != TOILE_OK) {
        return result;
    }
    result = gl_make_planes(cloth->gl->machine, &cloth->grid, PLANES, &made.planes);
    if (result == TOILE_OK && cloth->implicit.planes) {
        copy_state(cloth->implicit.planes, made.planes, &cloth->grid);
    }
    if (result == TOILE_OK) {
        gl_implicit_free(&cloth->implicit);
        cloth->implicit = made;
        result = context_check("making room for a cloth");
    } else {
        gl_implicit_free(&made);
    }
    context_leave(&cloth->gl->machine->context, &before);
    return result;
}

/* Newton's method may have so many iterations, each of some fifty dispatches, that they are tried
 * from few on. One more than lately: without work groups it costs little, a step again much. */
static int guess_of(const gl_guess *guess, int few, int most) {
    int number = guess->iterations > 0 ? guess->iterations + 1 : few;
    return number < most ? number : most;
}

static int more_of(int number, int most) {
    return 2 * number < most ? 2 * number : most;
}

int gl_guess_iterations(const gl_guess *guess, const step_plan *plan) {
    return guess_of(guess, FEW_ITERATIONS, plan->most_iterations);
}

int gl_more_iterations(int number, const step_plan *plan) {
    return more_of(number, plan->most_iterations);
}

int gl_guess_gradients(const gl_guess *guess, const step_plan *plan) {
    return guess_of(guess, FEW_GRADIENTS, plan->gradients);
}

int gl_more_gradients(int number, const step_plan *plan) {
    return more_of(number, plan->gradients);
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
