/* Contact with bodies against what physics says. */
#include "worlds.h"

static void test_friction_angle(void **state) {
    (void)state;
    toile_world_def def = quiet_def();
    assert_coulomb(&def);
}

/* A sheet that falls on a floor which gives all of its velocity back comes up as high as it was. */
static void test_bounce(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++) {
        toile_world_def def = quiet_def();
        toile_world *world = make_world(&def);
        toile_body_def floor = toile_default_body_def();
        floor.shape = TOILE_SHAPE_PLANE;
        floor.reflection = 1.0f;
        add_body(world, &floor);
        toile_cloth_def sheet = toile_default_cloth_def();
        sheet.size[0] = sheet.size[1] = 0.1f;
        sheet.transform.rotate[0] = -90.0f;
        sheet.transform.translate[1] =
            0.2f + 0.0037f * (float)i; /* hits at any part of a substep */
        toile_cloth_id cloth = add_cloth(world, &sheet);
        double top = 0.0, fall = sqrt(2.0 * 0.2 / 9.81);
        for (int frame = 0; frame < 240; frame++) {
            run_steps(world, 1, 1.0f / 240.0f);
            if (toile_world_time(world) > 1.2 * fall) {
                top = fmax(top, measure(world, cloth).lowest);
            }
        }
        assert_near(top, (double)sheet.transform.translate[1], 0.003);
        toile_world_destroy(world);
    }
}

/* Cloth lies on a floor that sinks more slowly than it would fall, whatever the substeps. */
static void test_cloth_follows_a_sinking_floor(void **state) {
    (void)state;
    const int substeps[2] = {4, 64};
    for (int i = 0; i < 2; i++) {
        toile_world_def def = quiet_def();
        def.solver.substeps = substeps[i];
        toile_world *world = make_world(&def);
        toile_body_def floor = toile_default_body_def();
        floor.shape = TOILE_SHAPE_PLANE;
        toile_keyframe keys[3] = {{.time = 0.5f},
                                  {.time = 1.0f, .translate = {0.0f, -0.1f, 0.0f}},
                                  {.time = 2.0f, .translate = {0.0f, -1.1f, 0.0f}}};
        floor.keyframes = keys;
        floor.keyframe_count = 3;
        toile_body_id body = add_body(world, &floor);
        toile_cloth_def sheet = toile_default_cloth_def();
        sheet.size[0] = sheet.size[1] = 0.1f;
        sheet.transform.rotate[0] = -90.0f;
        sheet.transform.translate[1] = 0.001f;
        toile_cloth_id cloth = add_cloth(world, &sheet);
        run_seconds(world, 1.9);
        double height =
            measure(world, cloth).highest - (double)toile_body_get_pose(world, body).position[1];
        assert_near(height, 0.5 * (double)sheet.fabric.thickness, 1e-5);
        toile_world_destroy(world);
    }
}

/* In a steep groove a texel touches both sides. */
static void test_two_bodies_at_once(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    toile_world *world = make_world(&def);
    for (int side = -1; side <= 1; side += 2) {
        toile_body_def wall = toile_default_body_def();
        wall.shape = TOILE_SHAPE_PLANE;
        wall.normal[0] = (float)side;
        wall.normal[1] = 0.1f;
        wall.friction = 0.0f;
        add_body(world, &wall);
    }
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.size[0] = 0.04f;
    sheet.size[1] = 0.2f;
    sheet.spacing = 0.01f;
    sheet.transform.rotate[0] = -90.0f;
    sheet.transform.translate[1] = 0.6f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    for (int frame = 0; frame < 90; frame++) {
        run_steps(world, 1, 1.0f / 60.0f);
        assert_below(measure(world, cloth).penetration.max_depth_m, 0.001);
    }
    assert_true(measure(world, cloth).lowest < 0.3); /* it has got into the groove */
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction_angle),
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_cloth_follows_a_sinking_floor),
        cmocka_unit_test(test_two_bodies_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
