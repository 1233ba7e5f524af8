/* `toile bench wang`: Tables 7.1 and 7.2 of Wang 2005 on the mannequin, and what they leave out:
 * how much of the cloth is inside the body. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/devices.h"
#include "app/options.h"
#include "app/rank.h"
#include "base/error.h"
#include "base/memory.h"
#include "bench/bench.h"
#include "bench/device.h"
#include "bench/results.h"
#include "io/actor.h"

/* Section 7.1: the cloak is 5 x 5, and is subdivided up to five times. */
enum {
    COARSE = 5,
    MOST_LEVELS = 5,
    SIZES = MOST_LEVELS + 1,
    TRIAL_FRAMES = 4,
    TEXT_BYTES = 1024,
    QUICK_RESOLUTION = 64
};
static const double CLOAK = 0.64; /* m */

typedef enum method {
    NO_COLLISION, /* dynamics of the fine mesh alone, on the CPU */
    CPU_COLLISION,
    UNCORRECTED, /* refined only: what the next three begin with */
    NO_PEELING,
    PEELING,
    THREE_VIEWS, /* no column of the thesis: by default, `refine` does not depend on the camera */
    METHODS
} method;

static const struct {
    const char *name, *head;
    bool refines;
} methods[METHODS] = {
    [NO_COLLISION] = {"no collision", "none", false},
    [CPU_COLLISION] = {"CPU collision", "CPU", false},
    [UNCORRECTED] = {"refined only", "refined", true},
    [NO_PEELING] = {"GPU collision", "GPU", true},
    [PEELING] = {"depth peeling", "peeling", true},
    [THREE_VIEWS] = {"three views", "3 views", true},
};

static const struct {
    const char *name, *table;
    const char *thesis[SIZES][METHODS]; /* frames per second */
} motions[] = {
    {"walk",
     "Table 7.1",
     {{"60", "60", "", "-", "-", ""},
      {"60", "47-60", "", "60", "60", ""},
      {"60", "30-45", "", "60", "60", ""},
      {"60", "1-8", "", "60", "30", ""},
      {"48", "<1", "", "52", "30", ""},
      {"14", "<1", "", "29", "19", ""}}},
    {"sneak",
     "Table 7.2",
     {{"60", "60", "", "-", "-", ""},
      {"60", "18-43", "", "60", "60", ""},
      {"60", "3-6", "", "60", "60", ""},
      {"60", "<1", "", "60", "29", ""},
      {"48", "<1", "", "52", "30", ""},
      {"13", "<1", "", "29", "19", ""}}},
};
enum { MOTIONS = sizeof motions / sizeof *motions };

typedef struct wang_options {
    const char *device, *folder;
    int frames, threads, budget, levels;
    bool quick;
} wang_options;

typedef struct cell {
    bool there;         /* false: not run */
    bool whole;         /* false: given up after a few frames */
    double ms;          /* per frame, median without the first, which makes the tables */
    uint64_t inside;    /* most points in a frame: vertices, and middles of triangles */
    double depth;       /* m, of the deepest of all frames */
    uint64_t crossings; /* most in a frame */
} cell;

static int size_of(int level) {
    return (COARSE - 1) * (1 << level) + 1;
}

/* The cloak hangs from three points of the shoulders, which the coarse grid has. The body stands at
 * first, so that the cloth begins outside of it. */
static toile_result load_scene(const char *motion, scene **out) {
    char text[TEXT_BYTES];
    snprintf(text, sizeof text,
             "{\"toile\": 1, \"bodies\": [{\"name\": \"figure\", \"mannequin\": {"
             "\"root_motion\": false, \"animations\": ["
             "{\"name\": \"idle\", \"end\": 0.2, \"fade_out\": 0.2}, "
             "{\"name\": \"%s\", \"fade_in\": 0.2}]}}], "
             "\"cloths\": [{\"rectangle\": [%g, %g], \"fabric\": \"wool\", "
             "\"transform\": {\"translate\": [0, 1.12, -0.205], \"rotate\": [15, 0, 0]}, "
             "\"pins\": [{\"point\": [0.16, 0.64], \"body\": \"figure\"}, "
             "{\"point\": [0.32, 0.64], \"body\": \"figure\"}, "
             "{\"point\": [0.48, 0.64], \"body\": \"figure\"}]}], "
             "\"camera\": {\"eye\": [-1.9, 1.5, -2.8], \"target\": [0, 0.88, 0], \"fov\": 35}}",
             motion, CLOAK, CLOAK);
    toile_result result = scene_parse(text, strlen(text), "bench wang", out);
    if (result == TOILE_OK) {
        result = actors_load(*out);
        if (result != TOILE_OK) {
            scene_free(*out);
        }
    }
    return result;
}

/* As the thesis means its columns. Without collision there is no body, and the points that hold the
 * cloth stay where they are. */
static void set_method(const wang_options *o, scene *s, method m, int level) {
    toile_solver_def *solver = &s->world.solver;
    *solver = toile_default_world_def().solver;
    solver->kind = methods[m].refines ? TOILE_SOLVER_REFINE : TOILE_SOLVER_MASS_SPRING;
    solver->self_collision = false;
    s->world.collision = methods[m].refines ? TOILE_COLLISION_AUTO : TOILE_COLLISION_CCD;
    s->world.device = methods[m].refines ? o->device : "cpu";
    s->world.threads = o->threads;
    s->cloths[0].def.spacing = (float)(CLOAK / (size_of(level) - 1));
    s->body_count = m == NO_COLLISION ? 0 : 1;
    for (int i = 0; i < s->cloths[0].pin_count; i++) {
        s->cloths[0].pins[i].body = m == NO_COLLISION ? -1 : 0;
    }
    if (!methods[m].refines) {
        return;
    }
    solver->refine.levels = level;
    if (o->quick) {
        solver->refine.resolution = QUICK_RESOLUTION;
    }
    if (m == UNCORRECTED) {
        solver->refine.layers = 0;
    } else if (m != THREE_VIEWS) {
        solver->refine.directions = 0;
        solver->refine.correction = TOILE_CORRECTION_IMAGE;
        solver->refine.rule = TOILE_INSIDE_PARITY;
        solver->refine.layers = m == NO_PEELING ? 1 : solver->refine.layers;
    }
}

static toile_result measure(const toile_world *world, cell *c) {
    toile_metrics now;
    toile_result result =
        toile_world_measure_cloths(world, TOILE_MEASURE_PENETRATION, &now, NULL, 0);
    if (result == TOILE_OK) {
        const toile_penetration *p = &now.penetration;
        c->inside = p->count > c->inside ? p->count : c->inside;
        c->depth = p->max_depth_m > c->depth ? p->max_depth_m : c->depth;
        c->crossings = p->crossings > c->crossings ? p->crossings : c->crossings;
    }
    return result;
}

/* Steps until all frames are done, or until it is clear that they would take too long. */
static toile_result step_through(const wang_options *o, const scene *s, toile_world *world,
                                 const scene_ids *ids, double *ms, cell *c) {
    size_t done = 0;
    c->there = c->whole = true;
    for (int frame = 1; frame <= o->frames && c->whole; frame++) {
        toile_result result = scene_step(s, world, ids);
        if (result == TOILE_OK) {
            result = measure(world, c);
        }
        if (result != TOILE_OK) {
            return result;
        }
        if (frame > 1) {
            ms[done++] = toile_world_get_profile(world).step_ms;
        }
        c->whole = frame != TRIAL_FRAMES || rank_mean(ms, done) * o->frames <= 1e3 * o->budget;
    }
    rank_sort(ms, done);
    c->ms = rank_get(ms, done, 0.5);
    return TOILE_OK;
}

static toile_result run_cell(const wang_options *o, scene *s, method m, int level, cell *c) {
    toile_world *world;
    scene_ids ids;
    set_method(o, s, m, level);
    toile_result result = scene_build(s, NULL, NULL, &world, &ids);
    if (result != TOILE_OK) {
        return result;
    }
    double *ms = memory_alloc((size_t)o->frames, sizeof *ms, "times");
    result = ms ? step_through(o, s, world, &ids, ms, c) : TOILE_ERROR_MEMORY;
    free(ms);
    scene_ids_free(&ids);
    toile_world_destroy(world);
    return result;
}

static void write_row(FILE *f, const wang_options *o, int motion, method m, int level,
                      const cell *c) {
    fprintf(f, "\"%s\",\"%s\",%s,%s,\"%s\",%d,%d,%d", results_machine(),
            device_description(methods[m].refines ? o->device : "cpu"), toile_version(),
            motions[motion].name, methods[m].name, size_of(level), o->threads, o->frames);
    fprintf(f, ",%.4f,%.2f,\"%s\",%d,%llu,%.6f,%llu\n", c->ms, 1e3 / c->ms,
            motions[motion].thesis[level][m], c->whole, (unsigned long long)c->inside, c->depth,
            (unsigned long long)c->crossings);
}

static void print_heads(const char *title) {
    printf("%s\n%11s", title, "size");
    for (int m = 0; m < METHODS; m++) {
        printf(" %15s", methods[m].head);
    }
    putchar('\n');
}

/* "85 (30)": ours and the thesis'. */
static void print_speeds(int motion, int level, const cell cells[METHODS]) {
    printf("%4d x %4d", size_of(level), size_of(level));
    for (int m = 0; m < METHODS; m++) {
        const char *thesis = motions[motion].thesis[level][m];
        char ours[16] = "-", both[48];
        if (cells[m].there) {
            snprintf(ours, sizeof ours, cells[m].ms < 100.0 ? "%.0f" : "%.1f", 1e3 / cells[m].ms);
        }
        snprintf(both, sizeof both, *thesis ? "%s (%s)" : "%s", ours, thesis);
        printf(" %15s", both);
    }
    putchar('\n');
    fflush(stdout);
}

/* "31, 12.0": points, and the deepest in millimetres. */
static void print_inside(int level, const cell cells[METHODS]) {
    printf("%4d x %4d", size_of(level), size_of(level));
    for (int m = 0; m < METHODS; m++) {
        char text[48] = "-";
        if (cells[m].whole && m != NO_COLLISION) {
            snprintf(text, sizeof text, "%llu, %.1f", (unsigned long long)cells[m].inside,
                     1e3 * cells[m].depth);
        }
        printf(" %15s", text);
    }
    putchar('\n');
}

/* A method that was too slow for a size is not tried on larger ones; the 5 x 5 cloak itself is not
 * refined. */
static bool is_left_out(const cell cells[][METHODS], int m, int level) {
    if (level == 0) {
        return methods[m].refines;
    }
    const cell *smaller = &cells[level - 1][m];
    return smaller->there ? !smaller->whole : level > 1 || !methods[m].refines;
}

static toile_result run_level(const wang_options *o, scene *s, int motion, int level,
                              cell cells[][METHODS], FILE *csv) {
    for (int m = 0; m < METHODS; m++) {
        cell *c = &cells[level][m];
        if (is_left_out((const cell(*)[METHODS])cells, m, level)) {
            continue;
        }
        toile_result result = run_cell(o, s, (method)m, level, c);
        if (result != TOILE_OK) {
            return result;
        }
        write_row(csv, o, motion, (method)m, level, c);
    }
    print_speeds(motion, level, cells[level]);
    return TOILE_OK;
}

static toile_result run_motion(const wang_options *o, int motion, FILE *csv) {
    cell cells[SIZES][METHODS] = {0};
    char title[128];
    scene *s;
    toile_result result = load_scene(motions[motion].name, &s);
    if (result != TOILE_OK) {
        return result;
    }
    snprintf(title, sizeof title, "%s: %s, frames per second, in brackets the thesis'",
             motions[motion].table, motions[motion].name);
    print_heads(title);
    for (int level = 0; level <= o->levels && result == TOILE_OK; level++) {
        result = run_level(o, s, motion, level, cells, csv);
    }
    s->body_count = 1; /* which runs without collision leave out: it is to be freed */
    scene_free(s);
    if (result != TOILE_OK) {
        return result;
    }
    print_heads("most points inside the body in a frame, and the deepest of all frames in mm");
    for (int level = 0; level <= o->levels; level++) {
        print_inside(level, cells[level]);
    }
    return TOILE_OK;
}

static toile_result run_motions(const wang_options *o, FILE *csv) {
    fputs("machine,device,version,motion,method,size,threads,frames,ms_median,frames_per_second,"
          "thesis,complete,inside,depth_m,crossings\n",
          csv);
    printf("%s; %s; cloak of %.2f m on the mannequin, %d frames; threads: %d\n", results_machine(),
           device_description(o->device), CLOAK, o->frames, o->threads);
    toile_result result = TOILE_OK;
    for (int i = 0; i < MOTIONS && result == TOILE_OK; i++) {
        result = run_motion(o, i, csv);
    }
    return result;
}

int bench_wang(int argc, char *argv[]) {
    wang_options o = {.folder = RESULTS_FOLDER, .frames = 30, .threads = 2, .budget = 10};
    const option_spec specs[] = {
        {.name = "device", .text = &o.device},
        {.name = "out", .text = &o.folder},
        {.name = "frames", .number = &o.frames, .low = 2, .high = 100000},
        {.name = "threads", .number = &o.threads, .low = 0, .high = 1024},
        {.name = "budget", .number = &o.budget, .low = 1, .high = 100000},
        {.name = "quick", .flag = &o.quick},
        {0},
    };
    if (options_parse(argc, argv, specs, NULL, NULL) != TOILE_OK) {
        return command_end(TOILE_ERROR_INVALID);
    }
    o.levels = o.quick ? 1 : MOST_LEVELS;
    o.frames = o.quick ? 3 : o.frames;
    toile_result result = device_choose(o.device, &o.device);
    if (result == TOILE_OK && !device_is_cpu(o.device) && strcmp(o.device, "gl") != 0) {
        result = error_set(TOILE_ERROR_INVALID,
                           "bench wang: --device: expected cpu or gl, which refine cloth, found "
                           "'%s'",
                           o.device);
    }
    results_file kept;
    char ending[64];
    if (result == TOILE_OK) {
        snprintf(ending, sizeof ending, "%s.csv", device_file_ending(o.device).text);
        result = results_open(&kept, o.folder, "wang", ending);
    }
    if (result != TOILE_OK) {
        return command_end(result);
    }
    result = run_motions(&o, kept.csv);
    if (result != TOILE_OK) {
        results_discard(&kept);
        return command_end(result);
    }
    return command_end(results_commit(&kept));
}
