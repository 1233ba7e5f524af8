/* Meshes of other programs are read, and taken apart into pieces of cloth or refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/glb.h"
#include "io/islands.h"
#include "io/mesh_read.h"
#include "io/obj.h"
#include "scratch.h"

static const double PI = 3.14159265358979323846;
static const islands_def automatic = {.scale = 0.0, .limit = ISLANDS_LIMIT};

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.9g is not within %g of %.9g", value, tolerance, expected);
    }
}

/* ---- meshes -------------------------------------------------------------------------------------
 */

/* A sheet of cells with a map from its coordinates to space. */
typedef void surface(double u, double v, double out[3]);

static void flat_surface(double u, double v, double out[3]) {
    memcpy(out, (double[3]){u, v, 0.0}, 3 * sizeof *out);
}

/* Around a cylinder of radius 0.3. */
static void bent_surface(double u, double v, double out[3]) {
    memcpy(out, (double[3]){0.3 * sin(u / 0.3), v, 0.3 * cos(u / 0.3)}, 3 * sizeof *out);
}

/* Longitude and latitude in radians on a sphere of radius 1. */
static void round_surface(double u, double v, double out[3]) {
    memcpy(out, (double[3]){sin(u) * cos(v), sin(v), cos(u) * cos(v)}, 3 * sizeof *out);
}

/* Sheared by a tenth: 5.71 degrees, singular values 1 +- 0.05 and a bit. */
static void sheared_surface(double u, double v, double out[3]) {
    memcpy(out, (double[3]){u + 0.1 * v, v, 0.0}, 3 * sizeof *out);
}

static mesh_data make_sheet(size_t columns, size_t rows, double cell, surface *place) {
    mesh_data m;
    assert_true(mesh_allocate(&m, (columns + 1) * (rows + 1), 2 * columns * rows, false, true));
    for (size_t i = 0; i < m.vertices; i++) {
        double u = cell * (double)(i % (columns + 1)), v = cell * (double)(i / (columns + 1));
        double x[3];
        place(u, v, x);
        m.coordinates[2 * i] = (float)u;
        m.coordinates[2 * i + 1] = (float)v;
        for (int k = 0; k < 3; k++) {
            m.positions[3 * i + (size_t)k] = (float)x[k];
        }
    }
    uint32_t *index = m.indices, up = (uint32_t)columns + 1;
    for (uint32_t i = 0; i < columns * rows; i++) {
        uint32_t a = i / (uint32_t)columns * up + i % (uint32_t)columns;
        const uint32_t two[6] = {a, a + 1, a + up + 1, a, a + up + 1, a + up};
        memcpy(index + 6 * (size_t)i, two, sizeof two);
    }
    return m;
}

static islands cut(const mesh_data *m, const islands_def *def) {
    islands all;
    if (islands_create(&all, m, def, "mesh") != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return all;
}

static islands cut_text(const char *text, const islands_def *def) {
    mesh_data m;
    assert_int_equal(obj_parse(text, strlen(text), "text.obj", &m), TOILE_OK);
    islands all = cut(&m, def);
    mesh_free(&m);
    return all;
}

static void refuse(const mesh_data *m, const islands_def *def, const char *message) {
    islands all = {.count = 77};
    assert_int_not_equal(islands_create(&all, m, def, "mesh.obj"), TOILE_OK);
    assert_message("'mesh.obj'");
    assert_message(message);
    assert_null(all.items);
    assert_int_equal(all.count, 0);
}

static void refuse_text(const char *text, const char *message) {
    mesh_data m;
    assert_int_equal(obj_parse(text, strlen(text), "text.obj", &m), TOILE_OK);
    refuse(&m, &automatic, message);
    mesh_free(&m);
}

static double loop_area(const toile_loop *l) {
    double sum = 0.0;
    const float *from = l->start;
    for (int i = 0; i < l->curve_count; i++) {
        const float *to = l->curves[i].to;
        sum += 0.5 * ((double)from[0] * (double)to[1] - (double)from[1] * (double)to[0]);
        from = to;
    }
    assert_memory_equal(from, l->start, sizeof l->start);
    return sum;
}

/* Every triangle of the island is counter-clockwise, and they have the area of the outline. */
static void check_island(const island *i, double area) {
    double sum = 0.0, inside = 0.0;
    for (size_t t = 0; t < i->flat.triangle_count; t++) {
        const uint32_t *v = i->flat.indices + 3 * t;
        const float *a = i->flat.uv + 2 * v[0], *b = i->flat.uv + 2 * v[1],
                    *c = i->flat.uv + 2 * v[2];
        double one = 0.5 * ((double)(b[0] - a[0]) * (double)(c[1] - a[1]) -
                            (double)(b[1] - a[1]) * (double)(c[0] - a[0]));
        assert_true(one > 0.0);
        sum += one;
    }
    for (int l = 0; l < i->outline.loop_count; l++) {
        double one = loop_area(&i->outline.loops[l]);
        assert_true(l == 0 ? one > 0.0 : one < 0.0);
        inside += one;
    }
    assert_near(sum, area, 1e-6 * area);
    assert_near(inside, area, 1e-6 * area);
    assert_near(i->isometry.area, area, 1e-6 * area);
}

/* ---- good ones ----------------------------------------------------------------------------------
 */

/* Bent around a cylinder, chords are shorter than arcs by (cell / radius)^2 / 24. */
static void bent_sheet_is_isometric(void **state) {
    (void)state;
    for (int finer = 1; finer <= 4; finer *= 2) {
        double cell = 0.05 / finer, chord = 1.0 - sin(cell / 0.6) / (cell / 0.6);
        mesh_data m = make_sheet((size_t)(20 * finer), (size_t)(12 * finer), cell, bent_surface);
        islands all = cut(&m, &(islands_def){.scale = 1.0, .limit = 0.001, .tolerance = 1e-5});
        assert_int_equal(all.count, 1);
        const island *i = &all.items[0];
        check_island(i, 0.6);
        assert_near(i->isometry.max, chord, 1e-5);
        assert_near(i->isometry.mean, 0.5 * chord, 1e-5);
        assert_true(i->isometry.shear_max < 0.01);
        assert_int_equal(i->outline.loop_count, 1);
        assert_int_equal(i->outline.loops[0].curve_count, 4); /* straight sides have no points */
        assert_near(i->size[0], 1.0f, 1e-6);
        assert_near(i->size[1], 0.6f, 1e-6);
        assert_false(i->mirrored);
        islands_free(&all);
        mesh_free(&m);
    }
}

/* Without a tolerance the outline has every point of the border. */
static void outline_has_all_points(void **state) {
    (void)state;
    mesh_data m = make_sheet(7, 5, 0.1, flat_surface);
    islands all = cut(&m, &automatic);
    assert_int_equal(all.items[0].outline.loops[0].curve_count, 24);
    check_island(&all.items[0], 0.35);
    islands_free(&all);
    mesh_free(&m);
}

/* A round border keeps within the tolerance. */
static void outline_is_thinned(void **state) {
    (void)state;
    enum { POINTS = 3000 };
    mesh_data m;
    assert_true(mesh_allocate(&m, POINTS + 1, POINTS, false, true));
    for (uint32_t i = 0; i <= POINTS; i++) {
        double angle = 2.0 * PI * i / POINTS, radius = i == POINTS ? 0.0 : 1.0;
        m.coordinates[2 * i] = m.positions[3 * i] = (float)(radius * cos(angle));
        m.coordinates[2 * i + 1] = m.positions[3 * i + 1] = (float)(radius * sin(angle));
        m.positions[3 * i + 2] = 0.0f;
        if (i < POINTS) {
            const uint32_t corners[3] = {POINTS, i, (i + 1) % POINTS};
            memcpy(m.indices + 3 * i, corners, sizeof corners);
        }
    }
    double tolerance = 1e-3;
    islands all =
        cut(&m, &(islands_def){.scale = 1.0, .limit = ISLANDS_LIMIT, .tolerance = tolerance});
    const toile_loop *l = &all.items[0].outline.loops[0];
    assert_in_range(l->curve_count, 40, 140); /* 70 chords are as far off as that */
    const float *from = l->start;
    for (int i = 0; i < l->curve_count; i++) {
        const float *to = l->curves[i].to;
        double x = 0.5 * (double)(from[0] + to[0]) - 1.0, y = 0.5 * (double)(from[1] + to[1]) - 1.0;
        assert_true(hypot(x, y) > 1.0 - tolerance - 1e-6);
        from = to;
    }
    islands_free(&all);
    mesh_free(&m);
}

static const char
    ring[] = /* a square with a square hole that comes first, coordinates at half the size */
    "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv .5 .5 0\nv 1.5 .5 0\nv 1.5 1.5 0\nv .5 1.5 0\n"
    "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt .25 .25\nvt .75 .25\nvt .75 .75\nvt .25 .75\n"
    "f 5/5 1/1 2/2 6/6\nf 2/2 3/3 7/7 6/6\nf 3/3 4/4 8/8 7/7\nf 4/4 1/1 5/5 8/8\n";

static void hole_is_found(void **state) {
    (void)state;
    islands all = cut_text(ring, &automatic);
    assert_int_equal(all.count, 1);
    assert_near(all.scale, 2.0, 1e-6);
    assert_near(all.isometry.max, 0.0, 1e-6);
    assert_int_equal(all.items[0].outline.loop_count, 2);
    check_island(&all.items[0], 3.0);
    assert_near(loop_area(&all.items[0].outline.loops[1]), -1.0, 1e-6);
    islands_free(&all);
}

/* Two squares, the second as a mirror image; they share an edge in space and none in the pattern.
 * The first is written with vertices of its own for each triangle. */
static const char two[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\n"
                          "v 0 0 0\nv 1 1 0\n"
                          "vt 3 3\nvt 4 3\nvt 4 4\nvt 3 4\nvt 1 0\nvt 0 0\nvt 0 1\nvt 1 1\n"
                          "f 1/1 2/2 3/3\nf 7/1 8/3 4/4\nf 2/5 5/6 6/7 3/8\n";

static void islands_are_apart(void **state) {
    (void)state;
    islands all = cut_text(two, &(islands_def){.scale = 1.0, .limit = ISLANDS_LIMIT});
    assert_int_equal(all.count, 2);
    for (int i = 0; i < 2; i++) {
        const island *one = &all.items[i];
        check_island(one, 1.0);
        assert_int_equal(one->mirrored, i == 1);
        assert_int_equal(one->flat.vertex_count, 4);
        assert_near(one->isometry.max, 0.0, 1e-6);
        for (size_t v = 0; v < 4; v++) { /* turned round, u runs along x again */
            assert_near(one->positions[3 * v], one->flat.uv[2 * v] + (float)i, 1e-6);
            assert_near(one->positions[3 * v + 1], one->flat.uv[2 * v + 1], 1e-6);
        }
    }
    islands_free(&all);
}

static void shear_is_measured(void **state) {
    (void)state;
    mesh_data m = make_sheet(4, 4, 0.25, sheared_surface);
    islands all = cut(&m, &(islands_def){.scale = 1.0, .limit = ISLANDS_LIMIT});
    double large = 0.05 + sqrt(1.0 + 0.05 * 0.05), small = 1.0 / large; /* of a shear by 0.1 */
    assert_near(all.isometry.mean, 0.5 * (large - small), 1e-5);
    assert_near(all.isometry.max, large - 1.0, 1e-5);
    assert_near(all.isometry.shear_mean, atan(0.1) * 180.0 / PI, 1e-3);
    assert_near(all.isometry.shear_max, atan(0.1) * 180.0 / PI, 1e-3);
    islands_free(&all);
    mesh_free(&m);
}

/* ---- bad ones -----------------------------------------------------------------------------------
 */

/* Up to 80 degrees of latitude, circles are as short as a sixth of what the pattern says. */
static void sphere_is_refused(void **state) {
    (void)state;
    mesh_data m = make_sheet(80, 80, PI / 180.0, round_surface);
    refuse(&m, &(islands_def){.scale = 1.0, .limit = ISLANDS_LIMIT},
           "stretched by 14.7 % on average and 82.6 % at most");
    refuse(&m, &(islands_def){.scale = 1.0, .limit = ISLANDS_LIMIT},
           "expected at most 10 % and 50 %");
    islands all = cut(&m, &(islands_def){.scale = 1.0, .limit = 0.2});
    /* 1 - cos, averaged, and halved for the meridians that keep their length */
    double end = 80.0 * PI / 180.0;
    assert_near(all.isometry.mean, 0.5 * (1.0 - sin(end) / end), 1e-3);
    assert_near(all.isometry.max, 1.0 - cos(end), 1e-3);
    islands_free(&all);
    refuse(&m, &(islands_def){.scale = 1.0, .limit = 0.16}, "expected at most 16 % and 80 %");
    mesh_free(&m);
}

static void wrong_scale_is_refused(void **state) {
    (void)state;
    mesh_data m = make_sheet(3, 3, 0.1, flat_surface);
    refuse(&m, &(islands_def){.scale = 2.0, .limit = ISLANDS_LIMIT}, "scale of equal areas is 1");
    refuse(&m, &(islands_def){.scale = 1e6, .limit = 1e9}, "expected at most 10000 m");
    mesh_free(&m);
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"

static void bad_meshes_are_refused(void **state) {
    (void)state;
    refuse_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "no texture coordinates");
    refuse_text(SQUARE "vt .5 .5\nf 1/1 2/2 3/3\nf 1/1 3/3 4/5\n",
                "triangle 2, at (0, 0) of the flat pattern, has no area there");
    refuse_text(SQUARE "f 1/1 2/2 3/3\nf 1/1 3/3 3/3\n", "triangle 2");
    refuse_text(SQUARE "v 2 1 0\nvt .5 .7\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\nf 3/3 2/2 5/5\n",
                "triangle 3, at (1, 1) of the flat pattern, is flipped");
    refuse_text(SQUARE "v 0 0 1\nvt 0 2\nf 1/1 3/3 4/4\nf 1/1 3/3 5/5\n",
                "the edge from (0, 0) to (1, 1) of the flat pattern, of triangles 1 and 2, has "
                "both on the same side");
    refuse_text(SQUARE "v 0 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\nf 3/3 1/1 5/2\n",
                "has more than two triangles");
    refuse_text("v 0 0 0\nv 0 0 0\nv 0 0 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n",
                "no area in space");
    mesh_data m = make_sheet(2, 2, 0.1, flat_surface);
    m.positions[4] = NAN;
    refuse(&m, &automatic, "vertex 2 is not finite");
    m.positions[4] = 0.0f;
    m.coordinates[7] = INFINITY;
    refuse(&m, &automatic, "vertex 4 is not finite");
    mesh_free(&m);
}

/* Three squares around a corner of which the outer ones also meet there by that corner alone: the
 * ring is open. */
static void pinched_border_is_refused(void **state) {
    (void)state;
    mesh_data m = make_sheet(3, 3, 1.0, flat_surface);
    /* All cells but the middle one and one beside the corner of it. */
    const int cells[] = {0, 1, 2, 3, 5, 6, 7};
    uint32_t kept[6 * 7];
    for (int i = 0; i < 7; i++) {
        memcpy(kept + 6 * i, m.indices + 6 * cells[i], 6 * sizeof *kept);
    }
    memcpy(m.indices, kept, sizeof kept);
    m.triangles = 14;
    refuse(&m, &automatic, "touches itself at (2, 2)");
    mesh_free(&m);
}

/* ---- files --------------------------------------------------------------------------------------
 */

/* Morph targets do not matter. */
static toile_result read_still(void *motion, uint32_t sample, float *positions) {
    (void)sample;
    const mesh_data *m = motion;
    memcpy(positions, m->positions, 3 * m->vertices * sizeof *positions);
    return TOILE_OK;
}

static void write_glb(const char *path, const mesh_data *m) {
    mesh_data still = *m;
    glb_surface cloth = {.mesh = mesh_get_view(m, "sheet"),
                         .read = read_still,
                         .motion = &still,
                         .color = {1, 1, 1}};
    glb_scene scene = {.surfaces = &cloth, .surface_count = 1, .samples = 3, .frame_time = 0.1};
    assert_int_equal(glb_write(path, &scene), TOILE_OK);
}

/* Only v is rounded, as 1 - v is written. */
static void written_glb_comes_back(void **state) {
    (void)state;
    mesh_data m = make_sheet(9, 6, 0.07, bent_surface), back;
    write_glb(scratch("a.glb"), &m);
    if (mesh_read(scratch("a.glb"), &back) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    assert_int_equal(back.vertices, m.vertices);
    assert_int_equal(back.triangles, m.triangles);
    assert_memory_equal(back.indices, m.indices, 3 * m.triangles * sizeof *m.indices);
    assert_memory_equal(back.positions, m.positions, 3 * m.vertices * sizeof *m.positions);
    for (size_t i = 0; i < m.vertices; i++) {
        assert_near(back.coordinates[2 * i], m.coordinates[2 * i], 0.0);
        assert_near(back.coordinates[2 * i + 1], m.coordinates[2 * i + 1], 6e-8);
    }
    islands all = cut(&back, &automatic);
    assert_int_equal(all.count, 1);
    assert_false(all.items[0].mirrored);
    islands_free(&all);
    mesh_free(&back);
    mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bent_sheet_is_isometric), cmocka_unit_test(outline_has_all_points),
        cmocka_unit_test(outline_is_thinned),      cmocka_unit_test(hole_is_found),
        cmocka_unit_test(islands_are_apart),       cmocka_unit_test(shear_is_measured),
        cmocka_unit_test(sphere_is_refused),       cmocka_unit_test(wrong_scale_is_refused),
        cmocka_unit_test(bad_meshes_are_refused),  cmocka_unit_test(pinched_border_is_refused),
        scratch_test(written_glb_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
