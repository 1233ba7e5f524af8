#include "io/body_mesh.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/crease.h"
#include "model/rotation.h"
#include "model/shape_kind.h"

/* Round shapes are turned about y: rows from pole to pole, columns around. With 64 columns a sphere
 * of 0.3 m is flattened by less than half a millimetre. */
enum { COLUMNS = 64, SPHERE_ROWS = 33, CAPSULE_ROWS = SPHERE_ROWS + 1 };

static const double PI = 3.14159265358979323846;

static body_mesh_size lathe_size(size_t rows) {
    return (body_mesh_size){.vertices = (rows - 2) * COLUMNS + 2,
                            .triangles = 2 * (rows - 2) * COLUMNS};
}

body_mesh_size body_mesh_get_size(const toile_body_def *def) {
    switch (def->shape) {
    case TOILE_SHAPE_SPHERE:
    case TOILE_SHAPE_ELLIPSOID:
        return lathe_size(SPHERE_ROWS);
    case TOILE_SHAPE_CAPSULE:
        return lathe_size(CAPSULE_ROWS);
    case TOILE_SHAPE_BOX:
        return (body_mesh_size){.vertices = 24, .triangles = 12};
    case TOILE_SHAPE_SKINNED:
        return (body_mesh_size){def->mesh.vertices, def->mesh.triangle_count};
    case TOILE_SHAPE_MESH:
    case TOILE_SHAPE_DEFORMING:
        return (body_mesh_size){3 * def->mesh.triangle_count, def->mesh.triangle_count};
    case TOILE_SHAPE_PLANE:
        break;
    }
    return (body_mesh_size){.vertices = 4, .triangles = 2};
}

static void set_vertex(mesh_data *mesh, size_t i, const double position[3],
                       const double normal[3]) {
    for (size_t k = 0; k < 3; k++) {
        mesh->positions[3 * i + k] = (float)position[k];
        mesh->normals[3 * i + k] = (float)normal[k];
    }
}

static void set_triangle(mesh_data *mesh, size_t t, size_t a, size_t b, size_t c) {
    mesh->indices[3 * t] = (uint32_t)a;
    mesh->indices[3 * t + 1] = (uint32_t)b;
    mesh->indices[3 * t + 2] = (uint32_t)c;
}

/* The poles are one vertex each. */
static size_t lathe_vertex(size_t rows, size_t row, size_t column) {
    if (row == 0) {
        return 0;
    }
    if (row == rows - 1) {
        return (rows - 2) * COLUMNS + 1;
    }
    return 1 + (row - 1) * COLUMNS + column % COLUMNS;
}

static void lathe_triangles(mesh_data *mesh, size_t rows) {
    size_t t = 0;
    for (size_t row = 0; row + 1 < rows; row++) {
        for (size_t column = 0; column < COLUMNS; column++) {
            size_t upper = lathe_vertex(rows, row, column);
            size_t upper_next = lathe_vertex(rows, row, column + 1);
            size_t lower = lathe_vertex(rows, row + 1, column);
            size_t lower_next = lathe_vertex(rows, row + 1, column + 1);
            if (row + 2 < rows) {
                set_triangle(mesh, t++, upper, lower_next, lower);
            }
            if (row > 0) {
                set_triangle(mesh, t++, upper, upper_next, lower_next);
            }
        }
    }
}

/* A direction on the unit sphere; row counts SPHERE_ROWS from pole to pole. */
static void direction_at(size_t row, size_t column, double out[3]) {
    double polar = PI * (double)row / (SPHERE_ROWS - 1);
    double around = 2.0 * PI * (double)column / COLUMNS;
    out[0] = sin(polar) * cos(around);
    out[1] = cos(polar);
    out[2] = sin(polar) * sin(around);
}

/* The normal of the ellipsoid |p / r| = 1 is along p / r^2. */
static void make_ellipsoid(mesh_data *mesh, const double radii[3]) {
    for (size_t row = 0; row < SPHERE_ROWS; row++) {
        for (size_t column = 0; column < COLUMNS; column++) {
            double direction[3], position[3], normal[3], squared = 0.0;
            direction_at(row, column, direction);
            for (int k = 0; k < 3; k++) {
                position[k] = direction[k] * radii[k];
                normal[k] = direction[k] / radii[k];
                squared += normal[k] * normal[k];
            }
            for (int k = 0; k < 3; k++) {
                normal[k] /= sqrt(squared);
            }
            set_vertex(mesh, lathe_vertex(SPHERE_ROWS, row, column), position, normal);
        }
    }
    lathe_triangles(mesh, SPHERE_ROWS);
}

/* Two half spheres that share no row: the equator is there twice, half the axis up and down. */
static void make_capsule(mesh_data *mesh, const toile_body_def *def) {
    double half[3], length = 0.0;
    for (int k = 0; k < 3; k++) {
        half[k] = 0.5 * ((double)def->b[k] - (double)def->a[k]);
        length += half[k] * half[k];
    }
    quat turn = length > 0.0 ? quat_from_y_to(half) : quat_identity;
    double radius = (double)def->radii[0];
    for (size_t row = 0; row < CAPSULE_ROWS; row++) {
        bool upper = row <= SPHERE_ROWS / 2;
        for (size_t column = 0; column < COLUMNS; column++) {
            double direction[3], position[3], normal[3];
            direction_at(upper ? row : row - 1, column, direction);
            quat_rotate(turn, direction, normal);
            for (int k = 0; k < 3; k++) {
                position[k] = radius * normal[k] + (upper ? half[k] : -half[k]);
            }
            set_vertex(mesh, lathe_vertex(CAPSULE_ROWS, row, column), position, normal);
        }
    }
    lathe_triangles(mesh, CAPSULE_ROWS);
}

/* Four corners around a middle; u x v is the normal. */
static void make_quad(mesh_data *mesh, size_t quad, const double middle[3], const double u[3],
                      const double v[3], const double normal[3]) {
    static const double SIGNS[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    for (size_t i = 0; i < 4; i++) {
        double position[3];
        for (int k = 0; k < 3; k++) {
            position[k] = middle[k] + SIGNS[i][0] * u[k] + SIGNS[i][1] * v[k];
        }
        set_vertex(mesh, 4 * quad + i, position, normal);
    }
    set_triangle(mesh, 2 * quad, 4 * quad, 4 * quad + 1, 4 * quad + 2);
    set_triangle(mesh, 2 * quad + 1, 4 * quad, 4 * quad + 2, 4 * quad + 3);
}

static void make_box(mesh_data *mesh, const toile_body_def *def) {
    for (size_t face = 0; face < 6; face++) {
        size_t axis = face / 2, next = (axis + 1) % 3, last = (axis + 2) % 3;
        double sign = face % 2 ? -1.0 : 1.0;
        double middle[3] = {0.0}, u[3] = {0.0}, v[3] = {0.0}, normal[3] = {0.0};
        normal[axis] = sign;
        middle[axis] = sign * (double)def->half[axis];
        u[next] = sign * (double)def->half[next];
        v[last] = (double)def->half[last];
        make_quad(mesh, face, middle, u, v, normal);
    }
}

static void make_plane(mesh_data *mesh, const toile_body_def *def, const body_mesh_region *region) {
    double given[3], reach = (double)region->reach;
    for (int k = 0; k < 3; k++) {
        given[k] = (double)def->normal[k];
    }
    quat turn = quat_from_y_to(given);
    double u[3], v[3], normal[3], middle[3], distance = 0.0;
    quat_rotate(turn, (double[3]){0.0, 1.0, 0.0}, normal);
    quat_rotate(turn, (double[3]){0.0, 0.0, reach}, u);
    quat_rotate(turn, (double[3]){reach, 0.0, 0.0}, v);
    for (int k = 0; k < 3; k++) {
        middle[k] = (double)region->center[k] - (double)def->center[k];
        distance += middle[k] * normal[k];
    }
    for (int k = 0; k < 3; k++) {
        middle[k] -= distance * normal[k];
    }
    make_quad(mesh, 0, middle, u, v, normal);
}

/* Skin has no creases, however few triangles it is made of. */
static toile_result make_smooth(const toile_body_def *def, mesh_data *out) {
    const toile_mesh_def *given = &def->mesh;
    if (!mesh_allocate(out, given->vertices, given->triangle_count, true, false)) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the mesh of body '%s'",
                         def->name);
    }
    memcpy(out->positions, given->positions, 3 * given->vertices * sizeof *out->positions);
    memcpy(out->indices, given->triangles, 3 * given->triangle_count * sizeof *out->indices);
    mesh_view view = mesh_get_view(out, NULL);
    mesh_normals(&view, out->positions, out->normals);
    return TOILE_OK;
}

toile_result body_mesh_create(const toile_body_def *def, const body_mesh_region *region,
                              mesh_data *out) {
    if (def->shape == TOILE_SHAPE_SKINNED) {
        return make_smooth(def, out);
    }
    if (shape_is_mesh(def->shape)) {
        return mesh_make_creased(&def->mesh, out);
    }
    body_mesh_size size = body_mesh_get_size(def);
    if (!mesh_allocate(out, size.vertices, size.triangles, true, false)) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the mesh of body '%s'",
                         def->name);
    }
    const float *r = def->radii;
    switch (def->shape) {
    case TOILE_SHAPE_SPHERE:
        make_ellipsoid(out, (double[3]){(double)r[0], (double)r[0], (double)r[0]});
        break;
    case TOILE_SHAPE_ELLIPSOID:
        make_ellipsoid(out, (double[3]){(double)r[0], (double)r[1], (double)r[2]});
        break;
    case TOILE_SHAPE_CAPSULE:
        make_capsule(out, def);
        break;
    case TOILE_SHAPE_BOX:
        make_box(out, def);
        break;
    case TOILE_SHAPE_PLANE:
        make_plane(out, def, region);
        break;
    default: /* as above */
        break;
    }
    return TOILE_OK;
}
