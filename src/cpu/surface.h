/* The surface of a body near a texel, for the implicit solver. */
#ifndef TOILE_CPU_SURFACE_H
#define TOILE_CPU_SURFACE_H

#include "cpu/shapes.h"
#include "kernel/contact.h"
#include "kernel/touch.h"

/* What texels touch: a shape, or with distance_to NULL the planes of the meshes near them. */
typedef struct toucher {
    const contact_args *contact;
    distance_function *distance_to;
} toucher;

__attribute__((always_inline)) static inline surface
surface_at(toucher t, const implicit_planes *c, size_t first, int i, v3 p, float substep) {
    if (t.distance_to) {
        const shape_args *s = &t.contact->shape;
        v4 hit = t.distance_to(to_shape(s, p), s->size);
        v3 velocity = contact_surface_velocity(s->velocity, s->spin, v3_sub(p, s->center));
        return (surface){from_shape(s, v4_xyz(hit)), v3_scale(velocity, substep),
                         hit.w - t.contact->distance, t.contact->friction, s->reflection};
    }
    const size_t k = first + (size_t)i;
    v3 n = v3_make(c->mx[k], c->my[k], c->mz[k]);
    return (surface){n, v3_make(c->wx[k], c->wy[k], c->wz[k]), v3_dot(n, p) - c->level[k],
                     c->friction[k], c->reflection[k]};
}

#endif
