#include "bench/hang.h"

#include <math.h>
#include <stdlib.h>

#include "app/rank.h"
#include "base/memory.h"

/* Frames after which a run knows how long it will take. */
enum { TRIAL_FRAMES = 4 };

/* Without self-collision: what is compared is how a solver stretches cloth. */
hang_def hang_default_def(int size) {
    hang_def def = {.size = size,
                    .device = "cpu",
                    .threads = 2,
                    .frames = HANG_FRAMES,
                    .first = 60,
                    .time_step = 1.0f / 60.0f,
                    .solver = toile_default_world_def().solver};
    def.solver.self_collision = false;
    def.solver.sleep = false;
    return def;
}

static bool fill_world(const hang_def *def, toile_world *world, toile_cloth_id *cloth) {
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.spacing = 1.0f / (float)(def->size - 1);
    sheet.fabric = toile_fabric_named("cotton");
    sheet.fabric.density = 0.2f;
    sheet.transform.translate[1] = 1.0f;
    sheet.transform.rotate[0] = -90.0f;
    *cloth = toile_world_add_cloth(world, &sheet);
    if (!cloth->slot) {
        return false;
    }
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_CORNER;
    const toile_corner corners[] = {TOILE_CORNER_TOP_LEFT, TOILE_CORNER_TOP_RIGHT};
    for (int i = 0; i < 2; i++) {
        pin.corner = corners[i];
        if (!toile_cloth_add_pin(world, *cloth, &pin).slot) {
            return false;
        }
    }
    toile_body_def ball = toile_default_body_def();
    ball.name = "sphere";
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.center[1] = 0.45f;
    ball.radii[0] = 0.25f;
    return toile_world_add_body(world, &ball).slot != 0;
}

toile_result hang_create(const hang_def *def, toile_world **world, toile_cloth_id *cloth) {
    toile_world_def world_def = toile_default_world_def();
    world_def.device = def->device;
    world_def.threads = def->threads;
    world_def.solver = def->solver;
    toile_result result = toile_world_create(&world_def, world);
    if (result == TOILE_OK && !fill_world(def, *world, cloth)) {
        toile_world_destroy(*world);
        result = TOILE_ERROR_INVALID;
    }
    return result;
}

static double lowest_point(const float *positions, size_t texels) {
    float lowest = INFINITY;
    for (size_t t = 0; t < texels; t++) {
        lowest = fminf(lowest, positions[3 * t + 1]);
    }
    return (double)lowest;
}

/* Texels at the border have half the mass of the others, those at corners a quarter. The size is a
 * multiple of the spacing. */
static double kinetic_energy(const toile_cloth_info *info, const float *velocities) {
    double sum = 0.0;
    for (int row = 0; row < info->rows; row++) {
        for (int column = 0; column < info->columns; column++) {
            const float *v =
                velocities + 3 * ((size_t)row * (size_t)info->columns + (size_t)column);
            double share = (row == 0 || row == info->rows - 1 ? 0.5 : 1.0) *
                           (column == 0 || column == info->columns - 1 ? 0.5 : 1.0);
            sum += share * ((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] +
                            (double)v[2] * (double)v[2]);
        }
    }
    return 0.5 * sum * info->mass / ((info->rows - 1.0) * (info->columns - 1.0));
}

/* Not by toile_world_measure, which looks for self-intersections, too. */
static toile_result measure_rest(const toile_world *world, toile_cloth_id cloth, float *buffer,
                                 hang_rest *out) {
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    toile_result result = toile_cloth_get_texel_positions(world, cloth, buffer, info.texels);
    if (result == TOILE_OK) {
        out->lowest = lowest_point(buffer, info.texels);
        result = toile_cloth_get_texel_velocities(world, cloth, buffer, info.texels);
    }
    if (result == TOILE_OK) {
        out->kinetic = kinetic_energy(&info, buffer);
    }
    return result;
}

static toile_result measure(const toile_world *world, toile_cloth_id cloth, hang_result *out) {
    toile_result result = toile_cloth_get_strain(world, cloth, &out->end);
    if (result == TOILE_OK) {
        const toile_strain *now = &out->end;
        toile_strain *peak = &out->peak, *sum = &out->mean;
        *peak = (toile_strain){.mean = fmax(peak->mean, now->mean),
                               .p99 = fmax(peak->p99, now->p99),
                               .p999 = fmax(peak->p999, now->p999),
                               .max = fmax(peak->max, now->max)};
        *sum = (toile_strain){.mean = sum->mean + now->mean,
                              .p99 = sum->p99 + now->p99,
                              .p999 = sum->p999 + now->p999,
                              .max = sum->max + now->max};
    }
    return result;
}

/* Of frames behind the first, which are there in order; those that are not late come first. */
static void sum_up_times(const hang_def *def, double *ms, int count, hang_result *out) {
    const int early = def->first > 2 ? def->first - 2 : 0;
    if (!out->given_up) {
        rank_sort(ms + early, (size_t)(count - early));
        out->late_ms = rank_get(ms + early, (size_t)(count - early), 0.5);
        out->late_p99_ms = rank_get(ms + early, (size_t)(count - early), 0.99);
    }
    out->ms_mean = rank_mean(ms, (size_t)count);
    rank_sort(ms, (size_t)count);
    out->ms = rank_get(ms, (size_t)count, 0.5);
}

/* The times of all frames but the first, and all strains. */
static toile_result step_through(const hang_def *def, toile_world *world, toile_cloth_id cloth,
                                 double *ms, hang_result *out) {
    int done = 0;
    for (int frame = 1; frame <= def->frames && !out->given_up; frame++) {
        toile_result result = toile_world_step(world, def->time_step);
        if (result == TOILE_OK && frame >= def->first) {
            result = measure(world, cloth, out);
        }
        if (result != TOILE_OK) {
            return result;
        }
        if (frame > 1) {
            toile_profile profile = toile_world_get_profile(world);
            ms[done++] = profile.step_ms;
            for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
                out->stage_ms[stage] += profile.stage_ms[stage];
            }
        }
        out->given_up = frame == TRIAL_FRAMES && def->budget > 0.0 &&
                        rank_mean(ms, (size_t)done) * def->frames > 1e3 * def->budget;
    }
    for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
        out->stage_ms[stage] /= done;
    }
    toile_solver_info info = toile_world_get_solver_info(world);
    out->substeps = info.substeps;
    out->levels = info.levels;
    out->iterations = info.iterations;
    out->gradients = info.gradients;
    sum_up_times(def, ms, done, out);
    return TOILE_OK;
}

static toile_result finish(const hang_def *def, toile_world *world, toile_cloth_id cloth,
                           float *buffer, hang_result *out) {
    if (out->given_up) {
        out->end = out->peak = out->mean = (toile_strain){0};
        return TOILE_OK;
    }
    double count = def->frames - def->first + 1;
    out->mean = (toile_strain){.mean = out->mean.mean / count,
                               .p99 = out->mean.p99 / count,
                               .p999 = out->mean.p999 / count,
                               .max = out->mean.max / count};
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    out->bytes = (double)info.solver_bytes / (double)out->particles;
    toile_result result = measure_rest(world, cloth, buffer, &out->last);
    for (int frame = 0; frame < def->settle && result == TOILE_OK; frame++) {
        result = toile_world_step(world, def->time_step);
    }
    return result == TOILE_OK && def->settle > 0 ? measure_rest(world, cloth, buffer, &out->settled)
                                                 : result;
}

toile_result hang_run(const hang_def *def, hang_result *out) {
    *out = (hang_result){0};
    toile_world *world;
    toile_cloth_id cloth;
    toile_result result = hang_create(def, &world, &cloth);
    if (result != TOILE_OK) {
        return result;
    }
    out->particles = toile_cloth_get_info(world, cloth).texels;
    double *ms = memory_alloc((size_t)def->frames, sizeof *ms, "times");
    float *buffer = memory_alloc(out->particles, 3 * sizeof *buffer, "positions");
    result = ms && buffer ? step_through(def, world, cloth, ms, out) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = finish(def, world, cloth, buffer, out);
    }
    free(ms);
    free(buffer);
    toile_world_destroy(world);
    return result;
}
