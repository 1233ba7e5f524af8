#include "cpu/refine.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cpu/refine_level.h"

struct refiner {
    refine_def def;
    refine_scene scene;
    refine_images images, cloth;
    int columns, rows;                     /* of the finest grid */
    v3 *positions, *other, *last, *before; /* room for the finest grid each */
    int32_t *marks, *marks_other;
    v4 *places;
    bool knows_last, knows_before;
    double times[REFINE_PASS_COUNT];
};

const refine_images *cpu_refine_images(const refiner *r) {
    return &r->images;
}

static void close_refiner(refiner *r) {
    if (r) {
        refine_scene_free(&r->scene);
        refine_images_free(&r->images);
        refine_images_free(&r->cloth);
        free(r->positions);
        free(r->other);
        free(r->last);
        free(r->before);
        free(r->marks);
        free(r->marks_other);
        free(r->places);
        free(r);
    }
}

static toile_result make_images(refiner *r) {
    const refine_options *o = &r->def.options;
    const int views = o->directions > 0 ? o->directions : 1;
    toile_result result =
        refine_images_make(&r->images, o->resolution, views, refine_most_layers(o));
    if (result == TOILE_OK && o->cloth) {
        result = refine_images_make(&r->cloth, o->resolution, views, REFINE_CLOTH_LAYERS);
    }
    return result;
}

static toile_result make_room(refiner *r) {
    const char *what = "refined cloth";
    const size_t count = (size_t)r->columns * (size_t)r->rows;
    const int views = r->def.options.directions > 0 ? r->def.options.directions : 1;
    v3 **grids[] = {&r->positions, &r->other, &r->last, &r->before};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        *grids[i] = memory_alloc(count, sizeof **grids[i], what);
        if (!*grids[i]) {
            return TOILE_ERROR_MEMORY;
        }
    }
    r->marks = memory_alloc(count, sizeof *r->marks, what);
    r->marks_other = memory_alloc(count, sizeof *r->marks_other, what);
    r->places = memory_alloc(count * (size_t)views, sizeof *r->places, what);
    return r->marks && r->marks_other && r->places ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static toile_result open_refiner(refiner **out, const refine_def *def) {
    toile_result result = refine_check_def(def);
    refiner *r = result == TOILE_OK ? memory_alloc(1, sizeof *r, "refined cloth") : NULL;
    if (!r) {
        return result == TOILE_OK ? TOILE_ERROR_MEMORY : result;
    }
    r->def = *def;
    r->columns = refine_size(def->columns, def->options.levels);
    r->rows = refine_size(def->rows, def->options.levels);
    result = refine_scene_make(&r->scene, def);
    r->def.objects = NULL; /* the caller's */
    r->def.held = NULL;
    if (result == TOILE_OK) {
        result = make_room(r);
    }
    if (result == TOILE_OK) {
        result = make_images(r);
    }
    if (result != TOILE_OK) {
        close_refiner(r);
        return result;
    }
    *out = r;
    return TOILE_OK;
}

/* ---- a step -------------------------------------------------------------------------------------
 */

/* Adds the time since `since` to a pass; returns the time. */
static double mark_time(refiner *r, refine_pass pass, double since) {
    const double now = clock_ms();
    r->times[pass] += now - since;
    return now;
}

static double detect(refiner *r, refine_level *l, bool followed, double time) {
    refine_find_places(l);
    time = mark_time(r, REFINE_PASS_LAYERS, time);
    refine_correct(l, followed);
    return mark_time(r, REFINE_PASS_CORRECT, time);
}

static void make_level(refiner *r, refine_level *l) {
    const refine_options *o = &r->def.options;
    double time = clock_ms();
    if (o->cloth && o->layers > 0) {
        refine_peel_grid(&r->cloth, &r->scene, l->positions, l->columns, l->rows);
        time = mark_time(r, REFINE_PASS_CLOTH, time);
    }
    refine_subdivide(l);
    time = mark_time(r, REFINE_PASS_SUBDIVIDE, time);
    if (o->forces) {
        refine_apply_forces(l);
        time = mark_time(r, REFINE_PASS_FORCES, time);
    }
    if (o->layers == 0) {
        return;
    }
    if (o->cloth) {
        refine_keep_order(l);
        time = mark_time(r, REFINE_PASS_CLOTH, time);
    }
    time = detect(r, l, false, time);
    if (o->move_parents) {
        refine_move_parents(l);
        time = mark_time(r, REFINE_PASS_PARENTS, time);
        detect(r, l, true, time);
    }
}

static refine_level first_level(const refiner *r, const refine_step *step) {
    return (refine_level){.def = &r->def,
                          .scene = &r->scene,
                          .images = &r->images,
                          .cloth = &r->cloth,
                          .columns = r->def.columns,
                          .rows = r->def.rows,
                          .positions = r->positions,
                          .other = r->other,
                          .marks = r->marks,
                          .marks_other = r->marks_other,
                          .places = r->places,
                          .last = r->knows_last ? r->last : NULL,
                          .before = r->knows_before ? r->before : NULL,
                          .time_step = step->time_step,
                          .gravity = step->gravity};
}

/* What was the last step's becomes that before it. */
static void keep_history(refiner *r) {
    v3 *oldest = r->before;
    r->before = r->last;
    r->last = oldest;
    r->knows_before = r->knows_last;
    memcpy(r->last, r->positions, (size_t)r->columns * (size_t)r->rows * sizeof *r->last);
    r->knows_last = true;
}

static toile_result step_refiner(refiner *r, const refine_step *step) {
    const size_t coarse = (size_t)r->def.columns * (size_t)r->def.rows;
    memset(r->times, 0, sizeof r->times);
    double time = clock_ms();
    toile_result result = refine_check_step(&r->def, step);
    if (result == TOILE_OK) {
        result = refine_scene_step(&r->scene, &r->def, step);
    }
    if (result != TOILE_OK) {
        return result;
    }
    memcpy(r->positions, step->coarse, coarse * sizeof *r->positions);
    for (size_t i = 0; i < coarse; i++) {
        r->marks[i] = r->scene.held[i] ? REFINE_HELD : 0;
    }
    time = mark_time(r, REFINE_PASS_UPLOAD, time);
    if (r->def.options.layers > 0) {
        refine_peel(&r->images, &r->scene);
        mark_time(r, REFINE_PASS_PEEL, time);
    }
    refine_level l = first_level(r, step);
    while (l.number < r->def.options.levels) {
        l.number++;
        make_level(r, &l);
    }
    r->positions = l.positions;
    r->other = l.other;
    r->marks = l.marks;
    r->marks_other = l.marks_other;
    keep_history(r);
    return TOILE_OK;
}

/* ---- results ------------------------------------------------------------------------------------
 */

static toile_result read_refiner(refiner *r, refine_result *out) {
    const size_t count = (size_t)r->columns * (size_t)r->rows;
    if (out->positions) {
        memcpy(out->positions, r->positions, count * sizeof *r->positions);
    }
    if (out->before && r->knows_before) {
        memcpy(out->before, r->before, count * sizeof *r->before);
    } else if (out->before) {
        memset(out->before, 0, count * sizeof *r->before);
    }
    if (out->marks) {
        memcpy(out->marks, r->marks, count * sizeof *r->marks);
        refine_count_marks(&r->def, r->marks, out->counts);
    }
    memcpy(out->times, r->times, sizeof r->times);
    out->layers = r->images.peeled;
    out->objects = r->scene.kept;
    return TOILE_OK;
}

static toile_result set_history(refiner *r, const float *last, const float *before) {
    const size_t bytes = (size_t)r->columns * (size_t)r->rows * sizeof *r->last;
    r->knows_last = last != NULL;
    r->knows_before = last && before;
    if (r->knows_last) {
        memcpy(r->last, last, bytes);
    }
    if (r->knows_before) {
        memcpy(r->before, before, bytes);
    }
    return TOILE_OK;
}

const refine_driver cpu_refine_driver = {.name = "cpu",
                                         .open = open_refiner,
                                         .close = close_refiner,
                                         .step = step_refiner,
                                         .read = read_refiner,
                                         .set_history = set_history};
