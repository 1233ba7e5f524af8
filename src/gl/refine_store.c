#include "gl/refine_store.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- limits -------------------------------------------------------------------------------------
 */

static toile_result check_limits(const refine_store *s, const machine *m, const refine_def *def,
                                 const refine_scene *scene) {
    const int columns = refine_size(def->columns, def->options.levels);
    GLint longest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &longest);
    if (s->tiles * s->side > m->largest_texture) {
        return error_set(TOILE_ERROR_INVALID,
                         "%d views of %d x %d pixels: expected at most %d pixels along a side of "
                         "all of them, which is what the OpenGL driver can do",
                         s->views, s->side, s->side, (int)m->largest_texture);
    }
    if (columns * s->views > m->largest_texture ||
        refine_size(def->rows, def->options.levels) > m->largest_texture) {
        return error_set(TOILE_ERROR_INVALID,
                         "%d columns in %d views: expected at most %d in all, which is what the "
                         "OpenGL driver can do",
                         columns, s->views, (int)m->largest_texture);
    }
    if (2 * scene->triangles + 4 > (size_t)longest || scene->vertices > (size_t)longest) {
        return error_set(TOILE_ERROR_INVALID,
                         "bodies have %zu triangles: expected at most %d, which is what the OpenGL "
                         "driver can do",
                         scene->triangles, (int)longest / 2 - 2);
    }
    return TOILE_OK;
}

/* ---- textures -----------------------------------------------------------------------------------
 */

static void set_filter(GLenum target) {
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static GLuint make_texture(GLenum format, int columns, int rows) {
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, columns, rows);
    set_filter(GL_TEXTURE_2D);
    return texture;
}

static void make_atlas(const refine_store *s, refine_atlas *a, int layers) {
    a->layers = layers;
    glGenTextures(1, &a->texture);
    glBindTexture(GL_TEXTURE_2D_ARRAY, a->texture);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA32F, s->tiles * s->side, s->tile_rows * s->side,
                   layers > 0 ? layers : 1);
    set_filter(GL_TEXTURE_2D_ARRAY);
    glGenFramebuffers(layers, a->frames);
    for (int i = 0; i < layers; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, a->frames[i]);
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, a->texture, 0, i);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, s->depth);
    }
}

static void make_images(refine_store *s, const refine_def *def) {
    const refine_options *o = &def->options;
    glGenRenderbuffers(1, &s->depth);
    glBindRenderbuffer(GL_RENDERBUFFER, s->depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, s->tiles * s->side,
                          s->tile_rows * s->side);
    make_atlas(s, &s->bodies, refine_most_layers(o));
    if (o->cloth) {
        make_atlas(s, &s->cloth, REFINE_CLOTH_LAYERS);
    }
}

static void make_grids(refine_store *s, const refine_def *def) {
    const GLenum both[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    const int columns = refine_size(def->columns, def->options.levels);
    const int rows = refine_size(def->rows, def->options.levels);
    for (int i = 0; i < REFINE_GRIDS; i++) {
        s->grids[i] = make_texture(GL_RGBA32F, columns, rows);
    }
    for (int i = 0; i < 2; i++) {
        s->marks[i] = make_texture(GL_R32I, columns, rows);
    }
    for (int i = 0; i < REFINE_GRIDS; i++) {
        glGenFramebuffers(2, s->frames[i]);
        for (int k = 0; k < 2; k++) {
            glBindFramebuffer(GL_FRAMEBUFFER, s->frames[i][k]);
            glFramebufferTexture2D(GL_FRAMEBUFFER, both[0], GL_TEXTURE_2D, s->grids[i], 0);
            glFramebufferTexture2D(GL_FRAMEBUFFER, both[1], GL_TEXTURE_2D, s->marks[k], 0);
            glDrawBuffers(2, both);
        }
    }
    s->places = make_texture(GL_RGBA32F, columns * s->views, rows);
    glGenFramebuffers(1, &s->places_frame);
    glBindFramebuffer(GL_FRAMEBUFFER, s->places_frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, both[0], GL_TEXTURE_2D, s->places, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

/* ---- buffers ------------------------------------------------------------------------------------
 */

static void make_list(refine_list *l, GLenum format, size_t bytes, const void *data) {
    glGenBuffers(1, &l->buffer);
    glBindBuffer(GL_TEXTURE_BUFFER, l->buffer);
    glBufferData(GL_TEXTURE_BUFFER, (GLsizeiptr)(bytes > 0 ? bytes : 16), data, GL_DYNAMIC_DRAW);
    glGenTextures(1, &l->texture);
    glBindTexture(GL_TEXTURE_BUFFER, l->texture);
    glTexBuffer(GL_TEXTURE_BUFFER, format, l->buffer);
}

static void make_lists(refine_store *s, const refine_scene *scene) {
    const size_t nodes = scene->triangles + 2 * scene->body_count;
    make_list(&s->nodes, GL_RGBA32F, nodes * sizeof *scene->nodes, NULL);
    make_list(&s->triangles, GL_RGB32UI, 3 * scene->triangles * sizeof *scene->corners, NULL);
    make_list(&s->start, GL_RGB32F, scene->vertices * sizeof *scene->start, NULL);
    make_list(&s->end, GL_RGB32F, scene->vertices * sizeof *scene->end, NULL);
    make_list(&s->roots, GL_R32I, scene->body_count * sizeof(GLint), NULL);
}

/* Corners of all cells of a level: two of a row, and those below them. */
static toile_result make_cells(refine_store *s, const refine_def *def, int level) {
    const GLuint columns = (GLuint)refine_size(def->columns, level);
    const GLuint rows = (GLuint)refine_size(def->rows, level);
    const size_t count = 4 * (size_t)(columns - 1) * (size_t)(rows - 1);
    GLuint *indices = memory_alloc(count, sizeof *indices, "the cells of a cloth"), *out = indices;
    if (!indices) {
        return TOILE_ERROR_MEMORY;
    }
    for (GLuint row = 0; row + 1 < rows; row++) {
        for (GLuint column = 0; column + 1 < columns; column++) {
            const GLuint at = row * columns + column;
            *out++ = at;
            *out++ = at + 1;
            *out++ = at + columns;
            *out++ = at + columns + 1;
        }
    }
    glGenVertexArrays(1, &s->cell_arrays[level]);
    glBindVertexArray(s->cell_arrays[level]);
    glGenBuffers(1, &s->cells[level]);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->cells[level]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *indices), indices,
                 GL_STATIC_DRAW);
    free(indices);
    return TOILE_OK;
}

/* The coarse grid as a vertex array; what holds it does not change. */
static toile_result make_coarse(refine_store *s, const refine_def *def, const refine_scene *scene) {
    const size_t count = (size_t)def->columns * (size_t)def->rows;
    GLint *known = memory_alloc(count, sizeof *known, "a coarse cloth");
    if (!known) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        known[i] = scene->held[i] ? REFINE_HELD : 0;
    }
    glBindVertexArray(s->cell_arrays[0]);
    glGenBuffers(1, &s->coarse);
    glBindBuffer(GL_ARRAY_BUFFER, s->coarse);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(3 * count * sizeof(float)), NULL, GL_STREAM_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    glGenBuffers(1, &s->known);
    glBindBuffer(GL_ARRAY_BUFFER, s->known);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *known), known, GL_STATIC_DRAW);
    glEnableVertexAttribArray(1);
    glVertexAttribIPointer(1, 1, GL_INT, 0, NULL);
    free(known);
    return TOILE_OK;
}

toile_result refine_store_make(refine_store *s, const machine *m, const refine_def *def,
                               const refine_scene *scene) {
    *s = (refine_store){.views = def->options.directions > 0 ? def->options.directions : 1,
                        .side = def->options.resolution,
                        .tiles = 1};
    /* No tile is left empty where that costs most. */
    s->tiles = s->views <= 3 ? s->views : s->views <= 9 ? 3 : 4;
    s->tile_rows = (s->views + s->tiles - 1) / s->tiles;
    toile_result result = check_limits(s, m, def, scene);
    if (result != TOILE_OK) {
        return result;
    }
    make_images(s, def);
    make_grids(s, def);
    make_lists(s, scene);
    for (int level = 0; level < def->options.levels && result == TOILE_OK; level++) {
        result = make_cells(s, def, level);
    }
    if (result == TOILE_OK) {
        result = make_coarse(s, def, scene);
    }
    glGenVertexArrays(1, &s->no_array);
    glGenBuffers(1, &s->numbers);
    const GLint size = (GLint)sizeof(refine_numbers), step = m->uniform_step;
    s->numbers_step = (size + step - 1) / step * step;
    glGenQueries(REFINE_MOST_LAYERS, s->drawn);
    glGenQueries(REFINE_STAMPS + 1, s->stamps);
    glBindVertexArray(0);
    return result == TOILE_OK ? context_check("making room for refined cloth") : result;
}

/* ---- end ----------------------------------------------------------------------------------------
 */

static void free_list(refine_list *l) {
    glDeleteTextures(1, &l->texture);
    glDeleteBuffers(1, &l->buffer);
}

static void free_atlas(refine_atlas *a) {
    glDeleteFramebuffers(a->layers, a->frames);
    glDeleteTextures(1, &a->texture);
}

void refine_store_free(refine_store *s) {
    free_atlas(&s->bodies);
    free_atlas(&s->cloth);
    glDeleteRenderbuffers(1, &s->depth);
    glDeleteTextures(REFINE_GRIDS, s->grids);
    glDeleteTextures(2, s->marks);
    glDeleteTextures(1, &s->places);
    glDeleteFramebuffers(2 * REFINE_GRIDS, s->frames[0]);
    glDeleteFramebuffers(1, &s->places_frame);
    refine_list *const lists[] = {&s->nodes, &s->triangles, &s->start, &s->end, &s->roots};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        free_list(lists[i]);
    }
    const GLuint buffers[] = {s->coarse, s->known, s->numbers, s->finest};
    glDeleteBuffers((GLsizei)(sizeof buffers / sizeof *buffers), buffers);
    glDeleteBuffers(REFINE_LEVELS, s->cells);
    glDeleteVertexArrays(REFINE_LEVELS, s->cell_arrays);
    glDeleteVertexArrays(1, &s->no_array);
    glDeleteQueries(REFINE_MOST_LAYERS, s->drawn);
    glDeleteQueries(REFINE_STAMPS + 1, s->stamps);
    *s = (refine_store){0};
}
