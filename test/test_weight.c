/* The implicit solver knows what cloth weighs in its world. */
#include "truths.h"

#include "step/world.h"

/* A sheet that hangs by a corner, in a world whose time goes `pace` times as fast: everything that
 * time is in is scaled, gravity too. `soft`: its weight stretches threads beyond their limit. */
static toile_world *hang_at_pace(float pace, bool soft) {
    const float squared = pace * pace;
    toile_world_def def = implicit_def(1, 0.1f * pace);
    def.gravity[1] = -9.81f * squared;
    def.solver.substeps = 1;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(33, 0.0f);
    toile_fabric *f = &sheet.fabric;
    f->stretch[0] = f->stretch[1] = (soft ? 50.0f : 2000.0f) * squared;
    f->shear *= squared;
    f->bend *= squared;
    f->damping /= pace;
    pin_corner(world, add_cloth(world, &sheet), TOILE_CORNER_TOP_LEFT);
    run_steps(world, 1, 1.0f / 128.0f / pace);
    return world;
}

/* What the solver takes for the weight of cloth is that of the world: 64 times as heavy cloth that
 * is 64 times as stiff is solved the same way. */
static void test_weight_is_the_worlds(void **state) {
    (void)state;
    for (int soft = 0; soft < 2; soft++) {
        toile_world *slow = hang_at_pace(1.0f, soft), *fast = hang_at_pace(8.0f, soft);
        assert_int_equal(fast->plan.cloths[0].sway_levels, slow->plan.cloths[0].sway_levels);
        assert_true(slow->plan.cloths[0].sway_levels > 1);
        assert_int_equal(world_cloth(slow, 0)->matrix_bounded, soft);
        assert_int_equal(world_cloth(fast, 0)->matrix_bounded, soft);
        toile_world_destroy(slow);
        toile_world_destroy(fast);
    }
}

/* Without gravity, cloth has no weight; gravity that comes later finds the matrix that it needs. */
static void test_gravity_may_change(void **state) {
    (void)state;
    const float none[3] = {0}, all[3] = {0.0f, -9.81f, 0.0f};
    toile_world *world = hang_at_pace(1.0f, true);
    const cloth *c = world_cloth(world, 0);
    const unsigned fills = c->matrix.fills;
    assert_ok(toile_world_set_gravity(world, none));
    run_steps(world, 2, 1.0f / 128.0f);
    assert_false(c->matrix_bounded);
    assert_int_equal(c->matrix.fills, fills + 1);
    assert_ok(toile_world_set_gravity(world, all));
    run_steps(world, 2, 1.0f / 128.0f);
    assert_true(c->matrix_bounded);
    assert_int_equal(c->matrix.fills, fills + 2);
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weight_is_the_worlds),
        cmocka_unit_test(test_gravity_may_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
