/* A picture is the mean of many passes. Each pass has its own shift of the camera by a part of a
 * pixel and its own few lights out of many (light.h), so that edges, penumbras and ambient
 * occlusion all converge together. */
#include "render/draw.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gl/context.h"
#include "render/camera.h"
#include "render/canvas.h"
#include "render/floor_light.h"
#include "render/frame.h"
#include "render/light.h"
#include "render/matrix.h"
#include "render/painting.h"
#include "render/program.h"
#include "render/shaders.h"
#include "render/shadow.h"

/* Width of the pixel's filter, a tent, in pixels. */
static const float FILTER_WIDTH = 1.6f;
/* Pixels of a shadow map below which its casters are simplified: so few that they do not come out
 * of the true surface by more than lighting.glsl lifts what is lit. */
static const float KEY_DETAIL = 5.0f;
static const float DOME_DETAIL = 2.5f;

typedef struct quality {
    int passes;
    int stride;              /* from a pass to the one that is drawn next, prime to their number */
    int key_size, dome_size; /* pixels of shadow maps */
    int floor_size;          /* pixels of images of floors */
} quality;

static const quality QUALITIES[] = {
    [DRAW_QUALITY_FILM] = {4, 1, .key_size = 512, .dome_size = 192, .floor_size = 256},
    [DRAW_QUALITY_STILL] = {24, 1, .key_size = 1536, .dome_size = 384, .floor_size = 768},
    /* The first few passes must do while things move: they are far apart. */
    [DRAW_QUALITY_LIVE] = {16, 5, .key_size = 768, .dome_size = 192, .floor_size = 256},
};

/* As in picture.glsl (std140). */
typedef struct picture_block {
    mat4 view_projection;
    float eye[4];
    float background[4];
    float stage[4];
    float viewport[4];
    float forward[4], right[4], up[4];
} picture_block;

typedef struct surface_program {
    GLuint handle;
    /* Uniforms; -1 where there is none. */
    GLint color, number, blur, texture_kind, wireframe, tinted;
} surface_program;

typedef struct drawer {
    context context;       /* its own; zeroed where there is none, or */
    bool here;             /* the caller's is used */
    context_before before; /* what was current when its own was entered */
    canvas canvas;
    surface_program surfaces[SURFACE_KINDS];
    surface_program backdrop;
    shadow_drawer shadow;
    shadow_maps key_maps, dome_maps; /* of one pass */
    floor_light floor_light;
    body_shapes shapes;
    geometry geometry;
    GLuint picture_buffer, lighting_buffer;
    /* The picture in hand. */
    draw_frame frame;
    painting painting;
    int drawn; /* passes */
} drawer;

/* ---- opening and closing ------------------------------------------------------------------------
 */

static toile_result surface_program_make(const char *name, const char *defines, const char *vertex,
                                         const char *fragment, surface_program *out) {
    toile_result result =
        program_make(name, (const char *const[]){shader_picture_glsl, vertex, NULL},
                     (const char *const[]){defines, shader_picture_glsl, shader_lighting_glsl,
                                           shader_fabric_glsl, shader_floor_glsl, fragment, NULL},
                     &out->handle);
    if (result == TOILE_OK) {
        out->color = glGetUniformLocation(out->handle, "color");
        out->number = glGetUniformLocation(out->handle, "number");
        out->blur = glGetUniformLocation(out->handle, "blur");
        out->texture_kind = glGetUniformLocation(out->handle, "texture_kind");
        out->wireframe = glGetUniformLocation(out->handle, "wireframe");
        out->tinted = glGetUniformLocation(out->handle, "tinted");
    }
    return result;
}

static toile_result make_programs(drawer *d) {
    const struct {
        const char *name, *defines, *vertex, *fragment;
        surface_program *out;
    } surfaces[] = {
        {"cloth", "", shader_surface_vert, shader_cloth_frag, &d->surfaces[SURFACE_CLOTH]},
        {"body", "", shader_surface_vert, shader_body_frag, &d->surfaces[SURFACE_BODY]},
        {"floor", "", shader_surface_vert, shader_floor_frag, &d->surfaces[SURFACE_FLOOR]},
        {"shadowed floor", "#define KEY_SHADOWS\n", shader_surface_vert, shader_floor_frag,
         &d->surfaces[SURFACE_SHADOWED_FLOOR]},
        {"backdrop", "", shader_screen_vert, shader_backdrop_frag, &d->backdrop},
    };
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < sizeof surfaces / sizeof *surfaces && result == TOILE_OK; i++) {
        result = surface_program_make(surfaces[i].name, surfaces[i].defines, surfaces[i].vertex,
                                      surfaces[i].fragment, surfaces[i].out);
    }
    if (result == TOILE_OK) {
        result = shadow_drawer_open(&d->shadow);
    }
    return result == TOILE_OK ? floor_light_open(&d->floor_light) : result;
}

static toile_result open_in_context(drawer *d, int width, int height) {
    geometry_open(&d->geometry);
    glGenBuffers(1, &d->picture_buffer);
    glGenBuffers(1, &d->lighting_buffer);
    toile_result result = canvas_open(&d->canvas, width, height);
    if (result == TOILE_OK) {
        result = make_programs(d);
    }
    if (result == TOILE_OK) {
        result = body_shapes_make(&d->shapes);
    }
    return result == TOILE_OK ? drape_store_open(&d->shapes.drapes) : result;
}

static toile_result enter(drawer *d) {
    return d->here ? TOILE_OK : context_enter(&d->context, &d->before);
}

static void leave(const drawer *d) {
    if (!d->here) {
        context_leave(&d->context, &d->before);
    }
}

static toile_result open_drawer(int width, int height, bool here, drawer **out) {
    drawer *d = memory_alloc(1, sizeof *d, "a renderer");
    if (!d) {
        return TOILE_ERROR_MEMORY;
    }
    const context_need need = {3, 3, "to draw with"};
    d->here = here;
    toile_result result = here ? TOILE_OK : context_open(&d->context, &need);
    if (result == TOILE_OK) {
        result = enter(d);
    }
    if (result == TOILE_OK) {
        result = open_in_context(d, width, height);
        leave(d);
    }
    if (result != TOILE_OK) {
        drawer_close(d);
        return result;
    }
    *out = d;
    return TOILE_OK;
}

toile_result drawer_open(int width, int height, drawer **out) {
    return open_drawer(width, height, false, out);
}

toile_result drawer_open_here(int width, int height, drawer **out) {
    return open_drawer(width, height, true, out);
}

static void close_in_context(drawer *d) {
    for (int i = 0; i < SURFACE_KINDS; i++) {
        glDeleteProgram(d->surfaces[i].handle);
    }
    glDeleteProgram(d->backdrop.handle);
    shadow_drawer_close(&d->shadow);
    shadow_maps_close(&d->key_maps);
    shadow_maps_close(&d->dome_maps);
    floor_light_close(&d->floor_light);
    drape_store_close(&d->shapes.drapes);
    geometry_close(&d->geometry);
    glDeleteBuffers(2, (GLuint[]){d->picture_buffer, d->lighting_buffer});
    canvas_close(&d->canvas);
}

void drawer_close(drawer *d) {
    if (!d) {
        return;
    }
    if ((d->here || d->context.handle) && enter(d) == TOILE_OK) {
        close_in_context(d);
        leave(d);
    }
    context_close(&d->context);
    painting_free(&d->painting);
    body_shapes_free(&d->shapes);
    free(d);
}

const char *drawer_description(const drawer *d) {
    return d->context.description;
}

toile_result drawer_resize(drawer *d, int width, int height) {
    toile_result result = enter(d);
    if (result == TOILE_OK) {
        result = canvas_resize(&d->canvas, width, height);
        leave(d);
    }
    return result;
}

/* ---- the picture --------------------------------------------------------------------------------
 */

/* The inverse of a tent's distribution function: u from 0 to 1 becomes -1 to 1, mostly about 0. */
static float tent(float u) {
    return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u);
}

/* How far pass `pass` is shifted, 1 is to the edge. */
static void picture_shift(const canvas *c, int pass, int passes, float shift[2]) {
    float u, v;
    spread_point(pass, passes, &u, &v);
    shift[0] = FILTER_WIDTH * tent(u) / (float)c->width;
    shift[1] = FILTER_WIDTH * tent(v) / (float)c->height;
}

/* ---- passes -------------------------------------------------------------------------------------
 */

static void upload_block(GLuint buffer, GLuint binding, const void *bytes, size_t size) {
    glBindBuffer(GL_UNIFORM_BUFFER, buffer);
    glBufferData(GL_UNIFORM_BUFFER, (GLsizeiptr)size, bytes, GL_STREAM_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, binding, buffer);
}

static void set_picture(const drawer *d, const painting *p, int pass, int passes) {
    const canvas *c = &d->canvas;
    const scene_camera *camera = &p->frame->camera;
    camera_view view = camera_view_make(camera, c->width, c->height);
    float distance = v3_length(v3_sub(view.eye, p->middle)), shift[2];
    float near = 0.02f * fmaxf(distance, p->radius);
    float far = distance + 1.5f * FLOOR_REACH * p->radius;
    picture_shift(c, pass, passes, shift);
    picture_block block = {
        .view_projection = camera_view_matrix(&view, near, far, shift),
        .stage = {[3] = p->radius},
        .viewport = {(float)c->width, (float)c->height},
        .right = {[3] = shift[0]},
        .up = {[3] = shift[1]},
    };
    memcpy(block.eye, camera->eye, sizeof camera->eye);
    memcpy(block.background, p->frame->options.background, sizeof p->frame->options.background);
    v3_store(block.stage, p->middle);
    v3_store(block.forward, v3_scale(view.back, -1.0f));
    v3_store(block.right, v3_scale(view.right, view.slope[0]));
    v3_store(block.up, v3_scale(view.up, view.slope[1]));
    upload_block(d->picture_buffer, BLOCK_PICTURE, &block, sizeof block);
}

static void bind_maps(const drawer *d) {
    const GLuint textures[] = {[UNIT_KEY_MAPS] = d->key_maps.texture,
                               [UNIT_DOME_MAPS] = d->dome_maps.texture,
                               [UNIT_FLOOR_LIGHT] = d->floor_light.texture};
    for (GLenum unit = 0; unit < sizeof textures / sizeof *textures; unit++) {
        glActiveTexture(GL_TEXTURE0 + unit);
        glBindTexture(GL_TEXTURE_2D_ARRAY, textures[unit]);
    }
}

static void light_floors(drawer *d, const painting *p, const quality *q) {
    floor_light_clear(&d->floor_light, q->floor_size, p->floor_count);
    for (size_t i = 0; i < p->surface_count; i++) {
        const surface *s = &p->surfaces[i];
        if (s->kind == SURFACE_FLOOR || s->kind == SURFACE_SHADOWED_FLOOR) {
            floor_light_add(&d->floor_light, s->number, &d->geometry, s->range);
        }
    }
    floor_light_finish(&d->floor_light);
}

static void draw_surface(const drawer *d, const painting *p, const surface *s) {
    const surface_program *program = &d->surfaces[s->kind];
    glUseProgram(program->handle);
    glUniform3fv(program->color, 1, s->color);
    glUniform1i(program->number, s->number);
    glUniform1f(program->blur, s->blur);
    glUniform1i(program->texture_kind, (GLint)p->frame->options.texture);
    glUniform1i(program->wireframe, p->frame->options.wireframe);
    glUniform1i(program->tinted, s->tinted);
    if (s->drape) {
        drape_draw(s->drape, DRAPE_SEEN);
    } else {
        geometry_draw(&d->geometry, s->range);
    }
}

static void draw_surfaces(const drawer *d, const painting *p, surface_kind first,
                          surface_kind last) {
    for (size_t i = 0; i < p->surface_count; i++) {
        if (p->surfaces[i].kind >= first && p->surfaces[i].kind <= last) {
            draw_surface(d, p, &p->surfaces[i]);
        }
    }
}

static void draw_backdrop(const drawer *d) {
    glDepthFunc(GL_LEQUAL); /* it lies exactly as far as the cleared depth */
    glUseProgram(d->backdrop.handle);
    canvas_fill(&d->canvas);
    glDepthFunc(GL_LESS);
}

static void draw_pass(drawer *d, const painting *p, const quality *q, int pass) {
    lighting block = studio_lighting(&p->studio, pass, q->passes, q->key_size, q->dome_size);
    const drape_store *drapes = &d->shapes.drapes;
    const shadow_casters keys = {&d->geometry, p->key_casters, drapes, DRAPE_KEY};
    const shadow_casters dome = {&d->geometry, p->dome_casters, drapes, DRAPE_DOME};
    shadow_maps_draw(&d->shadow, &d->key_maps, block.keys, &keys);
    shadow_maps_draw(&d->shadow, &d->dome_maps, block.dome, &dome);
    upload_block(d->lighting_buffer, BLOCK_LIGHTS, &block, sizeof block);
    set_picture(d, p, pass, q->passes);
    bind_maps(d);
    light_floors(d, p, q);
    canvas_begin(&d->canvas);
    draw_surfaces(d, p, SURFACE_CLOTH, SURFACE_BODY);
    canvas_shade(&d->canvas);
    draw_surfaces(d, p, SURFACE_FLOOR, SURFACE_SHADOWED_FLOOR);
    draw_backdrop(d);
    canvas_add(&d->canvas);
}

/* ---- the drawing of a frame ---------------------------------------------------------------------
 */

static toile_result begin_in_context(drawer *d, const draw_frame *frame) {
    const quality *q = &QUALITIES[frame->quality];
    draw_bounds shown = frame_shown_bounds(frame);
    float size = v3_length(v3_sub(v3_load(shown.high), v3_load(shown.low)));
    painting_free(&d->painting);
    drape_store_sweep(&d->shapes.drapes);
    d->frame = *frame;
    d->drawn = 0;
    toile_result result =
        painting_make(&d->painting, &d->frame, &d->shapes, KEY_DETAIL * size / (float)q->key_size,
                      DOME_DETAIL * size / (float)q->dome_size, &d->geometry);
    if (result == TOILE_OK) {
        shadow_maps_resize(&d->key_maps, q->key_size, PASS_KEYS);
        shadow_maps_resize(&d->dome_maps, q->dome_size, PASS_DOME);
        canvas_clear(&d->canvas);
    }
    return result;
}

toile_result drawer_project(drawer *d, draw_cloth *cloth, bool wireframe) {
    TOILE_ASSERT(cloth->texels && cloth->pattern);
    toile_result result = enter(d);
    if (result == TOILE_OK) {
        result = drape_project(&d->shapes.drapes, cloth, wireframe, &cloth->bounds);
        leave(d);
    }
    return result;
}

toile_result drawer_begin(drawer *d, const draw_frame *frame) {
    TOILE_ASSERT(frame->camera.given);
    toile_result result = enter(d);
    if (result == TOILE_OK) {
        result = begin_in_context(d, frame);
        leave(d);
    }
    return result;
}

toile_result drawer_refine(drawer *d, int passes) {
    TOILE_ASSERT(d->painting.surfaces);
    toile_result result = enter(d);
    if (result != TOILE_OK) {
        return result;
    }
    const quality *q = &QUALITIES[d->frame.quality];
    for (int i = 0; i < passes && d->drawn < q->passes; i++, d->drawn++) {
        draw_pass(d, &d->painting, q, (q->passes / 2 + d->drawn * q->stride) % q->passes);
    }
    result = context_check("drawing a picture");
    leave(d);
    return result;
}

bool drawer_is_complete(const drawer *d) {
    return d->drawn == QUALITIES[d->frame.quality].passes;
}

toile_result drawer_read(drawer *d, uint8_t *rgb) {
    toile_result result = enter(d);
    if (result == TOILE_OK) {
        canvas_read(&d->canvas, d->drawn, rgb);
        result = context_check("reading a picture");
        leave(d);
    }
    return result;
}

void drawer_show(drawer *d) {
    canvas_show(&d->canvas, d->drawn);
}

float drawer_distance(drawer *d, int x, int y) {
    if (enter(d) != TOILE_OK) {
        return 0.0f;
    }
    float distance = canvas_distance(&d->canvas, x, y);
    leave(d);
    return distance;
}

toile_result drawer_draw(drawer *d, const draw_frame *frame, uint8_t *rgb) {
    toile_result result = drawer_begin(d, frame);
    if (result == TOILE_OK) {
        result = drawer_refine(d, QUALITIES[frame->quality].passes);
    }
    return result == TOILE_OK ? drawer_read(d, rgb) : result;
}
