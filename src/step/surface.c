/* The mesh of a cloth: a vertex for each texel, those of the last column and row moved onto the
 * exact outline. */
#include <math.h>
#include <string.h>

#include "step/world.h"

size_t surface_triangle_count(const grid *g) {
    return 2 * (size_t)(g->columns - 1) * (size_t)(g->rows - 1);
}

/* Moves `to` along the line from `from` to it, to `width` times the distance. */
static void move_to_outline(const float *from, float *to, float width) {
    for (int k = 0; k < 3; k++) {
        to[k] = from[k] + (to[k] - from[k]) * width;
    }
}

/* texels and vertices may be the same array. */
void surface_positions(const grid *g, const float *texels, float *vertices) {
    size_t row = 3 * (size_t)g->columns;
    if (texels != vertices) {
        memcpy(vertices, texels, row * (size_t)g->rows * sizeof *vertices);
    }
    for (int j = 0; g->last_u != 1.0f && j < g->rows; j++) {
        float *last = vertices + row * (size_t)(j + 1) - 3;
        move_to_outline(last - 3, last, g->last_u);
    }
    for (int i = 0; g->last_v != 1.0f && i < g->columns; i++) {
        float *last = vertices + row * (size_t)(g->rows - 1) + 3 * (size_t)i;
        move_to_outline(last - row, last, g->last_v);
    }
}

void surface_coordinates(const grid *g, float *coordinates) {
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            *coordinates++ = i == g->columns - 1 ? g->size_u : (float)i * g->spacing;
            *coordinates++ = j == g->rows - 1 ? g->size_v : (float)j * g->spacing;
        }
    }
}

/* Cross product of the central differences along u and v, one-sided on the border. */
void surface_normals(const grid *g, const float *vertices, float *normals) {
    size_t row = 3 * (size_t)g->columns;
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++, normals += 3) {
            const float *here = vertices + row * (size_t)j + 3 * (size_t)i;
            const float *left = i > 0 ? here - 3 : here,
                        *right = i < g->columns - 1 ? here + 3 : here;
            const float *below = j > 0 ? here - row : here,
                        *above = j < g->rows - 1 ? here + row : here;
            v3 u = v3_make(right[0] - left[0], right[1] - left[1], right[2] - left[2]);
            v3 v = v3_make(above[0] - below[0], above[1] - below[1], above[2] - below[2]);
            v3 n = v3_cross(u, v);
            float length = sqrtf(v3_dot(n, n));
            bool flat = length > 0.0f;
            normals[0] = flat ? n.x / length : 0.0f;
            normals[1] = flat ? n.y / length : 1.0f;
            normals[2] = flat ? n.z / length : 0.0f;
        }
    }
}

/* Diagonals alternate from cell to cell, so that folds have no preferred direction. */
void surface_triangles(const grid *g, uint32_t *indices) {
    uint32_t columns = (uint32_t)g->columns;
    for (uint32_t j = 0; j + 1 < (uint32_t)g->rows; j++) {
        for (uint32_t i = 0; i + 1 < columns; i++, indices += 6) {
            uint32_t a = j * columns + i, b = a + 1, c = b + columns, d = a + columns;
            const uint32_t even[6] = {a, b, c, a, c, d}, odd[6] = {a, b, d, b, c, d};
            memcpy(indices, (i + j) % 2 == 0 ? even : odd, sizeof even);
        }
    }
}
