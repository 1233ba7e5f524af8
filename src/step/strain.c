/* The strain of warp and weft. In float: positions have no more digits. */
#include <math.h>
#include <string.h>

#include "step/gauge.h"
#include "step/world.h"

static float strain_between(const float *a, const float *b, float per_spacing) {
    float x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    return fabsf(sqrtf(x * x + y * y + z * z) * per_spacing - 1.0f);
}

/* Of the threads that there are. What pins hold at both ends is put apart: no solver can alter it.
 */
static float *strains_where(const cloth *c, int j, float per_spacing, float *out, float *pinned) {
    const size_t columns = (size_t)c->grid.columns, steps[2] = {1, columns};
    const float *texels = c->gauge.texels;
    const bool *held = c->gauge.pinned;
    size_t t = columns * (size_t)j;
    for (int i = 0; i < c->grid.columns; i++, t++) {
        const bool there[2] = {panel_thread_right(c->panel, i, j) > 0.0f,
                               panel_thread_up(c->panel, i, j) > 0.0f};
        for (int k = 0; k < 2; k++) {
            if (!there[k]) {
                continue;
            }
            size_t next = t + steps[k];
            float strain = strain_between(texels + 3 * t, texels + 3 * next, per_spacing);
            if (held[t] && held[next]) {
                *pinned = fmaxf(*pinned, strain);
            } else {
                *out++ = strain;
            }
        }
    }
    return out;
}

/* The same where there are all and none is pinned: loops that compilers make vectors of. */
static float *strains_everywhere(const cloth *c, int j, float per_spacing, float *out) {
    size_t columns = (size_t)c->grid.columns, row = 3 * columns;
    const float *x = c->gauge.texels + row * (size_t)j;
    for (size_t i = 0; i + 1 < columns; i++) {
        out[i] = strain_between(x + 3 * i, x + 3 * i + 3, per_spacing);
    }
    out += columns - 1;
    for (size_t i = 0; j + 1 < c->grid.rows && i < columns; i++) {
        out[i] = strain_between(x + 3 * i, x + row + 3 * i, per_spacing);
    }
    return j + 1 < c->grid.rows ? out + columns : out;
}

double strain_rows(const cloth *c, uint32_t first, uint32_t end, double *pinned) {
    const gauge *g = &c->gauge;
    float most = 0.0f;
    float *begin = g->strains + g->row_strains[first], *out = begin;
    for (uint32_t j = first; j < end; j++) {
        float per_spacing = 1.0f / c->grid.spacing;
        out = c->panel->rectangle && !gauge_row_pinned(c, (int)j)
                  ? strains_everywhere(c, (int)j, per_spacing, out)
                  : strains_where(c, (int)j, per_spacing, out, &most);
    }
    *pinned = (double)most;
    double sum = 0.0;
    for (; begin < out; begin++) {
        sum += (double)*begin;
    }
    return sum;
}

/* ---- percentiles --------------------------------------------------------------------------------
 */

/* Values that are not negative have the order of their bits. These are found from the highest down
 * by counting: linear in time for any input. */
enum { DIGIT = 11, BINS = 1 << DIGIT, HIGHEST = 2 * DIGIT };

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void count_digits(const float *values, size_t count, int shift, uint32_t bins[BINS]) {
    memset(bins, 0, BINS * sizeof *bins);
    for (size_t i = 0; i < count; i++) {
        bins[(bits_of(values[i]) >> shift) % BINS]++;
    }
}

/* The digit that the value of a rank has; the rank becomes that among those with this digit. */
static uint32_t find_digit(const uint32_t bins[BINS], size_t *rank) {
    uint32_t digit = 0;
    for (; *rank >= bins[digit]; digit++) {
        *rank -= bins[digit];
    }
    return digit;
}

/* Those with a digit, to the front of `out`. */
static size_t pick_digit(const float *values, size_t count, int shift, uint32_t digit, float *out) {
    size_t picked = 0;
    for (size_t i = 0; i < count; i++) {
        float value = values[i];
        out[picked] = value;
        picked += (bits_of(value) >> shift) % BINS == digit;
    }
    return picked;
}

/* The value that a share of all values does not exceed. bins: of their highest digits. */
static double by_rank(const float *values, size_t count, double share, const uint32_t bins[BINS],
                      float *picked) {
    size_t rank = (size_t)ceil(share * (double)count);
    rank = rank > 0 ? rank - 1 : 0;
    uint32_t digit = find_digit(bins, &rank), found = digit << HIGHEST, lower[BINS];
    size_t left = pick_digit(values, count, HIGHEST, digit, picked);
    for (int shift = HIGHEST - DIGIT; shift >= 0; shift -= DIGIT) {
        count_digits(picked, left, shift, lower);
        digit = find_digit(lower, &rank);
        found |= digit << shift;
        left = pick_digit(picked, left, shift, digit, picked);
    }
    float value;
    memcpy(&value, &found, sizeof value);
    return (double)value;
}

toile_strain strain_ranks(const float *strains, size_t count, float *picked) {
    uint32_t bins[BINS];
    if (count == 0) {
        return (toile_strain){0};
    }
    count_digits(strains, count, HIGHEST, bins);
    return (toile_strain){.p99 = by_rank(strains, count, 0.99, bins, picked),
                          .p999 = by_rank(strains, count, 0.999, bins, picked),
                          .max = by_rank(strains, count, 1.0, bins, picked)};
}
