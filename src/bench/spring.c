#include "bench/bench.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/options.h"
#include "bench/device.h"
#include "bench/results.h"
#include "bench/triad.h"
#include "io/file.h"
#include "toile/toile.h"

/* Runs are taken in turns, one of each kind a round, so that what else the machine does in that
 * time hits all kinds alike; each kind's figure is the median of its rounds. */
enum { ROUNDS = 7, KINDS = 5, SIZES = 3 };

static const int sizes[SIZES] = {101, 225, 481};

typedef struct kind {
    const char *simd;
    int threads;
} kind;

static const kind kinds[KINDS] = {
    {"scalar", 1}, {"baseline", 1}, {"avx2", 1}, {"best", 1}, {"best", 2}};

typedef struct outcome {
    bool measured;
    const char *simd; /* what ran: the machine may not have what was asked for */
    double ns;        /* a particle and substep */
    double stage_ns[TOILE_STAGE_COUNT];
    double bytes_per_second;
    double bytes_per_particle; /* memory of the solver */
    uint64_t hash;
} outcome;

/* The cloth of the benchmark: 1 m of cotton that hangs by two corners over a sphere, in the air for
 * the first steps and lying on it later. */
static toile_result make_world(int size, int threads, toile_world **out, toile_cloth_id *cloth) {
    toile_world_def def = toile_default_world_def();
    def.device = "cpu";
    def.threads = threads;
    def.solver.kind = TOILE_SOLVER_MASS_SPRING;
    def.solver.substeps = 64;
    toile_result result = toile_world_create(&def, out);
    if (result != TOILE_OK) {
        return result;
    }
    toile_world *world = *out;
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.spacing = 1.0f / (float)(size - 1);
    sheet.transform.rotate[0] = -90.0f;
    sheet.transform.translate[1] = 0.26f;
    *cloth = toile_world_add_cloth(world, &sheet);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_CORNER;
    for (int corner = TOILE_CORNER_TOP_LEFT; corner <= TOILE_CORNER_TOP_RIGHT; corner++) {
        pin.corner = (toile_corner)corner;
        toile_cloth_add_pin(world, *cloth, &pin);
    }
    toile_body_def ball = toile_default_body_def();
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.radii[0] = 0.25f;
    toile_world_add_body(world, &ball);
    return TOILE_OK;
}

/* Bytes that the passes of a velocity Verlet substep read and write for a texel, each plane of each
 * pass counted once: what would come from memory if nothing stayed in a cache. */
static double bytes_per_substep(void) {
    enum {
        FORCE = 8 + 3,
        INTEGRATE = 7 + 3,
        DETECT = 7,
        LIMIT = 8 + 3,
        RESPOND = 7 + 6,
        MOVE = 6 + 3,
    };
    return 4.0 * (FORCE + 2 * INTEGRATE + DETECT + 2 * LIMIT + RESPOND + MOVE);
}

static toile_result run_once(int size, const kind *k, outcome *out) {
    const int steps = size < 200 ? 30 : size < 400 ? 6 : 2;
    if (strcmp(k->simd, "best") == 0) {
        unsetenv("TOILE_SIMD");
    } else {
        setenv("TOILE_SIMD", k->simd, 1);
    }
    toile_cloth_id cloth;
    toile_world *world;
    toile_result result = make_world(size, k->threads, &world, &cloth);
    if (result != TOILE_OK) {
        return result;
    }
    result = toile_world_step(world, 1.0f / 60.0f);
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    toile_solver_info solver = toile_world_get_solver_info(world);
    double per_texel = 1e6 / ((double)info.texels * solver.substeps * steps);
    *out = (outcome){.measured = strcmp(k->simd, "best") == 0 || strcmp(solver.simd, k->simd) == 0,
                     .simd = solver.simd,
                     .bytes_per_particle = (double)info.solver_bytes / (double)info.texels};
    for (int s = 0; s < steps && result == TOILE_OK; s++) {
        result = toile_world_step(world, 1.0f / 60.0f);
        toile_profile profile = toile_world_get_profile(world);
        out->ns += profile.step_ms * per_texel;
        for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
            out->stage_ns[stage] += profile.stage_ms[stage] * per_texel;
        }
    }
    out->bytes_per_second = bytes_per_substep() / (out->ns * 1e-9);
    out->hash = toile_world_hash(world);
    toile_world_destroy(world);
    return result;
}

static int by_time(const void *a, const void *b) {
    double x = ((const outcome *)a)->ns, y = ((const outcome *)b)->ns;
    return (x > y) - (x < y);
}

static void print_table(FILE *to, const char *machine, outcome results[SIZES][KINDS],
                        const double triad[2]) {
    fprintf(to,
            "%s; ns a particle and substep, median of %d rounds; triad %.1f GB/s with 1 "
            "thread, %.1f GB/s with 2\n",
            machine, ROUNDS, triad[0] * 1e-9, triad[1] * 1e-9);
    fprintf(to, "%9s  %-9s %7s %9s %10s %7s %9s %11s\n", "size", "simd", "threads", "ns",
            "to scalar", "GB/s", "of triad", "B/particle");
    for (int s = 0; s < SIZES; s++) {
        for (int k = 0; k < KINDS; k++) {
            const outcome *o = &results[s][k];
            if (!o->measured) {
                continue;
            }
            fprintf(to, "%4d x%4d  %-9s %7d %9.2f %9.2fx %7.1f %8.0f%% %11.1f\n", sizes[s],
                    sizes[s], o->simd, kinds[k].threads, o->ns, results[s][0].ns / o->ns,
                    o->bytes_per_second * 1e-9,
                    100.0 * o->bytes_per_second / triad[kinds[k].threads - 1],
                    o->bytes_per_particle);
        }
        fprintf(to, "%9s  two threads are %.2f times one; bits are %s\n", "",
                results[s][KINDS - 2].ns / results[s][KINDS - 1].ns,
                results[s][0].hash == results[s][KINDS - 1].hash ? "the same for all"
                                                                 : "DIFFERENT");
    }
}

static toile_result write_csv(const char *path, const char *machine, outcome results[SIZES][KINDS],
                              const double triad[2]) {
    char folder[512];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) {
        *slash = '\0';
        if (file_make_folder(folder) != TOILE_OK) {
            return TOILE_ERROR_INVALID;
        }
    }
    file_writer *w;
    if (file_create(path, &w) != TOILE_OK) {
        return TOILE_ERROR_INVALID;
    }
    FILE *f = file_stream(w);
    fprintf(f, "machine,version,size,simd,threads,ns_per_particle_substep,bytes_per_second,"
               "triad_bytes_per_second,bytes_per_particle");
    for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
        fprintf(f, ",%s_ns", toile_stage_name((toile_stage)stage));
    }
    fputc('\n', f);
    for (int s = 0; s < SIZES; s++) {
        for (int k = 0; k < KINDS; k++) {
            const outcome *o = &results[s][k];
            if (!o->measured) {
                continue;
            }
            fprintf(f, "\"%s\",%s,%d,%s,%d,%.3f,%.4g,%.4g,%.1f", machine, toile_version(), sizes[s],
                    o->simd, kinds[k].threads, o->ns, o->bytes_per_second,
                    triad[kinds[k].threads - 1], o->bytes_per_particle);
            for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
                fprintf(f, ",%.3f", o->stage_ns[stage]);
            }
            fputc('\n', f);
        }
    }
    return file_commit(w);
}

static toile_result measure_size(int size, outcome results[KINDS]) {
    outcome runs[KINDS][ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < KINDS; k++) {
            toile_result result = run_once(size, &kinds[k], &runs[k][round]);
            if (result != TOILE_OK) {
                return result;
            }
        }
    }
    for (int k = 0; k < KINDS; k++) {
        qsort(runs[k], ROUNDS, sizeof *runs[k], by_time);
        results[k] = runs[k][ROUNDS / 2];
    }
    return TOILE_OK;
}

/* Into the file, or into one named after the machine. */
static toile_result write_results(const char *path, outcome results[SIZES][KINDS],
                                  const double triad[2]) {
    char *own_path = NULL;
    if (!path && results_path(RESULTS_FOLDER, "spring", ".csv", &own_path) != TOILE_OK) {
        return TOILE_ERROR_INVALID;
    }
    path = path ? path : own_path;
    toile_result result = write_csv(path, results_machine(), results, triad);
    if (result == TOILE_OK) {
        printf("wrote %s\n", path);
    }
    free(own_path);
    return result;
}

int bench_spring(int argc, char *argv[]) {
    const char *path = NULL, *device = NULL;
    const option_spec specs[] = {
        {.name = "o", .text = &path}, {.name = "device", .text = &device}, {0}};
    if (options_parse(argc, argv, specs, NULL, NULL) != TOILE_OK ||
        device_check_cpu("spring", device,
                         "it compares the CPU's instruction sets and threads; `toile bench hang "
                         "--solver mass-spring` measures springs on any device") != TOILE_OK) {
        return command_end(TOILE_ERROR_INVALID);
    }
    outcome results[SIZES][KINDS];
    double triad[2] = {triad_measure(1), triad_measure(2)};
    for (int s = 0; s < SIZES; s++) {
        toile_result result = measure_size(sizes[s], results[s]);
        if (result != TOILE_OK) {
            return command_end(result);
        }
    }
    print_table(stdout, results_machine(), results, triad);
    return command_end(write_results(path, results, triad));
}
