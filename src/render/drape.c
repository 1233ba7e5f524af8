#include "render/drape.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gl/context.h"
#include "render/program.h"
#include "render/shaders.h"

/* Pixels that vertices are dealt out to while their extent is found: blending waits less for each
 * other than in one. */
enum { EXTENT_COLUMNS = 256 };

static const int WIDTH[GEOMETRY_TINT] = {3, 3, 2};

/* ---- opening and closing ------------------------------------------------------------------------
 */

static toile_result make_programs(drape_store *s) {
    const char *const captured[2] = {"position", "normal"};
    toile_result result = program_capture("drape", (const char *const[]){shader_drape_vert, NULL},
                                          captured, &s->project);
    if (result == TOILE_OK) {
        result = program_make("extent", (const char *const[]){shader_extent_vert, NULL},
                              (const char *const[]){shader_extent_frag, NULL}, &s->extent);
    }
    if (result == TOILE_OK) {
        s->layout_of_planes = glGetUniformLocation(s->project, "layout_of_planes");
        s->share = glGetUniformLocation(s->project, "share");
        glUseProgram(s->project);
        glUniform1i(glGetUniformLocation(s->project, "before"), 0);
        glUniform1i(glGetUniformLocation(s->project, "after"), 1);
        glUseProgram(s->extent);
        glUniform1i(glGetUniformLocation(s->extent, "columns"), EXTENT_COLUMNS);
    }
    return result;
}

toile_result drape_store_open(drape_store *s) {
    *s = (drape_store){0};
    toile_result result = make_programs(s);
    glGenTextures(2, s->views);
    glGenTextures(2, s->pictures);
    glGenFramebuffers(1, &s->frame);
    glBindFramebuffer(GL_FRAMEBUFFER, s->frame);
    for (GLenum i = 0; i < 2; i++) {
        glBindTexture(GL_TEXTURE_2D, s->pictures[i]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, EXTENT_COLUMNS, 1, 0, GL_RGBA, GL_FLOAT, NULL);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D,
                               s->pictures[i], 0);
    }
    glDrawBuffers(2, (const GLenum[]){GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1});
    glBindTexture(GL_TEXTURE_2D, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    return result;
}

static void drape_free(drape *d) {
    glDeleteVertexArrays(1, &d->project_array);
    glDeleteBuffers(1, &d->squares);
    glDeleteBuffers(GEOMETRY_TINT, d->attributes);
    for (int i = 0; i < DRAPE_ROLES; i++) {
        glDeleteVertexArrays(1, &d->parts[i].array);
        glDeleteBuffers(1, &d->parts[i].indices);
    }
}

void drape_store_close(drape_store *s) {
    for (size_t i = 0; i < s->count; i++) {
        drape_free(&s->items[i]);
    }
    free(s->items);
    glDeleteProgram(s->project);
    glDeleteProgram(s->extent);
    glDeleteTextures(2, s->views);
    glDeleteTextures(2, s->pictures);
    glDeleteFramebuffers(1, &s->frame);
    *s = (drape_store){0};
}

void drape_store_sweep(drape_store *s) {
    size_t left = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->items[i].used) {
            s->items[i].used = false;
            s->items[left++] = s->items[i];
        } else {
            drape_free(&s->items[i]);
        }
    }
    s->count = left;
}

drape *drape_find(const drape_store *s, uint64_t pattern) {
    for (size_t i = 0; i < s->count; i++) {
        if (s->items[i].pattern == pattern) {
            return &s->items[i];
        }
    }
    return NULL;
}

/* ---- making one ---------------------------------------------------------------------------------
 */

/* Words of a square as drape.vert has them. */
enum { SQUARE_WORDS = 3 };

static void put_square(const draw_texels *t, size_t vertex, uint32_t *words) {
    const toile_square *square = &t->squares[vertex];
    const uint32_t columns = (uint32_t)t->columns;
    words[0] =
        (uint32_t)t->first + square->texel / columns * (uint32_t)t->row + square->texel % columns;
    memcpy(words + 1, square->fraction, sizeof square->fraction);
}

static void fill_buffer(GLuint *buffer, size_t bytes, const void *data, GLenum use) {
    glGenBuffers(1, buffer);
    glBindBuffer(GL_ARRAY_BUFFER, *buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, data, use);
}

/* Squares and coordinates of the vertices in the order in which they are drawn. */
static toile_result make_vertices(drape *d, const draw_cloth *cloth) {
    const mesh_view *mesh = &cloth->mesh;
    uint32_t *squares = memory_alloc(d->vertices, SQUARE_WORDS * sizeof *squares, "a cloth");
    float *coordinates = memory_alloc(d->vertices, 2 * sizeof *coordinates, "a cloth");
    toile_result result = squares && coordinates ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < d->vertices && result == TOILE_OK; i++) {
        const size_t vertex = d->apart ? mesh->indices[i] : i;
        put_square(cloth->texels, vertex, squares + SQUARE_WORDS * i);
        memcpy(coordinates + 2 * i, mesh->coordinates + 2 * vertex, 2 * sizeof *coordinates);
    }
    if (result == TOILE_OK) {
        const size_t floats = d->vertices * sizeof(float);
        fill_buffer(&d->squares, SQUARE_WORDS * floats, squares, GL_STATIC_DRAW);
        fill_buffer(&d->attributes[GEOMETRY_POSITION], 3 * floats, NULL, GL_STREAM_COPY);
        fill_buffer(&d->attributes[GEOMETRY_NORMAL], 3 * floats, NULL, GL_STREAM_COPY);
        fill_buffer(&d->attributes[GEOMETRY_COORDINATES], 2 * floats, coordinates, GL_STATIC_DRAW);
    }
    free(squares);
    free(coordinates);
    return result;
}

/* Triangles of the vertices of a cloth. */
static void make_part(drape *d, drape_role role, const uint32_t *indices, size_t count) {
    drape_part *part = &d->parts[role];
    const int attributes = role == DRAPE_SEEN ? GEOMETRY_TINT : 1;
    glDeleteVertexArrays(1, &part->array);
    glDeleteBuffers(1, &part->indices);
    *part = (drape_part){.count = count};
    glGenVertexArrays(1, &part->array);
    glBindVertexArray(part->array);
    for (GLuint i = 0; i < (GLuint)attributes; i++) {
        glBindBuffer(GL_ARRAY_BUFFER, d->attributes[i]);
        glVertexAttribPointer(i, WIDTH[i], GL_FLOAT, GL_FALSE, 0, NULL);
        glEnableVertexAttribArray(i);
    }
    glGenBuffers(1, &part->indices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, part->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *indices), indices,
                 GL_STATIC_DRAW);
    glBindVertexArray(0);
}

static void make_projection(drape *d) {
    const GLsizei stride = SQUARE_WORDS * sizeof(uint32_t);
    glGenVertexArrays(1, &d->project_array);
    glBindVertexArray(d->project_array);
    glBindBuffer(GL_ARRAY_BUFFER, d->squares);
    glVertexAttribIPointer(0, 1, GL_UNSIGNED_INT, stride, NULL);
    /* OpenGL takes an offset for a pointer. NOLINTNEXTLINE(performance-no-int-to-ptr) */
    glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, stride, (const void *)sizeof(uint32_t));
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glBindVertexArray(0);
}

static toile_result make_seen(drape *d, const mesh_view *mesh) {
    const size_t corners = 3 * mesh->triangles;
    uint32_t *numbers = memory_alloc(corners, sizeof *numbers, "a cloth");
    if (!numbers) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < corners; i++) {
        numbers[i] = d->apart ? (uint32_t)i : mesh->indices[i];
    }
    make_part(d, DRAPE_SEEN, numbers, corners);
    free(numbers);
    return TOILE_OK;
}

static toile_result add_drape(drape_store *s, const draw_cloth *cloth, bool apart, drape **out) {
    drape *items = memory_grow(s->items, s->count, &s->capacity, sizeof *items, "cloths");
    if (!items) {
        return TOILE_ERROR_MEMORY;
    }
    s->items = items;
    drape made = {.pattern = cloth->pattern,
                  .apart = apart,
                  .vertices = apart ? 3 * cloth->mesh.triangles : cloth->mesh.vertices};
    toile_result result = make_vertices(&made, cloth);
    if (result == TOILE_OK) {
        result = make_seen(&made, &cloth->mesh);
    }
    if (result != TOILE_OK) {
        drape_free(&made);
        return result;
    }
    make_projection(&made);
    items[s->count] = made;
    *out = &items[s->count++];
    return TOILE_OK;
}

static toile_result get_drape(drape_store *s, const draw_cloth *cloth, bool apart, drape **out) {
    drape *d = drape_find(s, cloth->pattern);
    if (d && d->apart != apart) {
        drape_free(d);
        *d = s->items[--s->count];
        d = NULL;
    }
    *out = d;
    return d ? TOILE_OK : add_drape(s, cloth, apart, out);
}

/* ---- a frame ------------------------------------------------------------------------------------
 */

static void bind_texels(const drape_store *s, const GLuint buffers[2]) {
    for (GLenum i = 2; i-- > 0;) {
        glActiveTexture(GL_TEXTURE0 + i);
        glBindTexture(GL_TEXTURE_BUFFER, buffers ? s->views[i] : 0);
        if (buffers) {
            glTexBuffer(GL_TEXTURE_BUFFER, GL_R32F, buffers[i]);
        }
    }
}

static void capture(const drape_store *s, const drape *d, const draw_texels *t) {
    bind_texels(s, (const GLuint[2]){t->before, t->after});
    glUseProgram(s->project);
    glUniform2i(s->layout_of_planes, (GLint)t->plane, (GLint)t->row);
    glUniform1f(s->share, t->share);
    glBindVertexArray(d->project_array);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, d->attributes[GEOMETRY_POSITION]);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1, d->attributes[GEOMETRY_NORMAL]);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, (GLsizei)d->vertices);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1, 0);
    bind_texels(s, NULL);
}

/* Every vertex is a point on one of some pixels, where the largest of each coordinate stays. */
static void find_extent(const drape_store *s, const drape *d) {
    const GLfloat lowest[4] = {-FLT_MAX, -FLT_MAX, -FLT_MAX, 0.0f};
    glViewport(0, 0, EXTENT_COLUMNS, 1);
    glClearBufferfv(GL_COLOR, 0, lowest);
    glClearBufferfv(GL_COLOR, 1, lowest);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendEquation(GL_MAX);
    glUseProgram(s->extent);
    glBindVertexArray(d->parts[DRAPE_SEEN].array);
    glDrawArrays(GL_POINTS, 0, (GLsizei)d->vertices);
    glBindVertexArray(0);
    glBlendEquation(GL_FUNC_ADD);
    glDisable(GL_BLEND);
}

static draw_bounds read_extent(void) {
    GLfloat pixels[2][EXTENT_COLUMNS][4];
    for (GLenum i = 0; i < 2; i++) {
        glReadBuffer(GL_COLOR_ATTACHMENT0 + i);
        glReadPixels(0, 0, EXTENT_COLUMNS, 1, GL_RGBA, GL_FLOAT, pixels[i]);
    }
    draw_bounds b = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (int i = 0; i < EXTENT_COLUMNS; i++) {
        for (int axis = 0; axis < 3; axis++) {
            b.high[axis] = fmaxf(b.high[axis], pixels[0][i][axis]);
            b.low[axis] = fminf(b.low[axis], -pixels[1][i][axis]);
        }
    }
    return b;
}

toile_result drape_project(drape_store *s, const draw_cloth *cloth, bool apart,
                           draw_bounds *bounds) {
    drape *d;
    toile_result result = get_drape(s, cloth, apart, &d);
    if (result != TOILE_OK) {
        return result;
    }
    d->used = true;
    glBindFramebuffer(GL_FRAMEBUFFER, s->frame);
    capture(s, d, cloth->texels);
    find_extent(s, d);
    *bounds = read_extent();
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    return context_check("projecting a cloth");
}

/* ---- shadows ------------------------------------------------------------------------------------
 */

/* A corner of a triangle for each vertex: where triangles share none, that is its number. */
static uint32_t *find_corners(const mesh_view *mesh) {
    uint32_t *corners = memory_alloc(mesh->vertices, sizeof *corners, "the shadow of a cloth");
    for (size_t i = 0; corners && i < 3 * mesh->triangles; i++) {
        corners[mesh->indices[i]] = (uint32_t)i;
    }
    return corners;
}

toile_result drape_cast(drape *d, drape_role role, const mesh_view *mesh, const coarse_plan *plan) {
    if (d->parts[role].array && d->parts[role].cell == plan->cell) {
        return TOILE_OK;
    }
    const size_t count = 3 * plan->triangles;
    uint32_t *corners = d->apart ? find_corners(mesh) : NULL;
    uint32_t *numbers = memory_alloc(count, sizeof *numbers, "the shadow of a cloth");
    if (!numbers || (d->apart && !corners)) {
        free(corners);
        free(numbers);
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t vertex = plan->vertices[plan->indices[i]];
        numbers[i] = corners ? corners[vertex] : vertex;
    }
    make_part(d, role, numbers, count);
    d->parts[role].cell = plan->cell;
    free(corners);
    free(numbers);
    return TOILE_OK;
}

void drape_draw(const drape *d, drape_role role) {
    const drape_part *part = &d->parts[role];
    if (part->count > 0) {
        glBindVertexArray(part->array);
        glDrawElements(GL_TRIANGLES, (GLsizei)part->count, GL_UNSIGNED_INT, NULL);
    }
}

void drape_draw_all(const drape_store *s, drape_role role) {
    for (size_t i = 0; i < s->count; i++) {
        drape_draw(&s->items[i], role);
    }
}
