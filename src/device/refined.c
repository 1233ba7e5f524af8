#include "device/refined.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { REFINED_FIELDS = FIELD_CHANGE + 1 };

struct device_context {
    const refine_driver *driver;
    int threads;
};

struct device_cloth {
    const refine_driver *driver;
    refiner *refiner; /* NULL before the first step */
    size_t texels;
    float *values[REFINED_FIELDS]; /* 3 a texel */
    int32_t *marks;                /* a texel */
    refine_count count;            /* of all levels */
    int layers;
    float time_step; /* s, of the last step */
    bool stale;      /* the refiner has newer ones than `values` and `marks` */
    bool unsent;     /* and the other way round */
};

static device_context *open_context(const toile_world_def *def, const refine_driver *driver) {
    device_context *context = memory_alloc(1, sizeof *context, "refined cloth");
    if (context) {
        *context = (device_context){driver, def->threads > 0 ? def->threads : 1};
    }
    return context;
}

static void close_context(device_context *context) {
    free(context);
}

static int threads_of(const device_context *context) {
    return context->threads;
}

static const char *simd_of(const device_context *context) {
    (void)context;
    return "none";
}

static void cloth_destroy(device_cloth *c) {
    if (c) {
        c->driver->close(c->refiner);
        for (int f = 0; f < REFINED_FIELDS; f++) {
            free(c->values[f]);
        }
        free(c->marks);
        free(c);
    }
}

static device_cloth *cloth_create(device_context *context, const panel *p, const grid *g) {
    (void)p;
    const char *what = "refined cloth";
    device_cloth *c = memory_alloc(1, sizeof *c, what);
    if (!c) {
        return NULL;
    }
    c->driver = context->driver;
    c->texels = grid_texels(g);
    c->marks = memory_alloc(c->texels, sizeof *c->marks, what);
    bool complete = c->marks;
    for (int f = 0; f < REFINED_FIELDS; f++) {
        c->values[f] = memory_alloc(c->texels, 3 * sizeof(float), what);
        complete = complete && c->values[f];
    }
    if (!complete) {
        cloth_destroy(c);
        return NULL;
    }
    return c;
}

/* With the four grids and the marks that a refiner has. */
static size_t cloth_bytes(const device_cloth *c) {
    return c->texels * (3 * (REFINED_FIELDS + 4) * sizeof(float) + 2 * sizeof *c->marks);
}

static void write_inverse_mass(device_cloth *c, const float *inverse_mass) {
    (void)c;
    (void)inverse_mass;
}

/* ---- texels -------------------------------------------------------------------------------------
 */

static void add_counts(device_cloth *c, const refine_result *r) {
    c->count = (refine_count){0};
    for (int depth = 1; depth <= REFINE_MOST_LEVELS; depth++) {
        const refine_count *of = &r->counts[depth];
        c->count.vertices += of->vertices;
        c->count.inside += of->inside;
        c->count.corrected += of->corrected;
        c->count.moved += of->moved;
        c->count.reordered += of->reordered;
        c->count.unseen += of->unseen;
        for (int k = 0; k < REFINE_CASES; k++) {
            c->count.cases[k] += of->cases[k];
        }
    }
}

static void fetch(device_cloth *c) {
    float *x = c->values[FIELD_POSITION], *before = c->values[FIELD_CHANGE];
    refine_result r = {.positions = x, .before = before, .marks = c->marks};
    if (!c->stale || c->driver->read(c->refiner, &r) != TOILE_OK) {
        return;
    }
    c->stale = false;
    for (size_t k = 0; k < 3 * c->texels; k++) {
        c->values[FIELD_VELOCITY][k] = (x[k] - before[k]) / c->time_step;
    }
    add_counts(c, &r);
}

void refined_fetch(const device_cloth *cloth) {
    fetch((device_cloth *)cloth); /* what it holds was decided by the step */
}

static void write_field(device_cloth *c, device_field field, const float *values) {
    fetch(c);
    memcpy(c->values[field], values, c->texels * 3 * sizeof *values);
    c->unsent = true;
}

static void read_field(const device_cloth *c, device_field field, float *values) {
    refined_fetch(c);
    memcpy(values, c->values[field], c->texels * 3 * sizeof *values);
}

refine_count refined_count(const device_cloth *cloth) {
    refined_fetch(cloth);
    return cloth->count;
}

const int32_t *refined_marks(const device_cloth *cloth) {
    refined_fetch(cloth);
    return cloth->marks;
}

int refined_layers(const device_cloth *cloth) {
    return cloth->layers;
}

/* ---- steps --------------------------------------------------------------------------------------
 */

toile_result refined_open(device_cloth *c, const refine_def *def) {
    refiner *next = NULL;
    fetch(c);
    toile_result result = c->driver->open(&next, def);
    if (result == TOILE_OK) {
        c->driver->close(c->refiner);
        c->refiner = next;
        c->unsent = true;
    }
    return result;
}

toile_result refined_step(device_cloth *c, const refine_step *step,
                          double times[REFINE_PASS_COUNT]) {
    toile_result result = TOILE_OK;
    if (c->unsent) {
        result =
            c->driver->set_history(c->refiner, c->values[FIELD_POSITION], c->values[FIELD_CHANGE]);
        c->unsent = result != TOILE_OK;
    }
    if (result == TOILE_OK) {
        result = c->driver->step(c->refiner, step);
    }
    refine_result done = {0};
    if (result == TOILE_OK) {
        result = c->driver->read(c->refiner, &done);
    }
    if (result == TOILE_OK) {
        c->stale = true;
        c->time_step = step->time_step;
        c->layers = done.layers;
        for (int i = 0; i < REFINE_PASS_COUNT; i++) {
            times[i] += done.times[i];
        }
    }
    return result;
}

void refined_rewind(device_cloth *c) {
    c->stale = false;
    c->unsent = true;
}

/* ---- the tables ---------------------------------------------------------------------------------
 */

static device_context *open_first(const toile_world_def *def, team *threads) {
    (void)threads;
    return open_context(def, refine_drivers[0]);
}

static device_context *open_second(const toile_world_def *def, team *threads) {
    (void)threads;
    return open_context(def, refine_drivers[1]);
}

#define REFINED(device_name, opener)                                                               \
    {                                                                                              \
        .name = device_name, .deforms = true, .continuous = true, .open = opener,                  \
        .close = close_context, .threads = threads_of, .simd = simd_of,                            \
        .cloth_create = cloth_create, .cloth_destroy = cloth_destroy, .cloth_bytes = cloth_bytes,  \
        .write_inverse_mass = write_inverse_mass, .write = write_field, .read = read_field         \
    }

static const device tables[] = {REFINED("cpu", open_first), REFINED("gl", open_second)};

const device *refined_device(const char *name) {
    for (size_t i = 0; refine_drivers[i]; i++) {
        if (strcmp(refine_drivers[i]->name, name) == 0) {
            return &tables[i];
        }
    }
    return NULL;
}
