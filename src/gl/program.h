/* The compute shaders of src/gl/shaders as programs. */
#ifndef TOILE_GL_PROGRAM_H
#define TOILE_GL_PROGRAM_H

#include <epoxy/gl.h>

#include "toile/toile.h"

/* One of each name.comp, which src/CMakeLists.txt embeds as shader_name. */
#define GL_PROGRAMS(X)                                                                             \
    X(bend)                                                                                        \
    X(check)                                                                                       \
    X(coarse)                                                                                      \
    X(cycle_begin)                                                                                 \
    X(cycle_change)                                                                                \
    X(cycle_correct)                                                                               \
    X(cycle_defect)                                                                                \
    X(cycle_down)                                                                                  \
    X(cycle_exact)                                                                                 \
    X(cycle_keep)                                                                                  \
    X(cycle_local)                                                                                 \
    X(cycle_meshes)                                                                                \
    X(cycle_ready)                                                                                 \
    X(cycle_residual)                                                                              \
    X(cycle_settle)                                                                                \
    X(cycle_stage)                                                                                 \
    X(cycle_sweep)                                                                                 \
    X(cycle_up)                                                                                    \
    X(force)                                                                                       \
    X(integrate)                                                                                   \
    X(jacobi)                                                                                      \
    X(limit)                                                                                       \
    X(move)                                                                                        \
    X(odd)                                                                                         \
    X(pins)                                                                                        \
    X(predict)                                                                                     \
    X(project)                                                                                     \
    X(relax)                                                                                       \
    X(relax_small)                                                                                 \
    X(respond)                                                                                     \
    X(respond_rows)                                                                                \
    X(restrict)                                                                                    \
    X(sample)                                                                                      \
    X(self_forget)                                                                                 \
    X(self_key)                                                                                    \
    X(self_load)                                                                                   \
    X(self_meet)                                                                                   \
    X(self_place)                                                                                  \
    X(self_push)                                                                                   \
    X(self_rank)                                                                                   \
    X(self_repel)                                                                                  \
    X(self_scan)                                                                                   \
    X(self_start)                                                                                  \
    X(self_stop)                                                                                   \
    X(self_total)                                                                                  \
    X(upsample)                                                                                    \
    X(velocity)                                                                                    \
    X(wind)

typedef enum gl_program {
#define X(name) PROGRAM_##name,
    GL_PROGRAMS(X)
#undef X
        PROGRAM_COUNT,
    PROGRAM_NONE = PROGRAM_COUNT
} gl_program;

#define X(name) extern const char shader_##name[];
GL_PROGRAMS(X)
#undef X

/* A program, and the uniforms that differ from one call to the next; -1 where it has none. */
typedef struct compute_program {
    GLuint handle; /* 0: not made yet */
    GLint substep; /* int, counted from the first one in the buffers */
    GLint stamp;   /* int, number of the last pass that leaves marks */
    GLint call;    /* ivec4, as the pass understands it */
    GLint share;   /* float, of the substep */
} compute_program;

/* Compiles and links in the current context. name stands for the shader in messages. */
toile_result compute_make(const char *name, const char *text, compute_program *out);

const char *program_name(gl_program p);
const char *program_text(gl_program p);

#endif
