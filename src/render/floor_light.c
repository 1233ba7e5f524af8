#include "render/floor_light.h"

#include "render/program.h"
#include "render/shaders.h"

toile_result floor_light_open(floor_light *f) {
    *f = (floor_light){0};
    toile_result result =
        program_make("floor light",
                     (const char *const[]){shader_picture_glsl, shader_floor_glsl,
                                           shader_floor_light_vert, NULL},
                     (const char *const[]){shader_picture_glsl, shader_lighting_glsl,
                                           shader_floor_light_frag, NULL},
                     &f->program);
    if (result == TOILE_OK) {
        glGenFramebuffers(1, &f->framebuffer);
    }
    return result;
}

void floor_light_close(floor_light *f) {
    glDeleteProgram(f->program);
    glDeleteFramebuffers(1, &f->framebuffer);
    glDeleteTextures(1, &f->texture);
    *f = (floor_light){0};
}

static void resize(floor_light *f, int size, int layers) {
    if (f->size == size && f->layers == layers) {
        return;
    }
    glDeleteTextures(1, &f->texture);
    f->size = size;
    f->layers = layers;
    glGenTextures(1, &f->texture);
    glBindTexture(GL_TEXTURE_2D_ARRAY, f->texture);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_R32F, size, size, layers, 0, GL_RED, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindTexture(GL_TEXTURE_2D_ARRAY, 0);
}

static void bind_layer(const floor_light *f, int layer) {
    glBindFramebuffer(GL_FRAMEBUFFER, f->framebuffer);
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, f->texture, 0, layer);
}

void floor_light_clear(floor_light *f, int size, int floors) {
    resize(f, size, floors);
    for (int i = 0; i < floors; i++) {
        bind_layer(f, i);
        glClear(GL_COLOR_BUFFER_BIT);
    }
}

void floor_light_add(const floor_light *f, int floor, const geometry *g, geometry_range range) {
    bind_layer(f, floor);
    glViewport(0, 0, f->size, f->size);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(f->program);
    geometry_draw(g, range);
}

void floor_light_finish(const floor_light *f) {
    glActiveTexture(GL_TEXTURE0 + UNIT_FLOOR_LIGHT);
    glBindTexture(GL_TEXTURE_2D_ARRAY, f->texture);
    glGenerateMipmap(GL_TEXTURE_2D_ARRAY);
}
