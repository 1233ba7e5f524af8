/* A picture is the mean of many passes. Each pass has its own shift of the camera by a part of a
 * pixel and its own few lights out of many (light.h), so that edges, penumbras and ambient
 * occlusion all converge together. */
#include "render/draw.h"

#include <epoxy/gl.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "render/context.h"
#include "render/frame.h"
#include "render/geometry.h"
#include "render/light.h"
#include "render/matrix.h"
#include "render/program.h"
#include "render/shaders.h"
#include "render/shadow.h"

enum {
    BODY_DIVISIONS = 32, /* edges along a quarter of a body's girth, as seen */
    CASTER_DIVISIONS = 12, /* and as it casts shadows */
};

/* Times the radius of what is shown that floors reach; floor.frag fades them out before. */
static const float FLOOR_REACH = 12.0f;
/* m that a floor of the renderer's own lies below everything. */
static const float FLOOR_GAP = 0.001f;
/* Width of the pixel's filter, a tent, in pixels. */
static const float FILTER_WIDTH = 1.6f;

typedef struct quality {
    int passes;
    int key_size, sky_size; /* pixels of shadow maps */
} quality;

static const quality QUALITIES[] = {
    [DRAW_QUALITY_FILM] = {.passes = 4, .key_size = 512, .sky_size = 256},
    [DRAW_QUALITY_STILL] = {.passes = 64, .key_size = 2048, .sky_size = 512},
};

/* As in picture.glsl (std140). */
typedef struct picture_block {
    mat4 view_projection;
    float eye[4];
    float background[4];
    float stage[4];
    float viewport[4];
} picture_block;

typedef struct surface_program {
    GLuint handle;
    GLint color, texture_kind, wireframe; /* uniforms; -1 where there is none */
} surface_program;

typedef struct drawer {
    context context;
    int width, height;

    surface_program cloth, body, floor, backdrop;
    GLuint add, encode; /* programs */
    GLint add_weight;
    shadow_drawer shadow;

    cut_sphere body_sphere, caster_sphere;
    geometry geometry;
    shadow_maps key_maps, sky_maps;
    GLuint picture_buffer, lighting_buffer;
    GLuint screen; /* vertex array without attributes */

    GLuint pass_pixels, sum_pixels;                 /* textures */
    GLuint pass_depth, encoded_pixels;              /* renderbuffers */
    GLuint pass_target, sum_target, encoded_target; /* framebuffers */
} drawer;

/* One frame on its way: what is where in the geometry. */
typedef struct surface {
    const surface_program *program;
    geometry_range range;
    float color[3];
} surface;

typedef struct painting {
    const draw_frame *frame;
    draw_bounds shown;
    surface *surfaces; /* cloths, bodies, floors */
    size_t surface_count;
    geometry_range casters;
} painting;

/* ---- opening and closing
 * --------------------------------------------------------------------------------------------
 */

static toile_result check_gl(const char *doing) {
    GLenum error = glGetError();
    if (error == GL_NO_ERROR) {
        return TOILE_OK;
    }
    if (error == GL_OUT_OF_MEMORY) {
        return error_set(TOILE_ERROR_MEMORY, "OpenGL ran out of memory while %s", doing);
    }
    return error_set(TOILE_ERROR_UNAVAILABLE, "OpenGL reports error 0x%04x while %s", error, doing);
}

static toile_result surface_program_make(const char *name, const char *vertex, const char *fragment,
                                         surface_program *out) {
    toile_result result =
        program_make(name, (const char *const[]){shader_picture_glsl, vertex, NULL},
                     (const char *const[]){shader_picture_glsl, shader_lighting_glsl,
                                           shader_fabric_glsl, fragment, NULL},
                     &out->handle);
    out->color = glGetUniformLocation(out->handle, "color");
    out->texture_kind = glGetUniformLocation(out->handle, "texture_kind");
    out->wireframe = glGetUniformLocation(out->handle, "wireframe");
    return result;
}

static toile_result make_programs(drawer *d) {
    const struct {
        const char *name, *vertex, *fragment;
        surface_program *out;
    } surfaces[] = {
        {"cloth", shader_surface_vert, shader_cloth_frag, &d->cloth},
        {"body", shader_surface_vert, shader_body_frag, &d->body},
        {"floor", shader_surface_vert, shader_floor_frag, &d->floor},
        {"backdrop", shader_screen_vert, shader_backdrop_frag, &d->backdrop},
    };
    for (size_t i = 0; i < sizeof surfaces / sizeof *surfaces; i++) {
        toile_result result = surface_program_make(surfaces[i].name, surfaces[i].vertex,
                                                   surfaces[i].fragment, surfaces[i].out);
        if (result != TOILE_OK) {
            return result;
        }
    }
    const char *const screen[] = {shader_screen_vert, NULL};
    toile_result result =
        program_make("add", screen, (const char *const[]){shader_add_frag, NULL}, &d->add);
    if (result == TOILE_OK) {
        d->add_weight = glGetUniformLocation(d->add, "weight");
        result = program_make("encode", screen, (const char *const[]){shader_encode_frag, NULL},
                              &d->encode);
    }
    return result == TOILE_OK ? shadow_drawer_open(&d->shadow) : result;
}

static GLuint make_texture(GLint format, int width, int height) {
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, GL_RGBA, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, 0);
    return texture;
}

static GLuint make_renderbuffer(GLenum format, int width, int height) {
    GLuint buffer;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, format, width, height);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    return buffer;
}

static toile_result make_targets(drawer *d) {
    d->pass_pixels = make_texture(GL_RGBA16F, d->width, d->height);
    d->sum_pixels = make_texture(GL_RGBA32F, d->width, d->height);
    d->pass_depth = make_renderbuffer(GL_DEPTH_COMPONENT32F, d->width, d->height);
    d->encoded_pixels = make_renderbuffer(GL_RGBA8, d->width, d->height);
    GLuint *targets[] = {&d->pass_target, &d->sum_target, &d->encoded_target};
    for (int i = 0; i < 3; i++) {
        glGenFramebuffers(1, targets[i]);
        glBindFramebuffer(GL_FRAMEBUFFER, *targets[i]);
        if (i == 0) {
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                                   d->pass_pixels, 0);
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                                      d->pass_depth);
        } else if (i == 1) {
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                                   d->sum_pixels, 0);
        } else {
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                      d->encoded_pixels);
        }
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
            return error_set(TOILE_ERROR_UNAVAILABLE,
                             "OpenGL cannot draw pictures of %d x %d pixels", d->width, d->height);
        }
    }
    return check_gl("making a picture");
}

static toile_result check_size(const drawer *d) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (d->width < 1 || d->height < 1 || d->width > most || d->height > most) {
        return error_set(TOILE_ERROR_INVALID,
                         "cannot draw a picture of %d x %d pixels: from 1 to %d are possible",
                         d->width, d->height, most);
    }
    return TOILE_OK;
}

static toile_result open_in_context(drawer *d) {
    geometry_open(&d->geometry);
    toile_result result = check_size(d);
    if (result == TOILE_OK) {
        result = make_programs(d);
    }
    if (result == TOILE_OK) {
        result = make_targets(d);
    }
    if (result == TOILE_OK) {
        result = cut_sphere_make(&d->body_sphere, BODY_DIVISIONS);
    }
    if (result == TOILE_OK) {
        result = cut_sphere_make(&d->caster_sphere, CASTER_DIVISIONS);
    }
    glGenVertexArrays(1, &d->screen);
    glGenBuffers(1, &d->picture_buffer);
    glGenBuffers(1, &d->lighting_buffer);
    return result;
}

toile_result drawer_open(int width, int height, drawer **out) {
    drawer *d = memory_alloc(1, sizeof *d, "a renderer");
    if (!d) {
        return TOILE_ERROR_MEMORY;
    }
    d->width = width;
    d->height = height;
    toile_result result = context_open(&d->context);
    if (result == TOILE_OK) {
        result = context_enter(&d->context);
    }
    if (result == TOILE_OK) {
        result = open_in_context(d);
        context_leave(&d->context);
    }
    if (result != TOILE_OK) {
        drawer_close(d);
        return result;
    }
    *out = d;
    return TOILE_OK;
}

static void close_in_context(drawer *d) {
    const surface_program *programs[] = {&d->cloth, &d->body, &d->floor, &d->backdrop};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        glDeleteProgram(programs[i]->handle);
    }
    glDeleteProgram(d->add);
    glDeleteProgram(d->encode);
    shadow_drawer_close(&d->shadow);
    shadow_maps_close(&d->key_maps);
    shadow_maps_close(&d->sky_maps);
    geometry_close(&d->geometry);
    glDeleteVertexArrays(1, &d->screen);
    glDeleteBuffers(2, (GLuint[]){d->picture_buffer, d->lighting_buffer});
    glDeleteFramebuffers(3, (GLuint[]){d->pass_target, d->sum_target, d->encoded_target});
    glDeleteTextures(2, (GLuint[]){d->pass_pixels, d->sum_pixels});
    glDeleteRenderbuffers(2, (GLuint[]){d->pass_depth, d->encoded_pixels});
}

void drawer_close(drawer *d) {
    if (!d) {
        return;
    }
    if (d->context.handle && context_enter(&d->context) == TOILE_OK) {
        close_in_context(d);
        context_leave(&d->context);
    }
    context_close(&d->context);
    cut_sphere_free(&d->body_sphere);
    cut_sphere_free(&d->caster_sphere);
    free(d);
}

const char *drawer_description(const drawer *d) {
    return d->context.description;
}

/* ---- a frame's geometry
 * ---------------------------------------------------------------------------------------------
 */

static surface *new_surface(painting *p, const surface_program *program, const float color[3]) {
    surface *s = &p->surfaces[p->surface_count++];
    s->program = program;
    memcpy(s->color, color, sizeof s->color);
    return s;
}

static v3 bounds_middle(const draw_bounds *b) {
    return v3_scale(v3_add(v3_load(b->low), v3_load(b->high)), 0.5f);
}

static float bounds_radius(const draw_bounds *b) {
    return 0.5f * v3_length(v3_sub(v3_load(b->high), v3_load(b->low)));
}

static toile_result add_floor(drawer *d, painting *p, v3 point, v3 normal, const float color[3]) {
    v3 eye = v3_load(p->frame->camera.eye);
    if (v3_dot(v3_sub(eye, point), normal) <= 0.0f) {
        return TOILE_OK; /* seen from below it would hide everything */
    }
    v3 middle = bounds_middle(&p->shown);
    v3 below = v3_madd(middle, normal, v3_dot(v3_sub(point, middle), normal));
    surface *s = new_surface(p, &d->floor, color);
    return geometry_add_square(&d->geometry, below, normal, FLOOR_REACH * bounds_radius(&p->shown),
                               &s->range);
}

static toile_result add_plane(drawer *d, painting *p, const draw_body *body) {
    v3 normal = v3_rotate(v3_normalize(v3_load(body->def.normal)), body->pose.rotation);
    return add_floor(d, p, v3_load(body->pose.position), normal, body->color);
}

/* Just below everything, bodies that do not count as shown included. */
static toile_result add_own_floor(drawer *d, painting *p) {
    float height = p->shown.low[1];
    for (int i = 0; i < p->frame->body_count; i++) {
        round_shape shape = round_shape_of(&p->frame->bodies[i]);
        height = fminf(height, round_shape_bounds(&shape).low[1]);
    }
    v3 point = v3_make(0.0f, height - FLOOR_GAP, 0.0f);
    return add_floor(d, p, point, v3_make(0.0f, 1.0f, 0.0f), p->frame->options.background);
}

static toile_result add_cloths_and_bodies(drawer *d, painting *p) {
    const draw_frame *frame = p->frame;
    toile_result result = TOILE_OK;
    for (int i = 0; i < frame->cloth_count && result == TOILE_OK; i++) {
        surface *s = new_surface(p, &d->cloth, frame->cloths[i].color);
        result = geometry_add_mesh(&d->geometry, &frame->cloths[i].mesh, frame->options.wireframe,
                                   &s->range);
    }
    for (int i = 0; i < frame->body_count && result == TOILE_OK; i++) {
        if (frame->bodies[i].def.shape != TOILE_SHAPE_PLANE) {
            surface *s = new_surface(p, &d->body, frame->bodies[i].color);
            round_shape shape = round_shape_of(&frame->bodies[i]);
            result = geometry_add_shape(&d->geometry, &d->sphere, &shape, &s->range);
        }
    }
    p->casters = (geometry_range){0, d->geometry.index_count};
    return result;
}

static toile_result add_floors(drawer *d, painting *p) {
    bool planes = false;
    for (int i = 0; i < p->frame->body_count; i++) {
        if (p->frame->bodies[i].def.shape == TOILE_SHAPE_PLANE) {
            toile_result result = add_plane(d, p, &p->frame->bodies[i]);
            if (result != TOILE_OK) {
                return result;
            }
            planes = true;
        }
    }
    return planes || !p->frame->options.floor ? TOILE_OK : add_own_floor(d, p);
}

static toile_result collect(drawer *d, painting *p) {
    geometry_clear(&d->geometry);
    size_t most = (size_t)p->frame->cloth_count + (size_t)p->frame->body_count + 1;
    p->surfaces = memory_alloc(most, sizeof *p->surfaces, "the surfaces of a picture");
    if (!p->surfaces) {
        return TOILE_ERROR_MEMORY;
    }
    toile_result result = add_cloths_and_bodies(d, p);
    if (result == TOILE_OK) {
        result = add_floors(d, p);
    }
    if (result == TOILE_OK) {
        geometry_upload(&d->geometry);
    }
    return result;
}

/* ---- passes
 * ---------------------------------------------------------------------------------------------------------
 */

/* The inverse of a tent's distribution function: u from 0 to 1 becomes -1 to 1, mostly about 0. */
static float tent(float u) {
    return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u);
}

static mat4 view_matrix(const scene_camera *camera) {
    v3 eye = v3_load(camera->eye);
    v3 back = v3_normalize(v3_sub(eye, v3_load(camera->target)));
    v3 right = v3_cross(v3_make(0.0f, 1.0f, 0.0f), back);
    right = v3_dot(right, right) > 1e-10f ? v3_normalize(right) : v3_make(1.0f, 0.0f, 0.0f);
    v3 axes[3] = {right, v3_cross(back, right), back};
    float offset[3] = {-v3_dot(axes[0], eye), -v3_dot(axes[1], eye), -v3_dot(axes[2], eye)};
    return mat4_affine(axes, offset);
}

/* Shifted by (x, y) pixels. */
static mat4 projection_matrix(const drawer *d, const painting *p, float x, float y) {
    const scene_camera *camera = &p->frame->camera;
    float distance = v3_length(v3_sub(v3_load(camera->eye), bounds_middle(&p->shown)));
    float radius = bounds_radius(&p->shown);
    float far = distance + 1.5f * FLOOR_REACH * radius;
    float near = 0.02f * fmaxf(distance, radius);
    float height = 1.0f / tanf(0.5f * camera->fov * 0.0174532925f);
    mat4 m = {{0}};
    m.m[0] = height * (float)d->height / (float)d->width;
    m.m[5] = height;
    m.m[8] = 2.0f * x / (float)d->width;
    m.m[9] = 2.0f * y / (float)d->height;
    m.m[10] = -(far + near) / (far - near);
    m.m[11] = -1.0f;
    m.m[14] = -2.0f * far * near / (far - near);
    return m;
}

static void upload_block(GLuint buffer, GLuint binding, const void *bytes, size_t size) {
    glBindBuffer(GL_UNIFORM_BUFFER, buffer);
    glBufferData(GL_UNIFORM_BUFFER, (GLsizeiptr)size, bytes, GL_STREAM_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, binding, buffer);
}

static void set_picture(drawer *d, const painting *p, int pass) {
    float u, v;
    spread_point(pass, &u, &v);
    mat4 projection =
        projection_matrix(d, p, 0.5f * FILTER_WIDTH * tent(u), 0.5f * FILTER_WIDTH * tent(v));
    picture_block block = {
        .view_projection = mat4_multiply(projection, view_matrix(&p->frame->camera)),
        .viewport = {(float)d->width, (float)d->height},
    };
    memcpy(block.eye, p->frame->camera.eye, sizeof p->frame->camera.eye);
    memcpy(block.background, p->frame->options.background, sizeof p->frame->options.background);
    v3_store(block.stage, bounds_middle(&p->shown));
    block.stage[3] = bounds_radius(&p->shown);
    upload_block(d->picture_buffer, BLOCK_PICTURE, &block, sizeof block);
}

static void set_lights(drawer *d, const painting *p, const studio *s, const quality *q, int pass) {
    lighting block = studio_lighting(s, pass, q->key_size, q->sky_size);
    upload_block(d->lighting_buffer, BLOCK_LIGHTS, &block, sizeof block);
    shadow_maps_draw(&d->shadow, &d->key_maps, block.keys, PASS_KEYS, &d->geometry, p->casters);
    shadow_maps_draw(&d->shadow, &d->sky_maps, block.skies, PASS_SKIES + PASS_GROUNDS, &d->geometry, p->casters);
}

static void draw_screen(const drawer *d) {
    glBindVertexArray(d->screen);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_surfaces(drawer *d, const painting *p) {
    glBindFramebuffer(GL_FRAMEBUFFER, d->pass_target);
    glViewport(0, 0, d->width, d->height);
    glActiveTexture(GL_TEXTURE0 + UNIT_KEY_MAPS);
    glBindTexture(GL_TEXTURE_2D_ARRAY, d->key_maps.texture);
    glActiveTexture(GL_TEXTURE0 + UNIT_SKY_MAPS);
    glBindTexture(GL_TEXTURE_2D_ARRAY, d->sky_maps.texture);
    glClear(GL_DEPTH_BUFFER_BIT);
    glDepthFunc(GL_LEQUAL); /* the backdrop lies exactly as far as the cleared depth */
    for (size_t i = 0; i < p->surface_count; i++) {
        const surface *s = &p->surfaces[i];
        glUseProgram(s->program->handle);
        glUniform3fv(s->program->color, 1, s->color);
        glUniform1i(s->program->texture_kind, (GLint)p->frame->options.texture);
        glUniform1i(s->program->wireframe, p->frame->options.wireframe);
        geometry_draw(&d->geometry, s->range);
    }
    glUseProgram(d->backdrop.handle);
    draw_screen(d);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
}

static void add_pass(const drawer *d, const quality *q) {
    glBindFramebuffer(GL_FRAMEBUFFER, d->sum_target);
    glActiveTexture(GL_TEXTURE0 + UNIT_PICTURE);
    glBindTexture(GL_TEXTURE_2D, d->pass_pixels);
    glUseProgram(d->add);
    glUniform1f(d->add_weight, 1.0f / (float)q->passes);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    draw_screen(d);
    glDisable(GL_BLEND);
}

/* OpenGL's first row is the bottom one. */
static void flip(uint8_t *rgb, int width, int height) {
    size_t row = 3 * (size_t)width;
    uint8_t *low = rgb, *high = rgb + row * (size_t)(height - 1);
    for (; low < high; low += row, high -= row) {
        for (size_t i = 0; i < row; i++) {
            uint8_t byte = low[i];
            low[i] = high[i];
            high[i] = byte;
        }
    }
}

static void read_picture(drawer *d, uint8_t *rgb) {
    glBindFramebuffer(GL_FRAMEBUFFER, d->encoded_target);
    glActiveTexture(GL_TEXTURE0 + UNIT_PICTURE);
    glBindTexture(GL_TEXTURE_2D, d->sum_pixels);
    glUseProgram(d->encode);
    draw_screen(d);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, d->width, d->height, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    flip(rgb, d->width, d->height);
}

static void paint(drawer *d, const painting *p, uint8_t *rgb) {
    const quality *q = &QUALITIES[p->frame->quality];
    draw_bounds casters = draw_bounds_union(p->shown, draw_frame_bounds(p->frame));
    studio s = studio_make(&p->frame->camera, casters, v3_load(p->frame->options.background));
    shadow_maps_resize(&d->key_maps, q->key_size, PASS_KEYS);
    shadow_maps_resize(&d->sky_maps, q->sky_size, PASS_SKIES + PASS_GROUNDS);
    glBindFramebuffer(GL_FRAMEBUFFER, d->sum_target);
    glClear(GL_COLOR_BUFFER_BIT);
    for (int pass = 0; pass < q->passes; pass++) {
        set_picture(d, p, pass);
        set_lights(d, p, &s, q, pass);
        draw_surfaces(d, p);
        add_pass(d, q);
    }
    read_picture(d, rgb);
}

toile_result drawer_draw(drawer *d, const draw_frame *frame, uint8_t *rgb) {
    TOILE_ASSERT(frame->camera.given);
    toile_result result = context_enter(&d->context);
    if (result != TOILE_OK) {
        return result;
    }
    painting p = {.frame = frame, .shown = frame_shown_bounds(frame)};
    result = collect(d, &p);
    if (result == TOILE_OK) {
        paint(d, &p, rgb);
        result = check_gl("drawing a picture");
    }
    free(p.surfaces);
    context_leave(&d->context);
    return result;
}
