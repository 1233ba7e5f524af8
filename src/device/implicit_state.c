#include "device/implicit_state.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *const WHAT = "the implicit solver of a cloth";

toile_result implicit_state_create(implicit_state *s, const grid *g, bool meshes) {
    *s = (implicit_state){.there = true};
    const size_t rows = (size_t)g->rows;
    const size_t count = meshes ? IMPLICIT_PLANE_COUNT : IMPLICIT_FIRST_MESHES;
    float *planes = memory_alloc(count * g->size, sizeof *planes, WHAT);
    s->row_touched = memory_alloc(rows, sizeof *s->row_touched, WHAT);
    s->row_pressed = memory_alloc(rows, sizeof *s->row_pressed, WHAT);
    s->row_meshes = memory_alloc(rows, sizeof *s->row_meshes, WHAT);
    s->row_struck = memory_alloc(rows, sizeof *s->row_struck, WHAT);
    s->row_motion = memory_alloc(rows, sizeof *s->row_motion, WHAT);
    s->clear = meshes ? memory_alloc(g->size, sizeof *s->clear, WHAT) : NULL;
    s->at.plane[0] = planes;
    if (!planes || !s->row_touched || !s->row_pressed || !s->row_meshes || !s->row_struck ||
        !s->row_motion || (meshes && !s->clear)) {
        implicit_state_free(s);
        return TOILE_ERROR_MEMORY;
    }
    for (size_t p = 0; p < count; p++) {
        s->at.plane[p] = planes + p * g->size;
    }
    s->bytes = count * g->size * sizeof *planes +
               rows * (2 * sizeof *s->row_touched + sizeof *s->row_meshes + sizeof *s->row_struck +
                       sizeof *s->row_motion) +
               (meshes ? g->size * sizeof *s->clear : 0);
    return TOILE_OK;
}

void implicit_state_keep(implicit_state *s, const implicit_state *from, const grid *g) {
    if (from->there) {
        memcpy(s->at.plane[IMPLICIT_FIRST_KEPT], from->at.plane[IMPLICIT_FIRST_KEPT],
               IMPLICIT_STATE_PLANES * g->size * sizeof(float));
    }
}

void implicit_state_restore(implicit_state *s, const grid *g) {
    if (s->there) {
        memcpy(s->at.plane[IMPLICIT_FIRST_SAVED], s->at.plane[IMPLICIT_FIRST_BACKUP],
               IMPLICIT_SAVED_PLANES * g->size * sizeof(float));
        memset(s->at.plane[IMPLICIT_FIRST_SCRATCH], 0,
               IMPLICIT_SCRATCH_PLANES * g->size * sizeof(float));
    }
}

void implicit_state_free(implicit_state *s) {
    free(s->at.plane[0]);
    free(s->row_touched);
    free(s->row_pressed);
    free(s->row_meshes);
    free(s->row_struck);
    free(s->row_motion);
    free(s->clear);
    *s = (implicit_state){0};
}

static const cloth_motion NO_MOTION = {.low = {FLT_MAX, FLT_MAX, FLT_MAX},
                                       .high = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

static v3 vector_at(float *const planes[3], size_t k) {
    return v3_make(planes[0][k], planes[1][k], planes[2][k]);
}

void cloth_motion_rows(implicit_state *s, const cloth_state *state, const uint8_t *mask,
                       int row_begin, int row_end) {
    const grid *g = &state->grid;
    for (int row = row_begin; row < row_end; row++) {
        const uint8_t *there = mask + (size_t)row * (size_t)g->columns;
        const size_t first = grid_index(g, 0, row);
        cloth_motion m = NO_MOTION;
        for (int i = 0; i < g->columns; i++) {
            if (there[i]) {
                const size_t k = first + (size_t)i;
                const v3 x = vector_at(&state->at.plane[PLANE_x], k);
                const v3 v = vector_at(&state->at.plane[PLANE_vx], k);
                const v3 way = v3_sub(x, vector_at(&s->at.plane[IMPLICIT_rest_x], k));
                m.gone = k_max(m.gone, v3_dot(way, way));
                m.fastest = k_max(m.fastest, v3_dot(v, v));
                m.low = v3_min(m.low, x);
                m.high = v3_max(m.high, x);
            }
        }
        s->row_motion[row] = m;
    }
}

cloth_motion cloth_motion_of(const implicit_state *s, const grid *g) {
    cloth_motion all = NO_MOTION;
    for (int row = 0; row < g->rows; row++) {
        const cloth_motion *m = &s->row_motion[row];
        all.gone = k_max(all.gone, m->gone);
        all.fastest = k_max(all.fastest, m->fastest);
        all.low = v3_min(all.low, m->low);
        all.high = v3_max(all.high, m->high);
    }
    all.gone = k_sqrt(all.gone);
    all.fastest = k_sqrt(all.fastest);
    return all;
}
