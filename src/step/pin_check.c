/* Pins that cannot both have their way: two that hold a texel, and one in a body that does not
 * carry it. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "step/world.h"

/* ---- two pins -----------------------------------------------------------------------------------
 */

static const char *const corner_names[] = {[TOILE_CORNER_TOP_LEFT] = "top left",
                                           [TOILE_CORNER_TOP_RIGHT] = "top right",
                                           [TOILE_CORNER_BOTTOM_LEFT] = "bottom left",
                                           [TOILE_CORNER_BOTTOM_RIGHT] = "bottom right"};
static const char *const edge_names[] = {[TOILE_EDGE_TOP] = "top",
                                         [TOILE_EDGE_BOTTOM] = "bottom",
                                         [TOILE_EDGE_LEFT] = "left",
                                         [TOILE_EDGE_RIGHT] = "right"};

typedef struct pin_name {
    char text[64];
} pin_name;

/* Pins have no names: where a pin is on its cloth tells which one is meant. */
static pin_name name_pin(const pin *p) {
    pin_name n;
    if (p->kind == TOILE_PIN_CORNER) {
        snprintf(n.text, sizeof n.text, "the %s corner", corner_names[p->corner]);
    } else if (p->kind == TOILE_PIN_EDGE) {
        snprintf(n.text, sizeof n.text, "the %s edge", edge_names[p->edge]);
    } else if (p->kind == TOILE_PIN_NEAR) {
        snprintf(n.text, sizeof n.text, "texels near a body");
    } else {
        snprintf(n.text, sizeof n.text, "the point (%.4g, %.4g)", (double)p->point[0],
                 (double)p->point[1]);
    }
    return n;
}

static pose pose_of(const toile_world *w, const pin *p) {
    return p->body && !p->rides ? world_body_at(w, p->body - 1)->body.now : p->now;
}

static void place_of(const toile_world *w, const pin *p, uint32_t t, double out[3]) {
    const float *a = p->anchors + 3 * (size_t)t;
    pose now = pose_of(w, p);
    pose_apply(&now, (const double[3]){(double)a[0], (double)a[1], (double)a[2]}, out);
}

/* The first texel that both hold, as its indices in them. */
static bool share_texel(const pin *a, const pin *b, uint32_t *in_a, uint32_t *in_b) {
    uint32_t i = 0, j = 0;
    while (i < a->count && j < b->count && a->texels[i] != b->texels[j]) {
        if (a->texels[i] < b->texels[j]) {
            i++;
        } else {
            j++;
        }
    }
    *in_a = i;
    *in_b = j;
    return i < a->count && j < b->count;
}

static bool moves(const pin *p) {
    return p->driven || p->motion.count > 0;
}

/* The edges of a cloth that is held all around share its corners. */
static bool agree(const toile_world *w, const pin *a, uint32_t i, const pin *b, uint32_t j) {
    double there[3], here[3], squared = 0.0;
    place_of(w, a, i, there);
    place_of(w, b, j, here);
    for (int k = 0; k < 3; k++) {
        squared += (there[k] - here[k]) * (there[k] - here[k]);
    }
    return !moves(a) && !moves(b) && a->body == b->body &&
           squared <= START_TOLERANCE * START_TOLERANCE;
}

static toile_result refuse_second(const toile_world *w, const pin *p, const pin *other,
                                  uint32_t texel) {
    const cloth *c = world_cloth(w, p->cloth);
    uint32_t columns = (uint32_t)c->grid.columns;
    return error_set(TOILE_ERROR_INVALID,
                     "cloth '%s': the pins at %s and at %s both hold texel (%u, %u): expected pins "
                     "apart, or both held where they are, or by the same body",
                     c->name, name_pin(other).text, name_pin(p).text, (unsigned)(texel % columns),
                     (unsigned)(texel / columns));
}

toile_result pin_check_second(const toile_world *w, const pin *p, bool moved) {
    for (size_t i = 0; i < w->pins.count; i++) {
        const pin *other = world_pin(w, i);
        uint32_t here, there;
        if (p->stiffness > 0.0f || (other && other->stiffness > 0.0f)) {
            continue; /* soft pins share what they pull at */
        }
        if (other && other != p && other->count > 0 && other->cloth == p->cloth &&
            share_texel(p, other, &here, &there) && (moved || !agree(w, p, here, other, there))) {
            return refuse_second(w, p, other, p->texels[here]);
        }
    }
    return TOILE_OK;
}

/* ---- a pin and a body ---------------------------------------------------------------------------
 */

static double depth_at(const body *b, const pose *shape, const double place[3]) {
    double local[3];
    pose_apply_inverse(shape, place, local);
    return (double)body_depth(b, v3_make((float)local[0], (float)local[1], (float)local[2]));
}

/* How deep a pin is in a body, at most; 0 when it is not. */
static double pin_depth(const toile_world *w, const pin *p, const body *b) {
    pose now = pose_of(w, p), shape = body_shape_pose(b, &b->now);
    /* No shape says that it is farther away than it is. */
    if (!p->rides && depth_at(b, &shape, now.position) < -1.001 * p->reach) {
        return 0.0;
    }
    double most = 0.0;
    for (uint32_t t = 0; t < p->count; t++) {
        double place[3];
        place_of(w, p, t, place);
        most = fmax(most, depth_at(b, &shape, place));
    }
    return most > START_TOLERANCE ? most : 0.0;
}

/* The body that a pin is deepest in without being carried by it: its index, or NO_INDEX. Soft pins
 * give way. */
static int64_t trap_of(const toile_world *w, const pin *p, double *depth) {
    int64_t found = NO_INDEX;
    *depth = 0.0;
    for (size_t i = 0; i < w->bodies.count; i++) {
        const world_body *b = world_body_at(w, i);
        double there =
            b && i + 1 != p->body && p->stiffness == 0.0f ? pin_depth(w, p, &b->body) : 0.0;
        if (there > *depth) {
            *depth = there;
            found = (int64_t)i;
        }
    }
    return found;
}

int toile_world_get_trapped_pins(const toile_world *world, toile_trapped_pin *out, int capacity) {
    TOILE_ASSERT(world && (out || capacity == 0));
    int count = 0;
    for (size_t i = 0; i < world->pins.count; i++) {
        const pin *p = world_pin(world, i);
        double depth;
        int64_t b = p ? trap_of(world, p, &depth) : NO_INDEX;
        if (b == NO_INDEX) {
            continue;
        }
        if (count < capacity) {
            uint32_t body_slot = (uint32_t)b + 1;
            out[count] = (toile_trapped_pin){
                .pin = {(uint32_t)i + 1, p->slot.generation},
                .body = {body_slot, world_body_at(world, (size_t)b)->slot.generation},
                .depth = (float)depth};
        }
        count++;
    }
    return count;
}

void pins_say_trapped(toile_world *w) {
    for (size_t i = 0; i < w->pins.count && w->def.log; i++) {
        pin *p = world_pin(w, i);
        double depth;
        int64_t b = p && !p->said_trapped ? trap_of(w, p, &depth) : NO_INDEX;
        if (b != NO_INDEX) {
            p->said_trapped = true;
            world_log(w, TOILE_LOG_PIN_TRAPPED,
                      "cloth '%s' is pinned at %s inside body '%s', %.3g mm deep, which does not "
                      "carry the pin: the cloth around it is stretched",
                      world_cloth(w, p->cloth)->name, name_pin(p).text,
                      world_body_at(w, (size_t)b)->body.name, depth * 1e3);
        }
    }
}
