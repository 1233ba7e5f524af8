/* The report of a run as JSON: documented, stable keys (docs/scene-format.md). */
#ifndef TOILE_IO_REPORT_H
#define TOILE_IO_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "io/history.h"
#include "io/scene.h"

enum { REPORT_REASONS = 16 };

typedef struct report {
    toile_solver_info
        solver; /* of the last frame; ambiguous_, inside_ and caught_texels: the most */
    uint64_t particles;
    uint32_t frames;
    bool complete;                      /* all frames that were asked for are there, and judged */
    bool interrupted;                   /* by a signal: the verdict is that of the frames so far */
    double time_step;                   /* s */
    double ms_mean, ms_p50, ms_p99;     /* a frame */
    double stage_ms[TOILE_STAGE_COUNT]; /* a frame, mean */
    bool timed;             /* false for `toile check`: leaves device, times and state out */
    double measure_ms;      /* a frame, mean: what measuring costs beside ms_mean */
    toile_metrics metrics;  /* of the last frame that was measured */
    const history *history; /* of all that were; NULL: of a mesh, which has none */
    worst_frame crossings;  /* the frame with most intersections in it ... */
    const char *unhindered; /* ... and why nothing prevents them, or NULL */
    worst_frame caught;     /* the frame with most vertices pinched between parts of a body */
    worst_frame pinned;     /* the most that pins strain a cloth, where that is more than its fabric
                               allows; filled in by report_judge_cloth */
    const scene *scene;     /* whose cloths from meshes have flat patterns; NULL: none */
    const toile_body_id *bodies; /* of the scene: places are at these */
    /* Without them the measures are zero in a run and null in a check, which had nothing to measure
     * by: no flat pattern, no bodies. */
    bool has_strain, has_penetration;
    bool has_complete;   /* the same for `complete` in a check; a mesh does not tell */
    bool self_collision; /* cloth was asked to keep off itself: an intersection is bad */
    double strain_limit; /* elongation limit that the metrics are judged by; INFINITY where each
                            cloth is judged by its own */
    double depth_limit;  /* m, deepest penetration that is still good; INFINITY likewise */
    uint64_t state_hash;
    uint64_t peak_rss_bytes;
    bool good; /* this and the reasons are filled in by report_judge */
    char reasons[REPORT_REASONS][512];
    int reason_count;
    int reasons_left_out; /* for which there was no room */
} report;

/* Fills in verdict and reasons from the metrics. Bad is
 *   a metric that is not finite,
 *   strain.p999 above 2 limits + 0.01, or strain.max above 4 limits + 0.05,
 *   penetration deeper than its limit, a crossing deeper than that and than 4 mm,
 *   a contact that was dropped.
 * What a cloth can have done since its start is judged by app/course.h.
 * The limit of elongation is approached by iteration and contacts pull against it, so a strain a
 * little above it is no fault; the bounds are where a drape begins to look stretched. */
void report_judge(report *r);

/* Then judges a cloth of a run, in the worst of its frames, by what is good for it: its fabric's
 * elongation, a depth of half its spacing, at least a millimetre, for between texels it is flat,
 * at least 4 mm of crossings, and no intersection where self-collision is on. The reasons name
 * cloth and frame. */
void report_judge_cloth(report *r, const toile_cloth_info *cloth, const cloth_history *h);

/* The name of the body that a place is at; NULL: the report knows none. */
const char *report_body_name(const report *r, const toile_place *place);

/* "good", "bad", or "interrupted", which no script may take for good; and as it is said to users:
 * with how it is so far, with intersections that nothing prevented, and with what was caught. */
const char *report_verdict(const report *r);
void report_print_verdict(const report *r, FILE *stream);

/* Makes the verdict bad for a reason that no metric shows. Beyond REPORT_REASONS the last one only
 * counts. */
void report_add_reason(report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes JSON to a stream, or atomically to a file. What is not finite becomes null. */
toile_result report_print(const report *r, FILE *stream);
toile_result report_write(const report *r, const char *path);

#endif
