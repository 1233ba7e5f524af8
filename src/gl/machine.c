#include "gl/machine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* So many wait at most: contexts hold memory of the driver. */
enum { MOST_WAITING = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static machine *waiting[MACHINE_KINDS];
static gl_program broken = PROGRAM_NONE;
static int small_texels = -1; /* that a test wants */

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
    }
    glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &m->uniform_step);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &m->largest_texture);
#ifndef NDEBUG
    if (epoxy_gl_version() >= 43) {
        glEnable(GL_DEBUG_OUTPUT);
        glDebugMessageCallback(print_message, NULL);
    }
#endif
}

static machine *machine_make(machine_kind kind) {
    static const context_need needs[MACHINE_KINDS] = {
        [MACHINE_COMPUTE] = {4, 3, "to simulate with"},
        [MACHINE_FRAGMENT] = {3, 3, "to simulate with"},
    };
    machine *m = memory_alloc(1, sizeof *m, "the gl device");
    context_before before;
    if (!m || context_open(&m->context, &needs[kind]) != TOILE_OK) {
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
    return m ? m : machine_make(kind);
}

static void machine_close(machine *m) {
    context_before before;
    if (context_enter(&m->context, &before) == TOILE_OK) {
        for (int p = 0; p < PROGRAM_COUNT; p++) {
            glDeleteProgram(m->programs[p].handle);
        }
        for (int p = 0; p < FRAGMENT_COUNT; p++) {
            glDeleteProgram(m->fragments[p].handle);
        }
        context_leave(&m->context, &before);
    }
    context_close(&m->context);
    free(m);
}

void machine_give(machine *m, bool failed) {
    if (!m) {
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

size_t machine_small_level(const machine *m) {
    static const size_t OF_GPU = 4096;
    return small_texels >= 0 ? (size_t)small_texels : m->context.software ? 0 : OF_GPU;
}

void machine_prefer_small(int texels) {
    small_texels = texels;
}
