/* Each texel by itself: where its velocity leads in the substep is compared with meshes.
 *
 * - What it meets on its way, from outside, decides on which side it stays.
 * - Where it ends too near to a surface, that surface is a plane of contact as in kernel/contact.h.
 *   So what rests is held by distance, with friction, and does not meet anything at all.
 * - What ends inside without having met anything was inside before. It is brought out.
 *
 * Each of these changes the way, which is then looked at again. */
#include "cpu/ccd.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cpu/edges.h"
#include "cpu/path.h"
#include "kernel/ccd.h"
#include "kernel/contact.h"

/* The most looks at a way, and the share of its distance that a texel keeps at each. What two
 * surfaces press between them has less room each time. */
static const float shares[] = {1.0f, 1.0f, 0.75f, 0.5f, 0.25f, 0.25f};
enum { LOOKS = sizeof shares / sizeof *shares };

/* Of the distance kept: a shift by less is not worth another look. */
static const float LITTLE = 0.01f;

/* Of the distance kept: texels this near to a part of a body may be caught by another one. */
static const float CAUGHT = 2.0f;

/* m/s, at which texels are brought out. */
static const float OUT_SPEED = 1.0f;

/* m, deeper than which a texel is inside, and not off by rounding. */
static const float INSIDE = 1e-5f;

/* Of what is known to be free, what is used: the rest is rounding. */
static const float FREE = 0.99f;

static bool create_edges(ccd_state *s, size_t rows) {
    const char *what = "continuous collision of edges";
    s->to = memory_alloc(s->count, sizeof *s->to, what);
    s->room = memory_alloc(s->count, sizeof *s->room, what);
    s->changed = memory_alloc(s->count, sizeof *s->changed, what);
    s->met = memory_alloc(s->count, sizeof *s->met, what);
    s->row_changed = memory_alloc(rows, sizeof *s->row_changed, what);
    s->row_met = memory_alloc(rows, sizeof *s->row_met, what);
    s->pushes = memory_alloc(CCD_PARTS * s->count, sizeof *s->pushes, what);
    s->bytes += s->count * (sizeof *s->to + sizeof *s->room + sizeof *s->changed + sizeof *s->met +
                            CCD_PARTS * sizeof *s->pushes);
    return s->to && s->room && s->changed && s->met && s->row_changed && s->row_met && s->pushes;
}

toile_result ccd_create(ccd_state *s, const grid *g, bool edges) {
    *s = (ccd_state){.count = g->size, .bytes = g->size * (sizeof *s->clear + sizeof *s->from)};
    s->clear = memory_alloc(s->count, sizeof *s->clear, "continuous collision");
    s->from = memory_alloc(s->count, sizeof *s->from, "continuous collision");
    if (!s->clear || !s->from || (edges && !create_edges(s, (size_t)g->rows + 1))) {
        ccd_free(s);
        return TOILE_ERROR_MEMORY;
    }
    return TOILE_OK;
}

void ccd_free(ccd_state *s) {
    free(s->clear);
    free(s->from);
    free(s->to);
    free(s->room);
    free(s->changed);
    free(s->met);
    free(s->row_changed);
    free(s->row_met);
    free(s->pushes);
    *s = (ccd_state){0};
}

void ccd_forget(ccd_state *s) {
    for (size_t i = 0; i < s->count; i++) {
        s->clear[i].radius = 0.0f;
        s->clear[i].outside = false;
    }
}

typedef struct texel {
    v3 from;      /* m, where it is at the start of the substep */
    v3 x, v;      /* where it is put then, and its velocity: at the end it is at x + v substep */
    v3 pushed;    /* unit, the last push out of a surface that it was too near to; 0: none */
    bool pinched; /* two surfaces leave it too little room; it is in the middle */
    bool outside; /* of all parts, at the start */
    bool met;     /* something on its way */
    bool inside;
    bool caught; /* there is no room for it */
} texel;

static v3 end_of(const pass_args *args, const texel *t) {
    return v3_madd(t->x, t->v, args->plan->substep);
}

/* A shift is no motion (kernel/contact.h). */
static void arrive(const pass_args *args, texel *t, v3 end, v3 way) {
    t->v = v3_scale(way, 1.0f / args->plan->substep);
    t->x = v3_sub(end, way);
}

/* It goes with the point of the body that it met. */
static void follow(const pass_args *args, const path_hit *hit, float share, texel *t) {
    float distance = share * path_distance(args, hit->body);
    arrive(args, t, ccd_follow(hit->surface, hit->end_normal, distance),
           v3_sub(hit->surface, hit->surface_from));
}

static void slide(const pass_args *args, const path_hit *hit, float share, texel *t) {
    float distance = share * path_distance(args, hit->body);
    float friction = args->params->contact_friction[hit->body];
    float reflection = path_reflection(args, hit->body);
    v3 end = end_of(args, t), body = v3_sub(hit->surface, hit->surface_from);
    v3 after = ccd_after(v3_sub(end, t->x), body, hit->normal, friction, reflection);
    arrive(args, t,
           ccd_slide(t->x, end, hit->surface_from, hit->surface, hit->time, hit->normal,
                     hit->end_normal, distance, friction, reflection),
           after);
}

/* Between two surfaces that leave it less than twice the distance it gets to the middle, and goes
 * with both. */
static void share_room(const pass_args *args, const path_end *at, v3 after, texel *t) {
    v3 way = v3_scale(v3_add(t->v, after), 0.5f * args->plan->substep);
    arrive(args, t, v3_madd(end_of(args, t), at->normal, -0.5f * at->gap), way);
    t->pinched = true;
}

/* Too near to a surface at the end of its way. Returns whether it was moved far enough for another
 * look. */
static bool keep_off(const pass_args *args, const path_end *at, texel *t) {
    const float substep = args->plan->substep, keep = path_distance(args, at->body);
    const float friction = args->params->contact_friction[at->body];
    const float reflection = args->plan->follows ? 0.0f : path_reflection(args, at->body);
    v3 n = at->normal;
    float gap = contact_gap(t->x, end_of(args, t), at->gap, n, at->velocity, substep);
    bool reached = contact_reached(t->v, n, gap, at->velocity, substep);
    v3 after = t->v;
    if (reached) {
        after = args->plan->follows
                    ? at->velocity
                    : contact_velocity(t->v, n, at->velocity, true, 0.0f, friction, reflection);
    }
    if (v3_dot(t->pushed, n) < 0.0f) {
        share_room(args, at, after, t);
        return true;
    }
    float most = at->distance < 0.0f ? OUT_SPEED * substep : FLT_MAX;
    float shift = k_min(contact_shift(gap, reached, reflection), most);
    t->x = v3_madd(t->x, n, shift);
    t->v = after;
    t->pushed = n;
    return -at->gap > LITTLE * keep && at->distance >= 0.0f; /* once per substep is its speed */
}

/* A texel that one part of a body has taken into another one, as arms do at armpits, is outside of
 * the surface that is nearest and inside nevertheless. Both hold it: it rides along with the
 * nearest. Without that it swings freely in there. */
static bool may_be_caught(const pass_args *args, const path_end *at) {
    return at->face != SOLID_NONE && at->distance > 0.0f &&
           at->distance < CAUGHT * path_distance(args, at->body);
}

static void ride(const pass_args *args, const path_end *at, texel *t) {
    v3 way = v3_scale(at->velocity, args->plan->substep);
    arrive(args, t, v3_add(t->from, way), way);
    t->caught = true;
}

/* Was it where it is now, before solvers, which know nothing of this, moved it out through a part?
 */
static bool is_caught(const pass_args *args, const ccd_clearance *known, texel *t, path_end *at) {
    *at = path_find_end(args, t->from, known->body, known->face);
    if (!may_be_caught(args, at) || !path_is_inside(args, at->body, t->from)) {
        return false;
    }
    ride(args, at, t);
    return true;
}

static float length(v3 a) {
    return k_sqrt(v3_dot(a, a));
}

/* At its end it is so far from all surfaces: can it have met one on its way? */
static bool may_have_met(const pass_args *args, const texel *t, v3 end, float mesh_way,
                         const path_end *at) {
    float way = length(v3_sub(end, t->from)) + mesh_way;
    return !(way < FREE * at->nearest - path_contact(args, at->body));
}

/* Looks at the way until nothing is to be changed. Returns what its first end was near to. */
static path_end collide(const pass_args *args, const ccd_clearance *known, texel *t) {
    const float mesh_way = plan_mesh_way(args->plan, args->parity);
    path_hit first = {0};
    path_end nearest = {0};
    if (!known->outside && is_caught(args, known, t, &nearest)) {
        return nearest;
    }
    for (int look = 0; look < LOOKS; look++) {
        v3 end = end_of(args, t);
        path_end at = path_find_end(args, end, known->body, known->face);
        nearest = look == 0 ? at : nearest;
        path_hit hit = {0};
        if (at.body >= 0 && may_have_met(args, t, end, mesh_way, &at)) {
            hit = path_first_hit(args, t->from, end);
        }
        first = first.found ? first : hit;
        t->met = first.found;
        if (hit.found) {
            (args->plan->follows ? follow : slide)(args, &hit, shares[look], t);
        } else {
            t->inside = t->inside || (at.distance < -INSIDE && !first.found);
            if (look == 0 && !known->outside && may_be_caught(args, &at)) {
                t->outside = !path_is_inside(args, at.body, end);
            }
            if (look == 0 && !t->outside && may_be_caught(args, &at)) {
                ride(args, &at, t);
                return nearest;
            }
            bool near = at.body >= 0 && at.gap < 0.0f && !t->pinched;
            if (!near || !keep_off(args, &at, t)) {
                return nearest;
            }
        }
    }
    if (first.found) {
        follow(args, &first, shares[LOOKS - 1], t); /* between two that close */
        t->caught = true;
    }
    return nearest;
}

/* What is free of meshes around a way during the substep, or not more than 0. */
static float room_of(const pass_args *args, const ccd_clearance *c, v3 from, v3 to) {
    float a = length(v3_sub(from, c->middle)), b = length(v3_sub(to, c->middle));
    float moved = (float)(args->plan->motion[args->parity] - c->motion);
    return FREE * c->radius - k_max(a, b) - moved;
}

/* For edges: where the texel gets to. */
static void note_way(ccd_state *s, const pass_args *args, size_t k) {
    s->to[k] = v3_add(planes_get(&args->state->at.plane[PLANE_x], k), ccd_way(args, k));
    s->room[k] = room_of(args, &s->clear[k], s->from[k], s->to[k]);
    s->changed[k] = 1;
}

void ccd_begin(ccd_state *s, const cloth_state *cloth, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&cloth->grid, 0, row);
        for (size_t k = first; k < first + (size_t)cloth->grid.columns; k++) {
            s->from[k] = planes_get(&cloth->at.plane[PLANE_x], k);
        }
    }
}

static void collide_texel(ccd_state *s, const pass_args *args, size_t k, ccd_count *count) {
    float *const *x = &args->state->at.plane[PLANE_x], *const *v = &args->state->at.plane[PLANE_vx];
    ccd_clearance *clear = &s->clear[k];
    texel t = {.from = s->from[k],
               .x = planes_get(x, k),
               .v = planes_get(v, k),
               .outside = clear->outside};
    v3 end = end_of(args, &t);
    if (room_of(args, clear, t.from, end) > 0.0f) {
        return;
    }
    path_end at = collide(args, clear, &t);
    bool outside = t.outside && !t.met && !t.pinched && !t.inside && !t.caught;
    *clear = (ccd_clearance){.middle = end,
                             .radius = t.caught ? 0.0f : k_max(at.gap, 0.0f),
                             .motion = args->plan->motion[args->parity],
                             .body = at.body,
                             .face = at.face,
                             .outside = outside,
                             .caught = t.caught};
    planes_put(x, k, t.x);
    planes_put(v, k, t.v);
    count->inside += t.inside;
    count->caught += t.caught;
}

ccd_count ccd_rows(ccd_state *s, const pass_args *args, int row_begin, int row_end) {
    const grid *g = &args->state->grid;
    ccd_count count = {0};
    for (int row = row_begin; row < row_end; row++) {
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            if (args->state->at.inverse_mass[k] > 0.0f) {
                collide_texel(s, args, k, &count);
            }
            if (s->to) {
                note_way(s, args, k);
            }
        }
        if (s->to) {
            s->row_changed[row] = true;
        }
    }
    return count;
}

void ccd_push_rows(ccd_state *s, const pass_args *args, int row_begin, int row_end) {
    const grid *g = &args->state->grid;
    float *const *x = &args->state->at.plane[PLANE_x], *const *v = &args->state->at.plane[PLANE_vx];
    ccd_count count = {0}; /* these were counted */
    for (int row = row_begin; row < row_end; row++) {
        bool any = s->row_met[row] || (row > 0 && s->row_met[row - 1]);
        if (!any && !s->row_changed[row]) {
            continue;
        }
        s->row_changed[row] = any;
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            v3 shift, way;
            s->changed[k] = 0;
            if (args->state->at.inverse_mass[k] > 0.0f &&
                edges_gather(s, args, column, row, &shift, &way)) {
                texel t = {0};
                arrive(args, &t, v3_add(s->to[k], shift), v3_add(ccd_way(args, k), way));
                planes_put(x, k, t.x);
                planes_put(v, k, t.v);
                collide_texel(s, args, k, &count);
                note_way(s, args, k);
            }
        }
    }
}
