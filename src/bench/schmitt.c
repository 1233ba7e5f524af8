/* `toile bench schmitt`: the experiments of Schmitt 2013, section 6, on scenes/bench/hang.json, and
 * what they leave open. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "app/devices.h"
#include "app/options.h"
#include "base/error.h"
#include "bench/bench.h"
#include "bench/chart.h"
#include "bench/device.h"
#include "bench/trial.h"
#include "io/json.h"

/* The limit of the paper's Figures 9 and 10. */
static const double STRAIN_LIMIT = 0.1;

static toile_result write_plot(const trials *c, const char *name, const plot_def *def) {
    char bench[40];
    snprintf(bench, sizeof bench, "schmitt%s", device_file_ending(c->device).text);
    return chart_write(c->folder, bench, name, def);
}

/* ---- Figure 9: without levels -------------------------------------------------------------------
 */

typedef struct relaxation_lines {
    chart_line iterations, frame, single;
} relaxation_lines;

static toile_result search_sizes(trials *c, trial_mix mix, relaxation_lines *out) {
    static const int all[] = {17, 25, 33, 49, 65, 81}, few[] = {9, 13};
    const int *sizes = c->quick ? few : all, count = c->quick ? 2 : 6;
    for (int i = 0, guess = 1; i < count; i++) {
        trial t = trial_paper(c, "iterations", trial_mix_name(mix), sizes[i]);
        t.mix = mix;
        t.levels = 1;
        t.def.budget = 20.0;
        toile_result result = trial_search(c, &t, TRIAL_ITERATIONS, STRAIN_LIMIT, guess);
        if (result != TOILE_OK) {
            return result;
        }
        if (!t.reached) {
            break; /* larger ones need more */
        }
        guess = t.iterations;
        chart_add(&out->iterations, (double)t.result.particles, t.iterations);
        chart_add(&out->frame, (double)t.result.particles, t.result.ms);
    }
    return TOILE_OK;
}

/* The time of one iteration, without what a frame takes beside them. */
static toile_result time_iteration(trials *c, trial_mix mix, int size, chart_line *out) {
    enum { FEW = 4, MANY = 20 };
    trial t[2];
    for (int i = 0; i < 2; i++) {
        t[i] = trial_paper(c, "iteration", trial_mix_name(mix), size);
        t[i].mix = mix;
        t[i].levels = 1;
        t[i].iterations = i == 0 ? FEW : MANY;
        t[i].def.frames = t[i].def.first = c->quick ? 4 : 16;
        toile_result result = trial_run(c, &t[i]);
        if (result != TOILE_OK) {
            return result;
        }
    }
    chart_add(out, (double)t[0].result.particles, (t[1].result.ms - t[0].result.ms) / (MANY - FEW));
    return TOILE_OK;
}

static toile_result time_sizes(trials *c, trial_mix mix, relaxation_lines *out) {
    static const int all[] = {33, 65, 101, 145, 225, 321, 481}, few[] = {9, 13};
    const int *sizes = c->quick ? few : all, count = c->quick ? 2 : 7;
    toile_result result = TOILE_OK;
    for (int i = 0; i < count && result == TOILE_OK; i++) {
        result = time_iteration(c, mix, sizes[i], &out->single);
    }
    return result;
}

static toile_result draw_iterations(const trials *c, const relaxation_lines lines[2]) {
    const char *jacobi = trial_mix_name(TRIAL_JACOBI), *seidel = trial_mix_name(TRIAL_GAUSS_SEIDEL);
    plot_def def = {.title = "Without levels: iterations to stay within 10 % strain",
                    .x = {"particles", true},
                    .y = {"iterations a frame", true},
                    .series = (plot_series[]){chart_series(&lines[0].iterations, jacobi),
                                              chart_series(&lines[1].iterations, seidel)},
                    .series_count = 2};
    toile_result result = write_plot(c, "iterations", &def);
    if (result == TOILE_OK) {
        def.title = "Without levels: time to stay within 10 % strain";
        def.y.title = "time (ms a frame)";
        def.series = (plot_series[]){chart_series(&lines[0].frame, jacobi),
                                     chart_series(&lines[1].frame, seidel)};
        result = write_plot(c, "time", &def);
    }
    if (result == TOILE_OK) {
        def.title = "Without levels: time of one iteration";
        def.y.title = "time (ms an iteration)";
        def.series = (plot_series[]){chart_series(&lines[0].single, jacobi),
                                     chart_series(&lines[1].single, seidel)};
        result = write_plot(c, "iteration", &def);
    }
    return result;
}

static void print_single(const relaxation_lines lines[2]) {
    printf("\nFigure 9, right: time of one iteration, ms\n%10s %10s %14s\n", "particles", "Jacobi",
           "Gauss-Seidel");
    for (size_t i = 0; i < lines[0].single.count; i++) {
        printf("%10.0f %10.4f %14.4f\n", lines[0].single.x[i], lines[0].single.y[i],
               lines[1].single.y[i]);
    }
}

static toile_result part_iterations(trials *c) {
    static const trial_mix mixes[2] = {TRIAL_JACOBI, TRIAL_GAUSS_SEIDEL};
    relaxation_lines lines[2] = {0};
    toile_result result = TOILE_OK;
    trial_print_head("Figure 9, left: without levels, iterations to stay within 10 % strain",
                     c->measure);
    for (int i = 0; i < 2 && result == TOILE_OK; i++) {
        result = search_sizes(c, mixes[i], &lines[i]);
    }
    trial_print_head("Figure 9, right: without levels, 4 and 20 iterations", c->measure);
    for (int i = 0; i < 2 && result == TOILE_OK; i++) {
        result = time_sizes(c, mixes[i], &lines[i]);
    }
    if (result == TOILE_OK) {
        print_single(lines);
        result = draw_iterations(c, lines);
    }
    return result;
}

/* ---- Figure 10: levels against time ------------------------------------------------------------
 */

/* How many levels keep at least so many texels along an edge. */
static int count_levels(int size, int least) {
    int levels = 1;
    for (; (size + 1) / 2 >= least; size = (size + 1) / 2) {
        levels++;
    }
    return levels;
}

/* From many levels to one, for these need fewer iterations, as far as there is time. */
static toile_result search_levels(trials *c, trial_mix mix, int size, chart_line *out) {
    int least = mix == TRIAL_MIXED ? 3 : 1, guess = 2;
    for (int levels = count_levels(size, c->quick ? 3 : 7); levels >= least; levels--) {
        trial t = trial_paper(c, "levels", trial_mix_name(mix), size);
        t.mix = mix;
        t.levels = levels;
        t.def.budget = 25.0;
        toile_result result = trial_search(c, &t, TRIAL_ITERATIONS, STRAIN_LIMIT, guess);
        if (result != TOILE_OK || !t.reached) {
            return result;
        }
        guess = t.iterations;
        chart_add(out, levels, t.result.ms);
    }
    return TOILE_OK;
}

static toile_result draw_levels(const trials *c, int size, const chart_line lines[TRIAL_MIXES]) {
    plot_series series[TRIAL_MIXES];
    for (int mix = 0; mix < TRIAL_MIXES; mix++) {
        series[mix] = chart_series(&lines[mix], trial_mix_name((trial_mix)mix));
    }
    char title[96], name[32];
    snprintf(title, sizeof title, "Levels against time at 10 %% strain, %d x %d texels", size,
             size);
    snprintf(name, sizeof name, "levels_%d", size);
    return write_plot(c, name,
                      &(plot_def){.title = title,
                                  .x = {"levels", false},
                                  .y = {"time (ms a frame)", true},
                                  .series = series,
                                  .series_count = TRIAL_MIXES});
}

static toile_result part_levels(trials *c) {
    static const int all[2] = {101, 225}, few[2] = {9, 13};
    const int *sizes = c->quick ? few : all;
    toile_result result = TOILE_OK;
    trial_print_head("Figure 10: levels against time within 10 % strain", c->measure);
    for (int s = 0; s < 2 && result == TOILE_OK; s++) {
        chart_line lines[TRIAL_MIXES] = {0};
        for (int mix = 0; mix < TRIAL_MIXES && result == TOILE_OK; mix++) {
            result = search_levels(c, (trial_mix)mix, sizes[s], &lines[mix]);
        }
        if (result == TOILE_OK) {
            result = draw_levels(c, sizes[s], lines);
        }
    }
    printf("paper, 230 000 particles, 6 levels, Radeon HD 7850: 16.6 ms with 4 iterations of "
           "Gauss-Seidel,\n6 ms mixed with 21 of Jacobi on the finest two\n");
    return result;
}

/* ---- Figure 11: strain by levels ---------------------------------------------------------------
 */

/* 100 x 100 at 100 frames a second. The paper does not give its iterations: one level gets as many
 * as it takes to come down to its 60 %, and more levels have the same number each. */
static toile_result part_strain(trials *c) {
    static const double paper_levels[3] = {1, 3, 4}, paper_strain[3] = {60, 16, 8};
    trial t = trial_paper(c, "strain", trial_mix_name(TRIAL_MIXED), c->quick ? 10 : 100);
    t.mix = TRIAL_MIXED;
    t.levels = 1;
    t.def.time_step = 0.01f;
    t.def.frames = c->quick ? t.def.frames : 200;
    t.def.first = t.def.frames - t.def.frames / 6;
    trial_print_head("Figure 11: 100 x 100 texels at 100 frames a second", c->measure);
    toile_result result = trial_search(c, &t, TRIAL_ITERATIONS, 0.6, 1);
    chart_line ours = {0};
    chart_add(&ours, 1, 100.0 * trial_strain(&t));
    for (t.levels = 2; t.levels <= (c->quick ? 3 : 4) && result == TOILE_OK; t.levels++) {
        t.reached = true;
        result = trial_run(c, &t);
        chart_add(&ours, t.levels, 100.0 * trial_strain(&t));
    }
    printf("paper: 1 level 1 ms 60 %%, 3 levels 1.2 ms 16 %%, 4 levels 1.3 ms 8 %%\n");
    char axis[32];
    snprintf(axis, sizeof axis, "strain, %s (%%)", trial_measure_name(c->measure));
    const plot_def def = {
        .title = "Strain by levels, 100 x 100 texels at 100 frames a second",
        .x = {"levels", false},
        .y = {axis, true},
        .series = (plot_series[]){chart_series(&ours, "Toile"),
                                  {"Schmitt 2013, Figure 11", paper_levels, paper_strain, 3}},
        .series_count = 2};
    return result == TOILE_OK ? write_plot(c, "strain", &def) : result;
}

/* ---- the drape against resolution --------------------------------------------------------------
 */

typedef struct drape_lines {
    chart_line lowest, mean;
} drape_lines;

static toile_result hang_sizes(trials *c, bool paper, const char *series, drape_lines *out) {
    static const int all[] = {33, 65, 101, 145, 225, 481}, few[] = {9, 17};
    const int *sizes = c->quick ? few : all, count = c->quick ? 2 : 6;
    for (int i = 0; i < count; i++) {
        trial t = paper ? trial_paper(c, "drape", series, sizes[i])
                        : trial_default(c, "drape", series, sizes[i]);
        t.def.frames = c->quick ? t.def.frames : HANG_FRAMES;
        t.def.first = t.def.frames - t.def.frames / 10;
        toile_result result = trial_run(c, &t);
        if (result != TOILE_OK) {
            return result;
        }
        chart_add(&out->lowest, (double)t.result.particles, t.result.last.lowest);
        chart_add(&out->mean, (double)t.result.particles, 100.0 * t.result.mean.mean);
    }
    return TOILE_OK;
}

static void print_spread(const char *series, const drape_lines *d) {
    double low = INFINITY, high = -INFINITY;
    size_t last = d->mean.count - 1;
    for (size_t i = 0; i <= last; i++) {
        low = fmin(low, d->lowest.y[i]);
        high = fmax(high, d->lowest.y[i]);
    }
    printf("%s: lowest points within %.1f mm; mean strain of the finest %.2f times that of the "
           "coarsest\n",
           series, 1e3 * (high - low), d->mean.y[last] / d->mean.y[0]);
}

static toile_result part_drape(trials *c) {
    static const char *const series[2] = {"paper", "compliance"};
    drape_lines lines[2] = {0};
    toile_result result = TOILE_OK;
    trial_print_head("Drape against resolution, after 300 frames", c->measure);
    for (int i = 0; i < 2 && result == TOILE_OK; i++) {
        result = hang_sizes(c, i == 0, series[i], &lines[i]);
        if (result == TOILE_OK) {
            print_spread(series[i], &lines[i]);
        }
    }
    plot_def def = {.title = "Lowest point of the drape against resolution",
                    .x = {"particles", true},
                    .y = {"lowest point (m)", false},
                    .series = (plot_series[]){chart_series(&lines[0].lowest, series[0]),
                                              chart_series(&lines[1].lowest, series[1])},
                    .series_count = 2};
    if (result == TOILE_OK) {
        result = write_plot(c, "lowest", &def);
    }
    if (result == TOILE_OK) {
        def.title = "Mean strain of the drape against resolution";
        def.y = (plot_axis){"mean strain (%)", true};
        def.series = (plot_series[]){chart_series(&lines[0].mean, series[0]),
                                     chart_series(&lines[1].mean, series[1])};
        result = write_plot(c, "mean", &def);
    }
    return result;
}

/* ---- speed --------------------------------------------------------------------------------------
 */

/* The frames' times at three sizes, and how they grow. */
static toile_result time_defaults(trials *c) {
    static const int all[3] = {101, 225, 481}, few[3] = {9, 13, 17};
    double ms[3], particles[3];
    for (int i = 0; i < 3; i++) {
        trial t = trial_default(c, "speed", "multilevel", (c->quick ? few : all)[i]);
        toile_result result = trial_run(c, &t);
        if (result != TOILE_OK) {
            return result;
        }
        ms[i] = t.result.ms;
        particles[i] = (double)t.result.particles;
    }
    printf("to reach: 4 ms, 25 ms, 120 ms with mean strain at most 1.5 %% and 99.9 %% below 15 %%\n"
           "time grows %.2f times as the particles from the first to the last (at most 1.15)\n",
           ms[2] / ms[0] / (particles[2] / particles[0]));
    return TOILE_OK;
}

static void print_ratio(const trial *one, const trial *many) {
    printf("%s takes %s%.1f times the time of many levels\n", one->series,
           one->reached ? "" : "more than ", one->result.ms / many->result.ms);
}

/* One level with as many iterations, or with one iteration in as many substeps, as it takes to
 * stretch the cloth no more than many levels do. */
static toile_result compare_levels(trials *c) {
    const int size = c->quick ? 17 : 225;
    trial many = trial_default(c, "speed", "multilevel", size);
    trial paper = trial_paper(c, "speed", "", size);
    many.def.frames = paper.def.frames;
    many.def.first = paper.def.first;
    toile_result result = trial_run(c, &many);
    double limit = trial_strain(&many);
    trial one[2] = {many, many};
    static const char *const series[2] = {"one level, iterations", "one level, substeps"};
    for (int i = 0; i < 2 && result == TOILE_OK; i++) {
        one[i].series = series[i];
        one[i].levels = 1;
        one[i].iterations = 1;
        one[i].def.budget = 30.0;
        one[i].def.solver.substeps = many.result.substeps;
        result = trial_search(c, &one[i], i == 0 ? TRIAL_ITERATIONS : TRIAL_SUBSTEPS, limit, 16);
    }
    trial springs = many;
    springs.series = "mass-spring";
    springs.levels = 0;
    springs.def.solver = toile_default_world_def().solver;
    springs.def.solver.kind = TOILE_SOLVER_MASS_SPRING;
    if (result == TOILE_OK) {
        result = trial_run(c, &springs);
    }
    if (result == TOILE_OK) {
        springs.reached = trial_strain(&springs) <= limit;
        print_ratio(&one[0], &many);
        print_ratio(&one[1], &many);
        printf("mass-spring takes %.1f times the time, at %.1f times the strain\n",
               springs.result.ms / many.result.ms, trial_strain(&springs) / limit);
    }
    return result;
}

static toile_result part_speed(trials *c) {
    trial_print_head("Speed: the library's defaults over 300 frames", TRIAL_P999);
    toile_result result = time_defaults(c);
    if (result == TOILE_OK) {
        trial_print_head("One level against many at equal strain (to reach: 5 times)", TRIAL_P999);
        result = compare_levels(c);
    }
    return result;
}

/* ---- the command --------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    toile_result (*run)(trials *c);
} parts[] = {
    {"iterations", part_iterations}, {"levels", part_levels}, {"strain", part_strain},
    {"drape", part_drape},           {"speed", part_speed},
};
enum { PARTS = sizeof parts / sizeof *parts };

static toile_result run_parts(trials *c, const char *only) {
    toile_result result = TOILE_OK;
    printf("%s; %s; cloth of scenes/bench/hang.json; threads: %d\n", results_machine(),
           device_description(c->device), c->threads);
    trial_write_head(c);
    for (int i = 0; i < PARTS && result == TOILE_OK; i++) {
        if (!only || strcmp(only, parts[i].name) == 0) {
            result = parts[i].run(c);
        }
    }
    if (result != TOILE_OK) {
        results_discard(&c->kept);
        return result;
    }
    return results_commit(&c->kept);
}

static toile_result check_only(const char *only) {
    bool known = !only;
    for (int i = 0; i < PARTS; i++) {
        known = known || strcmp(only, parts[i].name) == 0;
    }
    if (!known) {
        return error_set(TOILE_ERROR_INVALID,
                         "bench: --only: expected iterations, levels, strain, drape or speed, "
                         "found '%s'",
                         make_printable(only).text);
    }
    return TOILE_OK;
}

static toile_result find_measure(const char *name, trial_measure *out) {
    for (int i = 0; i < TRIAL_MEASURES; i++) {
        if (strcmp(name, trial_measure_name((trial_measure)i)) == 0) {
            *out = (trial_measure)i;
            return TOILE_OK;
        }
    }
    return error_set(TOILE_ERROR_INVALID,
                     "bench: --measure: expected mean, p99, p999 or max, found '%s'",
                     make_printable(name).text);
}

int bench_schmitt(int argc, char *argv[]) {
    const char *only = NULL, *measure = trial_measure_name(TRIAL_MEAN), *device = NULL;
    trials c = {.folder = RESULTS_FOLDER, .threads = 2};
    const option_spec specs[] = {
        {.name = "only", .text = &only},
        {.name = "measure", .text = &measure},
        {.name = "device", .text = &device},
        {.name = "threads", .number = &c.threads, .low = 0, .high = 1024},
        {.name = "out", .text = &c.folder},
        {.name = "quick", .flag = &c.quick},
        {0},
    };
    toile_result result = options_parse(argc, argv, specs, NULL, NULL);
    if (result == TOILE_OK) {
        result = check_only(only);
    }
    if (result == TOILE_OK) {
        result = find_measure(measure, &c.measure);
    }
    if (result == TOILE_OK) {
        result = device_choose(device, &c.device);
    }
    if (result == TOILE_OK) {
        char ending[64];
        snprintf(ending, sizeof ending, "%s%s%s.csv", only ? "_" : "", only ? only : "",
                 device_file_ending(c.device).text);
        result = results_open(&c.kept, c.folder, "schmitt", ending);
    }
    if (result == TOILE_OK) {
        result = run_parts(&c, only);
    }
    return command_end(result);
}
