#include "device/maps.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Two cameras see most of a body along its shortest side: a person from the front. */
static int shortest_side(const float sides[3]) {
    int axis = 2;
    for (int k = 0; k < 2; k++) {
        axis = sides[k] < sides[axis] ? k : axis;
    }
    return axis;
}

static body_map plan_body_map(const solid *s, const map_request *request, int layer) {
    v3 size = v3_sub(s->high, s->low);
    const float sides[3] = {size.x, size.y, size.z};
    const int border = (int)MAPS_BORDER;
    float longest = k_max(size.x, k_max(size.y, size.z));
    body_map b = {.low = s->low,
                  .high = s->high,
                  .pixel = longest / (float)(request->side - 2 * border - 1),
                  .axis = shortest_side(sides),
                  .views = request->cameras / 2,
                  .layer = layer};
    for (int k = 0; k < 3; k++) {
        b.size[k] = 2 * border + 1 + (int)floorf(sides[k] / b.pixel);
    }
    return b;
}

toile_result map_set_plan(map_set *set, const map_request *request) {
    map_set_free(set);
    set->bodies = memory_alloc((size_t)request->count + 1, sizeof *set->bodies, "images of bodies");
    if (!set->bodies) {
        return TOILE_ERROR_MEMORY;
    }
    set->count = request->count;
    set->side = request->side;
    for (int b = 0; b < request->count; b++) {
        if (request->surfaces[b].solid) {
            set->bodies[b] = plan_body_map(request->surfaces[b].solid, request, set->layers);
            set->layers += MAPS_IMAGES * set->bodies[b].views;
        }
    }
    return TOILE_OK;
}

void map_set_free(map_set *set) {
    free(set->bodies);
    free(set->images);
    *set = (map_set){0};
}
