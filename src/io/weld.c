#include "io/weld.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct place {
    float position[3];
    uint32_t vertex;
} place;

static int compare_positions(const place *a, const place *b) {
    for (int k = 0; k < 3; k++) {
        if (a->position[k] != b->position[k]) {
            return a->position[k] < b->position[k] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_places(const void *left, const void *right) {
    const place *a = left, *b = right;
    int order = compare_positions(a, b);
    return order ? order : (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

/* The first vertex at the place of each. */
static void find_first(const mesh_data *mesh, place *places, uint32_t *first) {
    for (size_t v = 0; v < mesh->vertices; v++) {
        memcpy(places[v].position, mesh->positions + 3 * v, sizeof places[v].position);
        places[v].vertex = (uint32_t)v;
    }
    qsort(places, mesh->vertices, sizeof *places, compare_places);
    for (size_t i = 0; i < mesh->vertices; i++) {
        bool same = i > 0 && compare_positions(&places[i - 1], &places[i]) == 0;
        first[places[i].vertex] = same ? first[places[i - 1].vertex] : places[i].vertex;
    }
}

/* Moves the vertices that stay together and tells their new numbers. A number is never larger than
 * the old one, so what is overwritten was read before. */
static void pack_vertices(mesh_data *mesh, uint32_t *number) {
    uint32_t count = 0;
    for (size_t v = 0; v < mesh->vertices; v++) {
        if (number[v] == v) {
            memmove(mesh->positions + 3 * (size_t)count, mesh->positions + 3 * v,
                    3 * sizeof *mesh->positions);
            number[v] = count++;
        } else {
            number[v] = number[number[v]];
        }
    }
    mesh->vertices = count;
}

static void pack_triangles(mesh_data *mesh, const uint32_t *number) {
    size_t count = 0;
    for (size_t t = 0; t < mesh->triangles; t++) {
        const uint32_t *old = mesh->indices + 3 * t;
        uint32_t a = number[old[0]], b = number[old[1]], c = number[old[2]];
        if (a != b && b != c && c != a) {
            uint32_t *corners = mesh->indices + 3 * count++;
            corners[0] = a;
            corners[1] = b;
            corners[2] = c;
        }
    }
    mesh->triangles = count;
}

toile_result mesh_weld_numbers(mesh_data *mesh, uint32_t *number) {
    place *places = memory_alloc(mesh->vertices, sizeof *places, "the vertices of a mesh");
    toile_result result = places ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        find_first(mesh, places, number);
        pack_vertices(mesh, number);
        pack_triangles(mesh, number);
        free(mesh->normals);
        free(mesh->coordinates);
        mesh->normals = mesh->coordinates = NULL;
    }
    free(places);
    return result;
}

toile_result mesh_weld(mesh_data *mesh) {
    uint32_t *number = memory_alloc(mesh->vertices, sizeof *number, "the vertices of a mesh");
    toile_result result = number ? mesh_weld_numbers(mesh, number) : TOILE_ERROR_MEMORY;
    free(number);
    return result;
}
