#include "view/pick.h"

#include "render/matrix.h"

/* Moeller and Trumbore, Fast, Minimum Storage Ray/Triangle Intersection, 1997. Returns the
 * distance, or a negative number, and the weights of the second and third corner. */
static float meet_triangle(v3 origin, v3 direction, const v3 corners[3], float weights[2]) {
    v3 first = v3_sub(corners[1], corners[0]), second = v3_sub(corners[2], corners[0]);
    v3 across = v3_cross(direction, second);
    float determinant = v3_dot(first, across);
    if (determinant == 0.0f) {
        return -1.0f;
    }
    v3 from_corner = v3_sub(origin, corners[0]);
    v3 other = v3_cross(from_corner, first);
    weights[0] = v3_dot(from_corner, across) / determinant;
    weights[1] = v3_dot(direction, other) / determinant;
    bool inside = weights[0] >= 0.0f && weights[1] >= 0.0f && weights[0] + weights[1] <= 1.0f;
    return inside ? v3_dot(second, other) / determinant : -1.0f;
}

static void mix_corners(const float *values, int width, const uint32_t corners[3],
                        const float weights[2], float *out) {
    for (int k = 0; k < width; k++) {
        float a = values[(size_t)width * corners[0] + (size_t)k];
        float b = values[(size_t)width * corners[1] + (size_t)k];
        float c = values[(size_t)width * corners[2] + (size_t)k];
        out[k] = a + weights[0] * (b - a) + weights[1] * (c - a);
    }
}

static void pick_mesh(const mesh_view *mesh, int cloth, v3 origin, v3 direction, pick *nearest) {
    for (size_t t = 0; t < mesh->triangles; t++) {
        const uint32_t *corners = mesh->indices + 3 * t;
        const v3 places[3] = {v3_load(mesh->positions + 3 * (size_t)corners[0]),
                              v3_load(mesh->positions + 3 * (size_t)corners[1]),
                              v3_load(mesh->positions + 3 * (size_t)corners[2])};
        float weights[2] = {0.0f, 0.0f};
        float distance = meet_triangle(origin, direction, places, weights);
        if (distance > 0.0f && (!nearest->found || distance < nearest->distance)) {
            *nearest = (pick){.found = true, .cloth = cloth, .distance = distance};
            if (mesh->coordinates) {
                mix_corners(mesh->coordinates, 2, corners, weights, nearest->point);
            }
            v3_store(nearest->place, v3_madd(origin, direction, distance));
        }
    }
}

pick pick_cloth(const mesh_view *meshes, int count, v3 origin, v3 direction) {
    pick nearest = {.found = false};
    for (int c = 0; c < count; c++) {
        pick_mesh(&meshes[c], c, origin, direction, &nearest);
    }
    return nearest;
}
