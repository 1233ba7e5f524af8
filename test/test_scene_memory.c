/* Where memory runs out while a scene is read and built, that is what is said, and nothing is lost:
 * each allocation in turn is refused. */
#include "scenes.h"

#include "allocations.h"

static long countdown = -1; /* allocations until the one that is refused; -1: none is */

static bool may_allocate(void) {
    return countdown < 0 || countdown-- != 0;
}

static toile_result read_and_build(void) {
    const char *text =
        "{\"toile\": 1, \"solver\": {\"kind\": \"multilevel\", \"levels\": [{\"iterations\": 1}]}, "
        "\"bodies\": [{\"sphere\": {}, \"keyframes\": [{\"time\": 0}]}, "
        "{\"plane\": {}}], \"cloths\": [{\"name\": \"sheet\", \"rectangle\": [0.4, 0.4], "
        "\"spacing\": 0.1, \"transform\": {\"translate\": [0, 1, 0]}, \"pins\": "
        "[{\"edge\": \"top\", \"keyframes\": [{\"time\": 0}]}]}, {\"spacing\": 0.1, "
        "\"transform\": {\"translate\": [0, 2, 0]}}, {\"spacing\": 0.1, \"outline\": [{\"points\": "
        "[[0, 0], [1, 0], [0, 1]]}], \"transform\": {\"translate\": [0, 3, 0]}}]}";
    scene *s;
    toile_result result = scene_parse(text, strlen(text), "test.json", &s);
    if (result != TOILE_OK) {
        return result;
    }
    toile_world *world;
    scene_ids ids;
    result = scene_build(s, NULL, NULL, &world, &ids);
    if (result == TOILE_OK) {
        scene_ids_free(&ids);
        toile_world_destroy(world);
    }
    scene_free(s);
    return result;
}

static void test_lack_of_memory_is_said(void **state) {
    (void)state;
    assert_int_equal(read_and_build(), TOILE_OK);
    long refusals = 0;
    for (;; refusals++) {
        countdown = refusals;
        toile_result result = read_and_build();
        bool reached = countdown < 0;
        countdown = -1;
        if (!reached) {
            assert_int_equal(result, TOILE_OK);
            break;
        }
        if (result != TOILE_ERROR_MEMORY || !strstr(toile_error_message(), "not enough memory")) {
            fail_msg("allocation %ld: result %d, \"%s\"", refusals, result, toile_error_message());
        }
    }
    assert_true(refusals > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
