/* Cloth that starts within itself, or within other cloth, where bounds keep what starts apart. */
#include "worlds.h"

static const float STEP = 1.0f / 60.0f;

static toile_world *make_bounded(bool bounded, int threads) {
    toile_world_def def = quiet_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.self_collision = true;
    def.solver.bounded = bounded;
    def.threads = threads;
    return make_world(&def);
}

/* ---- starts that are refused --------------------------------------------------------------------
 */

/* A strip along a loop, its ends so far past each other, m; it is 3 cm wide. */
static toile_cloth_id add_loop(toile_world *world, float past) {
    toile_cloth_def strip = toile_default_cloth_def();
    strip.name = "loop";
    strip.size[0] = 0.3f;
    strip.size[1] = 0.03f;
    strip.spacing = 0.01f;
    const toile_cloth_id id = add_cloth(world, &strip);
    const toile_cloth_info info = toile_cloth_get_info(world, id);
    float *x = malloc(3 * info.texels * sizeof *x);
    assert_non_null(x);
    const float radius = 0.3f / 6.2831853f;
    for (size_t i = 0; i < info.texels; i++) {
        const float along = (float)(i % (size_t)info.columns) / (float)(info.columns - 1);
        const float angle = 6.2831853f * along;
        /* Both ends go straight on beside the loop. */
        const float end = along - 0.5f, rest = 0.4f;
        const float more = end > rest ? (end - rest) / (0.5f - rest)
                                      : (end < -rest ? (end + rest) / (0.5f - rest) : 0.0f);
        x[3 * i] = radius * sinf(angle) + past * more;
        x[3 * i + 1] = radius * (1.0f - cosf(angle)) + 0.2f;
        x[3 * i + 2] = 0.01f * (float)(i / (size_t)info.columns);
    }
    assert_ok(toile_cloth_set_texel_positions(world, id, x, info.texels));
    free(x);
    return id;
}

static void test_cloth_within_itself(void **state) {
    (void)state;
    toile_world *world = make_bounded(true, 1);
    add_loop(world, 0.014f);
    assert_int_equal(toile_world_step(world, STEP), TOILE_ERROR_INVALID);
    assert_message("\"loop\" starts within itself: ");
    assert_message(" pairs of its triangles cut each other, such as near (");
    toile_world_destroy(world);
    /* Without bounds it is as it was. */
    world = make_bounded(false, 1);
    add_loop(world, 0.014f);
    assert_ok(toile_world_step(world, STEP));
    toile_world_destroy(world);
    /* Apart it is fine. */
    world = make_bounded(true, 1);
    add_loop(world, -0.004f);
    assert_ok(toile_world_step(world, STEP));
    toile_world_destroy(world);
}

/* Ends that a tie holds to each other may lie in each other. */
static void test_seams_do_not_count(void **state) {
    (void)state;
    for (int tied = 0; tied < 2; tied++) {
        toile_world *world = make_bounded(true, 1);
        const toile_cloth_id loop = add_loop(world, 0.0005f);
        toile_tie_def def = toile_default_tie_def();
        const float left[4] = {0.0f, 0.0f, 0.0f, 0.03f}, right[4] = {0.3f, 0.0f, 0.3f, 0.03f};
        def.runs[0].cloth = def.runs[1].cloth = loop;
        def.runs[0].points = left;
        def.runs[1].points = right;
        def.runs[0].point_count = def.runs[1].point_count = 2;
        if (tied) {
            assert_int_not_equal(toile_world_add_tie(world, &def).slot, 0);
        }
        assert_int_equal(toile_world_step(world, STEP), tied ? TOILE_OK : TOILE_ERROR_INVALID);
        toile_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cloth_within_itself),
        cmocka_unit_test(test_seams_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
