#include "gl/maps.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* What is made to draw with, and gone afterwards. */
typedef struct studio {
    machine *machine;
    gl_maps *maps;
    GLuint frame, depth;
    GLuint pictures[MAP_UNITS]; /* by MAP_UNIT_FRONT and the others */
    GLuint nearest[2];          /* words: column and row of the nearest pixel on the body */
    GLuint array, corners;      /* of the body that is drawn */
} studio;

/* Floats of a corner: place and normal. */
enum { CORNER_FLOATS = 6 };

/* As map_draw.frag has them. */
typedef enum draw_what { DRAW_FIRST, DRAW_SECOND, DRAW_COUNT } draw_what;

/* ---- what it takes ------------------------------------------------------------------------------
 */

static toile_result check_limits(const map_set *set) {
    GLint side = 0, layers = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &side);
    glGetIntegerv(GL_MAX_ARRAY_TEXTURE_LAYERS, &layers);
    if (set->side > side) {
        return error_set(TOILE_ERROR_INVALID,
                         "map_size is %d: expected at most %d, which is what the OpenGL driver can "
                         "do",
                         set->side, (int)side);
    }
    if (set->layers > layers) {
        return error_set(TOILE_ERROR_INVALID,
                         "collision maps of all bodies are %d images: expected at most %d, which "
                         "is what the OpenGL driver can do; fewer bodies, or 2 cameras instead of "
                         "6, take less",
                         set->layers, (int)layers);
    }
    return TOILE_OK;
}

static void make_picture(GLuint *picture, int side) {
    glGenTextures(1, picture);
    glBindTexture(GL_TEXTURE_2D, *picture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32F, side, side);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static toile_result open_studio(studio *s) {
    const int side = s->maps->set.side;
    glGenFramebuffers(1, &s->frame);
    glBindFramebuffer(GL_FRAMEBUFFER, s->frame);
    glGenRenderbuffers(1, &s->depth);
    glBindRenderbuffer(GL_RENDERBUFFER, s->depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, side, side);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, s->depth);
    for (int unit = 0; unit < MAP_UNITS; unit++) {
        make_picture(&s->pictures[unit], side);
    }
    glGenVertexArrays(1, &s->array);
    glGenBuffers(1, &s->corners);
    toile_result result = context_check("making room to draw bodies in");
    for (int i = 0; i < 2 && result == TOILE_OK; i++) {
        size_t words = (size_t)side * (size_t)side;
        result = gl_make_buffer(s->machine, &s->nearest[i], words * sizeof(uint32_t), NULL);
    }
    glViewportIndexedf(0, 0.0f, 0.0f, (float)side, (float)side);
    glEnable(GL_DEPTH_CLAMP); /* what lies on the near plane is not cut off */
    glDepthFunc(GL_LESS);     /* drawn surfaces leave another one */
    glBlendFunci(0, GL_ONE, GL_ONE);
    return result;
}

static void close_studio(studio *s) {
    glDisable(GL_DEPTH_CLAMP);
    glUseProgram(0);
    glBindVertexArray(0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &s->frame);
    glDeleteRenderbuffers(1, &s->depth);
    glDeleteTextures(MAP_UNITS, s->pictures);
    glDeleteBuffers(2, s->nearest);
    glDeleteVertexArrays(1, &s->array);
    glDeleteBuffers(1, &s->corners);
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

/* ---- drawing ------------------------------------------------------------------------------------
 */

static void put_corner(float *out, v3 place, v3 normal) {
    const float values[CORNER_FLOATS] = {place.x, place.y, place.z, normal.x, normal.y, normal.z};
    memcpy(out, values, sizeof values);
}

static toile_result load_surface(const studio *s, const map_surface *surface) {
    const solid *body = surface->solid;
    size_t count = body->triangle_count, stride = CORNER_FLOATS * sizeof(float);
    float *corners = memory_alloc(3 * count, stride, "the surface of a body"), *out = corners;
    if (!corners) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t t = 0; t < count; t++) {
        const solid_face *f = &body->faces[t];
        const v3 places[3] = {f->a, f->b, f->c};
        for (size_t k = 0; k < 3; k++, out += CORNER_FLOATS) {
            v3 own = body->part_normals[SOLID_PARTS * t + k];
            put_corner(out, places[k], surface->round ? own : f->normal);
        }
    }
    glBindVertexArray(s->array);
    glBindBuffer(GL_ARRAY_BUFFER, s->corners);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(3 * count * stride), corners, GL_STREAM_DRAW);
    free(corners);
    for (GLuint i = 0; i < 2; i++) {
        /* OpenGL takes an offset for a pointer. NOLINTNEXTLINE(performance-no-int-to-ptr) */
        const void *begin = (const void *)(i * 3 * sizeof(float));
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, 3, GL_FLOAT, GL_FALSE, (GLsizei)stride, begin);
    }
    return context_check("handing a body to OpenGL");
}

static void set_vector(GLuint program, const char *name, v3 value) {
    glUniform3f(glGetUniformLocation(program, name), value.x, value.y, value.z);
}

static void set_camera(const studio *s, const body_map *b, int view) {
    const GLuint program = s->machine->map_drawing;
    const int axis = map_axis(b, view);
    const float wide = (float)s->maps->set.side * b->pixel;
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "axis"), axis);
    set_vector(program, "low", maps_view(b->low, axis));
    set_vector(program, "high", maps_view(b->high, axis));
    glUniform2f(glGetUniformLocation(program, "image"), wide, wide);
    glUniform1f(glGetUniformLocation(program, "pixel"), b->pixel);
}

/* One picture of the body that is loaded. */
static void draw(const studio *s, int unit, draw_what what, float direction, size_t triangles) {
    const GLuint program = s->machine->map_drawing;
    const float nothing[4] = {0.0f, 0.0f, 0.0f, 0.0f}, far = 1.0f;
    int first = direction > 0.0f ? MAP_UNIT_FRONT : MAP_UNIT_BACK;
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, s->pictures[unit],
                           0);
    glClearBufferfv(GL_COLOR, 0, nothing);
    glClearBufferfv(GL_DEPTH, 0, &far);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, what == DRAW_SECOND ? s->pictures[first] : 0);
    (what == DRAW_COUNT ? glDisable : glEnable)(GL_DEPTH_TEST);
    (what == DRAW_COUNT ? glEnable : glDisable)(GL_BLEND);
    glUniform1i(glGetUniformLocation(program, "what"), (GLint)what);
    glUniform1f(glGetUniformLocation(program, "direction"), direction);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)(3 * triangles));
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
}

/* ---- images of pictures -------------------------------------------------------------------------
 */

static GLuint groups(int count, int size) {
    return (GLuint)((count + size - 1) / size);
}

static void over_pixels(const studio *s, gl_program program, int columns, int rows, int number) {
    const compute_program *p = &s->machine->programs[program];
    const GLint call[4] = {columns, rows, number, 0};
    glUseProgram(p->handle);
    glUniform4iv(p->call, 1, call);
    glDispatchCompute(groups(columns, GROUP_COLUMNS), groups(rows, GROUP_ROWS), 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

/* Leaves the nearest pixels in the first of the two buffers. */
static void flood(studio *s, int columns, int rows) {
    int jump = 1;
    while (jump < columns || jump < rows) {
        jump *= 2;
    }
    for (int step = 0; jump > 0; step = jump /= 2) {
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, s->nearest[0]);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, s->nearest[1]);
        over_pixels(s, PROGRAM_map_flood, columns, rows, step);
        GLuint other = s->nearest[0];
        s->nearest[0] = s->nearest[1];
        s->nearest[1] = other;
    }
}

static void pack(studio *s, const body_map *b, int view) {
    const int axis = map_axis(b, view);
    const int columns = b->size[(axis + 1) % 3], rows = b->size[(axis + 2) % 3];
    for (GLuint unit = 0; unit < MAP_UNITS; unit++) {
        glActiveTexture(GL_TEXTURE0 + unit);
        glBindTexture(GL_TEXTURE_2D, s->pictures[unit]);
    }
    flood(s, columns, rows);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, s->nearest[0]);
    glBindImageTexture(0, s->maps->images, 0, GL_TRUE, 0, GL_WRITE_ONLY, GL_RGBA32F);
    over_pixels(s, PROGRAM_map_pack, columns, rows, b->layer + MAPS_IMAGES * view);
    for (GLuint unit = 0; unit < MAP_UNITS; unit++) {
        glActiveTexture(GL_TEXTURE0 + unit);
        glBindTexture(GL_TEXTURE_2D, 0);
    }
}

static toile_result draw_body(studio *s, const map_surface *surface, const body_map *b) {
    size_t triangles = surface->solid->triangle_count;
    toile_result result = load_surface(s, surface);
    for (int view = 0; view < b->views && result == TOILE_OK; view++) {
        set_camera(s, b, view);
        draw(s, MAP_UNIT_FRONT, DRAW_FIRST, 1.0f, triangles);
        draw(s, MAP_UNIT_BACK, DRAW_FIRST, -1.0f, triangles);
        draw(s, MAP_UNIT_FRONT_INNER, DRAW_SECOND, 1.0f, triangles);
        draw(s, MAP_UNIT_BACK_INNER, DRAW_SECOND, -1.0f, triangles);
        draw(s, MAP_UNIT_COUNT, DRAW_COUNT, 1.0f, triangles);
        pack(s, b, view);
    }
    return result == TOILE_OK ? context_check("drawing a body") : result;
}

/* ---- sets ---------------------------------------------------------------------------------------
 */

static toile_result make_images(gl_maps *maps) {
    const map_set *set = &maps->set;
    glGenTextures(1, &maps->images);
    glBindTexture(GL_TEXTURE_2D_ARRAY, maps->images);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA32F, set->side, set->side,
                   set->layers > 0 ? set->layers : 1);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D_ARRAY, 0);
    return context_check("making room for collision maps");
}

static map_block map_numbers(const body_map *b) {
    return (map_block){.low_x = b->low.x,
                       .low_y = b->low.y,
                       .low_z = b->low.z,
                       .pixel = b->pixel,
                       .high_x = b->high.x,
                       .high_y = b->high.y,
                       .high_z = b->high.z,
                       .axis = b->axis,
                       .size_x = (float)b->size[0],
                       .size_y = (float)b->size[1],
                       .size_z = (float)b->size[2],
                       .views = b->views,
                       .layer = b->layer};
}

static toile_result make_numbers(const machine *m, gl_maps *maps) {
    size_t count = (size_t)maps->set.count;
    map_block *blocks = memory_alloc(count + 1, sizeof *blocks, "images of bodies");
    if (!blocks) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t b = 0; b < count; b++) {
        blocks[b] = map_numbers(&maps->set.bodies[b]);
    }
    toile_result result = gl_fill(m, &maps->numbers, count * sizeof *blocks, blocks);
    free(blocks);
    return result;
}

void gl_maps_free(gl_maps *maps) {
    map_set_free(&maps->set);
    glDeleteTextures(1, &maps->images);
    glDeleteBuffers(1, &maps->numbers.handle);
    *maps = (gl_maps){0};
}

/* In the machine's context. */
static toile_result make_maps(machine *m, const map_request *request, gl_maps *maps) {
    studio s = {.machine = m, .maps = maps};
    gl_maps_free(maps);
    toile_result result = map_set_plan(&maps->set, request);
    if (result == TOILE_OK && request->count > 0) {
        result = check_limits(&maps->set);
    }
    if (result != TOILE_OK || request->count == 0) {
        return result;
    }
    result = prepare_programs(m);
    if (result == TOILE_OK) {
        result = make_images(maps);
    }
    if (result == TOILE_OK) {
        result = make_numbers(m, maps);
    }
    if (result == TOILE_OK) {
        result = open_studio(&s);
    }
    for (int b = 0; b < request->count && result == TOILE_OK; b++) {
        if (request->surfaces[b].solid) {
            result = draw_body(&s, &request->surfaces[b], &maps->set.bodies[b]);
        }
    }
    close_studio(&s);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_TEXTURE_UPDATE_BARRIER_BIT);
    if (result != TOILE_OK) {
        gl_maps_free(maps);
    }
    return result;
}

toile_result gl_set_maps(device_context *gl, const map_request *request) {
    context_before before;
    toile_result result = context_enter(&gl->machine->context, &before);
    if (result == TOILE_OK) {
        result = make_maps(gl->machine, request, &gl->maps);
        context_leave(&gl->machine->context, &before);
    }
    return result;
}

/* ---- copies -------------------------------------------------------------------------------------
 */

static toile_result read_images(gl_maps *maps) {
    map_set *set = &maps->set;
    size_t pixels = (size_t)set->layers * (size_t)set->side * (size_t)set->side;
    set->images = memory_alloc(pixels, 4 * sizeof(float), "images of bodies");
    if (!set->images) {
        return TOILE_ERROR_MEMORY;
    }
    glBindTexture(GL_TEXTURE_2D_ARRAY, maps->images);
    glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA, GL_FLOAT, set->images);
    glBindTexture(GL_TEXTURE_2D_ARRAY, 0);
    return context_check("reading collision maps");
}

toile_result gl_draw_maps(map_set *set, const map_request *request) {
    context_before before;
    gl_maps maps = {0};
    machine *m = machine_take(MACHINE_COMPUTE);
    if (!m) {
        return TOILE_ERROR_UNAVAILABLE;
    }
    toile_result result = context_enter(&m->context, &before);
    if (result == TOILE_OK) {
        result = make_maps(m, request, &maps);
        if (result == TOILE_OK && maps.set.layers > 0) {
            result = read_images(&maps);
        }
        if (result == TOILE_OK) {
            map_set_free(set);
            *set = maps.set;
            maps.set = (map_set){0};
        }
        gl_maps_free(&maps);
        context_leave(&m->context, &before);
    }
    machine_give(m, result != TOILE_OK);
    return result;
}
