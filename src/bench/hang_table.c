/* `toile bench hang`: how far a solver stretches the cloth of scenes/bench/hang.json, and how long
 * it takes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/devices.h"
#include "app/options.h"
#include "base/error.h"
#include "bench/bench.h"
#include "bench/device.h"
#include "bench/hang.h"
#include "bench/results.h"
#include "io/json.h"

enum { SIZES_MAX = 32, SIZE_LOW = 2, SIZE_HIGH = 4097 };

typedef struct hang_options {
    const char *sizes, *solver, *device, *folder;
    int substeps, levels, cycles, iterations, threads;
    bool quick;
} hang_options;

/* "33,65": returns how many, or 0 with the error set. */
static int read_sizes(const char *list, int sizes[SIZES_MAX]) {
    int count = 0;
    for (const char *at = list;; at++) {
        char *end;
        errno = 0;
        long size = strtol(at, &end, 10);
        if (end == at || errno || size < SIZE_LOW || size > SIZE_HIGH || count == SIZES_MAX ||
            (*end && *end != ',')) {
            error_set(TOILE_ERROR_INVALID,
                      "bench: --sizes: expected up to %d whole numbers from %d to %d with commas "
                      "between them, found '%s'",
                      SIZES_MAX, SIZE_LOW, SIZE_HIGH, make_printable(list).text);
            return 0;
        }
        sizes[count++] = (int)size;
        if (!*end) {
            return count;
        }
        at = end;
    }
}

static const char *const solver_names[] = {[TOILE_SOLVER_MASS_SPRING] = "mass-spring",
                                           [TOILE_SOLVER_MULTILEVEL] = "multilevel",
                                           [TOILE_SOLVER_IMPLICIT] = "implicit"};
enum { SOLVERS = sizeof solver_names / sizeof *solver_names };

static toile_result choose_solver(const hang_options *o, toile_solver_def *solver) {
    size_t kind = 0;
    while (o->solver && kind < SOLVERS && strcmp(o->solver, solver_names[kind]) != 0) {
        kind++;
    }
    if (kind == SOLVERS) {
        return error_set(TOILE_ERROR_INVALID,
                         "bench: --solver: expected mass-spring, multilevel or implicit, found "
                         "'%s'",
                         make_printable(o->solver).text);
    }
    if (o->solver) {
        solver->kind = (toile_solver_kind)kind;
    }
    solver->iterations = o->iterations;
    solver->substeps = o->substeps;
    if (o->levels > 0) {
        solver->level_count = o->levels;
    }
    if (o->cycles > 0) {
        solver->cycles = o->cycles;
    }
    return TOILE_OK;
}

static void print_head(const hang_def *def) {
    printf("%s; %s; 1 m square, 0.2 kg, swings down over a sphere; %s, threads: %d\n"
           "ms per frame: median and mean without the first frame, median and 99th percentile of "
           "frames %d to %d\n"
           "strain of structural edges in %%, after frame %d, and the largest of frames %d to %d\n",
           results_machine(), device_description(def->device), solver_names[def->solver.kind],
           def->threads, def->first, def->frames, def->frames, def->first, def->frames);
    printf("%11s %8s %9s %9s %9s %9s | %7s %7s %7s | %7s %7s %7s | %9s\n", "size", "substeps",
           "ms/frame", "mean ms", "late ms", "99 % ms", "mean", "99.9 %", "max", "mean", "99.9 %",
           "max", "lowest m");
}

static void print_row(const hang_def *def, const hang_result *r) {
    printf("%4d x %4d %8d %9.2f %9.2f %9.2f %9.2f", def->size, def->size, r->substeps, r->ms,
           r->ms_mean, r->late_ms, r->late_p99_ms);
    printf(" | %7.3f %7.2f %7.2f | %7.3f %7.2f %7.2f | %9.4f\n", 100.0 * r->end.mean,
           100.0 * r->end.p999, 100.0 * r->end.max, 100.0 * r->peak.mean, 100.0 * r->peak.p999,
           100.0 * r->peak.max, r->last.lowest);
    fflush(stdout);
}

/* Where the time goes, by the clock of the device. */
static void print_stages(const hang_result *r) {
    printf("%11s ms by stage:", "");
    for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
        if (r->stage_ms[stage] > 0.0) {
            printf(" %s %.3f", toile_stage_name((toile_stage)stage), r->stage_ms[stage]);
        }
    }
    putchar('\n');
}

static void write_row(FILE *f, const hang_def *def, const hang_result *r) {
    fprintf(f, "\"%s\",\"%s\",%s,%s,%d,%d,%d,%d,%.4f,%.4f,%.4f,%.4f", results_machine(),
            device_description(def->device), toile_version(), solver_names[def->solver.kind],
            def->size, def->threads, r->substeps, def->frames, r->ms, r->ms_mean, r->late_ms,
            r->late_p99_ms);
    fprintf(f, ",%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f", r->end.mean, r->end.p999, r->end.max,
            r->peak.mean, r->peak.p999, r->peak.max, r->last.lowest);
    for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
        fprintf(f, ",%.4f", r->stage_ms[stage]);
    }
    fputc('\n', f);
}

static toile_result measure_sizes(hang_def def, const int *sizes, int count, FILE *csv) {
    fputs("machine,device,version,solver,size,threads,substeps,frames,ms_median,ms_mean,late_ms_"
          "median,late_ms_p99,"
          "strain_mean,strain_p999,strain_max,peak_mean,peak_p999,peak_max,lowest_m",
          csv);
    for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
        fprintf(csv, ",%s_ms", toile_stage_name((toile_stage)stage));
    }
    fputc('\n', csv);
    print_head(&def);
    for (int i = 0; i < count; i++) {
        hang_result r;
        def.size = sizes[i];
        toile_result result = hang_run(&def, &r);
        if (result != TOILE_OK) {
            return result;
        }
        print_row(&def, &r);
        if (!device_is_cpu(def.device)) {
            print_stages(&r);
        }
        write_row(csv, &def, &r);
    }
    return TOILE_OK;
}

static toile_result measure_to(const char *folder, const hang_def *def, const int *sizes,
                               int count) {
    char ending[64];
    snprintf(ending, sizeof ending, "_%s%s.csv", solver_names[def->solver.kind],
             device_file_ending(def->device).text);
    results_file kept;
    toile_result result = results_open(&kept, folder, "hang", ending);
    if (result != TOILE_OK) {
        return result;
    }
    result = measure_sizes(*def, sizes, count, kept.csv);
    if (result != TOILE_OK) {
        results_discard(&kept);
        return result;
    }
    return results_commit(&kept);
}

int bench_hang(int argc, char *argv[]) {
    hang_options o = {.folder = RESULTS_FOLDER, .threads = 2};
    const option_spec specs[] = {
        {.name = "sizes", .text = &o.sizes},
        {.name = "solver", .text = &o.solver},
        {.name = "device", .text = &o.device},
        {.name = "out", .text = &o.folder},
        {.name = "substeps", .number = &o.substeps, .low = 0, .high = 100000},
        {.name = "levels", .number = &o.levels, .low = 0, .high = 16},
        {.name = "iterations", .number = &o.iterations, .low = 0, .high = 1000},
        {.name = "cycles", .number = &o.cycles, .low = 0, .high = 1000},
        {.name = "threads", .number = &o.threads, .low = 0, .high = 1024},
        {.name = "quick", .flag = &o.quick},
        {0},
    };
    if (options_parse(argc, argv, specs, NULL, NULL) != TOILE_OK) {
        return command_end(TOILE_ERROR_INVALID);
    }
    const char *list = o.sizes ? o.sizes : o.quick ? "9,17" : "33,65,101,129,225,481";
    int sizes[SIZES_MAX], count = read_sizes(list, sizes);
    hang_def def = hang_default_def(0);
    def.threads = o.threads;
    def.frames = o.quick ? 70 : def.frames;
    if (count == 0 || choose_solver(&o, &def.solver) != TOILE_OK) {
        return command_end(TOILE_ERROR_INVALID);
    }
    toile_result there = device_choose(o.device, &def.device);
    if (there != TOILE_OK) {
        return command_end(there);
    }
    return command_end(measure_to(o.folder, &def, sizes, count));
}
