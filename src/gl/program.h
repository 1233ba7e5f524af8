/* The compute shaders of src/gl/shaders as programs. */
#ifndef TOILE_GL_PROGRAM_H
#define TOILE_GL_PROGRAM_H

#include <epoxy/gl.h>

#include "toile/toile.h"

/* One of each name.comp, which src/CMakeLists.txt embeds as shader_name. */
#define GL_PROGRAMS(X)                                                                             \
    X(backup)                                                                                      \
    X(bend)                                                                                        \
    X(check)                                                                                       \
    X(coarse)                                                                                      \
    X(coarse_seen)                                                                                 \
    X(cycle_backup)                                                                                \
    X(cycle_begin)                                                                                 \
    X(cycle_change)                                                                                \
    X(cycle_curl)                                                                                  \
    X(cycle_down)                                                                                  \
    X(cycle_exact)                                                                                 \
    X(cycle_finish)                                                                                \
    X(cycle_keep)                                                                                  \
    X(cycle_local)                                                                                 \
    X(cycle_maps)                                                                                  \
    X(cycle_meshes)                                                                                \
    X(cycle_normal)                                                                                \
    X(cycle_rebound)                                                                               \
    X(cycle_residual)                                                                              \
    X(cycle_slide_down)                                                                            \
    X(cycle_slide_exact)                                                                           \
    X(cycle_slide_up)                                                                              \
    X(cycle_stage)                                                                                 \
    X(cycle_sway)                                                                                  \
    X(cycle_sway_down)                                                                             \
    X(cycle_sway_up)                                                                               \
    X(cycle_share)                                                                                 \
    X(cycle_trust)                                                                                 \
    X(cycle_up)                                                                                    \
    X(cycle_work)                                                                                  \
    X(finish)                                                                                      \
    X(force)                                                                                       \
    X(integrate)                                                                                   \
    X(jacobi)                                                                                      \
    X(jacobi_finish)                                                                               \
    X(limit)                                                                                       \
    X(map_flood)                                                                                   \
    X(map_pack)                                                                                    \
    X(maps_out)                                                                                    \
    X(maps_respond)                                                                                \
    X(move)                                                                                        \
    X(newton_advance)                                                                              \
    X(newton_coarsen)                                                                              \
    X(newton_couple)                                                                               \
    X(newton_direction)                                                                            \
    X(newton_down)                                                                                 \
    X(newton_end)                                                                                  \
    X(newton_exact)                                                                                \
    X(newton_factor)                                                                               \
    X(newton_forces)                                                                               \
    X(newton_local)                                                                                \
    X(newton_move)                                                                                 \
    X(newton_numbers)                                                                              \
    X(newton_product)                                                                              \
    X(newton_pull)                                                                                 \
    X(newton_springs)                                                                              \
    X(newton_start)                                                                                \
    X(newton_stiffen)                                                                              \
    X(newton_together)                                                                             \
    X(newton_up)                                                                                   \
    X(odd)                                                                                         \
    X(pins)                                                                                        \
    X(predict)                                                                                     \
    X(project)                                                                                     \
    X(relax)                                                                                       \
    X(relax_broad)                                                                                 \
    X(relax_small)                                                                                 \
    X(relax_tile)                                                                                  \
    X(respond)                                                                                     \
    X(respond_rows)                                                                                \
    X(restrict)                                                                                    \
    X(sample)                                                                                      \
    X(sample_drawn)                                                                                \
    X(solid_arrive)                                                                                \
    X(solid_boxes)                                                                                 \
    X(solid_corners)                                                                               \
    X(solid_skin)                                                                                  \
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
const char *program_text(gl_program p);

#endif
