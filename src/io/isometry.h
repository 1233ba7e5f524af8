/* How far the map from a flat pattern to a surface in space is from one that keeps lengths. */
#ifndef TOILE_IO_ISOMETRY_H
#define TOILE_IO_ISOMETRY_H

#include <stddef.h>
#include <stdint.h>

/* Of each triangle, the two singular values of its map say by how much lengths change along the
 * directions where they change most and least. 1 is kept. Weights are flat areas. */
typedef struct isometry {
    double mean, max;             /* of |singular value - 1|: 0.1 is 10 % */
    double shear_mean, shear_max; /* degrees that warp (u) and weft (v) are off their right angle */
    size_t worst;                 /* the triangle of max, from 0 */
    double area;                  /* m^2, flat */
} isometry;

/* Adds a triangle. flat: its corners in metres, not degenerate; space: the same corners. */
void isometry_add(isometry *i, size_t triangle, const double flat[3][2],
                  const float *const space[3]);

/* Adds the triangles of another sum. */
void isometry_join(isometry *i, const isometry *other);

/* Twice the area of a triangle in space. */
double isometry_area2(const float *const space[3]);

/* "stretched by 0.12 % on average and 3.4 % at most, sheared by ... degrees". */
enum { ISOMETRY_WORDS = 160 };
typedef struct isometry_words {
    char text[ISOMETRY_WORDS];
} isometry_words;
isometry_words isometry_describe(const isometry *i);

#endif
