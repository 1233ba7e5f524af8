/* The work groups of Newton's method, which are in a buffer, so that passes end dispatches to come.
 * Those of tiles of each level where matrices get coarser, those of parts, of couplings, and of the
 * finest tiles. Then those of conjugate gradients: of each level, by
 * kinds of passes, of parts, and of the finest tiles in each iteration. These are their numbers. */
#ifndef TOILE_GL_NEWTON_GROUPS_H
#define TOILE_GL_NEWTON_GROUPS_H

#include "gl/dispatch.h"

typedef enum group_kind {
    GROUPS_PLAIN,
    GROUPS_DOWN,
    GROUPS_PULL,     /* of couplings */
    GROUPS_TOGETHER, /* of texels that they touch */
    GROUP_KINDS
} group_kind;

static inline int coarsen_groups(int depth) {
    return depth;
}

static inline int part_groups(const gl_newton *n) {
    return n->equations.levels;
}

static inline int coupling_groups(const gl_newton *n) {
    return part_groups(n) + 1;
}

static inline int texel_groups(const gl_newton *n) {
    return part_groups(n) + 2;
}

static inline int level_groups(const gl_newton *n, int depth, group_kind kind) {
    return texel_groups(n) + 1 + GROUP_KINDS * depth + (int)kind;
}

static inline int drawn_part_groups(const gl_newton *n) {
    return level_groups(n, n->equations.levels, GROUPS_PLAIN);
}

static inline int advance_groups(const gl_newton *n, int iteration) {
    return drawn_part_groups(n) + 1 + iteration % GROUPS_ADVANCES;
}

static inline int groups_word(int number) {
    return GROUPS_FIRST + GROUPS_WORDS * number;
}

/* Where they are in the buffer. */
static inline GLintptr groups_place(int number) {
    return (GLintptr)((size_t)groups_word(number) * sizeof(GLuint));
}

/* So many of a size hold these texels. */
static inline int gl_tiles_along(int texels, int size) {
    return (texels + size - 1) / size;
}

toile_result gl_groups_make(const machine *m, gl_newton *n);
/* All of them, for a new substep. */
void gl_groups_reset(const gl_newton *n);

#endif
