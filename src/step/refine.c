#include "step/refine.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

toile_camera toile_default_camera(void) {
    return (toile_camera){
        .target = {0.0f, 0.0f, -1.0f}, .up = {0.0f, 1.0f, 0.0f}, .fov = 35.0f, .aspect = 1.0f};
}

static cloth *coarse_of(const toile_world *w, size_t index) {
    return world_cloth(w->refine->coarse, index);
}

/* m; what refined and coarse vertices keep from surfaces beside half the thickness: for the edges
 * of bodies between the vertices of the finest grid. */
static float margin_of(const toile_world *w, const cloth *c) {
    return w->def.contact_margin >= 0.0f ? w->def.contact_margin : 0.25f * c->grid.spacing;
}

/* ---- definitions --------------------------------------------------------------------------------
 */

static refine_options options_of(const toile_refine_def *def) {
    static const refine_correction corrections[] = {
        [TOILE_CORRECTION_OBJECT] = REFINE_OBJECT,
        [TOILE_CORRECTION_HISTORY] = REFINE_HISTORY,
        [TOILE_CORRECTION_IMAGE] = REFINE_IMAGE,
        [TOILE_CORRECTION_NONE] = REFINE_LEAVE,
    };
    return (refine_options){
        .levels = def->levels,
        .layers = def->layers,
        .resolution = def->resolution,
        .directions = def->directions,
        .any = def->any_view && (def->correction == TOILE_CORRECTION_OBJECT ||
                                 def->correction == TOILE_CORRECTION_HISTORY),
        .rule = def->rule == TOILE_INSIDE_PARITY ? REFINE_PARITY : REFINE_WINDING,
        .correction = corrections[def->correction],
        .stop = REFINE_STOP_QUERY,
        .visible_only = def->visible_only,
        .filter_objects = def->filter_objects,
        .one_pass = def->one_pass,
        .move_parents = def->move_parents,
        .stretch = def->parent_stretch,
        .forces = def->forces,
        .iterations = def->force_iterations,
        .damping = def->force_damping,
        .cloth = def->cloth,
    };
}

static refine_def def_of(const toile_world *w, const cloth *c) {
    const int stride = c->stride;
    refine_def def = {.columns = (c->grid.columns - 1) / stride + 1,
                      .rows = (c->grid.rows - 1) / stride + 1,
                      .spacing = {c->grid.spacing * (float)stride, c->grid.spacing * (float)stride},
                      .options = options_of(&w->def.solver.refine)};
    def.options.thickness = 0.5f * c->def.fabric.thickness + margin_of(w, c);
    return def;
}

toile_result refine_check_options(const toile_refine_def *options) {
    if ((unsigned)options->correction > TOILE_CORRECTION_NONE ||
        (unsigned)options->rule > TOILE_INSIDE_PARITY) {
        return error_set(TOILE_ERROR_INVALID,
                         "solver.refine: expected a correction and a rule of their enums");
    }
    const refine_def def = {
        .columns = 2, .rows = 2, .spacing = {1.0f, 1.0f}, .options = options_of(options)};
    toile_result result = refine_check_def(&def);
    if (result == TOILE_OK) {
        return TOILE_OK;
    }
    char why[256];
    snprintf(why, sizeof why, "%s", toile_error_message());
    return error_set(result, "solver.refine: %s", why);
}

/* The widths nearest to a side that levels fit into, as sentences have it. */
static toile_result refuse_size(const cloth *c, int columns, int rows, int halvings) {
    const int stride = 1 << halvings;
    const int sides[2] = {columns - 1, rows - 1};
    double better[2];
    for (int k = 0; k < 2; k++) {
        int cells = (sides[k] + stride / 2) / stride;
        better[k] = (double)((cells > 0 ? cells : 1) * stride) * (double)c->panel->grid.spacing;
    }
    return error_set(TOILE_ERROR_INVALID,
                     "a grid of %d x %d texels is not what %d levels make of a coarser one: "
                     "expected columns and rows, less one, to be multiples of %d, as with %.6g x "
                     "%.6g m at this spacing, or fewer levels",
                     columns, rows, halvings, stride, better[0], better[1]);
}

toile_result refine_check_cloth(const toile_world *w, cloth *c) {
    const int halvings = w->def.solver.refine.levels;
    c->stride = 1 << halvings;
    if (!c->panel->rectangle) {
        return error_set(TOILE_ERROR_INVALID,
                         "the refine solver halves the cells of rectangles: expected a rectangle, "
                         "found an outline");
    }
    const int columns = c->grid.columns, rows = c->grid.rows;
    if (columns - 1 < c->stride || rows - 1 < c->stride || (columns - 1) % c->stride != 0 ||
        (rows - 1) % c->stride != 0) {
        return refuse_size(c, columns, rows, halvings);
    }
    const refine_def def = def_of(w, c);
    return refine_check_def(&def);
}

toile_result refine_create(toile_world *w) {
    struct refine_world *r = memory_alloc(1, sizeof *r, "a world");
    if (!r) {
        return TOILE_ERROR_MEMORY;
    }
    toile_world_def def = w->def;
    def.device = "cpu";
    def.gl_context = TOILE_GL_CONTEXT_OWN;
    def.solver.kind = TOILE_SOLVER_MASS_SPRING;
    def.solver.refine = toile_default_world_def().solver.refine;
    def.solver.self_collision = false;
    def.collision = TOILE_COLLISION_CCD;
    def.edges = w->def.solver.refine.coarse_edges;
    toile_result result = toile_world_create(&def, &r->coarse);
    if (result != TOILE_OK) {
        free(r);
        return result;
    }
    r->coarse->finer = w;
    w->refine = r;
    return TOILE_OK;
}

void refine_destroy(toile_world *w) {
    struct refine_world *r = w->refine;
    if (r) {
        r->coarse->bodies = r->coarse->pins = (slots){0}; /* the outer world's */
        toile_world_destroy(r->coarse);
        refine_bodies_free(&r->bodies);
        free(r->kept);
        free(r);
        w->refine = NULL;
    }
}

toile_result toile_world_set_camera(toile_world *world, const toile_camera *camera) {
    TOILE_ASSERT(world && camera);
    const float *a = camera->eye, *b = camera->target, *up = camera->up;
    float apart = 0.0f, sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        apart += (a[k] - b[k]) * (a[k] - b[k]);
        sum += up[k] * up[k];
    }
    if (!(apart > 0.0f && isfinite(apart) && sum > 0.0f && isfinite(sum) && camera->fov >= 1.0f &&
          camera->fov <= 170.0f && camera->aspect >= 0.01f && camera->aspect <= 100.0f)) {
        return error_set(TOILE_ERROR_INVALID,
                         "camera: expected eye and target apart, up that is not 0, fov from 1 to "
                         "170 degrees and aspect from 0.01 to 100");
    }
    if (world->refine) {
        world->refine->camera = *camera;
        world->refine->looks = true;
    }
    return TOILE_OK;
}

/* ---- cloths -------------------------------------------------------------------------------------
 */

/* Bodies and pins are the same in both worlds. */
static toile_world *share(toile_world *w) {
    toile_world *coarse = w->refine->coarse;
    coarse->bodies = w->bodies;
    coarse->pins = w->pins;
    return coarse;
}

/* Each stride-th texel, into the buffer of the coarse cloth. */
static void sample(const toile_world *w, size_t index, device_field field) {
    const cloth *fine = world_cloth(w, index), *coarse = coarse_of(w, index);
    const float *from = cloth_read(w, fine, field);
    float *to = coarse->buffer;
    for (int j = 0; j < fine->grid.rows; j += fine->stride) {
        for (int i = 0; i < fine->grid.columns; i += fine->stride, to += 3) {
            memcpy(to, from + 3 * ((size_t)j * (size_t)fine->grid.columns + (size_t)i),
                   3 * sizeof *to);
        }
    }
}

void refine_take_texels(toile_world *w, size_t index, float time_step) {
    cloth *c = world_cloth(w, index);
    const size_t count = 3 * grid_texels(&c->grid);
    for (device_field field = FIELD_POSITION; field <= FIELD_VELOCITY; field++) {
        sample(w, index, field);
        cloth_write(w->refine->coarse, coarse_of(w, index), field);
    }
    /* Where its velocity would have brought it from. */
    w->device->read(c->memory, FIELD_POSITION, c->places);
    const float *velocities = cloth_read(w, c, FIELD_VELOCITY);
    for (size_t k = 0; k < count; k++) {
        c->places[k] -= time_step * velocities[k];
    }
    w->device->write(c->memory, FIELD_CHANGE, c->places);
}

toile_result refine_add_cloth(toile_world *w, size_t index) {
    cloth *c = world_cloth(w, index);
    const grid *g = &c->panel->grid;
    toile_cloth_def def = c->def;
    def.panel = NULL;
    def.size[0] = g->size_u;
    def.size[1] = g->size_v;
    def.spacing = g->spacing * (float)c->stride;
    c->places = memory_alloc(grid_texels(&c->grid), 3 * sizeof *c->places, "refined cloth");
    if (!c->places) {
        return TOILE_ERROR_MEMORY;
    }
    toile_world *coarse = share(w);
    const toile_cloth_id id = toile_world_add_cloth(coarse, &def);
    if (!id.slot) {
        return error_last();
    }
    TOILE_ASSERT(id.slot == index + 1);
    coarse_of(w, index)->fresh = false; /* the fine one is looked at */
    refine_take_texels(w, index, 0.0f);
    return TOILE_OK;
}

void refine_remove_cloth(toile_world *w, size_t index) {
    toile_world *coarse = share(w);
    const cloth *c = coarse_of(w, index);
    toile_world_remove_cloth(coarse, (toile_cloth_id){(uint32_t)index + 1, c->slot.generation});
}

toile_result refine_take_pin(const toile_world *w, pin *p) {
    const cloth *c = world_cloth(w, p->cloth);
    const uint32_t columns = (uint32_t)c->grid.columns, stride = (uint32_t)c->stride;
    p->coarse = memory_alloc(p->count, sizeof *p->coarse, "pinned texels");
    for (uint32_t t = 0; t < p->count && p->coarse; t++) {
        const uint32_t column = p->texels[t] % columns, row = p->texels[t] / columns;
        p->coarse[t] = row / stride * ((columns - 1) / stride + 1) + column / stride;
    }
    return p->coarse ? TOILE_OK : TOILE_ERROR_MEMORY;
}

/* ---- before a step ------------------------------------------------------------------------------
 */

static toile_result open_refiner(toile_world *w, size_t index, uint8_t *held) {
    const cloth *c = world_cloth(w, index);
    for (size_t i = 0; i < w->pins.count; i++) {
        const pin *p = world_pin(w, i);
        for (uint32_t t = 0; p && p->cloth == index && t < p->count; t++) {
            held[p->coarse[t]] = 1;
        }
    }
    refine_def def = def_of(w, c);
    def.held = held;
    def.objects = w->refine->bodies.objects;
    def.object_count = w->refine->bodies.count;
    return refined_open(c->memory, &def);
}

/* Floats that the coarse cloths are kept in. */
static size_t kept_floats(const toile_world *w) {
    size_t count = 0;
    for (size_t i = 0; i < w->cloths.count; i++) {
        count += world_cloth(w, i) ? 6 * grid_texels(&coarse_of(w, i)->grid) : 0;
    }
    return count;
}

static toile_result prepare(toile_world *w) {
    struct refine_world *r = w->refine;
    toile_world *coarse = share(w);
    if (w->prepared) {
        return TOILE_OK;
    }
    coarse->prepared = false;
    float margin = 0.0f;
    refine_bodies_free(&r->bodies);
    free(r->kept);
    r->kept = memory_alloc(kept_floats(w) + 1, sizeof *r->kept, "refined cloth");
    toile_result result = r->kept ? refine_bodies_make(&r->bodies, w) : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < w->cloths.count && result == TOILE_OK; i++) {
        if (!world_cloth(w, i)) {
            continue;
        }
        uint8_t *held = memory_alloc(grid_texels(&coarse_of(w, i)->grid), 1, "pinned texels");
        result = held ? open_refiner(w, i, held) : TOILE_ERROR_MEMORY;
        free(held);
        margin = fmaxf(margin, margin_of(w, world_cloth(w, i)));
    }
    coarse->def.contact_margin = margin;
    w->prepared = result == TOILE_OK;
    return result;
}

/* The coarse cloths as they are, or as they were. */
static void keep_coarse(const toile_world *w, bool back) {
    const toile_world *coarse = w->refine->coarse;
    float *at = w->refine->kept;
    int count = 0;
    for (size_t i = 0; i < w->cloths.count; i++) {
        const cloth *c = world_cloth(coarse, i);
        for (device_field field = FIELD_POSITION; c && field <= FIELD_VELOCITY; field++) {
            if (back) {
                coarse->device->write(c->memory, field, at);
            } else {
                coarse->device->read(c->memory, field, at);
            }
            at += 3 * grid_texels(&c->grid);
        }
        count += c != NULL;
    }
    /* When one of several cannot be refined, the others have to go back. */
    for (size_t i = 0; i < w->cloths.count && count > 1 && !back; i++) {
        if (world_cloth(w, i)) {
            refined_fetch(world_cloth(w, i)->memory);
        }
    }
}

/* ---- a step -------------------------------------------------------------------------------------
 */

static refine_camera camera_of(const toile_camera *c) {
    const v3 eye = v3_make(c->eye[0], c->eye[1], c->eye[2]);
    const v3 way = v3_sub(v3_make(c->target[0], c->target[1], c->target[2]), eye);
    const float distance = sqrtf(v3_dot(way, way)), up = tanf(c->fov * 0.00872664626f);
    return (refine_camera){.eye = eye,
                           .forward = v3_scale(way, 1.0f / distance),
                           .up = v3_make(c->up[0], c->up[1], c->up[2]),
                           .tangents = {up * c->aspect, up},
                           .begin = 0.02f * distance,
                           .end = 20.0f * distance};
}

static v3 middle_of(const float *positions, size_t count, float *reach) {
    v3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++, positions += 3) {
        low = v3_make(fminf(low.x, positions[0]), fminf(low.y, positions[1]),
                      fminf(low.z, positions[2]));
        high = v3_make(fmaxf(high.x, positions[0]), fmaxf(high.y, positions[1]),
                       fmaxf(high.z, positions[2]));
    }
    v3 across = v3_sub(high, low);
    *reach = 0.5f * sqrtf(v3_dot(across, across));
    return v3_scale(v3_add(low, high), 0.5f);
}

/* The coarse cloth goes on from where its vertices are in the refined one: those that were brought
 * out of a body, and parents that have followed their children. What it had of velocity against
 * that way is gone, as with any obstacle, and none is made of it: a correction is as large as the
 * mistake before it, and would throw the cloth off. */
static void hand_back(toile_world *w, size_t index, float time_step) {
    const toile_world *coarse = w->refine->coarse;
    const cloth *c = coarse_of(w, index);
    const size_t count = grid_texels(&c->grid);
    float *positions = world_cloth(w, index)->places, *velocities = positions + 3 * count;
    if (w->def.solver.refine.move_parents) {
        sample(w, index, FIELD_POSITION);
    }
    coarse->device->read(c->memory, FIELD_POSITION, positions);
    if (memcmp(positions, c->buffer, 3 * count * sizeof *positions) == 0) {
        return;
    }
    coarse->device->read(c->memory, FIELD_VELOCITY, velocities);
    for (size_t t = 0; t < count; t++) {
        const float *x = positions + 3 * t, *to = c->buffer + 3 * t;
        float *v = velocities + 3 * t;
        const v3 way = v3_make(to[0] - x[0], to[1] - x[1], to[2] - x[2]);
        const float squared = v3_dot(way, way);
        const float along = way.x * v[0] + way.y * v[1] + way.z * v[2];
        if (along < 0.0f) { /* and so squared is not 0 */
            const float part = fminf(-along / squared, 1.0f / time_step);
            v[0] += part * way.x;
            v[1] += part * way.y;
            v[2] += part * way.z;
        }
    }
    coarse->device->write(c->memory, FIELD_POSITION, c->buffer);
    coarse->device->write(c->memory, FIELD_VELOCITY, velocities);
}

static toile_result refine_one(toile_world *w, size_t index, float time_step,
                               double times[REFINE_PASS_COUNT]) {
    struct refine_world *r = w->refine;
    const cloth *c = world_cloth(w, index), *coarse = coarse_of(w, index);
    cloth_read(r->coarse, coarse, FIELD_POSITION);
    const refine_camera camera = r->looks ? camera_of(&r->camera) : (refine_camera){0};
    float reach;
    const v3 middle = middle_of(coarse->buffer, grid_texels(&coarse->grid), &reach);
    refine_bodies_place(&r->bodies, w, middle, reach);
    const refine_step step = {.coarse = coarse->buffer,
                              .start = (const float *const *)r->bodies.start,
                              .end = (const float *const *)r->bodies.end,
                              .camera = r->looks ? &camera : NULL,
                              .time_step = time_step,
                              .gravity =
                                  v3_make(w->def.gravity[0], w->def.gravity[1], w->def.gravity[2])};
    toile_result result = refined_step(c->memory, &step, times);
    if (result == TOILE_OK) {
        hand_back(w, index, time_step);
    }
    return result;
}

static void note_times(toile_profile *profile, const double times[REFINE_PASS_COUNT]) {
    static const toile_stage stages[REFINE_PASS_COUNT] = {
        [REFINE_PASS_UPLOAD] = TOILE_STAGE_BODIES,
        [REFINE_PASS_PEEL] = TOILE_STAGE_PEEL,
        [REFINE_PASS_SUBDIVIDE] = TOILE_STAGE_SUBDIVIDE,
        [REFINE_PASS_FORCES] = TOILE_STAGE_FORCE,
        [REFINE_PASS_CLOTH] = TOILE_STAGE_SELF,
        [REFINE_PASS_LAYERS] = TOILE_STAGE_LAYERS,
        [REFINE_PASS_CORRECT] = TOILE_STAGE_CORRECT,
        [REFINE_PASS_PARENTS] = TOILE_STAGE_CORRECT,
    };
    for (int i = 0; i < REFINE_PASS_COUNT; i++) {
        profile->stage_ms[stages[i]] += times[i];
    }
}

toile_result refine_finish(toile_world *w, float time_step, toile_profile *profile) {
    double times[REFINE_PASS_COUNT] = {0};
    toile_result result = TOILE_OK;
    size_t i = 0;
    for (; i < w->cloths.count && result == TOILE_OK; i++) {
        result = world_cloth(w, i) ? refine_one(w, i, time_step, times) : TOILE_OK;
    }
    for (size_t done = 0; done + 1 < i && result != TOILE_OK; done++) {
        if (world_cloth(w, done)) {
            refined_rewind(world_cloth(w, done)->memory);
        }
    }
    note_times(profile, times);
    return result;
}

/* The springs of the coarse cloth as they would be between texels, to measure energy by. */
static void note_springs(toile_world *w) {
    for (size_t i = 0; i < w->cloths.count; i++) {
        cloth *c = world_cloth(w, i);
        if (c) {
            const springs *used = &coarse_of(w, i)->springs;
            springs s = springs_create(&c->def.fabric, (double)c->grid.spacing,
                                       (double)w->refine->coarse->plan.substep, false);
            s.stretch[0] *= used->stretch_scale;
            s.stretch[1] *= used->stretch_scale;
            s.shear *= used->shear_scale;
            s.bend *= used->bend_scale;
            c->springs = s;
        }
    }
}

void refine_count_info(const toile_world *w, toile_solver_info *info) {
    for (size_t i = 0; i < w->cloths.count; i++) {
        const cloth *c = world_cloth(w, i);
        if (c) {
            const refine_count count = refined_count(c->memory);
            info->refine_inside += (uint64_t)count.inside;
            info->refine_corrected += (uint64_t)count.corrected;
            info->refine_layers = info->refine_layers > refined_layers(c->memory)
                                      ? info->refine_layers
                                      : refined_layers(c->memory);
        }
    }
}

toile_result toile_cloth_get_refine_marks(const toile_world *world, toile_cloth_id id,
                                          uint16_t *out, size_t count) {
    static_assert(TOILE_MARK_LAYER == REFINE_LAYERS && TOILE_MARK_INSIDE == REFINE_INSIDE &&
                      TOILE_MARK_CORRECTED == REFINE_CORRECTED,
                  "marks are those of kernel/refine.h");
    TOILE_ASSERT(world && out);
    const cloth *c = slots_get(&world->cloths, id.slot, id.generation);
    if (count != grid_texels(&c->grid)) {
        return error_set(TOILE_ERROR_INVALID, "cloth '%s': count is %zu: expected %zu texels",
                         c->name, count, grid_texels(&c->grid));
    }
    const int32_t *marks = world->refine ? refined_marks(c->memory) : NULL;
    for (size_t t = 0; t < count; t++) {
        out[t] =
            (uint16_t)(marks ? marks[t] & (REFINE_LAYERS | REFINE_INSIDE | REFINE_CORRECTED) : 0);
    }
    return TOILE_OK;
}

toile_result refine_world_step(toile_world *w, float time_step) {
    const toile_refine_def *options = &w->def.solver.refine;
    toile_world *coarse = w->refine->coarse;
    size_t refused;
    if (options->directions == 0 && options->layers > 0 && !w->refine->looks) {
        return error_set(TOILE_ERROR_INVALID,
                         "solver.refine.directions is 0, so that bodies are seen from the camera: "
                         "expected toile_world_set_camera() before the first step");
    }
    toile_result result = w->prepared ? TOILE_OK : start_check(w, &refused);
    if (result == TOILE_OK) {
        result = prepare(w);
    }
    if (result != TOILE_OK) {
        return result;
    }
    memcpy(coarse->def.gravity, w->def.gravity, sizeof w->def.gravity);
    coarse->def.wind = w->def.wind;
    coarse->time = w->time;
    keep_coarse(w, false);
    const double start = clock_ms();
    result = world_step(coarse, time_step);
    w->profile = coarse->profile;
    w->profile.step_ms = clock_ms() - start;
    const toile_solver_info was = w->info;
    w->info = coarse->info;
    w->info.device = was.device;
    w->info.levels = options->levels + 1;
    if (result != TOILE_OK) {
        keep_coarse(w, true);
        return result;
    }
    note_springs(w);
    w->time = coarse->time;
    w->moment = (double)time_step;
    w->steps++;
    return TOILE_OK;
}
