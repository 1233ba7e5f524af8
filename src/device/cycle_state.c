#include "device/cycle_state.h"

#include <stdlib.h>

#include "base/memory.h"

typedef enum plane_place { PLACE_ALL, PLACE_FINEST, PLACE_MESHES } plane_place;

static const plane_place places[CYCLE_PLANE_COUNT] = {
#define X(name, where, unit, meaning) [CYCLE_##name] = PLACE_##where,
    CYCLE_PLANES(X)
#undef X
};

static bool has_plane(plane_place place, int depth, bool meshes) {
    return place == PLACE_ALL || (depth == 0 && (place == PLACE_FINEST || meshes));
}

static toile_result level_create(cycle_level *l, int depth, bool meshes, size_t *bytes) {
    size_t size = l->matrix->grid.size, count = 0;
    for (int p = 0; p < CYCLE_PLANE_COUNT; p++) {
        count += has_plane(places[p], depth, meshes);
    }
    size_t rows = (size_t)l->matrix->grid.rows;
    float *planes = memory_alloc(count * size, sizeof(float), "the cycle of a cloth");
    l->row_held = memory_alloc(rows, sizeof *l->row_held, "the cycle of a cloth");
    l->at.plane[0] = planes;
    if (!planes || !l->row_held) {
        return TOILE_ERROR_MEMORY;
    }
    *bytes += count * size * sizeof(float) + rows * sizeof *l->row_held;
    for (size_t p = 0; p < count; p++) {
        l->at.plane[p] = planes + p * size;
    }
    return TOILE_OK;
}

/* Are all cells that forces on a texel depend on full? */
static bool is_plain(const float *c, ptrdiff_t up) {
    bool plain = true;
    for (ptrdiff_t across = -1; across <= 0; across++) {
        for (ptrdiff_t along = -2; along <= 1; along++) {
            plain = plain && c[along + across * up] == 1.0f && c[along * up + across] == 1.0f;
        }
    }
    return plain;
}

/* The longest run of whole vectors of plain texels. */
static void find_plain(const grid *g, const float *coverage, int row, int32_t range[2]) {
    const float *c = coverage + grid_index(g, 0, row);
    int run = 0;
    range[0] = range[1] = 0;
    for (int first = 0; first + GRID_VECTOR <= g->columns; first += GRID_VECTOR) {
        bool plain = true;
        for (int i = first; i < first + GRID_VECTOR; i++) {
            plain = plain && is_plain(c + i, g->stride);
        }
        run = plain ? run + GRID_VECTOR : 0;
        if (run > range[1] - range[0]) {
            range[1] = first + GRID_VECTOR;
            range[0] = range[1] - run;
        }
    }
}

toile_result cycle_state_create(cycle_state *s, const multigrid *tables, const float *coverage,
                                bool meshes) {
    *s = (cycle_state){.tables = tables};
    size_t rows = (size_t)tables->levels[0].grid.rows;
    s->row_plain = memory_alloc(2 * rows, sizeof *s->row_plain, "the cycle of a cloth");
    s->row_span = memory_alloc(2 * rows, sizeof *s->row_span, "the cycle of a cloth");
    s->row_meshes = memory_alloc(rows, sizeof *s->row_meshes, "the cycle of a cloth");
    s->row_moved = memory_alloc(rows, sizeof *s->row_moved, "the cycle of a cloth");
    s->row_struck = memory_alloc(rows, sizeof *s->row_struck, "the cycle of a cloth");
    s->row_work = memory_alloc(WORK_SUMS * rows, sizeof *s->row_work, "the cycle of a cloth");
    s->bytes = rows * (6 * sizeof *s->row_plain + (1 + WORK_SUMS) * sizeof *s->row_moved);
    size_t few = 9 * tables->levels[tables->count - 1].grid.size;
    s->held = memory_alloc(few, sizeof *s->held, "the cycle of a cloth");
    s->bytes += few * sizeof *s->held;
    if (meshes) {
        size_t size = tables->levels[0].grid.size;
        s->clear = memory_alloc(size, sizeof *s->clear, "the cycle of a cloth");
        s->bytes += size * sizeof *s->clear;
    }
    bool complete = s->held && s->row_plain && s->row_span && s->row_meshes && s->row_moved &&
                    s->row_struck && s->row_work && (s->clear || !meshes);
    toile_result result = complete ? TOILE_OK : TOILE_ERROR_MEMORY;
    while (result == TOILE_OK && s->count < tables->count) {
        cycle_level *l = &s->levels[s->count];
        l->matrix = &tables->levels[s->count];
        result = level_create(l, s->count++, meshes, &s->bytes);
    }
    if (result != TOILE_OK) {
        cycle_state_free(s);
        return result;
    }
    for (int row = 0; row < tables->levels[0].grid.rows; row++) {
        find_plain(&tables->levels[0].grid, coverage, row, &s->row_plain[2 * row]);
    }
    return TOILE_OK;
}

void cycle_state_free(cycle_state *s) {
    for (int k = 0; k < s->count; k++) {
        free(s->levels[k].at.plane[0]);
        free(s->levels[k].row_held);
    }
    free(s->held);
    free(s->row_plain);
    free(s->row_span);
    free(s->row_meshes);
    free(s->row_moved);
    free(s->row_struck);
    free(s->row_work);
    free(s->clear);
    *s = (cycle_state){0};
}
