#include "device/hierarchy.h"

#include <stdlib.h>

#include "base/memory.h"

typedef enum plane_place { PLACE_ALL, PLACE_RELAXED, PLACE_COARSE, PLACE_JACOBI } plane_place;

static const plane_place places[LEVEL_PLANE_COUNT] = {
#define X(name, where, unit, meaning) [LEVEL_##name] = PLACE_##where,
    LEVEL_PLANES(X)
#undef X
};

static bool has_plane(plane_place place, int depth, bool relaxed, bool jacobi) {
    return place == PLACE_ALL || (place == PLACE_RELAXED && relaxed) ||
           (place == PLACE_COARSE && depth > 0) || (place == PLACE_JACOBI && jacobi);
}

static toile_result level_create(level_state *l, int depth, bool relaxed, bool jacobi,
                                 size_t *bytes) {
    size_t size = l->table->grid.size, count = 0;
    for (int p = 0; p < LEVEL_PLANE_COUNT; p++) {
        count += has_plane(places[p], depth, relaxed, jacobi);
    }
    float *planes = memory_alloc(count * size, sizeof(float), "the levels of a cloth");
    if (!planes) {
        return TOILE_ERROR_MEMORY;
    }
    *bytes += count * size * sizeof(float);
    for (int p = 0; p < LEVEL_PLANE_COUNT; p++) {
        if (has_plane(places[p], depth, relaxed, jacobi)) {
            l->at.plane[p] = planes;
            planes += size;
        }
    }
    return TOILE_OK;
}

toile_result hierarchy_create(hierarchy *h, const levels *tables, const cloth_state *finest,
                              const bool *jacobi) {
    *h = (hierarchy){.count = tables->count};
    for (int k = 0; k < h->count; k++) {
        level_state *l = &h->levels[k];
        l->table = &tables->items[k];
        l->inverse_mass = k == 0 ? finest->at.inverse_mass : l->table->inverse_mass;
        l->coverage = k == 0 ? finest->at.coverage : l->table->coverage;
        if (level_create(l, k, jacobi != NULL, jacobi && jacobi[k], &h->bytes) != TOILE_OK) {
            hierarchy_free(h);
            return TOILE_ERROR_MEMORY;
        }
    }
    return TOILE_OK;
}

void hierarchy_free(hierarchy *h) {
    for (int k = 0; k < h->count; k++) {
        free(h->levels[k].at.plane[0]);
    }
    *h = (hierarchy){0};
}
