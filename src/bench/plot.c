#include "bench/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file.h"

enum { WIDTH = 800, HEIGHT = 500, MARGIN = 24, TEXT = 16, LINE = 24, TICK_MAX = 32 };

/* The colours of Okabe and Ito, which people with any kind of colour blindness tell apart; yellow
 * is left out, for it is hardly seen on white. Markers differ, too, in a rhythm of their own. */
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                     "#e69f00", "#56b4e9", "#000000"};
enum { COLORS = sizeof colors / sizeof *colors };

/* Around (0, 0), 5 pixels large. */
static const char *const markers[] = {
    "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z",
    "M-4.5,-4.5h9v9h-9z",
    "M0,-6L5.5,4H-5.5z",
    "M0,-6.5L6.5,0L0,6.5L-6.5,0z",
    "M0,6L5.5,-4H-5.5z",
    "M-6,-2h4v-4h4v4h4v4h-4v4h-4v-4h-4z",
};
enum { MARKERS = sizeof markers / sizeof *markers };

typedef struct scale {
    bool logarithmic;
    double low, high;  /* values at its ends */
    double begin, end; /* pixels there */
    double tick[TICK_MAX];
    int ticks;
} scale;

typedef struct chart {
    FILE *f;
    const plot_def *def;
    scale x, y;
} chart;

/* ---- text ---------------------------------------------------------------------------------------
 */

/* A character that XML has no way to write becomes a question mark. */
static void put_text(FILE *f, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", f);
            break;
        case '<':
            fputs("&lt;", f);
            break;
        case '>':
            fputs("&gt;", f);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? '?' : *text, f);
        }
    }
}

/* Pixels that a text takes, about: the reader's font is not known here. Wide enough for common
 * ones.
 */
static double text_width(const char *text) {
    double characters = 0.0;
    for (; *text; text++) {
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return 0.56 * TEXT * characters;
}

/* 230000 is "230 000". */
static void format_value(double value, char *out, size_t size) {
    double magnitude = fabs(value);
    if (magnitude < 1e4 || magnitude >= 1e8) {
        snprintf(out, size, "%.6g", value);
        return;
    }
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", value);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < size; i++) {
        int left = length - i;
        if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') {
            out[used++] = ' ';
        }
        out[used++] = digits[i];
    }
    out[used] = '\0';
}

/* ---- scales -------------------------------------------------------------------------------------
 */

static bool has_place(const plot_axis *axis, double value) {
    return fabs(value) <= PLOT_LARGEST && (!axis->logarithmic || value >= 1.0 / PLOT_LARGEST);
}

static bool has_reference(const plot_def *def) {
    return def->reference_label && has_place(&def->y, def->reference);
}

static bool is_drawn(const plot_def *def, const plot_series *s, size_t i) {
    return has_place(&def->x, s->x[i]) && has_place(&def->y, s->y[i]);
}

static void take_in(scale *s, double value) {
    s->low = fmin(s->low, value);
    s->high = fmax(s->high, value);
}

/* 1, 2 and 5 times powers of ten, counted: 0 is 1, 1 is 2, 3 is 10, -1 is 0.5. */
static double round_number(int index) {
    static const double digit[3] = {1.0, 2.0, 5.0};
    int decade = (int)floor(index / 3.0);
    return digit[index - 3 * decade] * pow(10.0, decade);
}

/* The largest that does not exceed the value, but for rounding. */
static int round_number_below(double value) {
    int index = 3 * (int)floor(log10(value)) + 3;
    while (round_number(index) > value * (1.0 + 1e-9)) {
        index--;
    }
    return index;
}

static void add_tick(scale *s, double value) {
    if (s->ticks < TICK_MAX) {
        s->tick[s->ticks++] = value;
    }
}

/* Ends at round numbers; ticks at all of them or, where these are many, at powers of ten. */
static void choose_log_ticks(scale *s) {
    int first = round_number_below(s->low), last = round_number_below(s->high);
    if (round_number(last) < s->high * (1.0 - 1e-9) || last == first) {
        last++;
    }
    s->low = round_number(first);
    s->high = round_number(last);
    int every = last - first <= 9 ? 1 : 3;
    while ((last - first) / every > 9) {
        every *= 2;
    }
    for (int i = first; i <= last; i++) {
        if (i % every == 0) {
            add_tick(s, round_number(i));
        }
    }
}

static void choose_linear_ticks(scale *s) {
    if (s->low > 0.0 && s->low < 0.6 * s->high) {
        s->low = 0.0; /* what is compared by eye is compared from zero */
    }
    if (!(s->high - s->low > 1e-9 * fmax(fabs(s->low), fabs(s->high)))) {
        double room = s->low == 0.0 ? 1.0 : 0.5 * fabs(s->low);
        s->low -= room;
        s->high += room;
    }
    int index = round_number_below((s->high - s->low) / 7.0) + 1;
    double step = round_number(index);
    double first = floor(s->low / step + 1e-9), last = ceil(s->high / step - 1e-9);
    s->low = first * step;
    s->high = last * step;
    for (int i = 0; first + i <= last; i++) {
        add_tick(s, (first + i) * step + 0.0); /* no negative zero */
    }
}

static void choose_ticks(scale *s) {
    if (s->low > s->high) {
        s->low = s->logarithmic ? 1.0 : 0.0;
        s->high = s->logarithmic ? 10.0 : 1.0;
    }
    if (s->logarithmic) {
        choose_log_ticks(s);
    } else {
        choose_linear_ticks(s);
    }
}

static double place(const scale *s, double value) {
    double share = s->logarithmic ? log(value / s->low) / log(s->high / s->low)
                                  : (value - s->low) / (s->high - s->low);
    return s->begin + share * (s->end - s->begin);
}

static void choose_scales(chart *c) {
    const plot_def *def = c->def;
    c->x = (scale){.logarithmic = def->x.logarithmic, .low = INFINITY, .high = -INFINITY};
    c->y = (scale){.logarithmic = def->y.logarithmic, .low = INFINITY, .high = -INFINITY};
    for (size_t s = 0; s < def->series_count; s++) {
        for (size_t i = 0; i < def->series[s].count; i++) {
            if (is_drawn(def, &def->series[s], i)) {
                take_in(&c->x, def->series[s].x[i]);
                take_in(&c->y, def->series[s].y[i]);
            }
        }
    }
    if (has_reference(def)) {
        take_in(&c->y, def->reference);
    }
    choose_ticks(&c->x);
    choose_ticks(&c->y);
}

/* ---- drawing ------------------------------------------------------------------------------------
 */

static void draw_marker(const chart *c, size_t series, double x, double y) {
    fprintf(c->f,
            "<path class=\"marker\" fill=\"%s\" transform=\"translate(%.1f,%.1f)\" d=\"%s\"/>\n",
            colors[series % COLORS], x, y, markers[series % MARKERS]);
}

static void draw_label(const chart *c, double x, double y, const char *label) {
    fprintf(c->f, "<text x=\"%.1f\" y=\"%.1f\">", x, y);
    put_text(c->f, label);
    fputs("</text>\n", c->f);
}

static void draw_reference_line(const chart *c, double x0, double x1, double y) {
    fprintf(c->f,
            "<path class=\"reference\" d=\"M%.1f,%.1fH%.1f\" stroke=\"#555\" stroke-width=\"2\" "
            "stroke-dasharray=\"8 5\"/>\n",
            x0, y, x1);
}

/* Above the axes, where no data is, in as many lines as it takes. Returns where it ends. */
static double draw_legend(const chart *c, double y) {
    enum { SAMPLE = 34, GAP = 26 };
    const plot_def *def = c->def;
    double x = MARGIN;
    size_t entries = def->series_count + (has_reference(def) ? 1 : 0);
    for (size_t s = 0; s < entries; s++) {
        bool reference = s == def->series_count;
        const char *label = reference ? def->reference_label : def->series[s].label;
        double width = SAMPLE + 8 + text_width(label);
        if (x > MARGIN && x + width > WIDTH - MARGIN) {
            x = MARGIN;
            y += LINE;
        }
        if (reference) {
            draw_reference_line(c, x, x + SAMPLE, y);
        } else {
            fprintf(c->f, "<path d=\"M%.1f,%.1fh%d\" stroke=\"%s\" stroke-width=\"2.5\"/>\n", x, y,
                    SAMPLE, colors[s % COLORS]);
            draw_marker(c, s, x + SAMPLE / 2.0, y);
        }
        draw_label(c, x + SAMPLE + 8, y + 0.35 * TEXT, label);
        x += width + GAP;
    }
    return entries > 0 ? y + LINE + 4 : y;
}

static void draw_x_axis(const chart *c) {
    fputs("<g class=\"x-axis\" text-anchor=\"middle\">\n", c->f);
    for (int i = 0; i < c->x.ticks; i++) {
        char label[32];
        double x = place(&c->x, c->x.tick[i]);
        format_value(c->x.tick[i], label, sizeof label);
        fprintf(c->f, "<path d=\"M%.1f,%.1fV%.1f\" stroke=\"#ddd\"/>\n", x, c->y.begin, c->y.end);
        draw_label(c, x, c->y.begin + 1.4 * TEXT, label);
    }
    draw_label(c, 0.5 * (c->x.begin + c->x.end), HEIGHT - 12, c->def->x.title);
    fputs("</g>\n", c->f);
}

static void draw_y_axis(const chart *c) {
    fputs("<g class=\"y-axis\" text-anchor=\"end\">\n", c->f);
    for (int i = 0; i < c->y.ticks; i++) {
        char label[32];
        double y = place(&c->y, c->y.tick[i]);
        format_value(c->y.tick[i], label, sizeof label);
        fprintf(c->f, "<path d=\"M%.1f,%.1fH%.1f\" stroke=\"#ddd\"/>\n", c->x.begin, y, c->x.end);
        draw_label(c, c->x.begin - 8, y + 0.35 * TEXT, label);
    }
    fputs("</g>\n", c->f);
    fprintf(c->f, "<text text-anchor=\"middle\" transform=\"translate(20,%.1f) rotate(-90)\">",
            0.5 * (c->y.begin + c->y.end));
    put_text(c->f, c->def->y.title);
    fputs("</text>\n", c->f);
}

/* Returns whether there was a point. */
static bool draw_series(const chart *c, size_t index) {
    const plot_series *s = &c->def->series[index];
    fprintf(c->f,
            "<g class=\"series\">\n<path class=\"line\" stroke=\"%s\" stroke-width=\"2.5\" d=\"",
            colors[index % COLORS]);
    bool drawing = false, any = false;
    for (size_t i = 0; i < s->count; i++) {
        bool drawn = is_drawn(c->def, s, i);
        if (drawn) {
            fprintf(c->f, "%c%.1f,%.1f", drawing ? 'L' : 'M', place(&c->x, s->x[i]),
                    place(&c->y, s->y[i]));
        }
        drawing = drawn;
        any = any || drawn;
    }
    fputs("\"/>\n", c->f);
    for (size_t i = 0; i < s->count; i++) {
        if (is_drawn(c->def, s, i)) {
            draw_marker(c, index, place(&c->x, s->x[i]), place(&c->y, s->y[i]));
        }
    }
    fputs("</g>\n", c->f);
    return any;
}

/* Room for the axes' texts around the field that the data is drawn in. */
static void place_field(chart *c, double top) {
    double widest = 0.0;
    for (int i = 0; i < c->y.ticks; i++) {
        char label[32];
        format_value(c->y.tick[i], label, sizeof label);
        widest = fmax(widest, text_width(label));
    }
    c->x.begin = MARGIN + TEXT + widest + 8;
    c->x.end = WIDTH - 40;
    c->y.begin = HEIGHT - 3.6 * TEXT;
    c->y.end = top;
}

static void draw(chart *c) {
    fprintf(
        c->f,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
        "viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"'Helvetica Neue', Arial, "
        "'Liberation Sans', 'DejaVu Sans', sans-serif\" font-size=\"%d\" fill=\"#222\">\n<title>",
        WIDTH, HEIGHT, WIDTH, HEIGHT, TEXT);
    put_text(c->f, c->def->title);
    fprintf(c->f,
            "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"32\" font-size=\"19\" font-weight=\"bold\">",
            WIDTH, HEIGHT, MARGIN);
    put_text(c->f, c->def->title);
    fputs("</text>\n<g fill=\"none\">\n<g class=\"legend\" fill=\"#222\">\n", c->f);
    place_field(c, draw_legend(c, 32 + LINE + 4));
    fputs("</g>\n<g fill=\"#222\">\n", c->f);
    draw_x_axis(c);
    draw_y_axis(c);
    fprintf(c->f, "</g>\n<path d=\"M%.1f,%.1fV%.1fH%.1f\" stroke=\"#444\" stroke-width=\"1.5\"/>\n",
            c->x.begin, c->y.end, c->y.begin, c->x.end);
    if (has_reference(c->def)) {
        draw_reference_line(c, c->x.begin, c->x.end, place(&c->y, c->def->reference));
    }
    bool any = false;
    for (size_t s = 0; s < c->def->series_count; s++) {
        any = draw_series(c, s) || any;
    }
    fputs("</g>\n", c->f);
    if (!any) {
        draw_label(c, c->x.begin + 12, c->y.end + 2 * TEXT, "no data");
    }
    fputs("</svg>\n", c->f);
}

toile_result plot_write(const plot_def *def, const char *path) {
    file_writer *w;
    toile_result result = file_create(path, &w);
    if (result != TOILE_OK) {
        return result;
    }
    chart c = {.f = file_stream(w), .def = def};
    choose_scales(&c);
    draw(&c);
    return file_commit(w);
}
