#include "view/palette.h"

#include <math.h>
#include <string.h>

#include "toile/toile.h"

typedef float rgb[3];

void palette_values(const float *values, size_t count, float *colors) {
    static const rgb none = {0.80f, 0.78f, 0.74f}, below = {0.05f, 0.24f, 0.62f},
                     above = {0.78f, 0.10f, 0.04f};
    for (size_t i = 0; i < count; i++) {
        const float *full = values[i] < 0.0f ? below : above;
        const float much = fminf(fabsf(values[i]), 1.0f);
        const float share = 1.0f - (1.0f - much) * (1.0f - much), dark = 1.0f - 0.4f * much * much;
        for (size_t k = 0; k < 3; k++) {
            colors[3 * i + k] = (none[k] + share * (full[k] - none[k])) * dark;
        }
    }
}

static const float *mark_color(uint16_t mark) {
    static const rgb inside = {0.80f, 0.02f, 0.02f}, corrected = {0.92f, 0.33f, 0.02f},
                     unseen = {0.12f, 0.12f, 0.12f}, front = {0.80f, 0.78f, 0.74f};
    static const rgb layers[] = {{0.07f, 0.27f, 0.68f},
                                 {0.08f, 0.47f, 0.16f},
                                 {0.78f, 0.62f, 0.06f},
                                 {0.36f, 0.12f, 0.55f},
                                 {0.30f, 0.16f, 0.06f}};
    const unsigned layer = mark & TOILE_MARK_LAYER;
    if (mark & TOILE_MARK_CORRECTED) {
        return corrected;
    }
    if (mark & TOILE_MARK_INSIDE) {
        return inside;
    }
    return layer == TOILE_MARK_LAYER ? unseen
           : layer == 0              ? front
                                     : layers[(layer - 1) % (sizeof layers / sizeof *layers)];
}

void palette_marks(const uint16_t *marks, size_t count, float *colors) {
    for (size_t i = 0; i < count; i++) {
        memcpy(colors + 3 * i, mark_color(marks[i]), sizeof(rgb));
    }
}
