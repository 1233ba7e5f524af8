/* Outlines that several tests start from, made of points: nothing is flattened or checked. */
#ifndef TOILE_TEST_PANELS_H
#define TOILE_TEST_PANELS_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/outline.h"

/* What an outline of at most PANEL_POINTS points in PANEL_LOOPS loops needs. */
enum { PANEL_POINTS = 8192, PANEL_LOOPS = 4 };

typedef struct panel_shape {
    outline o;
    double points[PANEL_POINTS][2];
    uint32_t loop_ends[PANEL_LOOPS];
} panel_shape;

static inline void panel_point(panel_shape *s, double u, double v) {
    s->points[s->o.point_count][0] = u;
    s->points[s->o.point_count][1] = v;
    s->o.point_count++;
}

/* Ends a loop, and after the last one sets box and area. */
static inline void panel_close(panel_shape *s) {
    outline *o = &s->o;
    o->points = s->points;
    o->loop_ends = s->loop_ends;
    o->loop_ends[o->loop_count++] = o->point_count;
    o->area = 0.0;
    for (int k = 0; k < 2; k++) {
        o->low[k] = o->high[k] = o->points[0][k];
    }
    for (int loop = 0; loop < o->loop_count; loop++) {
        uint32_t begin = loop > 0 ? o->loop_ends[loop - 1] : 0, end = o->loop_ends[loop];
        for (uint32_t i = begin; i < end; i++) {
            const double *a = o->points[i], *b = o->points[i + 1 < end ? i + 1 : begin];
            o->area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
            for (int k = 0; k < 2; k++) {
                o->low[k] = fmin(o->low[k], a[k]);
                o->high[k] = fmax(o->high[k], a[k]);
            }
        }
    }
}

/* turns is 1 for counter-clockwise, -1 for a hole. */
static inline void panel_add_circle(panel_shape *s, double u, double v, double radius, int points,
                                    int turns) {
    for (int i = 0; i < points; i++) {
        double angle = turns * 2.0 * M_PI * i / points;
        panel_point(s, u + radius * cos(angle), v + radius * sin(angle));
    }
    panel_close(s);
}

static inline panel_shape *panel_circle(double radius, int points) {
    panel_shape *s = calloc(1, sizeof *s);
    panel_add_circle(s, radius, radius, radius, points, 1);
    return s;
}

/* Tips and notches alternate. */
static inline panel_shape *panel_star(double outer, double inner, int tips) {
    panel_shape *s = calloc(1, sizeof *s);
    for (int i = 0; i < 2 * tips; i++) {
        double angle = 0.5 * M_PI + M_PI * i / tips, radius = i & 1 ? inner : outer;
        panel_point(s, outer + radius * cos(angle), outer + radius * sin(angle));
    }
    panel_close(s);
    return s;
}

/* A sleeve: straight cuff, slanted sides, a cap like a bell, and a round hole. */
static inline panel_shape *panel_sleeve(double width, int points) {
    panel_shape *s = calloc(1, sizeof *s);
    panel_point(s, 0.2 * width, 0.0);
    panel_point(s, 0.8 * width, 0.0);
    for (int i = 0; i <= points; i++) {
        double t = (double)i / points;
        panel_point(s, width * (1.0 - t),
                    width * (0.55 + 0.35 * (0.5 - 0.5 * cos(2.0 * M_PI * t))));
    }
    panel_close(s);
    panel_add_circle(s, 0.5 * width, 0.45 * width, 0.12 * width, points / 2, -1);
    return s;
}

static inline panel_shape *panel_polygon(const double (*points)[2], int count) {
    panel_shape *s = calloc(1, sizeof *s);
    for (int i = 0; i < count; i++) {
        panel_point(s, points[i][0], points[i][1]);
    }
    panel_close(s);
    return s;
}

#endif
