/* What the tests of scenes share. */
#ifndef TOILE_TEST_SCENES_H
#define TOILE_TEST_SCENES_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/file.h"
#include "io/scene.h"
#include "io/scene_parse.h"

/* The path of something in the source tree. The result is good for four more calls. */
static inline const char *in_source(const char *path) {
    static char paths[4][1024];
    static int next;
    const char *folder = getenv("TOILE_SOURCE_DIR");
    assert_non_null(folder);
    char *full = paths[next++ % 4];
    snprintf(full, sizeof paths[0], "%s/%s", folder, path);
    return full;
}

/* Not inlined: gcc 12 would take what file_read wrote for the address of bytes and warn. */
__attribute__((noinline, unused)) static char *read_text(const char *path) {
    uint8_t *bytes;
    size_t size;
    if (file_read(path, 1 << 24, &bytes, &size) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return (char *)bytes;
}

static inline json_t *read_json(const char *path) {
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    if (!json) {
        fail_msg("%s:%d: %s", path, error.line, error.text);
    }
    return json;
}

static inline scene *parse(const char *text) {
    scene *s = NULL;
    if (scene_parse(text, strlen(text), "test.json", &s) != TOILE_OK) {
        fail_msg("%s\nin %s", toile_error_message(), text);
    }
    return s;
}

/* Calls visit for each file of a folder that ends in .json, and returns their number. */
static inline int for_each_scene(const char *folder,
                                 void (*visit)(const char *path, const char *name)) {
    DIR *d = opendir(in_source(folder));
    assert_non_null(d);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(d));) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0) {
            char path[512];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            visit(in_source(path), entry->d_name);
            count++;
        }
    }
    closedir(d);
    return count;
}

/* ---- what was read ------------------------------------------------------------------------------
 */

/* The text must be refused with a message that begins or goes on as told. */
static inline void assert_refused(const char *text, const char *message) {
    scene *s = NULL;
    if (scene_parse(text, strlen(text), "test.json", &s) == TOILE_OK) {
        scene_free(s);
        fail_msg("accepted: %s", text);
    }
    if (!strstr(toile_error_message(), message)) {
        fail_msg("expected: %s\nfound: %s\nin %s", message, toile_error_message(), text);
    }
}

static inline void assert_floats(const float *values, const float *expected, int count) {
    for (int i = 0; i < count; i++) {
        assert_float_equal(values[i], expected[i], 1e-6f);
    }
}
#define assert_vector(values, ...) assert_floats(values, (const float[3]){__VA_ARGS__}, 3)
#define assert_pair(values, ...)   assert_floats(values, (const float[2]){__VA_ARGS__}, 2)

/* ---- the parser's tables ------------------------------------------------------------------------
 */

static inline const field_table *table_named(const char *name) {
    for (const field_table *const *t = scene_tables; *t; t++) {
        if (strcmp((*t)->name, name) == 0) {
            return *t;
        }
    }
    fail_msg("no table %s", name);
    return NULL;
}

static inline bool reads_number(const field *f) {
    return f->read == read_number || f->read == read_double || f->read == read_integer ||
           f->read == read_seed || f->read == read_stretch;
}

static inline int elements_of(const field *f) {
    return f->read == read_vector                                 ? 3
           : f->read == read_pair || f->read == read_integer_pair ? 2
                                                                  : 0;
}

#endif
