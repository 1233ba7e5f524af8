#include "render/shadow.h"

#include "render/program.h"
#include "render/shaders.h"

toile_result shadow_drawer_open(shadow_drawer *s) {
    toile_result result = program_make("shadow", (const char *const[]){shader_shadow_vert, NULL},
                                       (const char *const[]){shader_depth_frag, NULL}, &s->program);
    if (result == TOILE_OK) {
        s->to_map = glGetUniformLocation(s->program, "to_map");
        glGenFramebuffers(1, &s->framebuffer);
    }
    return result;
}

void shadow_drawer_close(shadow_drawer *s) {
    glDeleteProgram(s->program);
    glDeleteFramebuffers(1, &s->framebuffer);
    *s = (shadow_drawer){0};
}

void shadow_maps_resize(shadow_maps *maps, int size, int layers) {
    if (maps->size == size && maps->layers == layers) {
        return;
    }
    shadow_maps_close(maps);
    *maps = (shadow_maps){.size = size, .layers = layers};
    glGenTextures(1, &maps->texture);
    glBindTexture(GL_TEXTURE_2D_ARRAY, maps->texture);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_DEPTH_COMPONENT16, size, size, layers, 0,
                 GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, NULL);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glBindTexture(GL_TEXTURE_2D_ARRAY, 0);
}

void shadow_maps_close(shadow_maps *maps) {
    glDeleteTextures(1, &maps->texture);
    *maps = (shadow_maps){0};
}

void shadow_maps_draw(const shadow_drawer *s, const shadow_maps *maps, const light *lights,
                      const shadow_casters *casters) {
    glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
    glDrawBuffer(GL_NONE);
    glViewport(0, 0, maps->size, maps->size);
    glUseProgram(s->program);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_DEPTH_CLAMP);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.0f, 2.0f);
    for (int i = 0; i < maps->layers; i++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, maps->texture, 0, i);
        glClear(GL_DEPTH_BUFFER_BIT);
        glUniform4fv(s->to_map, 3, lights[i].to_map[0]);
        geometry_draw(casters->geometry, casters->range);
        drape_draw_all(casters->drapes, casters->role);
    }
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDisable(GL_DEPTH_CLAMP);
}
