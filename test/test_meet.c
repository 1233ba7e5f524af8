/* Cloth against cloth in the implicit solver: nothing crosses, in any substep, and layers rest and
 * slide as they should. */
#include "worlds.h"

#include "kernel/meet.h"

static const float STEP = 1.0f / 60.0f;
static const float SUBSTEP = 1.0f / 240.0f;

/* ---- the law and the bound ----------------------------------------------------------------------
 */

static void test_force_has_no_jumps(void **state) {
    (void)state;
    const float rest = 5e-4f, stiffness = 200.0f;
    float before = meet_force(0.0f, rest, stiffness);
    for (int i = 1; i <= 1200; i++) {
        const float distance = 1e-6f * (float)i;
        const float force = meet_force(distance, rest, stiffness);
        assert_true(force <= before);
        assert_below((double)(before - force),
                     2e-6 * (double)meet_stiffness(0.0f, rest, stiffness));
        before = force;
    }
    assert_near((double)meet_force(rest, rest, stiffness), 0.0, 1e-9);
    /* The stiffness is the slope. */
    for (float d = 3e-5f; d < rest; d *= 1.3f) {
        const float h = 1e-3f * d;
        const double slope = ((double)meet_force(d - h, rest, stiffness) -
                              (double)meet_force(d + h, rest, stiffness)) /
                             (2.0 * (double)h);
        if (fabs((double)d - 0.5 * (double)rest) > (double)h) {
            assert_near((double)meet_stiffness(d, rest, stiffness) / slope, 1.0, 0.01);
        }
    }
}

/* Of what is lacking each part gives up what it comes nearer by. */
static void test_ends_share_what_is_lacking(void **state) {
    (void)state;
    const v4 heights = {0.2f, -0.5f, 0.1f, 0.6f}, approach = {3.0f, 0.0f, 0.5f, 1.0f};
    const v3 vertex = meet_ends(heights, approach, false, 0.1f);
    assert_near((double)(vertex.x - vertex.y), 0.1, 1e-6);
    assert_near((double)((vertex.x - 0.2f) / (0.6f - vertex.y)), 3.0, 1e-4);
    const v3 edges = meet_ends(heights, approach, true, 0.1f);
    assert_near((double)(edges.x - edges.y), 0.1, 1e-6);
    assert_near((double)((edges.x + 0.5f) / (0.6f - edges.y)), 3.0, 1e-4);
}

/* A texel whose weight is below 0 brings a corner nearer by going away. */
static void test_texels_bring_corners_nearer(void **state) {
    (void)state;
    assert_near((double)meet_nearing(1.25f, 2.0f), 2.5, 1e-6);
    assert_near((double)meet_nearing(-0.25f, -2.0f), 0.5, 1e-6);
    assert_near((double)meet_nearing(-0.25f, 2.0f), 0.0, 1e-9);
    assert_near((double)meet_nearing(0.5f, -2.0f), 0.0, 1e-9);
}

/* ---- what does not fit --------------------------------------------------------------------------
 */

static void assert_no_world(const toile_world_def *def, const char *message) {
    toile_world *world = NULL;
    assert_int_equal(toile_world_create(def, &world), TOILE_ERROR_INVALID);
    assert_null(world);
    assert_message(message);
}

static void test_what_does_not_fit(void **state) {
    (void)state;
    toile_world_def def = quiet_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.bounded = true;
    def.solver.self_collision = false;
    assert_no_world(&def, "expected self_collision with it");
    def.solver.self_collision = true;
    def.solver.order = 2;
    assert_no_world(&def, "order 1");
    def.solver.order = 1;
    def.collision = TOILE_COLLISION_CCD;
    assert_no_world(&def, "another collision than \"ccd\"");
    def.collision = TOILE_COLLISION_AUTO;
    def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    assert_no_world(&def, "solver.bounded is set: it is a field of the implicit solver");
}

/* ---- nothing crosses ----------------------------------------------------------------------------
 */

static toile_world *make_meeting(int threads) {
    toile_world_def def = quiet_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.self_collision = true;
    def.solver.bounded = true;
    def.threads = threads;
    return make_world(&def);
}

/* Each step is a substep, and each is looked at. */
static void assert_never_crosses(toile_world *world, int substeps) {
    const toile_cloth_id all = {0};
    for (int i = 0; i < substeps; i++) {
        assert_ok(toile_world_step(world, SUBSTEP));
        const uint64_t cut = measure(world, all).self_intersections;
        if (cut != 0) {
            fail_msg("%d triangles cut others in substep %d", (int)cut, i + 1);
        }
    }
}

/* Silk that falls on its edge and crumples. */
static void test_sheet_on_its_edge(void **state) {
    (void)state;
    toile_world *world = make_meeting(1);
    add_ribbon(world, (const float[2]){0.12f, 0.24f}, 0.012f, 0.2f);
    assert_never_crosses(world, 160);
    toile_world_destroy(world);
}

static double energy_of(const toile_world *world) {
    const toile_metrics m = measure(world, (toile_cloth_id){0});
    return m.kinetic_energy + m.potential_energy + m.elastic_energy;
}

/* The same in frames. Substeps get shorter while it crumples, and longer when it lies; it gains no
 * energy. */
static void test_substeps_follow(void **state) {
    (void)state;
    toile_world *world = make_meeting(1);
    const toile_cloth_id sheet = add_ribbon(world, (const float[2]){0.12f, 0.24f}, 0.012f, 0.2f);
    const double scale = 9.81 * toile_cloth_get_info(world, sheet).mass * 0.24;
    const double before = energy_of(world);
    int most = 0;
    for (int i = 0; i < 150; i++) {
        assert_ok(toile_world_step(world, STEP));
        const toile_solver_info info = toile_world_get_solver_info(world);
        most = info.substeps > most ? info.substeps : most;
        assert_true(info.substeps == 4 || info.substeps == 8 || info.substeps == 16);
        assert_below(energy_of(world), before + 0.01 * scale);
    }
    assert_int_equal(most, 16);
    assert_int_equal(toile_world_get_solver_info(world).substeps, 4);
    toile_world_destroy(world);
}

static toile_cloth_id add_sheet(toile_world *world, float size, float spacing, float height,
                                float turn) {
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.size[0] = sheet.size[1] = size;
    sheet.spacing = spacing;
    sheet.transform.rotate[0] = -90.0f;
    sheet.transform.rotate[1] = turn;
    sheet.transform.translate[1] = height;
    return add_cloth(world, &sheet);
}

static void set_velocity(toile_world *world, toile_cloth_id cloth, v3 velocity) {
    const size_t texels = toile_cloth_get_info(world, cloth).texels;
    float *v = malloc(3 * texels * sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < texels; i++) {
        v[3 * i] = velocity.x;
        v[3 * i + 1] = velocity.y;
        v[3 * i + 2] = velocity.z;
    }
    assert_ok(toile_cloth_set_texel_velocities(world, cloth, v, texels));
    free(v);
}

/* At 15 m/s, 62 mm per substep. Energy is never gained. */
static void test_fast_sheet_onto_a_sheet(void **state) {
    (void)state;
    const toile_cloth_id all = {0};
    toile_world *world = make_meeting(1);
    add_floor(world, 0.0f);
    add_sheet(world, 0.3f, 0.02f, 0.001f, 0.0f);
    const toile_cloth_id upper = add_sheet(world, 0.24f, 0.016f, 0.3f, 17.0f);
    set_velocity(world, upper, v3_make(0.0f, -15.0f, 2.0f));
    toile_metrics m = measure(world, all);
    const double weight = 9.81 * toile_cloth_get_info(world, upper).mass;
    const double before = m.kinetic_energy + m.potential_energy + m.elastic_energy;
    for (int i = 0; i < 12; i++) {
        assert_never_crosses(world, 4);
        m = measure(world, all);
        assert_below(m.kinetic_energy + m.potential_energy + m.elastic_energy,
                     before + 0.05 * weight * 0.3);
    }
    toile_world_destroy(world);
}

/* Vertices of an outline lie between texels. */
static void test_outlines(void **state) {
    (void)state;
    toile_world *world = make_meeting(1);
    const toile_curve sides[3] = {{.kind = TOILE_CURVE_LINE, .to = {0.24f, 0.03f}},
                                  {.kind = TOILE_CURVE_LINE, .to = {0.1f, 0.25f}},
                                  {.kind = TOILE_CURVE_LINE, .to = {0.0f, 0.0f}}};
    const toile_loop loop = {.curves = sides, .curve_count = 3};
    toile_panel_def panel_def = toile_default_panel_def();
    panel_def.outline = &(toile_outline){.loops = &loop, .loop_count = 1};
    panel_def.spacing = 0.013f;
    toile_panel *panel = NULL;
    assert_ok(toile_panel_cook(&panel_def, &panel));
    toile_cloth_def def = toile_default_cloth_def();
    def.panel = panel;
    def.transform.rotate[0] = 3.0f;
    def.transform.translate[1] = 0.2f;
    add_floor(world, 0.0f);
    add_cloth(world, &def);
    add_sheet(world, 0.2f, 0.02f, 0.001f, 0.0f);
    assert_never_crosses(world, 120);
    toile_world_destroy(world);
    toile_panel_destroy(panel);
}

/* Where a size is no multiple of the spacing, the border lies beyond the last texels: here by a
 * third of one. A strip that is twisted by more than a turn. */
static void test_borders_beyond_texels(void **state) {
    (void)state;
    enum { KEYS = 7, FRAMES = 45 };
    toile_world *world = make_meeting(1);
    toile_cloth_def strip = toile_default_cloth_def();
    strip.size[0] = 0.6f;
    strip.size[1] = 0.2f;
    strip.spacing = 0.015f;
    strip.transform.rotate[0] = -90.0f;
    const toile_cloth_id cloth = add_cloth(world, &strip);
    toile_keyframe keys[KEYS];
    for (int i = 0; i < KEYS; i++) {
        keys[i] = (toile_keyframe){.time = (float)i / 6.0f};
        keys[i].rotate[0] = 120.0f * (float)i;
        keys[i].translate[0] = -0.01f * (float)i;
    }
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_EDGE;
    pin.edge = TOILE_EDGE_LEFT;
    add_pin(world, cloth, &pin);
    pin.edge = TOILE_EDGE_RIGHT;
    pin.keyframes = keys;
    pin.keyframe_count = KEYS;
    add_pin(world, cloth, &pin);
    for (int i = 0; i < FRAMES; i++) {
        assert_ok(toile_world_step(world, STEP));
        assert_int_equal(measure(world, cloth).self_intersections, 0);
    }
    toile_world_destroy(world);
}

/* Two sheets whose pins are drawn through each other: they stop, nothing crosses, nothing explodes,
 * and they part when the pins go back. */
static void test_pins_do_not_force_cloth_through_cloth(void **state) {
    (void)state;
    const toile_cloth_id all = {0};
    toile_world *world = make_meeting(1);
    const toile_cloth_id lower = add_sheet(world, 0.2f, 0.02f, 0.0f, 0.0f);
    const toile_cloth_id upper = add_sheet(world, 0.2f, 0.02f, 0.02f, 30.0f);
    const toile_keyframe frames[3] = {{.time = 0.0f}, {.time = 0.15f}, {.time = 0.35f}};
    toile_keyframe keys[3];
    memcpy(keys, frames, sizeof keys);
    keys[1].translate[1] = -0.04f;
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_EDGE;
    for (int edge = 0; edge < 4; edge++) {
        pin.edge = (toile_edge)edge;
        pin.keyframes = NULL;
        pin.keyframe_count = 0;
        add_pin(world, lower, &pin);
    }
    pin.kind = TOILE_PIN_POINT;
    pin.point[0] = pin.point[1] = 0.1f;
    pin.radius = 0.05f;
    pin.keyframes = keys;
    pin.keyframe_count = 3;
    add_pin(world, upper, &pin);
    assert_never_crosses(world, 120);
    float *x = texel_positions(world, upper);
    const size_t middle = 5 * 11 + 5;
    assert_near((double)x[3 * middle + 1], 0.02, 1e-3);
    free(x);
    assert_below(measure(world, all).strain.max, 0.5);
    toile_world_destroy(world);
}

/* ---- what touching cloth does -------------------------------------------------------------------
 */

static double mean_height(const toile_world *world, toile_cloth_id cloth) {
    const size_t texels = toile_cloth_get_info(world, cloth).texels;
    float *x = texel_positions(world, cloth);
    double sum = 0.0;
    for (size_t i = 0; i < texels; i++) {
        sum += (double)x[3 * i + 1];
    }
    free(x);
    return sum / (double)texels;
}

/* Two sheets 1 mm apart fall as one would, and stay 1 mm apart. */
static void test_what_falls_together_is_not_held(void **state) {
    (void)state;
    toile_world *world = make_meeting(1);
    const toile_cloth_id lower = add_sheet(world, 0.2f, 0.02f, 0.5f, 0.0f);
    const toile_cloth_id upper = add_sheet(world, 0.2f, 0.02f, 0.501f, 0.0f);
    run_steps(world, 30, STEP);
    /* Backward Euler falls g t (t + dt) / 2. */
    const double fallen = 0.5 * 9.81 * 0.5 * (0.5 + (double)SUBSTEP);
    assert_near((0.5 - mean_height(world, lower)) / fallen, 1.0, 1e-3);
    assert_near(mean_height(world, upper) - mean_height(world, lower), 1e-3, 2e-5);
    toile_world_destroy(world);
}

/* Layers of cotton are 0.5 mm thick, whatever the spacing. */
static void test_layers_rest_at_their_thickness(void **state) {
    (void)state;
    toile_world *world = make_meeting(1);
    add_floor(world, 0.0f);
    const toile_cloth_id lower = add_sheet(world, 0.24f, 0.02f, 0.0006f, 0.0f);
    const toile_cloth_id upper = add_sheet(world, 0.14f, 0.014f, 0.003f, 23.0f);
    run_steps(world, 90, STEP);
    const double thickness = (double)toile_fabric_named("cotton").thickness;
    assert_near(thickness, 5e-4, 5e-6);
    assert_near(mean_height(world, upper) - mean_height(world, lower), thickness, 0.05 * thickness);
    toile_world_destroy(world);
}

/* How far a sheet slides in a second on one that is held, under gravity tilted by so much from
 * Coulomb's angle, m; and how far it should without stiction. */
static double slide_on_cloth(double beyond, double *wanted) {
    toile_world_def def = quiet_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.self_collision = true;
    def.solver.bounded = true;
    const double friction = (double)toile_fabric_named("cotton").friction;
    const double angle = atan(friction) + beyond * 3.14159265 / 180.0;
    def.gravity[0] = (float)(9.81 * sin(angle));
    def.gravity[1] = (float)(-9.81 * cos(angle));
    toile_world *world = make_world(&def);
    const toile_cloth_id lower = add_sheet(world, 0.4f, 0.02f, 0.0f, 0.0f);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_POINT;
    pin.point[0] = pin.point[1] = 0.2f;
    pin.radius = 1.0f;
    add_pin(world, lower, &pin);
    const toile_cloth_id upper = add_sheet(world, 0.16f, 0.02f, 0.0005f, 0.0f);
    run_steps(world, 60, STEP);
    float *x = texel_positions(world, upper);
    const double way = (double)x[3 * (4 * 9 + 4)];
    free(x);
    toile_world_destroy(world);
    *wanted = 0.5 * 9.81 * (sin(angle) - friction * cos(angle));
    return way;
}

static void test_coulombs_angle(void **state) {
    (void)state;
    double wanted;
    const double below = slide_on_cloth(-1.0, &wanted);
    const double above = slide_on_cloth(1.0, &wanted);
    print_message("1 degree below %.3f mm; above %.2f mm, %.2f by Coulomb\n", 1e3 * below,
                  1e3 * above, 1e3 * wanted);
    assert_below(fabs(below), 2e-4);
    assert_near(above / wanted, 1.0, 0.03);
}

/* ---- the same bits ------------------------------------------------------------------------------
 */

static toile_world *make_heap(int threads) {
    toile_world *world = make_meeting(threads);
    add_ribbon(world, (const float[2]){0.05f, 0.3f}, 0.01f, 0.17f);
    add_sheet(world, 0.2f, 0.02f, 0.001f, 10.0f);
    return world;
}

static void test_same_bits(void **state) {
    (void)state;
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        toile_world *world = make_heap(1 + i);
        run_steps(world, 25, STEP);
        hash[i] = toile_world_hash(world);
        toile_world_destroy(world);
    }
    assert_same_hash(hash[1], hash[0], "2 threads");
    assert_same_hash(hash[2], hash[0], "3 threads");
    assert_resumes(make_heap, 13, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force_has_no_jumps),
        cmocka_unit_test(test_ends_share_what_is_lacking),
        cmocka_unit_test(test_texels_bring_corners_nearer),
        cmocka_unit_test(test_what_does_not_fit),
        cmocka_unit_test(test_sheet_on_its_edge),
        cmocka_unit_test(test_substeps_follow),
        cmocka_unit_test(test_fast_sheet_onto_a_sheet),
        cmocka_unit_test(test_outlines),
        cmocka_unit_test(test_borders_beyond_texels),
        cmocka_unit_test(test_pins_do_not_force_cloth_through_cloth),
        cmocka_unit_test(test_what_falls_together_is_not_held),
        cmocka_unit_test(test_layers_rest_at_their_thickness),
        cmocka_unit_test(test_coulombs_angle),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
