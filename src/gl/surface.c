#include "gl/surface.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/mapping.h"
#include "kernel/triangle.h"

/* Cells. Where the end of what is drawn of a triangle is nearer than this to a texel, the texel is
 * drawn as a point too: rasterisers place corners on a raster of 1/256 pixel. Likewise where two
 * triangles are as near to it, up to this in squares. */
static const float SURE = 1.0f / 64.0f, SURELY_NEARER = 1e-3f;

/* Words of a stray: column and row as floats, three vertices, two weights. */
enum { STRAY_WORDS = 7, SQUARE_WORDS = 3, VERTEX_FLOATS = 6 };

static atomic_bool preferred;

void surface_prefer(bool drawn) {
    atomic_store(&preferred, drawn);
}

bool surface_is_preferred(void) {
    return atomic_load(&preferred);
}

/* ---- what is drawn ------------------------------------------------------------------------------
 */

/* Corners and, between each and the next, the first again where their edge is an outer one, or else
 * the third. */
static void list_triangles(const flat_mesh *mesh, const uint8_t *outer, uint32_t *out) {
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corners = mesh->indices + 3 * t;
        for (size_t k = 0; k < 3; k++) {
            *out++ = corners[k];
            *out++ = outer[t] >> k & 1 ? corners[k] : corners[(k + 2) % 3];
        }
    }
}

/* The region that is drawn of a triangle with its borders: on the inner side of three lines and
 * within a box, in cells from its first corner. */
typedef struct drawn_region {
    v3 lines[3]; /* of unit normals */
    double low[2], high[2];
} drawn_region;

static drawn_region get_region(const flat_mesh *mesh, size_t triangle, uint8_t outer,
                               double spacing) {
    const uint32_t *corners = mesh->indices + 3 * triangle;
    drawn_region r = {.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
    float at[3][2];
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 2; axis++) {
            const double from = (double)mesh->uv[2 * (size_t)corners[0] + (size_t)axis];
            const double place = (double)mesh->uv[2 * (size_t)corners[k] + (size_t)axis];
            at[k][axis] = (float)((place - from) / spacing);
            r.low[axis] = fmin(r.low[axis], (double)at[k][axis] - 0.5);
            r.high[axis] = fmax(r.high[axis], (double)at[k][axis] + 0.5);
        }
    }
    for (int k = 0; k < 3; k++) {
        const float *a = at[k], *b = at[(k + 1) % 3];
        v3 line = line_through(a[0], a[1], b[0], b[1]);
        line = v3_scale(line, 1.0f / hypotf(line.x, line.y));
        r.lines[k] = outer >> k & 1 ? line_shift_by_cell(line, 1.0f) : line;
    }
    return r;
}

/* slack: how far outside counts as in. */
static bool is_in(const drawn_region *r, float u, float v, float slack) {
    for (int k = 0; k < 3; k++) {
        if (line_side(r->lines[k], u, v) > slack) {
            return false;
        }
    }
    return (double)(u + slack) >= r->low[0] && (double)(u - slack) <= r->high[0] &&
           (double)(v + slack) >= r->low[1] && (double)(v - slack) <= r->high[1];
}

/* Squared distance of a place from a triangle, in cells. */
static float squared_distance(const panel *p, const uint32_t corners[3], double column,
                              double row) {
    v3 at[3];
    for (int k = 0; k < 3; k++) {
        const float *uv = p->coarse.uv + 2 * (size_t)corners[k];
        at[k] = v3_make((float)((double)uv[0] / (double)p->grid.spacing - column),
                        (float)((double)uv[1] / (double)p->grid.spacing - row), 0.0f);
    }
    const v3 zero = v3_make(0.0f, 0.0f, 0.0f), up = v3_make(0.0f, 0.0f, 1.0f);
    const v3 offset = v4_xyz(triangle_offset(zero, at[0], at[1], at[2], up));
    return v3_dot(offset, offset);
}

/* What is known about a texel beyond its triangle's edges: the borders of its triangle are sure to
 * reach it; another triangle's may win it. */
enum { REACHED = 1, CONTESTED = 2 };

static uint8_t judge(const panel *p, const uint32_t corners[3], const drawn_region *r, int column,
                     int row, float u, float v) {
    const size_t at = (size_t)row * (size_t)p->grid.columns + (size_t)column;
    const uint32_t *own = p->sampling.vertices + 3 * at;
    if (memcmp(own, corners, 3 * sizeof *corners) == 0) {
        return is_in(r, u, v, -SURE) ? REACHED : 0;
    }
    const bool wins = p->mask[at] && is_in(r, u, v, SURE) &&
                      squared_distance(p, corners, column, row) <
                          squared_distance(p, own, column, row) + SURELY_NEARER;
    return wins ? CONTESTED : 0;
}

static void judge_around(const panel *p, size_t triangle, uint8_t outer, uint8_t *known) {
    const grid *g = &p->grid;
    const uint32_t *corners = p->coarse.indices + 3 * triangle;
    const double spacing = (double)g->spacing, slack = (double)SURE;
    const drawn_region r = get_region(&p->coarse, triangle, outer, spacing);
    const double u0 = (double)p->coarse.uv[2 * (size_t)corners[0]] / spacing;
    const double v0 = (double)p->coarse.uv[2 * (size_t)corners[0] + 1] / spacing;
    const int first = (int)fmax(ceil(r.low[0] + u0 - slack), 0.0);
    const int last = (int)fmin(floor(r.high[0] + u0 + slack), g->columns - 1.0);
    const int top = (int)fmin(floor(r.high[1] + v0 + slack), g->rows - 1.0);
    for (int row = (int)fmax(ceil(r.low[1] + v0 - slack), 0.0); row <= top; row++) {
        for (int column = first; column <= last; column++) {
            known[(size_t)row * (size_t)g->columns + (size_t)column] |=
                judge(p, corners, &r, column, row, (float)(column - u0), (float)(row - v0));
        }
    }
}

static void put_float(uint32_t *word, float value) {
    memcpy(word, &value, sizeof value);
}

/* Lists the texels outside of their triangle that its borders alone are not sure to reach; returns
 * how many. out may be NULL. */
static size_t list_strays(const panel *p, const uint8_t *known, uint32_t *out) {
    size_t count = 0;
    for (size_t t = 0; t < grid_texels(&p->grid); t++) {
        const float *w = p->sampling.weights + 3 * t;
        bool inside = w[0] >= 0.0f && w[1] >= 0.0f && w[2] >= 0.0f;
        if (!p->mask[t] || inside || known[t] == REACHED) {
            continue;
        }
        if (out) {
            uint32_t *words = out + STRAY_WORDS * count;
            const size_t column = t % (size_t)p->grid.columns, row = t / (size_t)p->grid.columns;
            put_float(words, (float)column);
            put_float(words + 1, (float)row);
            memcpy(words + 2, p->sampling.vertices + 3 * t, 3 * sizeof *words);
            put_float(words + 5, w[1]);
            put_float(words + 6, w[2]);
        }
        count++;
    }
    return count;
}

static void list_squares(const panel *p, uint32_t *words) {
    const projection *to = &p->coarse_projection;
    const uint32_t columns = (uint32_t)p->grid.columns;
    for (size_t v = 0; v < p->coarse.vertex_count; v++, words += SQUARE_WORDS) {
        const uint32_t texel = to->texels[v];
        words[0] = (uint32_t)grid_index(&p->grid, (int)(texel % columns), (int)(texel / columns));
        put_float(words + 1, to->fractions[2 * v]);
        put_float(words + 2, to->fractions[2 * v + 1]);
    }
}

/* ---- making it ----------------------------------------------------------------------------------
 */

static toile_result make_buffer(gl_surface *s, GLuint *buffer, size_t bytes, const void *data) {
    glGenBuffers(1, buffer);
    glBindBuffer(GL_ARRAY_BUFFER, *buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, data, GL_STATIC_DRAW);
    s->bytes += bytes;
    return context_check("making room for a surface");
}

static toile_result make_lists(gl_surface *s, const panel *p, const uint8_t *outer,
                               const uint8_t *known) {
    const size_t strays = list_strays(p, known, NULL);
    const size_t sizes[3] = {6 * (size_t)p->coarse.triangle_count, STRAY_WORDS * (strays + 1),
                             SQUARE_WORDS * (size_t)p->coarse.vertex_count};
    GLuint *const buffers[3] = {&s->indices, &s->strays, &s->squares};
    size_t most = sizes[0] > sizes[1] ? sizes[0] : sizes[1];
    uint32_t *words =
        memory_alloc(most > sizes[2] ? most : sizes[2], sizeof *words, "a surface's lists");
    toile_result result = words ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (int i = 0; i < 3 && result == TOILE_OK; i++) {
        if (i == 0) {
            list_triangles(&p->coarse, outer, words);
        } else if (i == 1) {
            list_strays(p, known, words);
        } else {
            list_squares(p, words);
        }
        result = make_buffer(s, buffers[i], sizes[i] * sizeof *words, words);
    }
    free(words);
    s->stray_count = (int)strays;
    s->index_count = (int)sizes[0];
    return result;
}

static toile_result make_tables(gl_surface *s, const panel *p) {
    uint8_t *outer = flat_mesh_outer_edges(&p->coarse);
    uint8_t *known = memory_alloc(grid_texels(&p->grid), 1, "a surface's texels");
    toile_result result = outer && known ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t t = 0; result == TOILE_OK && t < p->coarse.triangle_count; t++) {
        if (outer[t]) {
            judge_around(p, t, outer[t], known);
        }
    }
    if (result == TOILE_OK) {
        result = make_lists(s, p, outer, known);
    }
    free(outer);
    free(known);
    return result;
}

static void set_attribute(GLuint slot, GLint size, GLsizei stride, size_t offset, bool whole) {
    /* OpenGL takes an offset for a pointer. NOLINTNEXTLINE(performance-no-int-to-ptr) */
    const void *begin = (const void *)offset;
    glEnableVertexAttribArray(slot);
    if (whole) {
        glVertexAttribIPointer(slot, size, GL_UNSIGNED_INT, stride, begin);
    } else {
        glVertexAttribPointer(slot, size, GL_FLOAT, GL_FALSE, stride, begin);
    }
}

static void make_arrays(gl_surface *s) {
    const GLsizei word = sizeof(uint32_t);
    glGenVertexArrays(1, &s->sample_array);
    glBindVertexArray(s->sample_array);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->indices);
    glBindBuffer(GL_ARRAY_BUFFER, s->places);
    set_attribute(0, 2, 2 * word, 0, false);
    glGenVertexArrays(1, &s->stray_array);
    glBindVertexArray(s->stray_array);
    glBindBuffer(GL_ARRAY_BUFFER, s->strays);
    set_attribute(0, 2, STRAY_WORDS * word, 0, false);
    set_attribute(1, 3, STRAY_WORDS * word, 2 * sizeof(uint32_t), true);
    set_attribute(2, 2, STRAY_WORDS * word, 5 * sizeof(uint32_t), false);
    glGenVertexArrays(1, &s->project_array);
    glBindVertexArray(s->project_array);
    glBindBuffer(GL_ARRAY_BUFFER, s->squares);
    set_attribute(0, 1, SQUARE_WORDS * word, 0, true);
    set_attribute(1, 2, SQUARE_WORDS * word, sizeof(uint32_t), false);
    glBindVertexArray(0);
}

static void view_buffer(const gl_surface *s, int unit, GLenum format, GLuint buffer) {
    glBindTexture(GL_TEXTURE_BUFFER, s->views[unit]);
    glTexBuffer(GL_TEXTURE_BUFFER, format, buffer);
}

static void make_views(gl_surface *s, surface_buffers of) {
    glGenTextures(SURFACE_UNITS, s->views);
    glActiveTexture(GL_TEXTURE0);
    view_buffer(s, SURFACE_UNIT_VERTICES, GL_R32F, of.vertices);
    view_buffer(s, SURFACE_UNIT_TRIANGLES, GL_R32UI, s->indices);
    view_buffer(s, SURFACE_UNIT_PLACES, GL_RG32F, s->places);
    view_buffer(s, SURFACE_UNIT_PLANES, GL_R32F, of.planes);
    glBindTexture(GL_TEXTURE_BUFFER, 0);
}

static toile_result make_textures(gl_surface *s) {
    const GLsizei columns = s->grid.columns, rows = s->grid.rows;
    glGenFramebuffers(1, &s->frame);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, s->frame);
    glGenTextures(2, s->textures);
    for (GLenum i = 0; i < 2; i++) {
        glBindTexture(GL_TEXTURE_2D, s->textures[i]);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32F, columns, rows);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D,
                               s->textures[i], 0);
    }
    glBindTexture(GL_TEXTURE_2D, 0);
    glGenRenderbuffers(1, &s->depth);
    glBindRenderbuffer(GL_RENDERBUFFER, s->depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, columns, rows);
    glFramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, s->depth);
    glDrawBuffers(2, (const GLenum[]){GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1});
    const GLenum status = glCheckFramebufferStatus(GL_DRAW_FRAMEBUFFER);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    s->bytes += grid_texels(&s->grid) * (2 * 4 + 1) * sizeof(float);
    toile_result result = context_check("making textures for a surface");
    if (result == TOILE_OK && status != GL_FRAMEBUFFER_COMPLETE) {
        result = error_set(TOILE_ERROR_UNAVAILABLE,
                           "the OpenGL driver cannot draw to textures of 32-bit floats (0x%04x)",
                           status);
    }
    return result;
}

static toile_result check_size(const grid *g) {
    GLint most = 0, view = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &view);
    if (VERTEX_FLOATS * g->size > (size_t)view) {
        return error_set(TOILE_ERROR_MEMORY,
                         "a grid of %d x %d texels: expected at most %d floats in two vectors a "
                         "texel, which is what the OpenGL driver reads as a texture",
                         g->columns, g->rows, (int)view);
    }
    if (g->columns > most || g->rows > most) {
        return error_set(TOILE_ERROR_MEMORY,
                         "a grid of %d x %d texels: expected at most %d along a side, which is "
                         "what the OpenGL driver has textures for",
                         g->columns, g->rows, (int)most);
    }
    return TOILE_OK;
}

toile_result surface_make(gl_surface *s, machine *m, const panel *p, surface_buffers of) {
    *s = (gl_surface){.machine = m, .grid = p->grid, .vertex_count = (int)p->coarse.vertex_count};
    const size_t vertices = p->coarse.vertex_count;
    toile_result result = check_size(&s->grid);
    if (result == TOILE_OK) {
        result = surface_programs_make(&m->surface);
    }
    if (result == TOILE_OK) {
        result = make_buffer(s, &s->places, 2 * vertices * sizeof(float), p->coarse.uv);
    }
    if (result == TOILE_OK) {
        result = make_buffer(s, &s->projected, VERTEX_FLOATS * vertices * sizeof(float), NULL);
    }
    if (result == TOILE_OK) {
        result = make_tables(s, p);
    }
    if (result == TOILE_OK) {
        make_arrays(s);
        make_views(s, of);
        result = make_textures(s);
    }
    if (result != TOILE_OK) {
        surface_free(s);
    }
    return result;
}

void surface_free(gl_surface *s) {
    glDeleteVertexArrays(3, (const GLuint[]){s->sample_array, s->stray_array, s->project_array});
    glDeleteBuffers(5,
                    (const GLuint[]){s->places, s->indices, s->strays, s->squares, s->projected});
    glDeleteTextures(2, s->textures);
    glDeleteTextures(SURFACE_UNITS, s->views);
    glDeleteFramebuffers(1, &s->frame);
    glDeleteRenderbuffers(1, &s->depth);
    *s = (gl_surface){0};
}

/* ---- using it -----------------------------------------------------------------------------------
 */

/* Binds those views, or takes them away. */
static void bind_views(const gl_surface *s, GLenum begin, GLenum end, bool on) {
    for (GLenum unit = begin; unit < end; unit++) {
        glActiveTexture(GL_TEXTURE0 + unit);
        glBindTexture(GL_TEXTURE_BUFFER, on ? s->views[unit] : 0);
    }
    glActiveTexture(GL_TEXTURE0);
}

static void draw_mesh(const gl_surface *s) {
    const surface_programs *programs = &s->machine->surface;
    glUseProgram(programs->sample);
    glUniform3f(programs->sample_raster, (float)s->grid.columns, (float)s->grid.rows,
                s->grid.spacing);
    glBindVertexArray(s->sample_array);
    glDrawElements(GL_TRIANGLES_ADJACENCY, s->index_count, GL_UNSIGNED_INT, NULL);
}

static void draw_strays(const gl_surface *s) {
    const surface_programs *programs = &s->machine->surface;
    if (s->stray_count == 0) {
        return;
    }
    glUseProgram(programs->stray);
    glUniform3f(programs->stray_raster, (float)s->grid.columns, (float)s->grid.rows,
                s->grid.spacing);
    glBindVertexArray(s->stray_array);
    glDepthFunc(GL_ALWAYS);
    glDrawArrays(GL_POINTS, 0, s->stray_count);
}

/* What shaders wrote is seen by texture fetches. */
void surface_sample(const gl_surface *s) {
    const GLfloat farthest = 1.0f;
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, s->frame);
    glViewportIndexedf(0, 0.0f, 0.0f, (float)s->grid.columns, (float)s->grid.rows);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glClearBufferfv(GL_DEPTH, 0, &farthest);
    bind_views(s, SURFACE_UNIT_VERTICES, SURFACE_UNIT_PLANES, true);
    draw_mesh(s);
    draw_strays(s);
    bind_views(s, SURFACE_UNIT_VERTICES, SURFACE_UNIT_PLANES, false);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_PROGRAM_POINT_SIZE);
    glBindVertexArray(0);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
}

void surface_project(const gl_surface *s, int first, int second) {
    const surface_programs *programs = &s->machine->surface;
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
    bind_views(s, SURFACE_UNIT_PLANES, SURFACE_UNITS, true);
    glUseProgram(programs->project);
    glUniform2i(programs->layout_of_planes, (GLint)s->grid.size, s->grid.stride);
    glUniform2i(programs->fields, first, second);
    glBindVertexArray(s->project_array);
    /* Nothing is drawn into it, but a context without a window has no other one. */
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, s->frame);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, s->projected);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, s->vertex_count);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    bind_views(s, SURFACE_UNIT_PLANES, SURFACE_UNITS, false);
    glBindVertexArray(0);
}
