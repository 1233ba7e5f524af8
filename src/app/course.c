#include "app/course.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "io/actor.h"

/* Energy that is no fault, as a height in parts of the cloth's size: texels that start in a body's
 * margin are lifted out of it, and the middle is that of texels, not of mass. */
static const double LIFTED = 0.05;
/* A cloth that moved less than this share of what it had to did not move. */
static const double SHARE = 0.1;
/* m, below which it is not asked. */
static const double LEAST = 1e-3;
/* Of a coordinate: what rounding alone moves. */
static const double ROUNDING = 1e-7;

/* Frames; of longer runs it is not asked how fast bodies that deform were. */
static const double LONGEST_LOOKED_AT = 2000.0;

static double length(const float v[3]) {
    return sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] +
                (double)v[2] * (double)v[2]);
}

/* ---- the start ----------------------------------------------------------------------------------
 */

typedef struct texels {
    float *x;
    uint8_t *mask;
    toile_cloth_info info;
} texels;

static toile_result texels_read(const toile_world *world, toile_cloth_id cloth, texels *t) {
    t->info = toile_cloth_get_info(world, cloth);
    t->x = memory_alloc(3 * t->info.texels, sizeof *t->x, "texels");
    t->mask = memory_alloc(t->info.texels, 1, "texels");
    toile_result result = t->x && t->mask ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = toile_cloth_get_texel_positions(world, cloth, t->x, t->info.texels);
    }
    if (result == TOILE_OK) {
        result = toile_cloth_get_texel_mask(world, cloth, t->mask, t->info.texels);
    }
    return result;
}

static void texels_free(texels *t) {
    free(t->x);
    free(t->mask);
}

static void find_middle(const texels *t, double middle[3], double *largest) {
    double sum[3] = {0.0, 0.0, 0.0};
    *largest = 0.0;
    for (size_t i = 0; i < t->info.texels; i++) {
        for (int k = 0; k < 3 && t->mask[i]; k++) {
            double x = (double)t->x[3 * i + (size_t)k];
            sum[k] += x;
            *largest = fmax(*largest, fabs(x));
        }
    }
    for (int k = 0; k < 3; k++) {
        middle[k] = sum[k] / (double)t->info.texels_present;
    }
}

/* Asks some ten thousand texels; the others are that much nearer at most. */
static double find_clearance(const texels *t, const scene *s, const toile_world *world,
                             const scene_ids *ids) {
    size_t columns = (size_t)t->info.columns, stride = 1;
    while (t->info.texels / (stride * stride) > 10000) {
        stride++;
    }
    double nearest = INFINITY;
    for (size_t i = 0; i < t->info.texels && s->body_count > 0; i++) {
        if (!t->mask[i] || (i % columns) % stride != 0 || (i / columns) % stride != 0) {
            continue;
        }
        for (int b = 0; b < s->body_count; b++) {
            double distance =
                (double)toile_body_get_distance(world, ids->bodies[b], t->x + 3 * i, NULL);
            nearest = fmin(nearest, distance);
        }
    }
    double skin = fmax((double)s->world.contact_margin, 0.0) + (double)t->info.fabric.thickness;
    return nearest - skin - (double)(2 * stride) * (double)t->info.spacing;
}

static toile_result find_free(const toile_world *world, toile_cloth_id cloth, course *c,
                              size_t texels_present) {
    int count = toile_world_get_pins(world, NULL, 0);
    toile_pin_id *pins = memory_alloc((size_t)count + 1, sizeof *pins, "pins");
    if (!pins) {
        return TOILE_ERROR_MEMORY;
    }
    toile_world_get_pins(world, pins, count);
    size_t held = 0;
    for (int i = 0; i < count; i++) {
        toile_pin_info pin = toile_pin_get_info(world, pins[i]);
        held += pin.cloth.slot == cloth.slot ? pin.texels : 0;
    }
    c->free = fmax(1.0 - (double)held / (double)texels_present, 0.0);
    free(pins);
    return TOILE_OK;
}

toile_result courses_note(const scene *s, const toile_world *world, const scene_ids *ids,
                          course **out) {
    *out = memory_alloc((size_t)s->cloth_count + 1, sizeof **out, "courses");
    toile_result result = *out ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (int i = 0; i < s->cloth_count && result == TOILE_OK; i++) {
        texels t = {0};
        course *c = &(*out)[i];
        result = texels_read(world, ids->cloths[i], &t);
        if (result == TOILE_OK) {
            find_middle(&t, c->middle, &c->coordinate);
            c->clearance = find_clearance(&t, s, world, ids);
            result = find_free(world, ids->cloths[i], c, t.info.texels_present);
        }
        texels_free(&t);
    }
    return result;
}

/* ---- what moves things --------------------------------------------------------------------------
 */

/* m, from the centre to the farthest point of a rigid body. */
static double rigid_radius(const toile_body_def *b) {
    double radius = 0.0;
    switch (b->shape) {
    case TOILE_SHAPE_SPHERE:
    case TOILE_SHAPE_ELLIPSOID:
        radius = length(b->radii);
        break;
    case TOILE_SHAPE_CAPSULE:
        radius = length(b->a) + length(b->b) + (double)b->radii[0];
        break;
    case TOILE_SHAPE_BOX:
        radius = length(b->half);
        break;
    case TOILE_SHAPE_MESH:
        for (size_t v = 0; v < b->mesh.vertices; v++) {
            radius = fmax(radius, length(b->mesh.positions + 3 * v));
        }
        break;
    default:
        radius = INFINITY;
    }
    return radius;
}

/* m/s, of a point of a body so far from its centre, by its keyframes, at most. */
static double keyframe_speed(const toile_body_def *b, double radius) {
    double fastest = 0.0;
    for (int i = 1; i < b->keyframe_count; i++) {
        const toile_keyframe *from = &b->keyframes[i - 1], *to = from + 1;
        double way = 0.0, turn = 0.0;
        for (int k = 0; k < 3; k++) {
            way += fabs((double)to->translate[k] - (double)from->translate[k]);
            turn += fabs((double)to->rotate[k] - (double)from->rotate[k]);
        }
        way += turn > 0.0 ? turn * (acos(-1.0) / 180.0) * radius : 0.0;
        fastest = fmax(fastest, way / ((double)to->time - (double)from->time));
    }
    return fastest;
}

/* m/s, of a vertex of a body that deforms, at most, in all frames so far; radius: m, how far one is
 * from the centre. */
static double deforming_speed(const scene_body *b, double elapsed, double step, double *radius) {
    size_t count = 3 * b->def.mesh.vertices;
    double frames = elapsed / step, fastest = frames > LONGEST_LOOKED_AT ? INFINITY : 0.0;
    float *before = memory_alloc(count, sizeof *before, "a body");
    float *now = memory_alloc(count, sizeof *now, "a body");
    bool sound = before && now && actor_vertices(b->actor->loaded, 0.0, before) == TOILE_OK;
    for (int f = 1; (double)f < frames + 0.5 && sound && isfinite(fastest); f++) {
        sound = actor_vertices(b->actor->loaded, f * step, now) == TOILE_OK;
        for (size_t v = 0; v < count && sound; v += 3) {
            const float way[3] = {now[v] - before[v], now[v + 1] - before[v + 1],
                                  now[v + 2] - before[v + 2]};
            fastest = fmax(fastest, length(way) / step);
            *radius = fmax(*radius, length(now + v));
        }
        float *swapped = before;
        before = now;
        now = swapped;
    }
    free(before);
    free(now);
    return sound ? fastest : INFINITY;
}

/* m/s, of the surface of a body, at most. */
static double body_speed(const scene_body *b, double elapsed, double step) {
    if (!b->actor) {
        return keyframe_speed(&b->def, rigid_radius(&b->def));
    }
    double radius = 0.0, own = deforming_speed(b, elapsed, step, &radius);
    return own + keyframe_speed(&b->def, radius);
}

static bool has_wind(const scene *s) {
    return length(s->world.wind.velocity) > 0.0;
}

/* Nothing outside of the cloths does work but gravity. */
static bool is_closed(const scene *s) {
    bool closed = !has_wind(s);
    for (int b = 0; b < s->body_count; b++) {
        closed &= s->bodies[b].def.keyframe_count == 0 && !s->bodies[b].actor;
    }
    for (int c = 0; c < s->cloth_count; c++) {
        for (int p = 0; p < s->cloths[c].pin_count; p++) {
            closed &= s->cloths[c].pins[p].def.keyframe_count == 0;
        }
    }
    return closed;
}

/* Other cloths may hold it, or throw it. */
static bool meets_others(const scene *s) {
    return s->tie_count > 0 || (s->world.solver.self_collision && s->cloth_count > 1);
}

static bool reflects(const scene *s) {
    for (int b = 0; b < s->body_count; b++) {
        if (s->bodies[b].def.reflection > 0.0f) {
            return true;
        }
    }
    return false;
}

/* ---- the verdict --------------------------------------------------------------------------------
 */

typedef struct trial_of {
    const course *from;
    report *report;
    const scene *scene;
    const scene_cloth *given;
    toile_cloth_info info;
    double way[3], moved; /* of its middle since the start */
    double gravity;       /* m/s^2 */
    double size;          /* m, of its diagonal */
    double elapsed;       /* s */
} trial_of;

static void judge_energy(const trial_of *t, const toile_metrics *m) {
    double fallen = 0.0, mass = t->info.mass;
    for (int k = 0; k < 3; k++) {
        fallen += mass * (double)t->scene->world.gravity[k] * t->way[k];
    }
    double has = m->kinetic_energy + m->elastic_energy, stored = 0.0;
    const toile_fabric *f = &t->info.fabric;
    for (int k = 0; k < 2; k++) { /* in flat cloth that is curved by itself */
        stored += 0.5 * (double)f->bend * (double)f->curvature[k] * (double)f->curvature[k] *
                  (double)t->info.size[0] * (double)t->info.size[1];
    }
    double lifted = LIFTED * t->size + 2.0 * (double)t->info.spacing;
    double may = fmax(fallen, 0.0) * (1.0 + LIFTED) + mass * t->gravity * lifted + stored;
    if (t->gravity > 0.0 && has - fmin(fallen, 0.0) > may) {
        report_add_reason(t->report,
                          "cloth '%s': it moves, stretches or rose with %.3g J, and falling has "
                          "given it %.3g J: nothing else in the scene gives energy",
                          t->info.name, has - fmin(fallen, 0.0), fmax(fallen, 0.0));
    }
}

/* A body gives a cloth that it hits at most twice its own velocity; in the frame of the wind, the
 * air only takes speed, of which there is at most the wind's. */
static void judge_reach(const trial_of *t) {
    double speed =
        2.0 * length(t->scene->world.wind.velocity) * (1.0 + (double)t->scene->world.wind.gust);
    for (int b = 0; b < t->scene->body_count; b++) {
        speed = fmax(
            speed, 2.0 * body_speed(&t->scene->bodies[b], t->elapsed, (double)t->scene->time_step));
    }
    double reach = 0.5 * t->gravity * t->elapsed * t->elapsed + speed * t->elapsed + t->size;
    if (t->moved > reach) {
        report_add_reason(t->report,
                          "cloth '%s': it is %.3g m from where it started, and gravity, wind and "
                          "bodies can have taken it %.3g m",
                          t->info.name, t->moved, reach);
    }
}

/* How far it falls, its velocity decaying. */
static double fall_of(const trial_of *t) {
    double rate = (double)t->scene->world.solver.damping, time = t->elapsed;
    double decay = rate * time;
    return decay < 1e-3 ? 0.5 * t->gravity * time * time
                        : t->gravity / rate * (time + expm1(-decay) / rate);
}

/* A cloth in the air falls until it meets a body. One that is pinned, and was made without tension,
 * at least stretches under its weight. */
static void judge_rest(const trial_of *t) {
    double fall = fmin(fall_of(t), t->from->clearance);
    if (t->given->pin_count == 0 && fall > LEAST && t->moved < SHARE * fall) {
        report_add_reason(t->report,
                          "cloth '%s': it moved by %.3g m, and had %.3g m to fall before it could "
                          "touch anything",
                          t->info.name, t->moved, fall);
    }
    const toile_fabric *f = &t->info.fabric;
    double least = SHARE * (double)f->density * t->gravity * t->from->free *
                   (double)t->info.size[0] * (double)t->info.size[1] /
                   (8.0 * fmax((double)f->stretch[0], (double)f->stretch[1]));
    double nothing = ROUNDING * t->from->coordinate;
    if (t->given->pin_count > 0 && fall > LEAST && t->from->free > 0.5 && least > nothing &&
        t->moved < nothing) {
        report_add_reason(t->report,
                          "cloth '%s': it did not move, and nothing but its pins held it",
                          t->info.name);
    }
}

toile_result course_judge(const course *c, report *r, const scene *s, int index,
                          const toile_world *world, toile_cloth_id cloth,
                          const toile_metrics *metrics, double elapsed) {
    texels now = {0};
    double middle[3], largest;
    toile_result result = texels_read(world, cloth, &now);
    if (result == TOILE_OK) {
        find_middle(&now, middle, &largest);
        trial_of t = {.from = c,
                      .report = r,
                      .scene = s,
                      .given = &s->cloths[index],
                      .info = now.info,
                      .gravity = length(s->world.gravity),
                      .size = hypot((double)now.info.size[0], (double)now.info.size[1]),
                      .elapsed = elapsed};
        for (int k = 0; k < 3; k++) {
            t.way[k] = middle[k] - c->middle[k];
            t.moved = hypot(t.moved, t.way[k]);
        }
        const bool flat = !t.given->piece; /* a piece of a mesh may start under tension */
        if (is_closed(s) && !meets_others(s) && flat) {
            judge_energy(&t, metrics);
        }
        if (t.given->pin_count == 0 && !meets_others(s)) {
            judge_reach(&t);
        }
        if (is_closed(s) && !meets_others(s) && flat && !reflects(s)) {
            judge_rest(&t);
        }
    }
    texels_free(&now);
    return result;
}
