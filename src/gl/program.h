/* The compute shaders of src/gl/shaders as programs. */
#ifndef TOILE_GL_PROGRAM_H
#define TOILE_GL_PROGRAM_H

#include <epoxy/gl.h>

#include "toile/toile.h"

/* What a program finds bound beside the cloth: the planes of a level, with those of self-collision,
 * those of the implicit solver and of the equations of the finest level, with what parts are at; or
 * what its caller binds. */
typedef enum gl_binds {
    BINDS_LEVEL,
    BINDS_SELF,
    BINDS_IMPLICIT,
    BINDS_EQUATIONS,
    BINDS_NONE,
} gl_binds;

/* One of each name.comp, which src/CMakeLists.txt embeds as shader_name, and its gl_binds. */
#define GL_PROGRAMS(X)                                                                             \
    X(backup, LEVEL)                                                                               \
    X(bend, LEVEL)                                                                                 \
    X(check, LEVEL)                                                                                \
    X(coarse, LEVEL)                                                                               \
    X(coarse_seen, LEVEL)                                                                          \
    X(finish, LEVEL)                                                                               \
    X(force, LEVEL)                                                                                \
    X(implicit_backup, IMPLICIT)                                                                   \
    X(implicit_begin, IMPLICIT)                                                                    \
    X(implicit_check, IMPLICIT)                                                                    \
    X(implicit_change, IMPLICIT)                                                                   \
    X(implicit_curl, IMPLICIT)                                                                     \
    X(implicit_maps, IMPLICIT)                                                                     \
    X(implicit_meshes, IMPLICIT)                                                                   \
    X(implicit_normal, IMPLICIT)                                                                   \
    X(implicit_rebound, IMPLICIT)                                                                  \
    X(implicit_stage, IMPLICIT)                                                                    \
    X(integrate, LEVEL)                                                                            \
    X(jacobi, LEVEL)                                                                               \
    X(jacobi_finish, LEVEL)                                                                        \
    X(limit, LEVEL)                                                                                \
    X(map_flood, NONE)                                                                             \
    X(map_pack, NONE)                                                                              \
    X(maps_out, LEVEL)                                                                             \
    X(maps_respond, LEVEL)                                                                         \
    X(move, LEVEL)                                                                                 \
    X(newton_advance, NONE)                                                                        \
    X(newton_coarsen, NONE)                                                                        \
    X(newton_direction, NONE)                                                                      \
    X(newton_down, NONE)                                                                           \
    X(newton_end, EQUATIONS)                                                                       \
    X(newton_exact, NONE)                                                                          \
    X(newton_factor, NONE)                                                                         \
    X(newton_forces, NONE)                                                                         \
    X(newton_local, NONE)                                                                          \
    X(newton_move, NONE)                                                                           \
    X(newton_numbers, NONE)                                                                        \
    X(newton_product, NONE)                                                                        \
    X(newton_pull, NONE)                                                                           \
    X(newton_small, NONE)                                                                          \
    X(newton_springs, NONE)                                                                        \
    X(newton_start, EQUATIONS)                                                                     \
    X(newton_stiffen, NONE)                                                                        \
    X(newton_together, NONE)                                                                       \
    X(newton_up, NONE)                                                                             \
    X(odd, LEVEL)                                                                                  \
    X(pins, LEVEL)                                                                                 \
    X(predict, LEVEL)                                                                              \
    X(project, LEVEL)                                                                              \
    X(relax, LEVEL)                                                                                \
    X(relax_broad, LEVEL)                                                                          \
    X(relax_small, LEVEL)                                                                          \
    X(relax_tile, LEVEL)                                                                           \
    X(respond, LEVEL)                                                                              \
    X(respond_rows, LEVEL)                                                                         \
    X(restrict, LEVEL)                                                                             \
    X(sample, LEVEL)                                                                               \
    X(sample_drawn, LEVEL)                                                                         \
    X(self_forget, SELF)                                                                           \
    X(self_key, SELF)                                                                              \
    X(self_load, SELF)                                                                             \
    X(self_meet, SELF)                                                                             \
    X(self_place, SELF)                                                                            \
    X(self_push, SELF)                                                                             \
    X(self_rank, SELF)                                                                             \
    X(self_scan, SELF)                                                                             \
    X(self_springs, SELF)                                                                          \
    X(self_start, SELF)                                                                            \
    X(self_stop, SELF)                                                                             \
    X(self_total, SELF)                                                                            \
    X(solid_arrive, NONE)                                                                          \
    X(solid_boxes, NONE)                                                                           \
    X(solid_corners, NONE)                                                                         \
    X(solid_skin, NONE)                                                                            \
    X(upsample, LEVEL)                                                                             \
    X(velocity, LEVEL)                                                                             \
    X(wind, LEVEL)

typedef enum gl_program {
#define X(name, binds) PROGRAM_##name,
    GL_PROGRAMS(X)
#undef X
        PROGRAM_COUNT,
    PROGRAM_NONE = PROGRAM_COUNT
} gl_program;

#define X(name, binds) extern const char shader_##name[];
GL_PROGRAMS(X)
#undef X

/* Shaders that draw. */
extern const char shader_map_draw_vert[], shader_map_draw_frag[];

/* The uniforms of a program that differ from one call to the next. */
typedef struct compute_numbers {
    GLint substep; /* counted from the first one in the buffers */
    GLint stamp;   /* number of the last pass that leaves marks */
    GLint call[4]; /* as the pass understands it */
    float share;   /* of the substep */
} compute_numbers;

typedef struct compute_program {
    GLuint handle;                     /* 0: not made yet */
    GLint substep, stamp, call, share; /* places of those; -1 where it has none */
    compute_numbers numbers;           /* that it has */
} compute_program;

/* A stage of a program. */
typedef struct shader_stage {
    GLenum kind; /* GL_VERTEX_SHADER ... */
    const char *text;
} shader_stage;

/* Compiles and links in the current context. name stands for the shaders in messages. captured:
 * names of outputs that transform feedback writes one behind the other; NULL: none. */
toile_result stages_link(const char *name, const shader_stage *stages, int count,
                         const char *const captured[2], GLuint *out);
/* Likewise, of one stage. */
toile_result compute_make(const char *name, const char *text, compute_program *out);

const char *program_name(gl_program p);
gl_binds program_binds(gl_program p);
const char *program_text(gl_program p);

#endif
