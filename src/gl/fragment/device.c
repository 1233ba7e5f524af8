/* The gl-fragment device: passes of fragment shaders on any driver of OpenGL 3.3. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "gl/fragment/run.h"

static const char *fragment_describe(const char **reason) {
    static _Thread_local char text[512];
    machine *m = machine_take(MACHINE_FRAGMENT);
    *reason = "";
    snprintf(text, sizeof text, "%s", m ? m->context.description : toile_error_message());
    if (!m) {
        *reason = text;
        return NULL;
    }
    machine_give(m, false);
    return text;
}

static device_context *fragment_open(const toile_world_def *def, team *threads) {
    (void)threads;
    (void)def; /* a caller's context takes device "gl" */
    device_context *gl = memory_alloc(1, sizeof *gl, "the gl device");
    if (gl) {
        gl->machine = machine_take(MACHINE_FRAGMENT);
    }
    if (gl && !gl->machine) {
        free(gl);
        return NULL;
    }
    return gl;
}

static void fragment_close(device_context *gl) {
    context_before before;
    if (context_enter(&gl->machine->context, &before) == TOILE_OK) {
        timer_close(&gl->timer);
        glDeleteTextures(1, &gl->numbers);
        glDeleteVertexArrays(1, &gl->plain);
        context_leave(&gl->machine->context, &before);
    }
    machine_give(gl->machine, gl->failed);
    free(gl->staging);
    free(gl);
}

static int fragment_threads(const device_context *gl) {
    (void)gl;
    return 1;
}

static const char *fragment_simd(const device_context *gl) {
    (void)gl;
    return "none";
}

const device gl_fragment_device = {
    .name = "gl-fragment",
    .springs_only = true,
    .describe = fragment_describe,
    .open = fragment_open,
    .close = fragment_close,
    .threads = fragment_threads,
    .simd = fragment_simd,
    .cloth_create = fragment_cloth_create,
    .cloth_destroy = fragment_cloth_destroy,
    .cloth_bytes = fragment_cloth_bytes,
    .write_inverse_mass = fragment_write_inverse_mass,
    .write = fragment_write,
    .read = fragment_read,
    .run = fragment_run,
};
