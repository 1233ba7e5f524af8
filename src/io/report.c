#include "io/report.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>

#include "base/error.h"
#include "io/file.h"
#include "io/islands.h"

/* ---- the verdict --------------------------------------------------------------------------------
 */

void report_add_reason(report *r, const char *format, ...) {
    r->good = false;
    if (r->reason_count == REPORT_REASONS) {
        r->reasons_left_out += r->reasons_left_out == 0 ? 2 : 1; /* the one that makes room, too */
        snprintf(r->reasons[REPORT_REASONS - 1], sizeof r->reasons[0], "and %d more",
                 r->reasons_left_out);
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(r->reasons[r->reason_count++], sizeof r->reasons[0], format, args);
    va_end(args);
}

/* One reason for all that is not finite: where one number is lost, most are. */
static void judge_finite(report *r) {
    const toile_metrics *m = &r->metrics;
    const struct {
        const char *name;
        double value;
    } values[] = {
        {"strain.mean", r->has_strain ? m->strain.mean : 0.0},
        {"strain.p99", r->has_strain ? m->strain.p99 : 0.0},
        {"strain.p999", r->has_strain ? m->strain.p999 : 0.0},
        {"strain.max", r->has_strain ? m->strain.max : 0.0},
        {"strain.pinned", r->has_strain ? m->strain.pinned : 0.0},
        {"penetration.max_depth_m", r->has_penetration ? m->penetration.max_depth_m : 0.0},
        {"penetration.crossing_depth_m",
         r->has_penetration ? m->penetration.crossing_depth_m : 0.0},
        {"kinetic energy", m->kinetic_energy},
        {"elastic energy", m->elastic_energy},
        {"potential energy", m->potential_energy},
        {"momentum x", m->momentum[0]},
        {"momentum y", m->momentum[1]},
        {"momentum z", m->momentum[2]},
        {"lowest point", m->lowest},
        {"highest point", m->highest},
        {"area", m->area},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (!isfinite(values[i].value)) {
            report_add_reason(r, "%s is not a finite number", values[i].name);
            return;
        }
    }
}

static double strain_bound(measure_kind kind, double limit) {
    return kind == MEASURE_STRAIN_P999 ? 2.0 * limit + 0.01 : 4.0 * limit + 0.05;
}

static const char *const measure_names[MEASURE_COUNT] = {
    [MEASURE_STRAIN_P999] = "strain.p999",
    [MEASURE_STRAIN_MAX] = "strain.max",
    [MEASURE_DEPTH] = "penetration.max_depth_m",
    [MEASURE_CROSSING_DEPTH] = "penetration.crossing_depth_m",
    [MEASURE_SELF] = "self_intersections",
    [MEASURE_OTHERS] = "cloth_intersections",
};

/* whose: what the reasons begin with. */
static void judge_strain(report *r, const char *whose, measure_kind kind, double value,
                         double limit) {
    double bound = strain_bound(kind, limit);
    if (r->has_strain && value > bound) {
        report_add_reason(r, "%s%s is %.4g, above %.4g, which the fabric's limit of %.4g allows",
                          whose, measure_names[kind], value, bound, limit);
    }
}

const char *report_body_name(const report *r, const toile_place *place) {
    for (int b = 0; r->scene && r->bodies && b < r->scene->body_count; b++) {
        if (place->body.slot != 0 && r->bodies[b].slot == place->body.slot) {
            return r->scene->bodies[b].def.name;
        }
    }
    return NULL;
}

/* at: NULL where it is not known. */
static void judge_depth(report *r, const char *whose, measure_kind kind, double depth, double limit,
                        const toile_place *at) {
    if (!r->has_penetration || !(depth > limit)) {
        return;
    }
    const char *body = at ? report_body_name(r, at) : NULL;
    if (body) {
        report_add_reason(r, "%s%s is %.4g, above %.4g, at body '%s' in (%.4g, %.4g, %.4g)", whose,
                          measure_names[kind], depth, limit, body, at->position[0], at->position[1],
                          at->position[2]);
    } else {
        report_add_reason(r, "%s%s is %.4g, above %.4g", whose, measure_names[kind], depth, limit);
    }
}

/* A cloth that dips a millimetre into a large face has a crossing of four (toile_penetration). */
static double crossing_limit(double depth_limit) {
    return fmax(4e-3, depth_limit);
}

static void judge_crossings(report *r, const char *whose, measure_kind kind, double pairs) {
    if (r->self_collision && pairs > 0.0) {
        report_add_reason(r, "%s%s is %.0f, expected 0 with self-collision on", whose,
                          measure_names[kind], pairs);
    }
}

/* The motion of pins is the user's: it is named, and held against nobody. */
static void note_pinned(report *r, const worst_frame *w, double limit) {
    if (w->value > strain_bound(MEASURE_STRAIN_MAX, limit) && w->value > r->pinned.value) {
        r->pinned = *w;
    }
}

void report_judge(report *r) {
    r->good = true;
    r->reason_count = 0;
    r->reasons_left_out = 0;
    judge_finite(r);
    if (!r->history) { /* all there is */
        judge_strain(r, "", MEASURE_STRAIN_P999, r->metrics.strain.p999, r->strain_limit);
        judge_strain(r, "", MEASURE_STRAIN_MAX, r->metrics.strain.max, r->strain_limit);
        const toile_penetration *p = &r->metrics.penetration;
        judge_depth(r, "", MEASURE_DEPTH, p->max_depth_m, r->depth_limit, NULL);
        judge_depth(r, "", MEASURE_CROSSING_DEPTH, p->crossing_depth_m,
                    crossing_limit(r->depth_limit), NULL);
    }
    if (r->solver.untangling &&
        r->solver.pierced + r->metrics.self_intersections + r->metrics.cloth_intersections > 0) {
        report_add_reason(r, "cloth is not untangled at the end: %ju edges go through triangles",
                          (uintmax_t)r->solver.pierced);
    }
    if (r->solver.dropped_contacts > 0) {
        report_add_reason(r, "dropped_contacts is %ju, expected 0",
                          (uintmax_t)r->solver.dropped_contacts);
    }
}

void report_judge_cloth(report *r, const toile_cloth_info *cloth, const cloth_history *h) {
    double limit = (double)cloth->fabric.limit, depth = fmax(1e-3, 0.5 * (double)cloth->spacing);
    for (measure_kind k = 0; k < MEASURE_COUNT; k++) {
        const worst_frame *w = &h->worst[k];
        char whose[256];
        snprintf(whose, sizeof whose, "cloth '%s': frame %ju: ", cloth->name, (uintmax_t)w->frame);
        if (k == MEASURE_STRAIN_P999 || k == MEASURE_STRAIN_MAX) {
            judge_strain(r, whose, k, w->value, limit);
        } else if (k == MEASURE_STRAIN_PINNED) {
            note_pinned(r, w, limit);
        } else if (k == MEASURE_DEPTH || k == MEASURE_CROSSING_DEPTH) {
            bool deep = k == MEASURE_DEPTH;
            judge_depth(r, whose, k, w->value, deep ? depth : crossing_limit(depth),
                        deep ? &h->deepest : &h->farthest);
        } else if (k == MEASURE_SELF || k == MEASURE_OTHERS) {
            judge_crossings(r, whose, k, w->value);
        }
    }
}

const char *report_verdict(const report *r) {
    return r->interrupted ? "interrupted" : r->good ? "good" : "bad";
}

static bool has_unhindered(const report *r) {
    return r->unhindered && r->crossings.value > 0.0;
}

void report_print_verdict(const report *r, FILE *stream) {
    fputs(report_verdict(r), stream);
    if (r->interrupted) {
        fprintf(stream, " (%s so far)", r->good ? "good" : "bad");
    }
    if (has_unhindered(r)) {
        fprintf(stream, " (%.0f self-intersections in frame %ju, not prevented: %s)",
                r->crossings.value, (uintmax_t)r->crossings.frame, r->unhindered);
    }
    if (r->caught.value > 0.0) {
        fprintf(stream, " (%.0f vertices caught between parts of a body in frame %ju)",
                r->caught.value, (uintmax_t)r->caught.frame);
    }
    if (r->pinned.value > 0.0) {
        fprintf(stream, " (pins strain the cloth between them by %.3g %% in frame %ju)",
                100.0 * r->pinned.value, (uintmax_t)r->pinned.frame);
    }
    fputc('\n', stream);
}

/* ---- JSON ---------------------------------------------------------------------------------------
 */

static json_t *number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(uint64_t value) {
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *strain_json(const report *r) {
    const toile_strain *s = &r->metrics.strain;
    if (!r->timed && !r->has_strain) {
        return json_null();
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "mean", number(s->mean), "p99", number(s->p99),
                     "p999", number(s->p999), "max", number(s->max), "pinned", number(s->pinned));
}

static json_t *penetration_json(const report *r) {
    const toile_penetration *p = &r->metrics.penetration;
    if (!r->timed && !r->has_penetration) {
        return json_null();
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "count", count(p->count), "max_depth_m",
                     number(p->max_depth_m), "crossings", count(p->crossings), "crossing_depth_m",
                     number(p->crossing_depth_m), "caught", count(p->caught));
}

static json_t *pattern_json(const scene_cloth *c) {
    const isometry *i = &c->piece->isometry;
    return json_pack("{s:s, s:o, s:b, s:{s:o, s:o}, s:{s:o, s:o}}", "cloth", c->def.name, "scale",
                     number(c->pattern_scale), "mirrored", c->piece->mirrored, "stretch", "mean",
                     number(i->mean), "max", number(i->max), "shear_degrees", "mean",
                     number(i->shear_mean), "max", number(i->shear_max));
}

static json_t *patterns_json(const report *r) {
    json_t *patterns = json_array();
    for (int c = 0; r->scene && c < r->scene->cloth_count && patterns; c++) {
        const scene_cloth *cloth = &r->scene->cloths[c];
        if (cloth->piece && json_array_append_new(patterns, pattern_json(cloth)) != 0) {
            json_decref(patterns);
            return NULL;
        }
    }
    return patterns;
}

static json_t *worst_frame_json(const worst_frame *w) {
    return json_pack("{s:o, s:o}", "value", number(w->value), "frame", count(w->frame));
}

/* The worst frame of a measure; null for what could not be measured. */
static json_t *worst_json(const report *r, const cloth_history *h, measure_kind kind) {
    const worst_frame *w = &h->worst[kind];
    bool of_strain = kind <= MEASURE_STRAIN_PINNED;
    bool of_cloth = kind == MEASURE_SELF || kind == MEASURE_OTHERS;
    if (!r->timed && !of_cloth && !(of_strain ? r->has_strain : r->has_penetration)) {
        return json_null();
    }
    return kind >= MEASURE_SELF ? json_pack("{s:o, s:o}", "value", count((uint64_t)w->value),
                                            "frame", count(w->frame))
                                : worst_frame_json(w);
}

/* The same of a depth, with body and place; null where there is none. */
static json_t *worst_depth_json(const report *r, const cloth_history *h, measure_kind kind,
                                const toile_place *at) {
    json_t *worst = worst_json(r, h, kind);
    if (json_is_object(worst)) {
        const char *body = report_body_name(r, at);
        const double *p = at->position;
        json_t *where = body ? json_pack("{s:s, s:[o, o, o]}", "body", body, "place", number(p[0]),
                                         number(p[1]), number(p[2]))
                             : json_pack("{s:n, s:n}", "body", "place");
        if (json_object_update(worst, where) != 0) {
            json_decref(worst);
            worst = NULL;
        }
        json_decref(where);
    }
    return worst;
}

static json_t *worst_of_cloth_json(const report *r, const char *cloth, const cloth_history *h) {
    return json_pack(
        "{s:s, s:{s:o, s:o, s:o}, s:{s:o, s:o, s:o, s:o}, s:o, s:o}", "cloth", cloth, "strain",
        "p999", worst_json(r, h, MEASURE_STRAIN_P999), "max", worst_json(r, h, MEASURE_STRAIN_MAX),
        "pinned", worst_json(r, h, MEASURE_STRAIN_PINNED), "penetration", "max_depth_m",
        worst_depth_json(r, h, MEASURE_DEPTH, &h->deepest), "crossings",
        worst_json(r, h, MEASURE_CROSSINGS), "crossing_depth_m",
        worst_depth_json(r, h, MEASURE_CROSSING_DEPTH, &h->farthest), "caught",
        worst_json(r, h, MEASURE_CAUGHT), "self_intersections", worst_json(r, h, MEASURE_SELF),
        "cloth_intersections", worst_json(r, h, MEASURE_OTHERS));
}

static json_t *worsts_json(const report *r) {
    json_t *worsts = json_array();
    for (size_t c = 0; r->history && r->scene && c < r->history->cloth_count && worsts; c++) {
        json_t *one = worst_of_cloth_json(r, r->scene->cloths[c].def.name, &r->history->cloths[c]);
        if (json_array_append_new(worsts, one) != 0) {
            json_decref(worsts);
            return NULL;
        }
    }
    return worsts;
}

static json_t *not_prevented_json(const report *r) {
    return has_unhindered(r) ? json_pack("{s:o, s:o, s:s}", "self_intersections",
                                         count((uint64_t)r->crossings.value), "frame",
                                         count(r->crossings.frame), "why", r->unhindered)
                             : json_null();
}

/* Which frames were measured. */
static json_t *measured_json(const report *r) {
    return r->history && r->scene
               ? json_pack("{s:i, s:o, s:o}", "interval", r->scene->report.interval, "count",
                           count(r->history->total.frames), "last",
                           count(r->history->total.last_frame))
               : json_null();
}

static json_t *stages_json(const report *r) {
    json_t *stages = json_object();
    for (int i = 0; i < TOILE_STAGE_COUNT && stages; i++) {
        const char *name = toile_stage_name((toile_stage)i);
        if (json_object_set_new(stages, name, number(r->stage_ms[i])) != 0) {
            json_decref(stages);
            return NULL;
        }
    }
    return stages;
}

static json_t *reasons_json(const report *r) {
    json_t *reasons = json_array();
    for (int i = 0; i < r->reason_count && reasons; i++) {
        if (json_array_append_new(reasons, json_string(r->reasons[i])) != 0) {
            json_decref(reasons);
            return NULL;
        }
    }
    return reasons;
}

static json_t *solver_json(const toile_solver_info *s) {
    bool softened = s->stretch_scale < 1.0 || s->shear_scale < 1.0 || s->bend_scale < 1.0;
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "stiffness",
                     softened ? "softened" : "true", "stretch_scale", number(s->stretch_scale),
                     "shear_scale", number(s->shear_scale), "bend_scale", number(s->bend_scale),
                     "stable_substep", number(s->stable_substep), "true_substep",
                     number(s->true_substep), "simd", s->simd);
}

/* A count per substep. */
static json_t *effort_json(uint64_t sum, uint64_t substeps, const worst_frame *worst) {
    return json_pack("{s:o, s:o}", "mean", number((double)sum / (double)substeps), "worst",
                     worst_frame_json(worst));
}

/* What the implicit solver took and left; null where it had nothing to solve. */
static json_t *solve_json(const report *r) {
    const history_solve *s = r->history ? &r->history->total.solve : NULL;
    if (!s || s->frames == 0) {
        return json_null();
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:i}", "iterations",
                     effort_json(s->iterations, s->substeps, &s->most_iterations), "gradients",
                     effort_json(s->gradients, s->substeps, &s->most_gradients), "solved_frames",
                     count(s->frames), "unconverged_frames", count(s->unconverged), "last_move_m",
                     worst_frame_json(&s->last_move), "asleep", r->solver.asleep);
}

/* What a run knows and a check of files does not. */
static json_t *run_json(const report *r) {
    return json_pack("{s:s, s:i, s:o, s:o, s:b, s:o, s:i, s:{s:o, s:o, s:o}, s:o, s:o, s:o, s:o}",
                     "device", r->solver.device, "threads", r->solver.threads, "particles",
                     count(r->particles), "frames", count(r->frames), "complete", r->complete,
                     "time_step", number(r->time_step), "substeps", r->solver.substeps,
                     "ms_per_frame", "mean", number(r->ms_mean), "p50", number(r->ms_p50), "p99",
                     number(r->ms_p99), "measuring_ms_per_frame", number(r->measure_ms), "stages",
                     stages_json(r), "solver", solver_json(&r->solver), "solve", solve_json(r));
}

static json_t *check_json(const report *r) {
    return json_pack("{s:o}", "complete",
                     r->has_complete ? json_boolean(r->complete) : json_null());
}

static json_t *state_json(const report *r) {
    char hash[17];
    snprintf(hash, sizeof hash, "%016jx", (uintmax_t)r->state_hash);
    const double untangled = r->solver.untangled;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "dropped_contacts",
                     count(r->solver.dropped_contacts), "ambiguous_texels",
                     count(r->solver.ambiguous_texels), "inside_texels",
                     count(r->solver.inside_texels), "caught_texels",
                     count(r->solver.caught_texels), "pierced", count(r->solver.pierced),
                     "untangled", untangled > 0.0 ? json_real(untangled) : json_null(), "map_draws",
                     count(r->solver.map_draws), "map_reuses", count(r->solver.map_reuses),
                     "state_hash", hash, "peak_rss_bytes", count(r->peak_rss_bytes));
}

/* Moves what is in `part`, which may be NULL, to the end of `whole`. */
static bool append(json_t *whole, json_t *part) {
    bool good = json_object_update(whole, part) == 0;
    json_decref(part);
    return good;
}

static json_t *report_json(const report *r) {
    json_t *whole = json_object();
    bool good = append(whole, r->timed ? run_json(r) : check_json(r));
    good = good && append(whole, json_pack("{s:o, s:o, s:o, s:o}", "strain", strain_json(r),
                                           "penetration", penetration_json(r), "self_intersections",
                                           count(r->metrics.self_intersections), "patterns",
                                           patterns_json(r)));
    good = good && (!r->timed || append(whole, state_json(r)));
    good = good && append(whole, json_pack("{s:o, s:o, s:o}", "measured", measured_json(r), "worst",
                                           worsts_json(r), "not_prevented", not_prevented_json(r)));
    good = good && (!r->interrupted ||
                    append(whole, json_pack("{s:s}", "so_far", r->good ? "good" : "bad")));
    good = good && append(whole, json_pack("{s:s, s:o}", "verdict", report_verdict(r), "reasons",
                                           reasons_json(r)));
    if (!good) {
        json_decref(whole);
        return NULL;
    }
    return whole;
}

toile_result report_print(const report *r, FILE *stream) {
    json_t *json = report_json(r);
    if (!json) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the report");
    }
    bool good = json_dumpf(json, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
    json_decref(json);
    fputc('\n', stream);
    if (!good || ferror(stream)) {
        return error_set(TOILE_ERROR_INVALID, "cannot write the report");
    }
    return TOILE_OK;
}

toile_result report_write(const report *r, const char *path) {
    file_writer *w;
    toile_result result = file_create(path, &w);
    if (result != TOILE_OK) {
        return result;
    }
    result = report_print(r, file_stream(w));
    /* Where the stream failed, committing knows the reason. */
    if (result != TOILE_OK && !ferror(file_stream(w))) {
        file_discard(w);
        return result;
    }
    return file_commit(w);
}
