#include "io/isometry.h"

#include <math.h>
#include <stdio.h>

static const double DEGREES = 57.29577951308232;

/* The means are kept whole at any time: m += (x - m) * share of the new. */
static void mean_in(double *mean, double value, double share) {
    *mean += (value - *mean) * share;
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void edges(const float *const space[3], double e[2][3]) {
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            e[i][k] = (double)space[i + 1][k] - (double)space[0][k];
        }
    }
}

double isometry_area2(const float *const space[3]) {
    double e[2][3];
    edges(space, e);
    double x = e[0][1] * e[1][2] - e[0][2] * e[1][1];
    double y = e[0][2] * e[1][0] - e[0][0] * e[1][2];
    double z = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    return sqrt(x * x + y * y + z * z);
}

/* Where the map takes the unit vectors of warp and weft, the columns of its 3 x 2 matrix, and twice
 * the flat area. */
static double map_columns(const double flat[3][2], const float *const space[3], double warp[3],
                          double weft[3]) {
    double e[2][3];
    edges(space, e);
    double a[2] = {flat[1][0] - flat[0][0], flat[1][1] - flat[0][1]};
    double b[2] = {flat[2][0] - flat[0][0], flat[2][1] - flat[0][1]};
    double area2 = a[0] * b[1] - a[1] * b[0];
    for (int k = 0; k < 3; k++) {
        warp[k] = (e[0][k] * b[1] - e[1][k] * a[1]) / area2;
        weft[k] = (e[1][k] * a[0] - e[0][k] * b[0]) / area2;
    }
    return fabs(area2);
}

void isometry_add(isometry *i, size_t triangle, const double flat[3][2],
                  const float *const space[3]) {
    double warp[3], weft[3];
    double area = 0.5 * map_columns(flat, space, warp, weft);
    double uu = dot(warp, warp), vv = dot(weft, weft), uv = dot(warp, weft);
    double middle = 0.5 * (uu + vv), half = hypot(0.5 * (uu - vv), uv);
    double large = sqrt(middle + half), small = sqrt(fmax(0.0, middle - half));
    double most = fmax(fabs(large - 1.0), fabs(small - 1.0));
    double mean = 0.5 * (fabs(large - 1.0) + fabs(small - 1.0));
    double length = sqrt(uu * vv);
    double shear = length > 0.0 ? DEGREES * asin(fmin(1.0, fabs(uv) / length)) : 0.0;

    if (i->area == 0.0 || most > i->max) {
        i->worst = triangle;
    }
    i->area += area;
    mean_in(&i->mean, mean, area / i->area);
    mean_in(&i->shear_mean, shear, area / i->area);
    i->max = fmax(i->max, most);
    i->shear_max = fmax(i->shear_max, shear);
}

void isometry_join(isometry *i, const isometry *other) {
    if (i->area == 0.0 || other->max > i->max) {
        i->worst = other->worst;
    }
    i->area += other->area;
    double share = i->area > 0.0 ? other->area / i->area : 0.0;
    mean_in(&i->mean, other->mean, share);
    mean_in(&i->shear_mean, other->shear_mean, share);
    i->max = fmax(i->max, other->max);
    i->shear_max = fmax(i->shear_max, other->shear_max);
}

isometry_words isometry_describe(const isometry *i) {
    isometry_words words;
    snprintf(
        words.text, sizeof words.text,
        "stretched by %.3g %% on average and %.3g %% at most, sheared by %.3g and %.3g degrees",
        100.0 * i->mean, 100.0 * i->max, i->shear_mean, i->shear_max);
    return words;
}
