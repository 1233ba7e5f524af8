#include "step/refine.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"

void *slots_add(slots *s, size_t size, uint32_t *id_slot, uint32_t *id_generation,
                const char *what) {
    size_t index = s->full;
    while (index < s->count && s->items[index]->used) {
        index++;
    }
    if (index == s->count) {
        slot **items = memory_grow(s->items, s->count, &s->capacity, sizeof *s->items, what);
        if (!items) {
            return NULL;
        }
        s->items = items;
        s->items[index] = memory_alloc(1, size, what);
        if (!s->items[index]) {
            return NULL;
        }
        s->count++;
    }
    slot *item = s->items[index];
    uint32_t generation = item->generation + 1;
    memset(item, 0, size);
    *item = (slot){.generation = generation, .used = true};
    s->full = index + 1;
    *id_slot = (uint32_t)index + 1;
    *id_generation = generation;
    return item;
}

void slots_release(slots *s, uint32_t id_slot) {
    size_t index = id_slot - 1;
    s->items[index]->used = false;
    s->full = index < s->full ? index : s->full;
}

int slots_list(const slots *s, uint32_t *pairs, int capacity) {
    int count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->items[i]->used && count++ < capacity) {
            *pairs++ = (uint32_t)i + 1;
            *pairs++ = s->items[i]->generation;
        }
    }
    return count;
}

void *slots_get(const slots *s, uint32_t id_slot, uint32_t id_generation) {
    TOILE_ASSERT(id_slot > 0 && id_slot <= s->count);
    slot *item = s->items[id_slot - 1];
    TOILE_ASSERT(item->used && item->generation == id_generation);
    return item;
}

toile_world_def toile_default_world_def(void) {
    return (toile_world_def){
        .device = "cpu",
        .gravity = {0.0f, -9.81f, 0.0f},
        .solver = {.kind = TOILE_SOLVER_IMPLICIT,
                   .integrator = TOILE_INTEGRATOR_VELOCITY_VERLET,
                   .stiffness = TOILE_STIFFNESS_AUTO,
                   .max_substeps = 128,
                   .limit_iterations = 2,
                   .damping = 0.1f,
                   .cycles = 1,
                   .self_collision = true,
                   .order = 1,
                   .sleep = true,
                   .refine = {.levels = 3,
                              .directions = 3,
                              .any_view = true,
                              .resolution = 512,
                              .layers = 8,
                              .filter_objects = true,
                              .parent_stretch = 0.05f,
                              .force_iterations = 4,
                              .force_damping = 2.0f,
                              .coarse_edges = true}},
        .wind = {.air_density = 1.2f, .drag = 1.2f, .lift = 0.6f, .gust_period = 2.0f},
        .contact_margin = -1.0f,
        .map_size = 512,
        .map_cameras = 6,
    };
}

#define FLOAT(name, unit, low, high)                                                               \
    { #name, unit, offsetof(toile_world_def, name), RANGE_FLOAT, low, high }
#define INT(name, low, high)                                                                       \
    { #name, "", offsetof(toile_world_def, name), RANGE_INT, low, high }

/* The ranges of toile.h. */
static const range gravity_ranges[] = {
    FLOAT(gravity[0], " m/s^2", -1000.0, 1000.0),
    FLOAT(gravity[1], " m/s^2", -1000.0, 1000.0),
    FLOAT(gravity[2], " m/s^2", -1000.0, 1000.0),
    {0},
};

static const range wind_ranges[] = {
    FLOAT(wind.velocity[0], " m/s", -200.0, 200.0),
    FLOAT(wind.velocity[1], " m/s", -200.0, 200.0),
    FLOAT(wind.velocity[2], " m/s", -200.0, 200.0),
    FLOAT(wind.air_density, " kg/m^3", 0.0, 2000.0),
    FLOAT(wind.drag, "", 0.0, 10.0),
    FLOAT(wind.lift, "", 0.0, 10.0),
    FLOAT(wind.gust, "", 0.0, 1.0),
    FLOAT(wind.gust_period, " s", (double)0.01f, 1000.0),
    {0},
};

static const range other_ranges[] = {
    INT(threads, 0, 1024),
    INT(solver.kind, 0, TOILE_SOLVER_REFINE),
    INT(solver.integrator, 0, TOILE_INTEGRATOR_VELOCITY_VERLET),
    INT(solver.stiffness, 0, TOILE_STIFFNESS_TRUE),
    INT(solver.substeps, 0, 100000),
    INT(solver.max_substeps, 1, 100000),
    INT(solver.limit_iterations, 0, 1000),
    FLOAT(solver.damping, " 1/s", 0.0, 1000.0),
    INT(solver.level_count, 0, TOILE_MAX_LEVELS),
    INT(solver.cycles, 1, 1000),
    FLOAT(solver.constraint_stiffness, "", 0.0, 1.0),
    FLOAT(solver.strain_limit, "", 0.0, 10.0),
    INT(solver.quality, 0, TOILE_QUALITY_FILM),
    INT(solver.order, 1, 2),
    INT(solver.iterations, 0, 1000),
    FLOAT(solver.tolerance, " m", 0.0, 1.0),
    INT(collision, 0, TOILE_COLLISION_CCD),
    INT(response, 0, TOILE_RESPONSE_FOLLOW),
    INT(map_size, 16, 2048),
    INT(map_cameras, 2, 6),
    INT(map_memory, 0, 1000000),
    INT(gl_context, 0, TOILE_GL_CONTEXT_CURRENT),
    FLOAT(contact_margin, " m", -(double)FLT_MAX, 1.0),
    {0},
};
#undef FLOAT
#undef INT

static toile_result check_def(const toile_world_def *def) {
    toile_result result = range_check(def, gravity_ranges);
    if (result == TOILE_OK) {
        result = range_check(def, wind_ranges);
    }
    if (result == TOILE_OK) {
        result = range_check(def, other_ranges);
    }
    if (result == TOILE_OK) {
        result = solver_def_check(def);
    }
    return result;
}

/* The device of a caller's OpenGL context. Whether another context could be made is of no interest.
 */
static const device *find_gl(const char *name) {
    if (name && strcmp(name, "auto") != 0 && strcmp(name, "gl") != 0) {
        error_set(TOILE_ERROR_INVALID,
                  "gl_context is TOILE_GL_CONTEXT_CURRENT: expected device \"gl\" or \"auto\", "
                  "found \"%s\"",
                  name);
        return NULL;
    }
    for (int d = 0; device_list[d]; d++) {
        if (strcmp(device_list[d]->name, "gl") == 0) {
            return device_list[d];
        }
    }
    error_set(TOILE_ERROR_UNAVAILABLE,
              "gl_context is TOILE_GL_CONTEXT_CURRENT, and this library was built without device "
              "\"gl\"");
    return NULL;
}

/* The first GPU, or the CPU. */
static const device *find_fastest(void) {
    for (int d = 0; device_list[d]; d++) {
        if (device_list[d]->is_gpu && device_list[d]->is_gpu()) {
            return device_list[d];
        }
    }
    return &cpu_device;
}

static const device *find_device(const char *name, bool ccd) {
    name = name ? name : "cpu";
    if (strcmp(name, "auto") == 0) {
        return ccd ? &cpu_device : find_fastest();
    }
    char names[128] = "auto";
    for (int d = 0; device_list[d]; d++) {
        const char *reason = "";
        if (strcmp(name, device_list[d]->name) == 0) {
            if (device_list[d]->describe(&reason)) {
                return device_list[d];
            }
            error_set(TOILE_ERROR_UNAVAILABLE, "device \"%s\" cannot be used here: %s", name,
                      reason);
            return NULL;
        }
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %s", device_list[d]->name);
    }
    error_set(TOILE_ERROR_UNAVAILABLE, "there is no device \"%s\": expected one of %s", name,
              names);
    return NULL;
}

static toile_result check_device(const device *d, const toile_world_def *def) {
    const toile_solver_def *solver = &def->solver;
    if (solver->kind == TOILE_SOLVER_REFINE && d != &null_device && !refined_device(d->name)) {
        return error_set(TOILE_ERROR_INVALID,
                         "device \"%s\" does not run the refine solver: expected device \"cpu\" or "
                         "\"gl\"",
                         d->name);
    }
    if (solver->kind == TOILE_SOLVER_REFINE && def->gl_context == TOILE_GL_CONTEXT_CURRENT) {
        return error_set(TOILE_ERROR_INVALID,
                         "the refine solver draws in an OpenGL context of its own: expected "
                         "gl_context TOILE_GL_CONTEXT_OWN");
    }
    if (solver->kind == TOILE_SOLVER_REFINE) {
        return TOILE_OK; /* the coarse cloth is the CPU's */
    }
    if (d->springs_only && solver->kind != TOILE_SOLVER_MASS_SPRING) {
        return error_set(TOILE_ERROR_INVALID,
                         "device \"%s\" runs the mass-spring solver only, and the %s solver was "
                         "chosen: expected solver \"mass-spring\", or device \"gl\" or \"cpu\"",
                         d->name,
                         solver->kind == TOILE_SOLVER_MULTILEVEL ? "multilevel" : "implicit");
    }
    if (d->springs_only && def->collision == TOILE_COLLISION_MAPS) {
        return error_set(TOILE_ERROR_INVALID,
                         "device \"%s\" collides with shapes only, and collision \"maps\" was "
                         "chosen: expected collision \"auto\" or \"shapes\", or device \"gl\" or "
                         "\"cpu\"",
                         d->name);
    }
    if (solver->bounded && !d->set_meet && d != &null_device) {
        return error_set(TOILE_ERROR_INVALID,
                         "device \"%s\" does not keep cloth within bounds yet: expected device "
                         "\"cpu\", or solver.bounded off",
                         d->name);
    }
    if (!d->continuous && def->collision == TOILE_COLLISION_CCD) {
        return error_set(TOILE_ERROR_INVALID,
                         "device \"%s\" has no collision \"ccd\": expected device \"cpu\", or "
                         "collision %s",
                         d->name,
                         d->springs_only ? "\"auto\"" : "\"auto\", \"coarse\" or \"maps\"");
    }
    return TOILE_OK;
}

/* Is there something that only that device can do? */
static bool needs_cpu(const toile_world_def *def) {
    return def->solver.bounded ||
           (def->collision == TOILE_COLLISION_CCD && def->solver.kind != TOILE_SOLVER_REFINE);
}

/* The definition's list becomes the world's own. */
static toile_result copy_levels(toile_world *w) {
    toile_solver_def *s = &w->def.solver;
    if (!s->levels || s->level_count == 0) {
        s->levels = NULL;
        return TOILE_OK;
    }
    size_t count = (size_t)s->level_count;
    w->level_defs = memory_alloc(count, sizeof *w->level_defs, "a world");
    if (!w->level_defs) {
        return TOILE_ERROR_MEMORY;
    }
    memcpy(w->level_defs, s->levels, count * sizeof *w->level_defs);
    s->levels = w->level_defs;
    return TOILE_OK;
}

toile_result toile_world_create(const toile_world_def *def, toile_world **world) {
    TOILE_ASSERT(def && world);
    *world = NULL;
    toile_result result = check_def(def);
    if (result != TOILE_OK) {
        return result;
    }
    const bool given = def->gl_context == TOILE_GL_CONTEXT_CURRENT;
    const device *d = given ? find_gl(def->device) : find_device(def->device, needs_cpu(def));
    if (!d) {
        return error_last();
    }
    result = check_device(d, def);
    if (result != TOILE_OK) {
        return result;
    }
    /* The null device only holds texels, as many as there are in the finest grid. */
    const bool refines = def->solver.kind == TOILE_SOLVER_REFINE && d != &null_device;
    d = refines ? refined_device(d->name) : d;
    toile_world *w = memory_alloc(1, sizeof *w, "a world");
    if (!w) {
        return TOILE_ERROR_MEMORY;
    }
    w->def = *def;
    w->def.device = d->name;
    w->def.solver.self_collision &=
        def->solver.kind != TOILE_SOLVER_MASS_SPRING && def->solver.kind != TOILE_SOLVER_REFINE;
    w->def.solver.sleep &= def->solver.kind == TOILE_SOLVER_IMPLICIT;
    w->device = d;
    w->team = team_create(def->threads);
    w->context = w->team ? d->open(def, w->team) : NULL;
    w->measuring = memory_alloc(1, sizeof *w->measuring, "a world");
    if (!w->context || !w->measuring || copy_levels(w) != TOILE_OK || maps_check(w) != TOILE_OK ||
        (refines && refine_create(w) != TOILE_OK)) {
        if (w->context) {
            d->close(w->context);
        }
        team_destroy(w->team);
        free(w->level_defs);
        free(w->measuring);
        free(w);
        return error_last();
    }
    w->info = (toile_solver_info){.stretch_scale = 1.0,
                                  .shear_scale = 1.0,
                                  .bend_scale = 1.0,
                                  .threads = d->threads(w->context),
                                  .device = d->name,
                                  .simd = d->simd(w->context)};
    if (refines) {
        w->info.threads = w->refine->coarse->info.threads;
        w->info.simd = w->refine->coarse->info.simd;
    }
    *world = w;
    return TOILE_OK;
}

void toile_world_destroy(toile_world *world) {
    if (!world) {
        return;
    }
    plan_free(world);
    refine_destroy(world);
    for (size_t i = 0; i < world->pins.count; i++) {
        pin_destroy((pin *)world->pins.items[i]);
        free(world->pins.items[i]);
    }
    for (size_t i = 0; i < world->ties.count; i++) {
        tie_destroy((tie *)world->ties.items[i]);
        free(world->ties.items[i]);
    }
    for (size_t i = 0; i < world->cloths.count; i++) {
        cloth_destroy(world, (cloth *)world->cloths.items[i]);
        free(world->cloths.items[i]);
    }
    for (size_t i = 0; i < world->bodies.count; i++) {
        body_destroy((world_body *)world->bodies.items[i]);
        free(world->bodies.items[i]);
    }
    free(world->pins.items);
    free(world->ties.items);
    free(world->cloths.items);
    free(world->bodies.items);
    world->device->close(world->context);
    team_destroy(world->team);
    free(world->level_defs);
    measuring_free(world->measuring);
    free(world->measuring);
    free(world);
}

toile_world_def toile_world_get_def(const toile_world *world) {
    TOILE_ASSERT(world);
    return world->def;
}

toile_result toile_world_set_gravity(toile_world *world, const float gravity[3]) {
    TOILE_ASSERT(world && gravity);
    toile_world_def def = world->def;
    memcpy(def.gravity, gravity, sizeof def.gravity);
    toile_result result = range_check(&def, gravity_ranges);
    if (result == TOILE_OK) {
        sleep_end_if(world, memcmp(gravity, world->def.gravity, sizeof def.gravity) != 0);
        world->def = def;
    }
    return result;
}

toile_result toile_world_set_wind(toile_world *world, const toile_wind_def *wind) {
    TOILE_ASSERT(world && wind);
    toile_world_def def = world->def;
    def.wind = *wind;
    toile_result result = range_check(&def, wind_ranges);
    if (result == TOILE_OK) {
        sleep_end_if(world, memcmp(wind, &world->def.wind, sizeof *wind) != 0);
        world->def = def;
    }
    return result;
}

double toile_world_time(const toile_world *world) {
    TOILE_ASSERT(world);
    return world->time;
}

uint64_t toile_world_step_count(const toile_world *world) {
    TOILE_ASSERT(world);
    return world->steps;
}

toile_profile toile_world_get_profile(const toile_world *world) {
    TOILE_ASSERT(world);
    return world->profile;
}

toile_solver_info toile_world_get_solver_info(const toile_world *world) {
    TOILE_ASSERT(world);
    toile_solver_info info = world->info;
    const bool begins = world->def.start == TOILE_START_UNTANGLE && world->steps == 0;
    info.untangling = world->tangled || begins;
    info.untangled = world->untangled;
    if (world->refine) {
        refine_count_info(world, &info);
    }
    return info;
}

void world_log(const toile_world *w, toile_log_item item, const char *format, ...) {
    if (!w->def.log) {
        return;
    }
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    w->def.log(item, text, w->def.log_user);
}

void world_log_threads(toile_world *w) {
    int wanted = w->def.threads > 0 ? w->def.threads : team_processors();
    if (!w->said_threads && team_size(w->team) < wanted) {
        w->said_threads = true;
        world_log(w, TOILE_LOG_FEWER_THREADS,
                  "only %d of %d threads could be made: the result is the same, and takes longer",
                  team_size(w->team), wanted);
    }
}

const char *toile_stage_name(toile_stage stage) {
    static const char *const names[TOILE_STAGE_COUNT] = {
        [TOILE_STAGE_BODIES] = "bodies",       [TOILE_STAGE_FORCE] = "force",
        [TOILE_STAGE_INTEGRATE] = "integrate", [TOILE_STAGE_DETECT] = "detect",
        [TOILE_STAGE_LIMIT] = "limit",         [TOILE_STAGE_RESPOND] = "respond",
        [TOILE_STAGE_MOVE] = "move",           [TOILE_STAGE_CHECK] = "check",
        [TOILE_STAGE_COARSE] = "coarse",       [TOILE_STAGE_RESTRICT] = "restrict",
        [TOILE_STAGE_SOLVE] = "solve",         [TOILE_STAGE_SELF] = "self",
        [TOILE_STAGE_PEEL] = "peel",           [TOILE_STAGE_SUBDIVIDE] = "subdivide",
        [TOILE_STAGE_LAYERS] = "layers",       [TOILE_STAGE_CORRECT] = "correct",
    };
    TOILE_ASSERT((int)stage >= 0 && stage < TOILE_STAGE_COUNT);
    return names[stage];
}

int toile_device_count(void) {
    int count = 0;
    while (device_list[count]) {
        count++;
    }
    return count;
}

toile_device_info toile_device_get_info(int index) {
    TOILE_ASSERT(index >= 0 && index < toile_device_count());
    const char *reason = "";
    const char *description = device_list[index]->describe(&reason);
    return (toile_device_info){.name = device_list[index]->name,
                               .description = description ? description : "",
                               .available = description != NULL,
                               .reason = reason};
}
