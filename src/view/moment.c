#include "view/moment.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "render/matrix.h"

/* Pins of a long edge are shown by some of their texels, those of a spot by one. */
enum { MOST_SHOWN_OF_A_PIN = 64, SPOT = 16 };

static size_t most_vertices(const play *p, int cloth) {
    size_t most = 0;
    for (int i = 0; i < p->skins.count; i++) {
        size_t vertices = p->skins.items[i].cloths[cloth].mesh.vertices;
        most = vertices > most ? vertices : most;
    }
    return most;
}

static toile_result make_texels(moment *m, const play *p, bool between) {
    toile_result result = texels_make(&m->after, p);
    return result == TOILE_OK && between ? texels_make(&m->before, p) : result;
}

static size_t body_vertices(const play *p, int body) {
    return p->scene->bodies[body].def.mesh.vertices;
}

toile_result moment_make(moment *m, const play *p, bool between) {
    int cloths = p->scene->cloth_count;
    *m = (moment){0};
    m->positions = memory_alloc((size_t)cloths, sizeof *m->positions, "cloths");
    m->poses = memory_alloc((size_t)p->scene->body_count, sizeof *m->poses, "bodies");
    m->vertices = memory_alloc((size_t)p->scene->body_count, sizeof *m->vertices, "bodies");
    m->marks = p->skins.marks ? memory_alloc((size_t)cloths, sizeof *m->marks, "cloths") : NULL;
    bool complete = m->positions && m->poses && m->vertices && (m->marks || !p->skins.marks);
    for (int b = 0; b < p->scene->body_count && complete; b++) {
        if (p->scene->bodies[b].actor) {
            m->vertices[b] = memory_alloc(body_vertices(p, b), 3 * sizeof(float), "a body");
            complete = m->vertices[b];
        }
    }
    for (int c = 0; c < cloths && complete; c++) {
        m->positions[c] =
            memory_alloc(most_vertices(p, c), 3 * sizeof(float), "a cloth's vertices");
        complete = m->positions[c];
        if (m->marks && complete) {
            m->marks[c] = memory_alloc(most_vertices(p, c), sizeof **m->marks, "marks");
            complete = m->marks[c];
        }
    }
    toile_result result = complete ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (complete && p->on_device) {
        result = make_texels(m, p, between);
    }
    if (result != TOILE_OK) {
        moment_free(m, p);
    }
    return result;
}

void moment_free(moment *m, const play *p) {
    for (int c = 0; m->positions && c < p->scene->cloth_count; c++) {
        free(m->positions[c]);
    }
    for (int c = 0; m->marks && c < p->scene->cloth_count; c++) {
        free(m->marks[c]);
    }
    for (int b = 0; m->vertices && b < p->scene->body_count; b++) {
        free(m->vertices[b]);
    }
    texels_free(&m->after, p);
    texels_free(&m->before, p);
    free(m->positions);
    free(m->marks);
    free(m->vertices);
    free(m->poses);
    free(m->pins);
    *m = (moment){0};
}

static toile_result read_cloths(moment *m, const play *p, int which) {
    toile_result result = TOILE_OK;
    m->on_device = m->after.buffers && p->skins.items[which].kind == SKIN_MESH;
    m->share = 1.0f;
    if (m->on_device) {
        texels_read(&m->after, p);
    }
    for (int c = 0; !m->on_device && c < p->scene->cloth_count && result == TOILE_OK; c++) {
        result = skins_read(&p->skins, which, p->world, p->ids.cloths[c], c, m->positions[c]);
    }
    for (int c = 0; m->marks && c < p->scene->cloth_count && result == TOILE_OK; c++) {
        result = skins_read_marks(&p->skins, which, p->world, p->ids.cloths[c], c, m->marks[c]);
    }
    m->skin = which;
    return result;
}

static bool add_pin_place(moment *m, const float place[3]) {
    void *pins = memory_grow(m->pins, m->pin_count, &m->pin_capacity, sizeof *m->pins, "pins");
    if (!pins) {
        return false;
    }
    m->pins = pins;
    memcpy(m->pins[m->pin_count++], place, sizeof *m->pins);
    return true;
}

/* Some texels of a cloth, 3 floats each. Those of a moment that is not on_device were read to
 * p->skins.texels. */
static toile_result get_texels(const moment *m, const play *p, int cloth, const uint32_t *numbers,
                               size_t count, float *out) {
    if (m->on_device) {
        return texels_fetch(&m->after, p, cloth, numbers, count, out);
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(out + 3 * i, p->skins.texels + 3 * (size_t)numbers[i], 3 * sizeof *out);
    }
    return TOILE_OK;
}

static toile_result add_pin_places(moment *m, const play *p, toile_pin_id id, int cloth) {
    size_t count = toile_pin_get_info(p->world, id).texels, shown = 0;
    uint32_t *texels = memory_alloc(count, sizeof *texels, "pinned texels");
    toile_result result =
        texels ? toile_pin_get_texels(p->world, id, texels, count) : TOILE_ERROR_MEMORY;
    bool spot = count <= SPOT;
    size_t stride = spot ? count : 1 + (count - 1) / MOST_SHOWN_OF_A_PIN;
    for (size_t i = spot ? count / 2 : 0; i < count && result == TOILE_OK; i += stride) {
        texels[shown++] = texels[i];
    }
    float places[MOST_SHOWN_OF_A_PIN][3];
    if (result == TOILE_OK) {
        result = get_texels(m, p, cloth, texels, shown, places[0]);
    }
    for (size_t i = 0; i < shown && result == TOILE_OK; i++) {
        result = add_pin_place(m, places[i]) ? TOILE_OK : TOILE_ERROR_MEMORY;
    }
    free(texels);
    return result;
}

static bool same_cloth(toile_cloth_id a, toile_cloth_id b) {
    return a.slot == b.slot && a.generation == b.generation;
}

/* The pins and the hand of one cloth. */
static toile_result read_held(moment *m, const play *p, int number) {
    const hold *h = &p->hold;
    const toile_cloth_id cloth = p->ids.cloths[number];
    size_t texels = toile_cloth_get_info(p->world, cloth).texels;
    toile_result result =
        m->on_device ? TOILE_OK
                     : toile_cloth_get_texel_positions(p->world, cloth, p->skins.texels, texels);
    for (int i = 0; i < h->pin_count && result == TOILE_OK; i++) {
        if (same_cloth(toile_pin_get_info(p->world, h->pins[i].id).cloth, cloth)) {
            result = add_pin_places(m, p, h->pins[i].id, number);
        }
    }
    if (h->closed && same_cloth(h->cloth, cloth) && result == TOILE_OK) {
        m->held = true;
        const uint32_t texel = (uint32_t)h->texel;
        result = get_texels(m, p, number, &texel, 1, m->hand);
    }
    return result;
}

toile_result moment_read(moment *m, const play *p, int which) {
    toile_result result = read_cloths(m, p, which);
    for (int b = 0; b < p->scene->body_count && result == TOILE_OK; b++) {
        m->poses[b] = toile_body_get_pose(p->world, p->ids.bodies[b]);
        if (m->vertices[b]) {
            result = toile_body_get_vertices(p->world, p->ids.bodies[b], m->vertices[b],
                                             body_vertices(p, b));
        }
    }
    m->time = toile_world_time(p->world);
    m->pin_count = 0;
    m->held = false;
    bool anything = p->hold.pin_count > 0 || p->hold.closed;
    for (int c = 0; anything && c < p->scene->cloth_count && result == TOILE_OK; c++) {
        result = read_held(m, p, c);
    }
    return result;
}

/* ---- between two --------------------------------------------------------------------------------
 */

static void mix(float *out, const float *a, const float *b, float share, size_t count) {
    for (size_t i = 0; i < count; i++) {
        out[i] = a[i] + share * (b[i] - a[i]);
    }
}

static toile_pose mix_poses(const toile_pose *a, const toile_pose *b, float share) {
    toile_pose out;
    mix(out.position, a->position, b->position, share, 3);
    /* A turn and its negative are the same: the nearer one is taken. Between two states so close
     * together the shortest line will do for the arc. */
    float along = 0.0f, squared = 0.0f;
    for (int k = 0; k < 4; k++) {
        along += a->rotation[k] * b->rotation[k];
    }
    for (int k = 0; k < 4; k++) {
        float near = along < 0.0f ? -a->rotation[k] : a->rotation[k];
        out.rotation[k] = near + share * (b->rotation[k] - near);
        squared += out.rotation[k] * out.rotation[k];
    }
    for (int k = 0; k < 4; k++) {
        out.rotation[k] /= sqrtf(squared);
    }
    return out;
}

static toile_result mix_pins(moment *m, const moment *a, const moment *b, float share) {
    m->pin_count = 0;
    for (size_t i = 0; i < b->pin_count; i++) {
        float place[3];
        mix(place, a->pin_count == b->pin_count ? a->pins[i] : b->pins[i], b->pins[i], share, 3);
        if (!add_pin_place(m, place)) {
            return TOILE_ERROR_MEMORY;
        }
    }
    return TOILE_OK;
}

toile_result moment_between(moment *m, const moment *before, const moment *after, float share,
                            const play *p) {
    const moment *a = before->skin == after->skin ? before : after;
    const skin *shown = &p->skins.items[after->skin];
    m->on_device = after->on_device;
    m->share = share;
    if (m->on_device) {
        texels_copy(&m->before, &a->after, p);
        texels_copy(&m->after, &after->after, p);
    }
    for (int c = 0; !m->on_device && c < p->scene->cloth_count; c++) {
        mix(m->positions[c], a->positions[c], after->positions[c], share,
            3 * shown->cloths[c].mesh.vertices);
    }
    for (int c = 0; m->marks && c < p->scene->cloth_count; c++) {
        memcpy(m->marks[c], after->marks[c], shown->cloths[c].mesh.vertices * sizeof **m->marks);
    }
    for (int b = 0; b < p->scene->body_count; b++) {
        m->poses[b] = mix_poses(&a->poses[b], &after->poses[b], share);
        if (m->vertices[b]) {
            mix(m->vertices[b], a->vertices[b], after->vertices[b], share, 3 * body_vertices(p, b));
        }
    }
    m->time = after->time;
    m->skin = after->skin;
    m->held = after->held;
    mix(m->hand, a->held ? a->hand : after->hand, after->hand, share, 3);
    return mix_pins(m, a, after, share);
}
