#include "device/state.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

toile_result cloth_state_create(cloth_state *s, const grid *g) {
    *s = (cloth_state){.grid = *g};
    size_t rows = (size_t)g->rows;
    float *planes = memory_alloc(g->size * PLANE_COUNT, sizeof(float), "the state of a cloth");
    s->row_stretch = memory_alloc(rows, sizeof *s->row_stretch, "rows");
    s->row_box = memory_alloc(rows, sizeof *s->row_box, "rows");
    s->row_bad = memory_alloc(rows, sizeof *s->row_bad, "rows");
    for (int p = 0; p < PLANE_COUNT; p++) {
        s->at.plane[p] = planes ? planes + (size_t)p * g->size : NULL;
    }
    s->bytes = g->size * PLANE_COUNT * sizeof(float) +
               rows * (sizeof *s->row_stretch + sizeof *s->row_box + sizeof *s->row_bad);
    if (!planes || !s->row_stretch || !s->row_box || !s->row_bad) {
        cloth_state_free(s);
        return TOILE_ERROR_MEMORY;
    }
    return TOILE_OK;
}

void cloth_state_free(cloth_state *s) {
    free(s->at.plane[0]);
    free(s->row_stretch);
    free(s->row_box);
    free(s->row_bad);
    *s = (cloth_state){0};
}
