#include "model/solid.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/ccd.h"
#include "kernel/triangle.h"
#include "model/solid_build.h"
#include "model/solid_walk.h"

/* ---- pseudonormals ------------------------------------------------------------------------------
 */

typedef struct vector {
    double x, y, z;
} vector;

static vector vector_add(vector a, vector b, double share) {
    return (vector){a.x + share * b.x, a.y + share * b.y, a.z + share * b.z};
}

static vector vector_between(const float *from, const float *to) {
    return (vector){(double)to[0] - (double)from[0], (double)to[1] - (double)from[1],
                    (double)to[2] - (double)from[2]};
}

static double vector_dot(vector a, vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vector vector_cross(vector a, vector b) {
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Unit, or the other way out where there is none: the normals of a sheet without thickness. */
static v3 vector_unit(vector a, vector other) {
    double length = sqrt(vector_dot(a, a));
    vector from = length > 1e-9 ? a : other;
    double scale = 1.0 / sqrt(vector_dot(from, from));
    return v3_make((float)(from.x * scale), (float)(from.y * scale), (float)(from.z * scale));
}

typedef struct normals {
    vector *faces;   /* unit */
    vector *corners; /* a half edge: of the vertex it starts at */
} normals;

static const float *corner_position(const solid *s, size_t half_edge) {
    return s->positions + 3 * (size_t)s->triangles[half_edge];
}

static vector edge_vector(const solid *s, uint32_t half_edge) {
    return vector_between(corner_position(s, half_edge),
                          corner_position(s, half_edge_next(half_edge)));
}

static void find_face_normals(const solid *s, normals *n) {
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        vector normal = vector_cross(edge_vector(s, 3 * t), edge_vector(s, 3 * t + 1));
        double scale = 1.0 / sqrt(vector_dot(normal, normal));
        n->faces[t] = (vector){normal.x * scale, normal.y * scale, normal.z * scale};
    }
}

/* Of the triangles that follow each other around a vertex. Sheets that only touch there, which real
 * bodies have where lips meet, must not be mixed: their sum may be nothing. */
static void find_fan_normal(const solid *s, const uint32_t *twins, uint32_t first, normals *n,
                            bool *done) {
    vector sum = {0.0, 0.0, 0.0};
    uint32_t h = first;
    do {
        sum = vector_add(sum, n->faces[h / 3], (double)solid_corner_angle(s, h, 0.0f));
        h = half_edge_next(twins[h]);
    } while (h != first);
    do {
        n->corners[h] = sum;
        done[h] = true;
        h = half_edge_next(twins[h]);
    } while (h != first);
}

static v3 edge_normal(const normals *n, uint32_t half_edge, uint32_t twin) {
    /* The lower one first, so that both sides get the same bits. */
    uint32_t a = half_edge < twin ? half_edge / 3 : twin / 3;
    uint32_t b = half_edge < twin ? twin / 3 : half_edge / 3;
    return vector_unit(vector_add(n->faces[a], n->faces[b], 1.0), n->faces[a]);
}

static void fill_faces(solid *s, const normals *n, const uint32_t *twins) {
    for (size_t i = 0; i < s->triangle_count; i++) {
        uint32_t t = s->face_triangle[i];
        vector normal = n->faces[t];
        s->faces[i] = (solid_face){solid_vertex(corner_position(s, 3 * (size_t)t)),
                                   solid_vertex(corner_position(s, 3 * (size_t)t + 1)),
                                   solid_vertex(corner_position(s, 3 * (size_t)t + 2)),
                                   vector_unit(normal, normal)};
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t half_edge = 3 * t + k;
            v3 *parts = s->part_normals + SOLID_PARTS * i;
            parts[k] = vector_unit(n->corners[half_edge], normal);
            parts[3 + k] = edge_normal(n, half_edge, twins[half_edge]);
        }
    }
}

static toile_result find_faces(solid *s, const uint32_t *twins) {
    const char *what = "the normals of a mesh";
    size_t half_edges = 3 * s->triangle_count;
    normals n = {memory_alloc(s->triangle_count, sizeof *n.faces, what),
                 memory_alloc(half_edges, sizeof *n.corners, what)};
    bool *done = memory_alloc(half_edges, sizeof *done, what);
    toile_result result = n.faces && n.corners && done ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        find_face_normals(s, &n);
        for (uint32_t h = 0; h < half_edges; h++) {
            if (!done[h]) {
                find_fan_normal(s, twins, h, &n, done);
            }
        }
        fill_faces(s, &n, twins);
    }
    free(n.faces);
    free(n.corners);
    free(done);
    return result;
}

/* ---- making -------------------------------------------------------------------------------------
 */

static toile_result copy_mesh(solid *s, const toile_mesh_def *def) {
    size_t count = def->triangle_count;
    *s = (solid){.vertices = def->vertices, .triangle_count = count};
    s->positions = memory_alloc(3 * s->vertices, sizeof *s->positions, "a mesh");
    s->triangles = memory_alloc(3 * count, sizeof *s->triangles, "a mesh");
    s->faces = memory_alloc(count, sizeof *s->faces, "a mesh");
    s->face_triangle = memory_alloc(count, sizeof *s->face_triangle, "a mesh");
    if (!s->positions || !s->triangles || !s->faces || !s->face_triangle) {
        return TOILE_ERROR_MEMORY;
    }
    memcpy(s->positions, def->positions, 3 * s->vertices * sizeof *s->positions);
    memcpy(s->triangles, def->triangles, 3 * count * sizeof *s->triangles);
    return TOILE_OK;
}

static toile_result build(solid *s, bool open) {
    toile_result result = solid_check_edges(s, open, s->twins);
    if (result == TOILE_OK && !open) {
        result = solid_check_parts(s, s->twins);
    }
    return result == TOILE_OK ? solid_build_tree(s) : result;
}

/* Once the tree has put faces in order. */
static toile_result find_firsts(solid *s) {
    s->firsts = memory_alloc(s->triangle_count, sizeof *s->firsts, "a mesh");
    uint32_t *lowest = memory_alloc(s->vertices, sizeof *lowest, "a mesh");
    if (!s->firsts || !lowest) {
        free(lowest);
        return TOILE_ERROR_MEMORY;
    }
    for (uint32_t h = (uint32_t)(3 * s->triangle_count); h-- > 0;) {
        lowest[s->triangles[h]] = h;
        s->open = s->open || s->twins[h] == SOLID_NONE;
    }
    for (size_t i = 0; i < s->triangle_count; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t h = 3 * s->face_triangle[i] + k;
            unsigned edge = h < s->twins[h], vertex = lowest[s->triangles[h]] == h;
            s->firsts[i] |= (uint8_t)((edge * SOLID_FIRST_EDGE | vertex * SOLID_FIRST_VERTEX) << k);
        }
    }
    free(lowest);
    return TOILE_OK;
}

/* Normals of parts, or what deforming takes instead. */
static toile_result finish(solid *s, bool deforms) {
    if (!deforms) {
        s->part_normals =
            memory_alloc(SOLID_PARTS * s->triangle_count, sizeof *s->part_normals, "a mesh");
        return s->part_normals ? find_faces(s, s->twins) : TOILE_ERROR_MEMORY;
    }
    return solid_begin_deforming(s);
}

float solid_grain(v3 low, v3 high) {
    return 4e-7f * k_max(v3_largest(low), v3_largest(high));
}

static toile_result create(solid *s, const toile_mesh_def *def, bool deforms, bool open) {
    *s = (solid){0};
    toile_result result = solid_check_triangles(def);
    if (result != TOILE_OK) {
        return result;
    }
    result = copy_mesh(s, def);
    if (result == TOILE_OK) {
        s->twins = memory_alloc(3 * s->triangle_count, sizeof *s->twins, "the edges of a mesh");
        result = s->twins ? build(s, open) : TOILE_ERROR_MEMORY;
    }
    if (result == TOILE_OK) {
        result = find_firsts(s);
    }
    if (result == TOILE_OK) {
        result = finish(s, deforms);
    }
    if (result != TOILE_OK) {
        solid_free(s);
        return result;
    }
    s->grain = solid_grain(s->low, s->high);
    return TOILE_OK;
}

toile_result solid_create(solid *s, const toile_mesh_def *def) {
    return create(s, def, false, false);
}

toile_result solid_create_deforming(solid *s, const toile_mesh_def *def, bool open) {
    return create(s, def, true, open);
}

void solid_free(solid *s) {
    free(s->positions);
    free(s->triangles);
    free(s->nodes);
    free(s->faces);
    free(s->face_triangle);
    free(s->part_normals);
    free(s->firsts);
    free(s->ends);
    free(s->end_boxes);
    free(s->end_corners);
    free(s->twins);
    *s = (solid){0};
}

/* ---- distance -----------------------------------------------------------------------------------
 */

typedef struct nearest {
    float squared; /* of the best so far */
    uint32_t face; /* SOLID_NONE: none yet */
    v4 offset;     /* as triangle_offset() has it */
    v3 normal;     /* of the face, at the time */
} nearest;

__attribute__((always_inline)) static inline void visit_face(const solid *s, v3 p, float time,
                                                             bool deforms, uint32_t i, nearest *n) {
    const solid_face *f = &s->faces[i];
    solid_corners at = {f->a, f->b, f->c};
    v3 normal = f->normal;
    if (deforms) {
        at = solid_corners_at(s, i, time);
        normal = triangle_normal(at.a, at.b, at.c);
    }
    float height = v3_dot(v3_sub(p, at.a), normal);
    if (height * height > TRIANGLE_PLANE_BOUND * n->squared) {
        return; /* its plane is farther than the best */
    }
    v4 offset = triangle_offset(p, at.a, at.b, at.c, normal);
    float squared = v3_dot(v4_xyz(offset), v4_xyz(offset));
    bool tie = squared == n->squared &&
               (n->face == SOLID_NONE || s->face_triangle[i] < s->face_triangle[n->face]);
    if (squared < n->squared || tie) {
        *n = (nearest){squared, i, offset, normal};
    }
}

typedef struct waiting {
    float squared; /* of its box */
    uint32_t first, count;
} waiting;

/* The nearer child first. What is as far as the best is still looked at, for the sake of ties. */
__attribute__((always_inline)) static inline nearest
find_nearest(const solid *s, v3 p, float squared, float time, bool deforms, uint32_t hint) {
    nearest n = {.squared = squared, .face = SOLID_NONE};
    waiting stack[SOLID_DEPTH + 1];
    int count = 0;
    waiting at = {0.0f, 0, 0};
    if (hint < s->triangle_count) {
        visit_face(s, p, time, deforms, hint, &n);
    }
    for (;;) {
        if (at.count > 0) {
            for (uint32_t i = at.first; i < at.first + at.count; i++) {
                visit_face(s, p, time, deforms, i, &n);
            }
        } else {
            const solid_node *node = &s->nodes[at.first];
            const solid_boxes boxes = deforms ? solid_boxes_at(s, at.first, time)
                                              : (solid_boxes){{node->low[0], node->low[1]},
                                                              {node->high[0], node->high[1]}};
            waiting a = {box_squared(p, boxes.low[0], boxes.high[0]), node->first[0],
                         node->count[0]};
            waiting b = {box_squared(p, boxes.low[1], boxes.high[1]), node->first[1],
                         node->count[1]};
            bool a_first = a.squared <= b.squared;
            waiting near = a_first ? a : b, far = a_first ? b : a;
            if (near.squared <= n.squared) {
                if (far.squared <= n.squared) {
                    stack[count++] = far;
                }
                at = near;
                continue;
            }
        }
        do {
            if (count == 0) {
                return n;
            }
            at = stack[--count];
        } while (at.squared > n.squared);
    }
}

v3 solid_normal(const solid *s, uint32_t face, uint32_t part, float time) {
    return solid_deforms(s) ? solid_part_normal(s, face, part, time)
                            : s->part_normals[SOLID_PARTS * (size_t)face + part];
}

static v4 signed_distance(const solid *s, const nearest *n, float time) {
    if (n->face == SOLID_NONE) {
        return v4_make(v3_make(0.0f, 0.0f, 0.0f), INFINITY);
    }
    v3 normal = n->normal;
    if (n->offset.w != TRIANGLE_FACE) {
        uint32_t part = (uint32_t)n->offset.w - 1;
        normal = solid_normal(s, n->face, part, time);
    }
    return triangle_signed(n->offset, normal, k_sqrt(n->squared), s->grain);
}

v4 solid_distance(const solid *s, v3 point, float reach) {
    nearest n = solid_deforms(s) ? find_nearest(s, point, reach * reach, 0.0f, true, SOLID_NONE)
                                 : find_nearest(s, point, reach * reach, 0.0f, false, SOLID_NONE);
    return signed_distance(s, &n, 0.0f);
}

solid_touch solid_nearest(const solid *s, v3 point, float reach, float time, uint32_t hint) {
    nearest n = solid_deforms(s) ? find_nearest(s, point, reach * reach, time, true, hint)
                                 : find_nearest(s, point, reach * reach, 0.0f, false, hint);
    solid_touch touch = {.distance = signed_distance(s, &n, time), .face = n.face};
    if (n.face != SOLID_NONE && solid_deforms(s)) {
        v3 foot = v3_sub(point, v4_xyz(n.offset));
        solid_corners c = solid_corners_at(s, n.face, time);
        touch.weights =
            v4_xyz(ccd_triangle_weights(v3_sub(c.a, foot), v3_sub(c.b, foot), v3_sub(c.c, foot)));
        touch.way = v3_sub(solid_point(s, n.face, touch.weights, 1.0f),
                           solid_point(s, n.face, touch.weights, 0.0f));
    }
    return touch;
}

float solid_fastest(const solid *s, v3 velocity, v3 spin) {
    v3 low = s->low, high = s->high;
    v3 corner = v3_make(k_max(-low.x, high.x), k_max(-low.y, high.y), k_max(-low.z, high.z));
    float radius = k_sqrt(v3_dot(corner, corner));
    return k_sqrt(v3_dot(velocity, velocity)) + radius * k_sqrt(v3_dot(spin, spin));
}
