#include "view/texels.h"

#include <stdlib.h>

#include "base/memory.h"
#include "kernel/mapping.h"

enum { PLANES = 4 };

static const skin_cloth *cloth_of(const play *p, int cloth) {
    return &p->skins.items[0].cloths[cloth];
}

static GLsizeiptr plane_bytes(const skin_cloth *c) {
    return (GLsizeiptr)(c->layout.plane * sizeof(float));
}

static bool is_too_large(const play *p) {
    GLint most = 0;
    bool large = false;
    glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most);
    for (int c = 0; c < p->scene->cloth_count; c++) {
        large = large || PLANES * cloth_of(p, c)->layout.plane > (size_t)most;
    }
    return large;
}

toile_result texels_make(texel_copies *t, const play *p) {
    const size_t cloths = (size_t)p->scene->cloth_count;
    *t = (texel_copies){0};
    if (is_too_large(p)) {
        return TOILE_OK;
    }
    *t = (texel_copies){memory_alloc(cloths, sizeof *t->buffers, "texels"), NULL};
    if (!t->buffers) {
        return TOILE_ERROR_MEMORY;
    }
    glGenBuffers((GLsizei)cloths, t->buffers);
    for (int c = 0; c < p->scene->cloth_count; c++) {
        glBindBuffer(GL_COPY_WRITE_BUFFER, t->buffers[c]);
        glBufferData(GL_COPY_WRITE_BUFFER, PLANES * plane_bytes(cloth_of(p, c)), NULL,
                     GL_DYNAMIC_COPY);
    }
    toile_result result = context_check("making room for texels");
    if (result != TOILE_OK) {
        texels_free(t, p);
    }
    return result;
}

void texels_free(texel_copies *t, const play *p) {
    if (t->buffers) {
        glDeleteBuffers(p->scene->cloth_count, t->buffers);
        glDeleteSync(t->ready);
    }
    free(t->buffers);
    *t = (texel_copies){0};
}

/* Others may wait for it from now on. */
static void set_ready(texel_copies *t) {
    glDeleteSync(t->ready);
    t->ready = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFlush();
}

static void copy_planes(GLuint from, GLsizeiptr first, GLuint to, GLsizeiptr other,
                        GLsizeiptr bytes) {
    glBindBuffer(GL_COPY_READ_BUFFER, from);
    glBindBuffer(GL_COPY_WRITE_BUFFER, to);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, first, other, bytes);
}

void texels_read(texel_copies *t, const play *p) {
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    for (int c = 0; c < p->scene->cloth_count; c++) {
        toile_gl_texels from;
        if (toile_cloth_get_gl_texels(p->world, p->ids.cloths[c], &from) == TOILE_OK) {
            const GLsizeiptr plane = plane_bytes(cloth_of(p, c));
            copy_planes(from.buffer, from.position * plane, t->buffers[c], 0, 3 * plane);
            copy_planes(from.buffer, from.cover * plane, t->buffers[c], 3 * plane, plane);
        }
    }
    set_ready(t);
}

void texels_copy(texel_copies *t, const texel_copies *from, const play *p) {
    if (from->ready) {
        glWaitSync(from->ready, 0, GL_TIMEOUT_IGNORED);
    }
    for (int c = 0; c < p->scene->cloth_count; c++) {
        copy_planes(from->buffers[c], 0, t->buffers[c], 0, PLANES * plane_bytes(cloth_of(p, c)));
    }
}

static size_t place_of(const skin_cloth *c, uint32_t texel) {
    const uint32_t columns = (uint32_t)c->columns;
    return c->layout.first + texel / columns * c->layout.row + texel % columns;
}

/* They are gathered first: each read-back waits for the GPU. */
toile_result texels_fetch(const texel_copies *t, const play *p, int cloth, const uint32_t *numbers,
                          size_t count, float *out) {
    const skin_cloth *c = cloth_of(p, cloth);
    const GLsizeiptr one = sizeof(float);
    GLuint gathered = 0;
    glGenBuffers(1, &gathered);
    glBindBuffer(GL_COPY_WRITE_BUFFER, gathered);
    glBufferData(GL_COPY_WRITE_BUFFER, 3 * (GLsizeiptr)count * one, NULL, GL_STREAM_READ);
    glBindBuffer(GL_COPY_READ_BUFFER, t->buffers[cloth]);
    for (size_t i = 0; i < 3 * count; i++) {
        const size_t at = place_of(c, numbers[i / 3]) + i % 3 * c->layout.plane;
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)at * one,
                            (GLintptr)i * one, one);
    }
    glGetBufferSubData(GL_COPY_WRITE_BUFFER, 0, 3 * (GLsizeiptr)count * one, out);
    glDeleteBuffers(1, &gathered);
    return context_check("reading texels");
}

static v3 texel_at(const float *planes, const toile_gl_texels *layout, size_t k) {
    return v3_make(planes[k], planes[layout->plane + k], planes[2 * layout->plane + k]);
}

static void project(const skin_cloth *c, const float *planes, float *positions) {
    const toile_gl_texels *l = &c->layout;
    for (size_t v = 0; v < c->mesh.vertices; v++, positions += 3) {
        const size_t k = place_of(c, c->squares[v].texel), up = k + l->row;
        const v3 at = square_value(texel_at(planes, l, k), texel_at(planes, l, k + 1),
                                   texel_at(planes, l, up), texel_at(planes, l, up + 1),
                                   c->squares[v].fraction[0], c->squares[v].fraction[1]);
        positions[0] = at.x;
        positions[1] = at.y;
        positions[2] = at.z;
    }
}

toile_result texels_fetch_mesh(const texel_copies *before, const texel_copies *after, float share,
                               const skin_cloth *cloth, int number, float *positions) {
    const size_t count = 3 * cloth->layout.plane;
    float *planes = memory_alloc(count, 2 * sizeof *planes, "texels");
    if (!planes) {
        return TOILE_ERROR_MEMORY;
    }
    const GLuint buffers[2] = {before->buffers[number], after->buffers[number]};
    for (size_t i = 0; i < 2; i++) {
        glBindBuffer(GL_COPY_READ_BUFFER, buffers[i]);
        glGetBufferSubData(GL_COPY_READ_BUFFER, 0, (GLsizeiptr)(count * sizeof *planes),
                           planes + i * count);
    }
    for (size_t i = 0; i < count; i++) {
        planes[i] += share * (planes[count + i] - planes[i]);
    }
    project(cloth, planes, positions);
    free(planes);
    return context_check("reading texels");
}
