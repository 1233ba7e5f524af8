#include "app/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/command.h"
#include "app/folder.h"
#include "app/interrupt.h"
#include "app/judge.h"
#include "app/meshes.h"
#include "app/motion.h"
#include "app/path.h"
#include "app/progress.h"
#include "app/rank.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/checkpoint.h"

typedef struct simulation {
    const scene *scene;
    const simulation_def *def;
    simulation_end *end;
    toile_world *world;
    scene_ids ids;
    course *courses;
    run_folder *folder;
    recording *recording;
    char *checkpoint;                   /* where it goes */
    uint32_t first;                     /* frame it began with */
    double *step_ms;                    /* of each frame since */
    double stage_ms[TOILE_STAGE_COUNT]; /* sum */
    uint64_t ambiguous_texels;          /* the most of a frame */
    progress progress;
} simulation;

static uint32_t frame_count(const simulation *s) {
    return (uint32_t)s->scene->frames;
}

/* ---- messages -----------------------------------------------------------------------------------
 */

static void print_log(toile_log_item item, const char *message, void *user) {
    const simulation *s = user;
    bool warning = item == TOILE_LOG_SUBSTEPS_UNSTABLE;
    if (warning || !s->def->quiet) {
        progress_clear(&s->progress);
        command_say(warning ? "warning: " : "note: ", message);
    }
}

static void print_note(const simulation *s, const char *what, const char *why) {
    if (!s->def->quiet) {
        char text[1280];
        snprintf(text, sizeof text, "%s: %s", what, why);
        command_say("note: ", text);
    }
}

/* ---- beginning ----------------------------------------------------------------------------------
 */

/* A world does not know the length of its frames, but the time of the state tells. */
static toile_result check_time(const simulation *s) {
    double time = toile_world_time(s->world);
    double expected = (double)s->first * (double)s->scene->time_step;
    if (fabs(time - expected) > 1e-6 * expected) {
        return error_set(TOILE_ERROR_FORMAT,
                         "checkpoint '%s' is at %.6g s after %u frames: expected %.6g s, as its "
                         "scene had another time_step",
                         s->def->resume, time, (unsigned)s->first, expected);
    }
    if (s->first >= frame_count(s)) {
        return error_set(TOILE_ERROR_INVALID,
                         "checkpoint '%s' already has %u of %u frames: expected more with --frames",
                         s->def->resume, (unsigned)s->first, (unsigned)frame_count(s));
    }
    return TOILE_OK;
}

static toile_result load_checkpoint(simulation *s) {
    toile_result result = checkpoint_read(s->def->resume, s->world, &s->first);
    return result == TOILE_OK ? check_time(s) : result;
}

/* A .glb that would be too large is known before anything is simulated. */
static toile_result choose_formats(simulation *s) {
    s->end->formats = s->def->formats;
    if (!(s->def->formats & FORMAT_GLB)) {
        return TOILE_OK;
    }
    meshes m;
    toile_result result = meshes_create(&m, s->scene, s->world, &s->ids);
    if (result == TOILE_OK) {
        result = motion_check_size(s->scene, &m, frame_count(s) + 1);
        meshes_free(&m);
    }
    if (result == TOILE_ERROR_INVALID && s->def->glb_may_miss) {
        print_note(s, "motion.glb is left out", toile_error_message());
        s->end->formats &= ~(unsigned)FORMAT_GLB;
        return TOILE_OK;
    }
    return result;
}

static toile_result open_recording(simulation *s) {
    recording_def def = {.folder = s->def->folder,
                         .formats = s->end->formats,
                         .scene = s->scene,
                         .world = s->world,
                         .ids = &s->ids,
                         .first = s->first,
                         .resume = s->def->resume};
    return recording_open(&def, &s->recording);
}

static toile_result refuse_same(const char *option, const char *path, const char *folder,
                                const char *name, const char *ending) {
    char *other;
    toile_result result = path_format(&other, "%s/%s%s", folder, name, ending);
    if (result == TOILE_OK && path_same(path, other)) {
        result = error_set(TOILE_ERROR_INVALID,
                           "%s: '%s' is a result of the run: expected another file", option, path);
    }
    free(other);
    return result;
}

/* A file beside those of the folder must be none of them, and none that is read. */
static toile_result check_output(const simulation *s, const char *option, const char *path) {
    if (path_same(path, s->scene->path)) {
        return error_set(TOILE_ERROR_INVALID, "%s: '%s' is the scene: expected another file",
                         option, path);
    }
    const char *folder = s->def->folder;
    toile_result result = refuse_same(option, path, folder, "scene", ".json");
    if (result == TOILE_OK) {
        result = refuse_same(option, path, folder, "motion", ".glb");
    }
    for (int c = 0; c < s->scene->cloth_count && result == TOILE_OK; c++) {
        const char *name = s->scene->cloths[c].def.name;
        result = refuse_same(option, path, folder, name, ".pc2");
        if (result == TOILE_OK) {
            result = refuse_same(option, path, folder, name, ".obj");
        }
    }
    return result == TOILE_OK ? path_probe(path) : result;
}

static toile_result check_outputs(const simulation *s) {
    const simulation_def *def = s->def;
    toile_result result = TOILE_OK;
    if (def->report && (path_same(def->report, s->checkpoint) ||
                        (def->resume && path_same(def->report, def->resume)))) {
        result = error_set(TOILE_ERROR_INVALID,
                           "--report: '%s' is a checkpoint: expected another file", def->report);
    }
    if (result == TOILE_OK && def->report) {
        result = check_output(s, "--report", def->report);
    }
    if (result == TOILE_OK && def->checkpoint) {
        result = refuse_same("--checkpoint", def->checkpoint, def->folder, "report", ".json");
    }
    if (result == TOILE_OK && def->checkpoint) {
        result = check_output(s, "--checkpoint", def->checkpoint);
    }
    return result;
}

static toile_result begin(simulation *s) {
    toile_result result = scene_build(s->scene, print_log, s, &s->world, &s->ids);
    if (result == TOILE_OK) {
        result = courses_note(s->scene, s->world, &s->ids, &s->courses);
    }
    if (result == TOILE_OK && s->def->resume) {
        result = load_checkpoint(s);
    }
    s->end->frame = s->first;
    if (result == TOILE_OK) {
        s->step_ms = memory_alloc(frame_count(s) - s->first, sizeof *s->step_ms, "frame times");
        result = s->step_ms ? TOILE_OK : TOILE_ERROR_MEMORY;
    }
    if (result == TOILE_OK) {
        result = s->def->checkpoint ? path_format(&s->checkpoint, "%s", s->def->checkpoint)
                                    : path_format(&s->checkpoint, "%s/checkpoint", s->def->folder);
    }
    if (result == TOILE_OK) {
        result = choose_formats(s);
    }
    if (result == TOILE_OK) {
        result = folder_open(s->def->folder, &s->folder);
    }
    if (result == TOILE_OK) {
        result = check_outputs(s);
    }
    return result == TOILE_OK ? open_recording(s) : result;
}

/* ---- running ------------------------------------------------------------------------------------
 */

static toile_result step(simulation *s) {
    double start = clock_ms();
    toile_result result = toile_world_step(s->world, s->scene->time_step);
    if (result == TOILE_ERROR_INVALID) { /* found out only now: such as too many substeps */
        error_prefix("%s: ", s->scene->path);
    }
    if (result == TOILE_OK) {
        s->step_ms[s->end->frame - s->first] = clock_ms() - start;
        toile_profile profile = toile_world_get_profile(s->world);
        for (int i = 0; i < TOILE_STAGE_COUNT; i++) {
            s->stage_ms[i] += profile.stage_ms[i];
        }
        uint64_t ambiguous = toile_world_get_solver_info(s->world).ambiguous_texels;
        s->ambiguous_texels = ambiguous > s->ambiguous_texels ? ambiguous : s->ambiguous_texels;
        s->end->frame++;
    }
    return result;
}

static toile_result run(simulation *s) {
    toile_result result = TOILE_OK;
    progress_start(&s->progress, "frame", s->first, frame_count(s), s->def->quiet);
    while (result == TOILE_OK && s->end->frame < frame_count(s) && !interrupt_asked()) {
        result = step(s);
        if (result == TOILE_OK) {
            result = recording_append(s->recording);
        }
        if (result == TOILE_OK && s->def->every > 0 &&
            s->end->frame % (uint32_t)s->def->every == 0) {
            result = checkpoint_write(s->checkpoint, s->world, s->end->frame);
        }
        if (result == TOILE_OK) {
            progress_update(&s->progress, s->end->frame);
        }
    }
    progress_clear(&s->progress);
    s->end->interrupted = result == TOILE_OK && s->end->frame < frame_count(s);
    return result;
}

/* ---- ending -------------------------------------------------------------------------------------
 */

static void report_times(simulation *s, report *r) {
    size_t count = s->end->frame - s->first;
    r->ms_mean = rank_mean(s->step_ms, count);
    if (count > 0) {
        rank_sort(s->step_ms, count);
        r->ms_p50 = rank_get(s->step_ms, count, 0.5);
        r->ms_p99 = rank_get(s->step_ms, count, 0.99);
    }
    for (int i = 0; i < TOILE_STAGE_COUNT && count > 0; i++) {
        r->stage_ms[i] = s->stage_ms[i] / (double)count;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    r->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
}

/* failure: why the simulation stopped, or NULL. */
static toile_result make_report(simulation *s, const char *failure) {
    report *r = &s->end->report;
    *r = (report){.solver = toile_world_get_solver_info(s->world),
                  .frames = s->end->frame,
                  .complete = s->end->frame == frame_count(s),
                  .time_step = (double)s->scene->time_step,
                  .timed = true,
                  .state_hash = toile_world_hash(s->world)};
    r->solver.ambiguous_texels = s->ambiguous_texels;
    for (int c = 0; c < s->scene->cloth_count; c++) {
        r->particles += toile_cloth_get_info(s->world, s->ids.cloths[c]).texels_present;
    }
    report_times(s, r);
    const judged whole = {s->scene, s->world, &s->ids, s->courses};
    return judge_world(r, &whole, true, failure);
}

static toile_result write_report(const simulation *s) {
    char *path;
    toile_result result = path_format(&path, "%s/report.json", s->def->folder);
    if (result == TOILE_OK) {
        result = report_write(&s->end->report, path);
        free(path);
    }
    if (result == TOILE_OK && s->def->report) {
        result = report_write(&s->end->report, s->def->report);
    }
    return result;
}

/* The state goes to where it was asked for, and on an interrupt in any case. In a folder whose run
 * is complete, the checkpoint of an interrupt has served. */
static toile_result keep_state(const simulation *s) {
    if (s->def->checkpoint || s->def->every > 0 || s->end->interrupted) {
        return checkpoint_write(s->checkpoint, s->world, s->end->frame);
    }
    unlink(s->checkpoint);
    return TOILE_OK;
}

static toile_result finish(simulation *s, const char *failure) {
    /* A state that is about to burst is no use: the last checkpoint before it stays. */
    toile_result result = failure ? TOILE_OK : keep_state(s);
    if (result == TOILE_OK) {
        result = recording_finish(s->recording);
        s->recording = NULL;
    }
    if (result == TOILE_OK) {
        result = make_report(s, failure);
    }
    return result == TOILE_OK ? write_report(s) : result;
}

toile_result simulate(const scene *s, const simulation_def *def, simulation_end *end) {
    *end = (simulation_end){0};
    simulation sim = {.scene = s, .def = def, .end = end};
    toile_result result = begin(&sim);
    if (result == TOILE_OK) {
        result = run(&sim);
        if (result == TOILE_OK) {
            result = finish(&sim, NULL);
        } else if (result == TOILE_ERROR_NUMERICAL) {
            char failure[512];
            snprintf(failure, sizeof failure, "%s", toile_error_message());
            toile_result finished = finish(&sim, failure);
            result =
                finished == TOILE_OK ? error_set(result, "%s: %s", s->path, failure) : finished;
        }
    }
    recording_abandon(sim.recording);
    folder_close(sim.folder);
    toile_world_destroy(sim.world);
    scene_ids_free(&sim.ids);
    free(sim.courses);
    free(sim.step_ms);
    free(sim.checkpoint);
    return result;
}
