/* State that is saved and loaded, and the state after a step that failed. */
#include "worlds.h"

#include "base/hash.h"
#include "device/implicit_state.h"
#include "device/newton_state.h"

static void test_saved_state_is_checked(void **state) {
    (void)state;
    toile_world *world = make_null_world(), *other = make_null_world();
    toile_cloth_def def = square_def(5);
    add_cloth(world, &def);
    def = square_def(6);
    add_cloth(other, &def);
    size_t size = toile_world_state_size(world);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(toile_world_save_state(world, bytes, size - 1), TOILE_ERROR_INVALID);
    assert_ok(toile_world_save_state(world, bytes, size));
    uint64_t hash = toile_world_hash(other);
    assert_int_equal(toile_world_load_state(other, bytes, size), TOILE_ERROR_FORMAT);
    assert_true(toile_world_hash(other) == hash);
    assert_int_equal(toile_world_load_state(world, bytes, size - 4), TOILE_ERROR_FORMAT);
    assert_ok(toile_world_load_state(world, bytes, size));
    /* the last number, and the checksum of all, the fourth word of the header */
    const float bad = NAN;
    memcpy(bytes + size - sizeof bad, &bad, sizeof bad);
    hash = hash_bytes(HASH_SEED, bytes + 32, size - 32);
    memcpy(bytes + 24, &hash, sizeof hash);
    assert_int_equal(toile_world_load_state(world, bytes, size), TOILE_ERROR_FORMAT);
    assert_message("finite");
    free(bytes);
    toile_world_destroy(world);
    toile_world_destroy(other);
}

/* A step that fails leaves the world fit to go on, and as it was, keyframes included. */
static void test_a_failed_step_changes_nothing(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    def.solver.stiffness = TOILE_STIFFNESS_TRUE;
    def.solver.substeps = 200;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(21);
    sheet.transform.rotate[0] = 20.0f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
    toile_body_def ball = toile_default_body_def();
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.radii[0] = 0.1f;
    toile_keyframe keys[2] = {{.time = 0.0f}, {.time = 1.0f, .translate = {1.0f, 0.0f, 0.0f}}};
    ball.keyframes = keys;
    ball.keyframe_count = 2;
    ball.center[1] = -2.0f;
    add_body(world, &ball);
    run_steps(world, 2, 0.01f);
    uint64_t hash = toile_world_hash(world);
    assert_int_equal(toile_world_step(world, 1.0f), TOILE_ERROR_NUMERICAL);
    assert_message("texel");
    assert_true(toile_world_hash(world) == hash);
    run_steps(world, 2, 0.01f);
    toile_world_destroy(world);
}

/* State that comes from a world with the same cloth, but other pins or bodies. */
static toile_world *make_saved(int variant) {
    toile_world *world = make_null_world();
    toile_cloth_def def = square_def(5);
    toile_cloth_id cloth = add_cloth(world, &def);
    toile_body_def wall = toile_default_body_def();
    wall.shape = TOILE_SHAPE_PLANE;
    wall.normal[0] = variant == 1 ? 1.0f : 0.0f;
    wall.normal[1] = variant == 1 ? 0.0f : 1.0f;
    toile_body_id body = add_body(world, &wall);
    toile_pin_def pin = toile_default_pin_def();
    if (variant == 2) {
        pin.body = body;
    }
    add_pin(world, cloth, &pin);
    return world;
}

static void test_state_of_another_world_is_refused(void **state) {
    (void)state;
    toile_world *world = make_saved(0);
    size_t size = toile_world_state_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_ok(toile_world_save_state(world, bytes, size));
    for (int variant = 0; variant < 3; variant++) {
        toile_world *other = make_saved(variant);
        toile_result wanted = variant == 0 ? TOILE_OK : TOILE_ERROR_FORMAT;
        assert_int_equal(toile_world_load_state(other, bytes, size), wanted);
        toile_world_destroy(other);
    }
    free(bytes);
    toile_world_destroy(world);
}

/* Pins remember where they were made, and that is part of the state. */
static void test_state_has_the_places_of_pins(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    toile_world *late = make_world(&def), *early = make_world(&def);
    toile_cloth_def sheet = square_def(5);
    toile_cloth_id a = add_cloth(late, &sheet), b = add_cloth(early, &sheet);
    run_steps(late, 10, 1.0f / 60.0f);
    pin_corner(late, a, TOILE_CORNER_TOP_LEFT);
    pin_corner(early, b, TOILE_CORNER_TOP_LEFT);
    size_t size = toile_world_state_size(late);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_ok(toile_world_save_state(late, bytes, size));
    assert_ok(toile_world_load_state(early, bytes, size));
    run_steps(late, 5, 1.0f / 60.0f);
    run_steps(early, 5, 1.0f / 60.0f);
    assert_true(toile_world_hash(late) == toile_world_hash(early));
    free(bytes);
    toile_world_destroy(late);
    toile_world_destroy(early);
}

/* Whoever asks for the memory of cloths gets that of the implicit solver's equations, too: all of
 * it, whatever cloth it is counted for. */
static void test_equations_are_counted(void **state) {
    (void)state;
    const bool gl = strcmp(test_device(), "gl") == 0;
    if (!gl && strcmp(test_device(), "cpu") != 0) {
        skip(); /* it has no implicit solver */
    }
    enum { CLOTHS = 2 };
    toile_world_def def = test_world_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    toile_world *world = make_world(&def);
    toile_cloth_def sheets[CLOTHS] = {square_def(129), square_def(33)};
    sheets[1].transform.translate[2] = 1.0f;
    toile_cloth_id cloths[CLOTHS];
    size_t before = 0, after = 0, planes = 0;
    for (int c = 0; c < CLOTHS; c++) {
        grid g;
        cloths[c] = add_cloth(world, &sheets[c]);
        before += toile_cloth_get_info(world, cloths[c]).solver_bytes;
        assert_ok(grid_create(&g, sheets[c].size, sheets[c].spacing));
        planes += (IMPLICIT_FIRST_MESHES + EQ_COUNT - EQ_springs) * g.size * sizeof(float);
    }
    run_steps(world, 1, 1.0f / 480.0f);
    for (int c = 0; c < CLOTHS; c++) {
        after += toile_cloth_get_info(world, cloths[c]).solver_bytes;
    }
    assert_true(after >= before + planes);
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saved_state_is_checked),
        cmocka_unit_test(test_state_of_another_world_is_refused),
        cmocka_unit_test(test_state_has_the_places_of_pins),
        cmocka_unit_test(test_a_failed_step_changes_nothing),
        cmocka_unit_test(test_equations_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
