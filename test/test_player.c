/* Characters that are played with: cross-fades, speed, stops, and the hand at cloth that they
 * wear. The character is a block on two joints, made here. */
#include "worlds.h"

#include "base/clock.h"
#include "io/character_glb.h"
#include "scratch.h"
#include "view/live.h"

/* ---- a character --------------------------------------------------------------------------------
 */

enum { FLOORS = 5 };

/* A pillar 0.3 x 1 x 0.2 m, whose upper half hangs on a second joint in the middle. */
static void make_pillar(float *positions, uint32_t *indices, uint16_t *joints, float *weights) {
    static const float corners[4][2] = {{-1, -1}, {-1, 1}, {1, 1}, {1, -1}};
    size_t t = 0;
    for (uint32_t floor = 0; floor < FLOORS; floor++) {
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t v = 4 * floor + k, next = 4 * floor + (k + 1) % 4;
            float up = (float)floor / (FLOORS - 1);
            positions[3 * v] = 0.15f * corners[k][0];
            positions[3 * v + 1] = up;
            positions[3 * v + 2] = 0.1f * corners[k][1];
            joints[4 * v] = up > 0.5f;
            weights[4 * v] = 1.0f;
            if (floor + 1 < FLOORS) {
                memcpy(indices + t, (uint32_t[6]){v, next, next + 4, v, next + 4, v + 4},
                       6 * sizeof *indices);
                t += 6;
            }
        }
    }
    const uint32_t top = 4 * (FLOORS - 1);
    const uint32_t ends[12] = {0, 2, 1, 0, 3, 2, top, top + 1, top + 2, top, top + 2, top + 3};
    memcpy(indices + t, ends, sizeof ends);
}

/* sway: 0.2 m to the side and back. nod: the upper half turns. stride: 0.5 m along z. */
static void write_pillar(const char *path) {
    static float positions[12 * FLOORS], weights[16 * FLOORS];
    static uint32_t indices[3 * (8 * (FLOORS - 1) + 4)];
    static uint16_t joints[16 * FLOORS];
    static float thrice[] = {0, 0.5f, 1}, second[] = {0, 1};
    static float sway[] = {0, 0, 0, 0.2f, 0, 0, 0, 0, 0}, stride[] = {0, 0, 0, 0, 0, 0.5f};
    static float nod[] = {0, 0, 0, 1, 0.247404f, 0, 0, 0.968912f, 0, 0, 0, 1};
    character_track tracks[] = {{0, TRACK_TRANSLATION, 3, thrice, sway, TRACK_LINEAR, 0},
                                {1, TRACK_ROTATION, 3, thrice, nod, TRACK_LINEAR, 0},
                                {0, TRACK_TRANSLATION, 2, second, stride, TRACK_LINEAR, 0}};
    character_clip clips[] = {{"sway", 1.0, true, &tracks[0], 1},
                              {"nod", 1.0, true, &tracks[1], 1},
                              {"stride", 1.0, true, &tracks[2], 1}};
    affine bind = affine_from_transform(&transform_identity);
    character_joint skeleton[2] = {{"foot", -1, transform_identity, bind, true},
                                   {"head", 0, transform_identity, bind, false}};
    skeleton[1].rest.translation[1] = 0.5;
    skeleton[1].inverse_bind.row[1][3] = -0.5;
    make_pillar(positions, indices, joints, weights);
    character c = {.vertices = 4 * FLOORS,
                   .triangles = 8 * (FLOORS - 1) + 4,
                   .influences = 4,
                   .positions = positions,
                   .indices = indices,
                   .joints = joints,
                   .weights = weights,
                   .skeleton = skeleton,
                   .joint_count = 2,
                   .clips = clips,
                   .clip_count = 3};
    assert_ok(character_glb_write(path, &c, "pillar", NULL));
}

/* It wears a cloth on its back, by the upper edge. */
static const char SCENE[] =
    "{\"toile\": 1, \"solver\": {\"kind\": \"implicit\", \"damping\": 3}, \"time_step\": 0.01, "
    "\"bodies\": ["
    "{\"name\": \"ball\", \"sphere\": {\"center\": [3, 0, 0], \"radius\": 0.1}},"
    "{\"name\": \"pillar\", \"character\": {\"file\": \"pillar.glb\", \"animation\": \"sway\", "
    "\"root_motion\": true}}],"
    "\"cloths\": [{\"rectangle\": [0.3, 0.6], \"spacing\": 0.03, \"transform\": {\"translate\": "
    "[0, 0.68, -0.12]}, \"pins\": [{\"edge\": \"top\", \"body\": \"pillar\"}]}]}";

enum { PILLAR = 1, VERTICES = 4 * FLOORS };
static const float STEP = 0.01f;

static void open_play(play *p) {
    write_pillar(scratch("pillar.glb"));
    scratch_put("pillar.json", SCENE, sizeof SCENE - 1);
    assert_ok(play_open(p, &(play_def){.path = scratch("pillar.json"), .threads = 1}));
}

static void body_at(const play *p, float out[3 * VERTICES]) {
    assert_ok(toile_body_get_vertices(p->world, p->ids.bodies[PILLAR], out, VERTICES));
}

static double largest_move(const float *a, const float *b, size_t vertices) {
    double most = 0.0;
    for (size_t v = 0; v < vertices; v++) {
        double squared = 0.0;
        for (size_t k = 3 * v; k < 3 * v + 3; k++) {
            squared += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
        }
        most = fmax(most, sqrt(squared));
    }
    return most;
}

/* Steps, none of which moves the body by more than a speed allows. Returns how far it went. */
static double step_smoothly(play *p, int steps, double fastest) {
    float first[3 * VERTICES], before[3 * VERTICES], after[3 * VERTICES];
    body_at(p, first);
    memcpy(before, first, sizeof before);
    for (int i = 0; i < steps; i++) {
        assert_ok(play_step(p));
        body_at(p, after);
        assert_below(largest_move(before, after, VERTICES), fastest * (double)STEP);
        memcpy(before, after, sizeof before);
    }
    return largest_move(first, after, VERTICES);
}

static double now(const play *p) {
    return toile_world_time(p->world);
}

/* ---- what it does -------------------------------------------------------------------------------
 */

/* Until something is asked for, the window plays what `toile run` simulates. */
static void untouched_scenes_are_as_in_the_file(void **state) {
    (void)state;
    play p, other;
    open_play(&p);
    open_play(&other);
    for (int i = 0; i < 40; i++) {
        assert_ok(play_step(&p));
        assert_ok(scene_step(other.scene, other.world, &other.ids));
    }
    assert_true(toile_world_hash(p.world) == toile_world_hash(other.world));
    player_facts facts = player_get_facts(&p.player, now(&p));
    assert_int_equal(facts.body, PILLAR);
    assert_int_equal(facts.animation, 0);
    play_close(&p);
    play_close(&other);
}

/* Through all animations and back, in the middle of fades too. A jump would be 0.1 m and more; a
 * cross-fade is no faster than the ways between poses in 0.3 s. */
static void cross_fades_do_not_jump(void **state) {
    (void)state;
    play p;
    open_play(&p);
    step_smoothly(&p, 45, 0.5);
    static const int by[] = {1, 1, 1, -1, -1, 1};
    static const int then[] = {1, 2, 0, 2, 1, 2};
    for (int i = 0; i < 6; i++) {
        assert_ok(player_choose(&p.player, PILLAR, by[i], now(&p)));
        assert_int_equal(player_get_facts(&p.player, now(&p)).animation, then[i]);
        step_smoothly(&p, i % 2 ? 12 : 47, 2.0);
    }
    step_smoothly(&p, 40, 2.0);
    /* Alone now: half a metre in a second. */
    assert_near(step_smoothly(&p, 100, 0.6), 0.5, 1e-3);
    /* Bodies without animations do not mind. */
    assert_ok(player_choose(&p.player, 0, 1, now(&p)));
    assert_int_equal(player_get_facts(&p.player, now(&p)).body, PILLAR);
    play_close(&p);
}

static void speed_changes_do_not_jump(void **state) {
    (void)state;
    play p;
    open_play(&p);
    step_smoothly(&p, 20, 0.45);
    double clock = player_time(&p.player, PILLAR, now(&p));
    for (int i = 0; i < 10; i++) {
        player_hurry(&p.player, PILLAR, 1, now(&p));
        assert_near(player_time(&p.player, PILLAR, now(&p)), clock, 1e-9);
        step_smoothly(&p, 5, 3.1 * 0.4);
        clock = player_time(&p.player, PILLAR, now(&p));
    }
    assert_near(player_get_facts(&p.player, now(&p)).speed, 3.0, 0.0);
    for (int i = 0; i < 20; i++) {
        player_hurry(&p.player, PILLAR, -1, now(&p));
        step_smoothly(&p, 2, 3.1 * 0.4);
    }
    assert_near(player_get_facts(&p.player, now(&p)).speed, 0.0, 0.0);
    assert_near(step_smoothly(&p, 10, 1e-9), 0.0, 0.0);
    play_close(&p);
}

/* The body stays in its pose, and the cloth comes to rest. */
static void stops_hold_the_pose_and_let_cloth_settle(void **state) {
    (void)state;
    play p;
    open_play(&p);
    step_smoothly(&p, 30, 0.45);
    player_stop(&p.player, PILLAR, now(&p));
    step_smoothly(&p, 1, 1e-9);
    size_t texels = toile_cloth_get_info(p.world, p.ids.cloths[0]).texels;
    double moved[2] = {0.0, 0.0};
    for (int i = 0; i < 400; i++) {
        float *before = texel_positions(p.world, p.ids.cloths[0]);
        assert_near(step_smoothly(&p, 1, 1e-9), 0.0, 0.0);
        float *after = texel_positions(p.world, p.ids.cloths[0]);
        moved[i >= 390] = fmax(moved[i >= 390], largest_move(before, after, texels));
        free(before);
        free(after);
    }
    assert_true(moved[0] > 1e-3); /* it swung on, 0.1 m/s and more */
    assert_below(moved[1], 1e-4); /* and hangs */
    player_stop(&p.player, PILLAR, now(&p));
    assert_true(step_smoothly(&p, 20, 0.45) > 0.05);

    /* From the start, all is as it was. */
    player_hurry(&p.player, PILLAR, 1, now(&p));
    assert_ok(player_choose(&p.player, PILLAR, 1, now(&p)));
    assert_ok(play_reset(&p));
    play other;
    open_play(&other);
    for (int i = 0; i < 10; i++) {
        assert_ok(play_step(&p));
        assert_ok(play_step(&other));
    }
    assert_true(toile_world_hash(p.world) == toile_world_hash(other.world));
    play_close(&p);
    play_close(&other);
}

/* ---- the hand -----------------------------------------------------------------------------------
 */

/* Pulls the hem through the body, which sways: the hand stays outside, and the upper edge rides. */
static void the_hand_pulls_at_what_a_body_wears(void **state) {
    (void)state;
    play p;
    open_play(&p);
    const toile_cloth_id cloth = p.ids.cloths[0];
    const toile_cloth_info info = toile_cloth_get_info(p.world, cloth);
    const size_t edge = info.texels - (size_t)info.columns;
    float *start = texel_positions(p.world, cloth);
    float body[3 * VERTICES], now_at[3 * VERTICES];
    body_at(&p, body);
    assert_ok(hold_take(&p.hold, p.world, cloth, (float[2]){0.15f, 0.15f},
                        start + 3 * (5 * (size_t)info.columns + 5)));
    assert_true(p.hold.closed);
    const uint32_t held = p.hold.texel;
    for (int i = 0; i < 120; i++) {
        float aim[3] = {0.0f, 0.45f, i < 60 ? 0.05f : -0.4f};
        hold_aim(&p.hold, aim);
        assert_ok(play_step(&p));
        float *at = texel_positions(p.world, cloth);
        assert_true(toile_body_get_distance(p.world, p.ids.bodies[PILLAR], at + 3 * held, NULL) >
                    0.0f);
        body_at(&p, now_at);
        for (size_t k = 0; k < 3; k++) {
            assert_near((double)(at[3 * edge + k] - start[3 * edge + k]),
                        (double)(now_at[3 * (VERTICES - 1) + k] - body[3 * (VERTICES - 1) + k]),
                        1e-4);
        }
        if (i == 119) {
            assert_below((double)at[3 * held + 2], -0.3); /* it came along, away from the back */
        }
        free(at);
    }
    hold_drop(&p.hold, p.world);
    free(start);
    play_close(&p);
}

/* ---- live ---------------------------------------------------------------------------------------
 */

#define wait_until(l, facts, condition)                                                            \
    do {                                                                                           \
        double end_ = clock_ms() + 60e3;                                                           \
        do {                                                                                       \
            (facts) = live_get_facts(l);                                                           \
        } while (!(condition) && clock_ms() < end_);                                               \
        assert_true(condition);                                                                    \
    } while (0)

static void live_scenes_play_what_is_asked_for(void **state) {
    (void)state;
    write_pillar(scratch("pillar.glb"));
    scratch_put("pillar.json", SCENE, sizeof SCENE - 1);
    live *l;
    toile_result result;
    char message[LIVE_MESSAGE];
    assert_ok(
        live_open(&(live_def){.path = scratch("pillar.json"), .threads = 1, .paused = true}, &l));
    while (live_get_phase(l, &result, message) == LIVE_LOADING) {
    }
    live_facts facts = live_get_facts(l);
    assert_int_equal(facts.player.body, PILLAR);
    live_ask(l, (live_wish){.kind = LIVE_CHOOSE, .number = PILLAR, .by = -1});
    wait_until(l, facts, facts.player.animation == 2);
    live_ask(l, (live_wish){.kind = LIVE_HURRY, .number = PILLAR, .by = -1});
    wait_until(l, facts, facts.player.speed == 0.75);
    live_ask(l, (live_wish){.kind = LIVE_STOP, .number = PILLAR});
    wait_until(l, facts, facts.player.stopped);
    assert_int_equal(facts.player.turns, 3);
    live_ask(l, (live_wish){.kind = LIVE_RESET});
    wait_until(l, facts, !facts.player.stopped);
    assert_int_equal(facts.player.animation, 0);
    live_close(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        scratch_test(untouched_scenes_are_as_in_the_file),
        scratch_test(cross_fades_do_not_jump),
        scratch_test(speed_changes_do_not_jump),
        scratch_test(stops_hold_the_pose_and_let_cloth_settle),
        scratch_test(the_hand_pulls_at_what_a_body_wears),
        scratch_test(live_scenes_play_what_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
