#include "app/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/command.h"
#include "app/earlier.h"
#include "app/failures.h"
#include "app/folder.h"
#include "app/interrupt.h"
#include "app/judge.h"
#include "app/meshes.h"
#include "app/motion.h"
#include "app/outputs.h"
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
    bool own_checkpoint;                /* it is one of the folder */
    bool kept;                          /* the state of the last of all frames is there */
    uint32_t first;                     /* frame it began with */
    double *step_ms;                    /* of each frame since */
    double stage_ms[TOILE_STAGE_COUNT]; /* sum */
    double measure_ms;                  /* sum */
    history history;
    progress progress;
    char trapped[512]; /* what was said of the first pin in a body that does not carry it, */
    int trapped_count; /* and of how many */
} simulation;

static uint32_t frame_count(const simulation *s) {
    return (uint32_t)s->scene->frames;
}

/* ---- messages -----------------------------------------------------------------------------------
 */

static void print_log(toile_log_item item, const char *message, void *user) {
    simulation *s = user;
    if (item == TOILE_LOG_PIN_TRAPPED && s->trapped_count++ == 0) {
        snprintf(s->trapped, sizeof s->trapped, "%s", message);
    }
    bool warning = item == TOILE_LOG_SUBSTEPS_UNSTABLE || item == TOILE_LOG_PIN_TRAPPED;
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
    if (s->first > frame_count(s)) {
        return error_set(TOILE_ERROR_INVALID,
                         "checkpoint '%s' already has %u frames: expected at least as many with "
                         "--frames, found %u",
                         s->def->resume, (unsigned)s->first, (unsigned)frame_count(s));
    }
    return TOILE_OK;
}

static toile_result load_checkpoint(simulation *s) {
    toile_result result = checkpoint_read(s->def->resume, s->world, &s->first, &s->history);
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
                         .place = s->folder,
                         .formats = s->end->formats,
                         .scene = s->scene,
                         .world = s->world,
                         .ids = &s->ids,
                         .first = s->first,
                         .resume = s->def->resume};
    return recording_open(&def, &s->recording);
}

static toile_result choose_checkpoint(simulation *s) {
    char *own;
    toile_result result = path_format(&own, "%s/checkpoint", s->def->folder);
    if (result == TOILE_OK) {
        const char *path = s->def->checkpoint ? s->def->checkpoint : own;
        s->own_checkpoint = path_same(path, own);
        result = path_format(&s->checkpoint, "%s", path);
        free(own);
    }
    return result;
}

static toile_result check_outputs(const simulation *s) {
    const outputs o = {.scene = s->scene,
                       .folder = s->def->folder,
                       .open = s->folder,
                       .report = s->def->report,
                       .checkpoint = s->def->checkpoint,
                       .resume = s->def->resume};
    return outputs_check(&o);
}

static toile_result begin(simulation *s) {
    toile_result result = scene_build(s->scene, print_log, s, &s->world, &s->ids);
    if (result == TOILE_OK) {
        result = courses_note(s->scene, s->world, &s->ids, &s->courses);
    }
    if (result == TOILE_OK) {
        result = history_create(&s->history, (size_t)s->scene->cloth_count);
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
        result = choose_checkpoint(s);
    }
    if (result == TOILE_OK) {
        result = choose_formats(s);
    }
    if (result == TOILE_OK) {
        result = folder_open(s->def->folder, s->scene, &s->folder);
    }
    if (result == TOILE_OK) {
        result = check_outputs(s);
    }
    return result == TOILE_OK ? open_recording(s) : result;
}

/* The folder knows of a checkpoint of its own. */
static toile_result write_state(simulation *s) {
    static const char name[] = "checkpoint";
    toile_result result =
        s->own_checkpoint ? written_begin(folder_files(s->folder), name) : TOILE_OK;
    if (result == TOILE_OK) { /* which a world that has not stepped since does not know */
        result = history_measure_energy(&s->history, s->world, s->end->frame);
    }
    return result == TOILE_OK
               ? checkpoint_write(s->checkpoint, s->world, s->end->frame, &s->history)
               : result;
}

/* ---- running ------------------------------------------------------------------------------------
 */

static toile_result step(simulation *s) {
    double start = clock_ms();
    toile_result result = scene_step(s->scene, s->world, &s->ids);
    if (result == TOILE_ERROR_INVALID) { /* found out only now: such as too many substeps */
        error_prefix("%s: ", s->scene->path);
    }
    if (result == TOILE_OK) {
        s->step_ms[s->end->frame - s->first] = clock_ms() - start;
        toile_profile profile = toile_world_get_profile(s->world);
        for (int i = 0; i < TOILE_STAGE_COUNT; i++) {
            s->stage_ms[i] += profile.stage_ms[i];
        }
        toile_solver_info info = toile_world_get_solver_info(s->world);
        s->end->frame++;
        history_note_solver(&s->history, &info, s->end->frame);
    }
    return result;
}

/* The share of self-collision in the steps so far. */
static void tell_cost(simulation *s) {
    double sum = 0.0, self = s->stage_ms[TOILE_STAGE_SELF];
    for (int i = 0; i < TOILE_STAGE_COUNT; i++) {
        sum += s->stage_ms[i];
    }
    if (self > 0.0) {
        snprintf(s->progress.cost, sizeof s->progress.cost, "  %.0f %% in self-collision",
                 100.0 * self / sum);
    }
}

static bool is_measured(const simulation *s) {
    return s->history.total.frames > 0 && s->history.total.last_frame == s->end->frame;
}

/* Every interval, and the last frame. A run that goes on finds its first one measured, unless it
 * was stopped just then. */
static toile_result measure_frame(simulation *s) {
    bool due =
        s->end->frame % (uint32_t)s->scene->report.interval == 0 || s->end->frame == frame_count(s);
    if (!due || is_measured(s)) {
        return TOILE_OK;
    }
    double start = clock_ms();
    toile_result result = history_measure(&s->history, s->world, s->end->frame);
    s->measure_ms += clock_ms() - start;
    return result;
}

static toile_result make_frame(simulation *s) {
    toile_result result = step(s);
    if (result == TOILE_OK) {
        result = recording_append(s->recording);
    }
    if (result == TOILE_OK) {
        result = measure_frame(s);
    }
    if (result == TOILE_OK && s->def->every > 0 && s->end->frame % (uint32_t)s->def->every == 0) {
        result = write_state(s);
    }
    if (result == TOILE_OK) {
        tell_cost(s);
        progress_update(&s->progress, s->end->frame);
    }
    return result;
}

static toile_result run(simulation *s) {
    progress_start(&s->progress, "frame", s->first, frame_count(s), s->def->quiet);
    toile_result result = measure_frame(s);
    while (result == TOILE_OK && s->end->frame < frame_count(s) && !interrupt_asked()) {
        result = make_frame(s);
    }
    progress_clear(&s->progress);
    /* Stopped within a frame, which is not there then, or while measuring one, which is. */
    bool stopped = result == TOILE_ERROR_STOPPED;
    result = stopped ? TOILE_OK : result;
    s->end->interrupted = stopped || (result == TOILE_OK && s->end->frame < frame_count(s));
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
    r->measure_ms = count > 0 ? s->measure_ms / (double)count : 0.0;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    r->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
}

/* failure: why the simulation stopped, or NULL. */
static toile_result make_report(simulation *s, const char *failure) {
    report *r = &s->end->report;
    *r = (report){.solver = history_get_solver(&s->history, s->world),
                  .frames = s->end->frame,
                  .complete = s->end->frame == frame_count(s) && !s->end->interrupted,
                  .interrupted = s->end->interrupted,
                  .time_step = (double)s->scene->time_step,
                  .timed = true,
                  .state_hash = toile_world_hash(s->world)};
    for (int c = 0; c < s->scene->cloth_count; c++) {
        r->particles += toile_cloth_get_info(s->world, s->ids.cloths[c]).texels_present;
    }
    report_times(s, r);
    const judged whole = {s->scene, s->world, &s->ids, s->courses, &s->history};
    toile_result result = judge_world(r, &whole, true, failure);
    if (result == TOILE_OK && s->trapped_count > 0) {
        report_add_reason(r, "%s", s->trapped);
    }
    if (result == TOILE_OK && s->trapped_count > 1) {
        report_add_reason(r, "%d more pins are inside bodies that do not carry them",
                          s->trapped_count - 1);
    }
    return result;
}

static toile_result write_own_report(const simulation *s) {
    static const char name[] = "report.json";
    char *path;
    toile_result result = written_begin(folder_files(s->folder), name);
    if (result == TOILE_OK) {
        result = path_format(&path, "%s/%s", s->def->folder, name);
    }
    if (result == TOILE_OK) {
        result = report_write(&s->end->report, path);
        free(path);
    }
    return result;
}

static void write_reports(simulation *s, const char *failure, failures *f) {
    toile_result result = make_report(s, failure);
    failures_add(f, result);
    if (result == TOILE_OK) {
        failures_add(f, write_own_report(s));
    }
    if (result == TOILE_OK && s->def->report) {
        failures_add(f, report_write(&s->end->report, s->def->report));
    }
}

/* A complete run whose state was not asked for needs none any more. */
static void remove_state(const simulation *s) {
    if (!s->def->checkpoint && s->def->every == 0) {
        unlink(s->checkpoint);
    }
}

/* The state first: with it, whatever fails or is killed from here on can be made again by resuming.
 * One that is about to burst is no use: the last checkpoint before it stays. */
static toile_result finish(simulation *s, const char *failure) {
    failures f = {0};
    if (!failure) {
        toile_result kept = write_state(s);
        failures_add(&f, kept);
        s->kept = kept == TOILE_OK && !s->end->interrupted;
    }
    write_reports(s, failure, &f);
    recording_finish(s->recording, &f);
    s->recording = NULL;
    bool whole = f.first == TOILE_OK && !failure && !s->end->interrupted;
    if (whole) {
        remove_state(s);
    }
    failures_add(&f, folder_end(s->folder, whole));
    return failures_end(&f);
}

/* What a run that failed has left. */
static void add_advice(const simulation *s, toile_result result) {
    if (s->kept) {
        error_set(result, "%s; all frames are there: finish with --resume '%s'",
                  toile_error_message(), s->checkpoint);
    }
    if (s->end->keeps_earlier) {
        error_set(result, "%s; earlier results are kept in '%s/" EARLIER "'", toile_error_message(),
                  s->def->folder);
    }
}

static toile_result run_and_finish(simulation *s) {
    toile_result result = run(s);
    if (result == TOILE_OK) {
        result = finish(s, NULL);
    } else if (result == TOILE_ERROR_NUMERICAL) {
        char failure[512];
        snprintf(failure, sizeof failure, "%s", toile_error_message());
        toile_result finished = finish(s, failure);
        result =
            finished == TOILE_OK ? error_set(result, "%s: %s", s->scene->path, failure) : finished;
    }
    return result;
}

toile_result simulate(const scene *s, const simulation_def *def, simulation_end *end) {
    *end = (simulation_end){0};
    simulation sim = {.scene = s, .def = def, .end = end};
    toile_result result = begin(&sim);
    if (result == TOILE_OK) {
        result = run_and_finish(&sim);
    }
    end->keeps_earlier = sim.folder && folder_keeps_earlier(sim.folder);
    if (result != TOILE_OK) {
        add_advice(&sim, result);
    }
    recording_abandon(sim.recording);
    folder_close(sim.folder);
    toile_world_destroy(sim.world);
    scene_ids_free(&sim.ids);
    end->report.scene = NULL;
    end->report.history = NULL;
    history_free(&sim.history);
    free(sim.courses);
    free(sim.step_ms);
    free(sim.checkpoint);
    return result;
}
