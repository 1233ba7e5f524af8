#include "gl/fragment/draw.h"

#include "gl/blocks.h"
#include "gl/fragment/layout.h"

static void bind_textures(const fragment_run_state *run, const device_cloth *cloth) {
    const GLuint textures[UNIT_COUNT] = {
        [UNIT_positions] = cloth->textures[TEXTURE_x0 + cloth->x],
        [UNIT_velocities] = cloth->textures[TEXTURE_v0 + cloth->v],
        [UNIT_accelerations] = cloth->textures[TEXTURE_acceleration],
        [UNIT_air] = cloth->textures[TEXTURE_air],
        [UNIT_tables] = cloth->tables,
        [UNIT_numbers] = run->gl->numbers,
        [UNIT_mark] = cloth->stretched.texture,
        [UNIT_touched] = cloth->touched.texture,
    };
    for (int unit = 0; unit < UNIT_COUNT; unit++) {
        glActiveTexture((GLenum)(GL_TEXTURE0 + unit));
        glBindTexture(GL_TEXTURE_2D, textures[unit]);
    }
}

static void begin(const fragment_run_state *run, const device_cloth *cloth,
                  const fragment_call *call) {
    const device_context *gl = run->gl;
    const fragment_program *p = &gl->machine->fragments[call->program];
    bind_textures(run, cloth);
    glBindFramebuffer(GL_FRAMEBUFFER, call->frame);
    glBindBufferBase(GL_UNIFORM_BUFFER, BIND_CLOTH, cloth->block);
    glUseProgram(p->handle);
    glUniform1i(p->moment, gl->moments_at + (run->substep - run->chunk) * gl->moment_numbers);
    glUniform1i(p->call, call->number);
    glUniform1f(p->share, call->share);
}

/* What is drawn covers the cloth, and never its border. */
static void aim_at_texels(const device_cloth *cloth) {
    glViewport(FRAGMENT_HALO, FRAGMENT_HALO, cloth->grid.columns, cloth->grid.rows);
}

void fragment_draw(const fragment_run_state *run, const device_cloth *cloth,
                   const fragment_call *call) {
    begin(run, cloth, call);
    aim_at_texels(cloth);
    glBindVertexArray(run->gl->plain);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void fragment_draw_blocks(const fragment_run_state *run, const device_cloth *cloth,
                          const fragment_call *call) {
    begin(run, cloth, call);
    glViewport(0, 0, fragment_blocks(&cloth->grid), cloth->grid.rows);
    glBindVertexArray(run->gl->plain);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void fragment_draw_pinned(const fragment_run_state *run, const device_cloth *cloth,
                          const fragment_call *call) {
    begin(run, cloth, call);
    aim_at_texels(cloth);
    glBindVertexArray(cloth->pins_array);
    glDrawArrays(GL_POINTS, 0, cloth->pinned);
}

void fragment_draw_mark(const fragment_run_state *run, const device_cloth *cloth,
                        const fragment_call *call) {
    begin(run, cloth, call);
    glViewport(0, 0, 1, 1);
    glClearBufferfv(GL_COLOR, 0, (const GLfloat[4]){0.0f, 0.0f, 0.0f, 0.0f});
    glBindVertexArray(run->gl->plain);
    glDrawArrays(GL_POINTS, 0, (GLsizei)grid_texels(&cloth->grid));
}
