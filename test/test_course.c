/* The verdict notices cloth that flew off and cloth that does not move, and is not fooled by cloth
 * that has reason to be where it is. */
#include "scenes.h"

#include "app/judge.h"

typedef struct started {
    scene *scene;
    toile_world *world;
    scene_ids ids;
    course *courses;
} started;

static started begin(scene *read) {
    started s = {.scene = read};
    s.scene->world.threads = 1;
    if (scene_build(s.scene, NULL, NULL, &s.world, &s.ids) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    assert_int_equal(courses_note(s.scene, s.world, &s.ids, &s.courses), TOILE_OK);
    return s;
}

static started start(const char *rest, const char *device) {
    char text[2048];
    snprintf(text, sizeof text, "{\"toile\": 1, \"device\": \"%s\", %s}", device, rest);
    return begin(parse(text));
}

static void go(started *s, int steps) {
    for (int i = 0; i < steps; i++) {
        assert_int_equal(scene_step(s->scene, s->world, &s->ids), TOILE_OK);
    }
}

/* The verdict must be good, or bad for one reason alone, with those words. */
static void end(started *s, const char *words) {
    report r = {0};
    history h;
    assert_int_equal(history_create(&h, (size_t)s->scene->cloth_count), TOILE_OK);
    assert_int_equal(history_measure(&h, s->world, 0), TOILE_OK);
    const judged whole = {s->scene, s->world, &s->ids, s->courses, &h};
    assert_int_equal(judge_world(&r, &whole, true, NULL), TOILE_OK);
    if (words ? r.reason_count != 1 || !strstr(r.reasons[0], words) : !r.good) {
        fail_msg("%d reasons: %s; expected: %s", r.reason_count, r.reasons[0],
                 words ? words : "none");
    }
    history_free(&h);
    toile_world_destroy(s->world);
    scene_ids_free(&s->ids);
    free(s->courses);
    scene_free(s->scene);
}

static void run(const char *rest, const char *device, int steps, const char *words) {
    started s = start(rest, device);
    go(&s, steps);
    end(&s, words);
}

/* Takes the cloth elsewhere, and gives it a velocity. */
static void throw(started * s, float y, float z, float velocity) {
    size_t count = toile_cloth_get_info(s->world, s->ids.cloths[0]).texels;
    float *x = malloc(3 * count * sizeof *x), *v = calloc(3 * count, sizeof *v);
    toile_cloth_get_texel_positions(s->world, s->ids.cloths[0], x, count);
    for (size_t i = 0; i < count; i++) {
        x[3 * i + 1] += y;
        x[3 * i + 2] += z;
        v[3 * i + 2] = velocity;
    }
    toile_cloth_set_texel_positions(s->world, s->ids.cloths[0], x, count);
    toile_cloth_set_texel_velocities(s->world, s->ids.cloths[0], v, count);
    free(x);
    free(v);
}

#define SHEET                                                                                      \
    "\"cloths\": [{\"rectangle\": [0.4, 0.4], \"spacing\": 0.05, \"transform\": {\"rotate\": "     \
    "[-90, 0, 0], \"translate\": [0, 1, 0]}"
#define FREE_SHEET   SHEET "}]"
#define PINNED_SHEET SHEET ", \"pins\": [{\"edge\": \"top\"}]}]"

static void test_cloth_that_does_not_move(void **state) {
    (void)state;
    run(FREE_SHEET, "null", 6, "had 0.0489 m to fall");
    run(PINNED_SHEET, "null", 6, "nothing but its pins held it");
    run("\"bodies\": [{\"plane\": {\"point\": [0, 0.8, 0], \"normal\": [0, 1, 0]}}], " FREE_SHEET,
        "null", 60, "m to fall before it could touch");
    run(FREE_SHEET, "null", 0, NULL);
    run("\"gravity\": [0, 0, 0], " FREE_SHEET, "null", 60, NULL);
    /* A floor under it, and wind, may hold it. */
    run("\"bodies\": [{\"plane\": {\"point\": [0, 0.97, 0], \"normal\": [0, 1, 0]}}], " FREE_SHEET,
        "null", 60, NULL);
    run("\"wind\": {\"velocity\": [0, 5, 0]}, " PINNED_SHEET, "null", 60, NULL);
}

static void test_cloth_that_flew_off(void **state) {
    (void)state;
    started s = start(FREE_SHEET, "null");
    go(&s, 12);
    throw(&s, -0.19f, 0.0f, 0.0f); /* as it falls in that time */
    end(&s, NULL);
    s = start(FREE_SHEET, "null");
    go(&s, 12);
    throw(&s, -0.19f, 0.0f, 3.0f);
    end(&s, "nothing else in the scene gives energy");
    s = start(PINNED_SHEET, "null");
    go(&s, 12);
    throw(&s, 0.5f, 0.0f, 0.0f);
    end(&s, "nothing else in the scene gives energy");
    /* Wind gives some: but not that much. */
    s = start("\"wind\": {\"velocity\": [0, 0, 2]}, " FREE_SHEET, "null");
    go(&s, 60);
    throw(&s, -4.0f, 2.0f, 2.0f);
    end(&s, NULL);
    s = start("\"wind\": {\"velocity\": [0, 0, 2]}, " FREE_SHEET, "null");
    go(&s, 60);
    throw(&s, -4.0f, 20.0f, 2.0f);
    end(&s, "m from where it started");
    /* A body that moves can take it along. */
    s = start(
        "\"bodies\": [{\"sphere\": {\"radius\": 0.2}, \"keyframes\": [{\"time\": 0}, {\"time\": "
        "1, \"translate\": [0, 0, 10]}]}], " FREE_SHEET,
        "null");
    go(&s, 60);
    throw(&s, 0.0f, 20.0f, 10.0f);
    end(&s, NULL);
}

/* A tip that goes to and fro at 15 m/s may throw it so far, and no farther. */
static void test_cloth_thrown_by_a_sequence(void **state) {
    (void)state;
    const struct {
        float way;
        const char *words;
    } cases[] = {{4.0f, NULL}, {20.0f, "bodies can have taken it"}};
    for (int i = 0; i < 2; i++) {
        scene *read;
        assert_int_equal(scene_load(in_source("test/good/actors.json"), &read), TOILE_OK);
        read->cloths[0].pin_count = 0;
        started s = begin(read);
        go(&s, 10);
        throw(&s, 0.0f, cases[i].way, 0.0f);
        end(&s, cases[i].words);
    }
}

static void test_cloth_that_is_well(void **state) {
    (void)state;
    static const char *const solvers[] = {"implicit", "multilevel", "mass-spring"};
    static const char *const rests[] = {
        FREE_SHEET,
        PINNED_SHEET,
        "\"bodies\": [{\"sphere\": {\"center\": [0, 0.7, 0], \"radius\": 0.2}}], " FREE_SHEET,
        "\"bodies\": [{\"plane\": {\"point\": [0, 0.85, 0], \"normal\": [0.5, 1, "
        "0]}}], " FREE_SHEET,
        "\"wind\": {\"velocity\": [8, 4, 2], \"gust\": 0.5}, " FREE_SHEET,
    };
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        for (size_t k = 0; k < sizeof rests / sizeof *rests; k++) {
            char text[1024];
            snprintf(text, sizeof text, "\"solver\": {\"kind\": \"%s\"}, %s", solvers[i], rests[k]);
            run(text, "cpu", 45, NULL);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cloth_that_does_not_move),
        cmocka_unit_test(test_cloth_that_flew_off),
        cmocka_unit_test(test_cloth_thrown_by_a_sequence),
        cmocka_unit_test(test_cloth_that_is_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
