/* Cloth that lands on bodies, slides and comes to rest there, with the implicit solver. */
#include "solids.h"
#include "truths.h"

/* Friction follows the pressure over 20 ms. So a sheet that is put onto a slope has slid some way
 * before it is held, more the nearer the slope is to Coulomb's angle, and one that is not held is
 * faster by what friction did not take in that time. */
static void test_friction(void **state) {
    (void)state;
    const double spacings[2] = {0.02, 0.01};
    const double angle = 35.0 * 3.14159265358979 / 180.0;
    const double wanted = 0.5 * 9.81 * (sin(angle) - 0.5 * cos(angle));
    for (int k = 0; k < 2; k++) {
        toile_world_def def = implicit_def(1, 0.0f);
        assert_below(slide_at(&def, spacings[k], 20.0, 0.5), 3e-3);
        assert_near(slide_at(&def, spacings[k], 35.0, 0.5), wanted, 0.04 * wanted);
    }
}

/* ---- a rope over a bollard ----------------------------------------------------------------------
 */

static const double STRIP = 1.0, BOLLARD = 0.1; /* m, its length and the radius */

/* How far a strip that hangs over a bar slides; `ratio` of its ends, and no other motion than that.
 */
static double capstan_slide(float spacing, double ratio, float friction, double seconds) {
    toile_world_def def = implicit_def(1, 0.1f);
    toile_world *world = make_world(&def);
    toile_body_def bar = toile_default_body_def();
    bar.shape = TOILE_SHAPE_CAPSULE;
    bar.radii[0] = (float)BOLLARD;
    bar.a[0] = bar.a[1] = bar.b[0] = bar.b[1] = 0.0f;
    bar.a[2] = -0.3f;
    bar.b[2] = 0.3f;
    bar.friction = friction;
    add_body(world, &bar);
    toile_cloth_def strip = toile_default_cloth_def();
    strip.size[0] = 0.06f;
    strip.size[1] = (float)STRIP;
    strip.spacing = spacing;
    strip.fabric.friction = friction;
    toile_cloth_id cloth = add_cloth(world, &strip);
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    float *x = texel_positions(world, cloth);
    const double radius = BOLLARD + 0.5 * (double)strip.fabric.thickness;
    const double arc = 3.14159265358979 * radius, longer = (STRIP - arc) * ratio / (1.0 + ratio);
    for (size_t t = 0; t < info.texels; t++) {
        double along = (double)(t / (size_t)info.columns) * STRIP / (info.rows - 1) - longer;
        double angle = fmin(fmax(along, 0.0), arc) / radius;
        x[3 * t] = (float)(radius * cos(angle));
        x[3 * t + 1] = (float)(radius * sin(angle) + fmin(along, 0.0) + fmin(arc - along, 0.0));
        x[3 * t + 2] =
            (float)(0.06 * ((double)(t % (size_t)info.columns) / (info.columns - 1) - 0.5));
    }
    assert_ok(toile_cloth_set_texel_positions(world, cloth, x, info.texels));
    double start = (double)x[1];
    free(x);
    run_seconds(world, seconds);
    x = texel_positions(world, cloth);
    double slid = start - (double)x[1];
    free(x);
    toile_world_destroy(world);
    return slid;
}

/* The tension in a strip of weight w a metre around a bar grows against friction by dT = mu (T + w
 * R sin a) da + w R cos a da, from one end's weight to at most the other's. */
static double capstan_ratio(double friction) {
    const double length = STRIP - 3.14159265358979 * BOLLARD;
    double ratio = 1.0;
    for (double tension = 0.0; ratio < 20.0; ratio += 0.01) {
        const int parts = 2000;
        const double part = 3.14159265358979 / parts;
        tension = length / (1.0 + ratio);
        for (int i = 0; i < parts; i++) {
            double a = (i + 0.5) * part;
            tension += part * (friction * (tension + BOLLARD * sin(a)) + BOLLARD * cos(a));
        }
        if (tension < length * ratio / (1.0 + ratio)) {
            break;
        }
    }
    return ratio;
}

static void test_capstan(void **state) {
    (void)state;
    const double ratio = capstan_ratio(0.3);
    for (int k = 0; k < 3; k++) {
        const float spacing = 0.02f / (float)(1 << k);
        double stays = capstan_slide(spacing, 0.85 * ratio, 0.3f, 1.0);
        double slides = capstan_slide(spacing, 1.15 * ratio, 0.3f, 1.0);
        print_message("capstan %g of %g: %.4f m, %.4f m\n", (double)spacing, ratio, stays, slides);
        assert_below(fabs(stays), 0.01);
        assert_true(slides > 0.03);
    }
}

/* Without friction the ends are a pendulum upside down: their difference grows like a cosh of t
 * sqrt(2 g / length). */
static void test_slide(void **state) {
    (void)state;
    const double ratio = 1.3, time = 0.25, arc = 3.14159265358979 * BOLLARD;
    const double ahead = 0.5 * (STRIP - arc) * (ratio - 1.0) / (ratio + 1.0);
    const double wanted = ahead * (cosh(time * sqrt(2.0 * 9.81 / STRIP)) - 1.0);
    for (int k = 0; k < 3; k++) {
        const float spacing = 0.02f / (float)(1 << k);
        double slid = capstan_slide(spacing, ratio, 0.0f, time);
        print_message("slide %g: %.4f m of %.4f m\n", (double)spacing, slid, wanted);
        assert_near(slid, wanted, 0.15 * wanted);
    }
}

/* ---- landing ------------------------------------------------------------------------------------
 */

/* The most energy that a falling sheet ever has beyond what it began with, in parts of its fall. It
 * must not be thrown. */
static double energy_of_landing(toile_world *world, toile_cloth_id cloth, double fall) {
    const double whole = toile_cloth_get_info(world, cloth).mass * 9.81 * fall;
    toile_metrics first = measure(world, cloth);
    double most = 0.0;
    for (int frame = 0; frame < 90; frame++) {
        run_steps(world, 1, 1.0f / 60.0f);
        toile_metrics m = measure(world, cloth);
        double gained =
            m.kinetic_energy + m.elastic_energy + m.potential_energy - first.potential_energy;
        most = fmax(most, gained / whole);
        assert_below(m.highest, first.highest + 0.01);
    }
    return most;
}

/* On its edge, by a corner, flat, upon a ball and upon a thin board that it hangs over. */
static void test_landing(void **state) {
    (void)state;
    const struct {
        float turn[3], spacing, size, height;
        toile_shape_kind on;
        double most;
    } trials[] = {{{0, 0, 0}, 0.01f, 0.16f, 0.3f, TOILE_SHAPE_PLANE, 0.0},
                  {{5, 0, 0}, 0.005f, 0.16f, 1.0f, TOILE_SHAPE_PLANE, 0.0},
                  {{0, 0, 45}, 0.01f, 0.3f, 0.3f, TOILE_SHAPE_PLANE, 0.0},
                  {{90, 0, 0}, 0.005f, 0.16f, 2.0f, TOILE_SHAPE_PLANE, 0.0},
                  {{90, 0, 0}, 0.005f, 0.4f, 0.5f, TOILE_SHAPE_SPHERE, 0.02},
                  {{90, 0, 0}, 0.01f, 0.5f, 0.4f, TOILE_SHAPE_BOX, 0.01}};
    for (size_t k = 0; k < sizeof trials / sizeof *trials; k++) {
        toile_world_def def = implicit_def(1, 0.1f);
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = toile_default_cloth_def();
        sheet.size[0] = sheet.size[1] = trials[k].size;
        sheet.spacing = trials[k].spacing;
        memcpy(sheet.transform.rotate, trials[k].turn, sizeof trials[k].turn);
        bool flat = trials[k].turn[0] == 90.0f;
        sheet.transform.translate[1] = trials[k].height + (flat ? 0.0f : trials[k].size);
        toile_cloth_id cloth = add_cloth(world, &sheet);
        toile_body_def body = toile_default_body_def();
        body.shape = trials[k].on;
        body.radii[0] = body.radii[1] = body.radii[2] = 0.1f;
        body.half[0] = body.half[2] = 0.12f;
        body.half[1] = 0.02f;
        body.center[1] = body.shape == TOILE_SHAPE_SPHERE ? -0.1f
                         : body.shape == TOILE_SHAPE_BOX  ? -0.02f
                                                          : 0.0f;
        add_body(world, &body);
        double most = energy_of_landing(world, cloth, (double)trials[k].height);
        print_message("landing %zu: %.3f\n", k, most);
        assert_true(most <= trials[k].most);
        toile_world_destroy(world);
    }
}

/* A scrap that falls a little beside the middle of a ball of its size stops there, as stiff as it
 * is. It is not wrapped around the ball, which would take many times the energy it falls with. */
static void test_scrap(void **state) {
    (void)state;
    static const char *const fabrics[] = {"cotton", "silk", "leather"};
    const float spacing = 0.003f, size = 16.0f * spacing;
    for (size_t f = 0; f < sizeof fabrics / sizeof *fabrics; f++) {
        toile_world_def def = implicit_def(1, 0.1f);
        toile_world *world = make_world(&def);
        toile_cloth_def scrap = toile_default_cloth_def();
        scrap.size[0] = scrap.size[1] = size;
        scrap.spacing = spacing;
        scrap.fabric = toile_fabric_named(fabrics[f]);
        scrap.transform.rotate[0] = -90.0f;
        scrap.transform.translate[0] = 0.1f * size;
        scrap.transform.translate[1] = size;
        toile_cloth_id cloth = add_cloth(world, &scrap);
        toile_body_def ball = toile_default_body_def();
        ball.shape = TOILE_SHAPE_SPHERE;
        ball.radii[0] = 0.3f * size;
        add_body(world, &ball);
        const double fall = toile_cloth_get_info(world, cloth).mass * 9.81 * (double)size;
        double most = 0.0;
        for (int step = 0; step < 90; step++) {
            run_steps(world, 1, 1.0f / 480.0f);
            most = fmax(most, measure(world, cloth).elastic_energy / fall);
        }
        print_message("a scrap of %s on a ball is stretched and bent by %.2f\n", fabrics[f], most);
        assert_true(most > 0.01);
        assert_below(most, 2.0);
        toile_world_destroy(world);
    }
}

/* ---- rest ---------------------------------------------------------------------------------------
 */

/* Cloth that lies on a ball comes to rest and stays so: no texel slips or trembles. What is left is
 * the rounding of positions. */
static void test_rest_on_a_ball(void **state) {
    (void)state;
    const struct {
        int n;
        float friction;
    } trials[] = {{25, 0.3f}, {49, 0.3f}, {49, 3.0f}};
    for (int k = 0; k < 3; k++) {
        toile_world_def def = implicit_def(1, 2.0f);
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = lying_def(trials[k].n, 0.27f);
        sheet.fabric.friction = trials[k].friction;
        toile_cloth_id cloth = add_cloth(world, &sheet);
        add_ball(world, 0.0f, 0.25f);
        run_seconds(world, 16.0);
        for (int i = 0; i < 6; i++) {
            run_seconds(world, 0.5);
            toile_metrics m = measure(world, cloth);
            assert_below(m.kinetic_energy, 1e-9); /* 4e-10 at most are seen */
            assert_below(m.penetration.max_depth_m, 1e-4);
            assert_near(m.highest, 0.25, 0.01);
        }
        toile_world_destroy(world);
    }
}

/* A ball made of triangles holds cloth as the shape does, and takes it along. */
static void test_mesh_body(void **state) {
    (void)state;
    test_mesh mesh = test_ball(0.25f, 48, 24, NULL);
    toile_world_def def = implicit_def(1, 2.0f);
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(41, 0.27f);
    sheet.fabric.friction = 0.5f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_body_def ball = toile_default_body_def();
    ball.shape = TOILE_SHAPE_MESH;
    ball.mesh = test_mesh_def(&mesh);
    const toile_keyframe keys[3] = {
        {.time = 0.0f}, {.time = 4.0f}, {.time = 6.0f, .translate = {0.5f, 0.0f, 0.0f}}};
    ball.keyframes = keys;
    ball.keyframe_count = 3;
    add_body(world, &ball);
    test_mesh_free(&mesh);
    run_seconds(world, 4.0);
    toile_metrics m = measure(world, cloth);

    float *before = texel_positions(world, cloth);
    run_seconds(world, 3.0);
    float *after = texel_positions(world, cloth);
    toile_metrics moved = measure(world, cloth);
    size_t middle = 3 * (size_t)(20 * 41 + 20);
    assert_below(m.kinetic_energy, 1e-5); /* 0.12 kg at 1 cm/s have 6e-6 J */
    assert_below(m.penetration.max_depth_m, 1e-4);
    assert_below(moved.penetration.max_depth_m, 1e-4);
    assert_near((double)(after[middle] - before[middle]), 0.5, 0.01);
    free(before);
    free(after);
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction),  cmocka_unit_test(test_capstan),
        cmocka_unit_test(test_slide),     cmocka_unit_test(test_landing),
        cmocka_unit_test(test_scrap),     cmocka_unit_test(test_rest_on_a_ball),
        cmocka_unit_test(test_mesh_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
