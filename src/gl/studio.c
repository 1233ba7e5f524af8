#include "gl/studio.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gl/cloth.h"
#include "kernel/triangle.h"

/* Floats of a corner: place, normal and way. */
enum { CORNER_FLOATS = 9 };

/* As map_draw.frag has them. */
typedef enum draw_what { DRAW_FIRST, DRAW_SECOND, DRAW_COUNT } draw_what;

/* A body that is being drawn. */
typedef struct sitting {
    gl_studio *studio;
    machine *machine;
    const body_map *map;
    int side;
    size_t triangles;
    GLuint images;
} sitting;

/* ---- what it takes ------------------------------------------------------------------------------
 */

static void make_picture(GLuint *picture, int side) {
    glGenTextures(1, picture);
    glBindTexture(GL_TEXTURE_2D, *picture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32F, side, side);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static toile_result prepare_programs(machine *m) {
    toile_result result = machine_prepare(m, PROGRAM_map_flood);
    if (result == TOILE_OK) {
        result = machine_prepare(m, PROGRAM_map_pack);
    }
    if (result == TOILE_OK && !m->map_drawing) {
        const shader_stage stages[2] = {{GL_VERTEX_SHADER, shader_map_draw_vert},
                                        {GL_FRAGMENT_SHADER, shader_map_draw_frag}};
        result = stages_link("map_draw", stages, 2, NULL, &m->map_drawing);
    }
    return result;
}

static void make_corners(gl_studio *s, size_t triangles) {
    const GLsizei stride = CORNER_FLOATS * sizeof(float);
    glGenVertexArrays(1, &s->array);
    glGenBuffers(1, &s->corners);
    glBindVertexArray(s->array);
    glBindBuffer(GL_ARRAY_BUFFER, s->corners);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(3 * triangles) * stride, NULL, GL_STREAM_DRAW);
    for (GLuint i = 0; i < CORNER_FLOATS / 3; i++) {
        /* OpenGL takes an offset for a pointer. NOLINTNEXTLINE(performance-no-int-to-ptr) */
        const void *begin = (const void *)(i * 3 * sizeof(float));
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, 3, GL_FLOAT, GL_FALSE, stride, begin);
    }
    glBindVertexArray(0);
}

toile_result studio_open(gl_studio *s, machine *m, const map_set *set, size_t triangles) {
    const size_t words = (size_t)set->side * (size_t)set->side;
    const int units = set->deforms ? MAP_UNITS : MAP_UNIT_FRONT_WAY;
    toile_result result = prepare_programs(m);
    s->staged = memory_alloc(3 * triangles, CORNER_FLOATS * sizeof(float), "bodies to draw");
    if (result != TOILE_OK || !s->staged) {
        return result != TOILE_OK ? result : TOILE_ERROR_MEMORY;
    }
    glGenFramebuffers(1, &s->frame);
    glBindFramebuffer(GL_FRAMEBUFFER, s->frame);
    glGenRenderbuffers(1, &s->depth);
    glBindRenderbuffer(GL_RENDERBUFFER, s->depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, set->side, set->side);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, s->depth);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    for (int unit = 0; unit < units; unit++) {
        make_picture(&s->pictures[unit], set->side);
    }
    make_corners(s, triangles);
    result = context_check("making room to draw bodies in");
    for (int i = 0; i < 2 && result == TOILE_OK; i++) {
        result = gl_make_buffer(m, &s->nearest[i], words * sizeof(uint32_t), NULL);
    }
    return result;
}

void studio_close(gl_studio *s) {
    glDeleteFramebuffers(1, &s->frame);
    glDeleteRenderbuffers(1, &s->depth);
    glDeleteTextures(MAP_UNITS, s->pictures);
    glDeleteBuffers(2, s->nearest);
    glDeleteVertexArrays(1, &s->array);
    glDeleteBuffers(1, &s->corners);
    free(s->staged);
    *s = (gl_studio){0};
}

/* Others draw in this context, too, and leave it as they like. */
static void begin_drawing(const gl_studio *s, int side) {
    glBindFramebuffer(GL_FRAMEBUFFER, s->frame);
    glBindVertexArray(s->array);
    glViewportIndexedf(0, 0.0f, 0.0f, (float)side, (float)side);
    glEnable(GL_DEPTH_CLAMP); /* what lies on the near plane is not cut off */
    glDepthFunc(GL_LESS);     /* drawn surfaces leave another one */
    glBlendFunci(0, GL_ONE, GL_ONE);
}

static void end_drawing(void) {
    glActiveTexture(GL_TEXTURE0); /* arrays of textures are set back for this unit alone */
    glDisable(GL_DEPTH_CLAMP);
    glUseProgram(0);
    glBindVertexArray(0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

/* ---- drawing ------------------------------------------------------------------------------------
 */

static void put_corner(float *out, v3 place, v3 normal, v3 way) {
    const float values[CORNER_FLOATS] = {place.x,  place.y, place.z, normal.x, normal.y,
                                         normal.z, way.x,   way.y,   way.z};
    memcpy(out, values, sizeof values);
}

static void put_still(float *out, const map_surface *surface) {
    const solid *body = surface->solid;
    for (size_t t = 0; t < body->triangle_count; t++) {
        const solid_face *f = &body->faces[t];
        const v3 places[3] = {f->a, f->b, f->c}, none = {0.0f, 0.0f, 0.0f};
        for (size_t k = 0; k < 3; k++, out += CORNER_FLOATS) {
            v3 own = body->part_normals[SOLID_PARTS * t + k];
            put_corner(out, places[k], surface->round ? own : f->normal, none);
        }
    }
}

/* As it is at the end of the step. */
static void put_moving(float *out, const solid *body) {
    for (size_t t = 0; t < body->triangle_count; t++) {
        const solid_corners *end = &body->end_corners[t];
        const solid_face *start = &body->faces[t];
        const v3 normal = triangle_normal(end->a, end->b, end->c);
        put_corner(out, end->a, normal, v3_sub(end->a, start->a));
        put_corner(out + CORNER_FLOATS, end->b, normal, v3_sub(end->b, start->b));
        put_corner(out + 2 * CORNER_FLOATS, end->c, normal, v3_sub(end->c, start->c));
        out += 3 * CORNER_FLOATS;
    }
}

static void load_surface(const gl_studio *s, const map_surface *surface) {
    size_t bytes = 3 * surface->solid->triangle_count * CORNER_FLOATS * sizeof(float);
    if (solid_deforms(surface->solid)) {
        put_moving(s->staged, surface->solid);
    } else {
        put_still(s->staged, surface);
    }
    glBindBuffer(GL_ARRAY_BUFFER, s->corners);
    glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes, s->staged);
}

static void set_vector(GLuint program, const char *name, v3 value) {
    glUniform3f(glGetUniformLocation(program, name), value.x, value.y, value.z);
}

static void set_camera(const sitting *s, int view) {
    const GLuint program = s->machine->map_drawing;
    const body_map *b = s->map;
    const int axis = map_axis(b, view);
    const float wide = (float)s->side * b->pixel;
    v3 low = maps_view(b->low, axis), high = maps_view(b->high, axis);
    high.z = high.z > low.z ? high.z : low.z + b->pixel; /* a flat sheet has a depth, too */
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "axis"), axis);
    set_vector(program, "low", low);
    set_vector(program, "high", high);
    glUniform2f(glGetUniformLocation(program, "image"), wide, wide);
    glUniform1f(glGetUniformLocation(program, "pixel"), b->pixel);
}

static void attach(const sitting *s, GLenum attachment, int unit) {
    glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D,
                           unit < 0 ? 0 : s->studio->pictures[unit], 0);
}

/* Where the next picture is drawn, and that of ways beside it, if any. */
static void begin_picture(const sitting *s, int unit, int way_unit) {
    static const GLenum both[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    const float nothing[4] = {0.0f, 0.0f, 0.0f, 0.0f}, far = 1.0f;
    attach(s, both[0], unit);
    attach(s, both[1], way_unit);
    glDrawBuffers(way_unit < 0 ? 1 : 2, both);
    glClearBufferfv(GL_COLOR, 0, nothing);
    glClearBufferfv(GL_DEPTH, 0, &far);
}

/* One picture of the body that is loaded. */
static void draw(const sitting *s, int unit, draw_what what, float direction) {
    const GLuint program = s->machine->map_drawing;
    const bool is_front = direction > 0.0f;
    const bool ways = what == DRAW_FIRST && s->map->images == MAPS_MOVING_IMAGES;
    const GLuint first = s->studio->pictures[is_front ? MAP_UNIT_FRONT : MAP_UNIT_BACK];
    begin_picture(s, unit, !ways ? -1 : is_front ? MAP_UNIT_FRONT_WAY : MAP_UNIT_BACK_WAY);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, what == DRAW_SECOND ? first : 0);
    (what == DRAW_COUNT ? glDisable : glEnable)(GL_DEPTH_TEST);
    (what == DRAW_COUNT ? glEnable : glDisable)(GL_BLEND);
    glUniform1i(glGetUniformLocation(program, "what"), (GLint)what);
    glUniform1f(glGetUniformLocation(program, "direction"), direction);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)(3 * s->triangles));
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
}

/* ---- images of pictures -------------------------------------------------------------------------
 */

static GLuint groups(int count, int size) {
    return (GLuint)((count + size - 1) / size);
}

/* number, other: as the pass understands them. */
static void over_pixels(const sitting *s, gl_program program, int view, int number, int other) {
    const compute_program *p = &s->machine->programs[program];
    const int columns = map_columns(s->map, view), rows = map_rows(s->map, view);
    const GLint call[4] = {columns, rows, number, other};
    glUseProgram(p->handle);
    glUniform4iv(p->call, 1, call);
    glDispatchCompute(groups(columns, GROUP_COLUMNS), groups(rows, GROUP_ROWS), 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

/* Leaves the nearest pixels in the first of the two buffers. */
static void flood(const sitting *s, int view) {
    GLuint *nearest = s->studio->nearest;
    int jump = 1;
    while (jump < map_columns(s->map, view) || jump < map_rows(s->map, view)) {
        jump *= 2;
    }
    for (int step = 0; jump > 0; step = jump /= 2) {
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, nearest[0]);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, nearest[1]);
        over_pixels(s, PROGRAM_map_flood, view, step, 0);
        GLuint other = nearest[0];
        nearest[0] = nearest[1];
        nearest[1] = other;
    }
}

static void bind_pictures(const sitting *s, bool on) {
    for (GLuint unit = 0; unit < MAP_UNITS; unit++) {
        glActiveTexture(GL_TEXTURE0 + unit);
        glBindTexture(GL_TEXTURE_2D, on ? s->studio->pictures[unit] : 0);
    }
}

static void pack(const sitting *s, int view) {
    const body_map *b = s->map;
    bind_pictures(s, true);
    flood(s, view);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, s->studio->nearest[0]);
    glBindImageTexture(0, s->images, 0, GL_TRUE, 0, GL_WRITE_ONLY, GL_RGBA32F);
    over_pixels(s, PROGRAM_map_pack, view, b->layer + b->images * view, b->images);
    bind_pictures(s, false);
}

toile_result studio_draw(gl_studio *s, machine *m, const map_set *set, int body,
                         const map_surface *surface, GLuint images) {
    const sitting all = {.studio = s,
                         .machine = m,
                         .map = &set->bodies[body],
                         .side = set->side,
                         .triangles = surface->solid->triangle_count,
                         .images = images};
    begin_drawing(s, set->side);
    load_surface(s, surface);
    for (int view = 0; view < all.map->views; view++) {
        set_camera(&all, view);
        draw(&all, MAP_UNIT_FRONT, DRAW_FIRST, 1.0f);
        draw(&all, MAP_UNIT_BACK, DRAW_FIRST, -1.0f);
        draw(&all, MAP_UNIT_FRONT_INNER, DRAW_SECOND, 1.0f);
        draw(&all, MAP_UNIT_BACK_INNER, DRAW_SECOND, -1.0f);
        draw(&all, MAP_UNIT_COUNT, DRAW_COUNT, 1.0f);
        pack(&all, view);
    }
    end_drawing();
    return context_check("drawing a body");
}
