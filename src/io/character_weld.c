#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/character_parts.h"

/* More than files round weights by, and less than can be seen. */
#define SAME_WEIGHTS 0.02

/* Vertices of a cell that are looked through. At a place of a body there are a handful that hang on
 * different joints; a file that has thousands would take hours. */
enum { MOST_LOOKED_AT = 64 };

/* Vertices that stay, by the cell of a grid that they lie in. */
typedef struct welder {
    const character *c;
    double distance, cell;
    uint64_t *morphs; /* of vertices: a hash of what the targets add to it */
    uint32_t *heads, *nexts;
    size_t slots; /* a power of two */
    uint32_t *numbers;
} welder;

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static void hash_targets(welder *w) {
    for (size_t t = 0; t < w->c->target_count; t++) {
        const character_target *target = &w->c->targets[t];
        for (size_t i = 0; i < target->count; i++) {
            uint32_t bits[3];
            uint64_t *hash = &w->morphs[target->vertices[i]];
            memcpy(bits, target->deltas + 3 * i, sizeof bits);
            *hash = mix(mix(mix(mix(*hash, t + 1), bits[0]), bits[1]), bits[2]);
        }
    }
}

static size_t slot_of(const welder *w, const double cell[3]) {
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) {
        double number = cell[k] + 0.0; /* no minus zero */
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        hash = mix(hash, bits);
    }
    return (size_t)(hash >> 20) & (w->slots - 1);
}

static bool same_weights(const character *c, size_t a, size_t b) {
    double difference = 0.0;
    for (int side = 0; side < 2; side++) {
        size_t of = c->influences * (side ? b : a), other = c->influences * (side ? a : b);
        for (size_t i = 0; i < c->influences && c->weights[of + i] > 0.0f; i++) {
            double weight = (double)c->weights[of + i], found = 0.0;
            for (size_t k = 0; k < c->influences && c->weights[other + k] > 0.0f; k++) {
                found +=
                    c->joints[other + k] == c->joints[of + i] ? (double)c->weights[other + k] : 0.0;
            }
            difference += fmax(weight - found, 0.0);
        }
    }
    return difference <= SAME_WEIGHTS;
}

static bool are_one(const welder *w, size_t a, size_t b) {
    const float *p = w->c->positions + 3 * a, *q = w->c->positions + 3 * b;
    double x = (double)p[0] - (double)q[0], y = (double)p[1] - (double)q[1],
           z = (double)p[2] - (double)q[2];
    return x * x + y * y + z * z <= w->distance * w->distance && w->morphs[a] == w->morphs[b] &&
           same_weights(w->c, a, b);
}

/* The nearest cells are looked through in a fixed order, so the same file welds the same. */
static uint32_t find_partner(const welder *w, size_t v, const double cell[3]) {
    int reach = w->distance > 0.0 ? 1 : 0;
    uint32_t best = UINT32_MAX;
    for (int i = 0; i < 27; i++) {
        int step[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        if (abs(step[0]) > reach || abs(step[1]) > reach || abs(step[2]) > reach) {
            continue;
        }
        double there[3] = {cell[0] + step[0], cell[1] + step[1], cell[2] + step[2]};
        uint32_t at = w->heads[slot_of(w, there)];
        for (int looked = 0; at != UINT32_MAX && looked < MOST_LOOKED_AT; looked++) {
            best = at < best && are_one(w, at, v) ? at : best;
            at = w->nexts[at];
        }
    }
    return best;
}

/* numbers: the vertex that each becomes one with, before it, or itself. */
static void find_partners(welder *w) {
    memset(w->heads, 0xFF, w->slots * sizeof *w->heads);
    for (size_t v = 0; v < w->c->vertices; v++) {
        double cell[3];
        for (size_t k = 0; k < 3; k++) {
            double at = (double)w->c->positions[3 * v + k];
            cell[k] = w->distance > 0.0 ? floor(at / w->cell) : at;
        }
        uint32_t partner = find_partner(w, v, cell);
        w->numbers[v] = partner != UINT32_MAX ? partner : (uint32_t)v;
        if (partner == UINT32_MAX) {
            size_t slot = slot_of(w, cell);
            w->nexts[v] = w->heads[slot];
            w->heads[slot] = (uint32_t)v;
        }
    }
}

/* ---- packing ------------------------------------------------------------------------------------
 */

/* A number is never larger than the old one, so what is overwritten was read before. */
static void pack_vertices(character *c, uint32_t *numbers, uint8_t *kept) {
    size_t count = 0, wide = c->influences;
    for (size_t v = 0; v < c->vertices; v++) {
        kept[v] = numbers[v] == v;
        if (!kept[v]) {
            numbers[v] = numbers[numbers[v]];
            continue;
        }
        memmove(c->positions + 3 * count, c->positions + 3 * v, 3 * sizeof *c->positions);
        memmove(c->joints + wide * count, c->joints + wide * v, wide * sizeof *c->joints);
        memmove(c->weights + wide * count, c->weights + wide * v, wide * sizeof *c->weights);
        numbers[v] = (uint32_t)count++;
    }
    c->vertices = count;
}

static void pack_targets(character *c, const uint32_t *numbers, const uint8_t *kept) {
    for (size_t t = 0; t < c->target_count; t++) {
        character_target *target = &c->targets[t];
        size_t count = 0;
        for (size_t i = 0; i < target->count; i++) {
            if (kept[target->vertices[i]]) {
                memmove(target->deltas + 3 * count, target->deltas + 3 * i,
                        3 * sizeof *target->deltas);
                target->vertices[count++] = numbers[target->vertices[i]];
            }
        }
        target->count = count;
    }
}

static void pack_triangles(character *c, const uint32_t *numbers) {
    size_t count = 0;
    for (size_t t = 0; t < c->triangles; t++) {
        const uint32_t *old = c->indices + 3 * t;
        uint32_t i = numbers[old[0]], j = numbers[old[1]], k = numbers[old[2]];
        if (i != j && j != k && k != i) {
            memcpy(c->indices + 3 * count++, (uint32_t[3]){i, j, k}, 3 * sizeof(uint32_t));
        }
    }
    c->triangles = count;
}

toile_result character_weld(character *c, double distance) {
    welder w = {.c = c, .distance = distance, .cell = distance, .slots = 64};
    while (w.slots < 2 * c->vertices) {
        w.slots *= 2;
    }
    w.morphs = memory_alloc(c->vertices, sizeof *w.morphs, "vertices");
    w.heads = memory_alloc(w.slots, sizeof *w.heads, "vertices");
    w.nexts = memory_alloc(c->vertices, sizeof *w.nexts, "vertices");
    w.numbers = memory_alloc(c->vertices, sizeof *w.numbers, "vertices");
    uint8_t *kept = memory_alloc(c->vertices, sizeof *kept, "vertices");
    bool enough = w.morphs && w.heads && w.nexts && w.numbers && kept;
    if (enough) {
        hash_targets(&w);
        find_partners(&w);
        pack_vertices(c, w.numbers, kept);
        pack_targets(c, w.numbers, kept);
        pack_triangles(c, w.numbers);
    }
    free(w.morphs);
    free(w.heads);
    free(w.nexts);
    free(w.numbers);
    free(kept);
    return enough ? TOILE_OK : TOILE_ERROR_MEMORY;
}
