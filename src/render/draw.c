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
    int passes;              /* times PASS_DOME at most 256, the layers that OpenGL 3.3 promises */
    int key_size, dome_size; /* pixels of shadow maps */
    int floor_size;          /* pixels of images of floors */
} quality;

static const quality QUALITIES[] = {
    [DRAW_QUALITY_FILM] = {.passes = 4, .key_size = 512, .dome_size = 192, .floor_size = 256},
    [DRAW_QUALITY_STILL] = {.passes = 24, .key_size = 1536, .dome_size = 384, .floor_size = 768},
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
    GLint color, number, blur, texture_kind, wireframe; /* uniforms; -1 where there is none */
} surface_program;

typedef struct drawer {
    context context;
    canvas canvas;
    surface_program surfaces[SURFACE_KINDS];
    surface_program backdrop;
    shadow_drawer shadow;
    shadow_maps key_maps;  /* of one pass */
    shadow_maps dome_maps; /* of all passes */
    floor_light floor_light;
    body_shapes shapes;
    geometry geometry;
    GLuint picture_buffer, lighting_buffer;
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
    return result == TOILE_OK ? body_shapes_make(&d->shapes) : result;
}

toile_result drawer_open(int width, int height, drawer **out) {
    drawer *d = memory_alloc(1, sizeof *d, "a renderer");
    if (!d) {
        return TOILE_ERROR_MEMORY;
    }
    const context_need need = {3, 3, "to draw with"};
    context_before before;
    toile_result result = context_open(&d->context, &need);
    if (result == TOILE_OK) {
        result = context_enter(&d->context, &before);
    }
    if (result == TOILE_OK) {
        result = open_in_context(d, width, height);
        context_leave(&d->context, &before);
    }
    if (result != TOILE_OK) {
        drawer_close(d);
        return result;
    }
    *out = d;
    return TOILE_OK;
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
    geometry_close(&d->geometry);
    glDeleteBuffers(2, (GLuint[]){d->picture_buffer, d->lighting_buffer});
    canvas_close(&d->canvas);
}

void drawer_close(drawer *d) {
    if (!d) {
        return;
    }
    context_before before;
    if (d->context.handle && context_enter(&d->context, &before) == TOILE_OK) {
        close_in_context(d);
        context_leave(&d->context, &before);
    }
    context_close(&d->context);
    body_shapes_free(&d->shapes);
    free(d);
}

const char *drawer_description(const drawer *d) {
    return d->context.description;
}

/* ---- the camera ---------------------------------------------------------------------------------
 */

/* The inverse of a tent's distribution function: u from 0 to 1 becomes -1 to 1, mostly about 0. */
static float tent(float u) {
    return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u);
}

/* Right, up and back. */
static void camera_axes(const scene_camera *camera, v3 axes[3]) {
    v3 back = v3_normalize(v3_sub(v3_load(camera->eye), v3_load(camera->target)));
    v3 right = v3_cross(v3_make(0.0f, 1.0f, 0.0f), back);
    right = v3_dot(right, right) > 1e-10f ? v3_normalize(right) : v3_make(1.0f, 0.0f, 0.0f);
    axes[0] = right;
    axes[1] = v3_cross(back, right);
    axes[2] = back;
}

/* What the camera's lens does, its shift by a part of a pixel included. */
typedef struct lens {
    float near, far; /* m */
    float zoom[2];   /* tangent to pictures' edges, inverted */
    float shift[2];  /* 1 is to the edge */
} lens;

static lens lens_make(const canvas *c, const painting *p, int pass, int passes) {
    const scene_camera *camera = &p->frame->camera;
    float distance = v3_length(v3_sub(v3_load(camera->eye), p->middle));
    float height = 1.0f / tanf(0.5f * camera->fov * 0.0174532925f);
    float u, v;
    spread_point(pass, passes, &u, &v);
    return (lens){
        .near = 0.02f * fmaxf(distance, p->radius),
        .far = distance + 1.5f * FLOOR_REACH * p->radius,
        .zoom = {height * (float)c->height / (float)c->width, height},
        .shift = {FILTER_WIDTH * tent(u) / (float)c->width,
                  FILTER_WIDTH * tent(v) / (float)c->height},
    };
}

static mat4 lens_matrix(const lens *l) {
    mat4 m = {{0}};
    m.m[0] = l->zoom[0];
    m.m[5] = l->zoom[1];
    m.m[8] = l->shift[0];
    m.m[9] = l->shift[1];
    m.m[10] = -(l->far + l->near) / (l->far - l->near);
    m.m[11] = -1.0f;
    m.m[14] = -2.0f * l->far * l->near / (l->far - l->near);
    return m;
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
    v3 axes[3], eye = v3_load(camera->eye);
    camera_axes(camera, axes);
    float offset[3] = {-v3_dot(axes[0], eye), -v3_dot(axes[1], eye), -v3_dot(axes[2], eye)};
    lens l = lens_make(c, p, pass, passes);
    picture_block block = {
        .view_projection = mat4_multiply(lens_matrix(&l), mat4_affine(axes, offset)),
        .stage = {[3] = p->radius},
        .viewport = {(float)c->width, (float)c->height},
        .right = {[3] = l.shift[0]},
        .up = {[3] = l.shift[1]},
    };
    memcpy(block.eye, camera->eye, sizeof camera->eye);
    memcpy(block.background, p->frame->options.background, sizeof p->frame->options.background);
    v3_store(block.stage, p->middle);
    v3_store(block.forward, v3_scale(axes[2], -1.0f));
    v3_store(block.right, v3_scale(axes[0], 1.0f / l.zoom[0]));
    v3_store(block.up, v3_scale(axes[1], 1.0f / l.zoom[1]));
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

/* The maps of the dome are needed twice, for floors and for all else, and so are all drawn ahead.
 */
static void draw_dome(drawer *d, const painting *p, const quality *q) {
    for (int pass = 0; pass < q->passes; pass++) {
        lighting block = studio_lighting(&p->studio, pass, q->passes, q->key_size, q->dome_size);
        shadow_maps_draw(&d->shadow, &d->dome_maps, pass * PASS_DOME, block.dome, PASS_DOME,
                         &d->geometry, p->dome_casters);
    }
}

static void light_floors(drawer *d, const painting *p, const quality *q) {
    floor_light_clear(&d->floor_light, q->floor_size, p->floor_count);
    bind_maps(d);
    set_picture(d, p, 0, q->passes);
    for (int pass = 0; pass < q->passes; pass++) {
        lighting block = studio_lighting(&p->studio, pass, q->passes, q->key_size, q->dome_size);
        upload_block(d->lighting_buffer, BLOCK_LIGHTS, &block, sizeof block);
        for (size_t i = 0; i < p->surface_count; i++) {
            const surface *s = &p->surfaces[i];
            if (s->kind == SURFACE_FLOOR || s->kind == SURFACE_SHADOWED_FLOOR) {
                floor_light_add(&d->floor_light, s->number, &d->geometry, s->range,
                                1.0f / (float)q->passes);
            }
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
    geometry_draw(&d->geometry, s->range);
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
    shadow_maps_draw(&d->shadow, &d->key_maps, 0, block.keys, PASS_KEYS, &d->geometry,
                     p->key_casters);
    upload_block(d->lighting_buffer, BLOCK_LIGHTS, &block, sizeof block);
    set_picture(d, p, pass, q->passes);
    bind_maps(d);
    canvas_begin(&d->canvas);
    draw_surfaces(d, p, SURFACE_CLOTH, SURFACE_BODY);
    canvas_shade(&d->canvas);
    draw_surfaces(d, p, SURFACE_FLOOR, SURFACE_SHADOWED_FLOOR);
    draw_backdrop(d);
    canvas_add(&d->canvas, 1.0f / (float)q->passes);
}

static void paint(drawer *d, const painting *p, uint8_t *rgb) {
    const quality *q = &QUALITIES[p->frame->quality];
    shadow_maps_resize(&d->key_maps, q->key_size, PASS_KEYS);
    shadow_maps_resize(&d->dome_maps, q->dome_size, q->passes * PASS_DOME);
    draw_dome(d, p, q);
    light_floors(d, p, q);
    canvas_clear(&d->canvas);
    for (int pass = 0; pass < q->passes; pass++) {
        draw_pass(d, p, q, pass);
    }
    canvas_read(&d->canvas, rgb);
}

static toile_result draw_in_context(drawer *d, const draw_frame *frame, uint8_t *rgb) {
    const quality *q = &QUALITIES[frame->quality];
    draw_bounds shown = frame_shown_bounds(frame);
    float size = v3_length(v3_sub(v3_load(shown.high), v3_load(shown.low)));
    painting p;
    toile_result result =
        painting_make(&p, frame, &d->shapes, KEY_DETAIL * size / (float)q->key_size,
                      DOME_DETAIL * size / (float)q->dome_size, &d->geometry);
    if (result == TOILE_OK) {
        paint(d, &p, rgb);
        result = context_check("drawing a picture");
        painting_free(&p);
    }
    return result;
}

toile_result drawer_draw(drawer *d, const draw_frame *frame, uint8_t *rgb) {
    TOILE_ASSERT(frame->camera.given);
    context_before before;
    toile_result result = context_enter(&d->context, &before);
    if (result == TOILE_OK) {
        result = draw_in_context(d, frame, rgb);
        context_leave(&d->context, &before);
    }
    return result;
}
