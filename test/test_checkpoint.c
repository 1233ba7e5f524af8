/* A run that is resumed goes on with the same bits, and no damaged checkpoint changes a world. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/checkpoint.h"
#include "io/file.h"
#include "scratch.h"

/* A sheet that falls on a ball. */
static toile_world *make_world(float width) {
    toile_world *world;
    toile_world_def def = toile_default_world_def();
    assert_int_equal(toile_world_create(&def, &world), TOILE_OK);
    toile_cloth_def cloth = toile_default_cloth_def();
    cloth.size[0] = width;
    cloth.size[1] = 0.4f;
    cloth.spacing = 0.05f;
    cloth.transform.rotate[0] = -90.0f;
    cloth.transform.translate[1] = 0.05f;
    assert_int_not_equal(toile_world_add_cloth(world, &cloth).slot, 0);
    toile_body_def ball = toile_default_body_def();
    ball.radii[0] = 0.2f;
    ball.center[1] = -0.2f;
    assert_int_not_equal(toile_world_add_body(world, &ball).slot, 0);
    return world;
}

static void step(toile_world *world, int count) {
    for (int i = 0; i < count; i++) {
        if (toile_world_step(world, 1.0f / 60.0f) != TOILE_OK) {
            fail_msg("%s", toile_error_message());
        }
    }
}

static void resumed_run_has_the_same_bits(void **state) {
    (void)state;
    toile_world *whole = make_world(0.4f), *resumed = make_world(0.4f);
    step(whole, 10);
    assert_int_equal(checkpoint_write(scratch("a.bin"), whole, 10, NULL), TOILE_OK);
    uint32_t frame = 0;
    assert_int_equal(checkpoint_read(scratch("a.bin"), resumed, &frame, NULL), TOILE_OK);
    assert_int_equal(frame, 10);
    assert_true(toile_world_hash(whole) == toile_world_hash(resumed));
    step(whole, 20);
    step(resumed, 20);
    assert_true(toile_world_hash(whole) == toile_world_hash(resumed));
    toile_world_destroy(whole);
    toile_world_destroy(resumed);
}

/* ---- damage -------------------------------------------------------------------------------------
 */

typedef struct fixture {
    toile_world *world;
    uint64_t hash;
    uint8_t *bytes;
    size_t size;
} fixture;

static int set_up(void **state) {
    static fixture f;
    scratch_setup(NULL);
    toile_world *other = make_world(0.4f);
    step(other, 3);
    assert_int_equal(checkpoint_write(scratch("a.bin"), other, 3, NULL), TOILE_OK);
    toile_world_destroy(other);
    assert_int_equal(file_read(scratch("a.bin"), 1 << 20, &f.bytes, &f.size), TOILE_OK);
    f.world = make_world(0.4f);
    f.hash = toile_world_hash(f.world);
    *state = &f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    toile_world_destroy(f->world);
    free(f->bytes);
    return scratch_teardown(NULL);
}

static void refuse(const fixture *f, const uint8_t *bytes, size_t size, const char *message) {
    uint32_t frame = 77;
    assert_int_equal(checkpoint_parse(bytes, size, "a.bin", f->world, &frame, NULL),
                     TOILE_ERROR_FORMAT);
    assert_message("'a.bin'");
    assert_message(message);
    assert_int_equal(frame, 77);
    assert_true(toile_world_hash(f->world) == f->hash);
}

static void cut_short_is_refused(void **state) {
    const fixture *f = *state;
    for (size_t size = 0; size < f->size; size += size < 64 ? 1 : 97) {
        uint8_t *cut = malloc(size + 1); /* of its own, so that reading beyond is seen */
        memcpy(cut, f->bytes, size);
        refuse(f, cut, size, "cut short");
        free(cut);
    }
    refuse(f, f->bytes, f->size - 1, "cut short");
}

static void altered_is_refused(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < f->size; i += i < 64 ? 1 : 13) {
        f->bytes[i] ^= 0x10;
        refuse(f, f->bytes, f->size, "");
        f->bytes[i] ^= 0x10;
    }
    f->bytes[40] ^= 1;
    refuse(f, f->bytes, f->size, "was altered: its checksum does not match");
    f->bytes[40] ^= 1;
    f->bytes[16] ^= 1; /* the frame */
    refuse(f, f->bytes, f->size, "was altered");
    f->bytes[16] ^= 1;
    uint8_t *longer = calloc(1, f->size + 8);
    memcpy(longer, f->bytes, f->size);
    refuse(f, longer, f->size + 8, "was altered");
    free(longer);
}

static void other_files_are_refused(void **state) {
    fixture *f = *state;
    refuse(f, (const uint8_t *)"{\"toile\": 1, \"cloths\": [{\"name\": \"cloth\"}]}", 44,
           "is not a checkpoint");
    refuse(f, (const uint8_t *)"x", 1, "is not a checkpoint");
    f->bytes[12] = 9;
    refuse(f, f->bytes, f->size, "has version 9, expected 6");
    f->bytes[12] = 2;
    const uint8_t tag[4] = {1, 2, 3, 4};
    memcpy(f->bytes + 8, tag, sizeof tag);
    refuse(f, f->bytes, f->size, "other byte order");
    uint32_t frame;
    assert_int_equal(checkpoint_read(scratch("none.bin"), f->world, &frame, NULL),
                     TOILE_ERROR_INVALID);
    assert_message("No such file or directory");
}

/* What was measured comes back to the bit, and that of other cloths is refused. */
static void measures_are_kept(void **state) {
    fixture *f = *state;
    history one, again, two;
    assert_int_equal(history_create(&one, 1), TOILE_OK);
    assert_int_equal(history_create(&again, 1), TOILE_OK);
    assert_int_equal(history_create(&two, 2), TOILE_OK);
    assert_int_equal(history_measure(&one, f->world, 1), TOILE_OK);
    one.cloths[0].worst[MEASURE_SELF] = (worst_frame){7.0, 5};
    assert_int_equal(checkpoint_write(scratch("a.bin"), f->world, 1, &one), TOILE_OK);
    uint32_t frame;
    assert_int_equal(checkpoint_read(scratch("a.bin"), f->world, &frame, &two), TOILE_ERROR_FORMAT);
    assert_message("bytes of measures: expected");
    assert_int_equal(checkpoint_read(scratch("a.bin"), f->world, &frame, &again), TOILE_OK);
    assert_memory_equal(&again.total, &one.total, sizeof one.total);
    assert_memory_equal(again.cloths, one.cloths, sizeof *one.cloths);
    history_free(&one);
    history_free(&again);
    history_free(&two);
}

static void other_worlds_are_refused(void **state) {
    const fixture *f = *state;
    toile_world *wider = make_world(0.5f);
    uint64_t hash = toile_world_hash(wider);
    uint32_t frame = 77;
    assert_int_equal(checkpoint_parse(f->bytes, f->size, "a.bin", wider, &frame, NULL),
                     TOILE_ERROR_FORMAT);
    assert_message("checkpoint 'a.bin': ");
    assert_message("world");
    assert_true(toile_world_hash(wider) == hash && frame == 77);
    toile_world_destroy(wider);
}

static void full_disk_is_said(void **state) {
    const fixture *f = *state;
    scratch_limit_disk(f->size - 1);
    toile_result result = checkpoint_write(scratch("a.bin"), f->world, 1, NULL);
    scratch_unlimit_disk();
    assert_int_equal(result, TOILE_ERROR_INVALID);
    assert_message("a.bin': File too large");
    uint32_t frame; /* the one that was there is whole */
    assert_int_equal(checkpoint_read(scratch("a.bin"), f->world, &frame, NULL), TOILE_OK);
    assert_int_equal(frame, 3);
}

#define damage_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        scratch_test(resumed_run_has_the_same_bits),
        damage_test(cut_short_is_refused),
        damage_test(altered_is_refused),
        damage_test(other_files_are_refused),
        damage_test(measures_are_kept),
        damage_test(other_worlds_are_refused),
        damage_test(full_disk_is_said),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
