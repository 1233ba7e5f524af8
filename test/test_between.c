/* Between which passes threads of the CPU device meet: where one reads of other rows what another
 * has written, or writes what another has read there, and nowhere else. */
#include "worlds.h"

#include "cpu/between.h"

/* Goes over calls as a thread does; a digit for each: 1 where it meets the others in front of it.
 */
static void assert_meets(const step_plan *plan, const pass_call *calls, const char *expected) {
    since_met since = {0};
    for (int i = 0; expected[i]; i++) {
        const bool meets = meets_before(&since, plan, calls[i]);
        if (meets != (expected[i] == '1')) {
            fail_msg("call %d: meets %d, expected %c", i, meets, expected[i]);
        }
        if (meets) {
            since = (since_met){0};
        }
        note_call(&since, plan, calls[i]);
        if (calls[i].pass == PASS_RELAX && !plan->levels[calls[i].level].small) {
            since = (since_met){0}; /* they meet at its end */
        }
    }
}

static void test_own_rows_need_no_meeting(void **state) {
    (void)state;
    const pass_call calls[] = {{.pass = PASS_INTEGRATE}, {.pass = PASS_PINS},
                               {.pass = PASS_DETECT},    {.pass = PASS_RESPOND},
                               {.pass = PASS_MOVE},      {.pass = PASS_STAGE},
                               {.pass = PASS_BEGIN},     {.pass = PASS_VELOCITY}};
    assert_meets(&(step_plan){0}, calls, "00000000");
}

/* Forces read of neighbours what integration writes, before and behind it. */
static void test_velocity_verlet_meets_twice_in_a_substep(void **state) {
    (void)state;
    const pass_call calls[] = {{.pass = PASS_MOVE},   {.pass = PASS_FORCE},
                               {.pass = PASS_BODIES}, {.pass = PASS_INTEGRATE},
                               {.pass = PASS_DETECT}, {.pass = PASS_MOVE},
                               {.pass = PASS_FORCE},  {.pass = PASS_BODIES}};
    assert_meets(&(step_plan){0}, calls, "01010010");
}

/* Bodies must not move on before all have asked where they are. */
static void test_bodies_wait_for_those_who_look(void **state) {
    (void)state;
    const pass_call calls[] = {{.pass = PASS_DETECT}, {.pass = PASS_BODIES}, {.pass = PASS_DETECT}};
    assert_meets(&(step_plan){0}, calls, "011");
}

/* Of the wind, what cells get is read by the texels around them. */
static void test_wind_meets_on_both_sides(void **state) {
    (void)state;
    const pass_call calls[] = {{.pass = PASS_PINS}, {.pass = PASS_WIND}, {.pass = PASS_BEGIN}};
    assert_meets(&(step_plan){0}, calls, "011");
}

/* Small levels are thread 0's alone: only the way onto one and off it needs the others. */
static void test_small_levels_need_no_meeting(void **state) {
    (void)state;
    step_plan plan = {.level_count = 4};
    plan.levels[2].small = plan.levels[3].small = true;
    const pass_call calls[] = {{.pass = PASS_PREDICT},
                               {.pass = PASS_RESTRICT, .level = 1},
                               {.pass = PASS_RESTRICT, .level = 2},
                               {.pass = PASS_RESTRICT, .level = 3},
                               {.pass = PASS_RELAX, .level = 3},
                               {.pass = PASS_PROJECT_OUT, .level = 3},
                               {.pass = PASS_UPSAMPLE, .level = 2},
                               {.pass = PASS_RELAX, .level = 2},
                               {.pass = PASS_UPSAMPLE, .level = 1},
                               {.pass = PASS_RELAX, .level = 1}};
    assert_meets(&plan, calls, "0110000011");
    plan.levels[2].small = plan.levels[3].small = false;
    assert_meets(&plan, calls, "0111101101");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_rows_need_no_meeting),
        cmocka_unit_test(test_velocity_verlet_meets_twice_in_a_substep),
        cmocka_unit_test(test_bodies_wait_for_those_who_look),
        cmocka_unit_test(test_wind_meets_on_both_sides),
        cmocka_unit_test(test_small_levels_need_no_meeting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
