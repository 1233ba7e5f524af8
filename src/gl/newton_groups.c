#include "gl/newton_groups.h"

#include <stdlib.h>

#include "base/memory.h"

static int groups_end(const gl_newton *n) {
    return advance_groups(n, 0) + GROUPS_ADVANCES;
}

static void put_groups(GLuint *words, int number, int x, int y) {
    GLuint *at = words + groups_word(number);
    at[0] = (GLuint)x;
    at[1] = (GLuint)y;
    at[2] = 1;
}

static void put_coupled_groups(const gl_newton *n, GLuint *words) {
    for (int depth = 0; depth < n->equations.levels; depth++) {
        const coupling_level *c = &n->equations.level[depth].couplings;
        put_groups(words, level_groups(n, depth, GROUPS_PULL), gl_tiles_along(c->rows, GROUP_LINE),
                   1);
        put_groups(words, level_groups(n, depth, GROUPS_TOGETHER), c->touched > 0, 1);
    }
    const coupling_level *finest = &n->equations.level[0].couplings;
    put_groups(words, coupling_groups(n), gl_tiles_along(finest->rows, GROUP_LINE), 1);
}

static void fill_groups(const gl_newton *n, GLuint *words) {
    words[GROUPS_DRAWN] = (GLuint)groups_word(level_groups(n, 0, GROUPS_PLAIN));
    words[GROUPS_ADVANCE] = (GLuint)groups_word(advance_groups(n, 0));
    for (int depth = 0; depth < n->equations.levels; depth++) {
        const int tiles = n->first_tile[depth + 1] - n->first_tile[depth];
        put_groups(words, coarsen_groups(depth), tiles, UP_ROWS / COARSEN_ROWS);
        put_groups(words, level_groups(n, depth, GROUPS_PLAIN), tiles, 1);
        put_groups(words, level_groups(n, depth, GROUPS_DOWN), tiles, UP_COLUMNS / DOWN_COLUMNS);
    }
    put_groups(words, part_groups(n), n->equations.parts, 1);
    put_groups(words, drawn_part_groups(n), n->equations.parts, 1);
    put_coupled_groups(n, words);
    for (int i = 0; i < GROUPS_ADVANCES; i++) {
        put_groups(words, advance_groups(n, i), n->first_tile[1], 1);
    }
    put_groups(words, texel_groups(n), n->first_tile[1], 1);
}

toile_result gl_groups_make(const machine *m, gl_newton *n) {
    n->group_words = groups_word(groups_end(n));
    const size_t count = (size_t)n->group_words;
    GLuint *words = memory_alloc(2 * count, sizeof *words, "a world");
    if (!words) {
        return TOILE_ERROR_MEMORY;
    }
    fill_groups(n, words);
    fill_groups(n, words + count);
    toile_result result = gl_make_buffer(m, &n->groups, 2 * count * sizeof *words, words);
    free(words);
    return result;
}

void gl_groups_reset(const gl_newton *n) {
    const GLsizeiptr bytes = (GLsizeiptr)((size_t)n->group_words * sizeof(GLuint));
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_COPY_READ_BUFFER, n->groups);
    glBindBuffer(GL_COPY_WRITE_BUFFER, n->groups);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, bytes, 0, bytes);
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, n->groups);
}
