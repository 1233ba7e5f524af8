#include "bench/mapping.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/devices.h"
#include "app/options.h"
#include "app/rank.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "bench/panels.h"
#include "bench/surface.h"
#include "cook/cover.h"
#include "cook/mapping.h"
#include "cook/triangulate.h"
#include "io/file.h"

/* Every panel is measured with its mesh as it is and with its inner vertices on texels. */
enum { PANELS = BENCH_PANELS, KINDS = 2, ROUNDS = 21 };

/* A cloth in waves across its diagonal, 10 % longer along them than its panel: the tangent swings
 * by 50 degrees to both sides, every 25 cm. */
static void make_waves(double u, double v, float place[3]) {
    const double length = 0.25, swing = 50.0 * M_PI / 180.0, along_u = 0.8, along_v = 0.6;
    double s = along_u * u + along_v * v, x = 0.0, z = 0.0;
    const int steps = 200;
    for (int i = 0; i < steps; i++) {
        double angle = swing * sin(2.0 * M_PI * (i + 0.5) / steps * s / length);
        x += 1.1 * s / steps * cos(angle);
        z += 1.1 * s / steps * sin(angle);
    }
    place[0] = (float)x;
    place[1] = (float)(along_u * v - along_v * u);
    place[2] = (float)z;
}

/* ---- measuring ----------------------------------------------------------------------------------
 */

/* One panel, one kind of mesh. */
typedef struct trial {
    grid g;
    uint8_t *mask;
    float *coverage;
    flat_mesh mesh;
    sampling sampling;
    projection projection;
    float *before, *after, *texels;
    float *errors; /* percent of the size, a vertex */
    size_t texel_count;
    double mean, most;            /* percent */
    double sample_ms, project_ms; /* median */
} trial;

static void trial_free(trial *t) {
    flat_mesh_free(&t->mesh);
    sampling_free(&t->sampling);
    projection_free(&t->projection);
    void *arrays[] = {t->mask, t->coverage, t->before, t->after, t->texels, t->errors};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
    *t = (trial){0};
}

static toile_result cover(trial *t, const outline *o) {
    toile_result result =
        grid_create_for(&t->g, o->high[0] - o->low[0], o->high[1] - o->low[1], BENCH_SPACING);
    if (result != TOILE_OK) {
        return result;
    }
    t->mask = memory_alloc(grid_texels(&t->g), 1, "texels");
    t->coverage = memory_alloc(t->g.size, sizeof *t->coverage, "cells");
    t->texels = memory_alloc(grid_texels(&t->g), 3 * sizeof *t->texels, "texels");
    if (!t->mask || !t->coverage || !t->texels) {
        return TOILE_ERROR_MEMORY;
    }
    result = cover_outline(o, &t->g, t->mask, t->coverage);
    for (size_t i = 0; i < grid_texels(&t->g); i++) {
        t->texel_count += t->mask[i];
    }
    return result;
}

static toile_result prepare(trial *t, const outline *o, double edge, bool snap) {
    toile_result result = cover(t, o);
    if (result == TOILE_OK) {
        result = triangulate(o, edge, &t->mesh);
    }
    if (result != TOILE_OK) {
        return result;
    }
    if (snap) {
        snap_inner_vertices(&t->mesh, &t->g);
    }
    size_t count = t->mesh.vertex_count;
    t->before = memory_alloc(count, 3 * sizeof *t->before, "vertices");
    t->after = memory_alloc(count, 3 * sizeof *t->after, "vertices");
    t->errors = memory_alloc(count, sizeof *t->errors, "vertices");
    if (!t->before || !t->after || !t->errors) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        make_waves((double)t->mesh.uv[2 * i], (double)t->mesh.uv[2 * i + 1], t->before + 3 * i);
    }
    result = sampling_create(&t->sampling, &t->mesh, &t->g, t->mask);
    return result == TOILE_OK ? projection_create(&t->projection, &t->mesh, &t->g, t->mask)
                              : result;
}

static void time_trial(trial *t) {
    double sample[ROUNDS], project[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double start = clock_ms();
        sample_vectors(&t->sampling, &t->g, t->before, t->texels);
        double middle = clock_ms();
        project_vectors(&t->projection, t->mesh.vertex_count, &t->g, t->texels, t->after);
        sample[round] = middle - start;
        project[round] = clock_ms() - middle;
    }
    rank_sort(sample, ROUNDS);
    rank_sort(project, ROUNDS);
    t->sample_ms = rank_get(sample, ROUNDS, 0.5);
    t->project_ms = rank_get(project, ROUNDS, 0.5);
}

/* The size D of section 4.3: the diagonal of the box around the cloth in space. */
static double get_size(const trial *t) {
    double squared = 0.0;
    for (size_t k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < t->mesh.vertex_count; i++) {
            low = fmin(low, (double)t->before[3 * i + k]);
            high = fmax(high, (double)t->before[3 * i + k]);
        }
        squared += (high - low) * (high - low);
    }
    return sqrt(squared);
}

static void find_errors(trial *t) {
    double size = get_size(t);
    for (size_t i = 0; i < t->mesh.vertex_count; i++) {
        const float *a = t->before + 3 * i, *b = t->after + 3 * i;
        double x = (double)b[0] - (double)a[0], y = (double)b[1] - (double)a[1];
        double z = (double)b[2] - (double)a[2];
        double error = 100.0 * sqrt(x * x + y * y + z * z) / size;
        t->errors[i] = (float)error;
        t->mean += error / t->mesh.vertex_count;
        t->most = fmax(t->most, error);
    }
}

static toile_result run_trials(trial trials[PANELS][KINDS]) {
    for (int p = 0; p < PANELS; p++) {
        outline o;
        toile_result result = outline_create(&o, &bench_panels[p].outline, 0.1 * BENCH_SPACING);
        if (result != TOILE_OK) {
            return result;
        }
        for (int kind = 0; kind < KINDS && result == TOILE_OK; kind++) {
            trial *t = &trials[p][kind];
            result = prepare(t, &o, bench_panels[p].edge, kind == 1);
            if (result == TOILE_OK) {
                time_trial(t);
                find_errors(t);
            }
        }
        outline_free(&o);
        if (result != TOILE_OK) {
            return result;
        }
    }
    return TOILE_OK;
}

static void print_trials(trial trials[PANELS][KINDS]) {
    printf("%-12s %-8s %8s %8s %9s %9s %10s %11s\n", "panel", "mesh", "vertices", "texels",
           "mean %", "most %", "sample ms", "project ms");
    for (int p = 0; p < PANELS; p++) {
        for (int kind = 0; kind < KINDS; kind++) {
            const trial *t = &trials[p][kind];
            printf("%-12s %-8s %8u %8zu %9.4f %9.4f %10.3f %11.4f\n", bench_panels[p].name,
                   kind ? "snapped" : "as cut", t->mesh.vertex_count, t->texel_count, t->mean,
                   t->most, t->sample_ms, t->project_ms);
        }
    }
    printf("%-12s %-8s %8d %8d %9s %9s %10.3f %11.4f\n", "Schmitt 2013", "as cut", 1300, 50000,
           "< 0.06", "< 0.5", 0.06, 0.02);
    printf(
        "Waves of 25 cm, stretched by 10 %%; percent of the diagonal of the box around them. One "
        "thread\nhere, median of %d; a Radeon HD 7850 there (Table 1, another piece of cloth).\n",
        ROUNDS);
}

/* ---- the picture --------------------------------------------------------------------------------
 */

/* Errors in steps of one colour each, from light to dark, so that it reads in grey as well. */
enum { STEPS = 10, PANEL_PIXELS = 260, GAP = 20, TOP = 50, LEFT = 70 };

static const char *const colours[STEPS] = {"#f7f4ec", "#e6e5d0", "#c5d9c0", "#9ccab8", "#6fb6b4",
                                           "#4a9dad", "#3681a2", "#306391", "#2e4577", "#252a55"};

static int step_of(const trial *t, uint32_t triangle, double scale) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += (double)t->errors[t->mesh.indices[3 * (size_t)triangle + (size_t)k]];
    }
    int step = (int)(sum / 3.0 / scale * STEPS);
    return step < STEPS ? step : STEPS - 1;
}

/* All triangles of a colour are one path, in tenths of a pixel. */
static void draw_panel(FILE *f, const trial *t, double scale, int left, int top) {
    double high = (double)fmaxf(t->g.size_u, t->g.size_v), pixels = 10.0 * PANEL_PIXELS / high;
    fprintf(f, "<g transform=\"translate(%d %d) scale(0.1)\">\n", left, top + PANEL_PIXELS);
    for (int step = 0; step < STEPS; step++) {
        fprintf(f, "<path fill=\"%s\" stroke=\"%s\" d=\"", colours[step], colours[step]);
        for (uint32_t i = 0; i < t->mesh.triangle_count; i++) {
            if (step_of(t, i, scale) != step) {
                continue;
            }
            long before[2] = {0, 0};
            for (int k = 0; k < 3; k++) {
                const float *p =
                    t->mesh.uv + 2 * (size_t)t->mesh.indices[3 * (size_t)i + (size_t)k];
                long x = lround((double)p[0] * pixels), y = lround(-(double)p[1] * pixels);
                fprintf(f, "%s%ld %ld",
                        k == 0   ? "M"
                        : k == 1 ? "l"
                                 : " ",
                        x - before[0], y - before[1]);
                before[0] = x;
                before[1] = y;
            }
            fputc('z', f);
        }
        fputs("\"/>\n", f);
    }
    fputs("</g>\n", f);
}

static void draw_scale(FILE *f, double scale, int left, int top) {
    for (int step = 0; step < STEPS; step++) {
        fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"40\" height=\"14\" fill=\"%s\"/>\n",
                left + 40 * step, top, colours[step]);
    }
    for (int step = 0; step <= STEPS; step += 2) {
        fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%.3g%s</text>\n",
                left + 40 * step, top + 30, scale * step / STEPS, step == STEPS ? " %" : "");
    }
    fprintf(f, "<text x=\"%d\" y=\"%d\">Schmitt 2013: mean below 0.06 %%, most 0.5 %%</text>\n",
            left + 40 * STEPS + 40, top + 12);
}

static void draw_picture(FILE *f, trial trials[PANELS][KINDS]) {
    double most = 0.0;
    for (int p = 0; p < PANELS; p++) {
        most = fmax(most, fmax(trials[p][0].most, trials[p][1].most));
    }
    double scale = ceil(most * 50.0) / 50.0;
    int width = LEFT + PANELS * (PANEL_PIXELS + GAP);
    int height = TOP + KINDS * (PANEL_PIXELS + GAP) + 60;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"24\" font-size=\"16\">Error from mesh to grid and back, in percent "
            "of the size</text>\n",
            width, height, width, height, LEFT);
    for (int kind = 0; kind < KINDS; kind++) {
        int top = TOP + kind * (PANEL_PIXELS + GAP);
        fprintf(
            f,
            "<text transform=\"translate(30 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            top + PANEL_PIXELS / 2, kind ? "inner vertices snapped" : "as triangulated");
        for (int p = 0; p < PANELS; p++) {
            draw_panel(f, &trials[p][kind], scale, LEFT + p * (PANEL_PIXELS + GAP), top);
        }
    }
    draw_scale(f, scale, LEFT, height - 50);
    fputs("</svg>\n", f);
}

static toile_result write_picture(const char *folder, trial trials[PANELS][KINDS]) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/mapping_error.svg", folder) >= (int)sizeof path) {
        return error_set(TOILE_ERROR_INVALID, "bench: --out: the name of the folder is too long");
    }
    toile_result result = file_make_folder(folder);
    file_writer *w;
    if (result == TOILE_OK) {
        result = file_create(path, &w);
    }
    if (result == TOILE_OK) {
        draw_picture(file_stream(w), trials);
        result = file_commit(w);
    }
    if (result == TOILE_OK) {
        printf("wrote %s\n", path);
    }
    return result;
}

int bench_mapping(int argc, char *argv[]) {
    const char *folder = NULL, *device = "cpu";
    bool quick = false;
    const option_spec specs[] = {{.name = "out", .text = &folder},
                                 {.name = "device", .text = &device},
                                 {.name = "quick", .flag = &quick},
                                 {0}};
    toile_result result = options_parse(argc, argv, specs, NULL, NULL);
    if (result == TOILE_OK) {
        result = device_check(device);
    }
    if (result != TOILE_OK) {
        return command_end(result);
    }
    if (strcmp(device, "gl") == 0) {
        return command_end(bench_surface(quick));
    }
    trial trials[PANELS][KINDS] = {0};
    result = run_trials(trials);
    if (result == TOILE_OK) {
        print_trials(trials);
        result = folder ? write_picture(folder, trials) : TOILE_OK;
    }
    for (int i = 0; i < PANELS * KINDS; i++) {
        trial_free(&trials[i / KINDS][i % KINDS]);
    }
    return command_end(result);
}
