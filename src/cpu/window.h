/* Three rows of a cloth, copied side by side, which go up over all rows of a thread. A spring is
 * looked at once, from its lower end, which leaves to the row above what that needs of it; second
 * differences of a texel are part of its neighbours' bending, too. All that lies on the stack, in
 * as many columns as caches hold with ease, with constant distances, for pointers to all the planes
 * would take more registers than there are. What comes out does not depend on which rows a thread
 * has, nor on windows. */
#ifndef TOILE_CPU_WINDOW_H
#define TOILE_CPU_WINDOW_H

#include <string.h>

#include "cpu/passes.h"
#include "kernel/bend.h"

/* Columns of a window, and those beside it that texels at its edge read. */
enum { WINDOW_COLUMNS = 512, WINDOW_EDGE = GRID_VECTOR };

/* From a plane of a row to the next. */
enum { WINDOW_FLOATS = WINDOW_COLUMNS + 2 * WINDOW_EDGE };

/* What is kept of a row, in floats from its start. */
enum {
    KEPT_X = 0,                          /* positions */
    KEPT_BENT = 3 * WINDOW_FLOATS,       /* second differences of those ahead, along u plus v */
    KEPT_NORMAL = 6 * WINDOW_FLOATS,     /* of the cloth, where they were asked for */
    KEPT_SPRINGS = 9 * WINDOW_FLOATS,    /* what springs leave to the row above; a pass says what */
    WINDOW_SPRINGS = 12 * WINDOW_FLOATS, /* at most */
    KEPT_FLOATS = KEPT_SPRINGS + WINDOW_SPRINGS
};

typedef struct window {
    _Alignas(64) float lines[3][KEPT_FLOATS];
    int begin, end; /* its columns */
} window;

/* The rows around one, from a column on. */
typedef struct window_row {
    const float *below;
    float *here;
    const float *above;
} window_row;

/* A row, from its own column on that the window begins with. */
static inline float *window_line(window *w, int row) {
    return w->lines[(row + 3) % 3] + WINDOW_EDGE;
}

/* Columns count from that one, here. */
static inline window_row window_row_at(window *w, int column, int row) {
    return (window_row){window_line(w, row - 1) + column, window_line(w, row) + column,
                        window_line(w, row + 1) + column};
}

__attribute__((always_inline)) static inline v3 kept_v3(const float *line, int what, ptrdiff_t k) {
    return v3_make(line[what + k], line[what + WINDOW_FLOATS + k],
                   line[what + 2 * WINDOW_FLOATS + k]);
}

__attribute__((always_inline)) static inline void keep_v3(float *line, int what, ptrdiff_t k,
                                                          v3 a) {
    line[what + k] = a.x;
    line[what + WINDOW_FLOATS + k] = a.y;
    line[what + 2 * WINDOW_FLOATS + k] = a.z;
}

/* Planes of what springs leave. */
__attribute__((always_inline)) static inline float kept_of(const float *line, int which,
                                                           ptrdiff_t k) {
    return line[KEPT_SPRINGS + which * WINDOW_FLOATS + k];
}

__attribute__((always_inline)) static inline void keep(float *line, int which, ptrdiff_t k,
                                                       float a) {
    line[KEPT_SPRINGS + which * WINDOW_FLOATS + k] = a;
}

/* Position of a texel around k. */
__attribute__((always_inline)) static inline v3 x_near(const window_row *w, ptrdiff_t k, int along,
                                                       int across) {
    return kept_v3(across < 0 ? w->below : across > 0 ? w->above : w->here, KEPT_X, k + along);
}

/* No springs below, nor beside: as those to absent texels are. */
static inline void window_clear(window *w, int row) {
    float *below = window_line(w, row - 1) - WINDOW_EDGE;
    memset(below + KEPT_SPRINGS, 0, WINDOW_SPRINGS * sizeof(float));
    for (int line = 0; line < 3; line++) {
        for (int which = 0; which < WINDOW_SPRINGS / WINDOW_FLOATS; which++) {
            keep(window_line(w, line), which, -1, 0.0f);
            keep(window_line(w, line), which, w->end - w->begin, 0.0f);
        }
    }
}

/* What of a cloth goes into a window: positions, those ahead by the retardation of bending, and
 * normals, if asked for. From a texel on. */
typedef struct window_source {
    field x, ahead, normal;
    bool normals;
    ptrdiff_t up;
} window_source;

static inline field field_behind(field f, ptrdiff_t first) {
    return (field){f.x + first, f.y + first, f.z + first};
}

__attribute__((always_inline)) static inline void enter(const window_source *from, float *line,
                                                        int columns, bool normals) {
    const field x = from->x, ahead = from->ahead, normal = from->normal;
    const ptrdiff_t up = from->up;
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 both = bend_both(field_at(ahead, i), field_at(ahead, i - 1), field_at(ahead, i + 1),
                            field_at(ahead, i - up), field_at(ahead, i + up));
        v3 here = field_at(x, i), across = normals ? field_at(normal, i) : here;
        keep_v3(line, KEPT_X, i, here);
        keep_v3(line, KEPT_BENT, i, both);
        if (normals) {
            keep_v3(line, KEPT_NORMAL, i, across);
        }
    }
}

/* Not inlined, as FORCE_PARTS (forces.h). */
__attribute__((noinline)) static void enter_x(const window_source *from, float *line, int columns) {
    enter(from, line, columns, false);
}

__attribute__((noinline)) static void enter_all(const window_source *from, float *line,
                                                int columns) {
    enter(from, line, columns, true);
}

/* A row gets into the window, from a source at column 0 of row 0. */
static inline void window_enter(window *w, const window_source *from, int row) {
    const ptrdiff_t first = row * from->up + w->begin - WINDOW_EDGE;
    const window_source at = {field_behind(from->x, first), field_behind(from->ahead, first),
                              field_behind(from->normal, first), from->normals, from->up};
    (from->normals ? enter_all : enter_x)(&at, window_line(w, row) - WINDOW_EDGE,
                                          w->end - w->begin + 2 * WINDOW_EDGE);
}

/* Columns of the window that are also in a range of the cloth's. */
typedef struct part_range {
    int begin, end;
} part_range;

static inline part_range part_range_in(const int32_t range[2], int begin, int end) {
    int first = range[0] < begin ? begin : range[0] > end ? end : range[0];
    int last = range[1] < first ? first : range[1] > end ? end : range[1];
    return (part_range){first - begin, last - begin};
}

#endif
