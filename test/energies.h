/* The energy that an implicit step makes least: docs/physics.md "The implicit solver", eq. (1), in
 * double. */
#ifndef TOILE_TEST_ENERGIES_H
#define TOILE_TEST_ENERGIES_H

#include "worlds.h"

#include "kernel/newton.h"
#include "step/world.h"

/* What it is made of, besides positions. */
typedef struct energy_of {
    const grid *grid;
    const float *coverage;
    const float *inverse_mass; /* row by row */
    const cloth_params *params;
    double substep;
    const double *start;  /* positions at the start of the substep, 3 a texel */
    const double *wanted; /* where texels would be without springs */
} energy_of;

static inline double distance_between(const double *x, size_t t, size_t u) {
    double squared = 0.0;
    for (size_t k = 0; k < 3; k++) {
        squared += (x[3 * t + k] - x[3 * u + k]) * (x[3 * t + k] - x[3 * u + k]);
    }
    return sqrt(squared);
}

static inline double stretched(const double *x, size_t t, size_t u, double rest, double k) {
    double more = distance_between(x, t, u) - rest;
    return 0.5 * k * more * more;
}

/* weight / 2 |sum of factors * positions|^2, positions being ahead by the lag of bending. */
static inline double bent(const energy_of *e, const double *x, int count, const size_t *texels,
                          const double *factors, double weight) {
    const double lag = (double)e->params->bend_lag;
    double squared = 0.0;
    for (size_t k = 0; k < 3; k++) {
        double sum = 0.0;
        for (int i = 0; i < count; i++) {
            size_t at = 3 * texels[i] + k;
            sum += factors[i] * (x[at] + lag * (x[at] - e->start[at]));
        }
        squared += sum * sum;
    }
    return 0.5 * weight / (1.0 + lag) * squared;
}

/* The threads that begin at a texel, and bending across it, along u or v. */
static inline double energy_along(const energy_of *e, const double *x, size_t t, size_t place,
                                  bool up) {
    const cloth_params *p = e->params;
    const ptrdiff_t stride = e->grid->stride, next = up ? stride : 1, side = up ? -1 : -stride;
    const size_t step = up ? (size_t)e->grid->columns : 1;
    const float *c = e->coverage + place;
    double after = 0.5 * (double)(c[0] + c[side]);
    double before = 0.5 * (double)(c[-next] + c[side - next]);
    double k = after * (double)(up ? p->stretch_v : p->stretch_u), sum = 0.0;
    if (after > 0.0) {
        sum += stretched(x, t, t + step, (double)p->spacing, k);
        if (distance_between(x, t, t + step) > (double)p->longest) {
            sum += stretched(x, t, t + step, (double)p->longest, k * (double)NEWTON_STIFFER);
        }
    }
    if (fmin(before, after) > 0.0) {
        sum += bent(e, x, 3, (const size_t[]){t - step, t, t + step},
                    (const double[]){1.0, -2.0, 1.0}, (double)p->bend * fmin(before, after));
    }
    return sum;
}

static inline double energy_of_cell(const energy_of *e, const double *x, size_t t, double cover) {
    const size_t up = (size_t)e->grid->columns;
    const size_t corner[4] = {t, t + 1, t + up, t + up + 1};
    const double shear = cover * (double)e->params->shear, rest = (double)e->params->diagonal;
    return stretched(x, corner[0], corner[3], rest, shear) +
           stretched(x, corner[1], corner[2], rest, shear) +
           bent(e, x, 4, corner, (const double[]){1.0, -1.0, -1.0, 1.0},
                2.0 * cover * (double)e->params->bend);
}

static inline double energy_at(const energy_of *e, const double *x) {
    double sum = 0.0;
    for (int n = 0; n < (int)grid_texels(e->grid); n++) {
        size_t t = (size_t)n;
        size_t place = grid_index(e->grid, n % e->grid->columns, n / e->grid->columns);
        double cover = (double)e->coverage[place];
        sum += energy_along(e, x, t, place, false) + energy_along(e, x, t, place, true);
        sum += cover > 0.0 ? energy_of_cell(e, x, t, cover) : 0.0;
        for (size_t k = 0; e->inverse_mass[t] > 0.0f && k < 3; k++) {
            double away = x[3 * t + k] - e->wanted[3 * t + k];
            sum += 0.5 * away * away / ((double)e->inverse_mass[t] * e->substep * e->substep);
        }
    }
    return sum;
}

#endif
