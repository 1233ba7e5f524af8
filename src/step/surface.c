/* The render mesh of a cloth from its texels: each vertex takes its value from four of them. */
#include <string.h>

#include "kernel/mapping.h"
#include "step/world.h"

/* Moves `to` along the line from `from` to it, to `width` times the distance. */
static void move_to_outline(const float *from, float *to, float width) {
    for (int k = 0; k < 3; k++) {
        to[k] = from[k] + (to[k] - from[k]) * width;
    }
}

/* The vertices of a rectangle are its texels, to the bit, but for those of the last column and row,
 * which lie on the exact outline. */
static void copy_texels(const grid *g, const float *texels, float *vertices) {
    size_t row = 3 * (size_t)g->columns;
    memcpy(vertices, texels, row * (size_t)g->rows * sizeof *vertices);
    for (int j = 0; g->last_u != 1.0f && j < g->rows; j++) {
        float *last = vertices + row * (size_t)(j + 1) - 3;
        move_to_outline(last - 3, last, g->last_u);
    }
    for (int i = 0; g->last_v != 1.0f && i < g->columns; i++) {
        float *last = vertices + row * (size_t)(g->rows - 1) + 3 * (size_t)i;
        move_to_outline(last - row, last, g->last_v);
    }
}

void surface_positions(const panel *p, const float *texels, float *vertices) {
    if (p->rectangle) {
        copy_texels(&p->grid, texels, vertices);
    } else {
        project_vectors(&p->render_projection, p->render.vertex_count, &p->grid, texels, vertices);
    }
}

void surface_coordinates(const cloth *c, const flat_mesh *mesh, float *coordinates) {
    double scale = (double)c->def.transform.scale;
    for (size_t k = 0; k < 2 * (size_t)mesh->vertex_count; k++) {
        coordinates[k] = (float)((double)mesh->uv[k] * scale);
    }
}

static v3 load(const float *place) {
    return v3_make(place[0], place[1], place[2]);
}

static v3 normal_at(const panel *p, const float *texels, int i, int j) {
    size_t row = 3 * (size_t)p->grid.columns;
    const float *here = texels + row * (size_t)j + 3 * (size_t)i;
    const float *left = panel_thread_right(p, i - 1, j) > 0.0f ? here - 3 : here;
    const float *right = panel_thread_right(p, i, j) > 0.0f ? here + 3 : here;
    const float *below = panel_thread_up(p, i, j - 1) > 0.0f ? here - row : here;
    const float *above = panel_thread_up(p, i, j) > 0.0f ? here + row : here;
    return texel_normal(load(left), load(right), load(below), load(above));
}

/* Normals of the texels, weighted as their positions are. */
void surface_normals(const panel *p, const float *texels, float *normals) {
    const projection *from = &p->render_projection;
    uint32_t columns = (uint32_t)p->grid.columns;
    for (size_t v = 0; v < p->render.vertex_count; v++, normals += 3) {
        int i = (int)(from->texels[v] % columns), j = (int)(from->texels[v] / columns);
        float u = from->fractions[2 * v], w = from->fractions[2 * v + 1];
        const float weights[4] = {(1.0f - u) * (1.0f - w), u * (1.0f - w), (1.0f - u) * w, u * w};
        v3 sum = v3_make(0.0f, 0.0f, 0.0f);
        for (int k = 0; k < 4; k++) {
            if (weights[k] != 0.0f) {
                sum = v3_madd(sum, normal_at(p, texels, i + (k & 1), j + (k >> 1)), weights[k]);
            }
        }
        v3 n = normal_unit(sum);
        normals[0] = n.x;
        normals[1] = n.y;
        normals[2] = n.z;
    }
}
