/* Strips: their hierarchies have as many levels as there can be, for few texels. */
#include "worlds.h"

/* Two texels wide, with so many along it. */
static toile_cloth_def strip_def(int columns) {
    toile_cloth_def def = toile_default_cloth_def();
    def.spacing = 0.01f;
    def.size[0] = def.spacing * (float)(columns - 1);
    def.size[1] = def.spacing;
    return def;
}

/* All that the implicit solver can be asked for in a substep. */
static toile_world_def busy_def(toile_collision collision) {
    toile_world_def def = toile_default_world_def();
    def.threads = 1;
    def.solver.substeps = 1;
    def.solver.order = 2;
    def.solver.self_collision = true;
    def.wind.velocity[2] = 1.0f;
    def.collision = collision;
    return def;
}

static int levels_of(int columns, toile_collision collision) {
    toile_world_def def = busy_def(collision);
    toile_world *world = make_world(&def);
    toile_body_def ball = toile_default_body_def();
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.radii[0] = 0.1f;
    ball.center[1] = -1.0f;
    ball.reflection = 0.5f;
    add_body(world, &ball);
    toile_cloth_def sheet = strip_def(columns);
    sheet.fabric.curvature[0] = 1.0f;
    add_cloth(world, &sheet);
    assert_ok(toile_world_step(world, 1.0f / 480.0f));
    int levels = toile_world_get_solver_info(world).levels;
    toile_world_destroy(world);
    return levels;
}

/* A strip that is twice as long has a level more. */
static void test_long_strips_have_more_levels(void **state) {
    (void)state;
    const int fewest = levels_of(48, TOILE_COLLISION_AUTO);
    for (int more = 0; more < 8; more++) {
        assert_int_equal(levels_of(48 << more, TOILE_COLLISION_AUTO), fewest + more);
        assert_int_equal(levels_of(48 << more, TOILE_COLLISION_COARSE), fewest + more);
    }
}

static void test_the_most_levels_work(void **state) {
    (void)state;
    toile_world_def def = toile_default_world_def();
    def.threads = 1;
    def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    def.solver.level_count = TOILE_MAX_LEVELS;
    def.solver.substeps = 1;
    def.solver.cycles = 2;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = strip_def((1 << (TOILE_MAX_LEVELS - 1)) + 1);
    pin_corner(world, add_cloth(world, &sheet), TOILE_CORNER_TOP_LEFT);
    run_steps(world, 1, 1.0f / 720.0f);
    assert_int_equal(toile_world_get_solver_info(world).levels, TOILE_MAX_LEVELS);
    toile_world_destroy(world);
}

/* What no hierarchy is made for is refused when it is made. */
static void test_longer_ones_are_refused(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.spacing = 0.005f;
    sheet.size[0] = 6000.0f;
    sheet.size[1] = 0.005f;
    assert_int_equal(toile_world_add_cloth(world, &sheet).slot, 0);
    assert_message(
        "spacing 0.005 m makes 1200000 x 1 cells: expected at most 1000000 along a side");
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_strips_have_more_levels),
        cmocka_unit_test(test_the_most_levels_work),
        cmocka_unit_test(test_longer_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
