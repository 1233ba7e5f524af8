#include "device/implicit_state.h"

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
    s->row_meshes = memory_alloc(rows, sizeof *s->row_meshes, WHAT);
    s->row_struck = memory_alloc(rows, sizeof *s->row_struck, WHAT);
    s->clear = meshes ? memory_alloc(g->size, sizeof *s->clear, WHAT) : NULL;
    s->at.plane[0] = planes;
    if (!planes || !s->row_touched || !s->row_meshes || !s->row_struck || (meshes && !s->clear)) {
        implicit_state_free(s);
        return TOILE_ERROR_MEMORY;
    }
    for (size_t p = 0; p < count; p++) {
        s->at.plane[p] = planes + p * g->size;
    }
    s->bytes = count * g->size * sizeof *planes +
               rows * (sizeof *s->row_touched + sizeof *s->row_meshes + sizeof *s->row_struck) +
               (meshes ? g->size * sizeof *s->clear : 0);
    return TOILE_OK;
}

void implicit_state_keep(implicit_state *s, const implicit_state *from, const grid *g) {
    if (from->there) {
        memcpy(s->at.plane[IMPLICIT_FIRST_SAVED], from->at.plane[IMPLICIT_FIRST_SAVED],
               IMPLICIT_SAVED_PLANES * g->size * sizeof(float));
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
    free(s->row_meshes);
    free(s->row_struck);
    free(s->clear);
    *s = (implicit_state){0};
}
