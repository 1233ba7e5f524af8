#include "render/geometry.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "render/matrix.h"

static const float ZERO[3];
static const int WIDTH[GEOMETRY_ATTRIBUTES] = {3, 3, 2, 3};

void geometry_open(geometry *g) {
    *g = (geometry){0};
    glGenVertexArrays(1, &g->vertex_array);
    glGenBuffers(GEOMETRY_ATTRIBUTES + 1, g->buffers);
    glBindVertexArray(g->vertex_array);
    for (GLuint i = 0; i < GEOMETRY_ATTRIBUTES; i++) {
        glBindBuffer(GL_ARRAY_BUFFER, g->buffers[i]);
        glVertexAttribPointer(i, WIDTH[i], GL_FLOAT, GL_FALSE, 0, NULL);
        glEnableVertexAttribArray(i);
    }
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, g->buffers[GEOMETRY_ATTRIBUTES]);
    glBindVertexArray(0);
}

void geometry_close(geometry *g) {
    glDeleteBuffers(GEOMETRY_ATTRIBUTES + 1, g->buffers);
    glDeleteVertexArrays(1, &g->vertex_array);
    for (int i = 0; i < GEOMETRY_ATTRIBUTES; i++) {
        free(g->attributes[i]);
    }
    free(g->indices);
    *g = (geometry){0};
}

void geometry_clear(geometry *g) {
    g->vertices = 0;
    g->index_count = 0;
}

/* What both reserve functions grow: to the wanted number of elements, or by half of what there is.
 */
static toile_result grow(void **array, size_t capacity, size_t size) {
    void *larger = capacity <= SIZE_MAX / size ? realloc(*array, capacity * size) : NULL;
    if (!larger) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory to draw %zu vertices", capacity);
    }
    *array = larger;
    return TOILE_OK;
}

static toile_result reserve(geometry *g, size_t vertices, size_t indices) {
    if (vertices > UINT32_MAX - g->vertices || indices > INT32_MAX - g->index_count) {
        return error_set(TOILE_ERROR_INVALID,
                         "too much to draw: %zu vertices and %zu triangles more", vertices,
                         indices / 3);
    }
    size_t vertices_needed = g->vertices + vertices;
    if (vertices_needed > g->vertex_capacity) {
        size_t capacity = vertices_needed + vertices_needed / 2;
        for (int i = 0; i < GEOMETRY_ATTRIBUTES; i++) {
            void *array = g->attributes[i];
            if (grow(&array, capacity, (size_t)WIDTH[i] * sizeof(float)) != TOILE_OK) {
                return TOILE_ERROR_MEMORY;
            }
            g->attributes[i] = array;
        }
        g->vertex_capacity = capacity;
    }
    size_t indices_needed = g->index_count + indices;
    if (indices_needed > g->index_capacity) {
        size_t capacity = indices_needed + indices_needed / 2;
        void *array = g->indices;
        if (grow(&array, capacity, sizeof *g->indices) != TOILE_OK) {
            return TOILE_ERROR_MEMORY;
        }
        g->indices = array;
        g->index_capacity = capacity;
    }
    return TOILE_OK;
}

static void add_vertex(geometry *g, const float position[3], const float normal[3],
                       const float coordinates[2], const float tint[3]) {
    memcpy(g->attributes[GEOMETRY_POSITION] + 3 * g->vertices, position, 3 * sizeof(float));
    memcpy(g->attributes[GEOMETRY_NORMAL] + 3 * g->vertices, normal, 3 * sizeof(float));
    memcpy(g->attributes[GEOMETRY_COORDINATES] + 2 * g->vertices, coordinates, 2 * sizeof(float));
    memcpy(g->attributes[GEOMETRY_TINT] + 3 * g->vertices, tint, 3 * sizeof(float));
    g->vertices++;
}

static void add_indices(geometry *g, size_t base, const uint32_t *indices, size_t count) {
    for (size_t i = 0; i < count; i++) {
        g->indices[g->index_count++] = (uint32_t)base + indices[i];
    }
}

toile_result geometry_add_mesh(geometry *g, const mesh_view *mesh, const float *tints, bool apart,
                               geometry_range *range) {
    size_t corners = 3 * mesh->triangles;
    size_t vertices = apart ? corners : mesh->vertices;
    toile_result result = reserve(g, vertices, corners);
    if (result != TOILE_OK) {
        return result;
    }
    *range = (geometry_range){g->index_count, corners};
    size_t base = g->vertices;
    for (size_t i = 0; i < vertices; i++) {
        size_t k = apart ? mesh->indices[i] : i;
        add_vertex(g, mesh->positions + 3 * k, mesh->normals ? mesh->normals + 3 * k : ZERO,
                   mesh->coordinates ? mesh->coordinates + 2 * k : ZERO,
                   tints ? tints + 3 * k : ZERO);
    }
    if (apart) {
        for (size_t i = 0; i < corners; i++) {
            g->indices[g->index_count++] = (uint32_t)(base + i);
        }
    } else {
        add_indices(g, base, mesh->indices, corners);
    }
    return TOILE_OK;
}

toile_result geometry_add_shape(geometry *g, const cut_sphere *sphere, const round_shape *shape,
                                geometry_range *range) {
    toile_result result = reserve(g, sphere->vertices, sphere->indices);
    if (result != TOILE_OK) {
        return result;
    }
    *range = (geometry_range){g->index_count, sphere->indices};
    add_indices(g, g->vertices, sphere->triangles, sphere->indices);
    for (size_t i = 0; i < sphere->vertices; i++) {
        float position[3], normal[3];
        v3_store(position, round_shape_point(shape, sphere->sides[i], sphere->directions[i]));
        v3_store(normal, round_shape_normal(shape, sphere->directions[i]));
        add_vertex(g, position, normal, ZERO, ZERO);
    }
    return TOILE_OK;
}

/* The cell of column i and row j of 4 x 4 vertices. */
static void add_cell(geometry *g, size_t base, uint32_t i, uint32_t j) {
    uint32_t first = 4 * j + i;
    add_indices(g, base, (uint32_t[]){first, first + 1, first + 5, first, first + 5, first + 4}, 6);
}

toile_result geometry_add_floor(geometry *g, v3 center, v3 normal, float extent, const float low[2],
                                const float high[2], geometry_range *part, geometry_range *rest) {
    toile_result result = reserve(g, 16, 9 * 6);
    if (result != TOILE_OK) {
        return result;
    }
    *part = (geometry_range){g->index_count, 6};
    *rest = (geometry_range){g->index_count + 6, 8 * 6};
    add_cell(g, g->vertices, 1, 1);
    for (uint32_t k = 0; k < 9; k++) {
        if (k != 4) {
            add_cell(g, g->vertices, k % 3, k / 3);
        }
    }
    const float across[4] = {-extent, low[0], high[0], extent};
    const float along[4] = {-extent, low[1], high[1], extent};
    v3 u = v3_across(normal), v = v3_cross(normal, u);
    for (int k = 0; k < 16; k++) {
        float position[3], n[3], place[2] = {across[k % 4], along[k / 4]};
        v3_store(position, v3_madd(v3_madd(center, u, place[0]), v, place[1]));
        v3_store(n, normal);
        add_vertex(g, position, n, place, ZERO);
    }
    return TOILE_OK;
}

void geometry_upload(geometry *g) {
    for (int i = 0; i < GEOMETRY_ATTRIBUTES; i++) {
        glBindBuffer(GL_ARRAY_BUFFER, g->buffers[i]);
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(g->vertices * (size_t)WIDTH[i] * sizeof(float)),
                     g->attributes[i], GL_STREAM_DRAW);
    }
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindVertexArray(g->vertex_array);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(g->index_count * sizeof *g->indices),
                 g->indices, GL_STREAM_DRAW);
    glBindVertexArray(0);
}

void geometry_draw(const geometry *g, geometry_range range) {
    if (range.count > 0) {
        glBindVertexArray(g->vertex_array);
        /* OpenGL takes an offset for a pointer. NOLINTNEXTLINE(performance-no-int-to-ptr) */
        const void *offset = (const void *)(range.first * sizeof(uint32_t));
        glDrawElements(GL_TRIANGLES, (GLsizei)range.count, GL_UNSIGNED_INT, offset);
    }
}
