/* What a point that goes straight through a substep meets of the meshes, which move meanwhile: Wang
 * 2005 section 5.2 (W4), by kernel/ccd.h. */
#ifndef TOILE_CPU_PATH_H
#define TOILE_CPU_PATH_H

#include "cpu/passes.h"

/* The first contact from outside. What is inside may leave: it meets nothing on its way out. */
typedef struct path_hit {
    bool found;
    int body;
    uint32_t face;
    float time;               /* in substeps */
    v3 normal, end_normal;    /* unit, out of the body, then and at the end of the substep */
    v3 surface_from, surface; /* m, the point of the body at the start and at the end of it */
} path_hit;

/* The surface that is nearest to a point at the end of the substep, by the distance that is kept
 * from it. */
typedef struct path_end {
    int body;       /* -1: there is none */
    uint32_t face;  /* SOLID_NONE: it is far, and all that is known is how far at least */
    float distance; /* m, negative inside */
    float gap;      /* m, that without the distance that is kept */
    float nearest;  /* m, from the surface of any mesh */
    v3 normal;      /* unit, out of the body */
    v3 velocity;    /* m/s, of the surface */
} path_end;

/* m, that texels keep from a mesh. */
float path_distance(const pass_args *args, int body);
/* m, of a mesh that is met: nearer than this is a contact, found up to the tolerance early. */
float path_thickness(const pass_args *args, int body);
float path_tolerance(const pass_args *args, int body);
/* m, nearer than which it may have met it; the same for all meshes. */
float path_contact(const pass_args *args, int body);

/* Share of the velocity that a body gives back to what strikes it, 0 where PASS_REBOUND sees to it.
 */
float path_reflection(const pass_args *args, int body);

/* Is a point inside a mesh at the end of the substep, whatever the nearest surface says? Tells by
 * the winding number, which open meshes do not have: of those, nothing is. */
bool path_is_inside(const pass_args *args, int body, v3 point);

path_hit path_first_hit(const pass_args *args, v3 from, v3 to);

/* hint: the body and face that were nearest a moment ago; they do not change the result. */
path_end path_find_end(const pass_args *args, v3 point, int hint_body, uint32_t hint_face);

#endif
