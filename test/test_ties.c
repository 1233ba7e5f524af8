/* Ties and soft pins: springs take no momentum and give no energy, they come and go, threads give
 * the same bits, what is not tied does not know of it, and bad ones are refused. */
#include "patchwork.h"

/* ---- laws ---------------------------------------------------------------------------------------
 */

/* Two cloths of 0.3 m side by side, a gap between them, tied along it. */
typedef struct pair {
    toile_world *world;
    toile_cloth_id cloths[2];
    toile_tie_id tie;
} pair;

static toile_tie_def pair_tie(const pair *p) {
    static const float left[4] = {0.3f, 0.0f, 0.3f, 0.3f}, right[4] = {0.0f, 0.0f, 0.0f, 0.3f};
    toile_tie_def tie = toile_default_tie_def();
    tie.runs[0] = (toile_tie_run){p->cloths[0], left, 2};
    tie.runs[1] = (toile_tie_run){p->cloths[1], right, 2};
    return tie;
}

static pair make_pair(const toile_world_def *def, float gap) {
    pair p = {.world = make_world(def)};
    for (int k = 0; k < 2; k++) {
        toile_cloth_def cloth = toile_default_cloth_def();
        cloth.size[0] = cloth.size[1] = 0.3f;
        cloth.spacing = k ? 0.02f : 0.025f;
        cloth.transform.rotate[0] = -90.0f;
        cloth.transform.translate[0] = (k ? 0.5f : -0.5f) * (0.3f + gap);
        p.cloths[k] = add_cloth(p.world, &cloth);
    }
    return p;
}

/* Of rectangles whose sizes are multiples of their spacings. */
static double texel_mass(const toile_cloth_info *info, int t) {
    const int i = t % info->columns, j = t / info->columns;
    const double cells = (info->columns - 1) * (info->rows - 1);
    return info->mass / cells * (i == 0 || i == info->columns - 1 ? 0.5 : 1.0) *
           (j == 0 || j == info->rows - 1 ? 0.5 : 1.0);
}

static void add_momentum(toile_world *world, toile_cloth_id cloth, double sum[3]) {
    const toile_cloth_info info = toile_cloth_get_info(world, cloth);
    float *v = malloc(3 * info.texels * sizeof *v);
    assert_non_null(v);
    assert_ok(toile_cloth_get_texel_velocities(world, cloth, v, info.texels));
    for (int t = 0; t < 3 * (int)info.texels; t++) {
        sum[t % 3] += texel_mass(&info, t / 3) * (double)v[t];
    }
    free(v);
}

/* Cloths that are 2 cm apart fly towards each other: none of their momentum is lost. */
static void test_ties_take_no_momentum(void **state) {
    (void)state;
    toile_world_def def = newton_def();
    def.gravity[1] = 0.0f;
    def.solver.damping = 0.0f;
    pair p = make_pair(&def, 0.02f);
    const toile_tie_def tie = pair_tie(&p);
    p.tie = add_tie(p.world, &tie);
    set_motion(p.world, p.cloths[0], (motion_of){.velocity = {0.5, 0.2, -0.1}});
    double before[3] = {0.0}, after[3] = {0.0};
    add_momentum(p.world, p.cloths[0], before);
    run_seconds(p.world, 1.0);
    for (int k = 0; k < 2; k++) {
        add_momentum(p.world, p.cloths[k], after);
    }
    double other[3] = {0.0};
    add_momentum(p.world, p.cloths[1], other);
    print_message("momentum %.6f of %.6f kg m/s, %.6f of it the second cloth's\n", after[0],
                  before[0], other[0]);
    for (int k = 0; k < 3; k++) {
        assert_near(after[k], before[k], 1e-4 * before[0]);
    }
    assert_true(other[0] > 0.3 * before[0]);
    toile_world_destroy(p.world);
}

/* J, of both cloths and of springs of so many N/m between them. */
static double pair_energy(const pair *p, double stiffness, double gap) {
    double sum = 0.5 * stiffness * gap * gap;
    for (int k = 0; k < 2; k++) {
        const toile_metrics m = measure(p->world, p->cloths[k]);
        sum += m.kinetic_energy + m.potential_energy + m.elastic_energy;
    }
    return sum;
}

/* All springs of the tie are as long here but for what cloths stretch: the mean serves. */
static void test_ties_give_no_energy(void **state) {
    (void)state;
    enum { STIFF = 50 };
    toile_world_def def = newton_def();
    def.gravity[1] = 0.0f;
    def.solver.damping = 0.0f;
    pair p = make_pair(&def, 0.05f);
    toile_tie_def tie = pair_tie(&p);
    tie.stiffness = STIFF;
    p.tie = add_tie(p.world, &tie);
    double least = pair_energy(&p, STIFF, toile_tie_get_info(p.world, p.tie).mean_gap);
    const double first = least;
    for (int step = 0; step < 60; step++) {
        run_steps(p.world, 1, 1.0f / 60.0f);
        const double now = pair_energy(&p, STIFF, toile_tie_get_info(p.world, p.tie).mean_gap);
        assert_below(now, least + 1e-3 * first);
        least = fmin(least, now);
    }
    print_message("%.5f J, %.5f J after a second\n", first, least);
    toile_world_destroy(p.world);
}

/* ---- bending ------------------------------------------------------------------------------------
 */

/* rad, how steep a strip of a length is behind a seam that holds it horizontally. */
static double slope_behind_seam(float gravity, float length, float spacing, float bend) {
    toile_world_def def = newton_def();
    def.solver.quality = TOILE_QUALITY_FILM;
    def.solver.damping = 5.0f;
    def.gravity[1] = -gravity;
    toile_world *world = make_world(&def);
    const float line[2][4] = {{spacing, 0.0f, spacing, 0.1f}, {0.0f, 0.0f, 0.0f, 0.1f}};
    toile_tie_def tie = toile_default_tie_def();
    tie.bend = bend;
    for (int k = 0; k < 2; k++) {
        toile_cloth_def cloth = toile_default_cloth_def();
        cloth.size[0] = k ? length : spacing;
        cloth.size[1] = 0.1f;
        cloth.spacing = spacing;
        cloth.transform.rotate[0] = -90.0f;
        cloth.transform.translate[0] = 0.5f * (k ? length : -spacing);
        tie.runs[k] = (toile_tie_run){add_cloth(world, &cloth), line[k], 2};
    }
    add_tie(world, &tie);
    pin_edge(world, tie.runs[0].cloth, TOILE_EDGE_LEFT);
    pin_edge(world, tie.runs[0].cloth, TOILE_EDGE_RIGHT);
    run_seconds(world, 8.0);
    float *x = texel_positions(world, tie.runs[1].cloth);
    const int middle = toile_cloth_get_info(world, tie.runs[1].cloth).columns * 5;
    const double slope = (double)(x[3 * middle + 1] - x[3 * middle + 4]) / (double)spacing;
    free(x);
    toile_world_destroy(world);
    return slope;
}

/* Over one spacing it turns by the moment of the strip over its share of the bending stiffness. */
static void test_seam_bends_by_its_factor(void **state) {
    (void)state;
    const float gravity = 0.02f, length = 0.1f, spacing = 0.01f;
    const toile_fabric fabric = toile_default_cloth_def().fabric;
    const double turn =
        0.5 * (double)(fabric.density * gravity * length * length * spacing) / (double)fabric.bend;
    static const float factors[4] = {-1.0f, 0.5f, 1.0f, 4.0f};
    for (int k = 0; k < 4; k++) {
        const double slope = slope_behind_seam(gravity, length, spacing, factors[k]);
        const double wanted = turn / fabs((double)factors[k]);
        print_message("bend %g: %.5f rad, expected %.5f\n", (double)factors[k], slope, wanted);
        assert_near(slope, wanted, 0.02 * wanted);
    }
}

/* Two cloths that fold on a tie, one edge of them held. */
static uint64_t folded_hash(toile_tie_def tie) {
    const toile_world_def def = newton_def();
    pair p = make_pair(&def, 0.0f);
    tie.runs[0].cloth = p.cloths[0];
    tie.runs[1].cloth = p.cloths[1];
    add_tie(p.world, &tie);
    pin_edge(p.world, p.cloths[0], TOILE_EDGE_LEFT);
    run_steps(p.world, 10, 1.0f / 60.0f);
    const uint64_t hash = toile_world_hash(p.world);
    toile_world_destroy(p.world);
    return hash;
}

static void test_borders_bend_as_the_cloth_unless_told(void **state) {
    (void)state;
    static const float inside[4] = {0.02f, 0.0f, 0.02f, 0.3f};
    const pair none = {.world = NULL};
    toile_tie_def tie = pair_tie(&none), given = tie;
    given.bend = 1.0f;
    assert_same_hash(folded_hash(tie), folded_hash(given), "borders bend as the cloth");
    given.bend = 0.0f;
    assert_true(folded_hash(tie) != folded_hash(given));
    tie.along[1] = given.along[1] = 1.0f;
    assert_same_hash(folded_hash(tie), folded_hash(given), "not where they slide");
    tie.along[1] = given.along[1] = 0.0f;
    tie.runs[1].points = given.runs[1].points = inside;
    assert_same_hash(folded_hash(tie), folded_hash(given), "nor on cloth");
    tie.runs[1].point_count = given.runs[1].point_count = 1;
    assert_same_hash(folded_hash(tie), folded_hash(given), "nor at points");
}

/* ---- ties that come and go ----------------------------------------------------------------------
 */

/* One of two cloths is held and carries the other one, until the tie lets go. */
static void test_tie_lets_go_at_its_time(void **state) {
    (void)state;
    const toile_world_def def = newton_def();
    pair p = make_pair(&def, 0.0f);
    toile_tie_def tie = pair_tie(&p);
    tie.until = 0.5f;
    p.tie = add_tie(p.world, &tie);
    pin_edge(p.world, p.cloths[0], TOILE_EDGE_LEFT);
    run_seconds(p.world, 0.5);
    const toile_tie_info held = toile_tie_get_info(p.world, p.tie);
    assert_false(held.holds);
    assert_below(held.max_gap, 1e-3);
    run_steps(p.world, 6, 1.0f / 60.0f);
    assert_true(toile_tie_get_info(p.world, p.tie).mean_gap > 0.02);
    run_seconds(p.world, 1.4);
    assert_true(toile_tie_get_info(p.world, p.tie).mean_gap > 5.0);
    toile_world_remove_tie(p.world, p.tie);
    assert_int_equal(toile_world_get_ties(p.world, NULL, 0), 0);
    run_steps(p.world, 1, 1.0f / 60.0f);
    toile_world_destroy(p.world);
}

static void test_ties_go_with_their_cloth(void **state) {
    (void)state;
    const toile_world_def def = newton_def();
    pair p = make_pair(&def, 0.0f);
    const toile_tie_def tie = pair_tie(&p);
    p.tie = add_tie(p.world, &tie);
    run_steps(p.world, 1, 1.0f / 60.0f);
    toile_world_remove_cloth(p.world, p.cloths[0]);
    assert_int_equal(toile_world_get_ties(p.world, NULL, 0), 0);
    run_steps(p.world, 1, 1.0f / 60.0f);
    toile_world_destroy(p.world);
}

/* ---- soft pins ----------------------------------------------------------------------------------
 */

static toile_pin_def soft_edge(float stiffness) {
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_EDGE;
    pin.edge = TOILE_EDGE_TOP;
    pin.stiffness = stiffness;
    return pin;
}

/* The pin gives way by m g / k, however many texels it holds. */
static void test_soft_pin_gives_way_by_the_weight(void **state) {
    (void)state;
    for (int n = 11; n <= 21; n += 10) {
        toile_world_def def = newton_def();
        def.solver.damping = 4.0f;
        toile_world *world = make_world(&def);
        const toile_cloth_def hanging = square_def(n);
        const toile_cloth_id cloth = add_cloth(world, &hanging);
        const double mass = toile_cloth_get_info(world, cloth).mass;
        const toile_pin_def pin = soft_edge(40.0f);
        add_pin(world, cloth, &pin);
        run_seconds(world, 6.0);
        float *x = texel_positions(world, cloth);
        double depth = 0.0;
        for (int i = 0; i < n; i++) {
            depth += (0.5 - (double)x[3 * (n * (n - 1) + i) + 1]) / n;
        }
        free(x);
        print_message("%d texels: %.5f m, expected %.5f m\n", n, depth, mass * 9.81 / 40.0);
        assert_near(depth, mass * 9.81 / 40.0, 0.01 * mass * 9.81 / 40.0);
        toile_world_destroy(world);
    }
}

/* A ring on a rail: it holds in height and across, and cloth that is let go slides along it. A pin
 * that moves takes the cloth along. */
static void test_soft_pin_holds_along_its_direction(void **state) {
    (void)state;
    toile_world_def def = newton_def();
    def.solver.damping = 0.0f;
    toile_world *world = make_world(&def);
    const toile_cloth_def hanging = square_def(11);
    const toile_cloth_id cloth = add_cloth(world, &hanging);
    const toile_keyframe keys[2] = {{.time = 0.0f},
                                    {.time = 1.0f, .translate = {0.0f, 0.2f, 0.0f}}};
    toile_pin_def pin = soft_edge(2000.0f);
    pin.along[1] = 2.0f;
    pin.keyframes = keys;
    pin.keyframe_count = 2;
    add_pin(world, cloth, &pin);
    set_motion(world, cloth, (motion_of){.velocity = {0.4, 0.0, 0.0}});
    run_seconds(world, 1.5);
    float *x = texel_positions(world, cloth);
    const float *middle = x + 3 * (11 * 10 + 5);
    print_message("the middle of the edge is at %.4f %.4f m\n", (double)middle[0],
                  (double)middle[1]);
    assert_near((double)middle[0], 0.6, 0.01);
    assert_near((double)middle[1], 0.7, 0.01);
    free(x);
    toile_world_destroy(world);
}

/* ---- the same bits ------------------------------------------------------------------------------
 */

/* A patchwork that is large enough for levels that threads share, on a soft pin, over a ball. */
static toile_world *make_mixed(int threads) {
    static const piece pieces[2] = {{0.0f, 0.0f, 0.47f, 1.0f, 0.014f},
                                    {0.47f, 0.0f, 1.0f, 1.0f, 0.0125f}};
    toile_world_def def = newton_def();
    def.threads = threads;
    toile_world *world = make_world(&def);
    const sheet s = lay_sheet(world, pieces, 2, 1.0f, 1.0f);
    const toile_pin_def pin = soft_edge(200.0f);
    add_pin(world, s.cloths[0], &pin);
    pin_corner(world, s.cloths[1], TOILE_CORNER_TOP_RIGHT);
    add_ball(world, -0.5f, 0.25f);
    return world;
}

static void test_threads_give_the_same_bits(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (int k = 0; k < 3; k++) {
        toile_world *world = make_mixed(k + 1);
        run_steps(world, 20, 1.0f / 60.0f);
        hashes[k] = toile_world_hash(world);
        toile_world_destroy(world);
    }
    assert_same_hash(hashes[1], hashes[0], "two threads");
    assert_same_hash(hashes[2], hashes[0], "three threads");
}

static void test_tied_worlds_resume(void **state) {
    (void)state;
    assert_resumes(make_mixed, 3, 3);
}

/* A cloth beside two that are tied does what it does alone. */
static void test_ties_do_not_reach_others(void **state) {
    (void)state;
    const toile_world_def def = newton_def();
    const toile_cloth_def sheet_def = lying_def(21, 1.0f);
    toile_world *alone = make_world(&def);
    const toile_cloth_id only = add_cloth(alone, &sheet_def);
    pin_corner(alone, only, TOILE_CORNER_TOP_LEFT);
    pair p = make_pair(&def, 0.0f);
    const toile_tie_def tie = pair_tie(&p);
    p.tie = add_tie(p.world, &tie);
    const toile_cloth_id third = add_cloth(p.world, &sheet_def);
    pin_corner(p.world, third, TOILE_CORNER_TOP_LEFT);
    run_steps(alone, 20, 1.0f / 60.0f);
    run_steps(p.world, 20, 1.0f / 60.0f);
    float *a = texel_positions(alone, only), *b = texel_positions(p.world, third);
    assert_memory_equal(a, b, sizeof(float) * 3 * 21 * 21);
    free(a);
    free(b);
    toile_world_destroy(alone);
    toile_world_destroy(p.world);
}

/* ---- refusals -----------------------------------------------------------------------------------
 */

static void assert_tie_refused(const pair *p, const toile_tie_def *tie, const char *part) {
    const uint64_t before = toile_world_hash(p->world);
    assert_int_equal(toile_world_add_tie(p->world, tie).slot, 0);
    assert_message(part);
    assert_int_equal(toile_world_get_ties(p->world, NULL, 0), 0);
    assert_same_hash(toile_world_hash(p->world), before, "refused");
}

static void test_bad_ties_are_refused(void **state) {
    (void)state;
    const toile_world_def def = newton_def();
    pair p = make_pair(&def, 0.0f);
    static const float outside[2] = {0.31f, 0.1f}, inside[4] = {0.1f, 0.1f, 0.2f, 0.1f};
    const toile_tie_def good = pair_tie(&p);
    toile_tie_def tie = good;
    tie.runs[1].points = outside;
    tie.runs[1].point_count = 1;
    assert_tie_refused(&p, &tie, "tie run 1, point 0: (0.31");
    tie = good;
    tie.runs[0].point_count = 0;
    assert_tie_refused(&p, &tie, "tie run 0 has 0 points: expected 1 to 10000");
    tie = good;
    tie.count = -1;
    assert_tie_refused(&p, &tie, "tie count is -1: expected 0 to 100000");
    tie = good;
    tie.stiffness = NAN;
    assert_tie_refused(&p, &tie, "tie stiffness is nan: expected 0 to 1e+09 N/m");
    tie = good;
    tie.along[2] = INFINITY;
    assert_tie_refused(&p, &tie, "tie along is (0, 0, inf): expected a direction");
    tie = good;
    tie.until = -1.0f;
    assert_tie_refused(&p, &tie, "tie until is -1: expected 0 s or more");
    tie = good;
    tie.bend = 101.0f;
    assert_tie_refused(&p, &tie, "tie bend is 101: expected 0 to 100, or -1");
    tie.bend = NAN;
    assert_tie_refused(&p, &tie, "tie bend is nan: expected 0 to 100, or -1");
    tie = good;
    tie.bend = 0.5f;
    tie.runs[1].points = inside;
    assert_tie_refused(&p, &tie, "tie bend: run 1 has cloth on both sides");
    tie.runs[1].point_count = 1;
    assert_tie_refused(&p, &tie, "tie bend is 0.5: expected 0, or more than one spring");
    toile_world_destroy(p.world);
}

static void test_other_solvers_refuse_ties(void **state) {
    (void)state;
    toile_world_def def = newton_def();
    def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    pair p = make_pair(&def, 0.0f);
    const toile_tie_def tie = pair_tie(&p);
    assert_tie_refused(&p, &tie, "ties: only the implicit solver has them: expected solver");
    const toile_pin_def pin = soft_edge(10.0f);
    assert_int_equal(toile_cloth_add_pin(p.world, p.cloths[0], &pin).slot, 0);
    assert_message("soft pins: only the implicit solver has them");
    toile_world_destroy(p.world);
}

static void test_bad_soft_pins_are_refused(void **state) {
    (void)state;
    const toile_world_def def = newton_def();
    pair p = make_pair(&def, 0.0f);
    toile_pin_def pin = soft_edge(-2.0f);
    assert_int_equal(toile_cloth_add_pin(p.world, p.cloths[0], &pin).slot, 0);
    assert_message("pin stiffness is -2: expected 0 to 1e+09 N/m");
    toile_world_destroy(p.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ties_take_no_momentum),
        cmocka_unit_test(test_ties_give_no_energy),
        cmocka_unit_test(test_seam_bends_by_its_factor),
        cmocka_unit_test(test_borders_bend_as_the_cloth_unless_told),
        cmocka_unit_test(test_tie_lets_go_at_its_time),
        cmocka_unit_test(test_ties_go_with_their_cloth),
        cmocka_unit_test(test_soft_pin_gives_way_by_the_weight),
        cmocka_unit_test(test_soft_pin_holds_along_its_direction),
        cmocka_unit_test(test_threads_give_the_same_bits),
        cmocka_unit_test(test_tied_worlds_resume),
        cmocka_unit_test(test_ties_do_not_reach_others),
        cmocka_unit_test(test_bad_ties_are_refused),
        cmocka_unit_test(test_other_solvers_refuse_ties),
        cmocka_unit_test(test_bad_soft_pins_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
