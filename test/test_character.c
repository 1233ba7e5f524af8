/* Characters: sampling of clips and linear blend skinning, on two joints made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/skinning.h"

/* A root that walks 2 m along z in 1 s, and an arm at (0, 1, 0) that turns by 90 degrees about z.
 */
static float times[] = {0.0f, 0.5f, 1.0f};
static float walk[] = {0, 0, 0, 0, 0, 1, 0, 0, 2};
static float half_times[] = {0.0f, 1.0f};
static float turn[] = {0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f};
static character_track tracks[] = {{0, TRACK_TRANSLATION, 3, times, walk, TRACK_LINEAR, 0},
                                   {1, TRACK_ROTATION, 2, half_times, turn, TRACK_LINEAR, 0}};
static character_clip clip = {"walk", 1.0, true, tracks, 2};
static float positions[] = {1, 1, 0, 1, 1, 0, 1, 1, 0};
static uint16_t joints[] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0};
static float weights[] = {1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0};
static character_joint skeleton[2];
static character figure = {.vertices = 3,
                           .influences = 4,
                           .positions = positions,
                           .joints = joints,
                           .weights = weights,
                           .skeleton = skeleton,
                           .joint_count = 2,
                           .clips = &clip,
                           .clip_count = 1};

static int set_up(void **state) {
    (void)state;
    transform identity = transform_identity, up = transform_identity, down = transform_identity;
    up.translation[1] = 1.0;
    down.translation[1] = -1.0;
    skeleton[0] = (character_joint){"root", -1, identity, affine_from_transform(&identity), true};
    skeleton[1] = (character_joint){"arm", 0, up, affine_from_transform(&down), false};
    return 0;
}

static void assert_near(double a, double b) {
    if (!(fabs(a - b) < 1e-6)) {
        fail_msg("%.9g is not %.9g", a, b);
    }
}

static void skin(const character *c, const transform *locals, float *out) {
    affine global[2];
    skin_rows matrices[2];
    character_skin_matrices(c, locals, global);
    skin_rows_from_affine(global, 2, matrices);
    character_skin(c, matrices, out);
}

static void rest_pose_leaves_the_mesh(void **state) {
    (void)state;
    transform locals[2];
    float out[9];
    character_sample(&figure, NULL, 0.3, true, locals);
    skin(&figure, locals, out);
    assert_memory_equal(out, positions, sizeof out);
}

static void keys_are_interpolated(void **state) {
    (void)state;
    transform locals[2];
    character_sample(&figure, &clip, 0.25, true, locals);
    assert_near(locals[0].translation[2], 0.5);
    assert_near(locals[1].translation[1], 1.0); /* no track: at rest */
    assert_near(locals[1].rotation.z, sin(0.25 * acos(-1.0) / 4.0));
}

static void vertices_follow_their_joints(void **state) {
    (void)state;
    transform locals[2];
    float out[9];
    clip.loop = false;
    character_sample(&figure, &clip, 1.0, true, locals);
    clip.loop = true;
    skin(&figure, locals, out);
    const float expected[] = {1, 1, 2, 0, 2, 2, 0.5f, 1.5f, 2};
    for (int i = 0; i < 9; i++) {
        assert_near((double)out[i], (double)expected[i]);
    }
}

static void loops_go_on_from_where_they_were(void **state) {
    (void)state;
    transform locals[2];
    character_sample(&figure, &clip, 3.25, true, locals);
    assert_near(locals[0].translation[2], 6.5);
    character_sample(&figure, &clip, 3.25, false, locals);
    assert_near(locals[0].translation[2], 0.0);
    assert_near(locals[1].rotation.z, sin(0.25 * acos(-1.0) / 4.0));
}

static void clips_without_loop_stay_at_their_end(void **state) {
    (void)state;
    transform locals[2];
    clip.loop = false;
    character_sample(&figure, &clip, 5.0, true, locals);
    clip.loop = true;
    assert_near(locals[0].translation[2], 2.0);
}

static void clips_have_names(void **state) {
    (void)state;
    assert_ptr_equal(character_find_clip(&figure, "walk"), &clip);
    assert_null(character_find_clip(&figure, "fly"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_pose_leaves_the_mesh),
        cmocka_unit_test(keys_are_interpolated),
        cmocka_unit_test(vertices_follow_their_joints),
        cmocka_unit_test(loops_go_on_from_where_they_were),
        cmocka_unit_test(clips_without_loop_stay_at_their_end),
        cmocka_unit_test(clips_have_names),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
