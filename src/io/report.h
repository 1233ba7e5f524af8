/* The report of a run as JSON: documented, stable keys (docs/scene-format.md). */
#ifndef TOILE_IO_REPORT_H
#define TOILE_IO_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "toile/toile.h"

enum { REPORT_REASONS = 8 };

typedef struct report {
    toile_solver_info solver;
    uint64_t particles;
    uint32_t frames;
    double time_step;                   /* s */
    double ms_mean, ms_p50, ms_p99;     /* a frame */
    double stage_ms[TOILE_STAGE_COUNT]; /* a frame, mean */
    bool timed; /* false for `toile check`: leaves device, times and state out */
    toile_metrics metrics;
    bool has_strain, has_penetration; /* false: null in the file (no pattern, no bodies) */
    bool self_collision; /* cloth was asked to keep off itself: self-intersections are bad */
    double strain_limit; /* largest elongation limit of the fabrics */
    double depth_limit;  /* m, deepest penetration that is still good */
    uint64_t state_hash;
    uint64_t peak_rss_bytes;
    bool good; /* this and the reasons are filled in by report_judge */
    char reasons[REPORT_REASONS][160];
    int reason_count;
} report;

/* Widens the limits to what is good for a cloth: its fabric's elongation, and a depth of half its
 * spacing, at least a millimetre, for between texels it is flat. */
void report_allow(report *r, const toile_cloth_info *cloth);

/* Fills in verdict and reasons from the metrics. Bad is
 *   a metric that is not finite,
 *   strain.p999 above 2 limits + 0.01, or strain.max above 4 limits + 0.05,
 *   penetration deeper than its limit,
 *   a contact that was dropped,
 *   a self-intersection, with self-collision on.
 * The limit of elongation is approached by iteration and contacts pull against it, so a strain a
 * little above it is no fault; the bounds are where a drape begins to look stretched. */
void report_judge(report *r);

/* Writes JSON to a stream, or atomically to a file. What is not finite becomes null. */
toile_result report_print(const report *r, FILE *stream);
toile_result report_write(const report *r, const char *path);

#endif
