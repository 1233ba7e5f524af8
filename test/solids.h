/* Closed meshes for tests. Triangles run counter-clockwise seen from outside. */
#ifndef TOILE_TEST_SOLIDS_H
#define TOILE_TEST_SOLIDS_H

#include "worlds.h"

typedef struct test_mesh {
    float *positions;
    uint32_t *triangles;
    size_t vertices, triangle_count;
} test_mesh;

static inline test_mesh test_mesh_make(size_t vertices, size_t triangles) {
    test_mesh m = {malloc(3 * vertices * sizeof(float)), malloc(3 * triangles * sizeof(uint32_t)),
                   vertices, triangles};
    assert_non_null(m.positions);
    assert_non_null(m.triangles);
    return m;
}

static inline void test_mesh_free(test_mesh *m) {
    free(m->positions);
    free(m->triangles);
}

static inline toile_mesh_def test_mesh_def(const test_mesh *m) {
    return (toile_mesh_def){m->positions, m->vertices, m->triangles, m->triangle_count};
}

static inline test_mesh test_cube(float half) {
    static const uint32_t triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    test_mesh m = test_mesh_make(8, 12);
    for (size_t v = 0; v < 8; v++) {
        for (size_t k = 0; k < 3; k++) {
            m.positions[3 * v + k] = v >> k & 1 ? half : -half;
        }
    }
    memcpy(m.triangles, triangles, sizeof triangles);
    return m;
}

/* Columns around, rows from pole to pole; bump(i) is a share of the radius. */
static inline test_mesh test_ball(float radius, uint32_t columns, uint32_t rows,
                                  float (*bump)(size_t)) {
    test_mesh m =
        test_mesh_make((size_t)columns * (rows - 1) + 2, 2 * (size_t)columns * (rows - 1));
    uint32_t south = columns * (rows - 1), north = south + 1;
    for (uint32_t v = 0; v <= north; v++) {
        double polar = 3.14159265358979 *
                       (v < south    ? v / columns + 1
                        : v == south ? 0
                                     : rows) /
                       rows;
        double around = 2.0 * 3.14159265358979 * (v % columns) / columns;
        double r = (double)radius * (bump ? 1.0 + (double)bump(v) : 1.0);
        m.positions[3 * v] = (float)(r * sin(polar) * cos(around));
        m.positions[3 * v + 1] = (float)(-r * cos(polar));
        m.positions[3 * v + 2] = (float)(r * sin(polar) * sin(around));
    }
    uint32_t *t = m.triangles;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t column = 0; column < columns; column++) {
            uint32_t next = (column + 1) % columns;
            uint32_t a = row == 0 ? south : (row - 1) * columns + column;
            uint32_t b = row == 0 ? south : (row - 1) * columns + next;
            uint32_t c = row == rows - 1 ? north : row * columns + column;
            uint32_t d = row == rows - 1 ? north : row * columns + next;
            if (row < rows - 1) {
                *t++ = a, *t++ = c, *t++ = d;
            }
            if (row > 0) {
                *t++ = a, *t++ = d, *t++ = b;
            }
        }
    }
    return m;
}

/* The sum of solid angles (van Oosterom and Strackee, The Solid Angle of a Plane Triangle, 1983,
 * equation 8) over the whole sphere's. */
static inline double test_winding(const toile_mesh_def *m, float x, float y, float z) {
    const double p[3] = {(double)x, (double)y, (double)z};
    double sum = 0.0;
    for (size_t t = 0; t < m->triangle_count; t++) {
        double r[3][3], l[3], d[3];
        for (size_t k = 0; k < 9; k++) {
            size_t corner = m->triangles[3 * t + k / 3];
            r[k / 3][k % 3] = (double)m->positions[3 * corner + k % 3] - p[k % 3];
        }
        for (int k = 0; k < 3; k++) {
            const double *a = r[k], *b = r[(k + 1) % 3];
            l[k] = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
            d[k] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        }
        double volume = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) +
                        r[0][1] * (r[1][2] * r[2][0] - r[1][0] * r[2][2]) +
                        r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
        sum += 2.0 * atan2(volume, l[0] * l[1] * l[2] + d[0] * l[2] + d[1] * l[0] + d[2] * l[1]);
    }
    return sum / (4.0 * 3.14159265358979);
}

/* Balls, scaled and moved, as one mesh. */
static inline test_mesh test_balls(const float places[][3], int count, const float radii[3]) {
    test_mesh one = test_ball(1.0f, 24, 12, NULL);
    test_mesh all =
        test_mesh_make(one.vertices * (size_t)count, one.triangle_count * (size_t)count);
    for (int i = 0; i < count; i++) {
        size_t vertices = (size_t)i * one.vertices, corners = 3 * (size_t)i * one.triangle_count;
        for (size_t v = 0; v < one.vertices; v++) {
            float *out = all.positions + 3 * (vertices + v);
            out[0] = places[i][0] + radii[0] * one.positions[3 * v];
            out[1] = places[i][1] + radii[1] * one.positions[3 * v + 1];
            out[2] = places[i][2] + radii[2] * one.positions[3 * v + 2];
        }
        for (size_t k = 0; k < 3 * one.triangle_count; k++) {
            all.triangles[corners + k] = one.triangles[k] + (uint32_t)vertices;
        }
    }
    test_mesh_free(&one);
    return all;
}

/* Around y, `large` from the axis to the middle of the tube. */
static inline test_mesh test_torus(float large, float small, uint32_t around, uint32_t across) {
    test_mesh m = test_mesh_make((size_t)around * across, 2 * (size_t)around * across);
    uint32_t *t = m.triangles;
    for (uint32_t i = 0; i < around; i++) {
        for (uint32_t j = 0; j < across; j++) {
            double u = 2.0 * 3.14159265358979 * i / around, v = 2.0 * 3.14159265358979 * j / across;
            float *p = m.positions + 3 * ((size_t)i * across + j);
            double r = (double)large + (double)small * cos(v);
            p[0] = (float)(r * cos(u));
            p[1] = (float)((double)small * sin(v));
            p[2] = (float)(r * sin(u));
            uint32_t i2 = (i + 1) % around, j2 = (j + 1) % across;
            uint32_t a = i * across + j, b = i2 * across + j, c = i2 * across + j2,
                     d = i * across + j2;
            *t++ = a, *t++ = d, *t++ = c;
            *t++ = a, *t++ = c, *t++ = b;
        }
    }
    return m;
}

#endif
