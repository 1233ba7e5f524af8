#include "bench/trial.h"

#include <math.h>
#include <stdio.h>

/* Strain of a cloth that has left all bounds. */
static const double TORN = 1e3;

enum { LEVELS_MAX = 16, COUNT_MAX = 4096 };

typedef struct searching {
    trial *trial; /* the tries are made with this one */
    trial best;   /* the least count that was good enough, or the largest that was not */
    trial_variable variable;
    double limit;
} searching;

const char *trial_mix_name(trial_mix mix) {
    static const char *const names[TRIAL_MIXES] = {"Gauss-Seidel", "Jacobi", "mixed"};
    return names[mix];
}

const char *trial_measure_name(trial_measure measure) {
    static const char *const names[TRIAL_MEASURES] = {"mean", "p99", "p999", "max"};
    return names[measure];
}

trial trial_default(const trials *c, const char *part, const char *series, int size) {
    trial t = {.part = part,
               .series = series,
               .def = hang_default_def(size),
               .measure = TRIAL_P999,
               .reached = true};
    t.def.device = c->device ? c->device : t.def.device;
    t.def.threads = c->threads;
    t.def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    if (c->quick) {
        t.def.frames = 8;
        t.def.first = 5;
    }
    return t;
}

trial trial_paper(const trials *c, const char *part, const char *series, int size) {
    trial t = trial_default(c, part, series, size);
    t.measure = c->measure;
    t.def.solver.constraint_stiffness = 1.0f;
    t.def.solver.substeps = 1;
    t.def.solver.cycles = 1;
    if (!c->quick) {
        t.def.frames = 120;
        t.def.first = 101;
    }
    return t;
}

double trial_strain(const trial *t) {
    const toile_strain *s = &t->result.mean;
    switch (t->measure) {
    case TRIAL_MEAN:
        return s->mean;
    case TRIAL_P99:
        return s->p99;
    case TRIAL_P999:
        return s->p999;
    default:
        return s->max;
    }
}

static toile_result run(trial *t) {
    toile_level_def levels[LEVELS_MAX];
    for (int i = 0; i < t->levels; i++) {
        bool jacobi = t->mix == TRIAL_JACOBI || (t->mix == TRIAL_MIXED && i < 2);
        levels[i] = (toile_level_def){.relaxation = jacobi ? TOILE_RELAXATION_JACOBI
                                                           : TOILE_RELAXATION_GAUSS_SEIDEL,
                                      .iterations = t->iterations};
    }
    hang_def def = t->def;
    if (t->levels > 0) {
        def.solver.level_count = t->levels;
        def.solver.levels = levels;
    }
    toile_result result = hang_run(&def, &t->result);
    if (result == TOILE_ERROR_NUMERICAL) { /* so few iterations hold no cloth together */
        const toile_strain torn = {.mean = TORN, .p99 = TORN, .p999 = TORN, .max = TORN};
        t->result = (hang_result){.particles = (size_t)def.size * (size_t)def.size,
                                  .substeps = def.solver.substeps,
                                  .end = torn,
                                  .peak = torn,
                                  .mean = torn};
        result = TOILE_OK;
    }
    return result;
}

/* ---- tables -------------------------------------------------------------------------------------
 */

void trial_write_head(trials *c) {
    fputs("machine,version,threads,part,series,size,levels,iterations,substeps,frames,reached,"
          "ms_median,strain_mean,strain_p99,strain_p999,strain_max,end_mean,end_p999,end_max,"
          "lowest_m\n",
          c->kept.csv);
}

void trial_print_head(const char *title, trial_measure limited) {
    printf("\n%s\nstrain in %%, mean over the last frames; what is limited: %s\n", title,
           trial_measure_name(limited));
    printf("%-24s %11s %6s %10s %8s %9s %7s %7s %7s %7s %9s\n", "", "size", "levels", "iterations",
           "substeps", "ms/frame", "mean", "99 %", "99.9 %", "max", "lowest m");
    fflush(stdout);
}

/* Springs have neither levels nor iterations. */
static void format_count(const trial *t, int count, char *out, size_t size) {
    if (t->def.solver.kind != TOILE_SOLVER_MULTILEVEL) {
        snprintf(out, size, "-");
    } else if (t->levels == 0) {
        snprintf(out, size, "auto");
    } else {
        snprintf(out, size, "%d", count);
    }
}

static void report(trials *c, const trial *t) {
    const hang_result *r = &t->result;
    char levels[16], iterations[16];
    format_count(t, t->levels, levels, sizeof levels);
    format_count(t, t->iterations, iterations, sizeof iterations);
    printf("%-24s %4d x %4d %6s %10s %8d %9.2f %7.3f %7.2f %7.2f %7.2f %9.4f%s\n", t->series,
           t->def.size, t->def.size, levels, iterations, r->substeps, r->ms, 100.0 * r->mean.mean,
           100.0 * r->mean.p99, 100.0 * r->mean.p999, 100.0 * r->mean.max, r->last.lowest,
           t->reached ? "" : "  not enough, and more take too long");
    fflush(stdout);
    fprintf(c->kept.csv, "\"%s\",%s,%d,%s,\"%s\",%d,%s,%s,%d,%d,%d,%.5f", results_machine(),
            toile_version(), t->def.threads, t->part, t->series, t->def.size, levels, iterations,
            r->substeps, t->def.frames, t->reached, r->ms);
    fprintf(c->kept.csv, ",%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", r->mean.mean, r->mean.p99,
            r->mean.p999, r->mean.max, r->end.mean, r->end.p999, r->end.max, r->last.lowest);
}

toile_result trial_run(trials *c, trial *t) {
    toile_result result = run(t);
    if (result == TOILE_OK) {
        report(c, t);
    }
    return result;
}

/* ---- searching ----------------------------------------------------------------------------------
 */

static int *variable_of(trial *t, trial_variable variable) {
    return variable == TRIAL_SUBSTEPS ? &t->def.solver.substeps : &t->iterations;
}

static toile_result attempt(void *user, int count, double *value) {
    searching *s = user;
    *variable_of(s->trial, s->variable) = count;
    toile_result result = run(s->trial);
    if (result != TOILE_OK) {
        return result;
    }
    *value = s->trial->result.given_up ? NAN : trial_strain(s->trial);
    s->trial->reached = *value <= s->limit;
    /* Later good ones need less, and once there was a good one, bad ones are of no interest. */
    if (s->trial->reached || (!s->best.reached && !s->trial->result.given_up)) {
        s->best = *s->trial;
    }
    return TOILE_OK;
}

toile_result trial_search(trials *c, trial *t, trial_variable variable, double limit, int guess) {
    searching s = {.trial = t, .best = *t, .variable = variable, .limit = limit};
    s.best.reached = false;
    search_result found;
    toile_result result = search_least(attempt, &s, limit, guess, c->quick ? 8 : COUNT_MAX, &found);
    if (result == TOILE_OK) {
        *t = s.best;
        report(c, t);
    }
    return result;
}
