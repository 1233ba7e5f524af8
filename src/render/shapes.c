#include "render/shapes.h"

#include <float.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/shape_kind.h"
#include "render/matrix.h"

static const float PI = 3.14159265f;

/* Share of a box's shortest half edge that is rounded off, and the most in metres: edges catch
 * light, yet cloth that lies on them is not seen to hover. */
static const float BEVEL = 0.04f;
static const float BEVEL_MAX = 0.004f;

enum { PARTS = 8 };

/* Vertices of one part: a triangle of rows with 1, 2, ... divisions + 1 vertices. */
static uint32_t part_size(uint32_t divisions) {
    return (divisions + 1) * (divisions + 2) / 2;
}

/* The vertex of a part with the weights i, j, divisions - i - j along x, y, z. */
static uint32_t part_vertex(uint32_t divisions, uint32_t part, uint32_t i, uint32_t j) {
    uint32_t row = divisions - i;
    return part * part_size(divisions) + row * (row + 1) / 2 + j;
}

static void add_triangle(cut_sphere *s, uint32_t a, uint32_t b, uint32_t c) {
    v3 pa = v3_add(s->sides[a], s->directions[a]);
    v3 pb = v3_add(s->sides[b], s->directions[b]);
    v3 pc = v3_add(s->sides[c], s->directions[c]);
    bool outside = v3_dot(v3_cross(v3_sub(pb, pa), v3_sub(pc, pa)), pa) > 0.0f;
    uint32_t *out = s->triangles + s->indices;
    out[0] = a;
    out[1] = outside ? b : c;
    out[2] = outside ? c : b;
    s->indices += 3;
}

static void add_quad(cut_sphere *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    add_triangle(s, a, b, c);
    add_triangle(s, a, c, d);
}

static void add_part(cut_sphere *s, uint32_t n, uint32_t part) {
    v3 side = v3_make(part & 1 ? -1.0f : 1.0f, part & 2 ? -1.0f : 1.0f, part & 4 ? -1.0f : 1.0f);
    for (uint32_t i = 0; i <= n; i++) {
        for (uint32_t j = 0; i + j <= n; j++) {
            /* Through sines, the triangles come out nearly equal. */
            v3 direction = v3_make(sinf(0.5f * PI * (float)i / (float)n),
                                   sinf(0.5f * PI * (float)j / (float)n),
                                   sinf(0.5f * PI * (float)(n - i - j) / (float)n));
            uint32_t vertex = part_vertex(n, part, i, j);
            s->directions[vertex] = v3_mul(v3_normalize(direction), side);
            s->sides[vertex] = side;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; i + j < n; j++) {
            uint32_t corner = part_vertex(n, part, i, j);
            uint32_t along_x = part_vertex(n, part, i + 1, j);
            uint32_t along_y = part_vertex(n, part, i, j + 1);
            add_triangle(s, corner, along_x, along_y);
            if (i + j + 1 < n) {
                add_triangle(s, along_x, part_vertex(n, part, i + 1, j + 1), along_y);
            }
        }
    }
}

/* The vertex number k of n on the rim of a part where it was cut across an axis. */
static uint32_t rim_vertex(uint32_t n, uint32_t part, int axis, uint32_t k) {
    uint32_t i = axis == 0 ? 0 : k;
    uint32_t j = axis == 1 ? 0 : axis == 0 ? k : n - k;
    return part_vertex(n, part, i, j);
}

/* Joins the parts on both sides of the cut across an axis. */
static void add_seams(cut_sphere *s, uint32_t n, int axis) {
    for (uint32_t part = 0; part < PARTS; part++) {
        uint32_t other = part | 1u << axis;
        if (other == part) {
            continue;
        }
        for (uint32_t k = 0; k < n; k++) {
            add_quad(s, rim_vertex(n, part, axis, k), rim_vertex(n, part, axis, k + 1),
                     rim_vertex(n, other, axis, k + 1), rim_vertex(n, other, axis, k));
        }
    }
}

/* Closes the two holes at the ends of an axis, where four parts meet. */
static void add_caps(cut_sphere *s, uint32_t n, int axis) {
    uint32_t self = 1u << axis;
    uint32_t next = 1u << (axis + 1) % 3;
    uint32_t last = 1u << (axis + 2) % 3;
    uint32_t i = axis == 0 ? n : 0;
    uint32_t j = axis == 1 ? n : 0;
    for (uint32_t end = 0; end <= self; end += self) {
        add_quad(s, part_vertex(n, end, i, j), part_vertex(n, end | next, i, j),
                 part_vertex(n, end | next | last, i, j), part_vertex(n, end | last, i, j));
    }
}

toile_result cut_sphere_make(cut_sphere *s, uint32_t divisions) {
    size_t triangles = PARTS * divisions * divisions + 3 * 4 * divisions * 2 + 3 * 2 * 2;
    *s = (cut_sphere){.vertices = PARTS * part_size(divisions)};
    s->directions = memory_alloc(s->vertices, sizeof *s->directions, "the shape of bodies");
    s->sides = memory_alloc(s->vertices, sizeof *s->sides, "the shape of bodies");
    s->triangles = memory_alloc(3 * triangles, sizeof *s->triangles, "the shape of bodies");
    if (!s->directions || !s->sides || !s->triangles) {
        cut_sphere_free(s);
        return TOILE_ERROR_MEMORY;
    }
    for (uint32_t part = 0; part < PARTS; part++) {
        add_part(s, divisions, part);
    }
    for (int axis = 0; axis < 3; axis++) {
        add_seams(s, divisions, axis);
        add_caps(s, divisions, axis);
    }
    TOILE_ASSERT(s->indices == 3 * triangles);
    return TOILE_OK;
}

void cut_sphere_free(cut_sphere *s) {
    free(s->directions);
    free(s->sides);
    free(s->triangles);
    *s = (cut_sphere){0};
}

static v3 v3_all(float value) {
    return v3_make(value, value, value);
}

/* The quaternion a b: b is applied first. */
static void quaternion_multiply(const float a[4], const float b[4], float out[4]) {
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/* The quaternion that takes the y axis to a unit vector by the shortest arc. */
static void quaternion_from_y(v3 to, float out[4]) {
    float w = 1.0f + to.y;
    v3 axis = w > 1e-6f ? v3_make(to.z, 0.0f, -to.x) : v3_make(1.0f, 0.0f, 0.0f);
    w = w > 1e-6f ? w : 0.0f;
    float scale = 1.0f / sqrtf(v3_dot(axis, axis) + w * w);
    v3_store(out, v3_scale(axis, scale));
    out[3] = w * scale;
}

static void capsule_shape(round_shape *shape, const draw_body *body) {
    v3 along = v3_sub(v3_load(body->def.b), v3_load(body->def.a));
    shape->radii = v3_all(body->def.radii[0]);
    shape->core = v3_make(0.0f, 0.5f * v3_length(along), 0.0f);
    if (shape->core.y > 0.0f) {
        float upright[4];
        quaternion_from_y(v3_normalize(along), upright);
        quaternion_multiply(body->pose.rotation, upright, shape->rotation);
    }
}

static void box_shape(round_shape *shape, const draw_body *body) {
    v3 half = v3_load(body->def.half);
    float bevel = BEVEL * k_min(half.x, k_min(half.y, half.z));
    bevel = k_min(bevel, BEVEL_MAX);
    shape->radii = v3_all(bevel);
    shape->core = v3_sub(half, v3_all(bevel));
}

round_shape round_shape_of(const draw_body *body) {
    TOILE_ASSERT(body->def.shape != TOILE_SHAPE_PLANE && !shape_is_mesh(body->def.shape));
    const float *q = body->pose.rotation;
    round_shape shape = {.position = v3_load(body->pose.position),
                         .rotation = {q[0], q[1], q[2], q[3]}};
    switch (body->def.shape) {
    case TOILE_SHAPE_SPHERE:
        shape.radii = v3_all(body->def.radii[0]);
        break;
    case TOILE_SHAPE_ELLIPSOID:
        shape.radii = v3_load(body->def.radii);
        break;
    case TOILE_SHAPE_CAPSULE:
        capsule_shape(&shape, body);
        break;
    case TOILE_SHAPE_BOX:
        box_shape(&shape, body);
        break;
    default:
        break;
    }
    return shape;
}

v3 round_shape_point(const round_shape *shape, v3 side, v3 direction) {
    v3 local = v3_add(v3_mul(side, shape->core), v3_mul(direction, shape->radii));
    return v3_add(shape->position, v3_rotate(local, shape->rotation));
}

v3 round_shape_normal(const round_shape *shape, v3 direction) {
    v3 r = shape->radii;
    v3 local = v3_make(direction.x / r.x, direction.y / r.y, direction.z / r.z);
    return v3_rotate(v3_normalize(local), shape->rotation);
}

draw_bounds round_shape_bounds(const round_shape *shape) {
    v3 axes[3] = {v3_rotate(v3_make(1.0f, 0.0f, 0.0f), shape->rotation),
                  v3_rotate(v3_make(0.0f, 1.0f, 0.0f), shape->rotation),
                  v3_rotate(v3_make(0.0f, 0.0f, 1.0f), shape->rotation)};
    float core[3], radii[3], position[3], reach[3] = {0}, squared[3] = {0};
    v3_store(core, shape->core);
    v3_store(radii, shape->radii);
    v3_store(position, shape->position);
    for (int k = 0; k < 3; k++) {
        float axis[3];
        v3_store(axis, axes[k]);
        for (int i = 0; i < 3; i++) {
            reach[i] += fabsf(axis[i]) * core[k];
            squared[i] += axis[i] * axis[i] * radii[k] * radii[k];
        }
    }
    draw_bounds bounds;
    for (int i = 0; i < 3; i++) {
        reach[i] += sqrtf(squared[i]);
        bounds.low[i] = position[i] - reach[i];
        bounds.high[i] = position[i] + reach[i];
    }
    return bounds;
}

static draw_bounds mesh_bounds(const draw_body *body) {
    const toile_mesh_def *mesh = &body->def.mesh;
    draw_bounds bounds = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    v3 position = v3_load(body->pose.position);
    for (size_t i = 0; i < mesh->vertices; i++) {
        v3 turned = v3_rotate(v3_load(mesh->positions + 3 * i), body->pose.rotation);
        float place[3];
        v3_store(place, v3_add(position, turned));
        for (int k = 0; k < 3; k++) {
            bounds.low[k] = fminf(bounds.low[k], place[k]);
            bounds.high[k] = fmaxf(bounds.high[k], place[k]);
        }
    }
    return bounds;
}

draw_bounds body_bounds(const draw_body *body) {
    if (shape_is_mesh(body->def.shape)) {
        return mesh_bounds(body);
    }
    round_shape shape = round_shape_of(body);
    return round_shape_bounds(&shape);
}
