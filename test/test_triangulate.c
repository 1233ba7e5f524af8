/* Triangulations of outlines: the whole panel, nothing else, in good triangles, every time the
 * same. */
#include "worlds.h"

#include <pthread.h>

#include "cook/triangulate.h"
#include "panels.h"

static double orientation(const float *a, const float *b, const float *c) {
    return ((double)b[0] - (double)a[0]) * ((double)c[1] - (double)a[1]) -
           ((double)b[1] - (double)a[1]) * ((double)c[0] - (double)a[0]);
}

static double distance(const float *a, const float *b) {
    return hypot((double)b[0] - (double)a[0], (double)b[1] - (double)a[1]);
}

static const float *corner(const flat_mesh *m, uint32_t triangle, int k) {
    return m->uv + 2 * (size_t)m->indices[3 * (size_t)triangle + (size_t)(k % 3)];
}

typedef struct figures {
    double area, border; /* m^2, m */
    double angle;        /* degrees, smallest, without what is near sharp corners */
    double longest, mean_edge;
    double longest_border;
    uint32_t border_edges;
} figures;

/* Whether a place, as seen from the lower left corner of the box, is within `reach` of a corner of
 * less than 60 degrees. */
static bool near_sharp_corner(const outline *o, const float *p, double reach) {
    uint32_t begin = 0;
    for (int loop = 0; loop < o->loop_count; loop++) {
        uint32_t end = o->loop_ends[loop], count = end - begin;
        for (uint32_t i = 0; i < count; i++) {
            const double *a = o->points[begin + (i + count - 1) % count], *b = o->points[begin + i],
                         *c = o->points[begin + (i + 1) % count];
            double au = a[0] - b[0], av = a[1] - b[1], cu = c[0] - b[0], cv = c[1] - b[1];
            double cosine = (au * cu + av * cv) / (hypot(au, av) * hypot(cu, cv));
            bool inner = cu * av - cv * au > 0.0; /* the panel lies within the angle */
            if (inner && cosine > 0.5 &&
                hypot(b[0] - o->low[0] - (double)p[0], b[1] - o->low[1] - (double)p[1]) < reach) {
                return true;
            }
        }
        begin = end;
    }
    return false;
}

static figures measure_mesh(const flat_mesh *m, const outline *o, double edge) {
    figures f = {.angle = 180.0};
    uint8_t *outer = flat_mesh_outer_edges(m);
    assert_non_null(outer);
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        double twice = orientation(corner(m, t, 0), corner(m, t, 1), corner(m, t, 2));
        assert_true(twice > 0.0);
        f.area += 0.5 * twice;
        bool sharp = near_sharp_corner(o, corner(m, t, 0), 1.5 * edge);
        for (int k = 0; k < 3; k++) {
            const float *a = corner(m, t, k), *b = corner(m, t, k + 1), *c = corner(m, t, k + 2);
            double length = distance(a, b);
            f.longest = fmax(f.longest, length);
            f.mean_edge += length / (3.0 * m->triangle_count);
            if (outer[t] >> k & 1) {
                f.border += length;
                f.longest_border = fmax(f.longest_border, length);
                f.border_edges++;
            }
            double angle = asin(fmin(twice / (length * distance(a, c)), 1.0)) * 180.0 / M_PI;
            f.angle = sharp ? f.angle : fmin(f.angle, angle);
        }
    }
    free(outer);
    return f;
}

static double perimeter(const outline *o) {
    double sum = 0.0;
    uint32_t begin = 0;
    for (int loop = 0; loop < o->loop_count; loop++) {
        uint32_t end = o->loop_ends[loop];
        for (uint32_t i = begin; i < end; i++) {
            const double *a = o->points[i], *b = o->points[i + 1 < end ? i + 1 : begin];
            sum += hypot(b[0] - a[0], b[1] - a[1]);
        }
        begin = end;
    }
    return sum;
}

/* Vertices stand in order, so a point can be looked for. */
static bool has_vertex(const flat_mesh *m, float u, float v) {
    uint32_t low = 0, high = m->vertex_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const float *p = m->uv + 2 * (size_t)middle;
        if (p[1] < v || (p[1] == v && p[0] < u)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < m->vertex_count && m->uv[2 * (size_t)low] == u && m->uv[2 * (size_t)low + 1] == v;
}

/* Checks what holds for every mesh of an outline; frees the shape. */
static figures check(panel_shape *shape, double edge) {
    const outline *o = &shape->o;
    flat_mesh m;
    assert_ok(triangulate(o, edge, &m));
    figures f = measure_mesh(&m, o, edge);
    /* exactly the panel, as far as single precision goes: its area, border and points */
    double size = fmax(o->high[0] - o->low[0], o->high[1] - o->low[1]);
    assert_near(f.area, o->area, 1e-7 * size * perimeter(o));
    assert_near(f.border / perimeter(o), 1.0, 1e-6);
    assert_true(f.longest_border <= edge * (1.0 + 1e-5));
    for (uint32_t i = 0; i < o->point_count; i++) {
        assert_true(has_vertex(&m, (float)(o->points[i][0] - o->low[0]),
                               (float)(o->points[i][1] - o->low[1])));
    }
    for (uint32_t i = 1; i < m.vertex_count; i++) {
        const float *a = m.uv + 2 * (size_t)(i - 1), *b = a + 2;
        assert_true(a[1] < b[1] || (a[1] == b[1] && a[0] < b[0]));
    }
    for (uint32_t t = 0; t < m.triangle_count; t++) {
        const uint32_t *v = m.indices + 3 * (size_t)t;
        assert_true(v[0] < v[1] && v[0] < v[2] && (t == 0 || v[-3] <= v[0]));
    }
    /* one piece with as many holes as there are: Euler */
    uint32_t edge_count = (3 * m.triangle_count + f.border_edges) / 2;
    assert_int_equal((int)m.vertex_count - (int)edge_count + (int)m.triangle_count,
                     2 - o->loop_count);
    flat_mesh_free(&m);
    free(shape);
    return f;
}

static void test_good_triangles(void **state) {
    (void)state;
    struct {
        panel_shape *shape;
        double edge;
    } cases[] = {
        {panel_circle(0.5, 100), 0.03},     {panel_circle(0.5, 100), 0.01},
        {panel_star(0.55, 0.25, 5), 0.022}, {panel_star(0.5, 0.05, 7), 0.02},
        {panel_sleeve(1.0, 60), 0.024},     {panel_sleeve(1.0, 60), 0.1},
        {panel_sleeve(1.0, 60), 0.006},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double edge = cases[i].edge;
        figures f = check(cases[i].shape, edge);
        assert_true(f.angle >= 20.0);
        assert_true(f.longest < 1.7 * edge);
        assert_true(f.mean_edge > 0.45 * edge && f.mean_edge < 1.15 * edge);
    }
}

/* The outline's own detail stays, and triangles grow from it to the width that was asked for. */
static void test_outline_finer_than_triangles(void **state) {
    (void)state;
    figures f = check(panel_circle(0.5, 2000), 0.05);
    assert_true(f.angle >= 20.0);
    assert_true(f.longest > 0.04);
}

static void test_triangles_larger_than_panel(void **state) {
    (void)state;
    const double square[4][2] = {{3.0, 1.0}, {4.0, 1.0}, {4.0, 2.0}, {3.0, 2.0}};
    flat_mesh m;
    panel_shape *shape = panel_polygon(square, 4);
    assert_ok(triangulate(&shape->o, 5.0, &m));
    assert_int_equal(m.vertex_count, 4);
    assert_int_equal(m.triangle_count, 2);
    assert_true(m.uv[0] == 0.0f && m.uv[1] == 0.0f && m.uv[7] == 1.0f);
    flat_mesh_free(&m);
    free(shape);
}

static void test_thin_tiny_and_large(void **state) {
    (void)state;
    const double strip[4][2] = {{0.0, 0.0}, {1.0, 0.0}, {1.0, 0.002}, {0.0, 0.002}};
    assert_true(check(panel_polygon(strip, 4), 0.02).angle >= 20.0);
    const double thread[4][2] = {{0.0, 0.0}, {1.0, 0.3}, {1.0, 0.30001}, {0.0, 0.00001}};
    check(panel_polygon(thread, 4), 0.02); /* far too thin for good angles */
    const double needle[3][2] = {{0.0, 0.0}, {1.0, 0.0}, {1.0, 0.01}};
    check(panel_polygon(needle, 3), 0.02);
    const double tiny[3][2] = {{0.0, 0.0}, {1e-5, 0.0}, {0.0, 1e-5}};
    check(panel_polygon(tiny, 3), 0.02);
    const double large[4][2] = {{0.0, 0.0}, {1e4, 0.0}, {1e4, 1e4}, {0.0, 1e4}};
    assert_true(check(panel_polygon(large, 4), 150.0).angle >= 20.0);
    /* a comb: deep notches, and rows of points that are cut into many runs */
    panel_shape *comb = calloc(1, sizeof *comb);
    panel_point(comb, 0.0, 0.0);
    panel_point(comb, 1.0, 0.0);
    for (int i = 0; i < 20; i++) {
        double u = 1.0 - i * 0.05;
        panel_point(comb, u, 1.0);
        panel_point(comb, u - 0.03, 1.0);
        if (i < 19) {
            panel_point(comb, u - 0.03, 0.1);
            panel_point(comb, u - 0.05, 0.1);
        }
    }
    panel_close(comb);
    assert_true(check(comb, 0.02).angle >= 20.0);
}

/* Spikes and notches of any size around a point, sides that nearly meet, points in a line. */
static void test_random_outlines(void **state) {
    (void)state;
    unsigned seed = 5;
    for (int i = 0; i < 100; i++) {
        panel_shape *shape = calloc(1, sizeof *shape);
        seed = seed * 1664525u + 1013904223u;
        int points = 3 + (int)(seed >> 26), round = (int)(seed >> 8 & 3);
        for (int k = 0; k < points; k++) {
            seed = seed * 1664525u + 1013904223u;
            double share = (double)(seed >> 8) / 16777216.0, angle = 2.0 * M_PI * k / points;
            double radius = round == 0   ? 0.05 + 0.5 * share
                            : round == 1 ? exp(-6.0 * share)
                            : round == 2 ? (k & 1 ? 0.5 : 0.001 + 0.01 * share)
                                         : 0.5;
            panel_point(shape, radius * cos(angle), radius * sin(angle));
        }
        panel_close(shape);
        seed = seed * 1664525u + 1013904223u;
        check(shape, 0.01 + 0.2 * (double)(seed >> 8) / 16777216.0);
    }
}

static bool same_mesh(const flat_mesh *a, const flat_mesh *b) {
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->uv, b->uv, a->vertex_count * 2 * sizeof *a->uv) == 0 &&
           memcmp(a->indices, b->indices, a->triangle_count * 3 * sizeof *a->indices) == 0;
}

/* Objects of the library lie at other addresses each time. */
static void test_same_bytes_every_time(void **state) {
    (void)state;
    panel_shape *shape = panel_sleeve(1.0, 400); /* refined a lot */
    flat_mesh first, again;
    assert_ok(triangulate(&shape->o, 0.024, &first));
    void *between[500];
    for (int i = 0; i < 500; i++) {
        between[i] = malloc((size_t)(40 + 8 * (i % 13)));
    }
    for (int i = 0; i < 500; i += 3) {
        free(between[i]);
        between[i] = NULL;
    }
    assert_ok(triangulate(&shape->o, 0.024, &again));
    assert_true(same_mesh(&first, &again));
    for (int i = 0; i < 500; i++) {
        free(between[i]);
    }
    flat_mesh_free(&first);
    flat_mesh_free(&again);
    free(shape);
}

typedef struct job {
    panel_shape *shape;
    flat_mesh mesh;
    toile_result result;
} job;

static void *work(void *argument) {
    job *j = argument;
    j->result = triangulate(&j->shape->o, 0.02, &j->mesh);
    return NULL;
}

static void test_threads_at_once(void **state) {
    (void)state;
    job jobs[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        jobs[i] = (job){.shape = panel_circle(0.4, 90)};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].result, TOILE_OK);
        assert_true(same_mesh(&jobs[0].mesh, &jobs[i].mesh));
    }
    for (int i = 0; i < 4; i++) {
        flat_mesh_free(&jobs[i].mesh);
        free(jobs[i].shape);
    }
}

static void refuse(panel_shape *shape, double edge, toile_result wanted, const char *word) {
    flat_mesh m;
    assert_int_equal(triangulate(&shape->o, edge, &m), wanted);
    assert_non_null(strstr(toile_error_message(), word));
    assert_true(m.uv == NULL && m.indices == NULL && m.vertex_count == 0);
    free(shape);
}

static void test_refused(void **state) {
    (void)state;
    refuse(panel_circle(0.5, 50), 0.0, TOILE_ERROR_INVALID, "positive");
    refuse(panel_circle(0.5, 50), (double)NAN, TOILE_ERROR_INVALID, "positive");
    refuse(panel_circle(0.5, 50), (double)INFINITY, TOILE_ERROR_INVALID, "positive");
    refuse(panel_circle(1e4, 50), 0.001, TOILE_ERROR_MEMORY, "vertices");
    const double thread[4][2] = {{0.0, 0.0}, {1e4, 9e3}, {1e4, 9001.0}, {0.0, 1.0}};
    refuse(panel_polygon(thread, 4), 1e-5, TOILE_ERROR_MEMORY, "vertices");
    panel_shape *pinhole = panel_circle(0.5, 50);
    panel_add_circle(pinhole, 0.6, 0.6, 1e-9, 6, -1);
    refuse(pinhole, 0.1, TOILE_ERROR_INVALID, "loop 1");
    /* outlines are checked before, but this must not hang or crash either */
    const double bow[4][2] = {{0.0, 0.0}, {1.0, 1.0}, {1.0, 0.0}, {0.0, 1.0}};
    refuse(panel_polygon(bow, 4), 0.1, TOILE_ERROR_INVALID, "itself");
    const double skew[4][2] = {{0.0, 0.0}, {1.0, 0.83}, {1.0, 0.0}, {0.0, 1.0}};
    refuse(panel_polygon(skew, 4), 0.1, TOILE_ERROR_INVALID, "itself");
    const double touching[5][2] = {{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.5, 0.0}, {0.0, 1.0}};
    refuse(panel_polygon(touching, 5), 0.1, TOILE_ERROR_INVALID, "itself");
}

static void test_rectangle(void **state) {
    (void)state;
    flat_mesh m;
    assert_ok(triangulate_rectangle(1.0, 0.5, 0.03, &m));
    assert_int_equal(m.vertex_count, 34 * 18);
    assert_int_equal(m.triangle_count, 2 * 33 * 17);
    const double points[4][2] = {{0.0, 0.0}, {1.0, 0.0}, {1.0, 0.5}, {0.0, 0.5}};
    panel_shape *shape = panel_polygon(points, 4);
    figures f = measure_mesh(&m, &shape->o, 0.03);
    assert_near(f.area, 0.5, 1e-6);
    assert_near(f.border, 3.0, 1e-5);
    assert_true(f.angle > 40.0);
    flat_mesh_free(&m);
    free(shape);
    assert_ok(triangulate_rectangle(1.0, 1.0, 7.0, &m));
    assert_int_equal(m.vertex_count, 4);
    flat_mesh_free(&m);
    assert_int_equal(triangulate_rectangle(1.0, 1.0, 1e-6, &m), TOILE_ERROR_MEMORY);
    assert_int_equal(triangulate_rectangle(1.0, 1.0, 1.2e-4, &m), TOILE_ERROR_MEMORY);
    assert_int_equal(triangulate_rectangle(-1.0, 1.0, 0.1, &m), TOILE_ERROR_INVALID);
    assert_int_equal(triangulate_rectangle(1.0, 1.0, -0.1, &m), TOILE_ERROR_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_triangles),
        cmocka_unit_test(test_outline_finer_than_triangles),
        cmocka_unit_test(test_triangles_larger_than_panel),
        cmocka_unit_test(test_thin_tiny_and_large),
        cmocka_unit_test(test_random_outlines),
        cmocka_unit_test(test_same_bytes_every_time),
        cmocka_unit_test(test_threads_at_once),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_rectangle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
