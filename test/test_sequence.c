/* Mesh sequences: OBJ files and point caches sampled between frames, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/pc2.h"
#include "io/sequence.h"
#include "scratch.h"

/* A tetrahedron with a seam, lifted by y; its first vertex has two texture coordinates. */
static void put_frame(const char *name, double y, const char *last_face) {
    char text[512];
    snprintf(text, sizeof text,
             "v 0 %g 0\nv 1 %g 0\nv 0 %g 1\nv 0 %g 0\nvt 0 0\nvt 1 0\n"
             "f 1/1 3/1 2/1\nf 1/2 2/1 4/1\nf 1/1 4/1 3/1\n%s",
             y, y, y, y + 1.0, last_face);
    scratch_put(name, text, strlen(text));
}

static void put_frames(void) {
    put_frame("walk_0003.obj", 0.0, "f 2/1 3/1 4/1\n");
    put_frame("walk_0004.obj", 1.0, "f 2/1 3/1 4/1\n");
    put_frame("walk_0005.obj", 4.0, "f 2/1 3/1 4/1\n");
}

static sequence_def pattern_def(void) {
    sequence_def def = sequence_def_default();
    def.pattern = scratch("walk_%04d.obj");
    def.first = 3;
    def.last = 5;
    def.rate = 10.0;
    return def;
}

static void check(const sequence_def *def, double time, double y) {
    sequence *s;
    float positions[12];
    if (sequence_open(def, &s) != TOILE_OK || sequence_sample(s, time, positions) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    assert_int_equal(sequence_vertices(s), 4);
    assert_int_equal(sequence_triangles(s), 4);
    for (int v = 0; v < 4; v++) {
        double wanted = y + (v == 3 ? def->scale : 0.0);
        if (!(fabs((double)positions[3 * v + 1] - wanted) < 1e-5)) {
            fail_msg("vertex %d at %g s: %g is not %g", v, time, (double)positions[3 * v + 1],
                     wanted);
        }
    }
    sequence_close(s);
}

static void check_times(sequence_def def) {
    check(&def, 0.0, 0.0);
    check(&def, 0.05, 0.5);
    check(&def, 0.15, 2.5);
    check(&def, 0.25, 2.0); /* from the last to the first */
    check(&def, 0.35, 0.5);
    check(&def, -0.05, 2.0);
    def.speed = -1.0;
    check(&def, 0.05, 2.0);
    def.speed = 2.0;
    def.start = 0.1;
    check(&def, 0.025, 2.5);
    def.loop = false;
    check(&def, 9.0, 4.0);
    def.scale = 0.5;
    check(&def, 9.0, 2.0);
}

static void files_are_sampled(void **state) {
    (void)state;
    put_frames();
    check_times(pattern_def());
    sequence_def list = pattern_def();
    char names[3][512];
    const char *files[3] = {names[0], names[1], names[2]};
    for (int i = 0; i < 3; i++) {
        snprintf(names[i], sizeof names[i], "%s/walk_%04d.obj", scratch_folder, 3 + i);
    }
    list.pattern = NULL;
    list.files = files;
    list.file_count = 3;
    check_times(list);
}

/* points: 5 as the file has them with its seam, or 4 as there are places. */
static void put_cache(const char *name, uint32_t points, float bad) {
    const float lifts[] = {0.0f, 1.0f, 4.0f};
    pc2_writer *w;
    assert_int_equal(pc2_create(scratch(name), points, 0.0f, &w), TOILE_OK);
    for (int i = 0; i < 3; i++) {
        float p[15] = {0};
        for (uint32_t v = 0; v < points; v++) {
            p[3 * v + 1] = lifts[i] + (v + 1 == points ? 1.0f : 0.0f);
        }
        p[0] = i == 2 ? bad : 0.0f;
        assert_int_equal(pc2_append(w, p), TOILE_OK);
    }
    assert_int_equal(pc2_close(w), TOILE_OK);
}

static sequence_def cache_def(void) {
    sequence_def def = sequence_def_default();
    def.base = scratch("walk_0003.obj");
    def.cache = scratch("walk.pc2");
    def.rate = 10.0;
    return def;
}

static void caches_are_sampled(void **state) {
    (void)state;
    put_frames();
    put_cache("walk.pc2", 5, 0.0f);
    check_times(cache_def());
    put_cache("walk.pc2", 4, 0.0f);
    check_times(cache_def());
    /* In any order the same, though only two frames are kept. */
    sequence_def def = cache_def();
    sequence *s;
    float first[12], again[12], other[12];
    assert_int_equal(sequence_open(&def, &s), TOILE_OK);
    assert_int_equal(sequence_sample(s, 0.15, first), TOILE_OK);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(sequence_sample(s, 0.07 * ((i * 7) % 5), other), TOILE_OK);
    }
    assert_int_equal(sequence_sample(s, 0.15, again), TOILE_OK);
    assert_memory_equal(first, again, sizeof first);
    sequence_close(s);
}

static void refuse(const sequence_def *def, const char *message) {
    sequence *s;
    if (sequence_open(def, &s) == TOILE_OK) {
        fail_msg("not refused: %s", message);
    }
    assert_message(message);
}

static void mistakes_are_named(void **state) {
    (void)state;
    put_frames();
    sequence_def def = pattern_def();
    def.last = 6;
    refuse(&def, "walk_0006.obj");
    put_frame("walk_0006.obj", 0.0, "f 2/1 4/1 3/1\n");
    refuse(&def, "walk_0006.obj' has other triangles than");
    put_frame("walk_0006.obj", 0.0, "");
    refuse(&def, "walk_0006.obj' has 5 vertices and 3 triangles: expected 5 and 4");
    def = pattern_def();
    const char *patterns[] = {"walk.obj", "walk_%s.obj", "walk_%d_%d.obj", "walk_%4d.obj", "a%"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        def.pattern = patterns[i];
        refuse(&def, "expected the name of files with one %d");
    }
    def = pattern_def();
    def.rate = 0.0;
    refuse(&def, "rate: expected");
    def = pattern_def();
    def.last = 2;
    refuse(&def, "last: expected");
    def = sequence_def_default();
    refuse(&def, "expected names of files, or a pattern");
    put_cache("walk.pc2", 3, 0.0f);
    def = cache_def();
    refuse(&def, "has 3 points: expected 5, one for each vertex of");
    put_cache("walk.pc2", 4, NAN);
    def = cache_def();
    sequence *s;
    float positions[12];
    assert_int_equal(sequence_open(&def, &s), TOILE_OK);
    assert_int_equal(sequence_sample(s, 0.05, positions), TOILE_OK);
    assert_int_equal(sequence_sample(s, 0.15, positions), TOILE_ERROR_FORMAT);
    assert_message("walk.pc2': point 0 of sample 2 is not a finite number");
    sequence_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        scratch_test(files_are_sampled),
        scratch_test(caches_are_sampled),
        scratch_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
