/* Bodies that deform are drawn once a step, and not where their images are still there: those of
 * the step before when nothing moves, and, with memory for them, those of earlier steps when a
 * motion comes again (Vassilev 2020 section 4: images computed beforehand for a known motion). */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "device/maps.h"

static size_t part_bytes(const solid *s) {
    return 3 * s->vertices * sizeof(float);
}

/* Are these the vertices of the step that is being made? */
static bool is_same(const solid *s, const float *vertices) {
    return memcmp(vertices, s->positions, part_bytes(s)) == 0 &&
           memcmp(vertices + 3 * s->vertices, s->ends, part_bytes(s)) == 0;
}

static void note(const solid *s, float *vertices) {
    memcpy(vertices, s->positions, part_bytes(s));
    memcpy(vertices + 3 * s->vertices, s->ends, part_bytes(s));
}

static uint64_t key_of(const solid *s) {
    return hash_bytes(hash_bytes(HASH_SEED, s->positions, part_bytes(s)), s->ends, part_bytes(s));
}

static const map_past *find(const map_set *set, int body, uint64_t key) {
    for (size_t i = 0; i < set->memory.count; i++) {
        const map_past *past = &set->memory.kept[i];
        if (past->body == body && past->key == key &&
            is_same(set->motions[body].solid, past->vertices)) {
            return past;
        }
    }
    return NULL;
}

/* ---- memory -------------------------------------------------------------------------------------
 */

static size_t pixels_of(const body_map *b) {
    size_t pixels = 0;
    for (int view = 0; view < b->views; view++) {
        pixels += (size_t)map_columns(b, view) * (size_t)map_rows(b, view);
    }
    return pixels;
}

static void drop_past(map_memory *m, map_past *past, void (*drop)(map_past *past)) {
    m->bytes -= past->bytes;
    free(past->vertices);
    drop(past);
}

/* Drops the oldest ones until there is room. */
static void make_room(map_memory *m, size_t bytes, void (*drop)(map_past *past)) {
    size_t dropped = 0;
    while (dropped < m->count && m->bytes + bytes > m->most) {
        drop_past(m, &m->kept[dropped++], drop);
    }
    m->count -= dropped;
    memmove(m->kept, m->kept + dropped, m->count * sizeof *m->kept);
}

/* Keeps the images of a body that was drawn. Where there is no memory for them, they are not. */
static toile_result keep(map_set *set, int body, uint64_t key, const map_mover *mover, void *user) {
    map_memory *m = &set->memory;
    const solid *s = set->motions[body].solid;
    const body_map *b = &set->bodies[body];
    size_t bytes = pixels_of(b) * (size_t)b->images * 4 * sizeof(float) + 2 * part_bytes(s);
    if (bytes > m->most) {
        return TOILE_OK;
    }
    if (m->count > 0) {
        make_room(m, bytes, mover->drop);
    }
    map_past *kept = memory_grow(m->kept, m->count, &m->capacity, sizeof *m->kept, "images");
    if (!kept) {
        return TOILE_ERROR_MEMORY;
    }
    m->kept = kept;
    map_past *past = &kept[m->count];
    *past = (map_past){.body = body, .key = key, .map = *b, .bytes = bytes};
    past->vertices = memory_alloc(2 * part_bytes(s), 1, "images of bodies");
    toile_result result = past->vertices ? mover->keep(user, past) : TOILE_ERROR_MEMORY;
    if (result != TOILE_OK) {
        free(past->vertices);
        return result;
    }
    note(s, past->vertices);
    m->bytes += bytes;
    m->count++;
    return TOILE_OK;
}

void map_set_forget(map_set *set, void (*drop)(map_past *past)) {
    for (size_t i = 0; i < set->memory.count; i++) {
        drop_past(&set->memory, &set->memory.kept[i], drop);
    }
    set->memory.count = 0;
}

/* ---- steps --------------------------------------------------------------------------------------
 */

static toile_result move_body(map_set *set, int body, const map_mover *mover, void *user,
                              map_counts *counts) {
    map_motion *motion = &set->motions[body];
    if (motion->drawn && is_same(motion->solid, motion->vertices)) {
        counts->reuses++;
        return TOILE_OK;
    }
    toile_result result = TOILE_OK;
    uint64_t key = set->memory.most > 0 ? key_of(motion->solid) : 0;
    const map_past *past = find(set, body, key);
    motion->drawn = false;
    if (past) {
        set->bodies[body] = past->map;
        mover->restore(user, past);
        counts->reuses++;
    } else {
        map_fit_end(set, body);
        result = mover->draw(user, body);
        counts->draws++;
        if (result == TOILE_OK) {
            result = keep(set, body, key, mover, user);
        }
    }
    if (result == TOILE_OK) {
        note(motion->solid, motion->vertices);
        motion->drawn = true;
    }
    return result;
}

toile_result map_set_move(map_set *set, const map_mover *mover, void *user, map_counts *counts) {
    toile_result result = TOILE_OK;
    for (int b = 0; b < set->count && set->deforms && result == TOILE_OK; b++) {
        if (set->motions[b].solid) {
            result = move_body(set, b, mover, user, counts);
        }
    }
    return result;
}

/* ---- copies -------------------------------------------------------------------------------------
 */

/* The first pixel of a row of an image among all. */
static float *row_of(const map_set *set, const body_map *b, int view, int image, int row) {
    size_t side = (size_t)set->side, layer = (size_t)(b->layer + b->images * view + image);
    return set->images + 4 * ((layer * side + (size_t)row) * side);
}

/* Rows of the images of a body from the set to the past, or back. */
static void copy_rows(const map_set *set, const map_past *past, bool back) {
    const body_map *b = &past->map;
    float *at = past->images;
    for (int view = 0; view < b->views; view++) {
        size_t floats = 4 * (size_t)map_columns(b, view);
        for (int i = 0; i < b->images * map_rows(b, view); i++, at += floats) {
            float *row = row_of(set, b, view, i / map_rows(b, view), i % map_rows(b, view));
            memcpy(back ? row : at, back ? at : row, floats * sizeof *row);
        }
    }
}

static toile_result draw_copy(void *user, int body) {
    return map_drawer_here->draw_again(user, body);
}

static toile_result keep_copy(void *user, map_past *past) {
    const body_map *b = &past->map;
    past->images =
        memory_alloc(pixels_of(b) * (size_t)b->images, 4 * sizeof(float), "images of bodies");
    if (!past->images) {
        return TOILE_ERROR_MEMORY;
    }
    copy_rows(user, past, false);
    return TOILE_OK;
}

static void restore_copy(void *user, const map_past *past) {
    copy_rows(user, past, true);
}

static void drop_copy(map_past *past) {
    free(past->images);
}

const map_mover map_copy_mover = {draw_copy, keep_copy, restore_copy, drop_copy};
