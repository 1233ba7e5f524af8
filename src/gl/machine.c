#include "gl/machine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "gl/blocks.h"

/* So many wait at most: contexts hold memory of the driver. */
enum { MOST_WAITING = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static machine *waiting[MACHINE_KINDS];
static machine *borrowed; /* in callers' contexts */
static gl_program broken = PROGRAM_NONE;
static gl_relaxing preferred = RELAX_BEST;

#ifndef NDEBUG
static void GLAPIENTRY print_message(GLenum source, GLenum type, GLuint id, GLenum severity,
                                     GLsizei length, const GLchar *message, const void *user) {
    (void)source;
    (void)type;
    (void)id;
    (void)length;
    (void)user;
    if (severity != GL_DEBUG_SEVERITY_NOTIFICATION) {
        fprintf(stderr, "toile: OpenGL: %s\n", message);
    }
}
#endif

static void learn_limits(machine *m) {
    if (m->kind == MACHINE_COMPUTE) {
        glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &m->largest_block);
        for (GLuint axis = 0; axis < 2; axis++) {
            glGetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_COUNT, axis, &m->most_groups[axis]);
        }
    }
    glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &m->uniform_step);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &m->largest_texture);
#ifndef NDEBUG
    if (!m->context.borrowed && epoxy_gl_version() >= 43) {
        glEnable(GL_DEBUG_OUTPUT);
        glDebugMessageCallback(print_message, NULL);
    }
#endif
}

static machine *machine_make(machine_kind kind, bool of_caller) {
    static const context_need needs[MACHINE_KINDS] = {
        [MACHINE_COMPUTE] = {4, 3, "to simulate with"},
        [MACHINE_FRAGMENT] = {3, 3, "to simulate with"},
    };
    machine *m = memory_alloc(1, sizeof *m, "the gl device");
    context_before before;
    toile_result result = !m          ? TOILE_ERROR_MEMORY
                          : of_caller ? context_borrow(&m->context, &needs[kind])
                                      : context_open(&m->context, &needs[kind]);
    if (result != TOILE_OK) {
        free(m);
        return NULL;
    }
    m->kind = kind;
    if (context_enter(&m->context, &before) != TOILE_OK) {
        context_close(&m->context);
        free(m);
        return NULL;
    }
    learn_limits(m);
    context_leave(&m->context, &before);
    return m;
}

machine *machine_take(machine_kind kind) {
    pthread_mutex_lock(&lock);
    machine *m = waiting[kind];
    if (m) {
        waiting[kind] = m->next;
        m->next = NULL;
    }
    pthread_mutex_unlock(&lock);
    return m ? m : machine_make(kind, false);
}

/* Its worlds are alive, and so is their context: no other one can have its handle. */
static machine *find_borrowed(EGLContext handle) {
    machine *m = borrowed;
    while (m && m->context.handle != handle) {
        m = m->next;
    }
    if (m) {
        m->users++;
    }
    return m;
}

machine *machine_borrow(void) {
    pthread_mutex_lock(&lock);
    machine *m = find_borrowed(eglGetCurrentContext());
    pthread_mutex_unlock(&lock);
    if (m) {
        return m;
    }
    m = machine_make(MACHINE_COMPUTE, true);
    if (m) {
        m->users = 1;
        pthread_mutex_lock(&lock);
        m->next = borrowed;
        borrowed = m;
        pthread_mutex_unlock(&lock);
    }
    return m;
}

static void machine_close(machine *m) {
    context_before before;
    if (context_enter(&m->context, &before) == TOILE_OK) {
        for (int p = 0; p < PROGRAM_COUNT; p++) {
            glDeleteProgram(m->programs[p].handle);
        }
        surface_programs_free(&m->surface);
        refine_programs_free(&m->refine);
        glDeleteProgram(m->map_drawing);
        for (int p = 0; p < FRAGMENT_COUNT; p++) {
            glDeleteProgram(m->fragments[p].handle);
        }
        context_leave(&m->context, &before);
    }
    context_close(&m->context);
    free(m);
}

static void give_borrowed(machine *m) {
    pthread_mutex_lock(&lock);
    bool last = --m->users == 0;
    machine **at = &borrowed;
    while (*at != m) {
        at = &(*at)->next;
    }
    if (last) {
        *at = m->next;
    }
    pthread_mutex_unlock(&lock);
    if (last) {
        machine_close(m);
    }
}

void machine_give(machine *m, bool failed) {
    if (!m) {
        return;
    }
    if (m->context.borrowed) {
        give_borrowed(m);
        return;
    }
    int count = 0;
    pthread_mutex_lock(&lock);
    for (const machine *other = waiting[m->kind]; other; other = other->next) {
        count++;
    }
    bool keep = !failed && count < MOST_WAITING;
    if (keep) {
        m->next = waiting[m->kind];
        waiting[m->kind] = m;
    }
    pthread_mutex_unlock(&lock);
    if (!keep) {
        machine_close(m);
    }
}

toile_result machine_prepare(machine *m, gl_program p) {
    if (m->programs[p].handle) {
        return TOILE_OK;
    }
    const char *text = p == broken ? "#version 430 core\nbroken for a test" : program_text(p);
    return compute_make(program_name(p), text, &m->programs[p]);
}

void machine_break(gl_program p) {
    broken = p;
}

gl_relaxing machine_relaxing(const machine *m, int edges) {
    gl_relaxing best = m->context.software ? RELAX_SETS : RELAX_SMALL;
    gl_relaxing way = preferred == RELAX_BEST ? best : preferred;
    if (way == RELAX_SMALL && edges > GROUP_SMALL) {
        return edges > BROAD_EDGES ? RELAX_BROAD : RELAX_TILES;
    }
    return way;
}

void machine_prefer_relaxing(gl_relaxing way) {
    preferred = way;
}
