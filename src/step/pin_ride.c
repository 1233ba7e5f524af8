/* Pins that ride on a body that deforms (Wang 2005 section 5.1, W2): each texel keeps its place
 * beside the triangle that was nearest to it when the pin was made. The texels of a point or a
 * corner keep theirs beside the one that was nearest to their middle: they are a patch that is held
 * as one, and must not be torn where one of them is nearest to an arm and the next to the trunk. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/triangle.h"
#include "step/world.h"

typedef struct pin_ride {
    uint32_t face;
    v3 weights; /* of its corners in the nearest point */
    v3 beside;  /* m, from there to the texel, in the frame of the face */
} pin_ride;

/* A frame that goes along with a face: one side, across it, and the normal. */
typedef struct face_frame {
    v3 along, across, normal;
} face_frame;

static face_frame frame_of(const solid_corners *c) {
    v3 side = v3_sub(c->b, c->a);
    face_frame f = {.normal = triangle_normal(c->a, c->b, c->c)};
    f.along = v3_scale(side, v3_inverse_length(side));
    f.across = v3_cross(f.normal, f.along);
    return f;
}

/* On what is nearest to a point. */
static pin_ride ride_of(const solid *s, v3 texel, v3 point) {
    solid_touch touch = solid_nearest(s, point, INFINITY, 0.0f, SOLID_NONE);
    solid_corners c = solid_corners_at(s, touch.face, 0.0f);
    face_frame f = frame_of(&c);
    v3 beside = v3_sub(texel, solid_point(s, touch.face, touch.weights, 0.0f));
    return (pin_ride){
        touch.face, touch.weights,
        v3_make(v3_dot(beside, f.along), v3_dot(beside, f.across), v3_dot(beside, f.normal))};
}

static v3 place_of(const solid *s, const pin_ride *r) {
    solid_corners c = solid_corners_at(s, r->face, 1.0f);
    face_frame f = frame_of(&c);
    v3 place = solid_point(s, r->face, r->weights, 1.0f);
    place = v3_madd(place, f.along, r->beside.x);
    place = v3_madd(place, f.across, r->beside.y);
    return v3_madd(place, f.normal, r->beside.z);
}

toile_result pin_begin_ride(const toile_world *w, pin *p) {
    const solid *s = &world_body_at(w, p->body - 1)->body.solid;
    p->rides = memory_alloc(p->count, sizeof *p->rides, "pinned texels");
    p->end_anchors = memory_alloc(p->count, 3 * sizeof *p->end_anchors, "pinned texels");
    if (!p->rides || !p->end_anchors) {
        return TOILE_ERROR_MEMORY;
    }
    bool patch = p->kind == TOILE_PIN_POINT || p->kind == TOILE_PIN_CORNER;
    v3 middle = v3_make((float)p->middle[0], (float)p->middle[1], (float)p->middle[2]);
    for (size_t t = 0; t < p->count; t++) {
        const float *at = p->anchors + 3 * t;
        v3 texel = v3_make(at[0], at[1], at[2]);
        p->rides[t] = ride_of(s, texel, patch ? middle : texel);
    }
    return TOILE_OK;
}

void pin_aim_ride(const toile_world *w, pin *p) {
    const solid *s = &world_body_at(w, p->body - 1)->body.solid;
    for (size_t t = 0; t < p->count; t++) {
        v3 place = place_of(s, &p->rides[t]);
        float *out = p->end_anchors + 3 * t;
        out[0] = place.x;
        out[1] = place.y;
        out[2] = place.z;
    }
}

void pin_arrive(pin *p) {
    p->now = p->next;
    if (p->rides) {
        memcpy(p->anchors, p->end_anchors, 3 * (size_t)p->count * sizeof *p->anchors);
    }
}
