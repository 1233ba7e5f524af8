/* `toile bench ccd`: how long it takes to find what a cloth's vertices meet of a body that moves,
 * from one frame to the next. The tree over the body's triangles, which collision "ccd" walks, is
 * compared with the culling of Wang 2005, section 5.2 (W4): an oriented box around each part of the
 * body, and boxes around the ways of its triangles. Both then test the same pairs in the same way,
 * and must find the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/options.h"
#include "app/rank.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/team.h"
#include "bench/bench.h"
#include "bench/chart.h"
#include "bench/results.h"
#include "cpu/sweep.h"
#include "model/solid.h"

enum { PARTS = 10, ROUNDS_MOST = 9, THREADS_MOST = 2 };

static const float THICKNESS = 1e-4f, TOLERANCE = 2.5e-5f; /* m */

/* ---- the scene ----------------------------------------------------------------------------------
 *
 * Ten limbs, two in each of five storeys, that swing and go forward by up to 5 m/s, and a tube of
 * cloth around them that shrinks onto them. */

typedef struct part_box {
    v3 axes[3];            /* unit: along the limb, and across */
    float low[3], high[3]; /* m, along these, at the start and the end of the frame */
    uint32_t first, count; /* triangles */
} part_box;

typedef struct moving_scene {
    solid body;
    part_box boxes[PARTS];
    v3 *swept; /* m, low and high of a triangle during the frame; in the order as given */
    v3 *from, *to;
    uint32_t vertices; /* of the cloth */
} moving_scene;

static v3 limb_point(int part, float along, float across, float around, float time) {
    const float side = part % 2 ? 1.0f : -1.0f, length = 0.36f;
    float swing = side * (0.3f + 0.1f * time), down = along * length;
    float x = across * cosf(around), z = across * sinf(around);
    return v3_make(side * 0.12f + x,
                   1.8f - 0.35f * (float)(part / 2) - down * cosf(swing) - z * sinf(swing),
                   down * sinf(swing) * 0.5f + z * cosf(swing) + 0.05f * time);
}

static v3 limb_vertex(int part, uint32_t columns, uint32_t rows, uint32_t v, float time) {
    uint32_t south = columns * (rows - 1);
    float polar = v == south ? 0.0f : v > south ? 1.0f : (float)(v / columns + 1) / (float)rows;
    float across = 0.07f * sinf(3.14159265f * polar);
    return limb_point(part, polar, across, 6.2831853f * (float)(v % columns) / (float)columns,
                      time);
}

static uint32_t *add_triangle(uint32_t *t, uint32_t first, uint32_t a, uint32_t b, uint32_t c) {
    t[0] = first + a;
    t[1] = first + b;
    t[2] = first + c;
    return t + 3;
}

static void list_limb(uint32_t columns, uint32_t rows, uint32_t first, uint32_t *t) {
    uint32_t south = columns * (rows - 1), last = columns * (rows - 2);
    for (uint32_t i = 0; i < columns; i++) {
        uint32_t next = (i + 1) % columns;
        t = add_triangle(t, first, south, next, i);
        t = add_triangle(t, first, south + 1, last + i, last + next);
        for (uint32_t j = 0; j + 2 < rows; j++) {
            uint32_t a = j * columns, b = a + columns;
            t = add_triangle(t, first, a + i, a + next, b + next);
            t = add_triangle(t, first, a + i, b + next, b + i);
        }
    }
}

static toile_result make_body(moving_scene *s, int triangles) {
    uint32_t rows = (uint32_t)lround(0.5 + sqrt(0.25 + (double)triangles / (4.0 * PARTS)));
    uint32_t columns = 2 * rows, each = columns * (rows - 1) + 2, count = 2 * columns * (rows - 1);
    toile_mesh_def def = {.vertices = (size_t)PARTS * each,
                          .triangle_count = (size_t)PARTS * count};
    float *positions = memory_alloc(3 * def.vertices, sizeof *positions, "a body");
    uint32_t *indices = memory_alloc(3 * def.triangle_count, sizeof *indices, "a body");
    toile_result result = positions && indices ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (uint32_t i = 0; result == TOILE_OK && i < PARTS * each; i++) {
        v3 p = limb_vertex((int)(i / each), columns, rows, i % each, 0.0f);
        memcpy(positions + 3 * (size_t)i, &(float[3]){p.x, p.y, p.z}, 3 * sizeof(float));
    }
    for (uint32_t p = 0; result == TOILE_OK && p < PARTS; p++) {
        list_limb(columns, rows, p * each, indices + 3 * (size_t)p * count);
        s->boxes[p].first = p * count;
        s->boxes[p].count = count;
    }
    if (result == TOILE_OK) {
        def.positions = positions;
        def.triangles = indices;
        result = solid_create_deforming(&s->body, &def, false);
    }
    for (uint32_t i = 0; result == TOILE_OK && i < PARTS * each; i++) {
        v3 p = limb_vertex((int)(i / each), columns, rows, i % each, 1.0f);
        memcpy(s->body.ends + 3 * (size_t)i, &(float[3]){p.x, p.y, p.z}, 3 * sizeof(float));
    }
    free(positions);
    free(indices);
    return result;
}

static v3 tube_point(uint32_t i, uint32_t columns, uint32_t rows, float time) {
    float around = 6.2831853f * (float)(i % columns) / (float)columns;
    float wave = 0.01f * sinf(5.0f * around + 9.0f * (float)(i / columns) / (float)rows);
    float wide = 0.21f - 0.02f * time + wave, deep = 0.11f - 0.02f * time + wave;
    return v3_make(wide * cosf(around), 1.85f - 1.8f * (float)(i / columns) / (float)rows,
                   deep * sinf(around) + 0.05f * time);
}

static void free_scene(moving_scene *s) {
    solid_free(&s->body);
    free(s->swept);
    free(s->from);
    free(s->to);
}

static toile_result make_scene(moving_scene *s, int vertices, int triangles) {
    *s = (moving_scene){0};
    uint32_t columns = (uint32_t)lround(sqrt((double)vertices)), rows = columns;
    s->vertices = columns * rows;
    toile_result result = make_body(s, triangles);
    if (result == TOILE_OK) {
        s->swept = memory_alloc(2 * s->body.triangle_count, sizeof *s->swept, "boxes");
        s->from = memory_alloc(s->vertices, sizeof *s->from, "a cloth");
        s->to = memory_alloc(s->vertices, sizeof *s->to, "a cloth");
        result = s->swept && s->from && s->to ? TOILE_OK : TOILE_ERROR_MEMORY;
    }
    for (uint32_t i = 0; result == TOILE_OK && i < s->vertices; i++) {
        s->from[i] = tube_point(i, columns, rows, 0.0f);
        s->to[i] = tube_point(i, columns, rows, 1.0f);
    }
    if (result != TOILE_OK) {
        free_scene(s);
    }
    return result;
}

/* ---- detection ----------------------------------------------------------------------------------
 */

/* What the search for one vertex, or all of a thread, came to. */
typedef struct found {
    uint64_t boxes, pairs, hits; /* boxes of triangles that were compared; pairs tested; vertices */
    double times;                /* sum of the first contacts, which both ways must agree in */
} found;

typedef struct look {
    const moving_scene *scene;
    v3 from, to, low, high; /* with the margin */
    float time;             /* of the first contact so far; above 1: none */
    found *count;
} look;

static v3 vertex_of(const float *positions, uint32_t v) {
    const float *p = positions + 3 * (size_t)v;
    return v3_make(p[0], p[1], p[2]);
}

static void test_pair(look *l, v3 a0, v3 b0, v3 c0, v3 a1, v3 b1, v3 c1) {
    l->count->pairs++;
    ccd_hit hit = ccd_first_contact(ccd_from_triangle(l->from, a0, b0, c0),
                                    ccd_from_triangle(l->to, a1, b1, c1), THICKNESS, TOLERANCE);
    l->time = hit.found ? k_min(l->time, hit.time) : l->time;
}

static void visit_leaf(void *user, uint32_t face) {
    look *l = user;
    const solid *s = &l->scene->body;
    const solid_face *f = &s->faces[face];
    const solid_corners *e = &s->end_corners[face];
    v3 low = v3_min(v3_min(v3_min(f->a, f->b), v3_min(f->c, e->a)), v3_min(e->b, e->c));
    v3 high = v3_max(v3_max(v3_max(f->a, f->b), v3_max(f->c, e->a)), v3_max(e->b, e->c));
    l->count->boxes++;
    if (ccd_boxes_meet(l->low, l->high, low, high)) {
        test_pair(l, f->a, f->b, f->c, e->a, e->b, e->c);
    }
}

static void look_by_tree(look *l) {
    const shape_args still = {.axis_x = {1.0f, 0.0f, 0.0f},
                              .axis_y = {0.0f, 1.0f, 0.0f},
                              .axis_z = {0.0f, 0.0f, 1.0f},
                              .from_x = {1.0f, 0.0f, 0.0f},
                              .from_y = {0.0f, 1.0f, 0.0f},
                              .from_z = {0.0f, 0.0f, 1.0f},
                              .from = 0.0f,
                              .time = 1.0f};
    sweep s =
        sweep_around(&l->scene->body, &still, &l->from, &l->to, 1, THICKNESS + TOLERANCE, 1.0f);
    sweep_walk(&s, visit_leaf, l);
}

static bool meets_part(const look *l, const part_box *b) {
    for (int k = 0; k < 3; k++) {
        float p = v3_dot(l->from, b->axes[k]), q = v3_dot(l->to, b->axes[k]);
        float margin = THICKNESS + TOLERANCE + 1e-5f;
        if (k_max(p, q) + margin < b->low[k] || k_min(p, q) - margin > b->high[k]) {
            return false;
        }
    }
    return true;
}

static void look_by_boxes(look *l) {
    const solid *s = &l->scene->body;
    for (int part = 0; part < PARTS; part++) {
        const part_box *b = &l->scene->boxes[part];
        if (!meets_part(l, b)) {
            continue;
        }
        for (uint32_t t = b->first; t < b->first + b->count; t++) {
            l->count->boxes++;
            if (ccd_boxes_meet(l->low, l->high, l->scene->swept[2 * t],
                               l->scene->swept[2 * t + 1])) {
                const uint32_t *v = s->triangles + 3 * (size_t)t;
                test_pair(l, vertex_of(s->positions, v[0]), vertex_of(s->positions, v[1]),
                          vertex_of(s->positions, v[2]), vertex_of(s->ends, v[0]),
                          vertex_of(s->ends, v[1]), vertex_of(s->ends, v[2]));
            }
        }
    }
}

typedef struct detection {
    const moving_scene *scene;
    bool tree;
    found each[THREADS_MOST];
} detection;

static void detect(void *argument, int member, int members) {
    detection *d = argument;
    const uint64_t n = d->scene->vertices;
    const float margin = THICKNESS + TOLERANCE;
    found count = {0};
    for (uint32_t i = (uint32_t)(n * (unsigned)member / (unsigned)members);
         i < (uint32_t)(n * ((unsigned)member + 1) / (unsigned)members); i++) {
        v3 a = d->scene->from[i], b = d->scene->to[i];
        look l = {d->scene,
                  a,
                  b,
                  ccd_box_low(v3_min(a, b), margin),
                  ccd_box_high(v3_max(a, b), margin),
                  CCD_NEVER,
                  &count};
        (d->tree ? look_by_tree : look_by_boxes)(&l);
        count.hits += l.time <= 1.0f;
        count.times += l.time <= 1.0f ? (double)l.time : 0.0;
    }
    d->each[member] = count;
}

/* ---- what a frame has to do first ---------------------------------------------------------------
 */

static void fit_part(moving_scene *s, int part) {
    part_box *b = &s->boxes[part];
    const solid *m = &s->body;
    v3 along = ccd_unit(
        v3_sub(limb_point(part, 1.0f, 0.0f, 0.0f, 0.0f), limb_point(part, 0.0f, 0.0f, 0.0f, 0.0f)));
    v3 across = ccd_unit(v3_cross(along, v3_make(1.0f, 0.0f, 0.0f)));
    b->axes[0] = along;
    b->axes[1] = across;
    b->axes[2] = v3_cross(along, across);
    for (int k = 0; k < 3; k++) {
        b->low[k] = INFINITY;
        b->high[k] = -INFINITY;
    }
    for (uint32_t t = b->first; t < b->first + b->count; t++) {
        v3 low = v3_make(INFINITY, INFINITY, INFINITY), high = v3_scale(low, -1.0f);
        for (uint32_t c = 0; c < 6; c++) {
            v3 p = vertex_of(c < 3 ? m->positions : m->ends, m->triangles[3 * (size_t)t + c % 3]);
            low = v3_min(low, p);
            high = v3_max(high, p);
            for (int k = 0; k < 3; k++) {
                b->low[k] = k_min(b->low[k], v3_dot(p, b->axes[k]));
                b->high[k] = k_max(b->high[k], v3_dot(p, b->axes[k]));
            }
        }
        s->swept[2 * (size_t)t] = low;
        s->swept[2 * (size_t)t + 1] = high;
    }
}

static void fit(moving_scene *s, bool tree) {
    if (tree) {
        solid_aim(&s->body);
        return;
    }
    for (int part = 0; part < PARTS; part++) {
        fit_part(s, part);
    }
}

/* ---- measuring ----------------------------------------------------------------------------------
 */

typedef struct measured {
    double fit_ms, least_ms, median_ms; /* of the fit the median; of detection */
    found all;
} measured;

static measured measure_way(moving_scene *s, team *threads, int members, bool tree, int rounds) {
    double fits[ROUNDS_MOST], times[ROUNDS_MOST];
    detection d = {.scene = s, .tree = tree};
    for (int i = 0; i < rounds; i++) {
        double begin = clock_ms();
        fit(s, tree);
        double fitted = clock_ms();
        team_run(threads, members, detect, &d);
        fits[i] = fitted - begin;
        times[i] = clock_ms() - fitted;
    }
    rank_sort(fits, (size_t)rounds);
    rank_sort(times, (size_t)rounds);
    measured m = {.fit_ms = rank_get(fits, (size_t)rounds, 0.5),
                  .least_ms = times[0],
                  .median_ms = rank_get(times, (size_t)rounds, 0.5)};
    for (int i = 0; i < members; i++) {
        m.all.boxes += d.each[i].boxes;
        m.all.pairs += d.each[i].pairs;
        m.all.hits += d.each[i].hits;
        m.all.times += d.each[i].times;
    }
    return m;
}

typedef struct ccd_case {
    const char *part; /* of the table */
    int vertices, triangles;
} ccd_case;

static const ccd_case cases[] = {
    {"target", 10000, 50000},     {"vertices", 2500, 50000},   {"vertices", 5000, 50000},
    {"vertices", 10000, 50000},   {"vertices", 20000, 50000},  {"triangles", 10000, 12500},
    {"triangles", 10000, 25000},  {"triangles", 10000, 50000}, {"triangles", 10000, 100000},
    {"triangles", 10000, 200000},
};
enum { CASES = sizeof cases / sizeof *cases };

static const char *const ways[2] = {"boxes", "tree"};

/* Lines of the charts: one over vertices, one over triangles, for each way, with 2 threads. */
typedef struct charts {
    chart_line lines[2][2];
} charts;

static void print_row(const ccd_case *c, const moving_scene *s, int threads, bool tree,
                      const measured *m, FILE *csv) {
    printf("%-9s %8u %9zu %-5s %7d | %8.2f %9.2f %9.2f | %11ju %9ju %6ju\n", c->part, s->vertices,
           s->body.triangle_count, ways[tree], threads, m->fit_ms, m->least_ms, m->median_ms,
           (uintmax_t)m->all.boxes, (uintmax_t)m->all.pairs, (uintmax_t)m->all.hits);
    fflush(stdout);
    fprintf(csv, "\"%s\",%s,%s,%u,%zu,%s,%d,%.4f,%.4f,%.4f,%ju,%ju,%ju\n", results_machine(),
            toile_version(), c->part, s->vertices, s->body.triangle_count, ways[tree], threads,
            m->fit_ms, m->least_ms, m->median_ms, (uintmax_t)m->all.boxes, (uintmax_t)m->all.pairs,
            (uintmax_t)m->all.hits);
}

/* The same contacts, whichever way they were looked for. */
static toile_result compare(const found *a, const found *b) {
    if (a->hits == b->hits && fabs(a->times - b->times) <= 1e-9 * (double)a->hits) {
        return TOILE_OK;
    }
    return error_set(TOILE_ERROR_NUMERICAL,
                     "bench ccd: boxes find %ju contacts and the tree %ju, expected the same",
                     (uintmax_t)a->hits, (uintmax_t)b->hits);
}

static toile_result measure_case(const ccd_case *c, team *threads, int rounds, charts *out,
                                 FILE *csv) {
    moving_scene s;
    toile_result result = make_scene(&s, c->vertices, c->triangles);
    if (result != TOILE_OK) {
        return result;
    }
    measured last[2];
    for (int tree = 0; tree < 2; tree++) {
        for (int members = 1; members <= team_size(threads); members++) {
            last[tree] = measure_way(&s, threads, members, tree, tree ? rounds : (rounds + 2) / 3);
            print_row(c, &s, members, tree, &last[tree], csv);
        }
        bool grows = strcmp(c->part, "vertices") == 0;
        if (grows || strcmp(c->part, "triangles") == 0) {
            chart_add(&out->lines[grows ? 0 : 1][tree],
                      grows ? (double)s.vertices : (double)s.body.triangle_count,
                      last[tree].median_ms);
        }
    }
    result = compare(&last[0].all, &last[1].all);
    free_scene(&s);
    return result;
}

static toile_result draw(const char *folder, const charts *c) {
    static const char *const names[2] = {"vertices", "triangles"};
    toile_result result = TOILE_OK;
    for (int i = 0; i < 2 && result == TOILE_OK; i++) {
        const plot_series series[2] = {chart_series(&c->lines[i][0], "oriented boxes (W4)"),
                                       chart_series(&c->lines[i][1], "tree")};
        char title[64];
        snprintf(title, sizeof title, "Continuous collision by the number of %s", names[i]);
        result = chart_write(folder, "ccd", names[i],
                             &(plot_def){.title = title,
                                         .x = {names[i], true},
                                         .y = {"detection, ms per frame", true},
                                         .series = series,
                                         .series_count = 2,
                                         .reference_label = "target",
                                         .reference = 10.0});
    }
    return result;
}

static toile_result measure_all(const char *folder, bool quick) {
    results_file kept;
    toile_result result = results_open(&kept, folder, "ccd", ".csv");
    if (result != TOILE_OK) {
        return result;
    }
    team *threads = team_create(THREADS_MOST);
    result = threads ? TOILE_OK : TOILE_ERROR_MEMORY;
    printf("%s; first contacts of a cloth's vertices with a body that moves, per frame\n"
           "%-9s %8s %9s %-5s %7s | %8s %9s %9s | %11s %9s %6s\n",
           results_machine(), "growth of", "vertices", "triangles", "way", "threads", "fit ms",
           "least ms", "median ms", "boxes", "pairs", "hits");
    fputs("machine,version,part,vertices,triangles,way,threads,fit_ms,ms_least,ms_median,boxes,"
          "pairs,hits\n",
          kept.csv);
    charts drawn = {0};
    for (int i = 0; i < CASES && result == TOILE_OK; i++) {
        ccd_case c = cases[i];
        c.vertices /= quick ? 100 : 1;
        c.triangles /= quick ? 50 : 1;
        result = measure_case(&c, threads, quick ? 1 : ROUNDS_MOST, &drawn, kept.csv);
    }
    team_destroy(threads);
    if (result == TOILE_OK) {
        result = draw(folder, &drawn);
    }
    if (result != TOILE_OK) {
        results_discard(&kept);
        return result;
    }
    return results_commit(&kept);
}

int bench_ccd(int argc, char *argv[]) {
    const char *folder = RESULTS_FOLDER;
    bool quick = false;
    const option_spec specs[] = {
        {.name = "out", .text = &folder}, {.name = "quick", .flag = &quick}, {0}};
    if (options_parse(argc, argv, specs, NULL, NULL) != TOILE_OK) {
        return command_end(TOILE_ERROR_INVALID);
    }
    return command_end(measure_all(folder, quick));
}
