/* What benchmarks rest on: their world is that of the scene, their search finds the least count,
 * percentiles are those of sorted values, and the safety grid sees
 * what is unsafe. */
#include <math.h>

#include "bench/hang.h"
#include "bench/safety.h"
#include "bench/search.h"
#include "scenes.h"
#include "worlds.h"

/* ---- the world ----------------------------------------------------------------------------------
 */

static toile_world *world_of_scene(float spacing, toile_cloth_id *cloth) {
    scene *s = NULL;
    scene_ids ids;
    toile_world *world = NULL;
    if (scene_load(in_source("scenes/bench/hang.json"), &s) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    assert_int_equal(s->frames, HANG_FRAMES);
    assert_true(s->time_step == hang_default_def(2).time_step);
    s->world.threads = 1;
    s->cloths[0].def.spacing = spacing > 0.0f ? spacing : s->cloths[0].def.spacing;
    if (scene_build(s, NULL, NULL, &world, &ids) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    *cloth = ids.cloths[0];
    scene_ids_free(&ids);
    scene_free(s);
    return world;
}

static void assert_same_after(int frames, int size, float spacing) {
    hang_def def = hang_default_def(size);
    def.threads = 1;
    toile_cloth_id cloths[2];
    toile_world *worlds[2] = {NULL, world_of_scene(spacing, &cloths[1])};
    assert_int_equal(hang_create(&def, &worlds[0], &cloths[0]), TOILE_OK);
    for (int i = 0; i < 2; i++) {
        for (int frame = 0; frame < frames; frame++) {
            assert_int_equal(toile_world_step(worlds[i], def.time_step), TOILE_OK);
        }
    }
    assert_int_equal(toile_world_hash(worlds[0]), toile_world_hash(worlds[1]));
    assert_true(fabs(toile_cloth_get_info(worlds[0], cloths[0]).mass - 0.2) < 1e-6);
    toile_world_destroy(worlds[0]);
    toile_world_destroy(worlds[1]);
}

/* The scene's own size for two frames, and a coarser one until it lies on the sphere. */
static void scene_and_bench_agree(void **state) {
    (void)state;
    assert_same_after(2, 101, 0.0f);
    assert_same_after(40, 17, 1.0f / 16.0f);
}

static void run_measures_what_it_says(void **state) {
    (void)state;
    hang_def def = hang_default_def(17);
    def.threads = 1;
    def.frames = 40;
    def.first = 31;
    hang_result r;
    assert_int_equal(hang_run(&def, &r), TOILE_OK);
    assert_int_equal(r.particles, 17 * 17);
    assert_false(r.given_up);
    assert_true(r.ms > 0.0 && r.substeps > 0);
    assert_true(r.late_ms > 0.0 && r.late_p99_ms >= r.late_ms);

    toile_world *world;
    toile_cloth_id cloth;
    toile_metrics m;
    toile_strain sum = {0}, peak = {0};
    assert_int_equal(hang_create(&def, &world, &cloth), TOILE_OK);
    for (int frame = 1; frame <= 40; frame++) {
        assert_int_equal(toile_world_step(world, def.time_step), TOILE_OK);
        if (frame >= 31) {
            assert_int_equal(toile_world_measure(world, cloth, &m), TOILE_OK);
            sum.p999 += m.strain.p999;
            sum.mean += m.strain.mean;
            peak.max = fmax(peak.max, m.strain.max);
        }
    }
    assert_true(r.end.mean == m.strain.mean && r.end.p99 == m.strain.p99);
    assert_true(r.end.p999 == m.strain.p999 && r.end.max == m.strain.max);
    assert_true(r.peak.max == peak.max && peak.max > m.strain.max);
    assert_true(fabs(r.mean.p999 - sum.p999 / 10.0) < 1e-12);
    assert_true(fabs(r.mean.mean - sum.mean / 10.0) < 1e-12);
    assert_true(r.last.lowest == m.lowest && m.lowest < 0.8);
    toile_world_destroy(world);
}

static void run_settles(void **state) {
    (void)state;
    hang_def def = hang_default_def(9);
    def.threads = 1;
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.frames = def.first = 6;
    def.settle = 5;
    hang_result r;
    assert_int_equal(hang_run(&def, &r), TOILE_OK);
    assert_true(r.stage_ms[TOILE_STAGE_SOLVE] > 0.0 && r.bytes > 0.0);

    toile_world *world;
    toile_cloth_id cloth;
    toile_metrics m;
    assert_int_equal(hang_create(&def, &world, &cloth), TOILE_OK);
    for (int frame = 1; frame <= 11; frame++) {
        assert_int_equal(toile_world_step(world, def.time_step), TOILE_OK);
        assert_int_equal(toile_world_measure(world, cloth, &m), TOILE_OK);
        if (frame == 6) {
            assert_true(r.last.lowest == m.lowest);
            assert_true(fabs(r.last.kinetic / m.kinetic_energy - 1.0) < 1e-6);
        }
    }
    assert_true(r.settled.lowest == m.lowest);
    assert_true(fabs(r.settled.kinetic / m.kinetic_energy - 1.0) < 1e-6);
    assert_true(r.settled.lowest < r.last.lowest);
    assert_int_equal(r.iterations, toile_world_get_solver_info(world).iterations);
    toile_world_destroy(world);
}

/* One frame is late, or all but the first, of which no time is taken. */
static void late_frames_are_those_from_the_first_on(void **state) {
    (void)state;
    hang_def def = hang_default_def(9);
    def.threads = 1;
    def.frames = def.first = 12;
    hang_result r;
    assert_int_equal(hang_run(&def, &r), TOILE_OK);
    assert_true(r.late_ms > 0.0 && r.late_p99_ms == r.late_ms);
    for (def.first = 1; def.first <= 2; def.first++) {
        assert_int_equal(hang_run(&def, &r), TOILE_OK);
        assert_true(r.late_ms == r.ms && r.late_p99_ms > r.late_ms);
        assert_true(r.late_p99_ms > r.ms_mean);
    }
}

static void slow_runs_are_given_up(void **state) {
    (void)state;
    hang_def def = hang_default_def(17);
    def.threads = 1;
    def.budget = 1e-6;
    def.frames = 100000; /* minutes */
    hang_result r;
    assert_int_equal(hang_run(&def, &r), TOILE_OK);
    assert_true(r.given_up);
    assert_true(r.late_ms == 0.0);
    assert_true(r.ms > 0.0);
}

/* ---- percentiles --------------------------------------------------------------------------------
 */

static int compare(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* Texels pulled about at random, so that no two edges are alike: ranks as sorting finds them. */
static void percentiles_are_by_rank(void **state) {
    (void)state;
    enum { SIZE = 40, TEXELS = SIZE * SIZE, EDGES = 2 * SIZE * (SIZE - 1) };
    static float x[3 * TEXELS];
    static double strains[EDGES];
    hang_def def = hang_default_def(SIZE);
    def.threads = 1;
    toile_world *world;
    toile_cloth_id cloth;
    assert_int_equal(hang_create(&def, &world, &cloth), TOILE_OK);
    assert_int_equal(toile_cloth_get_texel_positions(world, cloth, x, TEXELS), TOILE_OK);
    uint32_t random = 1;
    for (int i = 0; i < 3 * TEXELS; i++) {
        random = random * 1664525u + 1013904223u;
        x[i] += 1e-3f * ((float)(random >> 8) / (float)(1 << 24) - 0.5f);
    }
    assert_int_equal(toile_cloth_set_texel_positions(world, cloth, x, TEXELS), TOILE_OK);
    double spacing = (double)toile_cloth_get_info(world, cloth).spacing;
    int edges = 0;
    for (int t = 0; t < TEXELS; t++) {
        for (int way = 0; way < 2; way++) {
            int next = way == 0 ? t + 1 : t + SIZE;
            if (way == 0 ? next % SIZE != 0 : next < TEXELS) {
                double d[3];
                for (int k = 0; k < 3; k++) {
                    d[k] = (double)x[3 * next + k] - (double)x[3 * t + k];
                }
                double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                strains[edges++] = (double)(float)fabs(length / spacing - 1.0);
            }
        }
    }
    assert_int_equal(edges, EDGES);
    qsort(strains, EDGES, sizeof *strains, compare);
    toile_strain found;
    assert_int_equal(toile_cloth_get_strain(world, cloth, &found), TOILE_OK);
    const double rounding = 3e-7; /* of lengths in float, as parts of the spacing */
    assert_true(fabs(found.p99 - strains[(int)ceil(0.99 * EDGES) - 1]) < rounding);
    assert_true(fabs(found.p999 - strains[(int)ceil(0.999 * EDGES) - 1]) < rounding);
    assert_true(fabs(found.max - strains[EDGES - 1]) < rounding);
    toile_world_destroy(world);
}

/* ---- the search ---------------------------------------------------------------------------------
 */

typedef struct counting {
    int needed;  /* counts from here on are good */
    int ceiling; /* counts above it cannot be tried */
    int tries;
} counting;

static toile_result try_count(void *user, int count, double *value) {
    counting *c = user;
    c->tries++;
    assert_true(count >= 1);
    *value = count > c->ceiling ? (double)NAN : count >= c->needed ? 0.05 : 0.2;
    return TOILE_OK;
}

static search_result search_for(counting *c, int guess, int cap) {
    search_result found;
    c->tries = 0;
    assert_int_equal(search_least(try_count, c, 0.1, guess, cap, &found), TOILE_OK);
    return found;
}

static void search_finds_the_least(void **state) {
    (void)state;
    for (int needed = 1; needed <= 600; needed++) {
        for (int guess = 1; guess <= 1000; guess = 3 * guess + 1) {
            counting c = {.needed = needed, .ceiling = 10000};
            search_result found = search_for(&c, guess, 2000);
            assert_true(found.found);
            assert_in_range(found.count, needed, needed + needed / 16);
            assert_in_range(c.tries, 1, 20);
        }
    }
}

static void search_ends_without_success(void **state) {
    (void)state;
    counting c = {.needed = 1000, .ceiling = 10000};
    search_result found = search_for(&c, 1, 100);
    assert_false(found.found);
    assert_int_equal(found.count, 100);
    assert_in_range(c.tries, 1, 8);

    c.ceiling = 70; /* 1, 2, 4, ... 64 can be tried */
    found = search_for(&c, 1, 500);
    assert_false(found.found);
    assert_int_equal(found.count, 64);

    c.ceiling = 0;
    found = search_for(&c, 9, 500);
    assert_false(found.found);
    assert_int_equal(found.count, 0);
}

static void bold_guess_is_taken_back(void **state) {
    (void)state;
    counting c = {.needed = 3, .ceiling = 10};
    search_result found = search_for(&c, 100, 500);
    assert_true(found.found);
    assert_int_equal(found.count, 3);
}

static toile_result try_and_fail(void *user, int count, double *value) {
    (void)user, (void)count;
    *value = 0.0;
    return TOILE_ERROR_NUMERICAL;
}

static void search_hands_errors_on(void **state) {
    (void)state;
    search_result found;
    assert_int_equal(search_least(try_and_fail, NULL, 0.1, 1, 10, &found), TOILE_ERROR_NUMERICAL);
}

/* ---- the safety grid ----------------------------------------------------------------------------
 */

/* Every fabric with every spacing, step, scene and order: six, five, three, eight and two. */
static void safety_grid_is_whole(void **state) {
    (void)state;
    bool seen[6][SAFETY_SPACINGS][SAFETY_STEPS][SAFETY_SCENES][2] = {0};
    assert_int_equal(toile_fabric_count(), 6);
    assert_int_equal(safety_count(), 6 * 5 * 3 * 8 * 2);
    for (int number = 0; number < safety_count(); number++) {
        safety_def def = safety_get(number);
        int spacing = 0, step = 0;
        while (safety_spacings[spacing] != def.spacing) {
            spacing++;
        }
        while (safety_steps[step] != def.time_step) {
            step++;
        }
        bool *place = &seen[def.fabric][spacing][step][def.scene][def.solver.order - 1];
        assert_false(*place);
        *place = true;
    }
}

/* A run of cotton at 10 mm with 60 steps a second. */
static safety_def safety_of(safety_scene kind) {
    int number = 0;
    safety_def def = safety_get(number);
    while (def.spacing != 0.01f || def.time_step != 1.0f / 60.0f || def.scene != kind) {
        def = safety_get(++number);
    }
    return def;
}

static void safety_knows_its_bounds(void **state) {
    (void)state;
    const safety_def ball = safety_of(SAFETY_BALL), struck = safety_of(SAFETY_STRUCK);
    const safety_result high = {.gain = 0.06, .elongation = 0.1, .reach = 3.0};
    const safety_result near = {.gain = 0.055, .elongation = 0.095};
    const safety_result calm = {.gain = 0.04, .elongation = 0.01};
    assert_near(safety_amount(&ball, &high, SAFETY_GAINED), 1.2, 1e-9);
    assert_near(safety_amount(&ball, &high, SAFETY_STRETCHED), 0.1 / 0.09, 1e-6); /* limit: 3 % */
    assert_true(safety_amount(&ball, &high, SAFETY_THROWN) == 0.0);
    assert_true(safety_amount(&struck, &high, SAFETY_GAINED) == 0.0);
    assert_near(safety_amount(&struck, &high, SAFETY_THROWN), 1.2, 1e-9);
    for (safety_fault fault = SAFETY_GAINED; fault <= SAFETY_STRETCHED; fault++) {
        assert_true(safety_has_own(&ball, &high, &calm, fault));
        assert_false(safety_has_own(&ball, &high, &near, fault)); /* has as much */
        assert_false(safety_has_own(&ball, &calm, &calm, fault)); /* is allowed */
    }
    const safety_result stopped = {.stopped = 7};
    assert_true(safety_has_own(&ball, &stopped, &calm, SAFETY_STOPPED));
    assert_false(safety_has_own(&ball, &stopped, &stopped, SAFETY_STOPPED));
}

static double safety_amount_of(const safety_def *def, safety_fault fault) {
    safety_result r;
    assert_int_equal(safety_run(def, &r), TOILE_OK);
    return safety_amount(def, &r, fault);
}

/* The ball gives some. */
static void safety_measures_gains(void **state) {
    (void)state;
    safety_def struck = safety_of(SAFETY_STRUCK);
    safety_result r;
    struck.frames = 60;
    assert_int_equal(safety_run(&struck, &r), TOILE_OK);
    assert_true(r.gain > 0.05 && r.gain >= r.motion && r.rise >= r.gain);
    struck.scene = SAFETY_CORNERS;
    assert_int_equal(safety_run(&struck, &r), TOILE_OK);
    assert_true(r.gain < 0.0 && r.gain >= r.motion && r.rise < 0.01);
}

/* Springs of a stiffness that such substeps cannot bear, and yarns that nothing holds together. */
static void safety_sees_what_is_unsafe(void **state) {
    (void)state;
    safety_def good = safety_of(SAFETY_CORNER), stiff = good, soft = good;
    good.frames = stiff.frames = soft.frames = 60;
    stiff.solver.kind = soft.solver.kind = TOILE_SOLVER_MASS_SPRING;
    stiff.solver.stiffness = TOILE_STIFFNESS_TRUE;
    soft.solver.stiffness = TOILE_STIFFNESS_AUTO;
    stiff.solver.substeps = soft.solver.substeps = 4;
    soft.solver.limit_iterations = 0;
    for (safety_fault fault = SAFETY_STOPPED; fault < SAFETY_FAULTS; fault++) {
        assert_below(safety_amount_of(&good, fault), 1.0);
    }
    assert_true(safety_amount_of(&stiff, SAFETY_STOPPED) > 1.0);
    assert_true(safety_amount_of(&soft, SAFETY_STRETCHED) > 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scene_and_bench_agree),
        cmocka_unit_test(run_measures_what_it_says),
        cmocka_unit_test(late_frames_are_those_from_the_first_on),
        cmocka_unit_test(slow_runs_are_given_up),
        cmocka_unit_test(run_settles),
        cmocka_unit_test(percentiles_are_by_rank),
        cmocka_unit_test(search_finds_the_least),
        cmocka_unit_test(search_ends_without_success),
        cmocka_unit_test(bold_guess_is_taken_back),
        cmocka_unit_test(search_hands_errors_on),
        cmocka_unit_test(safety_grid_is_whole),
        cmocka_unit_test(safety_knows_its_bounds),
        cmocka_unit_test(safety_measures_gains),
        cmocka_unit_test(safety_sees_what_is_unsafe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
