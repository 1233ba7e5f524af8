/* Refinement of a coarse cloth with collision in depth layers: Wang 2005 chapter 6.
 *
 * A level of n x m vertices becomes one of (2n - 1) x (2m - 1). Vertices with two even coordinates
 * are old; a new one lies between two parents in its row or column, or four around it. Closed
 * bodies are peeled into layers, front to back. The depth layer of a vertex is the number of layers
 * in front of it. An odd one says that the vertex is inside (section 4.2). Old vertices are outside
 * already, so a new one that is inside has parents in front of the body it is in or behind it, and
 * these are the cases of section 6.5. With more than two layers, "in front" is: behind no more
 * layers than the surface through which the view enters that body.
 *
 * Beside the thesis':
 * - A layer keeps the slope of its surface in the pixel. A vertex is compared with that plane and
 *   not with the depth at the pixel's middle, which is off by half of what the surface rises in a
 *   pixel.
 * - Where a body overlaps itself, parity takes the overlap for outside. Winding numbers do not:
 *   surfaces that face the view count 1, those that face away -1, and inside is more than 0. */
#ifndef TOILE_KERNEL_REFINE_H
#define TOILE_KERNEL_REFINE_H

#include "kernel/ccd.h"
#include "kernel/triangle.h"
#include "kernel/vec.h"

/* In a pixel, planes of surfaces rise by no more pixels than this: steeper triangles are smaller
 * than what their plane would be taken for. */
#define REFINE_STEEP 4.0f

/* What is known of a vertex after its level. The first byte is its depth layer, in the view that
 * decided on it. */
#define REFINE_LAYERS    255    /* also: no view sees it */
#define REFINE_INSIDE    256    /* it was penetrating when it was interpolated, or too near */
#define REFINE_CORRECTED 512    /* it was moved out of a body */
#define REFINE_MOVED     1024   /* an old vertex that followed its children */
#define REFINE_HELD      2048   /* stays where the coarse cloth has it */
#define REFINE_CASE      4096   /* times its case */
#define REFINE_CASE_MASK 61440  /* where that is */
#define REFINE_FRESH     131072 /* it followed them in the last pass of that kind */
#define REFINE_REORDERED 65536  /* it was moved back before or behind other parts of the cloth */

/* Cases: section 6.5. Parents that no view sees, or that are inside themselves, make the last. */
#define REFINE_NO_CASE 0
#define REFINE_A1      1 /* two parents, both in front */
#define REFINE_A2      2 /* both behind */
#define REFINE_A3      3 /* one each */
#define REFINE_B1      4 /* four parents, all in front */
#define REFINE_B2      5 /* all behind */
#define REFINE_B3      6 /* three in front */
#define REFINE_B4      7 /* three behind */
#define REFINE_B5      8 /* two each */
#define REFINE_OTHER   9

/* A way to look at the scene. In clip space a point has the products with the four rows. begin and
 * end are where depth is 0 and 1, from the eye along the view. pixel is the width of one in m, or,
 * in perspective, per m of distance. 112 bytes, as std140 has it. */
KERNEL_STRUCT(refine_view) {
    v4 x, y, z, w;
    v3 eye;
    float begin;
    v3 forward; /* unit */
    float end;
    float pixel;
    float perspective; /* 1: lines of sight meet in the eye; 0: they are parallel */
    float unused_a, unused_b;
};

/* ---- interpolation (section 6.3) ----------------------------------------------------------------
 */

/* Between the corners of a cell of the upper level: a and b in one row, c and d in the next. u and
 * v are 0, 1/2 or 1, for which all products are exact. */
KERNEL_FN v3 refine_interpolate(v3 a, v3 b, v3 c, v3 d, float u, float v) {
    return v3_mix(v3_mix(a, b, u), v3_mix(c, d, u), v);
}

/* ---- views --------------------------------------------------------------------------------------
 */

KERNEL_FN float refine_row(v4 row, v3 p) {
    return row.x * p.x + row.y * p.y + row.z * p.z + row.w;
}

/* Where a point is in an image of so many pixels a side, its depth from 0 to 1, and in w what says
 * whether it is before the eye. */
KERNEL_FN v4 refine_project(refine_view view, float side, v3 p) {
    float w = refine_row(view.w, p);
    float inverse = 0.5f / k_max(w, KERNEL_TINY);
    v3 at = v3_make((refine_row(view.x, p) * inverse + 0.5f) * side,
                    (refine_row(view.y, p) * inverse + 0.5f) * side,
                    refine_row(view.z, p) * inverse + 0.5f);
    return v4_make(at, w);
}

KERNEL_FN bool refine_seen(v4 projected, float side) {
    return projected.w > KERNEL_TINY && projected.x >= 0.0f && projected.x < side &&
           projected.y >= 0.0f && projected.y < side;
}

/* Distance from the eye along the view, m. */
KERNEL_FN float refine_distance(refine_view view, v3 p) {
    return v3_dot(v3_sub(p, view.eye), view.forward);
}

KERNEL_FN float refine_depth_distance(refine_view view, float depth) {
    float range = view.end - view.begin;
    float divisor = k_max(view.end - depth * range, KERNEL_TINY);
    return k_select(view.perspective > 0.5f, view.begin * view.end / divisor,
                    view.begin + depth * range);
}

/* How much depth a metre along the view is, at a distance. */
KERNEL_FN float refine_depth_of_metre(refine_view view, float distance) {
    float range = view.end - view.begin;
    return k_select(view.perspective > 0.5f,
                    view.begin * view.end / (range * k_max(distance, KERNEL_TINY)), 1.0f / range);
}

/* How much depth REFINE_STEEP pixels are, at a distance. */
KERNEL_FN float refine_steep(refine_view view, float distance) {
    return REFINE_STEEP * view.pixel * refine_depth_of_metre(view, distance);
}

/* The depth of a layer's surface where a point is. A layer has the depth of its pixel's middle, how
 * that changes to the next column and row, and what is seen: triangle + 1, negative when it faces
 * away, and 0 for nothing. */
KERNEL_FN float refine_surface_depth(v4 layer, v4 projected, float steep) {
    float column = projected.x - k_floor(projected.x) - 0.5f;
    float row = projected.y - k_floor(projected.y) - 0.5f;
    float rise = layer.y * column + layer.z * row;
    return layer.x + k_max(-steep, k_min(steep, rise));
}

/* Is a layer in front of a vertex? Those that face the view are from `near` before it is through
 * them, and others until it is as far behind them: so what is nearer to a surface than that counts
 * as inside. Of three views along axes one sees any surface at 55 degrees or less from its normal,
 * and things as far from it appear at most 1.74 times as far along that view. */
#define REFINE_ASKEW 1.74f

KERNEL_FN bool refine_is_ahead(v4 layer, v4 projected, float steep, float near) {
    float surface = refine_surface_depth(layer, projected, steep);
    return surface < projected.z + k_select(layer.w > 0.0f, near, -near);
}

/* ---- the depth layer of a vertex (section 6.4) --------------------------------------------------
 */

/* layers: how many are in front; -1: not seen. front, back: the layers through which the view
 * enters and leaves the body that the vertex is in; -1: none. */
KERNEL_STRUCT(refine_place) {
    float layers, winding, front, back, running;
};

KERNEL_FN refine_place refine_place_begin(bool seen) {
    refine_place place;
    place.layers = k_select(seen, 0.0f, -1.0f);
    place.winding = 0.0f;
    place.front = -1.0f;
    place.back = -1.0f;
    place.running = 0.0f;
    return place;
}

KERNEL_FN bool refine_odd(float count) {
    return count - 2.0f * k_floor(0.5f * count) > 0.5f;
}

/* The next layer, from front to back. facing: 1 or -1. ahead: it is in front of the vertex. */
KERNEL_FN refine_place refine_place_add(refine_place place, float index, float facing, bool ahead,
                                        bool by_winding) {
    refine_place p = place;
    p.running = place.running + facing;
    bool enters = place.running <= 0.0f && p.running > 0.0f;
    bool leaves = place.running > 0.0f && p.running <= 0.0f;
    if (!by_winding) {
        enters = !refine_odd(place.layers);
        leaves = true;
    }
    if (ahead) {
        p.layers = place.layers + 1.0f;
        p.winding = place.winding + facing;
        p.front = k_select(enters, index, place.front);
    } else if (place.back < 0.0f && leaves) {
        p.back = index;
    }
    return p;
}

/* Layers, winding, front and back, as they are stored. Planes of steep layers may change places in
 * a pixel, and then there is no front to go by: another view will tell. */
KERNEL_FN bool refine_is_inside(v4 place, bool by_winding) {
    bool inside = by_winding ? place.y > 0.5f : refine_odd(place.x);
    return place.x >= 0.0f && place.z >= 0.0f && inside;
}

/* Several views: inside is what more than half of those say that see the vertex. Near an outline a
 * pixel may take the outside for the inside, but a surface is grazed by few of the views. `any`
 * asks for one only: for corrections that look again in space. */
KERNEL_FN bool refine_agree(int inside, int seen, bool any) {
    return any ? inside > 0 : 2 * inside > seen;
}

/* ---- cases (section 6.5) ------------------------------------------------------------------------
 */

/* 1: this parent is in front of the body that the vertex is in, -1: behind it, 0: neither. */
KERNEL_FN int refine_side(v4 place, v4 parent, bool by_winding) {
    if (parent.x < 0.0f || refine_is_inside(parent, by_winding)) {
        return 0;
    }
    if (parent.x <= place.z) {
        return 1;
    }
    return parent.x > place.w ? -1 : 0;
}

KERNEL_FN int refine_case(int parents, int front, int back) {
    if (parents == 2 && front + back == 2) {
        return front == 2 ? REFINE_A1 : back == 2 ? REFINE_A2 : REFINE_A3;
    }
    if (parents == 4 && front + back == 4) {
        return front == 4   ? REFINE_B1
               : back == 4  ? REFINE_B2
               : front == 3 ? REFINE_B3
               : back == 3  ? REFINE_B4
                            : REFINE_B5;
    }
    return REFINE_OTHER;
}

/* Section 6.6, 1: the majority of parents, ties to the front. Without a back there is only the
 * front: peeling stopped before it. */
KERNEL_FN bool refine_to_front(int front, int back, v4 place) {
    return front >= back || place.w < 0.0f;
}

/* ---- correction (section 6.6) -------------------------------------------------------------------
 */

/* Along the line of sight to the depth of a surface, and off it by the thickness. */
KERNEL_FN v3 refine_push(refine_view view, v3 p, float depth, v3 normal, float thickness) {
    float distance = refine_distance(view, p);
    float way = refine_depth_distance(view, depth) - distance;
    v3 to_eye = v3_scale(v3_sub(p, view.eye), 1.0f / k_max(distance, 1e-6f));
    v3 sight = v3_select(view.perspective > 0.5f, to_eye, view.forward);
    return v3_madd(v3_madd(p, sight, way), normal, thickness);
}

KERNEL_FN v3 refine_normal(v3 a, v3 b, v3 c) {
    v3 normal = v3_cross(v3_sub(b, a), v3_sub(c, a));
    return v3_scale(normal, 1.0f / k_sqrt(k_max(v3_dot(normal, normal), 1e-36f)));
}

/* On which side of the line from a to b the origin is: 1 or -1, 0 where both are one point. A line
 * through the origin is decided as if the origin lay a little to the right, and still less above:
 * the same for both triangles of an edge, so that a ray between them hits one. */
KERNEL_FN float refine_line_side(v3 a, v3 b) {
    float area = a.x * b.y - a.y * b.x;
    float side = k_select(area != 0.0f, area, k_select(a.y != b.y, a.y - b.y, b.x - a.x));
    return k_select(side > 0.0f, 1.0f, k_select(side < 0.0f, -1.0f, 0.0f));
}

/* What a triangle, given from p, adds to the winding number of p: a ray up along z leaves through
 * it (1), enters (-1) or misses. */
KERNEL_FN int refine_crossing(v3 a, v3 b, v3 c) {
    float ab = refine_line_side(a, b);
    float bc = refine_line_side(b, c);
    float ca = refine_line_side(c, a);
    if (ab != bc || bc != ca || ab == 0.0f) {
        return 0;
    }
    float at_c = k_abs(a.x * b.y - a.y * b.x);
    float at_a = k_abs(b.x * c.y - b.y * c.x);
    float at_b = k_abs(c.x * a.y - c.y * a.x);
    float height = at_a * a.z + at_b * b.z + at_c * c.z;
    return height > 0.0f ? (ab > 0.0f ? 1 : -1) : 0;
}

/* Could that ray meet something in a box? */
KERNEL_FN bool refine_ray_meets(v3 p, v3 low, v3 high) {
    return p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z <= high.z;
}

/* Is a triangle one to keep away from, at p? Inside of bodies it is one to leave them by, which has
 * p on its inner side and faces `side`, a direction, or 0 for any. Where bodies overlap each other,
 * or themselves, not all of these lead out: a way that ends inside is none, and the nearest of the
 * others is taken. Outside it has p before it. */
KERNEL_FN bool refine_is_exit(v3 p, v3 a, v3 normal, v3 side, bool inside) {
    float height = v3_dot(v3_sub(p, a), normal);
    return inside ? height < 0.0f && v3_dot(normal, side) >= 0.0f : height >= 0.0f;
}

/* m^2, farther than any way out. */
#define REFINE_FAR 1e30f

/* Section 6.6, 2: to the nearest surface point, from which p is at `offset`, and as far out of it
 * as the thickness. */
KERNEL_FN v3 refine_out(v3 p, v3 offset, v3 normal, float thickness, bool inside) {
    float squared = v3_dot(offset, offset);
    float length = k_sqrt(k_max(squared, 1e-30f));
    v3 out_of = v3_scale(offset, k_select(inside, -1.0f, 1.0f) / length);
    return v3_madd(v3_sub(p, offset), v3_select(squared > 1e-14f, out_of, normal), thickness);
}

/* Section 6.6, 3, which the thesis leaves open: on which side the vertex was. In the step it went
 * straight from where it was to p while each triangle went from its start to its end; the first
 * that it met is the surface it went through. Returns whether, and when. */
KERNEL_FN ccd_hit refine_met(v3 before, v3 p, v3 start_a, v3 start_b, v3 start_c, v3 a, v3 b,
                             v3 c) {
    return ccd_first_contact(ccd_from_triangle(before, start_a, start_b, start_c),
                             ccd_from_triangle(p, a, b, c), 0.0f, 1e-5f);
}

/* ---- forces on new vertices (chapter 8, 3) ------------------------------------------------------
 *
 * A new vertex keeps its own motion: Verlet from its last two places. Then springs to its eight
 * neighbours act as distance constraints (Jacobi with averaging, Schmitt 2013 section 5), whose old
 * ends do not move. */

KERNEL_FN v3 refine_advance(v3 last, v3 before, v3 fall, float kept) {
    return v3_add(v3_madd(last, v3_sub(last, before), kept), fall);
}

/* What one spring does to its end p. share: 1 where the other end stays, or else 1/2. */
KERNEL_FN v3 refine_pull(v3 p, v3 other, float rest, float share) {
    v3 way = v3_sub(other, p);
    float length = k_sqrt(k_max(v3_dot(way, way), KERNEL_TINY));
    return v3_scale(way, share * (length - rest) / length);
}

/* ---- cloth against cloth (chapter 8, 4) ---------------------------------------------------------
 *
 * The level above is peeled like a body, triangle by triangle with the number of its cell. A new
 * vertex must be behind as many layers of other parts of the cloth as its parents, if these agree;
 * or else it went through one, and is put back along the view. */

/* Cells of the new level: what is nearer in the grid is no other part. */
#define REFINE_APART 6

/* Is a layer, of triangles 2 i and 2 i + 1 for cell i, another part than the vertex? */
KERNEL_FN bool refine_is_other(float id, int cells, int column, int row) {
    int cell = (k_int(k_abs(id)) - 1) / 2;
    int right = 2 * (cell - cell / cells * cells) + 1 - column;
    int down = 2 * (cell / cells) + 1 - row;
    return right > REFINE_APART || right < -REFINE_APART || down > REFINE_APART ||
           down < -REFINE_APART;
}

/* Which layer, of those of other parts, a vertex behind `own` of them has to be next to, when its
 * parents are behind `wanted`. */
KERNEL_FN int refine_order_layer(int own, int wanted) {
    return own > wanted ? wanted : wanted - 1;
}

/* ---- parents that follow their children (chapter 8, 2) ------------------------------------------
 *
 * Figure 6.9 (b): a child was pushed out, its parents stay, and the springs between them stretch.
 * What a spring is longer than allowed pulls its old end towards the child. */

KERNEL_FN v3 refine_follow(v3 parent, v3 child, float longest) {
    v3 way = v3_sub(child, parent);
    float length = k_sqrt(k_max(v3_dot(way, way), KERNEL_TINY));
    return v3_scale(way, k_max(length - longest, 0.0f) / length);
}

#endif
