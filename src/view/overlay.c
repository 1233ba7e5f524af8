#include "view/overlay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "render/program.h"
#include "view/shaders.h"

/* Points of an em. */
static const float FONT_SIZE = 13.0f;

/* position, place, shape, color: as in overlay.vert. */
static const int WIDTHS[] = {2, 2, 4, 4};
enum { ATTRIBUTES = 4, VERTEX_FLOATS = 12 };

toile_result overlay_open(overlay *o) {
    *o = (overlay){0};
    toile_result result =
        program_make("overlay", (const char *const[]){shader_overlay_vert, NULL},
                     (const char *const[]){shader_overlay_frag, NULL}, &o->program);
    if (result != TOILE_OK) {
        return result;
    }
    o->size = glGetUniformLocation(o->program, "size");
    glGenVertexArrays(1, &o->vertex_array);
    glGenBuffers(1, &o->buffer);
    glBindVertexArray(o->vertex_array);
    glBindBuffer(GL_ARRAY_BUFFER, o->buffer);
    size_t offset = 0;
    for (GLuint i = 0; i < ATTRIBUTES; i++) {
        /* OpenGL takes an offset for a pointer. NOLINTNEXTLINE(performance-no-int-to-ptr) */
        const void *start = (const void *)offset;
        glVertexAttribPointer(i, WIDTHS[i], GL_FLOAT, GL_FALSE, VERTEX_FLOATS * sizeof(float),
                              start);
        glEnableVertexAttribArray(i);
        offset += (size_t)WIDTHS[i] * sizeof(float);
    }
    glBindVertexArray(0);
    return TOILE_OK;
}

void overlay_close(overlay *o) {
    glDeleteProgram(o->program);
    glDeleteTextures(1, &o->texture);
    glDeleteVertexArrays(1, &o->vertex_array);
    glDeleteBuffers(1, &o->buffer);
    font_free(&o->font);
    free(o->vertices);
    *o = (overlay){0};
}

toile_result overlay_set_scale(overlay *o, float scale) {
    if (scale == o->scale) {
        return TOILE_OK;
    }
    font next;
    toile_result result = font_make(&next, FONT_SIZE * scale);
    if (result != TOILE_OK) {
        return result;
    }
    font_free(&o->font);
    o->font = next;
    o->scale = scale;
    glDeleteTextures(1, &o->texture);
    glGenTextures(1, &o->texture);
    glBindTexture(GL_TEXTURE_2D, o->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, next.width, next.height, 0, GL_RED, GL_UNSIGNED_BYTE,
                 next.pixels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return TOILE_OK;
}

/* ---- shapes -------------------------------------------------------------------------------------
 */

/* What is drawn of a quad: corners in order around it, and what they stand for. */
typedef struct quad {
    float corners[4][2], places[4][2];
    float shape[4];
    ink color;
} quad;

/* Without memory the overlay is incomplete: nobody is helped by more. */
static bool reserve(overlay *o, size_t floats) {
    if (o->count + floats <= o->capacity) {
        return true;
    }
    size_t capacity = 2 * (o->count + floats);
    float *vertices = realloc(o->vertices, capacity * sizeof *vertices);
    if (vertices) {
        o->vertices = vertices;
        o->capacity = capacity;
    }
    return vertices;
}

static void add_quad(overlay *o, const quad *q) {
    static const int ORDER[6] = {0, 1, 2, 0, 2, 3};
    if (!reserve(o, 6 * VERTEX_FLOATS)) {
        return;
    }
    for (int i = 0; i < 6; i++) {
        float *v = o->vertices + o->count;
        memcpy(v, q->corners[ORDER[i]], 2 * sizeof *v);
        memcpy(v + 2, q->places[ORDER[i]], 2 * sizeof *v);
        memcpy(v + 4, q->shape, 4 * sizeof *v);
        memcpy(v + 8, &q->color, 4 * sizeof *v);
        o->count += VERTEX_FLOATS;
    }
}

/* Of the middle, the direction of the width, and half the sizes; a pixel more is drawn around it,
 * for soft edges. */
static void add_shape(overlay *o, const float middle[2], const float along[2], const float half[2],
                      float radius, float line, ink color) {
    static const float SIGNS[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    quad q = {.shape = {half[0], half[1], radius, line}, .color = color};
    for (int i = 0; i < 4; i++) {
        float x = SIGNS[i][0] * (half[0] + 1.0f), y = SIGNS[i][1] * (half[1] + 1.0f);
        q.places[i][0] = x;
        q.places[i][1] = y;
        q.corners[i][0] = middle[0] + along[0] * x - along[1] * y;
        q.corners[i][1] = middle[1] + along[1] * x + along[0] * y;
    }
    add_quad(o, &q);
}

void overlay_box(overlay *o, float x, float y, float width, float height, float radius, ink color) {
    const float half[2] = {0.5f * width, 0.5f * height}, middle[2] = {x + half[0], y + half[1]};
    add_shape(o, middle, (const float[2]){1.0f, 0.0f}, half, fminf(radius, fminf(half[0], half[1])),
              0.0f, color);
}

void overlay_ring(overlay *o, float x, float y, float radius, float line, ink color) {
    add_shape(o, (const float[2]){x, y}, (const float[2]){1.0f, 0.0f},
              (const float[2]){radius, radius}, radius, line, color);
}

void overlay_line(overlay *o, const float from[2], const float to[2], float width, ink color) {
    float dx = to[0] - from[0], dy = to[1] - from[1], length = sqrtf(dx * dx + dy * dy);
    if (length > 0.0f) {
        const float middle[2] = {0.5f * (from[0] + to[0]), 0.5f * (from[1] + to[1])};
        add_shape(o, middle, (const float[2]){dx / length, dy / length},
                  (const float[2]){0.5f * length, 0.5f * width}, 0.5f * width, 0.0f, color);
    }
}

float overlay_text(overlay *o, float x, float y, const char *text, ink color) {
    float base = roundf(y + o->font.ascent);
    for (uint32_t letter; (letter = text_next(&text)) != 0;) {
        const glyph *g = font_glyph(&o->font, letter);
        float left = roundf(x) + (float)g->left, top = base - (float)g->top;
        float w = (float)g->width, h = (float)g->height, u = (float)g->x, v = (float)g->y;
        add_quad(
            o,
            &(quad){.corners = {{left, top}, {left + w, top}, {left + w, top + h}, {left, top + h}},
                    .places = {{u, v}, {u + w, v}, {u + w, v + h}, {u, v + h}},
                    .shape = {-1.0f},
                    .color = color});
        x += g->advance;
    }
    return x;
}

void overlay_show(overlay *o, int width, int height) {
    glViewport(0, 0, width, height);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(o->program);
    glUniform2f(o->size, (float)width, (float)height);
    glActiveTexture(GL_TEXTURE0 + UNIT_KEY_MAPS); /* 0, as samplers are from the start */
    glBindTexture(GL_TEXTURE_2D, o->texture);
    glBindVertexArray(o->vertex_array);
    glBindBuffer(GL_ARRAY_BUFFER, o->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(o->count * sizeof *o->vertices), o->vertices,
                 GL_STREAM_DRAW);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)(o->count / VERTEX_FLOATS));
    glBindVertexArray(0);
    glBindTexture(GL_TEXTURE_2D, 0);
    glDisable(GL_BLEND);
    o->count = 0;
}
