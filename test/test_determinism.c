/* The same bits for any number of threads, any instruction set, any compiler and level of
 * optimisation, and whether or not a run was stopped in between. */
#include "zoo.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

/* Everything that moves: two cloths, all shapes, pins on a body and by keyframes, wind with gusts.
 * Sizes are odd and no multiples of the vectors. */
static toile_world *make_zoo(int threads) {
    toile_world_def def = toile_default_world_def();
    def.threads = threads;
    def.seed = 42;
    def.wind.velocity[0] = 2.0f;
    def.wind.gust = 0.5f;
    def.solver.max_substeps = 24;
    def.solver.self_collision = false;
    toile_world *world = make_world(&def);
    toile_body_def body = toile_default_body_def();
    body.shape = TOILE_SHAPE_ELLIPSOID;
    body.center[0] = 0.1f;
    body.radii[0] = 0.2f;
    body.radii[1] = 0.1f;
    body.radii[2] = 0.3f;
    toile_keyframe keys[2] = {
        {.time = 0.0f}, {.time = 0.5f, .translate = {0.0f, 0.1f, 0.1f}, .rotate = {0, 40, 10}}};
    body.keyframes = keys;
    body.keyframe_count = 2;
    toile_body_id mover = add_body(world, &body);
    body = toile_default_body_def();
    body.shape = TOILE_SHAPE_CAPSULE;
    body.a[0] = -0.4f;
    body.b[0] = -0.2f;
    body.radii[0] = 0.08f;
    add_body(world, &body);
    body.shape = TOILE_SHAPE_BOX;
    body.center[0] = 0.5f;
    body.half[0] = body.half[1] = body.half[2] = 0.1f;
    add_body(world, &body);
    body.shape = TOILE_SHAPE_PLANE;
    body.center[1] = -0.3f;
    body.normal[1] = 1.0f;
    add_body(world, &body);
    toile_cloth_def sheet = lying_def(29, 0.15f);
    sheet.size[1] = 0.6f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
    sheet.transform.translate[1] = 0.3f;
    sheet.fabric = toile_fabric_named("silk");
    cloth = add_cloth(world, &sheet);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_POINT;
    pin.point[0] = 0.5f;
    pin.point[1] = 0.3f;
    pin.radius = 0.05f;
    pin.body = mover;
    add_pin(world, cloth, &pin);
    accept_start(world);
    return world;
}

static void test_threads_and_instruction_sets(void **state) {
    (void)state;
    assert_same_bits(make_zoo, 30);
    assert_same_hash(hash_of(make_zoo, 64, 30), hash_of(make_zoo, 1, 30), "more threads than rows");
}

/* A kept number: every build of the library, with any compiler, optimised or not, gives it. Nothing
 * in this world is turned, for sines are the C library's business. */
static void test_kept_hash(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    def.solver.max_substeps = 16;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(27);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
    add_ball(world, -0.2f, 0.3f);
    accept_start(world);
    run_steps(world, 40, 1.0f / 64.0f);
    assert_same_hash(toile_world_hash(world), UINT64_C(0x889ab82473d560ad), "kept");
    toile_world_destroy(world);
}

static void test_resume(void **state) {
    (void)state;
    assert_resumes(make_zoo, 11, 13);
}

/* The caller's way of rounding is its own affair. */
static void test_rounding_of_the_caller(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        toile_world_def def = toile_default_world_def();
        def.threads = 2;
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = square_def(21);
        toile_cloth_id cloth = add_cloth(world, &sheet);
        pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
        fesetround(i == 0 ? FE_TONEAREST : FE_UPWARD);
        toile_result result = TOILE_OK;
        for (int s = 0; s < 5 && result == TOILE_OK; s++) {
            result = toile_world_step(world, 1.0f / 64.0f);
        }
        assert_int_equal(fegetround(), i == 0 ? FE_TONEAREST : FE_UPWARD);
        fesetround(FE_TONEAREST);
        assert_int_equal(result, TOILE_OK);
        hashes[i] = toile_world_hash(world);
        toile_world_destroy(world);
    }
    assert_same_hash(hashes[1], hashes[0], "rounding upwards");
}

static void test_gusts_come_from_the_seed(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        toile_world_def def = test_world_def();
        def.seed = (uint64_t)i;
        def.wind.velocity[2] = 3.0f;
        def.wind.gust = 0.5f;
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = square_def(9);
        toile_cloth_id cloth = add_cloth(world, &sheet);
        pin_edge(world, cloth, TOILE_EDGE_TOP);
        run_steps(world, 20, 1.0f / 60.0f);
        hashes[i] = toile_world_hash(world);
        toile_world_destroy(world);
    }
    assert_true(hashes[0] != hashes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_instruction_sets),
        cmocka_unit_test(test_kept_hash),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_rounding_of_the_caller),
        cmocka_unit_test(test_gusts_come_from_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
