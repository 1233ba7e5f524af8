#include "gl/guest.h"

#include <stdbool.h>

/* Targets of buffers. Those of vertex arrays and of numbered places are kept with these. */
static const struct {
    GLenum target, binding;
} buffers[GUEST_BUFFERS] = {
    {GL_ARRAY_BUFFER, GL_ARRAY_BUFFER_BINDING},
    {GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER_BINDING},
    {GL_COPY_WRITE_BUFFER, GL_COPY_WRITE_BUFFER_BINDING},
    {GL_DISPATCH_INDIRECT_BUFFER, GL_DISPATCH_INDIRECT_BUFFER_BINDING},
    {GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING},
    {GL_PIXEL_UNPACK_BUFFER, GL_PIXEL_UNPACK_BUFFER_BINDING},
    {GL_SHADER_STORAGE_BUFFER, GL_SHADER_STORAGE_BUFFER_BINDING},
    {GL_TRANSFORM_FEEDBACK_BUFFER, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING},
    {GL_UNIFORM_BUFFER, GL_UNIFORM_BUFFER_BINDING},
    {GL_TEXTURE_BUFFER, GL_TEXTURE_BUFFER_BINDING},
};

/* All are off while the library draws, until it switches some on itself. */
static const GLenum switches[GUEST_SWITCHES] = {
    GL_COLOR_LOGIC_OP,    GL_CULL_FACE,          GL_DEPTH_CLAMP,         GL_DEPTH_TEST,
    GL_FRAMEBUFFER_SRGB,  GL_MULTISAMPLE,        GL_POLYGON_OFFSET_FILL, GL_POLYGON_SMOOTH,
    GL_PRIMITIVE_RESTART, GL_PROGRAM_POINT_SIZE, GL_RASTERIZER_DISCARD,  GL_STENCIL_TEST,
};

static guest_range get_range(GLuint place, GLenum binding, GLenum start, GLenum size) {
    GLint buffer = 0;
    guest_range r = {.buffer = 0};
    glGetIntegeri_v(binding, place, &buffer);
    glGetInteger64i_v(start, place, &r.start);
    glGetInteger64i_v(size, place, &r.size);
    r.buffer = (GLuint)buffer;
    return r;
}

static void set_range(GLenum target, GLuint place, const guest_range *r) {
    if (r->buffer && r->size > 0) {
        glBindBufferRange(target, place, r->buffer, (GLintptr)r->start, (GLsizeiptr)r->size);
    } else {
        glBindBufferBase(target, place, r->buffer);
    }
}

static void save_buffers(guest_state *s) {
    for (int i = 0; i < GUEST_BUFFERS; i++) {
        glGetIntegerv(buffers[i].binding, &s->buffers[i]);
        glBindBuffer(buffers[i].target, 0);
    }
    for (GLuint i = 0; i < GUEST_STORAGE; i++) {
        s->storage[i] = get_range(i, GL_SHADER_STORAGE_BUFFER_BINDING,
                                  GL_SHADER_STORAGE_BUFFER_START, GL_SHADER_STORAGE_BUFFER_SIZE);
    }
    for (GLuint i = 0; i < GUEST_UNIFORM; i++) {
        s->uniform[i] = get_range(i, GL_UNIFORM_BUFFER_BINDING, GL_UNIFORM_BUFFER_START,
                                  GL_UNIFORM_BUFFER_SIZE);
    }
    s->feedback = get_range(0, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING,
                            GL_TRANSFORM_FEEDBACK_BUFFER_START, GL_TRANSFORM_FEEDBACK_BUFFER_SIZE);
}

/* Binding to a place binds to the target as well, so those come last. */
static void restore_buffers(const guest_state *s) {
    for (GLuint i = 0; i < GUEST_STORAGE; i++) {
        set_range(GL_SHADER_STORAGE_BUFFER, i, &s->storage[i]);
    }
    for (GLuint i = 0; i < GUEST_UNIFORM; i++) {
        set_range(GL_UNIFORM_BUFFER, i, &s->uniform[i]);
    }
    set_range(GL_TRANSFORM_FEEDBACK_BUFFER, 0, &s->feedback);
    for (int i = 0; i < GUEST_BUFFERS; i++) {
        glBindBuffer(buffers[i].target, (GLuint)s->buffers[i]);
    }
}

static guest_image get_image(void) {
    guest_image image = {.texture = 0};
    glGetIntegeri_v(GL_IMAGE_BINDING_NAME, 0, &image.texture);
    glGetIntegeri_v(GL_IMAGE_BINDING_LEVEL, 0, &image.level);
    glGetIntegeri_v(GL_IMAGE_BINDING_LAYER, 0, &image.layer);
    glGetIntegeri_v(GL_IMAGE_BINDING_ACCESS, 0, &image.access);
    glGetIntegeri_v(GL_IMAGE_BINDING_FORMAT, 0, &image.format);
    glGetBooleani_v(GL_IMAGE_BINDING_LAYERED, 0, &image.layered);
    return image;
}

static void save_textures(guest_state *s) {
    glGetIntegerv(GL_ACTIVE_TEXTURE, &s->unit);
    for (GLenum i = 0; i < GUEST_UNITS; i++) {
        glActiveTexture(GL_TEXTURE0 + i);
        glGetIntegerv(GL_TEXTURE_BINDING_2D, &s->flat_textures[i]);
        glGetIntegerv(GL_TEXTURE_BINDING_BUFFER, &s->buffer_textures[i]);
    }
    glActiveTexture(GL_TEXTURE0);
    glGetIntegerv(GL_TEXTURE_BINDING_2D_ARRAY, &s->layered_texture);
    s->image = get_image();
}

static void restore_textures(const guest_state *s) {
    for (GLenum i = 0; i < GUEST_UNITS; i++) {
        glActiveTexture(GL_TEXTURE0 + i);
        glBindTexture(GL_TEXTURE_2D, (GLuint)s->flat_textures[i]);
        glBindTexture(GL_TEXTURE_BUFFER, (GLuint)s->buffer_textures[i]);
    }
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D_ARRAY, (GLuint)s->layered_texture);
    glActiveTexture((GLenum)s->unit);
    glBindImageTexture(0, (GLuint)s->image.texture, s->image.level, s->image.layered,
                       s->image.layer, (GLenum)s->image.access, (GLenum)s->image.format);
}

static void set_switch(GLenum which, GLboolean on) {
    if (on) {
        glEnable(which);
    } else {
        glDisable(which);
    }
}

/* Engines turn images round, or depth; the latter by the range, too. */
static bool has_clip_control(void) {
    return epoxy_gl_version() >= 45 || epoxy_has_gl_extension("GL_ARB_clip_control");
}

static void save_clipping(guest_state *s) {
    for (GLenum i = 0; i < GUEST_CLIPS; i++) {
        s->clips[i] = glIsEnabled(GL_CLIP_DISTANCE0 + i);
        glDisable(GL_CLIP_DISTANCE0 + i);
    }
    if (has_clip_control()) {
        glGetIntegerv(GL_CLIP_ORIGIN, &s->clip_origin);
        glGetIntegerv(GL_CLIP_DEPTH_MODE, &s->clip_depth);
        glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
    }
    glGetFloati_v(GL_VIEWPORT, 0, s->viewport);
    glGetDoublei_v(GL_DEPTH_RANGE, 0, s->depth_range);
    glDepthRangeIndexed(0, 0.0, 1.0);
    /* Off for all viewports: Mesa 22 cuts the first drawing where it is so for the first alone. */
    for (GLuint i = 0; i < GUEST_VIEWPORTS; i++) {
        s->scissors[i] = glIsEnabledi(GL_SCISSOR_TEST, i);
    }
    glDisable(GL_SCISSOR_TEST);
}

static void restore_clipping(const guest_state *s) {
    for (GLenum i = 0; i < GUEST_CLIPS; i++) {
        set_switch(GL_CLIP_DISTANCE0 + i, s->clips[i]);
    }
    if (has_clip_control()) {
        glClipControl((GLenum)s->clip_origin, (GLenum)s->clip_depth);
    }
    glViewportIndexedfv(0, s->viewport);
    glDepthRangeIndexed(0, s->depth_range[0], s->depth_range[1]);
    for (GLuint i = 0; i < GUEST_VIEWPORTS; i++) {
        (s->scissors[i] ? glEnablei : glDisablei)(GL_SCISSOR_TEST, i);
    }
}

static const GLenum blending[GUEST_BLENDING] = {
    GL_BLEND_SRC_RGB,   GL_BLEND_DST_RGB,      GL_BLEND_SRC_ALPHA,
    GL_BLEND_DST_ALPHA, GL_BLEND_EQUATION_RGB, GL_BLEND_EQUATION_ALPHA,
};

static void save_blending(guest_state *s) {
    for (int i = 0; i < GUEST_BLENDING; i++) {
        glGetIntegeri_v(blending[i], 0, &s->blending[i]);
    }
    for (GLuint i = 0; i < GUEST_TARGETS; i++) {
        s->blend[i] = glIsEnabledi(GL_BLEND, i);
    }
    glDisable(GL_BLEND);
    glBlendEquationi(0, GL_FUNC_ADD);
}

static void restore_blending(const guest_state *s) {
    const GLint *b = s->blending;
    glBlendFuncSeparatei(0, (GLenum)b[0], (GLenum)b[1], (GLenum)b[2], (GLenum)b[3]);
    glBlendEquationSeparatei(0, (GLenum)b[4], (GLenum)b[5]);
    for (GLuint i = 0; i < GUEST_TARGETS; i++) {
        (s->blend[i] ? glEnablei : glDisablei)(GL_BLEND, i);
    }
}

static void save_drawing(guest_state *s) {
    for (int i = 0; i < GUEST_SWITCHES; i++) {
        s->switches[i] = glIsEnabled(switches[i]);
        glDisable(switches[i]);
    }
    for (GLuint i = 0; i < GUEST_TARGETS; i++) {
        glGetBooleani_v(GL_COLOR_WRITEMASK, i, s->color_mask[i]);
    }
    glGetIntegerv(GL_DEPTH_FUNC, &s->depth_function);
    glGetIntegerv(GL_POLYGON_MODE, s->polygon_mode);
    glGetBooleanv(GL_DEPTH_WRITEMASK, &s->depth_mask);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDepthMask(GL_TRUE);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

static void restore_drawing(const guest_state *s) {
    for (int i = 0; i < GUEST_SWITCHES; i++) {
        set_switch(switches[i], s->switches[i]);
    }
    for (GLuint i = 0; i < GUEST_TARGETS; i++) {
        const GLboolean *mask = s->color_mask[i];
        glColorMaski(i, mask[0], mask[1], mask[2], mask[3]);
    }
    glDepthFunc((GLenum)s->depth_function);
    glPolygonMode(GL_FRONT_AND_BACK, (GLenum)s->polygon_mode[0]);
    glDepthMask(s->depth_mask);
}

void guest_save(guest_state *s) {
    glGetIntegerv(GL_CURRENT_PROGRAM, &s->program);
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &s->vertex_array);
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &s->draw_frame);
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &s->read_frame);
    glGetIntegerv(GL_RENDERBUFFER_BINDING, &s->renderbuffer);
    glBindVertexArray(0);
    save_buffers(s);
    save_textures(s);
    save_clipping(s);
    save_blending(s);
    save_drawing(s);
}

void guest_restore(const guest_state *s) {
    restore_buffers(s);
    restore_textures(s);
    restore_clipping(s);
    restore_blending(s);
    restore_drawing(s);
    glUseProgram((GLuint)s->program);
    glBindVertexArray((GLuint)s->vertex_array);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)s->draw_frame);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)s->read_frame);
    glBindRenderbuffer(GL_RENDERBUFFER, (GLuint)s->renderbuffer);
}
