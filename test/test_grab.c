/* What a window needs to take hold of cloth: which texels pins hold, how they let go, and where
 * bodies are. */
#include "worlds.h"

static toile_pin_def point_pin(float u, float v, float radius) {
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_POINT;
    pin.point[0] = u;
    pin.point[1] = v;
    pin.radius = radius;
    return pin;
}

static void pins_say_what_they_hold(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_cloth_def sheet = square_def(11);
    add_cloth(world, &sheet);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_body_id ball = add_ball(world, -1.0f, 0.2f);
    toile_pin_def pin = point_pin(0.5f, 0.5f, 0.11f);
    pin.body = ball;
    toile_pin_id id = add_pin(world, cloth, &pin);

    toile_pin_info info = toile_pin_get_info(world, id);
    assert_memory_equal(&info.cloth, &cloth, sizeof cloth);
    assert_memory_equal(&info.body, &ball, sizeof ball);
    assert_int_equal(info.texels, 5);
    uint32_t texels[5];
    const uint32_t cross[5] = {49, 59, 60, 61, 71};
    assert_ok(toile_pin_get_texels(world, id, texels, 5));
    assert_memory_equal(texels, cross, sizeof cross);
    assert_int_equal(toile_pin_get_texels(world, id, texels, 4), TOILE_ERROR_INVALID);
    assert_message("holds 5 texels");

    pin = point_pin(0.0f, 0.0f, 0.0f);
    info = toile_pin_get_info(world, add_pin(world, cloth, &pin));
    assert_int_equal(info.body.slot, 0);
    assert_int_equal(info.keyframe_count, 0);
    assert_int_equal(info.texels, 1);

    const toile_keyframe keys[2] = {{.time = 0.0f}, {.time = 1.0f, .translate = {1.0f}}};
    pin = point_pin(1.0f, 0.0f, 0.0f);
    pin.keyframes = keys;
    pin.keyframe_count = 2;
    id = add_pin(world, cloth, &pin);
    assert_int_equal(toile_pin_get_info(world, id).keyframe_count, 2);
    assert_ok(toile_world_move_pin(world, id, (float[3]){0}, (float[4]){0, 0, 0, 1}));
    assert_int_equal(toile_pin_get_info(world, id).keyframe_count, 0);
    toile_world_destroy(world);
}

/* A cloth without weight that is pulled along by all its texels flies on when it is let go. */
static void what_is_let_go_keeps_its_velocity(void **state) {
    (void)state;
    const toile_solver_kind kinds[] = {TOILE_SOLVER_MASS_SPRING, TOILE_SOLVER_MULTILEVEL,
                                       TOILE_SOLVER_IMPLICIT};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        toile_world_def def = quiet_def();
        def.solver.kind = kinds[k];
        memset(def.gravity, 0, sizeof def.gravity);
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = square_def(11);
        toile_cloth_id cloth = add_cloth(world, &sheet);
        toile_pin_def pin = point_pin(0.5f, 0.5f, 2.0f);
        toile_pin_id id = add_pin(world, cloth, &pin);
        float *start = texel_positions(world, cloth);
        const float still[4] = {0.0f, 0.0f, 0.0f, 1.0f};
        for (int step = 1; step <= 10; step++) {
            const float move[3] = {0.0f, 0.0f, 0.02f * (float)step};
            assert_ok(toile_world_move_pin(world, id, move, still));
            run_steps(world, 1, 0.01f);
        }
        toile_world_remove_pin(world, id);
        run_steps(world, 10, 0.01f);
        float *now = texel_positions(world, cloth);
        assert_near((double)(now[3 * 60 + 2] - start[3 * 60 + 2]), 0.4, 0.002);
        free(start);
        free(now);
        toile_world_destroy(world);
    }
}

static void bodies_say_how_far_a_point_is(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_body_def def = toile_default_body_def();
    def.shape = TOILE_SHAPE_BOX;
    memcpy(def.half, (float[]){0.5f, 0.1f, 0.1f}, sizeof def.half);
    def.center[1] = 1.0f;
    def.rotate[2] = 90.0f; /* stands upright */
    toile_body_id box = add_body(world, &def);
    float normal[3];
    const float above[3] = {0.0f, 1.8f, 0.0f}, inside[3] = {0.08f, 1.0f, 0.0f};
    assert_near((double)toile_body_get_distance(world, box, above, normal), 0.3, 1e-6);
    assert_near((double)normal[1], 1.0, 1e-6);
    assert_near((double)toile_body_get_distance(world, box, inside, normal), -0.02, 1e-6);
    assert_near((double)normal[0], 1.0, 1e-6);
    assert_near((double)toile_body_get_distance(world, box, inside, NULL), -0.02, 1e-6);
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_say_what_they_hold),
        cmocka_unit_test(what_is_let_go_keeps_its_velocity),
        cmocka_unit_test(bodies_say_how_far_a_point_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
