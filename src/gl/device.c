/* The gl device: compute shaders on any driver of OpenGL 4.3. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "gl/implicit.h"
#include "gl/maps.h"
#include "gl/newton.h"
#include "gl/run.h"
#include "gl/self.h"
#include "gl/solids.h"

static const char *gl_describe(const char **reason) {
    static _Thread_local char text[512];
    machine *m = machine_take(MACHINE_COMPUTE);
    *reason = "";
    snprintf(text, sizeof text, "%s", m ? m->context.description : toile_error_message());
    if (!m) {
        *reason = text;
        return NULL;
    }
    machine_give(m, false);
    return text;
}

static bool gl_is_gpu(void) {
    machine *m = machine_take(MACHINE_COMPUTE);
    bool gpu = m && !m->context.software;
    if (m) {
        machine_give(m, false);
    }
    return gpu;
}

static device_context *gl_open(const toile_world_def *def, team *threads) {
    (void)threads;
    const bool borrowed = def->gl_context == TOILE_GL_CONTEXT_CURRENT;
    device_context *gl = memory_alloc(1, sizeof *gl, "the gl device");
    if (gl) {
        gl->machine = borrowed ? machine_borrow() : machine_take(MACHINE_COMPUTE);
    }
    if (gl && !gl->machine) {
        free(gl);
        return NULL;
    }
    return gl;
}

static void gl_close(device_context *gl) {
    context_before before;
    if (context_enter(&gl->machine->context, &before) == TOILE_OK) {
        timer_close(&gl->timer);
        gl_self_free(&gl->self);
        gl_maps_free(&gl->maps);
        gl_newton_free(&gl->newton);
        glDeleteBuffers(6, (GLuint[]){gl->marks.handle, gl->shapes.handle, gl->winds.handle,
                                      gl->poses.handle, gl->solids.handle, gl->skins.handle});
        context_leave(&gl->machine->context, &before);
    }
    machine_give(gl->machine, gl->failed);
    free(gl->staging);
    gl_solids_free(gl);
    free(gl);
}

static int gl_threads(const device_context *gl) {
    (void)gl;
    return 1;
}

static const char *gl_simd(const device_context *gl) {
    (void)gl;
    return "none";
}

static toile_result gl_set_self(device_context *gl, device_cloth *const *cloths,
                                const float *distances, int count) {
    context_before before;
    toile_result result = context_enter(&gl->machine->context, &before);
    if (result == TOILE_OK) {
        result = gl_self_make(gl, cloths, distances, count);
        context_leave(&gl->machine->context, &before);
    }
    return result;
}

const device gl_device = {
    .name = "gl",
    .deforms = true,
    .sleeps = true,
    .describe = gl_describe,
    .is_gpu = gl_is_gpu,
    .open = gl_open,
    .close = gl_close,
    .threads = gl_threads,
    .simd = gl_simd,
    .cloth_create = gl_cloth_create,
    .cloth_destroy = gl_cloth_destroy,
    .cloth_bytes = gl_cloth_bytes,
    .set_levels = gl_set_levels,
    .set_implicit = gl_set_implicit,
    .set_self = gl_set_self,
    .set_equations = gl_set_equations,
    .system = gl_system,
    .couples = true,
    .set_maps = gl_set_maps,
    .move_maps = gl_move_maps,
    .write_inverse_mass = gl_write_inverse_mass,
    .write = gl_write,
    .read = gl_read,
    .locate = gl_locate,
    .run = gl_run,
};
