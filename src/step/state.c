/* Everything that changes while stepping, as one walk: size, save, load and hash all take it, so
 * they cannot disagree. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "step/refine.h"

typedef enum walk_kind { WALK_SIZE, WALK_SAVE, WALK_CHECK, WALK_LOAD, WALK_HASH } walk_kind;

typedef struct walk {
    walk_kind kind;
    unsigned char *at;
    size_t size;
    uint64_t hash;
    bool sound; /* WALK_CHECK: so far */
} walk;

static void visit(walk *k, void *bytes, size_t size) {
    switch (k->kind) {
    case WALK_SIZE:
    case WALK_CHECK:
        break;
    case WALK_SAVE:
        memcpy(k->at + k->size, bytes, size);
        break;
    case WALK_LOAD:
        memcpy(bytes, k->at + k->size, size);
        break;
    case WALK_HASH:
        k->hash = hash_bytes(k->hash, bytes, size);
        break;
    }
    k->size += size;
}

static void visit_floats(walk *k, float *values, size_t count) {
    for (size_t i = 0; k->kind == WALK_CHECK && i < count; i++) {
        float value;
        memcpy(&value, k->at + k->size + i * sizeof value, sizeof value);
        k->sound = k->sound && isfinite(value);
    }
    visit(k, values, count * sizeof *values);
}

static void visit_doubles(walk *k, double *values, size_t count) {
    for (size_t i = 0; k->kind == WALK_CHECK && i < count; i++) {
        double value;
        memcpy(&value, k->at + k->size + i * sizeof value, sizeof value);
        k->sound = k->sound && isfinite(value);
    }
    visit(k, values, count * sizeof *values);
}

static void visit_pose(walk *k, pose *p) {
    if (k->kind == WALK_CHECK) {
        pose saved;
        memcpy(&saved, k->at + k->size, sizeof saved);
        quat q = saved.rotation;
        double squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        k->sound = k->sound && fabs(squared - 1.0) < 1e-6;
    }
    visit_doubles(k, p->position, 3);
    visit(k, &p->rotation, sizeof p->rotation);
}

static void visit_flag(walk *k, bool *flag) {
    uint64_t wide = *flag;
    if (k->kind == WALK_CHECK) {
        memcpy(&wide, k->at + k->size, sizeof wide);
        k->sound = k->sound && wide <= 1;
    }
    visit(k, &wide, sizeof wide);
    if (k->kind == WALK_LOAD) {
        *flag = wide != 0;
    }
}

static void visit_field(walk *k, const toile_world *w, cloth *c, device_field field) {
    if (k->kind == WALK_SAVE || k->kind == WALK_HASH) {
        cloth_read(w, c, field);
    }
    visit_floats(k, c->buffer, grid_texels(&c->grid) * 3);
    if (k->kind == WALK_LOAD) {
        cloth_write(w, c, field);
    }
}

static void visit_pin(walk *k, pin *p) {
    visit_pose(k, &p->now);
    visit_pose(k, &p->next);
    visit_flag(k, &p->driven);
    visit_doubles(k, p->middle, 3);
    visit_floats(k, p->anchors, 3 * (size_t)p->count);
}

static void visit_body(walk *k, body *b) {
    visit_pose(k, &b->now);
    visit_pose(k, &b->next);
    visit_flag(k, &b->driven);
    if (body_deforms(b)) {
        visit_floats(k, b->solid.positions, 3 * b->solid.vertices);
        visit_floats(k, b->wanted, 3 * b->solid.vertices);
    }
    if (k->kind == WALK_LOAD) {
        body_restore(b);
    }
}

/* Where texels came to rest, zeros where they have not: the next step overwrites it. */
static void visit_resting(walk *k, const toile_world *w, cloth *c) {
    const size_t floats = grid_texels(&c->grid) * 3;
    if (c->rest.quiet > 0.0 || k->kind == WALK_LOAD || k->kind == WALK_CHECK) {
        visit_field(k, w, c, FIELD_REST);
    } else {
        memset(c->buffer, 0, floats * sizeof *c->buffer);
        visit_floats(k, c->buffer, floats);
    }
}

static void visit_rest(walk *k, const toile_world *w, cloth *c) {
    if (k->kind == WALK_SAVE || k->kind == WALK_HASH) {
        sleep_look(w, c);
    }
    visit_flag(k, &c->rest.asleep);
    visit_doubles(k, &c->rest.quiet, 1);
    visit_floats(k, &c->rest.low.x, 3);
    visit_floats(k, &c->rest.high.x, 3);
    visit_floats(k, &c->rest.fastest, 1);
    visit_resting(k, w, c);
    c->rest.known |= k->kind == WALK_LOAD;
}

static void visit_world(walk *k, toile_world *w) {
    visit_doubles(k, &w->time, 1);
    visit(k, &w->steps, sizeof w->steps);
    if (w->def.solver.kind == TOILE_SOLVER_IMPLICIT && w->def.solver.order == 2) {
        visit_doubles(k, &w->moment, 1);
        visit_doubles(k, &w->calm, 1);
    }
    if (plan_is_bounded(w)) {
        visit(k, &w->halvings, sizeof w->halvings);
        visit(k, &w->calm_steps, sizeof w->calm_steps);
    }
    if (w->refine) {
        visit_doubles(k, &w->moment, 1);
    }
    if (w->def.start == TOILE_START_UNTANGLE) {
        visit_flag(k, &w->tangled);
        visit_doubles(k, &w->untangled, 1);
    }
    for (size_t i = 0; i < w->bodies.count; i++) {
        world_body *b = world_body_at(w, i);
        if (b) {
            visit_body(k, &b->body);
        }
    }
    for (size_t i = 0; i < w->pins.count; i++) {
        if (world_pin(w, i)) {
            visit_pin(k, world_pin(w, i));
        }
    }
    for (size_t i = 0; i < w->cloths.count; i++) {
        cloth *c = world_cloth(w, i);
        if (c) {
            visit_field(k, w, c, FIELD_POSITION);
            visit_field(k, w, c, FIELD_VELOCITY);
            if (w->refine) {
                visit_field(k, w, c, FIELD_CHANGE);
                const toile_world *coarse = w->refine->coarse;
                visit_field(k, coarse, world_cloth(coarse, i), FIELD_POSITION);
                visit_field(k, coarse, world_cloth(coarse, i), FIELD_VELOCITY);
            }
            if (w->def.solver.kind == TOILE_SOLVER_IMPLICIT) {
                visit_field(k, w, c, FIELD_CHANGE);
                visit_field(k, w, c, FIELD_FRICTION);
                visit_field(k, w, c, FIELD_LIMIT);
            }
            if (sleep_is_on(w)) {
                visit_rest(k, w, c);
            }
        }
    }
}

/* Grid and coarse mesh; the render mesh does not move anything. */
static uint64_t hash_panel(uint64_t hash, const panel *p) {
    const float sizes[3] = {p->grid.size_u, p->grid.size_v, p->grid.spacing};
    hash = hash_bytes(hash, sizes, sizeof sizes);
    hash = hash_bytes(hash, p->mask, grid_texels(&p->grid) * sizeof *p->mask);
    hash = hash_bytes(hash, p->coverage, p->grid.size * sizeof *p->coverage);
    return hash_bytes(hash, p->coarse.uv, 2 * (size_t)p->coarse.vertex_count * sizeof(float));
}

static uint64_t hash_float(uint64_t hash, float value) {
    return hash_bytes(hash, &value, sizeof value);
}

/* What makes a difference to the result; one_pass does not. */
static uint64_t hash_refine(uint64_t hash, const toile_refine_def *r) {
    const int numbers[] = {r->levels,         (int)r->correction, (int)r->rule, r->directions,
                           r->any_view,       r->resolution,      r->layers,    r->visible_only,
                           r->filter_objects, r->move_parents,    r->forces,    r->force_iterations,
                           r->cloth,          r->coarse_edges};
    hash = hash_bytes(hash, numbers, sizeof numbers);
    return hash_float(hash_float(hash, r->parent_stretch), r->force_damping);
}

static uint64_t hash_solver(uint64_t hash, const toile_solver_def *s) {
    const int numbers[] = {(int)s->kind,   (int)s->integrator, (int)s->stiffness,
                           s->substeps,    s->max_substeps,    s->limit_iterations,
                           s->level_count, s->cycles,          s->self_collision};
    hash = hash_bytes(hash, numbers, sizeof numbers);
    hash = hash_float(hash_float(hash, s->damping), s->constraint_stiffness);
    hash = hash_float(hash, s->strain_limit);
    hash = hash_word(hash, (uint64_t)s->order);
    hash = hash_word(hash, (uint64_t)s->quality);
    hash = hash_word(hash, (uint64_t)s->iterations);
    hash = hash_float(hash, s->tolerance);
    hash = hash_word(hash, (uint64_t)s->sleep);
    hash = hash_word(hash, (uint64_t)s->bounded);
    if (s->kind == TOILE_SOLVER_REFINE) {
        hash = hash_refine(hash, &s->refine);
    }
    for (int k = 0; s->levels && k < s->level_count; k++) {
        hash = hash_word(hash, (uint64_t)s->levels[k].relaxation);
        hash = hash_word(hash, (uint64_t)s->levels[k].iterations);
    }
    return hash;
}

static uint64_t hash_skin(uint64_t hash, const body *b) {
    size_t count = b->skin.influences * b->solid.vertices;
    hash = hash_word(hash, (uint64_t)b->skin.kind);
    hash = hash_bytes(hash, b->skin.joints, count * sizeof *b->skin.joints);
    return hash_bytes(hash, b->skin.weights, count * sizeof *b->skin.weights);
}

static uint64_t hash_tie(uint64_t hash, const tie *t) {
    hash = hash_bytes(hash, t->rows, (size_t)t->count * sizeof *t->rows);
    hash = hash_float(hash, t->bend);
    hash = hash_float(hash_bytes(hash, t->along, sizeof t->along), t->stiffness);
    return hash_bytes(hash, &t->until, sizeof t->until);
}

/* A hash of what the world is made of, to refuse the state of another one. */
static uint64_t fingerprint(const toile_world *w) {
    uint64_t hash = hash_bytes(HASH_SEED, w->def.gravity, sizeof w->def.gravity);
    hash = hash_solver(hash, &w->def.solver);
    hash = hash_word(hash, (uint64_t)w->def.collision);
    if (w->def.collision == TOILE_COLLISION_MAPS) {
        hash = hash_word(hash, (uint64_t)w->def.map_size);
        hash = hash_word(hash, (uint64_t)w->def.map_cameras);
    }
    hash = hash_word(hash, (uint64_t)w->def.response);
    hash = hash_word(hash, (uint64_t)w->def.start);
    hash = hash_word(hash, (uint64_t)w->def.edges);
    hash = hash_bytes(hash, &w->def.wind, sizeof w->def.wind);
    hash = hash_word(hash, w->def.seed);
    hash = hash_bytes(hash, &w->def.contact_margin, sizeof w->def.contact_margin);
    for (size_t i = 0; i < w->cloths.count; i++) {
        const cloth *c = world_cloth(w, i);
        if (c) {
            hash = hash_panel(hash, c->panel);
            hash = hash_bytes(hash, &c->def.fabric, sizeof c->def.fabric);
            hash = hash_bytes(hash, &c->def.transform, sizeof c->def.transform);
            hash = hash_word(hash, (uint64_t)c->def.layer);
        }
    }
    for (size_t i = 0; i < w->bodies.count; i++) {
        const world_body *b = world_body_at(w, i);
        if (b) {
            const toile_body_def *d = &b->body.def;
            hash = hash_word(hash, (uint64_t)d->shape);
            hash = hash_word(hash, (uint64_t)d->open);
            hash = hash_bytes(hash, &b->body.size, sizeof b->body.size);
            hash = hash_bytes(hash, d->mesh.positions, 3 * d->mesh.vertices * sizeof(float));
            hash =
                hash_bytes(hash, d->mesh.triangles, 3 * d->mesh.triangle_count * sizeof(uint32_t));
            hash = hash_skin(hash, &b->body);
            hash = hash_bytes(hash, &b->body.base, sizeof b->body.base);
            hash = hash_bytes(hash, &b->body.align, sizeof b->body.align);
            hash = hash_bytes(hash, &d->friction, sizeof d->friction);
            hash = hash_bytes(hash, &d->reflection, sizeof d->reflection);
            hash = hash_bytes(hash, b->body.motion.keyframes,
                              (size_t)b->body.motion.count * sizeof(toile_keyframe));
        }
    }
    for (size_t i = 0; i < w->ties.count; i++) {
        hash = world_tie(w, i) ? hash_tie(hash, world_tie(w, i)) : hash;
    }
    for (size_t i = 0; i < w->pins.count; i++) {
        const pin *p = world_pin(w, i);
        if (p && p->stiffness > 0.0f) {
            hash = hash_float(hash, p->stiffness);
            hash = hash_bytes(hash, p->along, sizeof p->along);
        }
        if (p) {
            hash = hash_word(hash_word(hash_word(hash, p->cloth), p->body), p->count);
            hash = hash_bytes(hash, p->texels, p->count * sizeof *p->texels);
            hash = hash_bytes(hash, p->motion.keyframes,
                              (size_t)p->motion.count * sizeof(toile_keyframe));
        }
    }
    return hash;
}

typedef struct state_header {
    uint64_t magic, fingerprint, size, hash;
} state_header;

#define STATE_MAGIC UINT64_C(0x3165746174536c54) /* "TlState1" in memory */

static size_t payload_size(const toile_world *w) {
    walk k = {.kind = WALK_SIZE};
    visit_world(&k, (toile_world *)w); /* this kind of walk changes nothing */
    return k.size;
}

uint64_t toile_world_hash(const toile_world *world) {
    TOILE_ASSERT(world);
    walk k = {.kind = WALK_HASH, .hash = HASH_SEED};
    visit_world(&k, (toile_world *)world);
    return k.hash;
}

size_t toile_world_state_size(const toile_world *world) {
    TOILE_ASSERT(world);
    return sizeof(state_header) + payload_size(world);
}

toile_result toile_world_save_state(const toile_world *world, void *bytes, size_t size) {
    TOILE_ASSERT(world && bytes);
    size_t expected = toile_world_state_size(world);
    if (size != expected) {
        return error_set(TOILE_ERROR_INVALID, "size is %zu: expected toile_world_state_size(), %zu",
                         size, expected);
    }
    walk k = {.kind = WALK_SAVE, .at = (unsigned char *)bytes + sizeof(state_header)};
    visit_world(&k, (toile_world *)world);
    state_header header = {STATE_MAGIC, fingerprint(world), k.size,
                           hash_bytes(HASH_SEED, k.at, k.size)};
    memcpy(bytes, &header, sizeof header);
    return TOILE_OK;
}

toile_result toile_world_load_state(toile_world *world, const void *bytes, size_t size) {
    TOILE_ASSERT(world && bytes);
    state_header header;
    if (size < sizeof header) {
        return error_set(TOILE_ERROR_FORMAT, "state is cut short: %zu bytes", size);
    }
    memcpy(&header, bytes, sizeof header);
    unsigned char *payload = (unsigned char *)bytes + sizeof header; /* read only */
    if (header.magic != STATE_MAGIC) {
        return error_set(TOILE_ERROR_FORMAT, "this is no state, or one of another version");
    }
    if (header.fingerprint != fingerprint(world) || header.size != payload_size(world)) {
        return error_set(TOILE_ERROR_FORMAT, "this state belongs to a world with other contents");
    }
    if (size != sizeof header + header.size) {
        return error_set(TOILE_ERROR_FORMAT, "state is cut short: expected %zu bytes, not %zu",
                         sizeof header + (size_t)header.size, size);
    }
    if (header.hash != hash_bytes(HASH_SEED, payload, (size_t)header.size)) {
        return error_set(TOILE_ERROR_FORMAT, "state was altered: its checksum does not match");
    }
    /* The refine solver has arrays of its own, all of them there since its cloths are. */
    toile_result prepared =
        world->refine ? TOILE_OK
                      : plan_prepare(world); /* some of the state lives in the solver's arrays */
    if (prepared != TOILE_OK) {
        return prepared;
    }
    walk check = {.kind = WALK_CHECK, .at = payload, .sound = true};
    visit_world(&check, world);
    if (!check.sound) {
        return error_set(TOILE_ERROR_FORMAT,
                         "state holds numbers that no world has, such as a position that is not "
                         "finite");
    }
    walk load = {.kind = WALK_LOAD, .at = payload};
    visit_world(&load, world);
    start_settle(world);     /* cloth may have come near a body on the way here */
    world->prepared = false; /* what devices remember of the way here is no longer true */
    return TOILE_OK;
}
