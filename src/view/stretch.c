#include "view/stretch.h"

#include <math.h>
#include <string.h>

#include "render/matrix.h"

/* Lengths of the images of a metre of warp and of weft, less one: those of the columns of the
 * deformation gradient, which takes the flat triangle to the one in space. */
static void triangle_stretch(const mesh_view *mesh, const uint32_t corners[3], float *stretch,
                             float *area) {
    const float *a = mesh->coordinates + 2 * (size_t)corners[0];
    const float *b = mesh->coordinates + 2 * (size_t)corners[1];
    const float *c = mesh->coordinates + 2 * (size_t)corners[2];
    float u1 = b[0] - a[0], v1 = b[1] - a[1], u2 = c[0] - a[0], v2 = c[1] - a[1];
    float twice = u1 * v2 - u2 * v1;
    v3 origin = v3_load(mesh->positions + 3 * (size_t)corners[0]);
    v3 first = v3_sub(v3_load(mesh->positions + 3 * (size_t)corners[1]), origin);
    v3 second = v3_sub(v3_load(mesh->positions + 3 * (size_t)corners[2]), origin);
    v3 warp = v3_sub(v3_scale(first, v2), v3_scale(second, v1));
    v3 weft = v3_sub(v3_scale(second, u1), v3_scale(first, u2));
    *area = fabsf(twice);
    if (*area == 0.0f) {
        *stretch = 0.0f;
        return;
    }
    float along = v3_length(warp) / *area - 1.0f, across = v3_length(weft) / *area - 1.0f;
    *stretch = fabsf(along) > fabsf(across) ? along : across;
}

void stretch_values(const mesh_view *mesh, float full, float *values, float *weights) {
    memset(values, 0, mesh->vertices * sizeof *values);
    memset(weights, 0, mesh->vertices * sizeof *weights);
    for (size_t t = 0; t < mesh->triangles; t++) {
        const uint32_t *corners = mesh->indices + 3 * t;
        float stretch, area;
        triangle_stretch(mesh, corners, &stretch, &area);
        for (int k = 0; k < 3; k++) {
            values[corners[k]] += area * stretch;
            weights[corners[k]] += area;
        }
    }
    for (size_t i = 0; i < mesh->vertices; i++) {
        float value = weights[i] > 0.0f ? values[i] / (weights[i] * full) : 0.0f;
        values[i] = fminf(fmaxf(value, -1.0f), 1.0f);
    }
}
