#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "step/world.h"

toile_pin_def toile_default_pin_def(void) {
    return (toile_pin_def){.kind = TOILE_PIN_CORNER, .corner = TOILE_CORNER_TOP_LEFT};
}

static toile_result check_pin(const toile_pin_def *def, const grid *g) {
    if ((unsigned)def->kind > TOILE_PIN_NEAR || (unsigned)def->corner > TOILE_CORNER_BOTTOM_RIGHT ||
        (unsigned)def->edge > TOILE_EDGE_RIGHT) {
        return error_set(TOILE_ERROR_INVALID,
                         "pin: expected a kind, corner and edge of their enums");
    }
    if (def->body.slot && def->keyframe_count > 0) {
        return error_set(TOILE_ERROR_INVALID, "pin: expected a body or keyframes, not both");
    }
    if (def->kind == TOILE_PIN_NEAR && !def->body.slot) {
        return error_set(TOILE_ERROR_INVALID,
                         "pin: expected the body that texels are pinned to when they are near it");
    }
    if (def->kind != TOILE_PIN_POINT && def->kind != TOILE_PIN_NEAR) {
        return TOILE_OK;
    }
    if (!(def->radius >= 0.0f && isfinite(def->radius))) {
        return error_set(TOILE_ERROR_INVALID, "pin radius is %g: expected 0 or more metres",
                         (double)def->radius);
    }
    if (def->kind == TOILE_PIN_NEAR) {
        return TOILE_OK;
    }
    if (!(def->point[0] >= 0.0f && def->point[0] <= g->size_u && def->point[1] >= 0.0f &&
          def->point[1] <= g->size_v)) {
        return error_set(TOILE_ERROR_INVALID,
                         "pin point (%.9g, %.9g) is outside the cloth: expected u from 0 to %.9g m "
                         "and v from 0 to %.9g m",
                         (double)def->point[0], (double)def->point[1], (double)g->size_u,
                         (double)g->size_v);
    }
    return TOILE_OK;
}

/* Is an index on one side of the cloth? Where the outline of a rectangle lies between the last two
 * texels, both of them hold it. */
static bool is_last(int index, int last, float last_cell, bool rectangle) {
    return index == last || (rectangle && last_cell < 1.0f && index == last - 1);
}

static bool is_on_edge(const toile_pin_def *def, const cloth *c, int i, int j) {
    const grid *g = &c->grid;
    switch (def->edge) {
    case TOILE_EDGE_TOP:
        return is_last(j, g->rows - 1, g->last_v, c->panel->rectangle);
    case TOILE_EDGE_BOTTOM:
        return j == 0;
    case TOILE_EDGE_LEFT:
        return i == 0;
    default:
        return is_last(i, g->columns - 1, g->last_u, c->panel->rectangle);
    }
}

static bool is_top(toile_corner corner) {
    return corner == TOILE_CORNER_TOP_LEFT || corner == TOILE_CORNER_TOP_RIGHT;
}

static bool is_right(toile_corner corner) {
    return corner == TOILE_CORNER_TOP_RIGHT || corner == TOILE_CORNER_BOTTOM_RIGHT;
}

static bool is_at_corner(const toile_pin_def *def, const grid *g, int i, int j) {
    return (is_top(def->corner) ? is_last(j, g->rows - 1, g->last_v, true) : j == 0) &&
           (is_right(def->corner) ? is_last(i, g->columns - 1, g->last_u, true) : i == 0);
}

static float squared_distance(const grid *g, int i, int j, const float point[2]) {
    float u = (float)i * g->spacing - point[0], v = (float)j * g->spacing - point[1];
    return u * u + v * v;
}

/* Only such texels can be pinned: refined ones are made of them. */
static bool is_stepped(const cloth *c, int i, int j) {
    return i % c->stride == 0 && j % c->stride == 0;
}

/* The existing texel that is nearest to a point of the flat cloth; the last of several. */
static size_t nearest_texel(const cloth *c, const float point[2]) {
    const grid *g = &c->grid;
    size_t nearest = 0, t = 0;
    float least = INFINITY;
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++, t++) {
            float squared = squared_distance(g, i, j, point);
            if (c->panel->mask[t] && is_stepped(c, i, j) && squared <= least) {
                least = squared;
                nearest = t;
            }
        }
    }
    return nearest;
}

/* Where a pin that holds the nearest texel lies. */
static void nearest_point(const toile_pin_def *def, const grid *g, float point[2]) {
    bool corner = def->kind == TOILE_PIN_CORNER;
    point[0] = corner ? (is_right(def->corner) ? g->size_u : 0.0f) : def->point[0];
    point[1] = corner ? (is_top(def->corner) ? g->size_v : 0.0f) : def->point[1];
}

static bool is_near(const toile_pin_def *def, const body *b, const float *texel) {
    pose shape = body_shape_pose(b, &b->now);
    double local[3];
    pose_apply_inverse(
        &shape, (const double[3]){(double)texel[0], (double)texel[1], (double)texel[2]}, local);
    v3 p = v3_make((float)local[0], (float)local[1], (float)local[2]);
    return fabsf(body_distance(b, p).w) <= def->radius;
}

static bool is_pinned(const toile_pin_def *def, const cloth *c, int i, int j) {
    switch (def->kind) {
    case TOILE_PIN_CORNER:
        return c->panel->rectangle && is_at_corner(def, &c->grid, i, j);
    case TOILE_PIN_EDGE:
        return is_on_edge(def, c, i, j);
    default:
        return squared_distance(&c->grid, i, j, def->point) <= def->radius * def->radius;
    }
}

/* The same for a pin on what is near its body, of whose cloth the texels are at `positions`. */
static uint32_t list_near(const toile_pin_def *def, const cloth *c, const body *b,
                          const float *positions, uint32_t *texels) {
    uint32_t count = 0;
    for (size_t t = 0; t < grid_texels(&c->grid); t++) {
        const int i = (int)(t % (size_t)c->grid.columns), j = (int)(t / (size_t)c->grid.columns);
        if (c->panel->mask[t] && is_stepped(c, i, j) && is_near(def, b, positions + 3 * t)) {
            if (texels) {
                texels[count] = (uint32_t)t;
            }
            count++;
        }
    }
    return count;
}

/* Fills texels when not NULL; returns how many there are. */
static uint32_t list_texels(const toile_pin_def *def, const cloth *c, uint32_t *texels) {
    uint32_t count = 0;
    size_t nearest = SIZE_MAX, t = 0;
    if (def->kind == TOILE_PIN_POINT || (def->kind == TOILE_PIN_CORNER && !c->panel->rectangle)) {
        float point[2];
        nearest_point(def, &c->grid, point);
        nearest = nearest_texel(c, point);
    }
    for (int j = 0; j < c->grid.rows; j++) {
        for (int i = 0; i < c->grid.columns; i++, t++) {
            if (c->panel->mask[t] && is_stepped(c, i, j) &&
                (t == nearest || is_pinned(def, c, i, j))) {
                if (texels) {
                    texels[count] = (uint32_t)t;
                }
                count++;
            }
        }
    }
    return count;
}

/* The pose by which a body takes pins along; one that deforms takes them along by its triangles. */
static pose body_carries(const body *b) {
    return body_deforms(b) ? (pose){{0.0, 0.0, 0.0}, quat_identity} : b->now;
}

/* Anchors are the texels' places in the frame that takes them along. */
static void place_anchors(toile_world *w, pin *p, const float *positions) {
    for (uint32_t t = 0; t < p->count; t++) {
        for (int k = 0; k < 3; k++) {
            p->middle[k] +=
                (double)positions[3 * (size_t)p->texels[t] + (size_t)k] / (double)p->count;
        }
    }
    p->now = (pose){{p->middle[0], p->middle[1], p->middle[2]}, quat_identity};
    if (p->body) {
        p->now = body_carries(&world_body_at(w, p->body - 1)->body);
    }
    p->next = p->now;
    for (uint32_t t = 0; t < p->count; t++) {
        const float *x = positions + 3 * (size_t)p->texels[t];
        double place[3] = {(double)x[0], (double)x[1], (double)x[2]}, local[3];
        pose_apply_inverse(&p->now, place, local);
        for (int k = 0; k < 3; k++) {
            p->anchors[3 * (size_t)t + (size_t)k] = (float)local[k];
        }
        double squared = local[0] * local[0] + local[1] * local[1] + local[2] * local[2];
        p->reach = fmaxf(p->reach, (float)sqrt(squared));
    }
}

/* A soft pin: its stiffness is shared by its texels, once these are known. */
static toile_result check_soft(const toile_world *w, const toile_pin_def *def, pin *p) {
    toile_result result = coupling_check_numbers("pin", def->stiffness, def->along, p->along);
    p->stiffness = def->stiffness;
    return result == TOILE_OK && p->stiffness > 0.0f ? couplings_check(w, "soft pins") : result;
}

static toile_result pin_create(toile_world *w, pin *p, const cloth *c, const toile_pin_def *def) {
    toile_result result = check_pin(def, &c->grid);
    if (result == TOILE_OK) {
        result = check_soft(w, def, p);
    }
    if (result == TOILE_OK) {
        result = motion_create(&p->motion, def->keyframes, def->keyframe_count);
    }
    if (result != TOILE_OK) {
        return result;
    }
    if (def->body.slot) {
        slots_get(&w->bodies, def->body.slot, def->body.generation);
        p->body = def->body.slot;
    }
    const body *carrier = p->body ? &world_body_at(w, p->body - 1)->body : NULL;
    const float *positions = cloth_read(w, c, FIELD_POSITION);
    bool near = def->kind == TOILE_PIN_NEAR;
    p->kind = def->kind;
    p->corner = def->corner;
    p->edge = def->edge;
    memcpy(p->point, def->point, sizeof p->point);
    p->count = near ? list_near(def, c, carrier, positions, NULL) : list_texels(def, c, NULL);
    if (p->count == 0 && near) {
        return error_set(TOILE_ERROR_INVALID,
                         "pin would hold no texel: none of cloth '%s' is within %g m of body '%s'",
                         c->name, (double)def->radius, carrier->name);
    }
    if (p->count == 0) {
        return error_set(TOILE_ERROR_INVALID,
                         "pin would hold no texel: expected an edge that the outline of cloth "
                         "'%s' reaches",
                         c->name);
    }
    p->stiffness /= (float)p->count;
    p->texels = memory_alloc(p->count, sizeof *p->texels, "pinned texels");
    p->anchors = memory_alloc(p->count, 3 * sizeof *p->anchors, "pinned texels");
    if (!p->texels || !p->anchors) {
        return TOILE_ERROR_MEMORY;
    }
    if (near) {
        list_near(def, c, carrier, positions, p->texels);
    } else {
        list_texels(def, c, p->texels);
    }
    place_anchors(w, p, positions);
    if (carrier && body_deforms(carrier)) {
        result = pin_begin_ride(w, p);
    }
    if (result == TOILE_OK && w->refine) {
        result = refine_take_pin(w, p);
    }
    if (result != TOILE_OK) {
        return result;
    }
    return pin_check_second(w, p, false);
}

void pin_destroy(pin *p) {
    free(p->texels);
    free(p->coarse);
    free(p->anchors);
    free(p->rides);
    free(p->end_anchors);
    motion_free(&p->motion);
    p->texels = p->coarse = NULL;
    p->anchors = p->end_anchors = NULL;
    p->rides = NULL;
}

toile_pin_id toile_cloth_add_pin(toile_world *world, toile_cloth_id cloth_id,
                                 const toile_pin_def *def) {
    TOILE_ASSERT(world && def);
    const cloth *c = slots_get(&world->cloths, cloth_id.slot, cloth_id.generation);
    toile_pin_id id = {0};
    pin *p = slots_add(&world->pins, sizeof *p, &id.slot, &id.generation, "pins");
    if (!p) {
        return (toile_pin_id){0};
    }
    p->cloth = cloth_id.slot - 1;
    if (pin_create(world, p, c, def) != TOILE_OK) {
        pin_destroy(p);
        slots_release(&world->pins, id.slot);
        return (toile_pin_id){0};
    }
    sleep_end(world, p->cloth);
    world->prepared = false;
    return id;
}

static void pin_remove(toile_world *w, size_t index) {
    sleep_end(w, world_pin(w, index)->cloth);
    pin_destroy(world_pin(w, index));
    slots_release(&w->pins, (uint32_t)index + 1);
    w->prepared = false;
}

void toile_world_remove_pin(toile_world *world, toile_pin_id id) {
    TOILE_ASSERT(world);
    slots_get(&world->pins, id.slot, id.generation);
    pin_remove(world, id.slot - 1);
}

void pins_remove_of(toile_world *w, int64_t cloth_index, int64_t body_index) {
    for (size_t i = 0; i < w->pins.count; i++) {
        const pin *p = world_pin(w, i);
        if (p && (p->cloth == cloth_index || (p->body && p->body - 1 == body_index))) {
            pin_remove(w, i);
        }
    }
}

toile_result toile_world_move_pin(toile_world *world, toile_pin_id id, const float translate[3],
                                  const float rotation[4]) {
    TOILE_ASSERT(world && translate && rotation);
    pin *p = slots_get(&world->pins, id.slot, id.generation);
    toile_result result = pose_check(translate, rotation);
    if (result == TOILE_OK && p->body) {
        result = error_set(TOILE_ERROR_INVALID, "this pin is carried by a body: move the body");
    }
    if (result == TOILE_OK) {
        result = pin_check_second(world, p, true);
    }
    if (result == TOILE_OK) {
        p->next = pose_from(translate, rotation);
        for (int k = 0; k < 3; k++) {
            p->next.position[k] += p->middle[k];
        }
        p->driven = true;
    }
    return result;
}

int toile_world_get_pins(const toile_world *world, toile_pin_id *ids, int capacity) {
    TOILE_ASSERT(world && (ids || capacity == 0));
    return slots_list(&world->pins, (uint32_t *)ids, capacity);
}

toile_pin_info toile_pin_get_info(const toile_world *world, toile_pin_id id) {
    TOILE_ASSERT(world);
    const pin *p = slots_get(&world->pins, id.slot, id.generation);
    toile_pin_info info = {.cloth = {p->cloth + 1, world_cloth(world, p->cloth)->slot.generation},
                           .keyframe_count = p->driven ? 0 : p->motion.count,
                           .texels = p->count};
    if (p->body) {
        info.body = (toile_body_id){p->body, world_body_at(world, p->body - 1)->slot.generation};
    }
    return info;
}

toile_result toile_pin_get_texels(const toile_world *world, toile_pin_id id, uint32_t *out,
                                  size_t count) {
    TOILE_ASSERT(world && (out || count == 0));
    const pin *p = slots_get(&world->pins, id.slot, id.generation);
    if (count != p->count) {
        return error_set(TOILE_ERROR_INVALID,
                         "this pin holds %u texels: expected room for them, "
                         "found %zu",
                         (unsigned)p->count, count);
    }
    memcpy(out, p->texels, count * sizeof *out);
    return TOILE_OK;
}
