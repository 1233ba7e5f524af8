/* Performances: what is mixed, faded, put on top and walked, on three joints made by hand. */
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/performance.h"
#include "scratch.h"

static const double pi = 3.14159265358979323846;
#define HALF 0.70710678f

/* walk: the root goes 2 m along z in 1 s, the arm turns by 90 degrees about z. crawl: the root goes
 * 1 m along x in 2 s. wave: the hand alone. turn: the root turns left by 90 degrees while it goes
 * 1 m along z. bulge: the morph target. */
static float second[] = {0, 1}, two[] = {0, 2};
static float walk_way[] = {0, 0, 0, 0, 0, 2}, crawl_way[] = {0, 0, 0, 1, 0, 0};
static float walk_arm[] = {0, 0, 0, 1, 0, 0, HALF, HALF};
static float wave_hand[] = {0, 0, 0, 1, HALF, 0, 0, HALF};
static float turn_way[] = {0, 0, 0, 0, 0, 1}, turn_turn[] = {0, 0, 0, 1, 0, HALF, 0, HALF};
static float bulge[] = {0, 1};
static float spline_times[] = {1, 3};
static float spline[] = {9, 9, 9, 1, 2, 3, 4, 0, 0, /* in-tangent, value, out-tangent */
                         2, 0, 0, 5, 2, 3, 9, 9, 9};
static character_track walk_tracks[] = {
    {0, TRACK_TRANSLATION, 2, second, walk_way, TRACK_LINEAR, 0},
    {1, TRACK_ROTATION, 2, second, walk_arm, TRACK_LINEAR, 0}};
static character_track crawl_tracks[] = {
    {0, TRACK_TRANSLATION, 2, two, crawl_way, TRACK_LINEAR, 0}};
static character_track wave_tracks[] = {{2, TRACK_ROTATION, 2, second, wave_hand, TRACK_LINEAR, 0}};
static character_track turn_tracks[] = {
    {0, TRACK_TRANSLATION, 2, second, turn_way, TRACK_LINEAR, 0},
    {0, TRACK_ROTATION, 2, second, turn_turn, TRACK_LINEAR, 0}};
static character_track bulge_tracks[] = {{0, TRACK_WEIGHTS, 2, second, bulge, TRACK_LINEAR, 1}};
static character_track spline_tracks[] = {
    {1, TRACK_TRANSLATION, 2, spline_times, spline, TRACK_CUBIC, 0},
    {0, TRACK_TRANSLATION, 2, two, crawl_way, TRACK_STEP, 0}};
static character_clip clips[] = {
    {"walk", 1.0, true, walk_tracks, 2},    {"crawl", 2.0, true, crawl_tracks, 1},
    {"wave", 1.0, false, wave_tracks, 1},   {"turn", 1.0, true, turn_tracks, 2},
    {"bulge", 1.0, false, bulge_tracks, 1}, {"spline", 3.0, false, spline_tracks, 2}};
static character_joint skeleton[3];
static character_target target = {.weight = 0.25f};
static character figure = {.skeleton = skeleton,
                           .joint_count = 3,
                           .clips = clips,
                           .clip_count = 6,
                           .targets = &target,
                           .target_count = 1};

static int set_up(void **state) {
    (void)state;
    affine identity = affine_from_transform(&transform_identity);
    skeleton[0] = (character_joint){"root", -1, transform_identity, identity, true};
    skeleton[1] = (character_joint){"arm", 0, transform_identity, identity, false};
    skeleton[2] = (character_joint){"hand", 1, transform_identity, identity, false};
    skeleton[1].rest.translation[1] = 1.0;
    skeleton[2].rest.translation[0] = 0.5;
    return 0;
}

static void assert_near(double a, double b) {
    if (!(fabs(a - b) < 1e-6)) {
        fail_msg("%.9g is not %.9g", a, b);
    }
}

static performance_action act(const char *name) {
    performance_action a = performance_action_default();
    a.animation = name;
    return a;
}

static performance *perform(const performance_action *actions, size_t count, bool root_motion) {
    performance *p;
    if (performance_create(&figure, actions, count, root_motion, &p) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return p;
}

static double angle_of(quat q) {
    return 2.0 * atan2(sqrt(q.x * q.x + q.y * q.y + q.z * q.z), q.w) * 180.0 / pi;
}

static void sample_once(const performance_action *actions, size_t count, bool root_motion,
                        double time, transform *locals) {
    performance *p = perform(actions, count, root_motion);
    performance_sample(p, time, locals, NULL);
    performance_destroy(p);
}

static void one_action_is_its_clip(void **state) {
    (void)state;
    performance_action walk = act("walk");
    transform locals[3], expected[3];
    for (double time = 0.0; time < 4.0; time += 0.3) {
        sample_once(&walk, 1, true, time, locals);
        character_sample(&figure, &clips[0], time, true, expected);
        for (int j = 0; j < 3; j++) {
            assert_near(locals[j].translation[2], expected[j].translation[2]);
            assert_near(angle_of(locals[j].rotation), angle_of(expected[j].rotation));
        }
    }
    sample_once(NULL, 0, true, 1.0, locals);
    assert_near(locals[1].translation[1], 1.0);
}

/* Rounds add up, backwards too; half of the speed takes half of the way; without root motion the
 * root stays. */
static void roots_walk_on(void **state) {
    (void)state;
    performance_action walk = act("walk");
    transform locals[3];
    sample_once(&walk, 1, true, 3.25, locals);
    assert_near(locals[0].translation[2], 6.5);
    sample_once(&walk, 1, false, 3.25, locals);
    assert_near(locals[0].translation[2], 0.0);
    walk.speed = -0.5;
    sample_once(&walk, 1, true, 3.0, locals);
    assert_near(locals[0].translation[2], -3.0);
    assert_near(angle_of(locals[1].rotation), 45.0);
    walk.speed = 1.0;
    walk.loop = PERFORMANCE_HOLD;
    sample_once(&walk, 1, true, 3.25, locals);
    assert_near(locals[0].translation[2], 2.0);
    walk.start = 0.5;
    walk.begin = 1.0;
    sample_once(&walk, 1, true, 1.25, locals);
    assert_near(locals[0].translation[2], 1.5);
    walk.loop = PERFORMANCE_LOOP;
    sample_once(&walk, 1, true, 1e6, locals); /* many rounds take no time */
    assert_near(locals[0].translation[2] / 2e6, (1e6 - 0.5) / 1e6);
}

static void rounds_turn(void **state) {
    (void)state;
    performance_action turn = act("turn");
    transform locals[3];
    /* Four rounds make a square: along z, x, -z, -x. */
    const double places[][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (int i = 0; i < 5; i++) {
        sample_once(&turn, 1, true, i, locals);
        assert_near(locals[0].translation[0], places[i][0]);
        assert_near(locals[0].translation[2], places[i][1]);
    }
}

static void weights_mix(void **state) {
    (void)state;
    performance_action both[] = {act("walk"), act("crawl")};
    transform locals[3];
    both[0].weight = 0.5;
    both[1].weight = 0.25; /* normalised: two thirds and one third */
    sample_once(both, 2, true, 0.5, locals);
    assert_near(locals[0].translation[2], 2.0 / 3.0);
    assert_near(locals[0].translation[0], 0.25 / 3.0);
    /* Of the arm, crawl has the rest rotation: the sum of quaternions, made a unit. */
    double s = 2.0 * sin(pi / 8.0), c = 2.0 * cos(pi / 8.0) + 1.0;
    assert_near(angle_of(locals[1].rotation), 2.0 * atan2(s, c) * 180.0 / pi);
    for (int i = 0; i < 8; i++) { /* the opposite quaternions are the same turns */
        walk_arm[i] = -walk_arm[i];
    }
    sample_once(both, 2, true, 0.5, locals);
    quat q = locals[1].rotation;
    assert_near(2.0 * atan2(fabs(q.z), fabs(q.w)), 2.0 * atan2(s, c));
    for (int i = 0; i < 8; i++) {
        walk_arm[i] = -walk_arm[i];
    }
}

/* Nothing jumps: from the rest pose into walk, over to crawl and out again. */
static void fades_are_continuous(void **state) {
    (void)state;
    performance_action list[] = {act("walk"), act("crawl")};
    list[0].begin = 0.5;
    list[0].fade_in = 0.5;
    list[0].end = 3.0;
    list[0].fade_out = 1.0;
    list[1].begin = 2.0;
    list[1].fade_in = 1.0;
    list[1].end = 5.0;
    list[1].fade_out = 0.5;
    for (int root_motion = 0; root_motion < 2; root_motion++) {
        performance *p = perform(list, 2, root_motion);
        transform last[3], now[3];
        performance_sample(p, 0.0, last, NULL);
        for (int i = 1; i <= 4900; i++) { /* until the fading out, which leads back to the rest */
            double time = 0.001 * i;
            performance_sample(p, time, now, NULL);
            for (int k = 0; k < 3; k++) {
                double step = fabs(now[0].translation[k] - last[0].translation[k]);
                if (!(step < 0.05)) {
                    fail_msg("the root jumps by %g m at %g s", step, time);
                }
            }
            double turned = fabs(angle_of(now[1].rotation) - angle_of(last[1].rotation));
            bool wraps =
                fabs(time - round(time)) < 0.01 || fabs(time - 0.5 - round(time - 0.5)) < 0.01;
            if (!(turned < 0.5 || wraps)) {
                fail_msg("the arm jumps by %g degrees at %g s", turned, time);
            }
            memcpy(last, now, sizeof last);
        }
        performance_destroy(p);
    }
    /* Half faded in at the middle of the clip: half of 45 degrees, and the arm is where it was. */
    transform half[3];
    list[0].start = 0.25;
    sample_once(list, 2, true, 0.75, half);
    assert_near(angle_of(half[1].rotation), 22.5);
    assert_near(half[1].translation[1], 1.0);
    assert_near(performance_presence(&list[0], 2.25), 0.75);
    assert_near(performance_presence(&list[1], 2.25), 0.25);
    assert_near(performance_presence(&list[0], 0.75), 0.5);
}

/* The second walks on from where the first has come to, and turns with it. */
static void later_actions_go_on(void **state) {
    (void)state;
    performance_action list[] = {act("turn"), act("walk")};
    transform locals[3];
    list[0].end = 1.0;
    list[1].begin = 1.0;
    sample_once(list, 2, true, 1.5, locals);
    assert_near(locals[0].translation[0], 1.0);
    assert_near(locals[0].translation[2], 1.0);
    list[1].start = 0.25; /* its first quarter is skipped, not walked */
    sample_once(list, 2, true, 1.5, locals);
    assert_near(locals[0].translation[0], 1.0);
    list[0].end = 0.5; /* a gap: it waits where it was */
    list[1].start = 0.0;
    sample_once(list, 2, true, 1.0 + 1e-9, locals);
    assert_near(locals[0].translation[2], 0.5);
}

static void on_top_touches_only_its_joints(void **state) {
    (void)state;
    performance_action list[] = {act("walk"), act("wave")};
    transform base[3], both[3];
    list[1].on_top = true;
    list[1].weight = 0.5;
    sample_once(list, 1, true, 1.5, base);
    sample_once(list, 2, true, 1.5, both);
    assert_memory_equal(both, base, 2 * sizeof *base);
    assert_near(angle_of(base[2].rotation), 0.0);
    assert_near(angle_of(both[2].rotation), 45.0);
    assert_memory_equal(both[2].translation, base[2].translation, sizeof base[2].translation);
    list[1].weight = 1.0;
    sample_once(list, 2, true, 1.5, both);
    assert_near(angle_of(both[2].rotation), 90.0);
    list[1].fade_in = 3.0;
    sample_once(list, 2, true, 0.0, both);
    assert_near(angle_of(both[2].rotation), 0.0);
}

static void targets_are_mixed(void **state) {
    (void)state;
    performance_action list[] = {act("bulge"), act("walk")};
    transform locals[3];
    float weight;
    performance *p = perform(list, 2, true);
    performance_sample(p, 0.5, locals, &weight);
    assert_near((double)weight, 0.5 * 0.5 + 0.5 * 0.25);
    performance_destroy(p);
    list[0].on_top = true;
    p = perform(list, 2, true);
    performance_sample(p, 0.5, locals, &weight);
    assert_near((double)weight, 0.5);
    performance_destroy(p);
}

/* By hand: at the middle of 2 s the values weigh a half, the slopes an eighth of the time, which is
 * 2 s: x = (1 + 5) / 2 + 2 / 8 * (4 - 2). */
static void splines_and_steps_are_sampled(void **state) {
    (void)state;
    transform locals[3];
    character_sample(&figure, &clips[5], 2.0, true, locals);
    assert_near(locals[1].translation[0], 3.5);
    assert_near(locals[1].translation[1], 2.0);
    assert_near(locals[0].translation[0], 1.0); /* at a key of a step: its value */
    character_sample(&figure, &clips[5], 1.5, true, locals);
    /* u = 1/4: 27/32 1 + 9/64 2 4 + 5/32 5 - 3/64 2 2 */
    assert_near(locals[1].translation[0], 27.0 / 32 + 72.0 / 64 + 25.0 / 32 - 12.0 / 64);
    assert_near(locals[0].translation[0], 0.0);
    character_sample(&figure, &clips[5], 0.5, true, locals);
    assert_near(locals[1].translation[0], 1.0);
    character_sample(&figure, &clips[5], 9.0, true, locals);
    assert_near(locals[1].translation[0], 5.0);
}

/* A resumed run asks for times in another order. */
static void time_has_no_memory(void **state) {
    (void)state;
    performance_action list[] = {act("turn"), act("walk"), act("wave")};
    list[0].end = 2.0;
    list[0].fade_out = 1.0;
    list[1].begin = 1.0;
    list[1].fade_in = 1.0;
    list[2].on_top = true;
    performance *p = perform(list, 3, true), *fresh = perform(list, 3, true);
    skin_rows a[3], b[3];
    for (int i = 0; i < 40; i++) {
        assert_int_equal(performance_pose(p, 0.1 * i, a, NULL), TOILE_OK);
    }
    assert_int_equal(performance_pose(p, 1.7, a, NULL), TOILE_OK);
    assert_int_equal(performance_pose(fresh, 1.7, b, NULL), TOILE_OK);
    assert_memory_equal(a, b, sizeof a);
    performance_destroy(p);
    performance_destroy(fresh);
}

/* ---- turning ------------------------------------------------------------------------------------
 */

static double pose_difference(performance *a, performance *b, double time, double later) {
    transform p[3], q[3];
    float weight[2];
    double most = 0.0;
    performance_sample(a, time, p, &weight[0]);
    performance_sample(b, later, q, &weight[1]);
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) {
            most = fmax(most, fabs(p[j].translation[k] - q[j].translation[k]));
        }
        quat back = quat_multiply(quat_conjugate(p[j].rotation), q[j].rotation);
        double turn = fabs(angle_of(back));
        most = fmax(most, fmin(turn, 360.0 - turn) * pi / 180.0);
    }
    return fmax(most, fabs((double)weight[0] - (double)weight[1]));
}

static performance *turn_to(performance *p, double time, const char *name, double fade) {
    performance_action next = act(name);
    next.fade_in = fade;
    performance *turned;
    assert_int_equal(performance_turn(p, time, &next, &turned), TOILE_OK);
    return turned;
}

/* At the time of a turn the pose is the same, in the middle of fades too, and from there on it goes
 * on without a jump. */
static void turns_do_not_jump(void **state) {
    (void)state;
    static const char *const names[] = {"crawl", "turn", "walk", "bulge"};
    performance_action actions[3] = {act("walk"), act("turn"), act("wave")};
    actions[0].end = 2.0;
    actions[0].fade_out = 1.5;
    actions[1].begin = 0.5;
    actions[1].fade_in = 1.5;
    actions[2].on_top = true;
    actions[2].begin = 0.7;
    actions[2].fade_in = 0.2;
    for (int root_motion = 0; root_motion < 2; root_motion++) {
        performance *p = perform(actions, 3, root_motion);
        double time = 0.9; /* both are in the middle of fading */
        for (int i = 0; i < 40; i++) {
            /* Within a round, so that looping clips with no root motion do not jump themselves. */
            time += 0.07 + 0.003 * i;
            performance *turned = turn_to(p, time, names[i % 4], 0.3);
            assert_near(pose_difference(p, turned, time, time), 0.0);
            assert_true(pose_difference(turned, turned, time, time + 1e-4) < 2e-3);
            assert_string_equal(performance_leading(turned, time), names[i % 4]);
            performance_destroy(p);
            p = turned;
        }
        /* What was there before has faded out. */
        transform locals[3], alone[3];
        performance_sample(p, time + 0.4, locals, NULL);
        sample_once(&(performance_action){"bulge", 1.0, 1.0, 0.0, time, INFINITY, 0.0, 0.0,
                                          PERFORMANCE_LOOP_AS_CLIP, false},
                    1, root_motion, time + 0.4, alone);
        assert_near(angle_of(locals[1].rotation), angle_of(alone[1].rotation));
        performance_destroy(p);
    }
}

/* With root motion the way that actions went counts when they are long gone. */
static void turns_go_on_from_where_the_character_is(void **state) {
    (void)state;
    performance_action walk = act("walk");
    transform locals[3];
    performance *p = perform(&walk, 1, true);
    for (int i = 0; i < 10; i++) {
        performance *turned = turn_to(p, 1.0 + i, i % 2 ? "walk" : "crawl", 0.0);
        performance_destroy(p);
        p = turned;
    }
    performance_sample(p, 11.0, locals, NULL);
    assert_near(locals[0].translation[2], 2.0 * 6.0); /* 1 s, and 5 more */
    assert_near(locals[0].translation[0], 0.5 * 5.0);
    performance_destroy(p);
}

/* Ended ones are dropped: however often it turns, there is no more of it. */
static void turns_take_no_more_memory(void **state) {
    (void)state;
    performance_action walk = act("walk");
    performance *p = perform(&walk, 1, true);
    size_t early = 0;
    for (int i = 0; i < 1000; i++) {
        performance *turned = turn_to(p, 0.1 * (i + 1), "crawl", 0.3);
        performance_destroy(p);
        p = turned;
        early = i == 20 ? mallinfo2().uordblks : early;
    }
    assert_true(mallinfo2().uordblks <= early + 4096);
    performance *bad;
    performance_action none = act("fly");
    assert_int_equal(performance_turn(p, 1.0, &none, &bad), TOILE_ERROR_INVALID);
    performance_destroy(p);
}

static void mistakes_are_named(void **state) {
    (void)state;
    performance *p;
    performance_action a = act("fly");
    assert_int_equal(performance_create(&figure, &a, 1, true, &p), TOILE_ERROR_INVALID);
    assert_message("there is no animation \"fly\", only walk, crawl, wave");
    a = act("walk");
    a.weight = -1.0;
    assert_int_equal(performance_create(&figure, &a, 1, true, &p), TOILE_ERROR_INVALID);
    assert_message("animation \"walk\": weight: expected 0 to 1e+06, found -1");
    a = act("walk");
    a.speed = NAN;
    assert_int_equal(performance_create(&figure, &a, 1, true, &p), TOILE_ERROR_INVALID);
    assert_message("speed");
    a = act("walk");
    a.end = -1.0;
    assert_int_equal(performance_create(&figure, &a, 1, true, &p), TOILE_ERROR_INVALID);
    assert_message("end");
    skeleton[1].rest.scale[0] = 1e300;
    a = act("crawl");
    skin_rows rows[3];
    p = perform(&a, 1, true);
    assert_int_equal(performance_pose(p, 0.0, rows, NULL), TOILE_ERROR_INVALID);
    assert_message("joint 1 \"arm\" has a place that is not finite");
    skeleton[1].rest.scale[0] = 1.0;
    performance_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_action_is_its_clip),
        cmocka_unit_test(roots_walk_on),
        cmocka_unit_test(rounds_turn),
        cmocka_unit_test(weights_mix),
        cmocka_unit_test(fades_are_continuous),
        cmocka_unit_test(later_actions_go_on),
        cmocka_unit_test(on_top_touches_only_its_joints),
        cmocka_unit_test(targets_are_mixed),
        cmocka_unit_test(splines_and_steps_are_sampled),
        cmocka_unit_test(time_has_no_memory),
        cmocka_unit_test(turns_do_not_jump),
        cmocka_unit_test(turns_go_on_from_where_the_character_is),
        cmocka_unit_test(turns_take_no_more_memory),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
