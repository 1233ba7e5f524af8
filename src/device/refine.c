#include "device/refine.h"

#include <math.h>

#include "base/error.h"

const char *const refine_pass_names[REFINE_PASS_COUNT] = {
    [REFINE_PASS_UPLOAD] = "upload",       [REFINE_PASS_PEEL] = "peel",
    [REFINE_PASS_SUBDIVIDE] = "subdivide", [REFINE_PASS_FORCES] = "forces",
    [REFINE_PASS_CLOTH] = "cloth",         [REFINE_PASS_LAYERS] = "layers",
    [REFINE_PASS_CORRECT] = "correct",     [REFINE_PASS_PARENTS] = "parents",
};

refine_options refine_default_options(void) {
    return (refine_options){.levels = 3,
                            .layers = 8,
                            .resolution = 512,
                            .directions = 3,
                            .rule = REFINE_WINDING,
                            .correction = REFINE_OBJECT,
                            .stop = REFINE_STOP_QUERY,
                            .thickness = 0.002f,
                            .filter_objects = true,
                            .stretch = 0.05f,
                            .iterations = 4,
                            .damping = 2.0f};
}

int refine_level_of(int column, int row, int levels) {
    int level = levels;
    while (level > 0 && column % 2 == 0 && row % 2 == 0) {
        column /= 2;
        row /= 2;
        level--;
    }
    return level;
}

/* ---- checks -------------------------------------------------------------------------------------
 */

static toile_result check_range(const char *name, int value, int low, int high) {
    if (value < low || value > high) {
        return error_set(TOILE_ERROR_INVALID, "%s is %d: expected %d to %d", name, value, low,
                         high);
    }
    return TOILE_OK;
}

static toile_result check_share(const char *name, float value) {
    if (!(value >= 0.0f) || !isfinite(value)) {
        return error_set(TOILE_ERROR_INVALID, "%s is %g: expected 0 or more", name, (double)value);
    }
    return TOILE_OK;
}

static toile_result check_together(const refine_options *o) {
    if (o->visible_only && o->directions > 0) {
        return error_set(TOILE_ERROR_INVALID,
                         "visible_only needs the view of the camera: expected directions to be 0, "
                         "and not %d",
                         o->directions);
    }
    if (o->one_pass && (o->move_parents || o->cloth)) {
        return error_set(TOILE_ERROR_INVALID,
                         "one_pass corrects a level while it makes the next: move_parents and "
                         "cloth, which need it in between, are expected to be off");
    }
    return TOILE_OK;
}

static toile_result check_options(const refine_options *o) {
    toile_result results[] = {
        check_share("thickness", o->thickness),
        check_share("stretch", o->stretch),
        check_share("damping", o->damping),
        check_range("iterations", o->iterations, 0, 1000),
        check_range("directions", o->directions, 0, REFINE_MOST_VIEWS),
        check_range("resolution", o->resolution, 8, 8192),
        check_range("layers", o->layers, 0, REFINE_MOST_LAYERS),
        check_range("levels", o->levels, 1, REFINE_MOST_LEVELS),
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        if (results[i] != TOILE_OK) {
            return results[i];
        }
    }
    return check_together(o);
}

static toile_result check_object(const refine_object *o, size_t number) {
    if (o->vertices == 0 || o->triangle_count == 0) {
        return error_set(TOILE_ERROR_INVALID, "object %zu: expected a mesh with triangles", number);
    }
    for (size_t i = 0; i < 3 * o->triangle_count; i++) {
        if (o->triangles[i] >= o->vertices) {
            return error_set(TOILE_ERROR_INVALID,
                             "object %zu: triangle %zu has vertex %u: expected less than %zu",
                             number, i / 3, o->triangles[i], o->vertices);
        }
    }
    return TOILE_OK;
}

toile_result refine_check_def(const refine_def *def) {
    enum { MOST = 4096 };
    size_t triangles = 0;
    toile_result result = check_options(&def->options);
    if (result != TOILE_OK) {
        return result;
    }
    if (def->columns < 2 || def->rows < 2 ||
        refine_size(def->columns < MOST ? def->columns : MOST, def->options.levels) > MOST ||
        refine_size(def->rows < MOST ? def->rows : MOST, def->options.levels) > MOST) {
        return error_set(TOILE_ERROR_INVALID,
                         "a coarse grid of %d x %d and %d levels: expected 2 x 2 or more, and at "
                         "most %d x %d when refined",
                         def->columns, def->rows, def->options.levels, MOST, MOST);
    }
    for (int axis = 0; axis < 2; axis++) {
        if (!(def->spacing[axis] > 0.0f) || !isfinite(def->spacing[axis])) {
            return error_set(TOILE_ERROR_INVALID,
                             "the spacing of the coarse grid is %g m: expected more than 0",
                             (double)def->spacing[axis]);
        }
    }
    for (size_t i = 0; i < def->object_count && result == TOILE_OK; i++) {
        result = check_object(&def->objects[i], i);
        triangles += def->objects[i].triangle_count;
    }
    if (result == TOILE_OK && triangles >= (size_t)1 << 23) {
        return error_set(TOILE_ERROR_INVALID,
                         "bodies have %zu triangles: expected less than 2^23, which a layer can "
                         "tell apart",
                         triangles);
    }
    return result;
}

toile_result refine_check_step(const refine_def *def, const refine_step *step) {
    size_t floats = 3 * (size_t)def->columns * (size_t)def->rows;
    for (size_t i = 0; i < floats; i++) {
        if (!isfinite(step->coarse[i])) {
            return error_set(TOILE_ERROR_NUMERICAL,
                             "vertex %zu of the coarse cloth is not finite: nothing to refine",
                             i / 3);
        }
    }
    if (def->options.directions == 0 && def->options.layers > 0 && !step->camera) {
        return error_set(TOILE_ERROR_INVALID, "directions is 0: expected a camera to look from");
    }
    return TOILE_OK;
}

/* ---- counts -------------------------------------------------------------------------------------
 */

static void count_mark(refine_count *c, int32_t mark) {
    c->vertices++;
    c->inside += (mark & REFINE_INSIDE) != 0;
    c->corrected += (mark & REFINE_CORRECTED) != 0;
    c->moved += (mark & REFINE_MOVED) != 0;
    c->reordered += (mark & REFINE_REORDERED) != 0;
    c->unseen += (mark & REFINE_LAYERS) == REFINE_LAYERS;
    c->cases[(mark & REFINE_CASE_MASK) / REFINE_CASE % REFINE_CASES]++;
}

void refine_count_marks(const refine_def *def, const int32_t *marks, refine_count *counts) {
    const int levels = def->options.levels;
    const int columns = refine_size(def->columns, levels), rows = refine_size(def->rows, levels);
    for (int level = 0; level <= REFINE_MOST_LEVELS; level++) {
        counts[level] = (refine_count){0};
    }
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            count_mark(&counts[refine_level_of(column, row, levels)], *marks++);
        }
    }
}
