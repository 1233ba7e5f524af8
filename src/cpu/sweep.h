/* The faces of a mesh that a moving thing may meet during a substep, in which they move, too. */
#ifndef TOILE_CPU_SWEEP_H
#define TOILE_CPU_SWEEP_H

#include "device/plan.h"
#include "kernel/ccd.h"
#include "kernel/shape.h"
#include "model/solid_walk.h"

typedef struct sweep {
    const solid *solid;
    const shape_args *shape;
    v3 low, high; /* box around all ways, in the frame of the shape */
} sweep;

/* Points of the mesh in the world at the start or the end of the substep. A mesh that deforms is in
 * the world's frame. */
static inline v3 sweep_place(const sweep *s, v3 p, bool end) {
    const shape_args *f = s->shape;
    if (solid_deforms(s->solid)) {
        return p;
    }
    return end ? v3_add(f->center, shape_world_direction(p, f->axis_x, f->axis_y, f->axis_z))
               : v3_add(f->from_center, shape_world_direction(p, f->from_x, f->from_y, f->from_z));
}

static inline solid_corners sweep_corners(const sweep *s, uint32_t face, bool end) {
    solid_corners c = solid_corners_at(s->solid, face, end ? s->shape->time : s->shape->from);
    return (solid_corners){sweep_place(s, c.a, end), sweep_place(s, c.b, end),
                           sweep_place(s, c.c, end)};
}

/* Around points that go straight through the world. In the frame of a body that turns, such a way
 * is bent. With p and q from a place of the body to the point, in that frame, at start and end, and
 * R the turn, they are (1 - t) p + t R q apart in the world, at most the margin m. Now (1 - t) + t
 * R leaves at least c of any length, the cosine of half the angle, so that |q| <= (m + (1 - t) |q -
 * p|) / c, and (1 - t) p + t q is longer than m by at most t |R - 1| |q|. moment: s, of the
 * substep. */
static inline sweep sweep_around(const solid *body, const shape_args *f, const v3 *from,
                                 const v3 *to, int count, float margin, float moment) {
    sweep s = {.solid = body, .shape = f};
    float longest = 0.0f;
    for (int i = 0; i < count; i++) {
        v3 a = shape_local_point(from[i], f->from_center, f->from_x, f->from_y, f->from_z);
        v3 b = shape_local_point(to[i], f->center, f->axis_x, f->axis_y, f->axis_z);
        v3 way = v3_sub(b, a), low = v3_min(a, b), high = v3_max(a, b);
        s.low = i == 0 ? low : v3_min(s.low, low);
        s.high = i == 0 ? high : v3_max(s.high, high);
        longest = k_max(longest, v3_dot(way, way));
    }
    float turn = k_sqrt(v3_dot(f->spin, f->spin)) * moment, wide = margin + 2.0f * body->grain;
    float cosine = k_sqrt(k_max(1.0f - 0.25f * turn * turn, CCD_ROUNDING));
    wide += turn * (0.25f * k_sqrt(longest) + wide) / cosine;
    s.low = ccd_box_low(s.low, wide);
    s.high = ccd_box_high(s.high, wide);
    return s;
}

typedef void sweep_visit(void *user, uint32_t face);

/* Visits the faces of all leaves whose boxes, during the substep, meet that of the ways. */
__attribute__((always_inline)) static inline void sweep_walk(const sweep *s, sweep_visit *visit,
                                                             void *user) {
    uint32_t stack[SOLID_DEPTH + 1];
    int waiting = 0;
    stack[waiting++] = 0;
    while (waiting > 0) {
        uint32_t index = stack[--waiting];
        const solid_node *n = &s->solid->nodes[index];
        const solid_boxes from = solid_boxes_at(s->solid, index, s->shape->from);
        const solid_boxes to = solid_boxes_at(s->solid, index, s->shape->time);
        for (int child = 0; child < 2; child++) {
            if (!ccd_boxes_meet(s->low, s->high, v3_min(from.low[child], to.low[child]),
                                v3_max(from.high[child], to.high[child]))) {
                continue;
            }
            if (n->count[child] == 0) {
                stack[waiting++] = n->first[child];
            }
            for (uint32_t i = 0; i < n->count[child]; i++) {
                visit(user, n->first[child] + i);
            }
        }
    }
}

#endif
