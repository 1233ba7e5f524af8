#include "io/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool mesh_allocate(mesh_data *mesh, size_t vertices, size_t triangles, bool normals,
                   bool coordinates) {
    *mesh = (mesh_data){.vertices = vertices, .triangles = triangles};
    if (vertices > SIZE_MAX / (3 * sizeof(float)) || triangles > SIZE_MAX / (3 * sizeof(float))) {
        return false;
    }
    mesh->positions = malloc(vertices * 3 * sizeof *mesh->positions);
    mesh->indices = malloc(triangles * 3 * sizeof *mesh->indices);
    mesh->normals = normals ? malloc(vertices * 3 * sizeof *mesh->normals) : NULL;
    mesh->coordinates = coordinates ? malloc(vertices * 2 * sizeof *mesh->coordinates) : NULL;
    if (!mesh->positions || !mesh->indices || (normals && !mesh->normals) ||
        (coordinates && !mesh->coordinates)) {
        mesh_free(mesh);
        return false;
    }
    return true;
}

void mesh_free(mesh_data *mesh) {
    free(mesh->positions);
    free(mesh->normals);
    free(mesh->coordinates);
    free(mesh->indices);
    *mesh = (mesh_data){0};
}

mesh_view mesh_get_view(const mesh_data *mesh, const char *name) {
    return (mesh_view){.name = name,
                       .vertices = mesh->vertices,
                       .triangles = mesh->triangles,
                       .positions = mesh->positions,
                       .normals = mesh->normals,
                       .coordinates = mesh->coordinates,
                       .indices = mesh->indices};
}

/* The cross product of two edges has twice the triangle's area as its length: the weight. */
static void add_triangle(const float *positions, const uint32_t *corners, float *normals) {
    const float *a = positions + 3 * (size_t)corners[0];
    const float *b = positions + 3 * (size_t)corners[1];
    const float *c = positions + 3 * (size_t)corners[2];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
    }
    float weighted[3];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        weighted[k] = (float)(u[i] * v[j] - u[j] * v[i]);
    }
    for (int corner = 0; corner < 3; corner++) {
        float *normal = normals + 3 * (size_t)corners[corner];
        for (int k = 0; k < 3; k++) {
            normal[k] += weighted[k];
        }
    }
}

static void normalise(float normal[3]) {
    double x = (double)normal[0], y = (double)normal[1], z = (double)normal[2];
    double length = sqrt(x * x + y * y + z * z);
    bool usable = isfinite(length) && length > 0.0;
    normal[0] = usable ? (float)(x / length) : 0.0f;
    normal[1] = usable ? (float)(y / length) : 1.0f;
    normal[2] = usable ? (float)(z / length) : 0.0f;
}

void mesh_normals(const mesh_view *mesh, const float *positions, float *normals) {
    memset(normals, 0, mesh->vertices * 3 * sizeof *normals);
    for (size_t t = 0; t < mesh->triangles; t++) {
        add_triangle(positions, mesh->indices + 3 * t, normals);
    }
    for (size_t i = 0; i < mesh->vertices; i++) {
        normalise(normals + 3 * i);
    }
}
