/* `toile bench implicit`: the implicit solver on scenes/bench/hang.json at many resolutions, beside
 * the other solvers and what it is to reach. */
#include <math.h>
#include <stdio.h>

#include "app/command.h"
#include "app/devices.h"
#include "app/options.h"
#include "bench/bench.h"
#include "bench/chart.h"
#include "bench/device.h"
#include "bench/hang.h"
#include "bench/results.h"
#include "bench/trial.h"

enum { RUNS = 8 };

typedef enum series {
    IMPLICIT,
    GAME,
    FILM,
    LIMITED,
    MULTILEVEL,
    PAPER,
    SPRINGS,
    SERIES,
} series;

/* The slow ones leave out the sizes that would take minutes. */
static const struct {
    const char *name;
    int sizes[RUNS + 1]; /* up to the first 0, the finest last */
    toile_quality quality;
} sets[SERIES] = {
    [IMPLICIT] = {"implicit", {33, 65, 101, 129, 225, 449, 481, 1025}},
    [GAME] = {"implicit, game", {33, 65, 101, 129, 225, 481}, TOILE_QUALITY_GAME},
    [FILM] = {"implicit, film", {33, 65, 101, 129, 225}, TOILE_QUALITY_FILM},
    [LIMITED] = {"implicit, 2 % limit", {101, 129}},
    [MULTILEVEL] = {"multilevel", {33, 65, 101, 129, 225, 481}},
    [PAPER] = {"Schmitt 2013", {33, 65, 101, 129, 225, 481}},
    [SPRINGS] = {"mass-spring", {33, 65, 101, 129, 225}},
};

/* Cloths up to this size are run until they are at rest. */
enum { SETTLE_SIZE = 225, SETTLE_FRAMES = 600 };

static const float TIGHT_LIMIT = 0.02f;

/* What is to be reached: median of late frames with one thread, and with two; 0: nothing. */
enum { GOAL_THREADS = 2 };
static const struct {
    series of;
    int size;
    double ms[GOAL_THREADS];
} goals[] = {{IMPLICIT, 33, {0.3}},         {GAME, 33, {0.15}},
             {IMPLICIT, 65, {1.5, 1.0}},    {GAME, 65, {0.7}},
             {IMPLICIT, 101, {4.0, 2.5}},   {IMPLICIT, 129, {6.5, 4.0}},
             {IMPLICIT, 225, {20.0, 11.0}}, {IMPLICIT, 481, {100.0, 55.0}}};
enum { GOALS = sizeof goals / sizeof *goals };
static const double STRAIN_MAX = 0.10, STRAIN_MEAN = 0.01;     /* in late frames */
static const double LOWEST_SPREAD = 0.01, MEAN_SPREAD = 0.002; /* m; of the finest */

typedef struct bench_run {
    int size; /* as in sets, for one that is quick runs a smaller cloth */
    hang_def def;
    hang_result result;
} bench_run;

typedef struct bench {
    results_file kept;
    const char *folder, *device;
    int threads;
    bool quick;
    bench_run runs[SERIES][RUNS];
    int counts[SERIES];
} bench;

static const bench_run *find_run(const bench *b, series of, int size) {
    const bench_run *found = b->runs[of];
    while (found->size != size) {
        found++;
    }
    return found;
}

static double texels(const bench_run *r) {
    return (double)r->result.particles;
}

/* ---- running ------------------------------------------------------------------------------------
 */

static hang_def def_of(const bench *b, series of, int size) {
    const trials paper = {.threads = b->threads, .quick = b->quick};
    const int texels_along = b->quick ? (size - 1) / 16 + 1 : size;
    hang_def def = hang_default_def(texels_along);
    switch (of) {
    case PAPER:
        def.solver = trial_paper(&paper, "", "", texels_along).def.solver;
        break;
    case MULTILEVEL:
        def.solver.kind = TOILE_SOLVER_MULTILEVEL;
        break;
    case SPRINGS:
        def.solver.kind = TOILE_SOLVER_MASS_SPRING;
        break;
    default:
        def.solver.kind = TOILE_SOLVER_IMPLICIT;
        def.solver.sleep = false;
        def.solver.strain_limit = of == LIMITED ? TIGHT_LIMIT : 0.0f;
        def.solver.quality = sets[of].quality;
    }
    def.device = b->device;
    def.threads = b->threads;
    def.frames = b->quick ? 8 : HANG_FRAMES;
    def.first = b->quick ? 5 : def.first;
    def.settle = of == IMPLICIT && size <= SETTLE_SIZE ? b->quick ? 4 : SETTLE_FRAMES : 0;
    return def;
}

/* ---- tables -------------------------------------------------------------------------------------
 */

static void print_head(void) {
    printf("\nms per frame: median and 99th percentile from the 60th frame on\n"
           "strain of structural edges in %%, after the last frame, and the largest since the "
           "60th\n%-20s %11s %9s %9s | %7s %7s %7s | %7s %7s %7s | %9s %9s | %9s %9s\n",
           "", "size", "ms/frame", "99 % ms", "mean", "99.9 %", "max", "mean", "99.9 %", "max",
           "lowest m", "energy J", "settled m", "energy J");
}

static void print_run(const bench_run *run, const char *name) {
    const hang_result *r = &run->result;
    printf("%-20s %4d x %4d %9.2f %9.2f | %7.3f %7.2f %7.2f | %7.3f %7.2f %7.2f", name,
           run->def.size, run->def.size, r->late_ms, r->late_p99_ms, 100.0 * r->end.mean,
           100.0 * r->end.p999, 100.0 * r->end.max, 100.0 * r->peak.mean, 100.0 * r->peak.p999,
           100.0 * r->peak.max);
    printf(" | %9.4f %9.1e", r->last.lowest, r->last.kinetic);
    if (run->def.settle > 0) {
        printf(" | %9.4f %9.1e\n", r->settled.lowest, r->settled.kinetic);
    } else {
        printf(" | %9s %9s\n", "-", "-");
    }
    fflush(stdout);
}

static void write_head(FILE *f) {
    fputs("machine,version,series,size,threads,frames,substeps,levels,iterations,gradients,"
          "ms_median,ms_mean,late_ms_median,late_ms_p99,bytes_per_texel,"
          "strain_mean,strain_p999,strain_max,peak_mean,peak_p999,peak_max,lowest_m,"
          "kinetic_energy_j,settled_frames,settled_lowest_m,settled_kinetic_energy_j",
          f);
    for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
        fprintf(f, ",%s_ms", toile_stage_name((toile_stage)stage));
    }
    fputc('\n', f);
}

/* What does not apply is empty. */
static void write_run(const bench *b, const bench_run *run, const char *name) {
    FILE *f = b->kept.csv;
    const hang_result *r = &run->result;
    fprintf(f, "\"%s\",%s,\"%s\",%d,%d,%d,%d,%d", results_machine(), toile_version(), name,
            run->def.size, run->def.threads, run->def.frames, r->substeps, r->levels);
    if (run->def.solver.kind == TOILE_SOLVER_IMPLICIT) {
        fprintf(f, ",%d,%d", r->iterations, r->gradients);
    } else {
        fputs(",,", f);
    }
    fprintf(f, ",%.4f,%.4f,%.4f,%.4f,%.1f", r->ms, r->ms_mean, r->late_ms, r->late_p99_ms,
            r->bytes);
    fprintf(f, ",%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.4g", r->end.mean, r->end.p999, r->end.max,
            r->peak.mean, r->peak.p999, r->peak.max, r->last.lowest, r->last.kinetic);
    if (run->def.settle > 0) {
        fprintf(f, ",%d,%.6f,%.4g", run->def.settle, r->settled.lowest, r->settled.kinetic);
    } else {
        fputs(",,,", f);
    }
    for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
        fprintf(f, ",%.4f", r->stage_ms[stage]);
    }
    fputc('\n', f);
}

static void print_work(const bench *b) {
    printf("\nwork of the implicit solver, of Newton's method and conjugate gradients in a frame\n"
           "%11s %6s %8s %10s %9s %9s %9s %8s\n",
           "size", "levels", "substeps", "iterations", "gradients", "ms/frame", "ns/texel",
           "B/texel");
    for (int i = 0; i < b->counts[IMPLICIT]; i++) {
        const bench_run *run = &b->runs[IMPLICIT][i];
        const hang_result *r = &run->result;
        printf("%4d x %4d %6d %8d %10d %9d %9.2f %9.1f %8.1f\n", run->def.size, run->def.size,
               r->levels, r->substeps, r->iterations, r->gradients, r->late_ms,
               1e6 * r->late_ms / texels(run), r->bytes);
    }
}

/* The stages that took time, mean over frames. */
static void print_stages(const bench *b) {
    bool any[TOILE_STAGE_COUNT] = {0};
    for (int i = 0; i < b->counts[IMPLICIT]; i++) {
        for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
            any[stage] |= b->runs[IMPLICIT][i].result.stage_ms[stage] > 0.0;
        }
    }
    printf("\nits stages, mean ms per frame\n%11s", "size");
    for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
        if (any[stage]) {
            printf(" %9s", toile_stage_name((toile_stage)stage));
        }
    }
    for (int i = 0; i < b->counts[IMPLICIT]; i++) {
        const bench_run *run = &b->runs[IMPLICIT][i];
        printf("\n%4d x %4d", run->def.size, run->def.size);
        for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
            if (any[stage]) {
                printf(" %9.3f", run->result.stage_ms[stage]);
            }
        }
    }
    puts("");
}

/* ---- what is to be reached ----------------------------------------------------------------------
 */

static const char *verdict(bool reached) {
    return reached ? "reached" : "missed";
}

/* How far all sizes are from the finest. */
static void print_spread(const bench *b, series of) {
    const bench_run *runs = b->runs[of];
    const hang_result *finest = &runs[b->counts[of] - 1].result;
    double lowest = 0.0, mean = 0.0;
    for (int i = 0; i < b->counts[of]; i++) {
        lowest = fmax(lowest, fabs(runs[i].result.last.lowest - finest->last.lowest));
        mean = fmax(mean, fabs(runs[i].result.end.mean - finest->end.mean));
    }
    printf("%-20s lowest points %.1f mm from the finest, mean strains %.2f percentage points",
           sets[of].name, 1e3 * lowest, 100.0 * mean);
    if (of == IMPLICIT) {
        printf(" (at most %.0f mm: %s; at most %.1f: %s)", 1e3 * LOWEST_SPREAD,
               verdict(lowest <= LOWEST_SPREAD), 100.0 * MEAN_SPREAD, verdict(mean <= MEAN_SPREAD));
    }
    puts("");
}

static void print_goal(const bench *b, int g) {
    const bench_run *run = find_run(b, goals[g].of, goals[g].size);
    const hang_result *r = &run->result;
    const double ms = goals[g].ms[b->threads - 1];
    if (ms > 0.0) {
        printf("%-20s %4d x %4d %6.2f ms, seen %7.2f: %-7s | max %3.0f %%, seen %6.2f: %-7s | "
               "mean %3.0f %%, seen %6.3f: %s\n",
               sets[goals[g].of].name, run->def.size, run->def.size, ms, r->late_ms,
               verdict(r->late_ms <= ms), 100.0 * STRAIN_MAX, 100.0 * r->peak.max,
               verdict(r->peak.max <= STRAIN_MAX), 100.0 * STRAIN_MEAN, 100.0 * r->peak.mean,
               verdict(r->peak.mean <= STRAIN_MEAN));
    }
}

static void print_goals(const bench *b) {
    if (b->threads < 1 || b->threads > GOAL_THREADS) {
        printf("\ngoals of time are for 1 thread and for 2\n");
    } else {
        printf("\ngoals, threads: %d; time, and strain since the 60th frame\n", b->threads);
        for (int g = 0; g < GOALS; g++) {
            print_goal(b, g);
        }
    }
    for (int i = 0; i < b->counts[LIMITED]; i++) {
        const bench_run *run = &b->runs[LIMITED][i];
        const double limit = (double)TIGHT_LIMIT, seen = run->result.end.max;
        printf("%-20s %4d x %4d max at the end %3.0f %%, seen %6.2f: %s\n", sets[LIMITED].name,
               run->def.size, run->def.size, 100.0 * limit, 100.0 * seen, verdict(seen <= limit));
    }
    for (series of = IMPLICIT; of < SERIES; of++) {
        if (of != LIMITED) {
            print_spread(b, of);
        }
    }
}

/* ---- charts -------------------------------------------------------------------------------------
 */

typedef double figure(const hang_result *r);

static double lowest_of(const hang_result *r) {
    return r->last.lowest;
}
static double mean_of(const hang_result *r) {
    return 100.0 * r->end.mean;
}
static double p999_of(const hang_result *r) {
    return 100.0 * r->end.p999;
}
static double max_of(const hang_result *r) {
    return 100.0 * r->end.max;
}
static double ms_of(const hang_result *r) {
    return r->late_ms;
}

/* Strains differ by factors of a hundred between solvers: their axes are logarithmic. */
static const struct {
    const char *name, *title;
    plot_axis y;
    figure *of;
    bool by_texels; /* else by texels along an edge */
} charts[] = {
    {"lowest", "Lowest point after 300 frames", {"lowest point (m)", false}, lowest_of, false},
    {"mean", "Mean strain after 300 frames", {"mean strain (%)", true}, mean_of, false},
    {"p999", "99.9th percentile of strain", {"99.9th percentile (%)", true}, p999_of, false},
    {"max", "Largest strain after 300 frames", {"largest strain (%)", true}, max_of, false},
    {"time", "Time per frame", {"time (ms per frame)", true}, ms_of, true},
};
enum { CHARTS = sizeof charts / sizeof *charts };

static toile_result draw_chart(const bench *b, int chart) {
    chart_line lines[SERIES] = {0};
    plot_series drawn[SERIES];
    size_t count = 0;
    for (series of = IMPLICIT; of < SERIES; of++) {
        for (int i = 0; i < b->counts[of]; i++) {
            const bench_run *run = &b->runs[of][i];
            chart_add(&lines[of], charts[chart].by_texels ? texels(run) : run->def.size,
                      charts[chart].of(&run->result));
        }
        if (of != LIMITED) {
            drawn[count++] = chart_series(&lines[of], sets[of].name);
        }
    }
    char name[40];
    snprintf(name, sizeof name, "implicit%s", device_file_ending(b->device).text);
    return chart_write(
        b->folder, name, charts[chart].name,
        &(plot_def){.title = charts[chart].title,
                    .x = {charts[chart].by_texels ? "texels" : "texels along an edge", true},
                    .y = charts[chart].y,
                    .series = drawn,
                    .series_count = count});
}

/* ---- the command --------------------------------------------------------------------------------
 */

static toile_result run_one(bench *b, series of, int size) {
    bench_run *run = &b->runs[of][b->counts[of]++];
    *run = (bench_run){.size = size, .def = def_of(b, of, size)};
    toile_result result = hang_run(&run->def, &run->result);
    if (result == TOILE_OK) {
        print_run(run, sets[of].name);
        write_run(b, run, sets[of].name);
    }
    return result;
}

static toile_result run_all(bench *b) {
    toile_result result = TOILE_OK;
    const bool cpu = device_is_cpu(b->device);
    printf("%s; %s; cloth of scenes/bench/hang.json; threads: %d\n", results_machine(),
           device_description(b->device), b->threads);
    print_head();
    write_head(b->kept.csv);
    for (series of = IMPLICIT; of < SERIES; of++) {
        for (int i = 0; sets[of].sizes[i] > 0 && result == TOILE_OK; i++) {
            result = run_one(b, of, sets[of].sizes[i]);
        }
    }
    if (result == TOILE_OK) {
        print_work(b);
        print_stages(b);
    }
    if (result == TOILE_OK && cpu) {
        print_goals(b);
    }
    for (int chart = 0; chart < CHARTS && result == TOILE_OK; chart++) {
        result = draw_chart(b, chart);
    }
    return result;
}

int bench_implicit(int argc, char *argv[]) {
    bench b = {.folder = RESULTS_FOLDER, .threads = 2};
    const char *device = NULL;
    const option_spec specs[] = {
        {.name = "device", .text = &device},
        {.name = "threads", .number = &b.threads, .low = 0, .high = 1024},
        {.name = "out", .text = &b.folder},
        {.name = "quick", .flag = &b.quick},
        {0},
    };
    toile_result result = options_parse(argc, argv, specs, NULL, NULL);
    if (result == TOILE_OK) {
        result = device_choose(device, &b.device);
    }
    if (result == TOILE_OK) {
        char ending[40];
        snprintf(ending, sizeof ending, "%s.csv", device_file_ending(b.device).text);
        result = results_open(&b.kept, b.folder, "implicit", ending);
    }
    if (result != TOILE_OK) {
        return command_end(result);
    }
    result = run_all(&b);
    if (result != TOILE_OK) {
        results_discard(&b.kept);
        return command_end(result);
    }
    return command_end(results_commit(&b.kept));
}
