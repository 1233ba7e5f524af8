/* The keys of the report are a promise, and so is what its verdict means. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "io/file.h"
#include "io/report.h"
#include "scratch.h"

static report good_report(void) {
    report r = {
        .solver = {.substeps = 12,
                   .stable_substep = 1e-3,
                   .true_substep = 1e-4,
                   .stretch_scale = 0.25,
                   .shear_scale = 1.0,
                   .bend_scale = 1.0,
                   .threads = 2,
                   .device = "cpu",
                   .simd = "avx2"},
        .particles = 10201,
        .frames = 120,
        .time_step = 1.0 / 60.0,
        .ms_mean = 5.5,
        .ms_p50 = 5.0,
        .ms_p99 = 9.0,
        .timed = true,
        .metrics = {.strain = {0.01, 0.02, 0.03, 0.05}, .penetration = {3, 1e-5}},
        .has_strain = true,
        .has_penetration = true,
        .strain_limit = 0.05,
        .depth_limit = 1e-3,
        .state_hash = UINT64_C(0x0123456789abcdef),
        .peak_rss_bytes = 123456789,
    };
    for (int i = 0; i < TOILE_STAGE_COUNT; i++) {
        r.stage_ms[i] = i;
    }
    return r;
}

static json_t *write_and_load(const report *r) {
    json_error_t error;
    assert_int_equal(report_write(r, scratch("report.json")), TOILE_OK);
    json_t *json = json_load_file(scratch("report.json"), 0, &error);
    if (!json) {
        fail_msg("%s", error.text);
    }
    return json;
}

static void assert_keys(const json_t *object, const char *expected) {
    char keys[512] = "";
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        strncat(strncat(keys, *keys ? " " : "", 2), key, 64);
    }
    assert_string_equal(keys, expected);
}

static void keys_are_those_documented(void **state) {
    (void)state;
    report r = good_report();
    report_judge(&r);
    json_t *json = write_and_load(&r);
    assert_keys(json,
                "device threads particles frames complete time_step substeps ms_per_frame "
                "measuring_ms_per_frame stages solver solve strain penetration self_intersections "
                "patterns dropped_contacts ambiguous_texels inside_texels caught_texels pierced "
                "untangled "
                "map_draws map_reuses state_hash "
                "peak_rss_bytes measured worst not_prevented verdict reasons");
    assert_keys(json_object_get(json, "ms_per_frame"), "mean p50 p99");
    assert_keys(json_object_get(json, "strain"), "mean p99 p999 max pinned");
    assert_keys(json_object_get(json, "penetration"),
                "count max_depth_m crossings crossing_depth_m caught");
    assert_keys(json_object_get(json, "solver"), "stiffness stretch_scale shear_scale bend_scale "
                                                 "stable_substep true_substep simd");
    json_t *stages = json_object_get(json, "stages");
    assert_int_equal(json_object_size(stages), TOILE_STAGE_COUNT);
    assert_float_equal(
        json_number_value(json_object_get(stages, toile_stage_name(TOILE_STAGE_LIMIT))),
        TOILE_STAGE_LIMIT, 0.0);
    assert_string_equal(json_string_value(json_object_get(json, "state_hash")), "0123456789abcdef");
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "good");
    assert_int_equal(json_array_size(json_object_get(json, "reasons")), 0);
    assert_int_equal(json_array_size(json_object_get(json, "patterns")), 0);
    assert_int_equal(json_integer_value(json_object_get(json, "particles")), 10201);
    const char *stiffness =
        json_string_value(json_object_get(json_object_get(json, "solver"), "stiffness"));
    assert_string_equal(stiffness, "softened");
    json_decref(json);
}

static void what_is_not_known_is_null_or_left_out(void **state) {
    (void)state;
    report r = good_report();
    r.timed = r.has_strain = r.has_penetration = false;
    r.metrics.strain.max = NAN; /* not measured: no reason */
    report_judge(&r);
    assert_true(r.good);
    json_t *json = write_and_load(&r);
    assert_keys(json, "complete strain penetration self_intersections patterns measured worst "
                      "not_prevented verdict reasons");
    assert_true(json_is_null(json_object_get(json, "complete")));
    assert_true(json_is_null(json_object_get(json, "strain")));
    assert_true(json_is_null(json_object_get(json, "penetration")));
    json_decref(json);
    r = good_report();
    r.ms_p99 = INFINITY;
    r.solver.stretch_scale = 1.0;
    json = write_and_load(&r);
    assert_true(json_is_null(json_object_get(json_object_get(json, "ms_per_frame"), "p99")));
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(json, "solver"), "stiffness")), "true");
    json_decref(json);
}

static void runs_know_everything(void **state) {
    (void)state;
    report r = good_report();
    r.metrics = (toile_metrics){0};
    r.has_strain = r.has_penetration = false; /* neither cloths nor bodies */
    report_judge(&r);
    json_t *json = write_and_load(&r);
    assert_keys(json_object_get(json, "strain"), "mean p99 p999 max pinned");
    json_t *penetration = json_object_get(json, "penetration");
    assert_keys(penetration, "count max_depth_m crossings crossing_depth_m caught");
    assert_true(json_number_value(json_object_get(penetration, "max_depth_m")) == 0.0);
    json_decref(json);
}

static double number_at(const json_t *object, const char *first, const char *second) {
    const json_t *value = json_object_get(object, first);
    return json_number_value(second ? json_object_get(value, second) : value);
}

/* Two frames that are solved, of which one ends early, and one in which all cloth sleeps. */
static void what_the_solver_left_is_reported(void **state) {
    (void)state;
    const toile_solver_info infos[] = {
        {.substeps = 4, .iterations = 8, .gradients = 32, .converged = true, .last_move = 2e-5},
        {.substeps = 6, .iterations = 52, .gradients = 98, .last_move = 3e-3},
        {.substeps = 4, .converged = true, .asleep = 2},
    };
    history all = {0};
    report r = good_report();
    r.history = &all;
    json_t *json = write_and_load(&r);
    assert_true(json_is_null(json_object_get(json, "solve")));
    json_decref(json);
    for (uint32_t i = 0; i < 3; i++) {
        history_note_solver(&all, &infos[i], 10 + i);
    }
    r.solver.asleep = infos[2].asleep;
    json = write_and_load(&r);
    const json_t *solve = json_object_get(json, "solve");
    assert_keys(solve, "iterations gradients solved_frames unconverged_frames last_move_m asleep");
    const json_t *iterations = json_object_get(solve, "iterations"),
                 *gradients = json_object_get(solve, "gradients");
    assert_keys(iterations, "mean worst");
    assert_float_equal(number_at(iterations, "mean", NULL), 60.0 / 10.0, 1e-9);
    assert_float_equal(number_at(iterations, "worst", "value"), 52.0f / 6.0f, 1e-6);
    assert_float_equal(number_at(iterations, "worst", "frame"), 11.0, 0.0);
    assert_float_equal(number_at(gradients, "mean", NULL), 130.0 / 10.0, 1e-9);
    assert_float_equal(number_at(gradients, "worst", "value"), 98.0f / 6.0f, 1e-6);
    assert_float_equal(number_at(solve, "solved_frames", NULL), 2.0, 0.0);
    assert_float_equal(number_at(solve, "unconverged_frames", NULL), 1.0, 0.0);
    assert_float_equal(number_at(solve, "last_move_m", "value"), 3e-3, 1e-9);
    assert_float_equal(number_at(solve, "last_move_m", "frame"), 11.0, 0.0);
    assert_float_equal(number_at(solve, "asleep", NULL), 2.0, 0.0);
    json_decref(json);
}

/* Judges, and expects one reason that contains the words, or with NULL none. */
static void assert_verdict(report r, const char *reason) {
    report_judge(&r);
    assert_int_equal(r.good, reason == NULL);
    assert_int_equal(r.reason_count, reason != NULL);
    if (reason && !strstr(r.reasons[0], reason)) {
        fail_msg("'%s' lacks '%s'", r.reasons[0], reason);
    }
}

/* Judges a cloth whose worst frame of a measure has this value. */
static report judge_worst(measure_kind kind, double value, bool self_collision) {
    cloth_history h = {0};
    h.worst[kind] = (worst_frame){value, 30};
    history all = {.cloths = &h, .cloth_count = 1};
    report r = good_report();
    r.history = &all;
    r.self_collision = self_collision;
    const toile_cloth_info info = {.name = "sheet", .spacing = 0.01f, .fabric = {.limit = 0.05f}};
    report_judge(&r);
    report_judge_cloth(&r, &info, &h);
    r.history = NULL;
    return r;
}

static void verdict_names_cloth_and_frame(void **state) {
    (void)state;
    static const struct {
        measure_kind kind;
        double good, bad;
        const char *reason;
    } cases[] = {
        {MEASURE_STRAIN_P999, 0.109, 0.111, "cloth 'sheet': frame 30: strain.p999 is 0.111, above"},
        {MEASURE_STRAIN_MAX, 0.249, 3.95, "cloth 'sheet': frame 30: strain.max is 3.95, above"},
        {MEASURE_DEPTH, 0.004, 0.006, "frame 30: penetration.max_depth_m is 0.006, above 0.005"},
        {MEASURE_CROSSING_DEPTH, 0.004, 0.006,
         "frame 30: penetration.crossing_depth_m is 0.006, above 0.005"},
        {MEASURE_SELF, 0, 224, "frame 30: self_intersections is 224, expected 0 with self-coll"},
        {MEASURE_OTHERS, 0, 1, "frame 30: cloth_intersections is 1, expected 0 with self-coll"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        report r = judge_worst(cases[i].kind, cases[i].good, true);
        assert_true(r.good);
        r = judge_worst(cases[i].kind, cases[i].bad, true);
        assert_int_equal(r.reason_count, 1);
        assert_non_null(strstr(r.reasons[0], cases[i].reason));
        r = judge_worst(cases[i].kind, cases[i].bad, false);
        assert_int_equal(r.good, cases[i].kind >= MEASURE_SELF); /* not prevented, no fault */
    }
}

/* In the reason and among the worst: the body that it was at, and where. */
static void depths_are_placed(void **state) {
    (void)state;
    toile_body_id ids[2] = {{7, 1}, {3, 1}};
    scene_body bodies[2] = {{.def.name = "floor"}, {.def.name = "table"}};
    scene_cloth cloths[1] = {{.def.name = "sheet"}};
    scene given = {.bodies = bodies, .body_count = 2, .cloths = cloths, .cloth_count = 1};
    cloth_history h = {.deepest = {{3, 1}, {0.1, 0.25, -2.0}}, .farthest = {{7, 1}, {1.0, 0, 0}}};
    h.worst[MEASURE_DEPTH] = (worst_frame){0.006, 30};
    history all = {.cloths = &h, .cloth_count = 1};
    const toile_cloth_info info = {.name = "sheet", .spacing = 0.01f, .fabric = {.limit = 0.05f}};
    report r = good_report();
    r.history = &all;
    r.scene = &given;
    r.bodies = ids;
    report_judge(&r);
    report_judge_cloth(&r, &info, &h);
    assert_int_equal(r.reason_count, 1);
    assert_non_null(strstr(r.reasons[0], "at body 'table' in (0.1, 0.25, -2)"));
    h.worst[MEASURE_DEPTH].value = 0.0;
    h.worst[MEASURE_CROSSING_DEPTH] = (worst_frame){0.006, 30};
    report_judge(&r);
    report_judge_cloth(&r, &info, &h);
    assert_non_null(strstr(r.reasons[0], "at body 'floor' in (1, 0, 0)"));
    json_t *json = write_and_load(&r);
    json_t *worst = json_array_get(json_object_get(json, "worst"), 0);
    json_t *depth = json_object_get(json_object_get(worst, "penetration"), "crossing_depth_m");
    assert_keys(depth, "value frame body place");
    assert_string_equal(json_string_value(json_object_get(depth, "body")), "floor");
    assert_int_equal(json_array_size(json_object_get(depth, "place")), 3);
    json_decref(json);
    h.farthest = (toile_place){{0, 0}, {0, 0, 0}};
    json = write_and_load(&r);
    worst = json_array_get(json_object_get(json, "worst"), 0);
    depth = json_object_get(json_object_get(worst, "penetration"), "crossing_depth_m");
    assert_true(json_is_null(json_object_get(depth, "body")));
    json_decref(json);
}

static void interrupted_is_neither_good_nor_bad(void **state) {
    (void)state;
    report r = good_report();
    report_judge(&r);
    r.interrupted = true;
    json_t *json = write_and_load(&r);
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "interrupted");
    assert_string_equal(json_string_value(json_object_get(json, "so_far")), "good");
    json_decref(json);
}

static void what_was_caught_is_named_and_no_fault(void **state) {
    (void)state;
    report r = judge_worst(MEASURE_CAUGHT, 12.0, true);
    assert_true(r.good);
    r = judge_worst(MEASURE_CROSSINGS, 12.0, true); /* shallow */
    assert_true(r.good);
    r.caught = (worst_frame){12.0, 30};
    char text[256] = "";
    FILE *stream = fmemopen(text, sizeof text, "w");
    assert_non_null(stream);
    report_print_verdict(&r, stream);
    fclose(stream);
    assert_string_equal(text, "good (12 vertices caught between parts of a body in frame 30)\n");
}

static void what_pins_strain_is_named_and_no_fault(void **state) {
    (void)state;
    report r = judge_worst(MEASURE_STRAIN_PINNED, 0.249, true); /* the fabric allows it */
    assert_true(r.good && r.pinned.value == 0.0);
    r = judge_worst(MEASURE_STRAIN_PINNED, 0.424, true);
    assert_true(r.good);
    char text[256] = "";
    FILE *stream = fmemopen(text, sizeof text, "w");
    assert_non_null(stream);
    report_print_verdict(&r, stream);
    fclose(stream);
    assert_string_equal(text, "good (pins strain the cloth between them by 42.4 % in frame 30)\n");
}

static void verdict_has_bounds(void **state) {
    (void)state;
    report r = good_report();
    r.metrics.strain.p999 = 0.109;
    r.metrics.strain.max = 0.249;
    r.metrics.penetration.max_depth_m = 1e-3;
    r.metrics.self_intersections = 5;
    assert_verdict(r, NULL);
    report bad = r;
    bad.metrics.strain.p999 = 0.111;
    assert_verdict(bad, "strain.p999 is 0.111, above 0.11");
    bad = r;
    bad.metrics.strain.max = 0.251;
    assert_verdict(bad, "strain.max is 0.251, above 0.25");
    bad = r;
    bad.metrics.penetration.max_depth_m = 1.1e-3;
    assert_verdict(bad, "penetration.max_depth_m is 0.0011, above 0.001");
    bad = r;
    bad.metrics.penetration.crossings = 7;
    bad.metrics.penetration.crossing_depth_m = 4.1e-3;
    assert_verdict(bad, "penetration.crossing_depth_m is 0.0041, above 0.004");
    bad = r;
    bad.solver.dropped_contacts = 7;
    assert_verdict(bad, "dropped_contacts is 7");
    bad = r;
    bad.metrics.strain.max = NAN;
    assert_verdict(bad, "strain.max is not a finite number");
    bad = r;
    bad.metrics.kinetic_energy = INFINITY;
    assert_verdict(bad, "kinetic energy is not a finite number");
}

static void reasons_are_written(void **state) {
    (void)state;
    report r = good_report();
    r.metrics.strain = (toile_strain){1, 1, 1, 1, 1};
    r.metrics.area = NAN;
    r.metrics.penetration.max_depth_m = 1.0;
    r.solver.dropped_contacts = 1;
    report_judge(&r);
    report_judge(&r); /* twice is as good as once */
    json_t *json = write_and_load(&r);
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "bad");
    assert_int_equal(json_array_size(json_object_get(json, "reasons")), 5);
    json_decref(json);
}

static void full_disk_is_said(void **state) {
    (void)state;
    report r = good_report();
    scratch_limit_disk(100);
    toile_result result = report_write(&r, scratch("report.json"));
    scratch_unlimit_disk();
    assert_int_equal(result, TOILE_ERROR_INVALID);
    assert_message("report.json': File too large");
    assert_int_equal(scratch_count(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        scratch_test(keys_are_those_documented),
        scratch_test(what_is_not_known_is_null_or_left_out),
        scratch_test(runs_know_everything),
        scratch_test(what_the_solver_left_is_reported),
        cmocka_unit_test(verdict_names_cloth_and_frame),
        scratch_test(depths_are_placed),
        scratch_test(interrupted_is_neither_good_nor_bad),
        cmocka_unit_test(what_was_caught_is_named_and_no_fault),
        cmocka_unit_test(what_pins_strain_is_named_and_no_fault),
        cmocka_unit_test(verdict_has_bounds),
        scratch_test(reasons_are_written),
        scratch_test(full_disk_is_said),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
