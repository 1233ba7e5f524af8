/* `toile bench safety`: the safety grid, all of it or every so many runs. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/options.h"
#include "app/progress.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/team.h"
#include "bench/bench.h"
#include "bench/results.h"
#include "bench/safety.h"

/* A quick grid has every so many runs: prime to all counts of the grid, so that it has something of
 * every fabric, spacing, step, scene and order. */
enum { QUICK_EVERY = 37, QUICK_FRAMES = 60 };

/* Runs that are printed; the file has all. */
enum { LISTED = 40 };

typedef struct safety_options {
    const char *folder;
    int threads, every, run;
    bool quick;
    const char *quality;
    toile_quality known; /* that it names */
} safety_options;

typedef struct outcome {
    int number;
    safety_def def;
    safety_result seen, converged;
    double worst;            /* the largest amount of a fault, and whether there is any */
    bool faulty;             /* then the converged run was made, too */
    bool own[SAFETY_FAULTS]; /* faults that it has not; and whether there are any */
    bool fails;
    toile_result result; /* of a run that could not be made */
    char message[160];
} outcome;

typedef struct grid_of_runs {
    outcome *runs;
    int count;
    atomic_int next, done;
    progress shown;
} grid_of_runs;

/* ---- running ------------------------------------------------------------------------------------
 */

static toile_result look_at_faults(outcome *o) {
    for (int f = 0; f < SAFETY_FAULTS; f++) {
        o->worst = fmax(o->worst, safety_amount(&o->def, &o->seen, (safety_fault)f));
    }
    o->faulty = o->worst > 1.0;
    if (!o->faulty) {
        return TOILE_OK;
    }
    const safety_def converged = safety_converged(&o->def);
    toile_result result = safety_run(&converged, &o->converged);
    for (int f = 0; f < SAFETY_FAULTS; f++) {
        o->own[f] = safety_has_own(&o->def, &o->seen, &o->converged, (safety_fault)f);
        o->fails |= o->own[f];
    }
    return result;
}

static void run_one(outcome *o) {
    o->result = safety_run(&o->def, &o->seen);
    if (o->result == TOILE_OK) {
        o->result = look_at_faults(o);
    }
    if (o->result != TOILE_OK) {
        snprintf(o->message, sizeof o->message, "%s", toile_error_message());
    }
}

/* Runs take their time, some much more than others: whoever is free takes the next. */
static void run_some(void *argument, int member, int members) {
    (void)members;
    grid_of_runs *g = argument;
    for (int i; (i = atomic_fetch_add(&g->next, 1)) < g->count;) {
        run_one(&g->runs[i]);
        int done = atomic_fetch_add(&g->done, 1) + 1;
        if (member == 0) {
            progress_update(&g->shown, (uint32_t)done);
        }
    }
}

static toile_result run_all(const safety_options *o, grid_of_runs *g) {
    team *threads = team_create(o->threads);
    if (!threads) {
        return TOILE_ERROR_MEMORY;
    }
    progress_start(&g->shown, "run", 0, (uint32_t)g->count, false);
    team_run(threads, team_size(threads), run_some, g);
    progress_clear(&g->shown);
    team_destroy(threads);
    for (int i = 0; i < g->count; i++) {
        if (g->runs[i].result != TOILE_OK) {
            return error_set(g->runs[i].result, "bench: run %d: %s", g->runs[i].number,
                             g->runs[i].message);
        }
    }
    return TOILE_OK;
}

static outcome choose_run(const safety_options *o, int number) {
    outcome run = {.number = number, .def = safety_get(number)};
    run.def.frames = o->quick ? QUICK_FRAMES : run.def.frames;
    run.def.solver.quality = o->known;
    return run;
}

static toile_result choose_runs(const safety_options *o, grid_of_runs *g) {
    g->runs = memory_alloc((size_t)safety_count(), sizeof *g->runs, "runs");
    if (!g->runs) {
        return TOILE_ERROR_MEMORY;
    }
    for (int number = 0; number < safety_count(); number += o->every) {
        g->runs[g->count++] = choose_run(o, number);
    }
    return TOILE_OK;
}

/* ---- tables -------------------------------------------------------------------------------------
 */

typedef bool choice(const outcome *o, int which);

static bool has_fabric(const outcome *o, int which) {
    return o->def.fabric == which;
}

static bool has_spacing(const outcome *o, int which) {
    return o->def.spacing == safety_spacings[which];
}

static bool has_step(const outcome *o, int which) {
    return o->def.time_step == safety_steps[which];
}

static bool has_scene(const outcome *o, int which) {
    return (int)o->def.scene == which;
}

static bool has_order(const outcome *o, int which) {
    return o->def.solver.order == which;
}

static bool is_any(const outcome *o, int which) {
    (void)o, (void)which;
    return true;
}

/* Over some of the runs. */
typedef struct tally {
    int runs, fails, shared, rises, faults[SAFETY_FAULTS];
    double gain, rise, elongation; /* the largest */
} tally;

static tally count_runs(const grid_of_runs *g, choice *chosen, int which) {
    tally t = {.gain = -INFINITY};
    for (int i = 0; i < g->count; i++) {
        const outcome *o = &g->runs[i];
        if (!chosen(o, which)) {
            continue;
        }
        t.runs++;
        t.fails += o->fails;
        t.shared += o->faulty && !o->fails;
        t.rises += safety_rises(&o->def, &o->seen);
        for (int f = 0; f < SAFETY_FAULTS; f++) {
            t.faults[f] += o->own[f];
        }
        if (o->def.scene != SAFETY_STRUCK) {
            t.gain = fmax(t.gain, o->seen.gain);
            t.rise = fmax(t.rise, o->seen.rise);
        }
        t.elongation = fmax(t.elongation, o->seen.elongation);
    }
    return t;
}

static void print_row(const grid_of_runs *g, const char *name, choice *chosen, int which) {
    const tally t = count_runs(g, chosen, which);
    if (t.runs == 0) {
        return;
    }
    printf("%-8s %5d %5d |", name, t.runs, t.fails);
    for (int f = 0; f < SAFETY_FAULTS; f++) {
        printf(" %9d", t.faults[f]);
    }
    printf(" | %7d %5d |", t.shared, t.rises);
    if (isfinite(t.gain)) {
        printf(" %7.3f %7.3f", t.gain, t.rise);
    } else {
        printf(" %7s %7s", "-", "-");
    }
    printf(" %9.1f\n", 100.0 * t.elongation);
}

static void print_counts(const grid_of_runs *g) {
    printf("%-8s %5s %5s |", "", "runs", "fail");
    for (int f = 0; f < SAFETY_FAULTS; f++) {
        printf(" %9s", safety_fault_name((safety_fault)f));
    }
    printf(" | %7s %5s | %7s %7s %9s\n", "excused", "rises", "gain", "rise", "stretch %");
    for (int f = 0; f < toile_fabric_count(); f++) {
        print_row(g, toile_fabric_name(f), has_fabric, f);
    }
    char name[16];
    for (int s = 0; s < SAFETY_SPACINGS; s++) {
        snprintf(name, sizeof name, "%.0f mm", 1e3 * (double)safety_spacings[s]);
        print_row(g, name, has_spacing, s);
    }
    for (int s = 0; s < SAFETY_STEPS; s++) {
        snprintf(name, sizeof name, "1/%.0f s", 1.0 / (double)safety_steps[s]);
        print_row(g, name, has_step, s);
    }
    for (int s = 0; s < SAFETY_SCENES; s++) {
        print_row(g, safety_scene_name((safety_scene)s), has_scene, s);
    }
    print_row(g, "order 1", has_order, 1);
    print_row(g, "order 2", has_order, 2);
    print_row(g, "all", is_any, 0);
}

static void print_figures(const safety_result *r) {
    printf(" | %7.3f %7.3f %7.3f %8.1f %6.1f %6.2f %4d", r->gain, r->motion, r->rise,
           100.0 * r->elongation, 100.0 * r->shortening, r->reach, r->stopped);
}

static void print_run(const outcome *o) {
    printf("%4d %-8s %7.0f 1/%-3.0f %-8s %5d", o->number, toile_fabric_name(o->def.fabric),
           1e3 * (double)o->def.spacing, 1.0 / (double)o->def.time_step,
           safety_scene_name(o->def.scene), o->def.solver.order);
    print_figures(&o->seen);
    if (o->faulty) {
        print_figures(&o->converged);
    }
    for (int f = 0; f < SAFETY_FAULTS; f++) {
        if (o->own[f]) {
            printf(" %s", safety_fault_name((safety_fault)f));
        }
    }
    putchar('\n');
}

static int compare_worst(const void *a, const void *b) {
    const outcome *one = a, *other = b;
    if (one->fails != other->fails) {
        return other->fails - one->fails;
    }
    return one->worst != other->worst ? (one->worst < other->worst) - (one->worst > other->worst)
                                      : one->number - other->number;
}

static void print_run_head(void) {
    static const char *const figures = " |    gain  motion    rise stretch%  short  reach stop";
    printf("%4s %-8s %7s %-5s %-8s %5s%s%s\n", "run", "fabric", "mm", "step", "scene", "order",
           figures, figures);
}

/* Of those that fail. Sorts all. */
static void print_worst(grid_of_runs *g) {
    qsort(g->runs, (size_t)g->count, sizeof *g->runs, compare_worst);
    if (!g->runs->fails) {
        return;
    }
    printf("\nthe worst, by the largest figures of all frames, and converged\n");
    print_run_head();
    for (int i = 0; i < g->count && i < LISTED && g->runs[i].fails; i++) {
        print_run(&g->runs[i]);
    }
}

/* ---- the file -----------------------------------------------------------------------------------
 */

static void write_figures(FILE *f, const safety_result *r) {
    fprintf(f, ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d", r->gain, r->motion, r->rise, r->elongation,
            r->shortening, r->reach, r->stopped);
}

/* What a run without faults has of the converged one is empty. */
static void write_run(FILE *f, const outcome *o) {
    fprintf(f, "%s,%d,%s,%g,%g,%s,%d,%d", toile_version(), o->number,
            toile_fabric_name(o->def.fabric), (double)o->def.spacing, (double)o->def.time_step,
            safety_scene_name(o->def.scene), o->def.solver.order, o->def.frames);
    write_figures(f, &o->seen);
    if (o->faulty) {
        write_figures(f, &o->converged);
    } else {
        fputs(",,,,,,,", f);
    }
    for (int i = 0; i < SAFETY_FAULTS; i++) {
        fprintf(f, ",%d", o->own[i]);
    }
    fputc('\n', f);
}

static void write_runs(FILE *f, const grid_of_runs *g) {
    fputs(
        "version,run,fabric,spacing_m,time_step_s,scene,order,frames,gain,motion,rise,"
        "elongation,shortening,reach,stopped_frame,converged_gain,converged_motion,converged_rise,"
        "converged_elongation,converged_shortening,converged_reach,converged_stopped_frame",
        f);
    for (int i = 0; i < SAFETY_FAULTS; i++) {
        fprintf(f, ",%s", safety_fault_name((safety_fault)i));
    }
    fputc('\n', f);
    for (int i = 0; i < g->count; i++) {
        write_run(f, &g->runs[i]);
    }
}

/* ---- the command --------------------------------------------------------------------------------
 */

static toile_result run_grid(const safety_options *o, grid_of_runs *g, FILE *csv) {
    toile_result result = choose_runs(o, g);
    if (result != TOILE_OK) {
        return result;
    }
    printf("%s; implicit solver, quality %s; cloths of %d x %d texels\n", results_machine(),
           o->quality, SAFETY_TEXELS, SAFETY_TEXELS);
    fflush(stdout);
    result = run_all(o, g);
    if (result == TOILE_OK) {
        write_runs(csv, g);
        print_counts(g);
        print_worst(g);
    }
    return result;
}

static toile_result keep_grid(const safety_options *o, bool *fails) {
    results_file kept;
    toile_result result = results_open(&kept, o->folder, "safety", ".csv");
    if (result != TOILE_OK) {
        return result;
    }
    grid_of_runs g = {0};
    result = run_grid(o, &g, kept.csv);
    *fails = count_runs(&g, is_any, 0).fails > 0;
    free(g.runs);
    if (result != TOILE_OK) {
        results_discard(&kept);
        return result;
    }
    return results_commit(&kept);
}

static toile_result repeat_run(const safety_options *o, bool *fails) {
    outcome run = choose_run(o, o->run);
    run_one(&run);
    if (run.result == TOILE_OK) {
        print_run_head();
        print_run(&run);
    }
    *fails = run.fails;
    return run.result;
}

static toile_result choose_quality(safety_options *o) {
    static const struct {
        const char *name;
        toile_quality quality;
    } qualities[] = {{"default", TOILE_QUALITY_DEFAULT},
                     {"game", TOILE_QUALITY_GAME},
                     {"film", TOILE_QUALITY_FILM}};
    for (size_t i = 0; i < sizeof qualities / sizeof qualities[0]; i++) {
        if (strcmp(o->quality, qualities[i].name) == 0) {
            o->known = qualities[i].quality;
            return TOILE_OK;
        }
    }
    return error_set(TOILE_ERROR_INVALID,
                     "bench: --quality is '%s', expected default, game or film", o->quality);
}

int bench_safety(int argc, char *argv[]) {
    safety_options o = {
        .folder = RESULTS_FOLDER, .threads = 2, .every = 1, .run = -1, .quality = "default"};
    const option_spec specs[] = {
        {.name = "every", .number = &o.every, .low = 1, .high = safety_count()},
        {.name = "run", .number = &o.run, .low = 0, .high = safety_count() - 1},
        {.name = "quality", .text = &o.quality},
        {.name = "threads", .number = &o.threads, .low = 0, .high = 1024},
        {.name = "out", .text = &o.folder},
        {.name = "quick", .flag = &o.quick},
        {0},
    };
    bool fails = false;
    toile_result result = options_parse(argc, argv, specs, NULL, NULL);
    if (result == TOILE_OK) {
        result = choose_quality(&o);
    }
    if (result == TOILE_OK) {
        o.every = o.quick && o.every == 1 ? QUICK_EVERY : o.every;
        result = o.run >= 0 ? repeat_run(&o, &fails) : keep_grid(&o, &fails);
    }
    return result != TOILE_OK ? command_end(result) : fails ? STATUS_BAD : STATUS_GOOD;
}
