/* A device that keeps what it is given and moves nothing: for tests of the API. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/device.h"

struct device_context {
    int threads;
};

struct device_cloth {
    size_t texels;
    float *values[FIELD_COUNT];
};

static const char *null_describe(const char **reason) {
    *reason = "";
    return "moves nothing, for tests of the API";
}

static device_context *null_open(const toile_world_def *def, team *threads) {
    (void)threads;
    device_context *context = memory_alloc(1, sizeof *context, "the null device");
    if (context) {
        context->threads = def->threads > 0 ? def->threads : 1;
    }
    return context;
}

static void null_close(device_context *context) {
    free(context);
}

static int null_threads(const device_context *context) {
    return context->threads;
}

static const char *null_simd(const device_context *context) {
    (void)context;
    return "none";
}

static void null_cloth_destroy(device_cloth *cloth) {
    if (cloth) {
        for (int f = 0; f < FIELD_COUNT; f++) {
            free(cloth->values[f]);
        }
        free(cloth);
    }
}

static device_cloth *null_cloth_create(device_context *context, const panel *p, const grid *g) {
    (void)context;
    (void)p;
    device_cloth *cloth = memory_alloc(1, sizeof *cloth, "a cloth");
    if (!cloth) {
        return NULL;
    }
    cloth->texels = grid_texels(g);
    for (int f = 0; f < FIELD_COUNT; f++) {
        cloth->values[f] = memory_alloc(cloth->texels, 3 * sizeof(float), "the state of a cloth");
    }
    bool complete = true;
    for (int f = 0; f < FIELD_COUNT; f++) {
        complete = complete && cloth->values[f];
    }
    if (!complete) {
        null_cloth_destroy(cloth);
        return NULL;
    }
    return cloth;
}

static size_t null_cloth_bytes(const device_cloth *cloth) {
    return cloth->texels * 3 * FIELD_COUNT * sizeof(float);
}

static toile_result null_set_levels(device_cloth *cloth, const levels *tables, const bool *jacobi) {
    (void)cloth;
    (void)tables;
    (void)jacobi;
    return TOILE_OK;
}

static toile_result null_set_self(device_context *context, device_cloth *const *cloths,
                                  const float *distances, int count) {
    (void)context;
    (void)cloths;
    (void)distances;
    (void)count;
    return TOILE_OK;
}

static toile_result null_set_maps(device_context *context, const map_request *request) {
    (void)context;
    (void)request;
    return TOILE_OK;
}

static toile_result null_move_maps(device_context *context, map_counts *counts) {
    (void)context;
    (void)counts;
    return TOILE_OK;
}

static void null_write_inverse_mass(device_cloth *cloth, const float *inverse_mass) {
    (void)cloth;
    (void)inverse_mass;
}

static void null_write(device_cloth *cloth, device_field field, const float *values) {
    memcpy(cloth->values[field], values, cloth->texels * 3 * sizeof(float));
}

static void null_read(const device_cloth *cloth, device_field field, float *values) {
    memcpy(values, cloth->values[field], cloth->texels * 3 * sizeof(float));
}

static toile_result null_set_implicit(device_cloth *cloth, bool meshes) {
    (void)cloth;
    (void)meshes;
    return TOILE_OK;
}

static toile_result null_run(device_context *context, step_plan *plan, device_cloth *const *cloths,
                             toile_profile *profile, device_solved *solved,
                             device_failure *failure) {
    (void)context;
    (void)plan;
    (void)cloths;
    (void)profile;
    (void)solved;
    (void)failure;
    return TOILE_OK;
}

const device null_device = {
    .name = "null",
    .deforms = true,
    .continuous = true,
    .describe = null_describe,
    .open = null_open,
    .close = null_close,
    .threads = null_threads,
    .simd = null_simd,
    .cloth_create = null_cloth_create,
    .cloth_destroy = null_cloth_destroy,
    .cloth_bytes = null_cloth_bytes,
    .set_levels = null_set_levels,
    .set_implicit = null_set_implicit,
    .set_self = null_set_self,
    .set_maps = null_set_maps,
    .move_maps = null_move_maps,
    .write_inverse_mass = null_write_inverse_mass,
    .write = null_write,
    .read = null_read,
    .run = null_run,
};
