#include "figure/polygonise.h"

#include <stdlib.h>

#include "base/memory.h"

/* Points of the lattice are looked at in blocks of this many along each axis: those that are far
 * from the surface by the value in their middle are not looked at closer. Values are distances to
 * first order only, hence the margin. */
enum { BLOCK = 8 };
static const double MARGIN = 2.0;

typedef struct lattice {
    const field *field;
    vec low;
    double cell;
    size_t size[3];
    double *values;
    uint32_t *vertices; /* seven edges per point: where the surface cuts them */
    manifold *surface;
} lattice;

static size_t point_index(const lattice *l, size_t x, size_t y, size_t z) {
    return (z * l->size[1] + y) * l->size[0] + x;
}

static vec point_position(const lattice *l, size_t index) {
    size_t x = index % l->size[0], y = index / l->size[0] % l->size[1],
           z = index / l->size[0] / l->size[1];
    return vec_madd(l->low, vec_make((double)x, (double)y, (double)z), l->cell);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static void fill_block(lattice *l, const size_t from[3]) {
    size_t to[3];
    double middle[3];
    for (int k = 0; k < 3; k++) {
        to[k] = least(from[k] + BLOCK, l->size[k]);
        middle[k] = (double)from[k] + 0.5 * (BLOCK - 1);
    }
    vec center = vec_madd(l->low, vec_make(middle[0], middle[1], middle[2]), l->cell);
    double far = field_distance(l->field, center, ~0u);
    bool near = fabs(far) < MARGIN * 0.8660254 * BLOCK * l->cell;
    for (size_t z = from[2]; z < to[2]; z++) {
        for (size_t y = from[1]; y < to[1]; y++) {
            for (size_t x = from[0]; x < to[0]; x++) {
                size_t i = point_index(l, x, y, z);
                l->values[i] = near ? field_distance(l->field, point_position(l, i), ~0u) : far;
            }
        }
    }
}

static void fill(lattice *l) {
    for (size_t z = 0; z < l->size[2]; z += BLOCK) {
        for (size_t y = 0; y < l->size[1]; y += BLOCK) {
            for (size_t x = 0; x < l->size[0]; x += BLOCK) {
                fill_block(l, (size_t[3]){x, y, z});
            }
        }
    }
}

/* The vertex on the edge between two points; MANIFOLD_NONE when memory is short. Kept off the ends,
 * where it would fall together with others. */
static uint32_t cut_edge(lattice *l, size_t a, size_t b) {
    size_t low = least(a, b), high = a + b - low, step = high - low;
    size_t row = l->size[0], slab = l->size[0] * l->size[1];
    size_t z = step / slab, y = step % slab / row, x = step % row;
    uint32_t *vertex = &l->vertices[7 * low + (4 * z + 2 * y + x) - 1];
    if (*vertex == MANIFOLD_NONE) {
        double t = clamp(l->values[low] / (l->values[low] - l->values[high]), 0.05, 0.95);
        vec at = vec_lerp(point_position(l, low), point_position(l, high), t);
        if (manifold_add_vertex(l->surface, at)) {
            *vertex = (uint32_t)l->surface->vertex_count - 1;
        }
    }
    return *vertex;
}

/* Middles of edges stand for their cuts: what is on which side does not depend on where those lie.
 */
static bool faces_away(const lattice *l, size_t edges[3][2], vec inside) {
    vec p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = vec_lerp(point_position(l, edges[k][0]), point_position(l, edges[k][1]), 0.5);
    }
    vec normal = vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0]));
    return vec_dot(normal, vec_sub(p[0], inside)) > 0.0;
}

static bool add_cut(lattice *l, size_t edges[3][2], vec inside) {
    uint32_t v[3];
    for (int k = 0; k < 3; k++) {
        v[k] = cut_edge(l, edges[k][0], edges[k][1]);
        if (v[k] == MANIFOLD_NONE) {
            return false;
        }
    }
    bool away = faces_away(l, edges, inside);
    return manifold_add_triangle(l->surface, v[0], v[away ? 1 : 2], v[away ? 2 : 1]);
}

static bool cut_tetrahedron(lattice *l, const size_t corners[4]) {
    size_t in[4], out[4], ins = 0, outs = 0;
    for (int k = 0; k < 4; k++) {
        if (l->values[corners[k]] < 0.0) {
            in[ins++] = corners[k];
        } else {
            out[outs++] = corners[k];
        }
    }
    if (ins == 0 || outs == 0) {
        return true;
    }
    vec inside = point_position(l, in[0]);
    if (ins == 1) {
        size_t cut[3][2] = {{in[0], out[0]}, {in[0], out[1]}, {in[0], out[2]}};
        return add_cut(l, cut, inside);
    }
    if (outs == 1) {
        size_t cut[3][2] = {{in[0], out[0]}, {in[1], out[0]}, {in[2], out[0]}};
        return add_cut(l, cut, inside);
    }
    size_t first[3][2] = {{in[0], out[0]}, {in[0], out[1]}, {in[1], out[1]}};
    size_t second[3][2] = {{in[0], out[0]}, {in[1], out[1]}, {in[1], out[0]}};
    return add_cut(l, first, inside) && add_cut(l, second, inside);
}

static bool cut_cube(lattice *l, size_t base) {
    const size_t step[3] = {1, l->size[0], l->size[0] * l->size[1]};
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int o = 0; o < 6; o++) {
        size_t corners[4] = {base};
        for (int k = 0; k < 3; k++) {
            corners[k + 1] = corners[k] + step[orders[o][k]];
        }
        if (!cut_tetrahedron(l, corners)) {
            return false;
        }
    }
    return true;
}

static bool cut_all(lattice *l) {
    for (size_t z = 0; z + 1 < l->size[2]; z++) {
        for (size_t y = 0; y + 1 < l->size[1]; y++) {
            for (size_t x = 0; x + 1 < l->size[0]; x++) {
                if (!cut_cube(l, point_index(l, x, y, z))) {
                    return false;
                }
            }
        }
    }
    return true;
}

toile_result polygonise(const field *f, vec low, vec high, double cell, manifold *out) {
    lattice l = {.field = f, .low = low, .cell = cell, .surface = out};
    const double extent[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    for (int k = 0; k < 3; k++) {
        l.size[k] = (size_t)(extent[k] / cell) + 2;
    }
    size_t points = l.size[0] * l.size[1] * l.size[2];
    l.values = memory_alloc(points, sizeof *l.values, "a lattice");
    l.vertices = memory_alloc(7 * points, sizeof *l.vertices, "a lattice");
    toile_result result = TOILE_ERROR_MEMORY;
    if (l.values && l.vertices) {
        for (size_t i = 0; i < 7 * points; i++) {
            l.vertices[i] = MANIFOLD_NONE;
        }
        fill(&l);
        result = cut_all(&l) ? manifold_join(out) : TOILE_ERROR_MEMORY;
    }
    free(l.values);
    free(l.vertices);
    return result;
}
