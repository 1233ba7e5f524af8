/* Any bytes, read as curves, must be an outline or a sentence about what is wrong with them.
 * Outlines are covered with texels: all cloth must be in cells with four of them. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cook/cover.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_LOOPS = 6, MOST_CURVES = 31, MOST_TEXELS = 100000 };

typedef struct bytes {
    const uint8_t *at;
    size_t left;
} bytes;

static unsigned take_byte(bytes *b) {
    b->left -= b->left > 0;
    return b->left > 0 ? *b->at++ : 0;
}

/* Mostly small steps, so that mutations meet and touch; at times the bits of any float. */
static float take_number(bytes *b, int raw) {
    if (!raw) {
        return (float)(int8_t)take_byte(b) / 8.0f;
    }
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++) {
        bits = bits << 8 | take_byte(b);
    }
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void take_point(bytes *b, int raw, float out[2]) {
    out[0] = take_number(b, raw);
    out[1] = take_number(b, raw);
}

/* Loops end where they start in most cases: what is open is refused soon. */
static void take_loop(bytes *b, toile_loop *loop, toile_curve *curves) {
    unsigned head = take_byte(b);
    int raw = (head & 0x60) == 0x60;
    take_point(b, raw, loop->start);
    loop->curves = curves;
    loop->curve_count = (int)(head & MOST_CURVES);
    for (int i = 0; i < loop->curve_count; i++) {
        curves[i].kind = (toile_curve_kind)(take_byte(b) % 5); /* 4 is none */
        take_point(b, raw, curves[i].to);
        if (curves[i].kind != TOILE_CURVE_LINE) {
            take_point(b, raw, curves[i].control[0]);
        }
        if (curves[i].kind == TOILE_CURVE_CUBIC) {
            take_point(b, raw, curves[i].control[1]);
        }
    }
    if (loop->curve_count > 0 && !(head & 0x80)) {
        memcpy(curves[loop->curve_count - 1].to, loop->start, sizeof loop->start);
    }
}

static void check_cover(const outline *o, const grid *g, const uint8_t *mask, const float *plane) {
    double total = 0.0, spacing = (double)g->spacing;
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            size_t t = (size_t)j * (size_t)g->columns + (size_t)i;
            double covered = (double)plane[grid_index(g, i, j)];
            int whole = i + 1 < g->columns && j + 1 < g->rows && mask[t] && mask[t + 1] &&
                        mask[t + (size_t)g->columns] && mask[t + (size_t)g->columns + 1];
            if (!(covered >= 0.0) || (covered > 0.0 && !whole)) {
                abort();
            }
            if (mask[t] && !(grid_texel_share(g, plane, i, j) > 0.0f)) {
                abort(); /* a texel without mass */
            }
            total += covered;
        }
    }
    /* A rectangle within a thousandth of a spacing from a multiple counts as that. */
    double slack = o->point_count == 4 ? 3e-3 : 1e-5;
    if (fabs(total * spacing * spacing - o->area) > slack * o->area) {
        abort();
    }
}

static void cover(const outline *o, double spacing) {
    grid g;
    double width = o->high[0] - o->low[0], height = o->high[1] - o->low[1];
    if (width / spacing * height / spacing > MOST_TEXELS || width / spacing > MOST_TEXELS ||
        height / spacing > MOST_TEXELS || grid_create_for(&g, width, height, spacing) != TOILE_OK) {
        return;
    }
    uint8_t *mask = malloc(grid_texels(&g));
    float *plane = malloc(g.size * sizeof *plane);
    int parts;
    if (!mask || !plane || cover_outline(o, &g, mask, plane) != TOILE_OK ||
        cover_count_parts(&g, plane, mask, &parts) != TOILE_OK || parts != 1) {
        abort();
    }
    check_cover(o, &g, mask, plane);
    free(mask);
    free(plane);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static toile_curve curves[MOST_LOOPS][MOST_CURVES];
    toile_loop loops[MOST_LOOPS];
    bytes b = {data, size};
    unsigned head = take_byte(&b), exponent = take_byte(&b) % 12;
    int count = (int)(head % (MOST_LOOPS + 1));
    memset(curves, 0, sizeof curves);
    for (int i = 0; i < count; i++) {
        take_loop(&b, &loops[i], curves[i]);
    }
    outline o;
    toile_outline def = {loops, count};
    if (outline_create(&o, &def, 1e-3) != TOILE_OK) {
        if (toile_error_message()[0] == '\0' || o.points) {
            abort(); /* a refusal says why and leaves nothing */
        }
        return 0;
    }
    if (!(o.area > 0.0) || !(o.high[0] - o.low[0] <= 1e4)) {
        abort();
    }
    outline_turn(&o, (double)take_number(&b, 0) * 20.0);
    outline_move(&o, -o.low[0], -o.low[1]);
    cover(&o, ldexp(1.0 + (head & 0x80 ? 0.37 : 0.0), 3 - (int)exponent));
    outline_free(&o);
    return 0;
}
