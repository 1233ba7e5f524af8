/* Sleep: cloth at rest is left out of steps.
 *
 * A cloth is quiet while no texel leaves the ball of radius QUIET_WAY around where it was when that
 * began. It falls asleep once it has been quiet for SLEEP_TIME, together with all cloths that are
 * tied to it or near it, which must be, too: a cloth never sleeps beside one that is awake. Its
 * velocities are zero then, and no pass concerns it; when all cloths sleep and no body moves,
 * devices are not even called.
 *
 * Places say more than speeds: where cloth lies on cloth, texels of a pile at rest jitter at some
 * millimetres per second, within some hundredths of a millimetre; cloth that creeps, or turns at
 * the end of a slow swing, is slower than that and does not stay.
 *
 * What may move it ends sleep: bodies that move, come or go near it; its pins and ties; cloth that
 * is awake and may come near in the step; gravity, wind and the caller's texels. Whether things are
 * near is told by boxes, so that it may wake for nothing, but does not miss anything. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/self.h"
#include "step/world.h"

/* m and s; docs/physics.md has what was measured. */
static const float QUIET_WAY = 4e-5f;
static const double SLEEP_TIME = 4.0;

/* Poses that differ by less, in metres or in a quaternion, are the same: rounding of motions. */
static const double SAME_POSE = 1e-12;

/* What is awake may get faster in a step than it was: by twice its speed, and twice what falls. */
static const float FASTER = 2.0f;

bool sleep_is_on(const toile_world *w) {
    return w->def.solver.sleep && w->device->sleeps;
}

/* ---- boxes --------------------------------------------------------------------------------------
 */

typedef struct box {
    v3 low, high;
} box;

static float length_of(v3 v) {
    return k_sqrt(v3_dot(v, v));
}

static box box_wider(box b, float by) {
    const v3 all = v3_make(by, by, by);
    return (box){v3_sub(b.low, all), v3_add(b.high, all)};
}

static bool boxes_meet(box a, box b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}

static box box_of(const cloth *c) {
    return (box){c->rest.low, c->rest.high};
}

void sleep_look(const toile_world *w, cloth *c) {
    cloth_rest *r = &c->rest;
    const size_t count = grid_texels(&c->grid);
    if (r->known) {
        return;
    }
    *r = (cloth_rest){.known = true,
                      .low = v3_make(FLT_MAX, FLT_MAX, FLT_MAX),
                      .high = v3_make(-FLT_MAX, -FLT_MAX, -FLT_MAX)};
    cloth_read(w, c, FIELD_POSITION);
    for (size_t t = 0; t < count; t++) {
        const v3 x = v3_make(c->buffer[3 * t], c->buffer[3 * t + 1], c->buffer[3 * t + 2]);
        if (c->panel->mask[t]) {
            r->low = v3_min(r->low, x);
            r->high = v3_max(r->high, x);
        }
    }
    cloth_read(w, c, FIELD_VELOCITY);
    for (size_t t = 0; t < count; t++) {
        const v3 v = v3_make(c->buffer[3 * t], c->buffer[3 * t + 1], c->buffer[3 * t + 2]);
        r->fastest = c->panel->mask[t] ? k_max(r->fastest, length_of(v)) : r->fastest;
    }
}

/* How far bodies are at most from texels that touch them. */
static float body_margin(const toile_world *w, const cloth *c) {
    const float coarse = c->panel->def.coarse_edge * c->def.transform.scale;
    return c->def.fabric.thickness + fmaxf(w->def.contact_margin, 0.0f) + c->grid.spacing +
           0.1f * coarse;
}

/* ---- bodies -------------------------------------------------------------------------------------
 */

static double pose_way(const pose *a, const pose *b) {
    double way = 0.0;
    for (int k = 0; k < 3; k++) {
        way += fabs(b->position[k] - a->position[k]);
    }
    return way;
}

static double pose_turn(const pose *a, const pose *b) {
    const quat p = a->rotation, q = b->rotation;
    return fabs(q.x - p.x) + fabs(q.y - p.y) + fabs(q.z - p.z) + fabs(q.w - p.w);
}

static bool poses_differ(const pose *a, const pose *b) {
    return pose_way(a, b) > SAME_POSE || pose_turn(a, b) > SAME_POSE;
}

/* Of a ball around its centre that a body which does not deform is in. */
static float body_radius(const body *b) {
    const v3 s = b->size;
    switch (b->def.shape) {
    case TOILE_SHAPE_SPHERE:
        return s.x;
    case TOILE_SHAPE_CAPSULE:
        return s.x + s.y;
    case TOILE_SHAPE_ELLIPSOID:
    case TOILE_SHAPE_BOX:
        return length_of(s);
    case TOILE_SHAPE_MESH: {
        const v3 low = b->solid.low, high = b->solid.high;
        return length_of(
            v3_make(k_max(-low.x, high.x), k_max(-low.y, high.y), k_max(-low.z, high.z)));
    }
    default:
        return INFINITY;
    }
}

static box box_at(const pose *p, float radius) {
    const v3 middle = v3_make((float)p->position[0], (float)p->position[1], (float)p->position[2]);
    return box_wider((box){middle, middle}, radius);
}

/* Where it is in the whole step. */
static box body_box(const body *b) {
    if (body_deforms(b)) {
        return box_wider((box){b->solid.low, b->solid.high}, b->solid.longest_way);
    }
    const box a = box_at(&b->now, body_radius(b)), e = box_at(&b->next, body_radius(b));
    return (box){v3_min(a.low, e.low), v3_max(a.high, e.high)};
}

static bool body_moves(const body *b) {
    return body_deforms(b) ? b->solid.longest_way > 0.0f : poses_differ(&b->now, &b->next);
}

/* How far it takes along what it touches. */
static float body_way(const body *b) {
    if (body_deforms(b)) {
        return b->solid.longest_way;
    }
    return (float)(pose_way(&b->now, &b->next) +
                   2.0 * pose_turn(&b->now, &b->next) * (double)fminf(body_radius(b), 1e6f));
}

static bool is_near_body(const toile_world *w, const cloth *c, const body *b) {
    return boxes_meet(box_wider(body_box(b), body_margin(w, c) + c->rest.way), box_of(c));
}

/* ---- what the caller does -----------------------------------------------------------------------
 */

static void end_of(cloth *c) {
    c->rest.asleep = false;
    c->rest.quiet = 0.0;
}

void sleep_end(toile_world *w, int64_t cloth_index) {
    for (size_t i = 0; i < w->cloths.count; i++) {
        cloth *c = world_cloth(w, i);
        if (c && (cloth_index == NO_INDEX || cloth_index == (int64_t)i)) {
            end_of(c);
            c->rest.known &= cloth_index == NO_INDEX; /* its texels may be elsewhere */
        }
    }
}

void sleep_end_if(toile_world *w, bool changed) {
    if (changed) {
        sleep_end(w, NO_INDEX);
    }
}

void sleep_end_near_body(toile_world *w, const body *b) {
    for (size_t i = 0; i < w->cloths.count; i++) {
        cloth *c = world_cloth(w, i);
        if (c && c->rest.asleep && is_near_body(w, c, b)) {
            end_of(c);
        }
    }
}

static float keeps_apart(const cloth *c) {
    return self_distance(c->def.fabric.thickness, c->grid.spacing);
}

static bool is_near(const cloth *a, const cloth *b) {
    const float apart = a->rest.way + keeps_apart(a) + keeps_apart(b);
    return boxes_meet(box_wider(box_of(a), apart), box_of(b));
}

void sleep_end_near_cloth(toile_world *w, cloth *c) {
    for (size_t i = 0; sleep_is_on(w) && i < w->cloths.count; i++) {
        cloth *other = world_cloth(w, i);
        if (other && other->rest.asleep) {
            sleep_look(w, c);
            if (is_near(c, other)) {
                end_of(other);
            }
        }
    }
}

/* ---- the step that is planned -------------------------------------------------------------------
 */

/* Cloth that is tied to cloth that stirs, or near it, stirs too, and so on. */
static void stir(const toile_world *w, size_t index, size_t *count) {
    cloth *c = world_cloth(w, index);
    if (!c->rest.stirs) {
        c->rest.stirs = true;
        w->stirring[(*count)++] = index;
    }
}

static void spread_ties(const toile_world *w, size_t index, size_t *count) {
    for (size_t i = 0; i < w->ties.count; i++) {
        const tie *t = world_tie(w, i);
        const size_t one = t ? (size_t)t->rows[0].ends[0].panel : index;
        const size_t other = t ? (size_t)t->rows[0].ends[1].panel : index;
        if (one == index || other == index) {
            stir(w, one == index ? other : one, count);
        }
    }
}

static void spread(const toile_world *w) {
    size_t count = 0;
    for (size_t i = 0; i < w->cloths.count; i++) {
        if (world_cloth(w, i) && world_cloth(w, i)->rest.stirs) {
            w->stirring[count++] = i;
        }
    }
    while (count > 0) {
        const size_t index = w->stirring[--count];
        const cloth *c = world_cloth(w, index);
        spread_ties(w, index, &count);
        for (size_t i = 0; w->def.solver.self_collision && i < w->cloths.count; i++) {
            const cloth *other = world_cloth(w, i);
            if (other && !other->rest.stirs && is_near(c, other)) {
                stir(w, i, &count);
            }
        }
    }
}

/* How far a texel gets in a step by itself. */
static float own_way(const toile_world *w, const cloth *c) {
    const float *g = w->def.gravity, time = w->plan.span;
    const float fall = length_of(v3_make(g[0], g[1], g[2]));
    return FASTER * time * (c->rest.fastest + fall * time);
}

static void look_at_bodies(toile_world *w) {
    for (size_t b = 0; b < w->bodies.count; b++) {
        const world_body *own = world_body_at(w, b);
        for (size_t i = 0; own && body_moves(&own->body) && i < w->cloths.count; i++) {
            cloth *c = world_cloth(w, i);
            if (c && is_near_body(w, c, &own->body)) {
                c->rest.wakes = true;
                c->rest.way += body_way(&own->body);
            }
        }
    }
}

/* Texels of one that rides on a mesh go their own ways. */
static float pin_way(const pin *p) {
    double way =
        pose_way(&p->now, &p->next) + 2.0 * pose_turn(&p->now, &p->next) * (double)p->reach;
    for (uint32_t k = 0; p->rides && k < 3 * p->count; k++) {
        way = fmax(way, 2.0 * fabs((double)p->end_anchors[k] - (double)p->anchors[k]));
    }
    return way > SAME_POSE ? (float)way : 0.0f;
}

static void look_at_holds(toile_world *w) {
    for (size_t i = 0; i < w->pins.count; i++) {
        const pin *p = world_pin(w, i);
        if (p && pin_way(p) > 0.0f) {
            cloth *c = world_cloth(w, p->cloth);
            c->rest.wakes = true;
            c->rest.way += pin_way(p);
        }
    }
    for (size_t i = 0; i < w->ties.count; i++) {
        const tie *t = world_tie(w, i);
        if (t && t->until >= w->time && t->until <= w->time + (double)w->plan.span) {
            world_cloth(w, (size_t)t->rows[0].ends[0].panel)->rest.wakes = true;
        }
    }
}

static void begin_plan(const toile_world *w, cloth *c) {
    sleep_look(w, c);
    c->rest.wakes = w->plan.wind.on;
    c->rest.way = c->rest.asleep ? 0.0f : own_way(w, c);
}

void sleep_plan(toile_world *w) {
    if (!sleep_is_on(w)) {
        return;
    }
    sleep_end_if(w, w->tangled);
    for (size_t i = 0; i < w->cloths.count; i++) {
        if (world_cloth(w, i)) {
            begin_plan(w, world_cloth(w, i));
        }
    }
    look_at_bodies(w);
    look_at_holds(w);
    for (size_t i = 0; i < w->cloths.count; i++) {
        cloth *c = world_cloth(w, i);
        if (c) {
            c->rest.stirs = !c->rest.asleep || c->rest.wakes;
        }
    }
    spread(w);
    for (size_t i = 0; i < w->cloths.count; i++) {
        cloth *c = world_cloth(w, i);
        if (c) {
            c->rest.wakes |= c->rest.asleep && c->rest.stirs;
        }
    }
}

bool sleep_is_deep(const toile_world *w) {
    bool deep = sleep_is_on(w);
    for (int c = 0; c < w->plan.cloth_count; c++) {
        deep &= w->plan.cloths[c].asleep;
    }
    for (size_t b = 0; deep && b < w->bodies.count; b++) {
        deep &= !world_body_at(w, b) || !body_moves(&world_body_at(w, b)->body);
    }
    return deep;
}

/* ---- the step that was made ---------------------------------------------------------------------
 */

static void take_motion(const toile_world *w, cloth *c, const cloth_motion *m) {
    cloth_rest *r = &c->rest;
    const bool quiet = m->gone < QUIET_WAY && !r->wakes;
    r->asleep = false;
    r->low = m->low;
    r->high = m->high;
    r->fastest = m->fastest;
    r->way = own_way(w, c);
    r->quiet = quiet ? fmin(r->quiet + (double)w->plan.span, SLEEP_TIME) : 0.0;
    r->stirs = r->quiet < SLEEP_TIME;
}

/* Nothing moves any more. */
static void fall_asleep(const toile_world *w, cloth *c) {
    c->rest.asleep = true;
    c->rest.fastest = 0.0f;
    memset(c->buffer, 0, 3 * grid_texels(&c->grid) * sizeof *c->buffer);
    cloth_write(w, c, FIELD_VELOCITY);
    cloth_write(w, c, FIELD_CHANGE);
}

void sleep_note(toile_world *w) {
    int index = 0;
    for (size_t i = 0; sleep_is_on(w) && i < w->cloths.count; i++) {
        cloth *c = world_cloth(w, i);
        if (c && !w->plan.cloths[index].asleep) {
            take_motion(w, c, &w->plan.motions[index]);
        }
        index += c != NULL;
    }
    w->info.asleep = 0;
    if (!sleep_is_on(w)) {
        return;
    }
    spread(w);
    for (size_t i = 0; i < w->cloths.count; i++) {
        cloth *c = world_cloth(w, i);
        if (c && !c->rest.stirs && !c->rest.asleep) {
            fall_asleep(w, c);
        }
        w->info.asleep += c && c->rest.asleep;
    }
}
