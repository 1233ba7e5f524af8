/* What refinement misses, as CSV: against the resolution of the peel images and against the spacing
 * of the cloth (Wang 2005 sections 4.2 and 6.7), and where a body overlaps itself. And how long its
 * passes take.
 *
 *     refine_misses [DEVICE]
 *
 * The body is the mannequin, the cloth a wavy sheet through its chest and arms; truth is
 * solid_distance(). No test: it checks nothing. */
#include <stdio.h>

#include "refines.h"

#include "base/clock.h"
#include "figure/mannequin.h"

static test_mesh make_mannequin(void) {
    mannequin_def def = mannequin_default();
    character body;
    assert_int_equal(mannequin_create(&def, &body), TOILE_OK);
    test_mesh m = test_mesh_make(body.vertices, body.triangles);
    memcpy(m.positions, body.positions, 3 * body.vertices * sizeof(float));
    memcpy(m.triangles, body.indices, 3 * body.triangles * sizeof(uint32_t));
    character_free(&body);
    return m;
}

static cloth_case *sheet(int size, int levels, const test_mesh *body) {
    cloth_case *c = case_make(size, size);
    c->def.options = refine_default_options();
    c->def.options.levels = levels;
    case_flat(c, 1.2f, 1.1f, 0.0f);
    for (int i = 0; i < size * size; i++) {
        float *p = c->coarse + 3 * i;
        p[2] = 0.03f + 0.04f * sinf(9.0f * p[0] + 1.0f) + 0.03f * sinf(7.0f * p[1]);
        p[1] += 1.05f;
    }
    case_add(c,
             (test_mesh){body->positions, body->triangles, body->vertices, body->triangle_count});
    return c;
}

/* The body is the caller's. */
static void sheet_free(cloth_case *c) {
    c->def.object_count = 0;
    case_free(c);
}

typedef struct misses {
    int judged, inside, missed, deep, invented;
} misses;

/* Of vertices that were judged where they are: nothing was corrected. */
static misses count_misses(const cloth_case *c, const solid *s) {
    misses m = {0};
    for (int i = 0; i < c->columns * c->rows; i++) {
        const int column = i % c->columns, row = i / c->columns;
        if (refine_level_of(column, row, c->def.options.levels) == 0) {
            continue;
        }
        const float distance = solid_distance(s, case_at(c, column, row), 10.0f).w;
        const bool found = c->marks[i] & REFINE_INSIDE;
        m.judged++;
        m.inside += distance < 0.0f;
        m.missed += distance < 0.0f && !found;
        m.deep += distance < -0.001f && !found;
        m.invented += distance > 0.0f && found;
    }
    return m;
}

static void against_resolution(const refine_driver *driver, const test_mesh *body, const solid *s) {
    static const int views[] = {1, 3, 7, 13};
    puts("device,views,rule,resolution,vertices,inside,missed,missed_deeper_than_1_mm,invented");
    for (int v = 0; v < 4; v++) {
        for (int any = 0; any < (v > 0 ? 2 : 1); any++) {
            for (int side = 32; side <= 1024; side *= 2) {
                cloth_case *c = sheet(17, 3, body);
                c->def.options.correction = REFINE_LEAVE;
                c->def.options.directions = views[v];
                c->def.options.resolution = side;
                c->def.options.any = any;
                case_run(c, driver);
                const misses m = count_misses(c, s);
                printf("%s,%d,%s,%d,%d,%d,%d,%d,%d\n", driver->name, views[v],
                       any ? "any" : "majority", side, m.judged, m.inside, m.missed, m.deep,
                       m.invented);
                sheet_free(c);
            }
        }
    }
}

/* Share of the refined surface that is inside, by samples: what lies between vertices is missed. */
static double share_inside(const cloth_case *c, const solid *s, double *deepest) {
    enum { SAMPLES = 129 };
    int inside = 0;
    *deepest = 0.0;
    for (int j = 0; j < SAMPLES; j++) {
        for (int i = 0; i < SAMPLES; i++) {
            const float u = (float)i / SAMPLES * (float)(c->columns - 1);
            const float v = (float)j / SAMPLES * (float)(c->rows - 1);
            const int x = (int)u, y = (int)v;
            const v3 p =
                refine_interpolate(case_at(c, x, y), case_at(c, x + 1, y), case_at(c, x, y + 1),
                                   case_at(c, x + 1, y + 1), u - (float)x, v - (float)y);
            const double distance = (double)solid_distance(s, p, 10.0f).w;
            inside += distance < 0.0;
            *deepest = fmax(*deepest, -distance);
        }
    }
    return (double)inside / (SAMPLES * SAMPLES);
}

static void against_spacing(const refine_driver *driver, const test_mesh *body, const solid *s) {
    static const char *const names[] = {"none", "image", "object"};
    puts("device,correction,grid,spacing_mm,area_inside_percent,deepest_mm,vertices_deeper_than_1_"
         "mm");
    for (int correction = REFINE_LEAVE; correction <= REFINE_OBJECT; correction++) {
        for (int levels = 1; levels <= 5; levels++) {
            double deepest = 0.0;
            cloth_case *c = sheet(9, levels, body);
            c->def.options.correction = (refine_correction)correction;
            c->def.options.any = correction == REFINE_OBJECT;
            case_run(c, driver);
            const double share = share_inside(c, s, &deepest);
            int deep = 0;
            for (int i = 0; i < c->columns * c->rows; i++) {
                const int column = i % c->columns, row = i / c->columns;
                deep += refine_level_of(column, row, levels) > 0 &&
                        solid_distance(s, case_at(c, column, row), 10.0f).w < -0.001f;
            }
            printf("%s,%s,%d,%.1f,%.2f,%.1f,%d\n", driver->name, names[correction], c->columns,
                   1e3 * (double)c->def.spacing[0] / (1 << levels), 100.0 * share, 1e3 * deepest,
                   deep);
            sheet_free(c);
        }
    }
}

static bool is_in_box(v3 p, float x, float half) {
    return k_abs(p.x - x) < half && k_abs(p.y) < half && k_abs(p.z) < half;
}

/* Two boxes in one mesh, by how much they overlap. */
static void at_overlaps(const refine_driver *driver) {
    puts("device,overlap,rule,inside,missed,invented");
    for (int overlap = 0; overlap <= 4; overlap++) {
        for (int rule = REFINE_PARITY; rule <= REFINE_WINDING; rule++) {
            const float off = 0.2f - 0.05f * (float)overlap + 0.001f;
            cloth_case *c = case_make(9, 9);
            int inside = 0, missed = 0, invented = 0;
            c->def.options.levels = 3;
            c->def.options.directions = 3;
            c->def.options.rule = (refine_rule)rule;
            c->def.options.correction = REFINE_LEAVE;
            case_flat(c, 1.13f, 1.13f, 0.03f);
            case_add(c, mesh_joined(mesh_at(test_cube(0.2f), -off, 0.0f, 0.0f),
                                    mesh_at(test_cube(0.2f), off, 0.0f, 0.0f)));
            case_run(c, driver);
            for (int i = 0; i < c->columns * c->rows; i++) {
                const int column = i % c->columns, row = i / c->columns;
                const v3 p = case_at(c, column, row);
                const bool in = is_in_box(p, -off, 0.2f) || is_in_box(p, off, 0.2f);
                const bool found = c->marks[i] & REFINE_INSIDE;
                if (refine_level_of(column, row, 3) > 0) {
                    inside += in;
                    missed += in && !found;
                    invented += !in && found;
                }
            }
            printf("%s,%.0f%%,%s,%d,%d,%d\n", driver->name, 25.0 * overlap,
                   rule == REFINE_PARITY ? "parity" : "winding", inside, missed, invented);
            case_free(c);
        }
    }
}

static void times_of_passes(const refine_driver *driver, const test_mesh *body) {
    static const char *const names[] = {"none", "image", "object", "history"};
    printf("device,correction,views,grid,frame_ms");
    for (int pass = 0; pass < REFINE_PASS_COUNT; pass++) {
        printf(",%s_ms", refine_pass_names[pass]);
    }
    puts("");
    for (int correction = REFINE_IMAGE; correction <= REFINE_HISTORY; correction++) {
        for (int views = 1; views <= 3; views += 2) {
            enum { FRAMES = 20 };
            cloth_case *c = sheet(17, 3, body);
            c->def.options.correction = (refine_correction)correction;
            c->def.options.directions = views;
            c->def.options.stop = REFINE_STOP_LATE;
            refiner *r = case_open(c, driver);
            case_step(c, driver, r);
            case_read(c, driver, r);
            const double begin = clock_ms();
            for (int frame = 0; frame < FRAMES; frame++) {
                case_step(c, driver, r);
            }
            case_read(c, driver, r);
            printf("%s,%s,%d,%d,%.2f", driver->name, names[correction], views, c->columns,
                   (clock_ms() - begin) / FRAMES);
            for (int pass = 0; pass < REFINE_PASS_COUNT; pass++) {
                printf(",%.2f", c->result.times[pass]);
            }
            puts("");
            driver->close(r);
            sheet_free(c);
        }
    }
}

int main(int argc, char *argv[]) {
    const refine_driver *driver = &cpu_refine_driver;
    if (argc > 1 && strcmp(argv[1], "gl") == 0) {
        driver = &gl_refine_driver;
    }
    test_mesh body = make_mannequin();
    const toile_mesh_def def = test_mesh_def(&body);
    solid s;
    if (solid_create(&s, &def) != TOILE_OK) {
        fprintf(stderr, "refine_misses: %s\n", toile_error_message());
        return 1;
    }
    against_resolution(driver, &body, &s);
    against_spacing(driver, &body, &s);
    at_overlaps(driver);
    times_of_passes(driver, &body);
    solid_free(&s);
    test_mesh_free(&body);
    return 0;
}
