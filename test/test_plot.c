/* Charts are well-formed, show what was given, and survive what cannot be shown. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/plot.h"
#include "io/file.h"
#include "scratch.h"

static char *written; /* the last chart */

static int teardown(void **state) {
    free(written);
    written = NULL;
    return scratch_teardown(state);
}

/* Elements are closed in the order they were opened, attributes are in quotes, and text has no
 * stray brackets: enough of XML for what is written here. */
static void assert_well_formed(const char *text) {
    char open[32][16];
    int depth = 0;
    for (const char *at = text; *at; at++) {
        assert_true(*at == '\n' || (unsigned char)*at >= ' ');
        if (*at == '&') {
            assert_true(strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&lt;", 4) == 0 ||
                        strncmp(at, "&gt;", 4) == 0);
        }
        assert_int_not_equal(*at, '>');
        if (*at != '<') {
            continue;
        }
        bool closing = at[1] == '/';
        at += closing ? 2 : 1;
        char name[16];
        int length = 0;
        for (; isalpha((unsigned char)*at) && length < 15; at++) {
            name[length++] = *at;
        }
        name[length] = '\0';
        assert_int_not_equal(length, 0);
        for (bool quoted = false; *at != '>' || quoted; at++) {
            assert_true(*at && *at != '<');
            quoted = quoted != (*at == '"');
        }
        if (closing) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (at[-1] != '/') {
            assert_true(depth < 32);
            strcpy(open[depth++], name);
        }
    }
    assert_int_equal(depth, 0);
}

static int count(const char *part) {
    int n = 0;
    for (const char *at = written; (at = strstr(at, part)); at++) {
        n++;
    }
    return n;
}

#define assert_shown(part)                                                                         \
    do {                                                                                           \
        if (!strstr(written, part)) {                                                              \
            fail_msg("'%s' is not in\n%s", part, written);                                         \
        }                                                                                          \
    } while (0)

static void draw(const plot_def *def) {
    uint8_t *bytes;
    size_t size;
    assert_int_equal(plot_write(def, scratch("a.svg")), TOILE_OK);
    assert_int_equal(file_read(scratch("a.svg"), 1 << 20, &bytes, &size), TOILE_OK);
    free(written);
    written = (char *)bytes;
    assert_well_formed(written);
    assert_null(strstr(written, "nan"));
    assert_null(strstr(written, "inf"));
}

/* The labels of an axis, from "x-axis" or "y-axis" to the end of its group. */
static bool has_tick(const char *axis, const char *label) {
    const char *from = strstr(written, axis), *to = from ? strstr(from, "</g>") : NULL;
    char text[64];
    snprintf(text, sizeof text, ">%s</text>", label);
    const char *found = from ? strstr(from, text) : NULL;
    return found && found < to;
}

/* ---- tests --------------------------------------------------------------------------------------
 */

static const double x[] = {100, 1000, 10000}, y[] = {0.5, 3.0, 42.0};

static void shows_series_and_titles(void **state) {
    (void)state;
    draw(&(plot_def){.title = "time & <space>",
                     .x = {"particles", false},
                     .y = {"time (ms)", false},
                     .series = (plot_series[]){{"one", x, y, 3}, {"two\x01", x, y, 2}},
                     .series_count = 2,
                     .reference_label = "budget",
                     .reference = 50.0});
    assert_shown("time &amp; &lt;space&gt;");
    assert_shown(">particles</text>");
    assert_shown(">time (ms)</text>");
    assert_shown(">one</text>");
    assert_shown(">two?</text>");
    assert_shown(">budget</text>");
    assert_int_equal(count("class=\"series\""), 2);
    assert_int_equal(count("class=\"marker\""), 3 + 2 + 2); /* and those of the legend */
    assert_int_equal(count("class=\"reference\""), 1 + 1);
    const char *linear[] = {"0", "2000", "4000", "6000", "8000", "10 000"};
    for (int i = 0; i < 6; i++) {
        assert_true(has_tick("x-axis", linear[i]));
    }
    assert_true(has_tick("y-axis", "0") && has_tick("y-axis", "50"));
}

static void has_logarithmic_axes(void **state) {
    (void)state;
    plot_series s = {"a", x, y, 3};
    draw(&(plot_def){
        .title = "t", .x = {"x", true}, .y = {"y", true}, .series = &s, .series_count = 1});
    assert_true(has_tick("x-axis", "100") && has_tick("x-axis", "1000"));
    assert_true(has_tick("x-axis", "10 000") && has_tick("x-axis", "500"));
    assert_true(has_tick("y-axis", "0.5") && has_tick("y-axis", "50"));
    assert_false(has_tick("y-axis", "0"));
    /* Equal factors are equal distances. */
    double at[3][2];
    const char *path = strstr(written, "class=\"line\"");
    assert_non_null(path);
    assert_int_equal(sscanf(strstr(path, " d=\""), " d=\"M%lf,%lfL%lf,%lfL%lf,%lf", &at[0][0],
                            &at[0][1], &at[1][0], &at[1][1], &at[2][0], &at[2][1]),
                     6);
    assert_true(fabs((at[1][0] - at[0][0]) - (at[2][0] - at[1][0])) < 0.21);
    assert_true(at[0][1] > at[1][1] && at[1][1] > at[2][1]); /* larger is higher */
}

static void many_decades_have_few_ticks(void **state) {
    (void)state;
    static const double wide[] = {1e-90, 1.0, 1e90};
    plot_series s = {"a", wide, wide, 3};
    draw(&(plot_def){
        .title = "t", .x = {"x", true}, .y = {"y", false}, .series = &s, .series_count = 1});
    int labels = 0;
    const char *from = strstr(written, "x-axis"), *to = strstr(from, "</g>");
    for (const char *at = from; (at = strstr(at, "<text")) && at < to; at++) {
        labels++;
    }
    assert_in_range(labels, 3, 12); /* and the title */
}

static void leaves_out_what_has_no_place(void **state) {
    (void)state;
    static const double px[] = {1, 2, 3, 4, 5, 6}, py[] = {1, NAN, 10, INFINITY, 0, 100};
    plot_series s = {"a", px, py, 6};
    plot_def def = {
        .title = "t", .x = {"x", false}, .y = {"y", true}, .series = &s, .series_count = 1};
    draw(&def);
    assert_int_equal(count("class=\"marker\""), 3 + 1);
    const char *path = strstr(written, "class=\"line\"");
    assert_non_null(path);
    int moves = 0;
    for (const char *at = strstr(path, " d=\"") + 4; *at != '"'; at++) {
        moves += *at == 'M';
        assert_int_not_equal(*at, 'L'); /* no line over a gap */
    }
    assert_int_equal(moves, 3);
    def.y.logarithmic = false; /* where zero has a place */
    draw(&def);
    assert_int_equal(count("class=\"marker\""), 4 + 1);
}

static void survives_little_data(void **state) {
    (void)state;
    static const double one[] = {7.0}, none[] = {NAN}, zero[] = {0.0}, minus[] = {-3.0};
    const double *const values[] = {one, none, zero, minus};
    for (int i = 0; i < 4; i++) {
        for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
            plot_series s = {"a", values[i], values[i], 1};
            draw(&(plot_def){.title = "t",
                             .x = {"x", logarithmic},
                             .y = {"y", logarithmic},
                             .series = &s,
                             .series_count = 1});
            bool shown = i == 0 || (i != 1 && !logarithmic);
            assert_int_equal(count("class=\"marker\""), 1 + shown);
            assert_int_equal(count("no data"), !shown);
        }
    }
    draw(&(plot_def){.title = "t", .x = {"x", false}, .y = {"y", true}});
    assert_shown("no data");
    assert_true(has_tick("x-axis", "0") && has_tick("x-axis", "1"));
}

static void legend_stands_above_the_data(void **state) {
    (void)state;
    plot_series s[12];
    for (int i = 0; i < 12; i++) {
        s[i] = (plot_series){"a label of middling length", x, y, 3};
    }
    draw(&(plot_def){
        .title = "t", .x = {"x", true}, .y = {"y", true}, .series = s, .series_count = 12});
    double px, py;
    const char *axis = strstr(written, "x-axis");
    double top = 1e9, from, to;
    assert_non_null(axis);
    assert_int_equal(sscanf(strstr(axis, " d=\""), " d=\"M%lf,%lfV%lf", &from, &to, &top), 3);
    double legend_end = 0.0;
    for (const char *at = strstr(written, "class=\"legend\"");
         (at = strstr(at, "translate(")) && at < axis; at++) {
        assert_int_equal(sscanf(at, "translate(%lf,%lf)", &px, &py), 2);
        assert_true(px >= 0.0 && px <= 800.0);
        legend_end = fmax(legend_end, py);
    }
    assert_true(legend_end > 0.0 && legend_end + 8.0 <= top);
}

static void says_what_cannot_be_written(void **state) {
    (void)state;
    plot_series s = {"a", x, y, 3};
    plot_def def = {
        .title = "t", .x = {"x", true}, .y = {"y", true}, .series = &s, .series_count = 1};
    assert_int_equal(plot_write(&def, scratch("no/a.svg")), TOILE_ERROR_INVALID);
    assert_message("a.svg");
    assert_int_equal(scratch_count(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shows_series_and_titles, scratch_setup, teardown),
        cmocka_unit_test_setup_teardown(has_logarithmic_axes, scratch_setup, teardown),
        cmocka_unit_test_setup_teardown(many_decades_have_few_ticks, scratch_setup, teardown),
        cmocka_unit_test_setup_teardown(leaves_out_what_has_no_place, scratch_setup, teardown),
        cmocka_unit_test_setup_teardown(survives_little_data, scratch_setup, teardown),
        cmocka_unit_test_setup_teardown(legend_stands_above_the_data, scratch_setup, teardown),
        cmocka_unit_test_setup_teardown(says_what_cannot_be_written, scratch_setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
