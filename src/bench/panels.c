#include "bench/panels.h"

#define LINE(u, v)                                                                                 \
    {                                                                                              \
        .kind = TOILE_CURVE_LINE, .to = { u, v }                                                   \
    }
#define ARC(mid_u, mid_v, u, v)                                                                    \
    {                                                                                              \
        .kind = TOILE_CURVE_ARC, .to = {u, v}, .control = { {mid_u, mid_v} }                       \
    }
#define CUBIC(a_u, a_v, b_u, b_v, u, v)                                                            \
    {                                                                                              \
        .kind = TOILE_CURVE_CUBIC, .to = {u, v}, .control = { {a_u, a_v}, {b_u, b_v} }             \
    }

static const toile_curve circle_curves[] = {ARC(0.5f, 1.0f, 0.0f, 0.5f),
                                            ARC(0.5f, 0.0f, 1.0f, 0.5f)};
static const toile_loop circle_loops[] = {{{1.0f, 0.5f}, circle_curves, 2}};

static const toile_curve star_curves[] = {
    LINE(0.353f, 0.702f), LINE(-0.023f, 0.670f), LINE(0.262f, 0.423f), LINE(0.177f, 0.055f),
    LINE(0.500f, 0.250f), LINE(0.823f, 0.055f),  LINE(0.738f, 0.423f), LINE(1.023f, 0.670f),
    LINE(0.647f, 0.702f), LINE(0.500f, 1.050f)};
static const toile_loop star_loops[] = {{{0.500f, 1.050f}, star_curves, 10}};

/* cuff, side, cap, side; and a hole */
static const toile_curve sleeve_curves[] = {
    LINE(0.8f, 0.0f), LINE(1.0f, 0.55f), CUBIC(0.8f, 0.55f, 0.75f, 0.9f, 0.5f, 0.9f),
    CUBIC(0.25f, 0.9f, 0.2f, 0.55f, 0.0f, 0.55f), LINE(0.2f, 0.0f)};
static const toile_curve hole_curves[] = {ARC(0.5f, 0.57f, 0.38f, 0.45f),
                                          ARC(0.5f, 0.33f, 0.62f, 0.45f)};
static const toile_loop sleeve_loops[] = {{{0.2f, 0.0f}, sleeve_curves, 5},
                                          {{0.62f, 0.45f}, hole_curves, 2}};

const bench_panel bench_panels[BENCH_PANELS] = {{"circle", {circle_loops, 1}, 0.030},
                                                {"star", {star_loops, 1}, 0.022},
                                                {"sleeve", {sleeve_loops, 2}, 0.024}};
