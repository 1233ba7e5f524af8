/* Measuring: self-intersections against every pair of triangles, how much work it takes,
 * and which strains count. */
#include "outlines.h"

#include <math.h>
#include <stdlib.h>

#include "step/intersect.h"
#include "step/world.h"

/* ---- the definition, pair by pair ---------------------------------------------------------------
 */

static double volume(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static bool segment_cuts(const double p[3], const double q[3], double t[3][3]) {
    double over = volume(t[0], t[1], t[2], p) * volume(t[0], t[1], t[2], q);
    double a = volume(p, q, t[0], t[1]), b = volume(p, q, t[1], t[2]), c = volume(p, q, t[2], t[0]);
    return over < 0.0 && ((a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0));
}

/* An edge of one that shares no vertex with the other, through its inside. */
static bool edges_cut(double a[3][3], double b[3][3], const bool shared[3]) {
    bool cut = false;
    for (int k = 0; k < 3; k++) {
        cut = cut || (!shared[k] && !shared[(k + 1) % 3] && segment_cuts(a[k], a[(k + 1) % 3], b));
    }
    return cut;
}

/* The height of p over the edge a b in the plane y = 0, in heights of c. */
static double flat_height(const double a[3], const double b[3], const double c[3],
                          const double p[3]) {
    double dx = b[0] - a[0], dz = b[2] - a[2];
    return (dx * (p[2] - a[2]) - dz * (p[0] - a[0])) / (dx * (c[2] - a[2]) - dz * (c[0] - a[0]));
}

/* Both in the plane y = 0, and no edge of the first one has all of the second beyond it. */
static bool lies_over(double a[3][3], double b[3][3]) {
    bool over = true;
    for (int k = 0; k < 3; k++) {
        const double *p = a[k], *q = a[(k + 1) % 3], *r = a[(k + 2) % 3];
        double deepest = 0.0;
        for (int i = 0; i < 3; i++) {
            deepest = fmax(deepest, flat_height(p, q, r, b[i]));
        }
        over = over && deepest > 0.01 && a[k][1] == 0.0 && b[k][1] == 0.0;
    }
    return over;
}

static bool pair_cuts(const float *x, const uint32_t *i, const uint32_t *j) {
    double a[3][3], b[3][3];
    bool of_a[3] = {false, false, false}, of_b[3] = {false, false, false};
    int shared = 0;
    for (int k = 0; k < 9; k++) {
        bool same = i[k / 3] == j[k % 3];
        of_a[k / 3] = of_a[k / 3] || same;
        of_b[k % 3] = of_b[k % 3] || same;
        shared += same;
        a[k / 3][k % 3] = (double)x[3 * i[k / 3] + (uint32_t)k % 3];
        b[k / 3][k % 3] = (double)x[3 * j[k / 3] + (uint32_t)k % 3];
    }
    return shared < 2 && (edges_cut(a, b, of_a) || edges_cut(b, a, of_b) ||
                          (shared == 0 && lies_over(a, b) && lies_over(b, a)));
}

static uint64_t count_all_pairs(const float *x, const uint32_t *indices, size_t triangles) {
    uint64_t cuts = 0;
    for (size_t i = 0; i < triangles; i++) {
        for (size_t j = i + 1; j < triangles; j++) {
            cuts += pair_cuts(x, indices + 3 * i, indices + 3 * j);
        }
    }
    return cuts;
}

/* ---- sheets in all states -----------------------------------------------------------------------
 */

enum { SIDE = 25 };

typedef void shape_of(float u, float v, float x[3]); /* u, v: 0 to 1 */

static float noise(float u, float v, int k) {
    float n = sinf(12.9898f * u + 78.233f * v + 37.719f * (float)k) * 43758.547f;
    return n - floorf(n);
}

static void flat(float u, float v, float x[3]) {
    x[0] = u;
    x[1] = 0.0f;
    x[2] = v;
}

static void crumpled(float u, float v, float x[3]) {
    for (int k = 0; k < 3; k++) {
        x[k] = 0.3f * noise(u, v, k);
    }
}

static void rolled(float u, float v, float x[3]) { /* three times around, each time over itself */
    float angle = 18.85f * u, radius = 0.1f + 0.02f * sinf(40.0f * u + 5.0f * v);
    x[0] = radius * cosf(angle);
    x[1] = v;
    x[2] = radius * sinf(angle);
}

static void folded(float u, float v, float x[3]) { /* exactly onto itself: in the same place */
    x[0] = u < 0.5f ? u : 1.0f - u;
    x[1] = 0.0f;
    x[2] = v;
}

static void crossed(float u, float v, float x[3]) { /* the ends go through the middle */
    x[0] = sinf(12.0f * u);
    x[1] = cosf(18.0f * u + 0.3f * v) * 0.3f;
    x[2] = v;
}

static float fold; /* from flat to folds that go through each other */

static void waves(float u, float v, float x[3]) {
    x[0] = u + 0.1f * fold * sinf(14.0f * u + 2.0f * v);
    x[1] = 0.1f * fold * sinf(28.0f * u + 3.0f * v);
    x[2] = v + 0.05f * fold * sinf(9.0f * v + 4.0f * u);
}

static void gathered(float u, float v, float x[3]) { /* all in one place, and a corner far away */
    crumpled(u, v, x);
    if (u == 1.0f && v == 1.0f) {
        x[1] = 1e5f;
    }
}

static toile_world *make_test_world(void) {
    toile_world_def def = test_world_def();
    return make_world(&def);
}

static toile_cloth_id add_sheet(toile_world *world, shape_of *shape, float up) {
    toile_cloth_def def = toile_default_cloth_def();
    def.size[0] = def.size[1] = 1.0f;
    def.spacing = 1.0f / (float)(SIDE - 1);
    toile_cloth_id id = add_cloth(world, &def);
    float x[3 * SIDE * SIDE];
    for (int t = 0; t < SIDE * SIDE; t++) {
        shape((float)(t % SIDE) / (SIDE - 1), (float)(t / SIDE) / (SIDE - 1), x + 3 * t);
        x[3 * t + 1] += up;
    }
    assert_ok(toile_cloth_set_texel_positions(world, id, x, SIDE * SIDE));
    return id;
}

static uint64_t count_pairs_of(const toile_world *world) {
    enum { SHEETS = 3, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
    static float x[SHEETS * VERTICES * 3];
    static uint32_t indices[SHEETS * TRIANGLES * 3];
    toile_cloth_id ids[SHEETS];
    int count = toile_world_get_cloths(world, ids, SHEETS);
    for (int c = 0; c < count; c++) {
        uint32_t *of = indices + 3 * TRIANGLES * c;
        assert_ok(toile_cloth_get_mesh_positions(world, ids[c], x + 3 * VERTICES * c, VERTICES));
        assert_ok(toile_cloth_get_mesh_triangles(world, ids[c], of, TRIANGLES));
        for (int i = 0; i < 3 * TRIANGLES; i++) {
            of[i] += (uint32_t)(VERTICES * c);
        }
    }
    size_t triangles = (size_t)(TRIANGLES * count);
    uint64_t expected = count_all_pairs(x, indices, triangles), found;
    bool whole;
    assert_ok(count_intersections(x, (size_t)(VERTICES * count), indices, triangles, UINT64_MAX,
                                  &found, &whole));
    assert_int_equal(found, expected);
    assert_true(whole);
    return expected;
}

static void one_sheet_counts_as_all_pairs_do(void **state) {
    (void)state;
    static const struct {
        shape_of *shape;
        bool cuts;
    } cases[] = {{flat, false},  {crumpled, true}, {rolled, true},
                 {folded, true}, {crossed, true},  {gathered, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        toile_world *world = make_test_world();
        toile_cloth_id id = add_sheet(world, cases[i].shape, 0.0f);
        uint64_t expected = count_pairs_of(world);
        assert_int_equal(measure(world, id).self_intersections, expected);
        assert_int_equal(expected > 0, cases[i].cuts);
        toile_world_destroy(world);
    }
}

/* Where cloth is flat nobody looks: nothing is missed on the way from flat to folded. */
static void nothing_is_missed_in_waves(void **state) {
    (void)state;
    uint64_t most = 0;
    for (fold = 0.0f; fold < 2.0f; fold += 0.25f) {
        toile_world *world = make_test_world();
        toile_cloth_id id = add_sheet(world, waves, 0.0f);
        uint64_t expected = count_pairs_of(world);
        assert_int_equal(measure(world, id).self_intersections, expected);
        most = expected > most ? expected : most;
        toile_world_destroy(world);
    }
    assert_true(most > 0);
}

static void an_outline_counts_as_all_pairs_do(void **state) {
    (void)state;
    toile_world *world = make_test_world();
    test_outline ring;
    make_ring(&ring);
    toile_panel *cooked = cook_outline(&ring, 0.05f, 10.0f);
    toile_cloth_def def = toile_default_cloth_def();
    def.panel = cooked;
    toile_cloth_id id = add_cloth(world, &def);
    toile_cloth_info info = toile_cloth_get_info(world, id);
    float *texels = calloc(info.texels, 3 * sizeof *texels);
    float *x = calloc(info.vertices, 3 * sizeof *x);
    uint32_t *indices = calloc(info.triangles, 3 * sizeof *indices);
    for (size_t t = 0; t < info.texels; t++) {
        crumpled((float)(t % 7), (float)t, texels + 3 * t);
    }
    assert_ok(toile_cloth_set_texel_positions(world, id, texels, info.texels));
    assert_ok(toile_cloth_get_mesh_positions(world, id, x, info.vertices));
    assert_ok(toile_cloth_get_mesh_triangles(world, id, indices, info.triangles));
    uint64_t expected = count_all_pairs(x, indices, info.triangles);
    assert_true(expected > 0);
    assert_int_equal(measure(world, id).self_intersections, expected);
    free(texels);
    free(x);
    free(indices);
    toile_panel_destroy(cooked);
    toile_world_destroy(world);
}

/* Crossings of two cloths count for both, and once in all. */
static void several_sheets_count_by_cloth(void **state) {
    (void)state;
    toile_world *world = make_test_world();
    toile_cloth_id first = add_sheet(world, crossed, 0.0f);
    add_sheet(world, crumpled, -0.1f);
    toile_cloth_id last = add_sheet(world, flat, 5.0f);
    toile_metrics all, each[3];
    assert_ok(toile_world_measure_cloths(world, TOILE_MEASURE_INTERSECTIONS, &all, each, 3));
    assert_int_equal(each[0].self_intersections, measure(world, first).self_intersections);
    assert_true(each[0].cloth_intersections > 0);
    assert_int_equal(each[0].cloth_intersections, each[1].cloth_intersections);
    assert_int_equal(each[2].cloth_intersections, 0);
    assert_int_equal(each[2].self_intersections, measure(world, last).self_intersections);
    assert_int_equal(all.cloth_intersections, each[0].cloth_intersections);
    assert_int_equal(all.self_intersections, each[0].self_intersections +
                                                 each[1].self_intersections +
                                                 all.cloth_intersections);
    assert_int_equal(all.self_intersections, count_pairs_of(world));
    assert_int_equal(toile_world_measure_cloths(world, TOILE_MEASURE_ALL, &all, each, 2),
                     TOILE_ERROR_INVALID);
    toile_world_destroy(world);
}

/* ---- work ---------------------------------------------------------------------------------------
 */

static void far_corner(float u, float v, float x[3]) {
    flat(u, v, x);
    if (u == 0.0f && v == 0.0f) {
        x[1] = 1e3f;
    }
}

static uint64_t work_of(shape_of *shape) {
    toile_world *world = make_test_world();
    measure(world, add_sheet(world, shape, 0.0f));
    uint64_t work = world->measuring->work;
    toile_world_destroy(world);
    return work;
}

/* One texel far away makes long triangles, which meet the boxes of a few others. */
static void a_far_texel_costs_little(void **state) {
    (void)state;
    enum { TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
    assert_int_equal(work_of(flat), 0); /* flat cloth is not looked at */
    assert_true(work_of(far_corner) < TRIANGLES);
    assert_true(work_of(rolled) > TRIANGLES); /* there it is counted */
}

/* ---- threads and stops --------------------------------------------------------------------------
 */

static int patience; /* calls until the handler stops what is going on */

static bool lose_patience(void *user) {
    (void)user;
    return --patience < 0;
}

static toile_world *make_crumpled_world(int threads) {
    toile_world_def def = test_world_def();
    def.threads = threads;
    def.stop = lose_patience;
    toile_world *world = make_world(&def);
    add_ball(world, 0.1f, 0.1f);
    add_sheet(world, rolled, 0.0f);
    add_sheet(world, crossed, 0.1f);
    return world;
}

static void threads_change_no_bit(void **state) {
    (void)state;
    toile_metrics one[2], other[2], all[2];
    for (int threads = 2; threads <= 5; threads += 3) {
        toile_world *single = make_crumpled_world(1), *many = make_crumpled_world(threads);
        patience = 1 << 20;
        assert_ok(toile_world_measure_cloths(single, TOILE_MEASURE_ALL, &all[0], one, 2));
        assert_ok(toile_world_measure_cloths(many, TOILE_MEASURE_ALL, &all[1], other, 2));
        assert_memory_equal(one, other, sizeof one);
        assert_memory_equal(&all[0], &all[1], sizeof all[0]);
        assert_true(all[0].self_intersections > 0 && all[0].penetration.count > 0);
        toile_world_destroy(single);
        toile_world_destroy(many);
    }
}

/* The handler is asked before each task, and nothing of what was begun is left behind. */
static void measuring_can_be_stopped(void **state) {
    (void)state;
    toile_world *world = make_crumpled_world(1);
    toile_cloth_id all = {0};
    toile_metrics whole, after;
    patience = 1 << 20;
    assert_ok(toile_world_measure(world, all, &whole));
    int asked = (1 << 20) - patience;
    assert_true(asked > 10);
    for (int calls = 0; calls < asked; calls += 7) {
        patience = calls;
        assert_int_equal(toile_world_measure(world, all, &after), TOILE_ERROR_STOPPED);
        assert_int_equal(patience, -1);
    }
    patience = 1 << 20;
    assert_ok(toile_world_measure(world, all, &after));
    assert_memory_equal(&whole, &after, sizeof whole);
    toile_world_destroy(world);
}

static void torn_off(float u, float v, float x[3]) { /* its first column, by half a spacing */
    flat(u, v, x);
    if (u == 0.0f) {
        x[0] -= 0.5f / (SIDE - 1);
    }
}

static void pin_texel(toile_world *world, toile_cloth_id id, int i, int j) {
    toile_pin_def def = toile_default_pin_def();
    def.kind = TOILE_PIN_POINT;
    def.point[0] = (float)i / (SIDE - 1);
    def.point[1] = (float)j / (SIDE - 1);
    add_pin(world, id, &def);
}

/* What pins hold at both ends is their motion, and is told apart from what the solver did. */
static void what_pins_strain_is_apart(void **state) {
    (void)state;
    enum { EDGES = 2 * SIDE * (SIDE - 1), HALF = SIDE / 2 };
    toile_world *world = make_test_world();
    toile_cloth_id id = add_sheet(world, torn_off, 0.0f);
    toile_strain s = measure(world, id).strain;
    assert_near(s.max, 0.5, 1e-5);
    assert_near(s.mean, 0.5 * SIDE / EDGES, 1e-5);
    assert_true(s.pinned == 0.0);
    for (int j = 0; j < SIDE; j++) {
        pin_texel(world, id, 0, j);
        if (j == HALF - 1) { /* one end alone */
            s = measure(world, id).strain;
            assert_near(s.mean, 0.5 * SIDE / (EDGES - (HALF - 1)), 1e-5);
            assert_near(s.pinned, 0.0, 1e-5);
        }
    }
    for (int j = 0; j < SIDE; j++) {
        pin_texel(world, id, 1, j);
        if (j == HALF - 1) {
            s = measure(world, id).strain;
            int held = SIDE - 1 + HALF + HALF - 1;
            assert_near(s.max, 0.5, 1e-5);
            assert_near(s.mean, 0.5 * (SIDE - HALF) / (EDGES - held), 1e-5);
            assert_near(s.pinned, 0.5, 1e-5);
        }
    }
    add_sheet(world, flat, 1.0f);
    toile_metrics all, each[2];
    assert_ok(toile_world_measure_cloths(world, TOILE_MEASURE_STRAIN, &all, each, 2));
    assert_near(all.strain.max, 0.0, 1e-5);
    assert_near(all.strain.pinned, 0.5, 1e-5);
    assert_near(each[0].strain.pinned, 0.5, 1e-5);
    assert_true(each[1].strain.pinned == 0.0);
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sheet_counts_as_all_pairs_do),
        cmocka_unit_test(nothing_is_missed_in_waves),
        cmocka_unit_test(an_outline_counts_as_all_pairs_do),
        cmocka_unit_test(several_sheets_count_by_cloth),
        cmocka_unit_test(a_far_texel_costs_little),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(measuring_can_be_stopped),
        cmocka_unit_test(what_pins_strain_is_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
