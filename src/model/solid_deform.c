/* Meshes that deform. Nothing is made anew for a step but boxes, corners and the ends themselves:
 * normals, of which a search needs a few, are found where they are asked for. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/triangle.h"
#include "model/solid_build.h"

/* ---- places and normals at a time ---------------------------------------------------------------
 */

solid_corners solid_corners_at(const solid *s, uint32_t face, float time) {
    const solid_face *f = &s->faces[face];
    if (!s->ends) {
        return (solid_corners){f->a, f->b, f->c};
    }
    const solid_corners *end = &s->end_corners[face];
    return (solid_corners){v3_mix(f->a, end->a, time), v3_mix(f->b, end->b, time),
                           v3_mix(f->c, end->c, time)};
}

v3 solid_point(const solid *s, uint32_t face, v3 weights, float time) {
    solid_corners at = solid_corners_at(s, face, time);
    return v3_madd(v3_madd(v3_scale(at.a, weights.x), at.b, weights.y), at.c, weights.z);
}

static v3 normal_of(const solid *s, uint32_t half_edge, float time) {
    uint32_t first = half_edge - half_edge % 3;
    return triangle_normal(solid_corner(s, first, time), solid_corner(s, first + 1, time),
                           solid_corner(s, first + 2, time));
}

float solid_corner_angle(const solid *s, uint32_t half_edge, float time) {
    v3 at = solid_corner(s, half_edge, time);
    v3 next = solid_corner(s, half_edge_next(half_edge), time);
    v3 before = solid_corner(s, half_edge_next(half_edge_next(half_edge)), time);
    return angle_between(v3_sub(next, at), v3_sub(before, at));
}

/* The other half edge that starts at the same vertex, of the neighbour on one side; SOLID_NONE at
 * the border of an open mesh. */
static uint32_t turn_left(const solid *s, uint32_t half_edge) {
    return s->twins[half_edge_next(half_edge_next(half_edge))];
}

static uint32_t turn_right(const solid *s, uint32_t half_edge) {
    uint32_t twin = s->twins[half_edge];
    return twin == SOLID_NONE ? SOLID_NONE : half_edge_next(twin);
}

/* Around a vertex, from the border where there is one, so that all faces of the fan sum alike. */
static v3 fan_normal(const solid *s, uint32_t half_edge, float time) {
    uint32_t first = half_edge, lowest = half_edge;
    for (uint32_t h = turn_left(s, half_edge); h != half_edge; h = turn_left(s, h)) {
        if (h == SOLID_NONE) {
            lowest = first;
            break;
        }
        first = h;
        lowest = h < lowest ? h : lowest;
    }
    v3 sum = {0.0f, 0.0f, 0.0f};
    uint32_t h = lowest;
    do {
        sum = v3_madd(sum, normal_of(s, h, time), solid_corner_angle(s, h, time));
        h = turn_right(s, h);
    } while (h != lowest && h != SOLID_NONE);
    return sum;
}

static v3 edge_normal(const solid *s, uint32_t half_edge, float time) {
    uint32_t twin = s->twins[half_edge];
    if (twin == SOLID_NONE) {
        return normal_of(s, half_edge, time);
    }
    uint32_t low = half_edge < twin ? half_edge : twin, high = half_edge < twin ? twin : half_edge;
    return v3_add(normal_of(s, low, time), normal_of(s, high, time));
}

v3 solid_part_normal(const solid *s, uint32_t face, uint32_t part, float time) {
    uint32_t half_edge = 3 * s->face_triangle[face] + part % 3;
    v3 sum = part < 3 ? fan_normal(s, half_edge, time) : edge_normal(s, half_edge, time);
    float squared = v3_dot(sum, sum);
    return squared > 1e-12f ? v3_scale(sum, 1.0f / k_sqrt(squared)) : normal_of(s, half_edge, time);
}

/* ---- steps --------------------------------------------------------------------------------------
 */

static solid_corners end_corners_of(const solid *s, uint32_t triangle) {
    const uint32_t *v = s->triangles + 3 * (size_t)triangle;
    return (solid_corners){solid_vertex(s->ends + 3 * (size_t)v[0]),
                           solid_vertex(s->ends + 3 * (size_t)v[1]),
                           solid_vertex(s->ends + 3 * (size_t)v[2])};
}

/* Children have greater numbers than their parents. */
static void fit_boxes(solid *s) {
    for (uint32_t i = s->node_count; i-- > 0;) {
        const solid_node *node = &s->nodes[i];
        for (int child = 0; child < 2; child++) {
            uint32_t first = node->first[child];
            v3 low, high;
            if (node->count[child] == 0) {
                const solid_boxes *below = &s->end_boxes[first];
                low = v3_min(below->low[0], below->low[1]);
                high = v3_max(below->high[0], below->high[1]);
            } else {
                low = high = s->end_corners[first].a;
                for (uint32_t f = first; f < first + node->count[child]; f++) {
                    const solid_corners *c = &s->end_corners[f];
                    low = v3_min(low, v3_min(c->a, v3_min(c->b, c->c)));
                    high = v3_max(high, v3_max(c->a, v3_max(c->b, c->c)));
                }
            }
            s->end_boxes[i].low[child] = low;
            s->end_boxes[i].high[child] = high;
        }
    }
}

void solid_aim(solid *s) {
    float longest = 0.0f;
    for (size_t v = 0; v < s->vertices; v++) {
        v3 way = v3_sub(solid_vertex(s->ends + 3 * v), solid_vertex(s->positions + 3 * v));
        longest = k_max(longest, v3_dot(way, way));
    }
    s->longest_way = k_sqrt(longest);
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        s->end_corners[i] = end_corners_of(s, s->face_triangle[i]);
    }
    fit_boxes(s);
    v3 low = v3_min(s->end_boxes[0].low[0], s->end_boxes[0].low[1]);
    v3 high = v3_max(s->end_boxes[0].high[0], s->end_boxes[0].high[1]);
    s->grain = k_max(solid_grain(s->low, s->high), solid_grain(low, high));
}

void solid_arrive(solid *s) {
    memcpy(s->positions, s->ends, 3 * s->vertices * sizeof *s->ends);
    for (size_t i = 0; i < s->triangle_count; i++) {
        const solid_corners *c = &s->end_corners[i];
        s->faces[i] = (solid_face){c->a, c->b, c->c, triangle_normal(c->a, c->b, c->c)};
    }
    for (uint32_t i = 0; i < s->node_count; i++) {
        memcpy(s->nodes[i].low, s->end_boxes[i].low, sizeof s->nodes[i].low);
        memcpy(s->nodes[i].high, s->end_boxes[i].high, sizeof s->nodes[i].high);
    }
    s->low = v3_min(s->nodes[0].low[0], s->nodes[0].low[1]);
    s->high = v3_max(s->nodes[0].high[0], s->nodes[0].high[1]);
    s->grain = solid_grain(s->low, s->high);
    s->longest_way = 0.0f;
    s->arrivals++;
}

toile_result solid_begin_deforming(solid *s) {
    const char *what = "a mesh that deforms";
    s->ends = memory_alloc(3 * s->vertices, sizeof *s->ends, what);
    s->end_boxes = memory_alloc(s->node_count, sizeof *s->end_boxes, what);
    s->end_corners = memory_alloc(s->triangle_count, sizeof *s->end_corners, what);
    if (!s->ends || !s->end_boxes || !s->end_corners) {
        return TOILE_ERROR_MEMORY;
    }
    memcpy(s->ends, s->positions, 3 * s->vertices * sizeof *s->ends);
    solid_aim(s);
    solid_arrive(s);
    return TOILE_OK;
}
