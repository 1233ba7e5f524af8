#include "render/canvas.h"

#include "base/error.h"
#include "gl/context.h"
#include "render/program.h"
#include "render/shaders.h"

static toile_result check_size(int width, int height) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (width < 1 || height < 1 || width > most || height > most) {
        return error_set(TOILE_ERROR_INVALID,
                         "cannot draw a picture of %d x %d pixels: from 1 to %d are possible",
                         width, height, most);
    }
    return TOILE_OK;
}

static toile_result make_programs(canvas *c) {
    const char *const screen[] = {shader_screen_vert, NULL};
    toile_result result =
        program_make("add", screen, (const char *const[]){shader_add_frag, NULL}, &c->add);
    if (result == TOILE_OK) {
        result = program_make("encode", screen, (const char *const[]){shader_encode_frag, NULL},
                              &c->encode);
    }
    if (result == TOILE_OK) {
        c->encode_weight = glGetUniformLocation(c->encode, "weight");
        result = program_make("shade", screen,
                              (const char *const[]){shader_picture_glsl, shader_lighting_glsl,
                                                    shader_shade_frag, NULL},
                              &c->shade);
    }
    return result;
}

static GLuint make_texture(const canvas *c, GLint format, GLenum channels) {
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, format, c->width, c->height, 0, channels, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, 0);
    return texture;
}

static GLuint make_renderbuffer(const canvas *c, GLenum format) {
    GLuint buffer;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, format, c->width, c->height);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    return buffer;
}

static GLuint make_target(const GLuint *colors, GLsizei count, GLuint depths) {
    static const GLenum outputs[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1,
                                     GL_COLOR_ATTACHMENT2};
    GLuint target;
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    for (GLsizei i = 0; i < count; i++) {
        glFramebufferTexture2D(GL_FRAMEBUFFER, outputs[i], GL_TEXTURE_2D, colors[i], 0);
    }
    glDrawBuffers(count, outputs);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depths);
    return target;
}

/* What is read back needs no texture. */
static GLuint make_encoded_target(GLuint pixels) {
    GLuint target;
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixels);
    return target;
}

static toile_result make_targets(canvas *c) {
    c->normals = make_texture(c, GL_RGBA16F, GL_RGBA);
    c->colors = make_texture(c, GL_RGBA16F, GL_RGBA);
    c->distances = make_texture(c, GL_R32F, GL_RED);
    c->pixels = make_texture(c, GL_RGBA16F, GL_RGBA);
    c->sum_pixels = make_texture(c, GL_RGBA32F, GL_RGBA);
    c->depths = make_renderbuffer(c, GL_DEPTH_COMPONENT32F);
    c->encoded_pixels = make_renderbuffer(c, GL_RGBA8);
    const GLuint surfaces[] = {c->normals, c->colors, c->distances};
    c->surface_target = make_target(surfaces, 3, c->depths);
    c->pass_target = make_target(&c->pixels, 1, c->depths);
    c->sum_target = make_target(&c->sum_pixels, 1, 0);
    c->encoded_target = make_encoded_target(c->encoded_pixels);
    toile_result result = context_check("making a picture");
    const GLuint targets[] = {c->surface_target, c->pass_target, c->sum_target, c->encoded_target};
    for (size_t i = 0; i < sizeof targets / sizeof *targets && result == TOILE_OK; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, targets[i]);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
            result =
                error_set(TOILE_ERROR_UNAVAILABLE, "OpenGL cannot draw pictures of %d x %d pixels",
                          c->width, c->height);
        }
    }
    return result;
}

toile_result canvas_open(canvas *c, int width, int height) {
    *c = (canvas){.width = width, .height = height};
    toile_result result = check_size(width, height);
    if (result == TOILE_OK) {
        result = make_programs(c);
    }
    if (result == TOILE_OK) {
        result = make_targets(c);
    }
    if (result == TOILE_OK) {
        glGenVertexArrays(1, &c->screen);
    }
    return result;
}

static void drop_targets(canvas *c) {
    glDeleteFramebuffers(
        4, (GLuint[]){c->surface_target, c->pass_target, c->sum_target, c->encoded_target});
    glDeleteTextures(5, (GLuint[]){c->normals, c->colors, c->distances, c->pixels, c->sum_pixels});
    glDeleteRenderbuffers(2, (GLuint[]){c->depths, c->encoded_pixels});
}

void canvas_close(canvas *c) {
    glDeleteProgram(c->shade);
    glDeleteProgram(c->add);
    glDeleteProgram(c->encode);
    glDeleteVertexArrays(1, &c->screen);
    drop_targets(c);
    *c = (canvas){0};
}

toile_result canvas_resize(canvas *c, int width, int height) {
    canvas resized = *c;
    resized.width = width;
    resized.height = height;
    toile_result result = check_size(width, height);
    if (result == TOILE_OK) {
        result = make_targets(&resized);
        drop_targets(result == TOILE_OK ? c : &resized);
    }
    if (result == TOILE_OK) {
        *c = resized;
    }
    return result;
}

void canvas_clear(const canvas *c) {
    glBindFramebuffer(GL_FRAMEBUFFER, c->sum_target);
    glClear(GL_COLOR_BUFFER_BIT);
}

void canvas_begin(const canvas *c) {
    glBindFramebuffer(GL_FRAMEBUFFER, c->surface_target);
    glViewport(0, 0, c->width, c->height);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_DEPTH_BUFFER_BIT);
}

static void bind_texture(GLenum unit, GLuint texture) {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, texture);
}

void canvas_shade(const canvas *c) {
    glBindFramebuffer(GL_FRAMEBUFFER, c->pass_target);
    bind_texture(UNIT_NORMALS, c->normals);
    bind_texture(UNIT_COLORS, c->colors);
    bind_texture(UNIT_DISTANCES, c->distances);
    /* Drawn as deep as the cleared depth, only where something is in front of that. */
    glDepthFunc(GL_GREATER);
    glDepthMask(GL_FALSE);
    glUseProgram(c->shade);
    canvas_fill(c);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
}

void canvas_add(const canvas *c) {
    glBindFramebuffer(GL_FRAMEBUFFER, c->sum_target);
    glDisable(GL_DEPTH_TEST);
    bind_texture(UNIT_PICTURE, c->pixels);
    glUseProgram(c->add);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    canvas_fill(c);
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

void canvas_show(const canvas *c, int passes) {
    glViewport(0, 0, c->width, c->height);
    glDisable(GL_DEPTH_TEST);
    bind_texture(UNIT_PICTURE, c->sum_pixels);
    glUseProgram(c->encode);
    glUniform1f(c->encode_weight, 1.0f / (float)passes);
    canvas_fill(c);
}

void canvas_read(const canvas *c, int passes, uint8_t *rgb) {
    glBindFramebuffer(GL_FRAMEBUFFER, c->encoded_target);
    canvas_show(c, passes);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, c->width, c->height, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    flip(rgb, c->width, c->height);
}

float canvas_distance(const canvas *c, int x, int y) {
    float distance = 0.0f;
    glBindFramebuffer(GL_FRAMEBUFFER, c->surface_target);
    glReadBuffer(GL_COLOR_ATTACHMENT2);
    glReadPixels(x, c->height - 1 - y, 1, 1, GL_RED, GL_FLOAT, &distance);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    return distance;
}

void canvas_fill(const canvas *c) {
    glBindVertexArray(c->screen);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}
