#include "gl/fragment/cloth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gl/fragment/layout.h"

static int width_of(const grid *g) {
    return g->columns + 2 * FRAGMENT_HALO;
}

static int height_of(const grid *g) {
    return g->rows + 2 * FRAGMENT_HALO;
}

int fragment_blocks(const grid *g) {
    return (g->columns + TOUCH_BLOCK - 1) / TOUCH_BLOCK;
}

static size_t texels_of(const grid *g) {
    return (size_t)width_of(g) * (size_t)height_of(g);
}

/* ---- making ------------------------------------------------------------------------------------
 */

static GLuint make_texture(GLint kind, GLenum format, int width, int height, const float *values) {
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, kind, width, height, 0, format, GL_FLOAT, values);
    return texture;
}

/* A framebuffer of one or two textures. */
static toile_result make_frame(GLuint *frame, GLuint first, GLuint second) {
    glGenFramebuffers(1, frame);
    glBindFramebuffer(GL_FRAMEBUFFER, *frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, first, 0);
    if (second) {
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, second, 0);
    }
    glDrawBuffers(second ? 2 : 1, (GLenum[]){GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1});
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) {
        return TOILE_OK;
    }
    return error_set(TOILE_ERROR_UNAVAILABLE,
                     "the OpenGL driver cannot draw into textures of 32-bit floats");
}

static toile_result make_mark(fragment_mark *mark, int width, int height) {
    mark->texture = make_texture(GL_RGBA32F, GL_RGBA, width, height, NULL);
    return make_frame(&mark->frame, mark->texture, 0);
}

static toile_result make_frames(device_cloth *cloth) {
    toile_result result = TOILE_OK;
    for (int t = 0; t < TEXTURE_COUNT && result == TOILE_OK; t++) {
        result = make_frame(&cloth->frames[t], cloth->textures[t], 0);
    }
    for (int i = 0; i < 4 && result == TOILE_OK; i++) {
        result = make_frame(&cloth->both[i / 2][i % 2], cloth->textures[TEXTURE_x0 + i / 2],
                            cloth->textures[TEXTURE_v0 + i % 2]);
    }
    if (result == TOILE_OK) {
        result = make_mark(&cloth->stretched, 1, 1);
    }
    if (result == TOILE_OK) {
        result = make_mark(&cloth->touched, fragment_blocks(&cloth->grid), cloth->grid.rows);
    }
    return result == TOILE_OK ? make_mark(&cloth->bad, 1, 1) : result;
}

/* The attributes of a pinned texel, for the shader `pins`. */
static void make_pins(device_cloth *cloth) {
    const GLsizei stride = 6 * sizeof(float);
    glGenBuffers(1, &cloth->pins);
    glGenVertexArrays(1, &cloth->pins_array);
    glBindVertexArray(cloth->pins_array);
    glBindBuffer(GL_ARRAY_BUFFER, cloth->pins);
    for (GLuint i = 0; i < 2; i++) {
        /* OpenGL takes an offset for a pointer. NOLINTNEXTLINE(performance-no-int-to-ptr) */
        const void *begin = (const void *)(i * 3 * sizeof(float));
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, 3, GL_FLOAT, GL_FALSE, stride, begin);
    }
}

static toile_result create_in_context(device_cloth *cloth) {
    const grid *g = &cloth->grid;
    int most = cloth->gl->machine->largest_texture;
    if (width_of(g) > most || height_of(g) > most) {
        return error_set(TOILE_ERROR_MEMORY,
                         "a cloth of %d x %d texels: expected at most %d along a side, which is "
                         "what the OpenGL driver's textures hold; use a larger spacing or device "
                         "\"cpu\"",
                         g->columns, g->rows, most - 2 * FRAGMENT_HALO);
    }
    memset(cloth->texels, 0, texels_of(g) * 4 * sizeof(float));
    for (int t = 0; t < TEXTURE_COUNT; t++) {
        cloth->textures[t] =
            make_texture(GL_RGBA32F, GL_RGBA, width_of(g), height_of(g), cloth->texels);
    }
    cloth->tables = make_texture(GL_RG32F, GL_RG, width_of(g), height_of(g), cloth->texels);
    glGenBuffers(1, &cloth->block);
    make_pins(cloth);
    toile_result result = context_check("making room for a cloth");
    return result == TOILE_OK ? make_frames(cloth) : result;
}

device_cloth *fragment_cloth_create(device_context *gl, const panel *p, const grid *g) {
    device_cloth *cloth = memory_alloc(1, sizeof *cloth, "a cloth");
    if (!cloth) {
        return NULL;
    }
    *cloth = (device_cloth){.gl = gl, .panel = p, .grid = *g};
    cloth->texels = memory_alloc(texels_of(g), 4 * sizeof(float), "the state of a cloth");
    context_before before;
    toile_result result = cloth->texels ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = context_enter(&gl->machine->context, &before);
    }
    if (result == TOILE_OK) {
        result = create_in_context(cloth);
        context_leave(&gl->machine->context, &before);
    }
    if (result != TOILE_OK) {
        fragment_cloth_destroy(cloth);
        return NULL;
    }
    return cloth;
}

void fragment_cloth_destroy(device_cloth *cloth) {
    if (!cloth) {
        return;
    }
    context_before before;
    if (context_enter(&cloth->gl->machine->context, &before) == TOILE_OK) {
        glDeleteFramebuffers(TEXTURE_COUNT, cloth->frames);
        glDeleteFramebuffers(4, cloth->both[0]);
        glDeleteFramebuffers(
            3, (GLuint[]){cloth->stretched.frame, cloth->touched.frame, cloth->bad.frame});
        glDeleteTextures(TEXTURE_COUNT, cloth->textures);
        glDeleteTextures(4, (GLuint[]){cloth->tables, cloth->stretched.texture,
                                       cloth->touched.texture, cloth->bad.texture});
        glDeleteVertexArrays(1, &cloth->pins_array);
        glDeleteBuffers(2, (GLuint[]){cloth->block, cloth->pins});
        context_leave(&cloth->gl->machine->context, &before);
    }
    free(cloth->texels);
    free(cloth);
}

size_t fragment_cloth_bytes(const device_cloth *cloth) {
    return texels_of(&cloth->grid) * (4 * TEXTURE_COUNT + 2) * sizeof(float);
}

/* ---- reading and writing -----------------------------------------------------------------------
 */

static bool enter(device_context *gl, context_before *before) {
    if (context_enter(&gl->machine->context, before) == TOILE_OK) {
        return true;
    }
    gl->failed = true;
    snprintf(gl->failure, sizeof gl->failure, "%s", toile_error_message());
    return false;
}

/* An error that nobody can be told about is kept for the next step. */
static void leave(device_context *gl, const context_before *before, const char *doing) {
    if (context_check(doing) != TOILE_OK && !gl->failed) {
        gl->failed = true;
        snprintf(gl->failure, sizeof gl->failure, "%s", toile_error_message());
    }
    context_leave(&gl->machine->context, before);
}

/* The texture of a field; TEXTURE_COUNT for those that only other solvers have. */
static fragment_texture texture_of(const device_cloth *cloth, device_field field) {
    return field == FIELD_POSITION   ? (fragment_texture)(TEXTURE_x0 + cloth->x)
           : field == FIELD_VELOCITY ? (fragment_texture)(TEXTURE_v0 + cloth->v)
                                     : TEXTURE_COUNT;
}

void fragment_write_inverse_mass(device_cloth *cloth, const float *inverse_mass) {
    const grid *g = &cloth->grid;
    context_before before;
    if (!enter(cloth->gl, &before)) {
        return;
    }
    float *out = cloth->texels;
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            *out++ = *inverse_mass++;
            *out++ = cloth->panel->coverage[grid_index(g, i, j)];
        }
    }
    glBindTexture(GL_TEXTURE_2D, cloth->tables);
    glTexSubImage2D(GL_TEXTURE_2D, 0, FRAGMENT_HALO, FRAGMENT_HALO, g->columns, g->rows, GL_RG,
                    GL_FLOAT, cloth->texels);
    leave(cloth->gl, &before, "writing the masses of a cloth");
}

void fragment_write(device_cloth *cloth, device_field field, const float *values) {
    const grid *g = &cloth->grid;
    context_before before;
    fragment_texture to = texture_of(cloth, field);
    if (to == TEXTURE_COUNT || !enter(cloth->gl, &before)) {
        return;
    }
    for (size_t k = 0; k < grid_texels(g); k++) {
        memcpy(cloth->texels + 4 * k, values + 3 * k, 3 * sizeof(float));
        cloth->texels[4 * k + 3] = 0.0f;
    }
    glBindTexture(GL_TEXTURE_2D, cloth->textures[to]);
    glTexSubImage2D(GL_TEXTURE_2D, 0, FRAGMENT_HALO, FRAGMENT_HALO, g->columns, g->rows, GL_RGBA,
                    GL_FLOAT, cloth->texels);
    leave(cloth->gl, &before, "writing to a cloth");
}

void fragment_read(const device_cloth *cloth, device_field field, float *values) {
    const grid *g = &cloth->grid;
    context_before before;
    fragment_texture from = texture_of(cloth, field);
    memset(values, 0, 3 * grid_texels(g) * sizeof(float));
    if (from == TEXTURE_COUNT || !enter(cloth->gl, &before)) {
        return;
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, cloth->frames[from]);
    glReadPixels(FRAGMENT_HALO, FRAGMENT_HALO, g->columns, g->rows, GL_RGBA, GL_FLOAT,
                 cloth->texels);
    for (size_t k = 0; k < grid_texels(g); k++) {
        memcpy(values + 3 * k, cloth->texels + 4 * k, 3 * sizeof(float));
    }
    leave(cloth->gl, &before, "reading a cloth");
}

static void copy_texture(const device_cloth *cloth, int from, int to) {
    int width = width_of(&cloth->grid), height = height_of(&cloth->grid);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, cloth->frames[from]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, cloth->frames[to]);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

void fragment_keep(const device_cloth *cloth) {
    copy_texture(cloth, TEXTURE_x0 + cloth->x, TEXTURE_backup_x);
    copy_texture(cloth, TEXTURE_v0 + cloth->v, TEXTURE_backup_v);
}

void fragment_restore(const device_cloth *cloth) {
    copy_texture(cloth, TEXTURE_backup_x, TEXTURE_x0 + cloth->x);
    copy_texture(cloth, TEXTURE_backup_v, TEXTURE_v0 + cloth->v);
}
