#include "model/shape_surface.h"

#include <math.h>

#include "base/memory.h"
#include "kernel/vec.h"

/* Triangles around a round shape and from pole to pole: they lie within 0.03 % of its radius. */
enum { AROUND = 128, ALONG = 64 };

bool shape_is_round(toile_shape_kind kind) {
    return kind == TOILE_SHAPE_SPHERE || kind == TOILE_SHAPE_ELLIPSOID ||
           kind == TOILE_SHAPE_CAPSULE;
}

typedef struct corner {
    v3 place, normal;
} corner;

static v3 unit(v3 a) {
    return v3_scale(a, v3_inverse_length(a));
}

static void put_face(solid *out, corner a, corner b, corner c) {
    size_t number = out->triangle_count++;
    v3 normal = v3_cross(v3_sub(b.place, a.place), v3_sub(c.place, a.place));
    out->faces[number] = (solid_face){a.place, b.place, c.place, unit(normal)};
    v3 *parts = out->part_normals + SOLID_PARTS * number;
    parts[0] = a.normal;
    parts[1] = b.normal;
    parts[2] = c.normal;
}

/* Of a ball, stretched to an ellipsoid, or cut at its equator and drawn apart to a capsule. */
static corner round_corner(toile_shape_kind kind, v3 size, int column, int row) {
    const double turn = 6.283185307179586;
    double polar = 0.5 * turn * row / ALONG, around = turn * (column % AROUND) / AROUND;
    v3 n = v3_make((float)(sin(polar) * sin(around)), (float)-cos(polar),
                   (float)(sin(polar) * cos(around)));
    if (kind == TOILE_SHAPE_CAPSULE) {
        v3 middle = v3_make(0.0f, row > ALONG / 2 ? size.y : -size.y, 0.0f);
        return (corner){v3_madd(middle, n, size.x), n};
    }
    v3 radii = kind == TOILE_SHAPE_SPHERE ? v3_make(size.x, size.x, size.x) : size;
    return (corner){v3_mul(n, radii), unit(v3_make(n.x / radii.x, n.y / radii.y, n.z / radii.z))};
}

static void put_round(solid *out, toile_shape_kind kind, v3 size) {
    for (int row = 0; row < ALONG; row++) {
        for (int column = 0; column < AROUND; column++) {
            corner a = round_corner(kind, size, column, row);
            corner b = round_corner(kind, size, column + 1, row);
            corner c = round_corner(kind, size, column + 1, row + 1);
            corner d = round_corner(kind, size, column, row + 1);
            if (row > 0) {
                put_face(out, a, b, c);
            }
            if (row + 1 < ALONG) {
                put_face(out, a, c, d);
            }
        }
    }
}

/* The corner of a box's face: its axis, its side, and two more signs. */
static corner box_corner(v3 size, int axis, float side, float u, float v) {
    v3 at = v3_make(side, u, v), normal = v3_make(side, 0.0f, 0.0f);
    for (int k = 0; k < axis; k++) {
        at = v3_make(at.z, at.x, at.y);
        normal = v3_make(normal.z, normal.x, normal.y);
    }
    return (corner){v3_mul(at, size), normal};
}

static void put_box(solid *out, v3 size) {
    for (int face = 0; face < 6; face++) {
        float side = face % 2 ? 1.0f : -1.0f;
        corner a = box_corner(size, face / 2, side, -side, -1.0f);
        corner b = box_corner(size, face / 2, side, side, -1.0f);
        corner c = box_corner(size, face / 2, side, side, 1.0f);
        corner d = box_corner(size, face / 2, side, -side, 1.0f);
        put_face(out, a, b, c);
        put_face(out, a, c, d);
    }
}

static void put_extent(solid *out) {
    out->low = out->high = out->faces[0].a;
    for (size_t t = 0; t < out->triangle_count; t++) {
        const v3 corners[3] = {out->faces[t].a, out->faces[t].b, out->faces[t].c};
        for (int k = 0; k < 3; k++) {
            v3 p = corners[k];
            out->low =
                v3_make(k_min(out->low.x, p.x), k_min(out->low.y, p.y), k_min(out->low.z, p.z));
            out->high =
                v3_make(k_max(out->high.x, p.x), k_max(out->high.y, p.y), k_max(out->high.z, p.z));
        }
    }
}

toile_result shape_surface(solid *out, toile_shape_kind kind, v3 size) {
    size_t room = kind == TOILE_SHAPE_BOX ? 12 : 2 * AROUND * ALONG;
    *out = (solid){.faces = memory_alloc(room, sizeof *out->faces, "the surface of a shape"),
                   .part_normals = memory_alloc(SOLID_PARTS * room, sizeof *out->part_normals,
                                                "the surface of a shape")};
    if (!out->faces || !out->part_normals) {
        solid_free(out);
        return TOILE_ERROR_MEMORY;
    }
    if (kind == TOILE_SHAPE_BOX) {
        put_box(out, size);
    } else {
        put_round(out, kind, size);
    }
    put_extent(out);
    return TOILE_OK;
}
