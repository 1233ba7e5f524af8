#include "app/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/interrupt.h"
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
    recording *recording;
    char *checkpoint;                   /* where it goes */
    uint32_t first;                     /* frame it began with */
    double *step_ms;                    /* of each frame since */
    double stage_ms[TOILE_STAGE_COUNT]; /* sum */
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
        fprintf(stderr, "toile: %s: %s\n", warning ? "warning" : "note", message);
    }
}

static void print_note(const simulation *s, const char *what, const char *why) {
    if (!s->def->quiet) {
        fprintf(stderr, "toile: note: %s: %s\n", what, why);
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
                         .first = s->first};
    return recording_open(&def, &s->recording);
}

static toile_result begin(simulation *s) {
    toile_result result = scene_build(s->scene, print_log, s, &s->world, &s->ids);
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
    if (result == TOILE_OK && s->def->checkpoint) {
        result = path_probe(s->def->checkpoint);
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
                  .time_step = (double)s->scene->time_step,
                  .timed = true,
                  .has_strain = s->scene->cloth_count > 0,
                  .has_penetration = s->scene->cloth_count > 0 && s->scene->body_count > 0,
                  .state_hash = toile_world_hash(s->world)};
    for (int c = 0; c < s->scene->cloth_count; c++) {
        toile_cloth_info info = toile_cloth_get_info(s->world, s->ids.cloths[c]);
        r->particles += info.texels;
        report_allow(r, &info);
    }
    report_times(s, r);
    if (s->scene->cloth_count > 0) {
        toile_result result =
            toile_world_measure(s->world, (toile_cloth_id){0}, &s->end->report.metrics);
        if (result != TOILE_OK) {
            return result;
        }
    }
    report_judge(r);
    if (failure && r->reason_count < REPORT_REASONS) {
        r->good = false;
        strncpy(r->reasons[r->reason_count++], failure, sizeof r->reasons[0] - 1);
    }
    return TOILE_OK;
}

static toile_result write_report(const simulation *s) {
    char *path;
    toile_result result = path_format(&path, "%s/report.json", s->def->folder);
    if (result == TOILE_OK) {
        result = report_write(&s->end->report, path);
        free(path);
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
            result = finished == TOILE_OK ? error_set(result, "%s", failure) : finished;
        }
    }
    recording_abandon(sim.recording);
    toile_world_destroy(sim.world);
    scene_ids_free(&sim.ids);
    free(sim.step_ms);
    free(sim.checkpoint);
    return result;
}
