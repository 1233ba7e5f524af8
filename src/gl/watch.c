#include "gl/watch.h"

#include "gl/blocks.h"

static bool is_allowed = true;

void watch_allow(bool allowed) {
    is_allowed = allowed;
}

static bool can_show(void) {
    return is_allowed &&
           (epoxy_gl_version() >= 44 || epoxy_has_gl_extension("GL_ARB_buffer_storage"));
}

void watch_make(gl_watch *w) {
    const GLsizeiptr bytes = TOLD_WORDS * sizeof(uint32_t);
    glGenBuffers(1, &w->buffer);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, w->buffer);
    if (!can_show()) {
        glBufferData(GL_SHADER_STORAGE_BUFFER, bytes, NULL, GL_DYNAMIC_COPY);
        return;
    }
    const GLbitfield shown =
        GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    glBufferStorage(GL_SHADER_STORAGE_BUFFER, bytes, NULL, shown | GL_CLIENT_STORAGE_BIT);
    w->told = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, bytes, shown);
}

static void forget(gl_watch *w) {
    glDeleteSync(w->looked); /* NULL is fine */
    w->looked = NULL;
}

void watch_free(gl_watch *w) {
    if (w->buffer) {
        forget(w);
        glDeleteBuffers(1, &w->buffer);
    }
    *w = (gl_watch){0};
}

void watch_for(gl_watch *w, int word) {
    forget(w);
    if (w->told) {
        w->told[word] = 0;
    }
}

static void wait_for(GLsync sync) {
    if (sync) {
        glClientWaitSync(sync, 0, GL_TIMEOUT_IGNORED);
    }
}

/* Returns the fence of the look before. */
static GLsync look_again(gl_watch *w) {
    GLsync before = w->looked;
    w->looked = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFlush();
    return before;
}

bool watch_wait(gl_watch *w, int word) {
    glDeleteSync(look_again(w));
    wait_for(w->looked);
    return w->told[word] != 0;
}

bool watch_look(gl_watch *w, int word) {
    GLsync before = look_again(w);
    wait_for(before);
    glDeleteSync(before);
    return w->told[word] != 0;
}
