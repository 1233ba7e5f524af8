/* Cloth where a body closes upon itself: in the armpit of the mannequin while its arm is down, and
 * between its thighs while it walks. Where there is no room no cloth can be right; but it stays
 * calm, what is caught is counted, and it is free again when the body opens. */
#include <math.h>

#include "scenes.h"

typedef struct pinch {
    scene *scene;
    toile_world *world;
    scene_ids ids;
    toile_cloth_info info;
    float *now, *last; /* places of texels after this frame and the one before */
} pinch;

static pinch pinch_open(const char *path, toile_solver_kind kind) {
    pinch p = {0};
    if (scene_load(in_source(path), &p.scene) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    p.scene->world.threads = 1;
    p.scene->world.solver.kind = kind;
    if (scene_build(p.scene, NULL, NULL, &p.world, &p.ids) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    p.info = toile_cloth_get_info(p.world, p.ids.cloths[0]);
    p.now = calloc(3 * p.info.texels, sizeof *p.now);
    p.last = calloc(3 * p.info.texels, sizeof *p.last);
    assert_true(p.now && p.last);
    toile_cloth_get_texel_positions(p.world, p.ids.cloths[0], p.now, p.info.texels);
    return p;
}

static void pinch_close(pinch *p) {
    scene_ids_free(&p->ids);
    toile_world_destroy(p->world);
    scene_free(p->scene);
    free(p->now);
    free(p->last);
}

static void step(pinch *p) {
    if (scene_step(p->scene, p->world, &p->ids) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    memcpy(p->last, p->now, 3 * p->info.texels * sizeof *p->now);
    toile_cloth_get_texel_positions(p->world, p->ids.cloths[0], p->now, p->info.texels);
}

/* m/s, of the texels in the middle of the top edge, or of all. */
static double fastest(const pinch *p, bool middle) {
    double most = 0.0;
    for (size_t t = 0; t < p->info.texels; t++) {
        int column = (int)t % p->info.columns, row = (int)t / p->info.columns;
        double way = 0.0;
        for (size_t i = 3 * t; i < 3 * t + 3; i++) {
            way += pow((double)p->now[i] - (double)p->last[i], 2.0);
        }
        bool is_middle = abs(2 * column - p->info.columns) < 8 && row > p->info.rows - 5;
        most = is_middle || !middle ? fmax(most, sqrt(way) / (double)p->scene->time_step) : most;
    }
    return most;
}

static toile_metrics measure(const pinch *p) {
    toile_metrics m;
    assert_int_equal(toile_world_measure(p->world, p->ids.cloths[0], &m), TOILE_OK);
    return m;
}

#define assert_below(value, bound)                                                                 \
    do {                                                                                           \
        if (!((double)(value) < (double)(bound))) {                                                \
            fail_msg(#value " is %g, expected less than %g", (double)(value), (double)(bound));    \
        }                                                                                          \
    } while (0)

static void assert_free(const pinch *p, double strain) {
    toile_metrics m = measure(p);
    toile_solver_info solved = toile_world_get_solver_info(p->world);
    assert_int_equal(solved.caught_texels + solved.inside_texels, 0);
    assert_int_equal(m.penetration.count + m.penetration.crossings + m.penetration.caught, 0);
    assert_below(m.strain.max, strain);
}

/* The arm comes down from frame 6 to 30, stays, and goes up from frame 42 to 66. */
static void hold_in_armpit(toile_solver_kind kind, double calm, double strain) {
    pinch p = pinch_open("scenes/wang/armpit.json", kind);
    double most = 0.0, held = 0.0, stretched = 0.0;
    for (int frame = 1; frame <= p.scene->frames; frame++) {
        step(&p);
        most = fmax(most, fastest(&p, false));
        if (frame > 33 && frame <= 41) {
            held = fmax(held, fastest(&p, true));
            stretched = fmax(stretched, measure(&p).strain.max);
            assert_true(toile_world_get_solver_info(p.world).caught_texels >= 4);
        }
    }
    print_message("solver %d: %.3f m/s while held, %.3f at most, strain %.2f, %.3f at the end\n",
                  (int)kind, held, most, stretched, measure(&p).strain.max);
    assert_below(held, calm);
    assert_below(most, 4.0); /* the hand has 3.5, and free corners swing */
    assert_free(&p, strain);
    pinch_close(&p);
}

static void armpit_holds_still(void **state) {
    (void)state;
    hold_in_armpit(TOILE_SOLVER_MASS_SPRING, 0.1, 0.05);
}

static void armpit_is_measured_with_implicit(void **state) {
    (void)state;
    hold_in_armpit(TOILE_SOLVER_IMPLICIT, 1.0, 0.05);
}

/* Thighs rub, and nothing is caught. */
static void thighs_let_go(void **state) {
    (void)state;
    pinch p = pinch_open("scenes/wang/crotch.json", TOILE_SOLVER_MASS_SPRING);
    double most = 0.0;
    for (int frame = 1; frame <= p.scene->frames; frame++) {
        step(&p);
        most = fmax(most, fastest(&p, false));
        assert_free(&p, 0.17); /* what a verdict allows */
    }
    print_message("%.3f m/s at most\n", most);
    assert_below(most, 2.0);
    pinch_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(armpit_holds_still),
        cmocka_unit_test(armpit_is_measured_with_implicit),
        cmocka_unit_test(thighs_let_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
