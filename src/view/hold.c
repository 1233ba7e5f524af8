#include "view/hold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "render/matrix.h"

/* Share of the cloth's size between two fingers. */
static const float PINCH = 0.012f;
/* s, in which the hand makes up for most of its lag. */
static const float LAG = 0.025f;
/* How much longer than flat the cloth gets between the hand and a pin. */
static const float GIVE = 1.03f;
/* Of a pin that holds many texels, so many are looked at. */
enum { MOST_TETHERS_OF_A_PIN = 64, TETHER_ROUNDS = 16 };
/* Times the cloth's size that the hand goes in a second, at most. */
static const float FASTEST = 12.0f;

static float cloth_reach(const toile_cloth_info *info) {
    return sqrtf(info->size[0] * info->size[1]);
}

/* The texels of a pin; NULL on lack of memory. Free with free(). */
static uint32_t *pin_texels(const toile_world *world, toile_pin_id id, size_t *count) {
    *count = toile_pin_get_info(world, id).texels;
    uint32_t *texels = memory_alloc(*count, sizeof *texels, "pinned texels");
    if (texels && toile_pin_get_texels(world, id, texels, *count) != TOILE_OK) {
        free(texels);
        texels = NULL;
    }
    return texels;
}

static toile_result pin_middle(const toile_world *world, toile_pin_id id, float middle[3]) {
    toile_pin_info pin = toile_pin_get_info(world, id);
    size_t count, texels_all = toile_cloth_get_info(world, pin.cloth).texels;
    uint32_t *texels = pin_texels(world, id, &count);
    float *positions = memory_alloc(texels_all, 3 * sizeof *positions, "texels");
    toile_result result =
        texels && positions
            ? toile_cloth_get_texel_positions(world, pin.cloth, positions, texels_all)
            : TOILE_ERROR_MEMORY;
    double sum[3] = {0};
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        for (int k = 0; k < 3; k++) {
            sum[k] += (double)positions[3 * (size_t)texels[i] + (size_t)k];
        }
    }
    for (int k = 0; k < 3; k++) {
        middle[k] = (float)(sum[k] / (double)count);
    }
    free(texels);
    free(positions);
    return result;
}

/* ---- the pins of the world ----------------------------------------------------------------------
 */

static toile_result remember(hold *h, const toile_world *world, toile_pin_id id) {
    held_pin *pins = realloc(h->pins, ((size_t)h->pin_count + 1) * sizeof *pins);
    if (!pins) {
        return TOILE_ERROR_MEMORY;
    }
    h->pins = pins;
    pins[h->pin_count] = (held_pin){.id = id};
    return pin_middle(world, id, pins[h->pin_count++].start);
}

static void forget(hold *h, int index) {
    h->pins[index] = h->pins[--h->pin_count];
}

toile_result hold_begin(hold *h, const toile_world *world) {
    hold_free(h);
    int count = toile_world_get_pins(world, NULL, 0);
    toile_pin_id *ids = memory_alloc((size_t)count, sizeof *ids, "pins");
    toile_result result = ids ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        toile_world_get_pins(world, ids, count);
    }
    for (int i = 0; i < count && result == TOILE_OK; i++) {
        result = remember(h, world, ids[i]);
    }
    free(ids);
    return result;
}

void hold_free(hold *h) {
    free(h->pins);
    free(h->tethers);
    free(h->positions);
    *h = (hold){0};
}

/* The place of a texel in the flat cloth. */
static void texel_point(const toile_cloth_info *info, uint32_t texel, float point[2]) {
    uint32_t columns = (uint32_t)info->columns, row = texel / columns;
    point[0] = (float)(texel - row * columns) * info->spacing;
    point[1] = (float)row * info->spacing;
}

static float point_distance(const float a[2], const float b[2]) {
    float u = a[0] - b[0], v = a[1] - b[1];
    return sqrtf(u * u + v * v);
}

/* How far, in the flat cloth, the nearest texel of a pin is from a point. */
static float pin_distance(const toile_world *world, toile_pin_id id, const float point[2]) {
    toile_cloth_info info = toile_cloth_get_info(world, toile_pin_get_info(world, id).cloth);
    size_t count;
    uint32_t *texels = pin_texels(world, id, &count);
    float nearest = INFINITY;
    for (size_t i = 0; texels && i < count; i++) {
        float place[2];
        texel_point(&info, texels[i], place);
        nearest = fminf(nearest, point_distance(place, point));
    }
    free(texels);
    return nearest;
}

/* The pin that holds the cloth near a point: its index, or -1. */
static int find_pin(const hold *h, const toile_world *world, toile_cloth_id cloth,
                    const float point[2]) {
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    float least = fmaxf(1.5f * PINCH * cloth_reach(&info), 1.5f * info.spacing);
    int found = -1;
    for (int i = 0; i < h->pin_count; i++) {
        if (toile_pin_get_info(world, h->pins[i].id).cloth.slot == cloth.slot) {
            float distance = pin_distance(world, h->pins[i].id, point);
            if (distance <= least) {
                least = distance;
                found = i;
            }
        }
    }
    return found;
}

static toile_pin_id add_pin(toile_world *world, toile_cloth_id cloth, const float point[2]) {
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    toile_pin_def def = toile_default_pin_def();
    def.kind = TOILE_PIN_POINT;
    def.point[0] = fminf(fmaxf(point[0], 0.0f), info.size[0]);
    def.point[1] = fminf(fmaxf(point[1], 0.0f), info.size[1]);
    def.radius = PINCH * cloth_reach(&info);
    return toile_cloth_add_pin(world, cloth, &def);
}

toile_result hold_pin(hold *h, toile_world *world, toile_cloth_id cloth, const float point[2],
                      bool *pinned) {
    int there = find_pin(h, world, cloth, point);
    *pinned = there < 0;
    if (there >= 0) {
        toile_world_remove_pin(world, h->pins[there].id);
        forget(h, there);
        return TOILE_OK;
    }
    toile_pin_id id = add_pin(world, cloth, point);
    return id.slot ? remember(h, world, id) : error_last();
}

/* ---- the hand -----------------------------------------------------------------------------------
 */

/* The texel of the hand's pin that is nearest to where it closed. */
static toile_result find_texel(hold *h, const toile_world *world, const float point[2]) {
    toile_cloth_info info = toile_cloth_get_info(world, h->cloth);
    size_t count;
    uint32_t *texels = pin_texels(world, h->pin.id, &count);
    float least = INFINITY;
    for (size_t i = 0; texels && i < count; i++) {
        float place[2];
        texel_point(&info, texels[i], place);
        float distance = point_distance(place, point);
        if (distance < least) {
            least = distance;
            h->texel = texels[i];
        }
    }
    free(texels);
    return texels ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static toile_result add_tether(hold *h, const toile_cloth_info *info, uint32_t texel) {
    tether *tethers = memory_grow(h->tethers, h->tether_count, &h->tether_capacity,
                                  sizeof *h->tethers, "tethers");
    if (!tethers) {
        return TOILE_ERROR_MEMORY;
    }
    float there[2], here[2];
    texel_point(info, texel, there);
    texel_point(info, h->texel, here);
    h->tethers = tethers;
    tethers[h->tether_count++] =
        (tether){texel, GIVE * point_distance(there, here) + 0.5f * info->spacing};
    return TOILE_OK;
}

/* Ties the hand to all pins of its cloth but the one in it. */
static toile_result tie(hold *h, const toile_world *world) {
    toile_cloth_info info = toile_cloth_get_info(world, h->cloth);
    toile_result result = TOILE_OK;
    h->tether_count = 0;
    for (int i = 0; i < h->pin_count && result == TOILE_OK; i++) {
        toile_pin_id id = h->pins[i].id;
        if (id.slot == h->pin.id.slot ||
            toile_pin_get_info(world, id).cloth.slot != h->cloth.slot) {
            continue;
        }
        size_t count;
        uint32_t *texels = pin_texels(world, id, &count);
        result = texels ? TOILE_OK : TOILE_ERROR_MEMORY;
        size_t stride = 1 + (count - 1) / MOST_TETHERS_OF_A_PIN;
        for (size_t t = 0; t < count && result == TOILE_OK; t += stride) {
            result = add_tether(h, &info, texels[t]);
        }
        free(texels);
    }
    free(h->positions);
    h->texels = info.texels;
    h->positions = memory_alloc(h->texels, 3 * sizeof *h->positions, "texels");
    return h->positions ? result : TOILE_ERROR_MEMORY;
}

static const float UNTURNED[4] = {0.0f, 0.0f, 0.0f, 1.0f};

/* Puts a pin of the world into the hand: TOILE_ERROR_INVALID where it cannot be moved. */
static toile_result use_pin(hold *h, toile_world *world, held_pin pin) {
    float middle[3];
    toile_result result = pin_middle(world, pin.id, middle);
    h->pin = pin;
    v3_store(h->offset, v3_sub(v3_load(middle), v3_load(pin.start)));
    return result == TOILE_OK ? toile_world_move_pin(world, pin.id, h->offset, UNTURNED) : result;
}

/* Puts a pin of its own there. */
static toile_result make_pin(hold *h, toile_world *world, const float point[2]) {
    h->pin = (held_pin){.id = add_pin(world, h->cloth, point)};
    h->own = h->pin.id.slot != 0;
    memset(h->offset, 0, sizeof h->offset);
    return h->own ? TOILE_OK : error_last();
}

toile_result hold_take(hold *h, toile_world *world, toile_cloth_id cloth, const float point[2],
                       const float place[3]) {
    hold_drop(h, world);
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    h->cloth = cloth;
    h->reach = cloth_reach(&info);
    h->radius = PINCH * h->reach;
    memcpy(h->taken, place, sizeof h->taken);
    memset(h->way, 0, sizeof h->way);
    memset(h->aim, 0, sizeof h->aim);
    int there = find_pin(h, world, cloth, point);
    if (there >= 0 && toile_pin_get_info(world, h->pins[there].id).keyframe_count) {
        return TOILE_OK;
    }
    toile_result result =
        there >= 0 ? use_pin(h, world, h->pins[there]) : make_pin(h, world, point);
    if (there >= 0 && result == TOILE_ERROR_INVALID) {
        return TOILE_OK; /* a body carries it, or another pin holds some of its texels */
    }
    if (result == TOILE_OK) {
        h->closed = true;
        result = find_texel(h, world, point);
    }
    if (result == TOILE_OK) {
        result = tie(h, world);
    }
    if (result != TOILE_OK) {
        hold_drop(h, world);
    }
    return result;
}

void hold_aim(hold *h, const float place[3]) {
    v3_store(h->aim, v3_sub(v3_load(place), v3_load(h->taken)));
}

/* How far a place is beyond a tether, and where that one would let it be. */
static float beyond_tether(const hold *h, const tether *t, v3 place, v3 *pulled) {
    v3 from = v3_load(h->positions + 3 * (size_t)t->texel);
    v3 along = v3_sub(place, from);
    float length = v3_length(along);
    *pulled = length > 0.0f ? v3_madd(from, along, t->length / length) : place;
    return length - t->length;
}

/* The nearest place that all tethers reach, or nearly so. The tightest pulls first: one after the
 * other, they would pull to the side. */
static v3 within_tethers(const hold *h, const toile_world *world, v3 place) {
    if (h->tether_count == 0 ||
        toile_cloth_get_texel_positions(world, h->cloth, h->positions, h->texels) != TOILE_OK) {
        return place;
    }
    for (int round = 0; round < TETHER_ROUNDS; round++) {
        float most = 0.0f;
        v3 best = place;
        for (size_t i = 0; i < h->tether_count; i++) {
            v3 pulled;
            float beyond = beyond_tether(h, &h->tethers[i], place, &pulled);
            if (beyond > most) {
                most = beyond;
                best = pulled;
            }
        }
        place = best;
    }
    return place;
}

/* The nearest place to `place` that is out of all bodies, or nearly so where they are close
 * together. */
static v3 out_of_bodies(const hold *h, const toile_world *world, v3 place) {
    int count = toile_world_get_bodies(world, NULL, 0);
    toile_body_id *ids = memory_alloc((size_t)count, sizeof *ids, "bodies");
    if (!ids) {
        return place;
    }
    toile_world_get_bodies(world, ids, count);
    for (int i = 0; i < count; i++) {
        float point[3], normal[3];
        v3_store(point, place);
        float distance = toile_body_get_distance(world, ids[i], point, normal);
        if (distance < h->radius) {
            place = v3_madd(place, v3_load(normal), h->radius - distance);
        }
    }
    free(ids);
    return place;
}

toile_result hold_move(hold *h, toile_world *world, float time_step) {
    if (!h->closed) {
        return TOILE_OK;
    }
    v3 taken = v3_load(h->taken), way = v3_load(h->way);
    v3 lack = v3_scale(v3_sub(v3_load(h->aim), way), 1.0f - expf(-time_step / LAG));
    float length = v3_length(lack), most = FASTEST * h->reach * time_step;
    way = v3_madd(way, lack, length > most ? most / length : 1.0f);
    v3 place = within_tethers(h, world, v3_add(taken, way));
    way = v3_sub(out_of_bodies(h, world, place), taken);
    v3_store(h->way, way);
    float translate[3];
    v3_store(translate, v3_add(v3_load(h->offset), way));
    return toile_world_move_pin(world, h->pin.id, translate, UNTURNED);
}

void hold_drop(hold *h, toile_world *world) {
    if (h->own) {
        toile_world_remove_pin(world, h->pin.id);
    }
    h->closed = h->own = false;
}
