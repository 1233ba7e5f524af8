/* A strip that is clamped level and bends under its own weight, and what it should do. */
#ifndef TOILE_TEST_CANTILEVER_H
#define TOILE_TEST_CANTILEVER_H

#include "worlds.h"

/* Tip of a heavy elastica that is clamped level: B t'' = -q (L - s) cos(t), t(0) = 0, t'(L) = 0,
 * with t the angle below the horizontal. Solved by shooting for the curvature at the clamp. */
static inline double elastica_drop(double bend, double weight, double length) {
    double low = 0.0, high = 10.0 * weight * length * length / bend, drop = 0.0;
    for (int round = 0; round < 60; round++) {
        double curvature = 0.5 * (low + high), k = curvature, t = 0.0;
        const int steps = 4000;
        double h = length / steps;
        drop = 0.0;
        for (int i = 0; i < steps; i++) {
            double s = ((double)i + 0.5) * h;
            double t_half = t + 0.5 * h * k;
            k -= h * weight * (length - s) * cos(t_half) / bend;
            drop += h * sin(t_half);
            t = t_half + 0.5 * h * k;
        }
        if (k > 0.0) {
            high = curvature;
        } else {
            low = curvature;
        }
    }
    return drop;
}

typedef struct cantilever {
    double length; /* m, beyond the clamp */
    double drop;   /* m, of the tip, at rest */
    double wanted; /* m, the elastica's */
} cantilever;

/* A strip of cotton whose first two columns are held: its clamp is midway between them. */
static inline cantilever bend_cantilever(const toile_world_def *def, double spacing, double width,
                                         double seconds) {
    toile_world *world = make_world(def);
    toile_cloth_def strip = toile_default_cloth_def();
    strip.size[0] = 0.048f;
    strip.size[1] = (float)width;
    strip.spacing = (float)spacing;
    strip.fabric.stretch[0] = strip.fabric.stretch[1] = 100.0f; /* stiff enough, and quicker */
    strip.fabric.shear = 10.0f;
    strip.transform.rotate[0] = -90.0f;
    toile_cloth_id cloth = add_cloth(world, &strip);
    pin_edge(world, cloth, TOILE_EDGE_LEFT);
    int rows = toile_cloth_get_info(world, cloth).rows;
    for (int row = 0; row < rows; row++) {
        toile_pin_def pin = toile_default_pin_def();
        pin.kind = TOILE_PIN_POINT;
        pin.point[0] = strip.spacing;
        pin.point[1] = strip.spacing * (float)row;
        add_pin(world, cloth, &pin);
    }
    run_seconds(world, seconds);
    toile_metrics m = measure(world, cloth);
    assert_below(m.kinetic_energy, 1e-10);
    toile_world_destroy(world);
    double length = (double)strip.size[0] - 0.5 * spacing;
    double weight = (double)strip.fabric.density * 9.81;
    return (cantilever){.length = length,
                        .drop = m.highest - m.lowest,
                        .wanted = elastica_drop((double)strip.fabric.bend, weight, length)};
}

#endif
