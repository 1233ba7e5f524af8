/* Bodies that give the velocity of cloth back, in the implicit solver. */
#include "solids.h"
#include "truths.h"

static toile_world_def reflection_def(int order) {
    toile_world_def def = implicit_def(order, 0.0f);
    def.solver.substeps = 4;
    def.contact_margin = 0.0f;
    return def;
}

static void add_reflecting_floor(toile_world *world, float reflection, bool mesh) {
    toile_body_def floor = toile_default_body_def();
    test_mesh cube = test_cube(0.3f);
    floor.shape = mesh ? TOILE_SHAPE_MESH : TOILE_SHAPE_PLANE;
    floor.mesh = test_mesh_def(&cube);
    floor.center[1] = mesh ? -0.3f : 0.0f;
    floor.reflection = reflection;
    add_body(world, &floor);
    test_mesh_free(&cube);
}

/* How high a sheet comes that falls flat on a floor from a height. */
static double bounce(int order, float reflection, float height, bool mesh) {
    toile_world_def def = reflection_def(order);
    toile_world *world = make_world(&def);
    add_reflecting_floor(world, reflection, mesh);
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.size[0] = sheet.size[1] = 0.1f;
    sheet.transform.rotate[0] = -90.0f;
    sheet.transform.translate[1] = height;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    double top = 0.0, fall = sqrt(2.0 * (double)height / 9.81);
    for (int frame = 0; frame < 110; frame++) {
        run_steps(world, 1, 1.0f / 240.0f);
        if (toile_world_time(world) > 1.2 * fall) {
            top = fmax(top, measure(world, cloth).lowest);
        }
    }
    toile_world_destroy(world);
    return top;
}

static void test_bounce(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        const bool cpu = strcmp(test_device(), "cpu") == 0;
        for (int i = cpu ? 0 : 3; i < 4; i++) { /* hits at any part of a substep */
            float height = 0.2f + 0.0037f * (float)i;
            bool mesh = i == 3;
            double top = bounce(order, 1.0f, height, mesh);
            double half = bounce(order, 0.5f, height, mesh);
            print_message("order %d: from %.4f m to %.4f m, with a half to %.4f m\n", order,
                          (double)height, top, half);
            assert_near(top, (double)height, 0.003);
            assert_near(half, 0.25 * (double)height, 0.0025);
        }
        assert_below(bounce(order, 0.0f, 0.2f, false), 0.002);
    }
}

static double energy(toile_world *world, toile_cloth_id cloth) {
    toile_metrics m = measure(world, cloth);
    return m.kinetic_energy + m.potential_energy + m.elastic_energy;
}

/* A stiff sheet that falls on a corner, tumbles and hits again and again has never more energy than
 * it had, but for what a blow at any part of a substep makes of gravity. */
static void test_energy_does_not_grow(void **state) {
    (void)state;
    if (strcmp(test_device(), "cpu") != 0) {
        skip(); /* the bounces tell whether a device does the same */
    }
    static const char *const names[] = {"leather", "denim"};
    for (int i = 0; i < 4; i++) {
        toile_world_def def = reflection_def(1 + i / 2);
        toile_world *world = make_world(&def);
        add_reflecting_floor(world, 1.0f, false);
        toile_cloth_def sheet = toile_default_cloth_def();
        sheet.size[0] = 0.2f;
        sheet.size[1] = 0.1f;
        sheet.spacing = 0.01f;
        sheet.fabric = toile_fabric_named(names[i % 2]);
        sheet.transform.rotate[0] = -50.0f;
        sheet.transform.rotate[1] = 35.0f;
        sheet.transform.translate[1] = 0.25f;
        toile_cloth_id cloth = add_cloth(world, &sheet);
        double start = energy(world, cloth), most = start, end = 0.0;
        for (int frame = 0; frame < 150; frame++) {
            run_steps(world, 1, 1.0f / 240.0f);
            end = energy(world, cloth);
            most = fmax(most, end);
        }
        print_message("%s, order %d: energy %.4f, at most %.4f, %.4f at the end\n", names[i % 2],
                      1 + i / 2, start, most, end);
        assert_below(most, 1.02 * start);
        toile_world_destroy(world);
    }
}

/* Cloth that a ball gives half of its velocity back comes to rest all the same. */
static void test_rest(void **state) {
    (void)state;
    if (strcmp(test_device(), "cpu") != 0) {
        skip(); /* twelve seconds of it take as long */
    }
    toile_world_def def = implicit_def(1, 2.0f);
    toile_world *world = make_world(&def);
    toile_body_def ball = toile_default_body_def();
    ball.radii[0] = 0.2f;
    ball.reflection = 0.5f;
    ball.friction = 1.0f;
    add_body(world, &ball);
    toile_cloth_def sheet = lying_def(17, 0.25f);
    sheet.fabric.friction = 1.0f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    run_seconds(world, 12.0);
    double kinetic = measure(world, cloth).kinetic_energy;
    print_message("at rest on a ball: %.3g J\n", kinetic);
    assert_below(kinetic, 1e-9);
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_energy_does_not_grow),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
