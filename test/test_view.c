/* What the window is made of, without a window. */
#include "worlds.h"

#include "base/clock.h"
#include "render/camera.h"
#include "scratch.h"
#include "view/hold.h"
#include "view/live.h"
#include "view/orbit.h"
#include "view/pace.h"
#include "view/palette.h"
#include "view/pick.h"
#include "view/stretch.h"

/* ---- the camera ---------------------------------------------------------------------------------
 */

static scene_camera a_camera(void) {
    return (scene_camera){true, {1.0f, 2.0f, 3.0f}, {0.2f, 0.5f, -0.1f}, 35.0f};
}

static void orbit_starts_where_the_camera_is(void **state) {
    (void)state;
    scene_camera camera = a_camera();
    orbit o = orbit_make(&camera, 1.0f);
    scene_camera same = orbit_camera(&o);
    for (int k = 0; k < 3; k++) {
        assert_near((double)same.eye[k], (double)camera.eye[k], 1e-5);
        assert_near((double)same.target[k], (double)camera.target[k], 0.0);
    }
}

/* Never over the top, never through the middle, never away for good. */
static void orbit_stays_within_bounds(void **state) {
    (void)state;
    scene_camera camera = a_camera();
    orbit o = orbit_make(&camera, 1.0f);
    orbit_turn(&o, 100.3f, 100.0f);
    assert_below((double)fabsf(o.azimuth), 3.1416);
    assert_below((double)o.elevation, 1.57);
    orbit_zoom(&o, 1e6f);
    assert_true(o.distance > 0.01f);
    orbit_zoom(&o, -1e6f);
    assert_below((double)o.distance, 100.0);
}

/* A point at the target's distance goes with the mouse that pans. */
static void pan_follows_the_mouse(void **state) {
    (void)state;
    scene_camera camera = a_camera();
    orbit o = orbit_make(&camera, 1.0f);
    camera_view view = camera_view_make(&camera, 400, 300);
    v3 point = v3_load(camera.target);
    orbit_pan(&o, 0.2f, -0.1f); /* heights of the window */
    camera = orbit_camera(&o);
    view = camera_view_make(&camera, 400, 300);
    float x, y;
    assert_true(camera_view_project(&view, point, &x, &y));
    assert_near((double)x, 0.5 + 0.2 * 300.0 / 400.0, 1e-5);
    assert_near((double)y, 0.5 - 0.1, 1e-5);
}

static void rays_go_through_what_is_seen_there(void **state) {
    (void)state;
    scene_camera camera = a_camera();
    camera_view view = camera_view_make(&camera, 400, 300);
    v3 point = v3_madd(view.eye, camera_view_ray(&view, 0.3f, 0.9f), 2.5f);
    float x, y;
    assert_true(camera_view_project(&view, point, &x, &y));
    assert_near((double)x, 0.3, 1e-5);
    assert_near((double)y, 0.9, 1e-5);
    assert_near((double)camera_view_depth(&view, point), 2.5, 1e-5);
    assert_false(camera_view_project(&view, v3_madd(view.eye, view.back, 1.0f), &x, &y));
}

/* ---- picking and stretch ------------------------------------------------------------------------
 */

/* A square of two triangles at depth z, twice as wide as its flat pattern. */
static const float COORDINATES[8] = {0, 0, 1, 0, 1, 1, 0, 1};
static const uint32_t TRIANGLES[6] = {0, 1, 2, 0, 2, 3};

static mesh_view make_square(float positions[12], float z) {
    const float square[12] = {0, 0, z, 2, 0, z, 2, 1, z, 0, 1, z};
    memcpy(positions, square, sizeof square);
    return (mesh_view){.vertices = 4,
                       .triangles = 2,
                       .positions = positions,
                       .coordinates = COORDINATES,
                       .indices = TRIANGLES};
}

static void rays_pick_the_nearest_cloth(void **state) {
    (void)state;
    float far[12], near[12];
    const mesh_view meshes[2] = {make_square(far, -1.0f), make_square(near, 0.0f)};
    v3 ahead = v3_make(0.0f, 0.0f, -1.0f);
    pick p = pick_cloth(meshes, 2, v3_make(0.5f, 0.75f, 3.0f), ahead);
    assert_true(p.found);
    assert_int_equal(p.cloth, 1);
    assert_near((double)p.distance, 3.0, 1e-6);
    assert_near((double)p.point[0], 0.25, 1e-6);
    assert_near((double)p.point[1], 0.75, 1e-6);
    assert_near((double)p.place[0], 0.5, 1e-6);
    /* From behind, and past it. */
    p = pick_cloth(meshes, 2, v3_make(0.5f, 0.75f, -3.0f), v3_scale(ahead, -1.0f));
    assert_int_equal(p.cloth, 0);
    assert_false(pick_cloth(meshes, 2, v3_make(2.1f, 0.5f, 3.0f), ahead).found);
    assert_false(pick_cloth(meshes, 2, v3_make(0.5f, 0.5f, -3.0f), ahead).found);
}

static void stretch_is_that_of_the_threads(void **state) {
    (void)state;
    float positions[12], values[4], weights[4];
    mesh_view mesh = make_square(positions, 0.0f);
    stretch_values(&mesh, 4.0f, values, weights);
    for (int i = 0; i < 4; i++) {
        assert_near((double)values[i], 0.25, 1e-6); /* twice as long: 1, of 4 */
        positions[3 * i] *= 0.4f;
    }
    stretch_values(&mesh, 0.5f, values, weights);
    assert_near((double)values[2], -0.4, 1e-6);
    /* Shear is no stretch of warp or weft as long as they keep their lengths. */
    const float sheared[12] = {0, 0, 0, 1, 0, 0, 1.6f, 0.8f, 0, 0.6f, 0.8f, 0};
    memcpy(positions, sheared, sizeof sheared);
    stretch_values(&mesh, 1.0f, values, weights);
    assert_near((double)values[0], 0.0, 1e-6);
}

static void colours_say_what_numbers_mean(void **state) {
    (void)state;
    const float values[3] = {-1.0f, 0.0f, 1.0f};
    float c[3 * 6];
    palette_values(values, 3, c);
    assert_true(c[2] > 3.0f * c[0]);
    assert_true(fabsf(c[3] - c[5]) < 0.1f);
    assert_true(c[6] > 3.0f * c[8]);
    const uint16_t marks[6] = {
        0, 1, 2, 255, 1 | TOILE_MARK_INSIDE, 1 | TOILE_MARK_INSIDE | TOILE_MARK_CORRECTED};
    palette_marks(marks, 6, c);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++) {
            assert_memory_not_equal(c + 3 * i, c + 3 * j, 3 * sizeof *c);
        }
    }
}

/* ---- time ---------------------------------------------------------------------------------------
 */

/* A machine that takes `ms` for a step of 10, for so many of them. Returns the time after. */
static double simulate(pace *p, double now, double ms, int steps) {
    for (int i = 0; i < steps; i++) {
        now = fmax(now, pace_due(p, now)) + ms;
        pace_arrive(p, now);
    }
    return now;
}

static void fast_machines_keep_time(void **state) {
    (void)state;
    pace p;
    pace_start(&p, 10.0);
    double now = simulate(&p, 1000.0, 3.0, 500);
    assert_near(now, 1000.0 + 5000.0, 10.0);
    assert_near(pace_speed(&p), 1.0, 0.01);
    assert_false(pace_is_slow(&p));
    assert_near(pace_share(&p, now + 5.0), 0.5, 0.05);
    assert_near(pace_share(&p, now + 50.0), 1.0, 0.0);
}

/* Slow ones slow time down, evenly, and owe nothing afterwards. */
static void slow_machines_slow_time(void **state) {
    (void)state;
    pace p;
    pace_start(&p, 10.0);
    double now = simulate(&p, 0.0, 40.0, 200);
    assert_near(pace_speed(&p), 0.25, 0.01);
    assert_true(pace_is_slow(&p));
    assert_near(pace_share(&p, now + 10.0), 0.25, 0.05);
    double later = simulate(&p, now, 1.0, 100);
    assert_true(later - now > 950.0); /* not a rush of steps */
    assert_false(pace_is_slow(&p));
}

/* One late step is made up for. */
static void a_hiccup_is_made_up_for(void **state) {
    (void)state;
    pace p;
    pace_start(&p, 10.0);
    double now = simulate(&p, 0.0, 2.0, 100);
    now = simulate(&p, now, 14.0, 1);
    now = simulate(&p, now, 2.0, 100);
    assert_near(now, 2000.0 + 2.0, 12.0);
    assert_false(pace_is_slow(&p));
}

/* ---- the hand -----------------------------------------------------------------------------------
 */

static void texel_at(const toile_world *world, toile_cloth_id cloth, size_t texel, float out[3]) {
    float *positions = texel_positions(world, cloth);
    memcpy(out, positions + 3 * texel, 3 * sizeof *out);
    free(positions);
}

static void move_for(hold *h, toile_world *world, int steps) {
    for (int i = 0; i < steps; i++) {
        assert_ok(hold_move(h, world, 0.01f));
        run_steps(world, 1, 0.01f);
    }
}

/* A square metre in the xy-plane around the origin, of 21 x 21 texels. */
static toile_world *make_hand_world(toile_cloth_id *cloth) {
    toile_world_def def = test_world_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    memset(def.gravity, 0, sizeof def.gravity);
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(21);
    *cloth = add_cloth(world, &sheet);
    return world;
}

static void the_hand_takes_cloth_to_where_it_shall_be(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_hand_world(&cloth);
    hold h = {0};
    assert_ok(hold_begin(&h, world));
    float start[3], now[3];
    texel_at(world, cloth, 220, start);
    assert_ok(hold_take(&h, world, cloth, (float[2]){0.5f, 0.5f}, start));
    hold_aim(&h, (float[3]){start[0] + 0.1f, start[1], start[2] + 0.3f});
    move_for(&h, world, 40);
    texel_at(world, cloth, 220, now);
    assert_near((double)(now[0] - start[0]), 0.1, 1e-3);
    assert_near((double)(now[2] - start[2]), 0.3, 1e-3);
    assert_int_equal(toile_world_get_pins(world, NULL, 0), 1);
    hold_drop(&h, world);
    assert_int_equal(toile_world_get_pins(world, NULL, 0), 0);
    hold_free(&h);
    toile_world_destroy(world);
}

static void the_hand_stays_out_of_bodies(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_hand_world(&cloth);
    toile_body_def def = toile_default_body_def();
    def.shape = TOILE_SHAPE_SPHERE;
    def.center[2] = 0.5f;
    def.radii[0] = 0.3f;
    toile_body_id ball = add_body(world, &def);
    hold h = {0};
    assert_ok(hold_begin(&h, world));
    float start[3], now[3];
    texel_at(world, cloth, 220, start);
    assert_ok(hold_take(&h, world, cloth, (float[2]){0.5f, 0.5f}, start));
    hold_aim(&h, (float[3]){0.02f, 0.0f, 0.5f});
    move_for(&h, world, 60);
    texel_at(world, cloth, 220, now);
    assert_true(toile_body_get_distance(world, ball, now, NULL) > 0.005f);
    hold_free(&h);
    toile_world_destroy(world);
}

/* Cloth that hangs on a pin is not torn. */
static void the_hand_goes_no_farther_than_cloth_reaches(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_hand_world(&cloth);
    pin_edge(world, cloth, TOILE_EDGE_TOP);
    hold h = {0};
    assert_ok(hold_begin(&h, world));
    float start[3], now[3];
    texel_at(world, cloth, 220, start);
    assert_ok(hold_take(&h, world, cloth, (float[2]){0.5f, 0.5f}, start));
    hold_aim(&h, (float[3]){0.0f, -3.0f, 0.0f});
    move_for(&h, world, 100);
    texel_at(world, cloth, 220, now);
    assert_near((double)(now[1] - start[1]), -0.04, 0.02);
    hold_free(&h);
    toile_world_destroy(world);
}

/* Who takes a pin moves all that it holds, and it stays a pin. */
static void the_hand_moves_pins_that_are_there(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_hand_world(&cloth);
    pin_edge(world, cloth, TOILE_EDGE_TOP);
    hold h = {0};
    assert_ok(hold_begin(&h, world));
    float start[3], corner[3], now[3];
    texel_at(world, cloth, 430, start);
    texel_at(world, cloth, 420, corner);
    for (int turn = 1; turn <= 2; turn++) { /* the second one goes on from the first */
        float here[3];
        texel_at(world, cloth, 430, here);
        assert_ok(hold_take(&h, world, cloth, (float[2]){0.5f, 1.0f}, here));
        hold_aim(&h, (float[3]){here[0], here[1] + 0.2f, here[2]});
        move_for(&h, world, 50);
        hold_drop(&h, world);
        texel_at(world, cloth, 420, now);
        assert_near((double)(now[1] - corner[1]), 0.2 * turn, 1e-3);
    }
    assert_int_equal(toile_world_get_pins(world, NULL, 0), 1);
    hold_free(&h);
    toile_world_destroy(world);
}

static void pins_come_and_go(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_hand_world(&cloth);
    pin_edge(world, cloth, TOILE_EDGE_TOP);
    hold h = {0};
    assert_ok(hold_begin(&h, world));
    bool pinned;
    assert_ok(hold_pin(&h, world, cloth, (float[2]){0.3f, 0.4f}, &pinned));
    assert_true(pinned);
    assert_int_equal(toile_world_get_pins(world, NULL, 0), 2);
    assert_ok(hold_pin(&h, world, cloth, (float[2]){0.31f, 0.41f}, &pinned));
    assert_false(pinned);
    assert_ok(hold_pin(&h, world, cloth, (float[2]){0.7f, 0.99f}, &pinned)); /* the edge's */
    assert_false(pinned);
    assert_int_equal(toile_world_get_pins(world, NULL, 0), 0);
    hold_free(&h);
    toile_world_destroy(world);
}

/* ---- live ---------------------------------------------------------------------------------------
 */

static const char SCENE[] =
    "{\"toile\": 1, \"cloths\": [{\"rectangle\": [1, 1], \"spacing\": 0.05, \"pins\": [{\"edge\": "
    "\"top\"}]}], \"bodies\": [{\"sphere\": {\"center\": [0, -3, 0], \"radius\": 0.2}}]}";

static live_phase wait_to_play(live *l, char message[LIVE_MESSAGE]) {
    toile_result result;
    live_phase phase;
    double end = clock_ms() + 60e3;
    do {
        phase = live_get_phase(l, &result, message);
    } while (phase == LIVE_LOADING && clock_ms() < end);
    return phase;
}

/* Until a fact is as wished for, or a minute is over. */
#define wait_until(l, facts, condition)                                                            \
    do {                                                                                           \
        double end_ = clock_ms() + 60e3;                                                           \
        do {                                                                                       \
            (facts) = live_get_facts(l);                                                           \
        } while (!(condition) && clock_ms() < end_);                                               \
        assert_true(condition);                                                                    \
    } while (0)

static void live_scenes_do_what_they_are_asked(void **state) {
    (void)state;
    char message[LIVE_MESSAGE];
    scratch_put("live.json", SCENE, sizeof SCENE - 1);
    live *l;
    assert_ok(
        live_open(&(live_def){.path = scratch("live.json"), .threads = 1, .paused = true}, &l));
    assert_int_equal(wait_to_play(l, message), LIVE_PLAYING);
    live_facts facts = live_get_facts(l);
    assert_int_equal(facts.particles, 441);
    assert_int_equal(facts.steps, 0);
    live_ask(l, (live_wish){.kind = LIVE_STEP});
    live_ask(l, (live_wish){.kind = LIVE_STEP});
    wait_until(l, facts, facts.steps == 2);

    moment m;
    uint64_t look, same;
    assert_ok(live_make_moment(l, &m));
    assert_ok(live_look(l, clock_ms() + 1e6, &m, &look));
    assert_ok(live_look(l, clock_ms() + 2e6, &m, &same));
    assert_int_equal(look, same);
    assert_int_equal(m.skin, 0);
    assert_int_equal(m.pin_count, 21);
    live_ask(l, (live_wish){.kind = LIVE_SKIN, .number = 2});
    wait_until(l, facts, (live_look(l, clock_ms() + 3e6, &m, &look), m.skin == 2));
    assert_true(look != same);
    assert_int_equal(live_skins(l)->items[2].cloths[0].mesh.vertices, 121);

    live_ask(l, (live_wish){.kind = LIVE_WIND, .on = true, .vector = {0, 0, 1}});
    wait_until(l, facts, facts.wind);
    live_ask(l, (live_wish){.kind = LIVE_PIN, .number = 0, .point = {0.5f, 0.5f}});
    wait_until(l, facts, facts.pins == 2);
    live_ask(l, (live_wish){.kind = LIVE_RESET});
    wait_until(l, facts, facts.steps == 0);
    assert_int_equal(facts.pins, 1);
    assert_false(facts.wind);
    /* There is nothing between before and after. */
    const mesh_data *start = &live_skins(l)->items[2].cloths[0].mesh;
    assert_ok(live_look(l, 0.0, &m, &look));
    assert_memory_equal(m.positions[0], start->positions, 3 * start->vertices * sizeof(float));
    live_ask(l, (live_wish){.kind = LIVE_PAUSE, .on = false});
    wait_until(l, facts, facts.steps > 5);
    live_free_moment(l, &m);
    live_close(l);
}

/* A moment has the vertices of bodies that deform, and what is between two moments is between. */
static void bodies_that_deform_are_seen(void **state) {
    (void)state;
    char message[LIVE_MESSAGE], path[1024];
    snprintf(path, sizeof path, "%s/test/good/actors.json", getenv("TOILE_SOURCE_DIR"));
    live *l;
    assert_ok(live_open(&(live_def){.path = path, .threads = 1, .paused = true}, &l));
    assert_int_equal(wait_to_play(l, message), LIVE_PLAYING);
    moment m;
    uint64_t look;
    assert_ok(live_make_moment(l, &m));
    assert_ok(live_look(l, clock_ms() + 1e6, &m, &look));
    assert_null(m.vertices[0]); /* a plane */
    float tip = m.vertices[3][7];
    assert_float_equal(tip, 1.5f, 1e-5f); /* its third vertex is 1 m above its centre */
    live_facts facts = live_get_facts(l);
    live_ask(l, (live_wish){.kind = LIVE_STEP});
    wait_until(l, facts, facts.steps == 1);
    assert_ok(live_look(l, clock_ms() + 2e6, &m, &look));
    assert_float_equal(m.vertices[3][7], 1.75f, 1e-5f);
    live_free_moment(l, &m);
    live_close(l);
}

/* A cloth that falls onto a box, refined: marks of the texels are those that the solver counts, and
 * the window has them. */
static void live_scenes_have_marks_of_refine(void **state) {
    (void)state;
    static const char REFINED[] =
        "{\"toile\": 1, \"solver\": {\"kind\": \"refine\", \"levels\": 1, "
        "\"resolution\": 64}, \"cloths\": [{\"rectangle\": [0.4, 0.4], \"spacing\": 0.025, "
        "\"transform\": {\"rotate\": [-90, 0, 0], \"translate\": [0.03, 0.16, 0.02]}}], "
        "\"bodies\": "
        "[{\"box\": {\"half\": [0.1, 0.1, 0.1], \"rotate\": [20, 30, 40]}}]}";
    scratch_put("refined.json", REFINED, sizeof REFINED - 1);
    play p;
    assert_ok(play_open(&p, &(play_def){.path = scratch("refined.json"), .threads = 1}));
    moment m;
    assert_ok(moment_make(&m, &p, false));
    const size_t texels = toile_cloth_get_info(p.world, p.ids.cloths[0]).texels;
    uint16_t *marks = calloc(texels, sizeof *marks);
    size_t most = 0;
    for (int i = 0; i < 40; i++) {
        assert_ok(play_step(&p));
        assert_ok(toile_cloth_get_refine_marks(p.world, p.ids.cloths[0], marks, texels));
        size_t corrected = 0, seen = 0;
        for (size_t t = 0; t < texels; t++) {
            corrected += (marks[t] & TOILE_MARK_CORRECTED) != 0;
        }
        toile_solver_info info = toile_world_get_solver_info(p.world);
        assert_int_equal(corrected, info.refine_corrected);
        /* Level 0 has a vertex for each texel. */
        assert_ok(moment_read(&m, &p, 1));
        for (size_t v = 0; v < p.skins.items[1].cloths[0].mesh.vertices; v++) {
            seen += (m.marks[0][v] & TOILE_MARK_CORRECTED) != 0;
        }
        assert_int_equal(seen, corrected);
        most = corrected > most ? corrected : most;
    }
    assert_true(most > 0);
    assert_int_equal(toile_cloth_get_refine_marks(p.world, p.ids.cloths[0], marks, 1),
                     TOILE_ERROR_INVALID);
    free(marks);
    moment_free(&m, &p);
    play_close(&p);
}

static void bad_scenes_say_why(void **state) {
    (void)state;
    char message[LIVE_MESSAGE];
    live *l;
    assert_ok(live_open(&(live_def){.path = "/nowhere/scene.json"}, &l));
    assert_int_equal(wait_to_play(l, message), LIVE_FAILED);
    assert_non_null(strstr(message, "/nowhere/scene.json"));
    live_close(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orbit_starts_where_the_camera_is),
        cmocka_unit_test(orbit_stays_within_bounds),
        cmocka_unit_test(pan_follows_the_mouse),
        cmocka_unit_test(rays_go_through_what_is_seen_there),
        cmocka_unit_test(rays_pick_the_nearest_cloth),
        cmocka_unit_test(stretch_is_that_of_the_threads),
        cmocka_unit_test(colours_say_what_numbers_mean),
        cmocka_unit_test(fast_machines_keep_time),
        cmocka_unit_test(slow_machines_slow_time),
        cmocka_unit_test(a_hiccup_is_made_up_for),
        cmocka_unit_test(the_hand_takes_cloth_to_where_it_shall_be),
        cmocka_unit_test(the_hand_stays_out_of_bodies),
        cmocka_unit_test(the_hand_goes_no_farther_than_cloth_reaches),
        cmocka_unit_test(the_hand_moves_pins_that_are_there),
        cmocka_unit_test(pins_come_and_go),
        scratch_test(live_scenes_do_what_they_are_asked),
        cmocka_unit_test(bodies_that_deform_are_seen),
        scratch_test(live_scenes_have_marks_of_refine),
        cmocka_unit_test(bad_scenes_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
