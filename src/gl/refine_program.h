/* The programs that refine a cloth with the graphics pipeline. */
#ifndef TOILE_GL_REFINE_PROGRAM_H
#define TOILE_GL_REFINE_PROGRAM_H

#include "gl/program.h"

/* X(name, vertex stage, geometry stage or NULL, fragment stage) */
#define REFINE_PROGRAMS(X)                                                                         \
    X(peel_body, refine_body_vert, NULL, refine_peel_frag)                                         \
    X(peel_cloth, refine_cloth_vert, NULL, refine_peel_frag)                                       \
    X(first, refine_first_vert, shader_refine_cell_geom, refine_cell_frag)                         \
    X(next, refine_next_vert, shader_refine_cell_geom, refine_cell_frag)                           \
    X(joint, refine_joint_vert, shader_refine_cell_geom, refine_cell_frag)                         \
    X(layers, refine_layers_vert, NULL, refine_layers_frag)                                        \
    X(correct, refine_all_vert, NULL, refine_correct_frag)                                         \
    X(forces, refine_all_vert, NULL, refine_forces_frag)                                           \
    X(parents, refine_all_vert, NULL, refine_parents_frag)                                         \
    X(order, refine_all_vert, NULL, refine_order_frag)

typedef enum refine_program_name {
#define X(name, vertex, geometry, fragment) REFINE_PROGRAM_##name,
    REFINE_PROGRAMS(X)
#undef X
        REFINE_PROGRAM_COUNT
} refine_program_name;

extern const char shader_refine_all_vert[], shader_refine_body_vert[], shader_refine_cell_frag[],
    shader_refine_cell_geom[], shader_refine_cloth_vert[], shader_refine_correct_frag[],
    shader_refine_first_vert[], shader_refine_forces_frag[], shader_refine_joint_vert[],
    shader_refine_layers_frag[], shader_refine_layers_vert[], shader_refine_next_vert[],
    shader_refine_order_frag[], shader_refine_parents_frag[], shader_refine_peel_frag[];

/* A program, and where its uniforms are; -1 where it has none. */
typedef struct refine_program {
    GLuint handle; /* 0: not made yet */
    GLint peeled, followed, above, size, layer, advances, near;
} refine_program;

typedef struct refine_programs {
    refine_program all[REFINE_PROGRAM_COUNT];
} refine_programs;

/* Makes those that are not made yet, in the current context. */
toile_result refine_programs_make(refine_programs *p);
void refine_programs_free(refine_programs *p); /* zeroed is fine */

#endif
