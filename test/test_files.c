/* Files are whole or not there, point caches valid after every sample, and what is wrong is said.
 */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/file.h"
#include "io/pc2.h"
#include "scratch.h"

/* ---- files --------------------------------------------------------------------------------------
 */

static void write_text(const char *path, const char *text) {
    file_writer *w;
    assert_int_equal(file_create(path, &w), TOILE_OK);
    fputs(text, file_stream(w));
    assert_int_equal(file_commit(w), TOILE_OK);
}

static void assert_text(const char *path, const char *text) {
    uint8_t *bytes;
    size_t size;
    assert_int_equal(file_read(path, 1000, &bytes, &size), TOILE_OK);
    assert_int_equal(size, strlen(text));
    assert_string_equal((char *)bytes, text);
    free(bytes);
}

static void file_appears_when_complete(void **state) {
    (void)state;
    const char *path = scratch("a.txt");
    write_text(path, "old");
    file_writer *w;
    assert_int_equal(file_create(path, &w), TOILE_OK);
    fputs("new", file_stream(w));
    fflush(file_stream(w));
    assert_text(path, "old");
    assert_int_equal(file_commit(w), TOILE_OK);
    assert_text(path, "new");
    assert_int_equal(scratch_count(), 1);
    struct stat status;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
}

static void file_discarded_leaves_nothing(void **state) {
    (void)state;
    const char *path = scratch("a.txt");
    write_text(path, "old");
    file_writer *w;
    assert_int_equal(file_create(path, &w), TOILE_OK);
    fputs("new", file_stream(w));
    file_discard(w);
    file_discard(NULL);
    assert_text(path, "old");
    assert_int_equal(scratch_count(), 1);
}

static void file_on_full_disk_keeps_the_old_one(void **state) {
    (void)state;
    const char *path = scratch("a.bin");
    write_text(path, "old");
    file_writer *w;
    assert_int_equal(file_create(path, &w), TOILE_OK);
    scratch_limit_disk(10000);
    for (int i = 0; i < 100000; i++) {
        fputc('x', file_stream(w));
    }
    toile_result result = file_commit(w);
    scratch_unlimit_disk();
    assert_int_equal(result, TOILE_ERROR_INVALID);
    assert_message(path);
    assert_message("File too large");
    assert_text(path, "old");
    assert_int_equal(scratch_count(), 1);
}

/* The pipe comes first: a writer that replaced what it should not would, as root, do so to a device
 * of the machine. */
static void file_writes_to_pipes_and_devices_directly(void **state) {
    (void)state;
    const char *path = scratch("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDWR);
    assert_true(reader >= 0);
    write_text(path, "text");
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    char text[4];
    assert_int_equal(read(reader, text, sizeof text), 4);
    assert_memory_equal(text, "text", 4);
    close(reader);
    file_writer *w;
    assert_int_equal(file_create("/dev/full", &w), TOILE_OK);
    fputs("text", file_stream(w));
    assert_int_equal(file_commit(w), TOILE_ERROR_INVALID);
    assert_message("cannot write '/dev/full': No space left on device");
}

static void file_follows_links(void **state) {
    (void)state;
    write_text(scratch("real.txt"), "old");
    assert_int_equal(symlink("real.txt", scratch("link.txt")), 0);
    write_text(scratch("link.txt"), "new");
    assert_text(scratch("real.txt"), "new");
    assert_int_equal(scratch_count(), 2);
}

static void file_that_cannot_be_written_is_named(void **state) {
    (void)state;
    file_writer *w;
    const char *missing = scratch("no/such/folder.txt");
    assert_int_equal(file_create(missing, &w), TOILE_ERROR_INVALID);
    assert_message(missing);
    assert_message("No such file or directory");
    assert_int_equal(file_create(scratch_folder, &w), TOILE_ERROR_INVALID);
    assert_message("Is a directory");
    assert_int_equal(file_create("/proc/toile.txt", &w), TOILE_ERROR_INVALID);
    assert_message("cannot write '/proc/toile.txt'");
}

static void file_read_keeps_to_its_limit(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size;
    scratch_put("a", "0123456789", 10);
    const char *path = scratch("a");
    assert_int_equal(file_read(path, 10, &bytes, &size), TOILE_OK);
    assert_int_equal(size, 10);
    assert_int_equal(bytes[10], 0);
    free(bytes);
    assert_int_equal(file_read(path, 9, &bytes, &size), TOILE_ERROR_INVALID);
    assert_message("larger than the 9 bytes");
    assert_int_equal(file_read("/dev/zero", 100000, &bytes, &size), TOILE_ERROR_INVALID);
    assert_message("larger than the 100000 bytes");
    assert_int_equal(file_read("/dev/null", 9, &bytes, &size), TOILE_OK);
    assert_int_equal(size, 0);
    free(bytes);
    assert_int_equal(file_read(scratch("b"), 9, &bytes, &size), TOILE_ERROR_INVALID);
    assert_message("No such file or directory");
    assert_int_equal(file_read(scratch_folder, 9, &bytes, &size), TOILE_ERROR_INVALID);
    assert_message("Is a directory");
}

/* What follows a zero byte is not read: it may be a gigabyte. */
static void text_ends_at_a_zero_byte(void **state) {
    (void)state;
    static char zeros[200000] = "text";
    uint8_t *bytes;
    size_t size;
    scratch_put("a", zeros, sizeof zeros);
    assert_int_equal(file_read_text(scratch("a"), 1 << 20, &bytes, &size), TOILE_OK);
    assert_in_range(size, 5, sizeof zeros / 2);
    assert_memory_equal(bytes, zeros, size);
    free(bytes);
    memset(zeros, 'x', sizeof zeros);
    scratch_put("a", zeros, sizeof zeros);
    assert_int_equal(file_read_text(scratch("a"), 1 << 20, &bytes, &size), TOILE_OK);
    assert_int_equal(size, sizeof zeros);
    free(bytes);
}

/* A pipe that nobody serves would make the reader wait, and a device has no end. */
static void only_plain_files_are_copied(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size;
    assert_int_equal(mkfifo(scratch("pipe"), 0666), 0);
    const char *strange[] = {scratch("pipe"), "/dev/zero", scratch("")};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(file_read_plain(strange[i], 9, &bytes, &size), TOILE_ERROR_INVALID);
        assert_message("is no plain file");
        assert_int_equal(file_copy(strange[i], scratch("copy"), 9), TOILE_ERROR_INVALID);
        assert_message("is no plain file");
    }
    scratch_put("a", "0123456789", 10);
    assert_int_equal(file_copy(scratch("a"), scratch("copy"), 9), TOILE_ERROR_INVALID);
    assert_message("larger than the 9 bytes");
    assert_int_equal(scratch_count(), 2);
    assert_int_equal(file_copy(scratch("a"), scratch("copy"), 10), TOILE_OK);
    assert_int_equal(file_read_plain(scratch("copy"), 10, &bytes, &size), TOILE_OK);
    assert_memory_equal(bytes, "0123456789", 10);
    free(bytes);
}

static void folders_are_made(void **state) {
    (void)state;
    struct stat status;
    const char *path = scratch("a//b/c/");
    assert_int_equal(file_make_folder(path), TOILE_OK);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(file_make_folder(path), TOILE_OK);
    assert_int_equal(file_make_folder("/"), TOILE_OK);
    scratch_put("file", "x", 1);
    assert_int_equal(file_make_folder(scratch("file/b")), TOILE_ERROR_INVALID);
    assert_message("Not a directory");
    assert_int_equal(file_make_folder(""), TOILE_ERROR_INVALID);
}

/* ---- point caches -------------------------------------------------------------------------------
 */

enum { POINTS = 5, SAMPLES = 4 };

static void fill_sample(float *positions, uint32_t sample) {
    for (int i = 0; i < 3 * POINTS; i++) {
        positions[i] = (float)(100 * sample) + (float)i / 3.0f;
    }
}

static pc2_writer *append_samples(pc2_writer *w, uint32_t first, uint32_t last) {
    float positions[3 * POINTS];
    for (uint32_t sample = first; sample < last; sample++) {
        fill_sample(positions, sample);
        assert_int_equal(pc2_append(w, positions), TOILE_OK);
    }
    return w;
}

static void make_cache(const char *path) {
    pc2_writer *w;
    assert_int_equal(pc2_create(path, POINTS, 1.0f, &w), TOILE_OK);
    assert_int_equal(pc2_close(append_samples(w, 0, SAMPLES)), TOILE_OK);
}

static void assert_cache(const char *path, uint32_t samples) {
    pc2_reader *r;
    float expected[3 * POINTS], positions[3 * POINTS];
    assert_int_equal(pc2_open(path, &r), TOILE_OK);
    assert_int_equal(pc2_get_info(r).points, POINTS);
    assert_int_equal(pc2_get_info(r).samples, samples);
    assert_true(pc2_get_info(r).start == 1.0f && pc2_get_info(r).rate == 1.0f);
    for (uint32_t sample = 0; sample < samples; sample++) {
        fill_sample(expected, sample);
        assert_int_equal(pc2_read(r, sample, positions), TOILE_OK);
        assert_memory_equal(positions, expected, sizeof expected);
    }
    assert_int_equal(pc2_read(r, samples, positions), TOILE_ERROR_INVALID);
    pc2_free(r);
}

static void pc2_has_the_public_layout(void **state) {
    (void)state;
    make_cache(scratch("a.pc2"));
    uint8_t *bytes;
    size_t size;
    assert_int_equal(file_read(scratch("a.pc2"), 1000, &bytes, &size), TOILE_OK);
    assert_int_equal(size, 32 + SAMPLES * POINTS * 12);
    static const uint8_t head[32] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2',
                                     0,   1,   0,   0,   0,   5,   0,   0,   0,   0,   0,
                                     128, 63,  0,   0,   128, 63,  4,   0,   0,   0};
    assert_memory_equal(bytes, head, sizeof head);
    free(bytes);
}

static void pc2_is_valid_after_every_sample(void **state) {
    (void)state;
    const char *path = scratch("a.pc2");
    pc2_writer *w;
    assert_int_equal(pc2_create(path, POINTS, 1.0f, &w), TOILE_OK);
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        assert_cache(path, sample);
        append_samples(w, sample, sample + 1);
    }
    assert_cache(path, SAMPLES);
    assert_int_equal(pc2_close(w), TOILE_OK);
    /* The beginning of a sample that was never finished. */
    FILE *f = fopen(path, "ab");
    fputs("unfinished", f);
    fclose(f);
    assert_cache(path, SAMPLES);
}

static void pc2_continues(void **state) {
    (void)state;
    const char *path = scratch("a.pc2");
    pc2_writer *w;
    make_cache(path);
    assert_int_equal(pc2_continue(path, POINTS, 2, &w), TOILE_OK);
    assert_cache(path, 2);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 32 + 2 * POINTS * 12);
    assert_int_equal(pc2_close(append_samples(w, 2, 3)), TOILE_OK);
    assert_cache(path, 3);
    assert_int_equal(pc2_continue(path, POINTS, 4, &w), TOILE_ERROR_INVALID);
    assert_message("holds 3 samples of 5 points, expected at least 4 of 5");
    assert_int_equal(pc2_continue(path, POINTS + 1, 1, &w), TOILE_ERROR_INVALID);
    assert_cache(path, 3);
}

static void pc2_on_full_disk_keeps_what_is_whole(void **state) {
    (void)state;
    const char *path = scratch("a.pc2");
    pc2_writer *w;
    float positions[3 * POINTS];
    make_cache(path);
    assert_int_equal(pc2_continue(path, POINTS, SAMPLES, &w), TOILE_OK);
    fill_sample(positions, SAMPLES);
    scratch_limit_disk(32 + SAMPLES * POINTS * 12 + 20);
    toile_result result = pc2_append(w, positions);
    scratch_unlimit_disk();
    assert_int_equal(result, TOILE_ERROR_INVALID);
    assert_message("File too large");
    assert_int_equal(pc2_close(w), TOILE_OK);
    assert_cache(path, SAMPLES);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 32 + SAMPLES * POINTS * 12);
}

/* Puts bytes into a good file and expects the reader to say what is wrong. */
static void assert_damage(size_t offset, const void *bytes, size_t size, const char *message) {
    const char *path = scratch("a.pc2");
    make_cache(path);
    FILE *f = fopen(path, "r+b");
    fseek(f, (long)offset, SEEK_SET);
    fwrite(bytes, 1, size, f);
    fclose(f);
    pc2_reader *r = NULL;
    float positions[3 * POINTS];
    toile_result result = pc2_open(path, &r);
    for (uint32_t sample = 0; result == TOILE_OK && sample < SAMPLES; sample++) {
        result = pc2_read(r, sample, positions);
    }
    pc2_free(r);
    assert_int_equal(result, TOILE_ERROR_FORMAT);
    assert_message(path);
    assert_message(message);
}

static void pc2_refuses_damage(void **state) {
    (void)state;
    const int32_t minus = -1, zero = 0, two = 2, five = 5, huge = INT32_MAX;
    const float nan = NAN;
    assert_damage(3, "x", 1, "not a PC2 point cache");
    assert_damage(12, &two, 4, "version 2, expected 1");
    assert_damage(16, &zero, 4, "0 points");
    assert_damage(16, &minus, 4, "-1 points");
    assert_damage(16, &huge, 4, "4 samples of 2147483647 points, 0 of them are there");
    assert_damage(24, &nan, 4, "the header");
    assert_damage(28, &minus, 4, "-1 samples");
    assert_damage(28, &five, 4, "5 samples of 5 points, 4 of them are there");
    assert_damage(28, &huge, 4, "cut short");
    assert_damage(32 + 3 * POINTS * 12 + 12, &nan, 4, "point 1 of sample 3 is not a finite number");
    scratch_put("short.pc2", "POINTCACHE2", 12);
    pc2_reader *r;
    assert_int_equal(pc2_open(scratch("short.pc2"), &r), TOILE_ERROR_FORMAT);
    assert_message("cut short");
    assert_int_equal(pc2_open(scratch("none.pc2"), &r), TOILE_ERROR_INVALID);
    assert_message("No such file or directory");
    assert_int_equal(pc2_open("/dev/zero", &r), TOILE_ERROR_INVALID);
    assert_message("not a file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        scratch_test(file_appears_when_complete),
        scratch_test(file_discarded_leaves_nothing),
        scratch_test(file_on_full_disk_keeps_the_old_one),
        scratch_test(file_writes_to_pipes_and_devices_directly),
        scratch_test(file_follows_links),
        scratch_test(file_that_cannot_be_written_is_named),
        scratch_test(file_read_keeps_to_its_limit),
        scratch_test(text_ends_at_a_zero_byte),
        scratch_test(only_plain_files_are_copied),
        scratch_test(folders_are_made),
        scratch_test(pc2_has_the_public_layout),
        scratch_test(pc2_is_valid_after_every_sample),
        scratch_test(pc2_continues),
        scratch_test(pc2_on_full_disk_keeps_what_is_whole),
        scratch_test(pc2_refuses_damage),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
