/* Sleep: cloth at rest is left out of steps, is where it would be without, and wakes for whatever
 * may move it. */
#include "solids.h"
#include "worlds.h"

static const float STEP = 1.0f / 60.0f;

/* Cloth that settles soon, in few substeps. */
static toile_world_def sleep_def(int order) {
    toile_world_def def = test_world_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.self_collision = true;
    def.solver.damping = 5.0f;
    def.solver.order = order;
    def.solver.substeps = 1;
    def.solver.sleep = true;
    return def;
}

static toile_cloth_def small_def(float height) {
    toile_cloth_def def = lying_def(2, height);
    def.size[0] = def.size[1] = 0.3f;
    def.spacing = 0.03f;
    def.fabric.friction = 0.6f;
    return def;
}

static int asleep(const toile_world *world) {
    return toile_world_get_solver_info(world).asleep;
}

static void run_to_sleep(toile_world *world, int cloths) {
    for (int s = 0; s < 1800 && asleep(world) < cloths; s++) {
        run_steps(world, 1, STEP);
    }
    assert_int_equal(asleep(world), cloths);
}

/* So many cloths sleep in the next step. */
static void assert_asleep(toile_world *world, int cloths) {
    run_steps(world, 1, STEP);
    assert_int_equal(asleep(world), cloths);
}

static void assert_wakes(toile_world *world) {
    assert_asleep(world, 0);
}

/* The state but for time and the number of steps. Free with free(). */
static unsigned char *state_of(const toile_world *world, size_t *size) {
    enum { HEADER = 32, CLOCK = 16 };
    *size = toile_world_state_size(world);
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_ok(toile_world_save_state(world, bytes, *size));
    *size -= HEADER + CLOCK;
    memmove(bytes, bytes + HEADER + CLOCK, *size);
    return bytes;
}

/* ---- scenes -------------------------------------------------------------------------------------
 */

static void make_ball(toile_world *world) {
    add_ball(world, 0.0f, 0.1f);
    toile_cloth_def cloth = small_def(0.11f);
    add_cloth(world, &cloth);
}

static void make_table(toile_world *world) {
    toile_body_def table = toile_default_body_def();
    table.shape = TOILE_SHAPE_BOX;
    table.half[0] = table.half[1] = table.half[2] = 0.1f;
    add_body(world, &table);
    toile_cloth_def cloth = small_def(0.11f);
    add_cloth(world, &cloth);
}

/* Pins are moved together, so that it has folds. */
static void make_line(toile_world *world) {
    toile_cloth_def cloth = small_def(0.0f);
    cloth.transform.rotate[0] = 0.0f;
    toile_cloth_id id = add_cloth(world, &cloth);
    for (int k = 0; k < 4; k++) {
        toile_pin_def pin = toile_default_pin_def();
        toile_keyframe keys[2] = {{.time = 0.0f}, {.time = 1.0f}};
        keys[1].translate[0] = -0.02f * (float)k;
        pin.kind = TOILE_PIN_POINT;
        pin.point[0] = 0.1f * (float)k;
        pin.point[1] = 0.3f;
        pin.keyframes = keys;
        pin.keyframe_count = 2;
        add_pin(world, id, &pin);
    }
}

/* One on the other. */
static void make_pile(toile_world *world) {
    add_floor(world, 0.0f);
    for (int k = 0; k < 2; k++) {
        toile_cloth_def cloth = small_def(0.001f + 0.035f * (float)k);
        cloth.size[0] = cloth.size[1] = 0.15f;
        cloth.transform.translate[0] = 0.05f * (float)k;
        add_cloth(world, &cloth);
    }
}

static void make_curl(toile_world *world) {
    add_floor(world, 0.0f);
    toile_cloth_def cloth = small_def(0.02f);
    cloth.size[1] = 0.05f;
    cloth.spacing = 0.0125f;
    cloth.fabric.curvature[0] = 20.0f;
    add_cloth(world, &cloth);
}

typedef struct scene {
    const char *name;
    void (*make)(toile_world *world);
    int cloths;
} scene;

static const scene scenes[] = {{"ball", make_ball, 1},
                               {"table", make_table, 1},
                               {"line", make_line, 1},
                               {"pile", make_pile, 2},
                               {"curl", make_curl, 1}};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* ---- rest ---------------------------------------------------------------------------------------
 */

static void test_a_sleeping_world_does_not_change(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        toile_world_def def = sleep_def(order);
        toile_world *world = make_world(&def);
        make_ball(world);
        run_to_sleep(world, 1);
        size_t size, same;
        unsigned char *before = state_of(world, &size);
        for (int s = 0; s < 10; s++) {
            run_steps(world, 1, STEP);
            const toile_solver_info info = toile_world_get_solver_info(world);
            assert_int_equal(info.iterations, 0);
            assert_true(info.converged);
            unsigned char *after = state_of(world, &same);
            assert_int_equal(same, size);
            assert_memory_equal(after, before, size);
            free(after);
        }
        free(before);
        toile_world_destroy(world);
    }
}

static double farthest(const toile_world *a, const toile_world *b) {
    toile_cloth_id ids[4];
    double most = 0.0;
    for (int c = 0, n = toile_world_get_cloths(a, ids, 4); c < n; c++) {
        float *one = texel_positions(a, ids[c]), *other = texel_positions(b, ids[c]);
        for (size_t t = 0; t < toile_cloth_get_info(a, ids[c]).texels; t++) {
            double squared = 0.0;
            for (size_t k = 3 * t; k < 3 * t + 3; k++) {
                squared +=
                    ((double)one[k] - (double)other[k]) * ((double)one[k] - (double)other[k]);
            }
            most = fmax(most, sqrt(squared));
        }
        free(one);
        free(other);
    }
    return most;
}

static bool on_cpu(void) {
    return strcmp(test_device(), "cpu") == 0;
}

/* Ten seconds on. */
static void assert_is_where_it_would_be(const scene *made, int order) {
    toile_world_def def = sleep_def(order);
    def.solver.substeps = on_cpu() ? 0 : 1;
    toile_world *sleeper = make_world(&def);
    def.solver.sleep = false;
    toile_world *other = make_world(&def);
    made->make(sleeper);
    made->make(other);
    run_to_sleep(sleeper, made->cloths);
    const int slept = (int)toile_world_step_count(sleeper);
    run_steps(sleeper, 600, STEP);
    run_steps(other, slept + 600, STEP);
    assert_int_equal(asleep(sleeper), made->cloths);
    assert_int_equal(asleep(other), 0);
    const double way = farthest(sleeper, other);
    print_message("%s, order %d: asleep after %.1f s, %.4f mm away\n", made->name, order,
                  slept / 60.0, 1e3 * way);
    assert_below(way, 1e-4);
    toile_world_destroy(sleeper);
    toile_world_destroy(other);
}

static void test_cloth_is_where_it_would_be(void **state) {
    (void)state;
    for (int i = 0; i < (on_cpu() ? SCENES : 1); i++) {
        for (int order = 1; order <= (on_cpu() ? 2 : 1); order++) {
            assert_is_where_it_would_be(&scenes[i], order);
        }
    }
}

/* A sheet that has swung out, and woken goes on as one that starts there. */
static void assert_wakes_at_rest(int order) {
    toile_world_def def = sleep_def(order);
    toile_world *worlds[2];
    toile_cloth_id ids[2];
    for (int k = 0; k < 2; k++) {
        worlds[k] = make_world(&def);
        toile_cloth_def sheet = small_def(0.0f);
        sheet.transform.rotate[0] = 20.0f;
        ids[k] = add_cloth(worlds[k], &sheet);
        pin_edge(worlds[k], ids[k], TOILE_EDGE_TOP);
    }
    run_to_sleep(worlds[0], 1);
    float *x = texel_positions(worlds[0], ids[0]);
    const size_t count = toile_cloth_get_info(worlds[0], ids[0]).texels;
    assert_ok(toile_cloth_set_texel_positions(worlds[1], ids[1], x, count));
    free(x);
    for (int k = 0; k < 2; k++) {
        add_ball(worlds[k], 0.0f, 0.02f); /* 3 cm beside it: near enough */
        assert_wakes(worlds[k]);
    }
    assert_same_cloth(worlds[0], ids[0], worlds[1], ids[1]);
    toile_world_destroy(worlds[0]);
    toile_world_destroy(worlds[1]);
}

static void test_what_wakes_was_at_rest(void **state) {
    (void)state;
    assert_wakes_at_rest(1);
    assert_wakes_at_rest(2);
}

/* A sheet that swings as slowly as it can: at its turning points it hardly moves. */
static void test_a_swing_does_not_sleep(void **state) {
    (void)state;
    toile_world_def def = sleep_def(1);
    def.solver.damping = 0.0f;
    def.gravity[1] = -0.2f; /* a period of five seconds */
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = small_def(0.0f);
    sheet.transform.rotate[0] = 2.0f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    pin_edge(world, cloth, TOILE_EDGE_TOP);
    for (int s = 0; s < 700; s++) {
        assert_wakes(world);
    }
    toile_world_destroy(world);
}

/* ---- waking -------------------------------------------------------------------------------------
 */

/* A sleeping cloth on the floor. */
static toile_world *make_sleeper(toile_cloth_id *cloth) {
    toile_world_def def = sleep_def(1);
    toile_world *world = make_world(&def);
    add_floor(world, 0.0f);
    toile_cloth_def flat = small_def(0.001f);
    *cloth = add_cloth(world, &flat);
    return world;
}

static toile_body_def ball_def(float x, float y) {
    toile_body_def ball = toile_default_body_def();
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.center[0] = x;
    ball.center[1] = y;
    ball.radii[0] = 0.05f;
    return ball;
}

static void test_a_body_that_comes_wakes(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_sleeper(&cloth);
    toile_body_def ball = ball_def(1.0f, 0.07f);
    toile_body_id id = add_body(world, &ball);
    run_to_sleep(world, 1);
    toile_pose to = toile_body_get_pose(world, id);
    while (to.position[0] > 0.4f) { /* far away, and no faster than it may be noticed */
        to.position[0] -= 0.05f;
        assert_ok(toile_world_move_body(world, id, &to));
        assert_asleep(world, 1);
    }
    float *before = texel_positions(world, cloth);
    for (int s = 0; s < 5; s++) { /* it pushes the edge along */
        to.position[0] -= 0.05f;
        to.position[1] = 0.04f;
        assert_ok(toile_world_move_body(world, id, &to));
        run_steps(world, 1, STEP);
    }
    assert_int_equal(asleep(world), 0);
    assert_true(toile_world_get_solver_info(world).iterations > 0);
    float *after = texel_positions(world, cloth);
    assert_memory_not_equal(before, after, 300);
    free(before);
    free(after);
    toile_world_destroy(world);
}

/* In one step from far away. */
static void test_a_body_that_jumps_wakes(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_sleeper(&cloth);
    toile_body_def ball = ball_def(1.0f, 0.06f);
    toile_body_id id = add_body(world, &ball);
    run_to_sleep(world, 1);
    toile_pose to = toile_body_get_pose(world, id);
    to.position[0] = -1.0f;
    assert_ok(toile_world_move_body(world, id, &to));
    assert_wakes(world);
    toile_world_destroy(world);
}

/* A ball of triangles, whose left side can be drawn out. */
typedef struct soft_ball {
    test_mesh mesh;
    toile_body_id body;
} soft_ball;

static soft_ball add_soft_ball(toile_world *world, float radius, float x, float y) {
    soft_ball ball = {.mesh = test_ball(radius, 16, 12, NULL)};
    for (size_t v = 0; v < ball.mesh.vertices; v++) {
        ball.mesh.positions[3 * v] += x;
        ball.mesh.positions[3 * v + 1] += y;
    }
    toile_body_def def = toile_default_body_def();
    def.shape = TOILE_SHAPE_DEFORMING;
    def.mesh = test_mesh_def(&ball.mesh);
    ball.body = add_body(world, &def);
    return ball;
}

static void draw_out(toile_world *world, soft_ball *ball, float middle, float by) {
    for (size_t v = 0; v < ball->mesh.vertices; v++) {
        float *x = &ball->mesh.positions[3 * v];
        *x -= *x < middle ? by : 0.0f;
    }
    assert_ok(
        toile_world_move_vertices(world, ball->body, ball->mesh.positions, ball->mesh.vertices));
}

/* It stays where it is, but for the side that comes and pushes the edge of the cloth along. */
static void test_a_mesh_that_deforms_wakes(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_sleeper(&cloth);
    soft_ball ball = add_soft_ball(world, 0.05f, 1.0f, 0.06f);
    run_to_sleep(world, 1);
    for (int s = 0; s < 10; s++) { /* from 0.95 m to 0.45 m; the cloth ends at 0.15 m */
        draw_out(world, &ball, 0.99f, 0.05f);
        assert_asleep(world, 1);
    }
    float *before = texel_positions(world, cloth);
    for (int s = 0; s < 7; s++) {
        draw_out(world, &ball, 0.99f, 0.05f);
        run_steps(world, 1, STEP);
    }
    assert_int_equal(asleep(world), 0);
    assert_true(toile_world_get_solver_info(world).iterations > 0);
    float *after = texel_positions(world, cloth);
    assert_memory_not_equal(before, after, 300);
    free(before);
    free(after);
    test_mesh_free(&ball.mesh);
    toile_world_destroy(world);
}

/* What lies on a mesh sleeps while that is still, and wakes when it stirs by a hundredth of a
 * millimetre, wherever. */
static void test_what_lies_on_a_mesh_wakes(void **state) {
    (void)state;
    toile_world_def def = sleep_def(1);
    toile_world *world = make_world(&def);
    soft_ball ball = add_soft_ball(world, 0.1f, 0.0f, 0.0f);
    toile_cloth_def sheet = small_def(0.11f);
    add_cloth(world, &sheet);
    run_to_sleep(world, 1);
    draw_out(world, &ball, 0.0f, 0.0f);
    assert_asleep(world, 1);
    draw_out(world, &ball, -0.09f, 1e-5f);
    assert_wakes(world);
    test_mesh_free(&ball.mesh);
    toile_world_destroy(world);
}

static void test_bodies_that_are_added_and_removed_wake(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_sleeper(&cloth);
    run_to_sleep(world, 1);
    toile_body_def ball = ball_def(1.0f, 0.06f);
    add_body(world, &ball);
    assert_asleep(world, 1);
    ball.center[0] = 0.0f;
    toile_body_id id = add_body(world, &ball);
    assert_wakes(world);
    run_to_sleep(world, 1);
    toile_world_remove_body(world, id);
    assert_wakes(world);
    toile_world_destroy(world);
}

static void test_pins_wake(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_sleeper(&cloth);
    run_to_sleep(world, 1);
    toile_pin_def corner = toile_default_pin_def();
    corner.kind = TOILE_PIN_CORNER;
    toile_pin_id pin = add_pin(world, cloth, &corner);
    assert_wakes(world);
    run_to_sleep(world, 1);
    const float up[3] = {0.0f, 1e-4f, 0.0f}, none[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    assert_ok(toile_world_move_pin(world, pin, up, none));
    assert_wakes(world);
    run_to_sleep(world, 1);
    toile_world_remove_pin(world, pin);
    assert_wakes(world);
    toile_world_destroy(world);
}

/* It falls on it from half a metre; the other one stays asleep until it is there, and what is
 * asleep far away does throughout. */
static void test_cloth_that_falls_wakes(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_sleeper(&cloth);
    toile_cloth_def far = small_def(0.001f);
    far.transform.translate[0] = 2.0f;
    toile_cloth_id aside = add_cloth(world, &far);
    run_to_sleep(world, 2);
    float *before = texel_positions(world, aside);
    toile_cloth_def falling = small_def(0.5f);
    toile_cloth_id above = add_cloth(world, &falling);
    int woke = 0;
    for (int s = 0; s < 120; s++) {
        run_steps(world, 1, STEP);
        woke = woke == 0 && asleep(world) == 1 ? s : woke;
        float *top = texel_positions(world, above), *low = texel_positions(world, cloth);
        assert_true(woke > 0 || top[1] - low[1] > 0.02f);
        free(top);
        free(low);
    }
    assert_in_range(woke, 10, 119);
    assert_int_equal(asleep(world), 1);
    float *after = texel_positions(world, aside);
    assert_memory_equal(before, after,
                        3 * toile_cloth_get_info(world, aside).texels * sizeof *after);
    free(before);
    free(after);
    toile_world_remove_cloth(world, above);
    run_to_sleep(world, 2);
    toile_world_destroy(world);
}

static void test_gravity_and_wind_wake(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_sleeper(&cloth);
    run_to_sleep(world, 1);
    assert_ok(toile_world_set_gravity(world, (const float[3]){0.0f, -9.81f, 0.0f}));
    assert_asleep(world, 1);
    assert_ok(toile_world_set_gravity(world, (const float[3]){0.0f, -9.8f, 0.0f}));
    assert_wakes(world);
    run_to_sleep(world, 1);
    toile_wind_def wind = toile_world_get_def(world).wind;
    wind.velocity[1] = -0.1f;
    assert_ok(toile_world_set_wind(world, &wind));
    for (int s = 0; s < 240; s++) { /* nothing sleeps in wind */
        assert_wakes(world);
    }
    toile_world_destroy(world);
}

static void test_texels_that_are_set_wake(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_world *world = make_sleeper(&cloth);
    run_to_sleep(world, 1);
    const size_t count = toile_cloth_get_info(world, cloth).texels;
    float *texels = texel_positions(world, cloth);
    assert_ok(toile_cloth_set_texel_positions(world, cloth, texels, count));
    assert_wakes(world);
    run_to_sleep(world, 1);
    memset(texels, 0, count * 3 * sizeof *texels);
    texels[1] = 1.0f;
    assert_ok(toile_cloth_set_texel_velocities(world, cloth, texels, count));
    assert_wakes(world);
    free(texels);
    toile_world_destroy(world);
}

/* A panel that hangs on another one until its tie lets go. */
static void test_ties_wake(void **state) {
    (void)state;
    toile_world_def def = sleep_def(1);
    def.solver.self_collision = false;
    toile_world *world = make_world(&def);
    toile_cloth_id ids[2];
    for (int k = 0; k < 2; k++) {
        toile_cloth_def cloth = small_def(-0.31f * (float)k);
        cloth.transform.rotate[0] = 0.0f;
        ids[k] = add_cloth(world, &cloth);
    }
    pin_edge(world, ids[0], TOILE_EDGE_TOP);
    const float lower[4] = {0.0f, 0.0f, 0.3f, 0.0f}, upper[4] = {0.0f, 0.3f, 0.3f, 0.3f};
    toile_tie_def tie = toile_default_tie_def();
    tie.runs[0] = (toile_tie_run){.cloth = ids[0], .points = lower, .point_count = 2};
    tie.runs[1] = (toile_tie_run){.cloth = ids[1], .points = upper, .point_count = 2};
    tie.until = 12.0f;
    toile_tie_id id = toile_world_add_tie(world, &tie);
    assert_true(id.slot > 0);
    run_to_sleep(world, 2);
    assert_below(toile_world_time(world), 11.5);
    while (toile_world_time(world) < 11.95) {
        assert_asleep(world, 2);
    }
    run_seconds(world, 0.5);
    assert_int_equal(asleep(world), 0);
    float *fallen = texel_positions(world, ids[1]);
    assert_below((double)fallen[1], -0.7);
    free(fallen);
    toile_world_destroy(world);
}

/* ---- state --------------------------------------------------------------------------------------
 */

static toile_world *make_with_threads(int threads, void make(toile_world *)) {
    toile_world_def def = sleep_def(1);
    def.threads = threads;
    def.solver.substeps = 0; /* with one a step, texels of the pile do not come to rest */
    toile_world *world = make_world(&def);
    make(world);
    return world;
}

/* A ball comes by, once cloth sleeps, and another cloth is awake all the time. */
static void make_visited(toile_world *world) {
    make_pile(world);
    toile_body_def ball = ball_def(1.0f, 0.04f);
    toile_keyframe keys[3] = {
        {.time = 0.0f}, {.time = 8.4f}, {.time = 9.4f, .translate = {-0.9f, 0.0f, 0.0f}}};
    ball.keyframes = keys;
    ball.keyframe_count = 3;
    add_body(world, &ball);
    toile_cloth_def drawn = small_def(2.0f);
    drawn.size[0] = drawn.size[1] = 0.12f;
    toile_cloth_id cloth = add_cloth(world, &drawn);
    toile_pin_def pin = toile_default_pin_def();
    toile_keyframe pull[2] = {{.time = 0.0f}, {.time = 20.0f, .translate = {0.0f, 0.0f, 4.0f}}};
    pin.kind = TOILE_PIN_EDGE;
    pin.edge = TOILE_EDGE_TOP;
    pin.keyframes = pull;
    pin.keyframe_count = 2;
    add_pin(world, cloth, &pin);
}

static toile_world *visited(int threads) {
    return make_with_threads(threads, make_visited);
}

/* From shortly before it falls asleep on: several threads on few processors take their time. */
static void test_the_result_is_the_same_with_any_threads(void **state) {
    (void)state;
    toile_world *first = visited(1);
    run_steps(first, 400, STEP);
    assert_int_equal(asleep(first), 0);
    const size_t size = toile_world_state_size(first);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_ok(toile_world_save_state(first, bytes, size));
    run_steps(first, 100, STEP);
    assert_int_equal(asleep(first), 2);
    run_steps(first, 60, STEP);
    assert_int_equal(asleep(first), 0);
    for (int threads = 1; threads <= (on_cpu() ? 3 : 1); threads++) {
        toile_world *world = visited(threads);
        assert_ok(toile_world_load_state(world, bytes, size));
        run_steps(world, 160, STEP);
        assert_same_hash(toile_world_hash(world), toile_world_hash(first), "threads");
        toile_world_destroy(world);
    }
    free(bytes);
    toile_world_destroy(first);
}

static toile_world *visited_alone(int threads) {
    (void)threads; /* above */
    return visited(1);
}

static void test_a_sleeping_world_resumes(void **state) {
    (void)state;
    if (on_cpu()) {
        assert_resumes(visited_alone, 200, 280); /* it falls asleep behind it, */
    }
    assert_resumes(visited_alone, 500, 60); /* and wakes */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sleeping_world_does_not_change),
        cmocka_unit_test(test_cloth_is_where_it_would_be),
        cmocka_unit_test(test_what_wakes_was_at_rest),
        cmocka_unit_test(test_a_swing_does_not_sleep),
        cmocka_unit_test(test_a_body_that_comes_wakes),
        cmocka_unit_test(test_a_body_that_jumps_wakes),
        cmocka_unit_test(test_a_mesh_that_deforms_wakes),
        cmocka_unit_test(test_what_lies_on_a_mesh_wakes),
        cmocka_unit_test(test_bodies_that_are_added_and_removed_wake),
        cmocka_unit_test(test_pins_wake),
        cmocka_unit_test(test_cloth_that_falls_wakes),
        cmocka_unit_test(test_gravity_and_wind_wake),
        cmocka_unit_test(test_texels_that_are_set_wake),
        cmocka_unit_test(test_ties_wake),
        cmocka_unit_test(test_the_result_is_the_same_with_any_threads),
        cmocka_unit_test(test_a_sleeping_world_resumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
