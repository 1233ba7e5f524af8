/* Walking the tree of a solid: the faces in a box. A ray along an axis is a box too. */
#ifndef TOILE_MODEL_SOLID_WALK_H
#define TOILE_MODEL_SOLID_WALK_H

#include "model/solid.h"

/* Halves of halves of the most triangles: the depth of a solid's tree, and what may wait while it
 * is walked. */
enum { SOLID_DEPTH = 24 };
_Static_assert((SOLID_TRIANGLES >> SOLID_DEPTH) == 0, "the tree is no deeper than that");

/* Of a face, by its number. false: enough, stop. */
typedef bool solid_visit(void *user, uint32_t face);

/* The other way round, for what is no number meets everything: nothing is missed for it. */
static inline bool boxes_meet(v3 low, v3 high, v3 other_low, v3 other_high) {
    return !((low.x > other_high.x) | (other_low.x > high.x) | (low.y > other_high.y) |
             (other_low.y > high.y) | (low.z > other_high.z) | (other_low.z > high.z));
}

/* Visits the faces of all leaves whose boxes, at a time of the step, meet the given one, in an
 * order that depends on the solid alone. Returns false if it was stopped. */
__attribute__((always_inline)) static inline bool
solid_walk_at(const solid *s, float time, v3 low, v3 high, solid_visit *visit, void *user) {
    uint32_t stack[SOLID_DEPTH + 1];
    int waiting = 0;
    stack[waiting++] = 0;
    while (waiting > 0) {
        uint32_t index = stack[--waiting];
        const solid_node *n = &s->nodes[index];
        const solid_boxes boxes =
            time > 0.0f ? solid_boxes_at(s, index, time)
                        : (solid_boxes){{n->low[0], n->low[1]}, {n->high[0], n->high[1]}};
        for (int child = 1; child >= 0; child--) {
            if (!boxes_meet(low, high, boxes.low[child], boxes.high[child])) {
                continue;
            }
            if (n->count[child] == 0) {
                stack[waiting++] = n->first[child];
                continue;
            }
            for (uint32_t i = 0; i < n->count[child]; i++) {
                if (!visit(user, n->first[child] + i)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* The same at the start of the step. */
static inline bool solid_walk(const solid *s, v3 low, v3 high, solid_visit *visit, void *user) {
    return solid_walk_at(s, 0.0f, low, high, visit, user);
}

#endif
