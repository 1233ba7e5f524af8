/* Contacts as rows of the system on every level. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/meet_untangle.h"
#include "kernel/coupling.h"
#include "kernel/untangle.h"

/* ---- contacts -----------------------------------------------------------------------------------
 */

/* Of an edge or a triangle: what is nearer to its rim is on it. */
static const float WITHIN = 1e-5f;

/* Spacings in the pattern: what is beside. */
static const float BESIDE = 2.0f;

static bool is_rim(const meet_pair *p, v4 w) {
    const float least =
        p->edges ? k_min(k_min(w.x, w.y), k_min(-w.z, -w.w)) : k_min(-w.y, k_min(-w.z, -w.w));
    return least <= WITHIN;
}

/* Pairs that are looked at together. */
typedef struct near_batch {
    const meet_run *run;
    meet_found *own;
    uint32_t pairs[MEET_BATCH];
    meet_batch batch;
} near_batch;

static void add_near(near_batch *n, uint32_t index, meet_place place) {
    const meet_pair *p = &n->run->table->pairs[index];
    float rest = meet_rest_of(n->run, p, place.weights);
    if (n->run->plan->untangle && untangle_is_near(n->run, p)) {
        rest *= UNTANGLE_REST;
    }
    if (place.distance >= rest || !(place.distance > 0.0f) ||
        (p->edges && is_rim(p, place.weights))) {
        return;
    }
    meet_found *own = n->own;
    meet_contact *contacts = memory_grow(own->contacts, own->contact_count, &own->contact_room,
                                         sizeof *contacts, "contacts of cloth");
    own->failed |= !contacts;
    if (contacts) {
        own->contacts = contacts;
        contacts[own->contact_count++] = (meet_contact){.pair = *p, .place = place, .rest = rest};
    }
}

static void flush_near(near_batch *n) {
    meet_batch *b = &n->batch;
    n->run->vectors->measure(b);
    n->run->vectors->locate(b);
    for (int i = 0; i < b->count; i++) {
        const bool edges = n->run->table->pairs[n->pairs[i]].edges;
        const v4 weights =
            edges ? meet_edge_weights(b->at_edges[0][i], b->at_edges[1][i])
                  : meet_face_weights(
                        v3_make(b->at_triangle[0][i], b->at_triangle[1][i], b->at_triangle[2][i]));
        add_near(n, n->pairs[i],
                 (meet_place){weights, meet_batch_normal(b, i), positive_part(b->distance[i])});
    }
    b->count = 0;
}

static void list_near(near_batch *n, uint32_t index) {
    const meet_table *t = n->run->table;
    const meet_pair *p = &t->pairs[index];
    const meet_corners c = meet_corners_of(t, p);
    if (meet_gap(c.at, p->edges, p->normal) >
        meet_reach(meet_thickness(n->run->plan, p), p->edges)) {
        return;
    }
    const ccd_quad q = meet_quad_of(&c, p->edges);
    n->pairs[n->batch.count] = index;
    meet_batch_add(&n->batch, &q);
    if (n->batch.count == MEET_BATCH) {
        flush_near(n);
    }
}

/* ---- pressure -----------------------------------------------------------------------------------
 */

/* How far the first part has gone against the second in the substep. */
static v3 slid(const meet_table *t, const meet_contact *own) {
    const meet_pair *p = &own->pair;
    const v4 weights = own->place.weights;
    const float w[4] = {weights.x, weights.y, weights.z, weights.w};
    v3 sum = v3_make(0.0f, 0.0f, 0.0f);
    for (int k = 0; k < 4; k++) {
        const meet_cloth *c = meet_cloth_of(t, p, k);
        sum = v3_madd(sum,
                      v3_sub(meet_load(c->from, p->corners[k]), meet_load(c->start, p->corners[k])),
                      w[k]);
    }
    return sum;
}

/* Where forces without it take the contact, each texel by itself. */
static meet_pull pull_of(const meet_run *run, const meet_contact *own) {
    const meet_table *t = run->table;
    const meet_pair *p = &own->pair;
    const newton_level *l = &run->state->level[0];
    const v4 weights = own->place.weights;
    const float w[4] = {weights.x, weights.y, weights.z, weights.w};
    meet_pull pull = meet_no_pull();
    for (int k = 0; k < 4; k++) {
        const meet_cloth *c = meet_cloth_of(t, p, k);
        const meet_square s = meet_square_of(c, p->corners[k]);
        for (int i = 0; i < s.count; i++) {
            const size_t at = meet_texel_at(t, l->table, c, s.texels[i]);
            const block inverse = {planes_get(&l->plane[EQ_inverse], at),
                                   planes_get(&l->plane[EQ_inverse + 3], at)};
            pull = meet_add_pull(pull, inverse, planes_get(&l->plane[EQ_residual], at),
                                 w[k] * s.weights[i]);
        }
    }
    return pull;
}

static void press(const meet_run *run, meet_contact *own) {
    const meet_pair *p = &own->pair;
    const cloth_params *one = &run->plan->cloths[p->first], *other = &run->plan->cloths[p->second];
    const meet_pull pull = pull_of(run, own);
    if (own->draws > 0.0f) {
        own->press = untangle_press(own->place.normal, own->draws, own->rest, slid(run->table, own),
                                    pull.gives);
        return;
    }
    own->press = meet_pressed(own->place, own->rest, meet_stiff(own->place.normal, pull.gives),
                              k_sqrt(one->self_friction * other->self_friction),
                              slid(run->table, own), pull);
}

/* ---- ends ---------------------------------------------------------------------------------------
 */

/* The cell of a panel that a part of a contact lies in, for coarser levels. */
static coupling_end end_of(const meet_table *t, const meet_contact *own, bool first) {
    const meet_pair *p = &own->pair;
    const int cloth = (int)(first ? p->first : p->second);
    const meet_cloth *c = &t->cloths[cloth];
    const v4 v = own->place.weights;
    const float w[4] = {v.x, v.y, v.z, v.w};
    const int begin = first ? 0 : p->edges ? 2 : 1, end = first ? (p->edges ? 2 : 1) : 4;
    float at[2] = {0.0f, 0.0f};
    for (int k = begin; k < end; k++) {
        const float *uv = c->mesh->uv + 2 * (size_t)p->corners[k];
        at[0] += k_abs(w[k]) * uv[0];
        at[1] += k_abs(w[k]) * uv[1];
    }
    const float cell = c->scale / c->grid->spacing;
    const int most[2] = {c->grid->columns - 2, c->grid->rows - 2};
    int place[2];
    float part[2];
    for (int axis = 0; axis < 2; axis++) {
        const float along = k_max(at[axis] * cell, 0.0f);
        place[axis] = along < (float)most[axis] ? (int)along : most[axis];
        part[axis] = k_min(along - (float)place[axis], 1.0f);
    }
    coupling_end e = {.panel = cloth, .column = place[0], .row = place[1]};
    for (int k = 0; k < CELL_CORNERS; k++) {
        const int texel = (e.row + k / 2) * c->grid->columns + e.column + k % 2;
        e.weights[k] = (k % 2 ? part[0] : 1.0f - part[0]) * (k / 2 ? part[1] : 1.0f - part[1]) *
                       (c->held[texel] ? 0.0f : 1.0f);
    }
    return e;
}

/* ---- a level ------------------------------------------------------------------------------------
 */

/* Texels of a row: of a contact of outlines four for each corner. */
enum { MOST_WEIGHTS = 16 };

static bool make_room(meet_level *l, size_t rows) {
    l->rows = 0;
    if (rows < l->row_room) {
        return true;
    }
    const size_t room = rows + 1;
    size_t none[7] = {0};
    const bool made =
        meet_room((void **)&l->ends, &none[0], 2 * room, sizeof *l->ends) &&
        meet_room((void **)&l->first, &none[1], room + 1, sizeof *l->first) &&
        meet_room((void **)&l->stiffness, &none[2], room, sizeof *l->stiffness) &&
        meet_room((void **)&l->pulls, &none[3], room, sizeof *l->pulls) &&
        meet_room((void **)&l->joined, &none[4], room, sizeof *l->joined) &&
        meet_room((void **)&l->merged, &none[5], room, sizeof *l->merged) &&
        meet_room((void **)&l->weights, &none[6], room * MOST_WEIGHTS, sizeof *l->weights);
    l->row_room = made ? room : 0;
    return made;
}

/* The weights of one row after the other. */
typedef struct weigher {
    meet_level *l;
    uint32_t count;
} weigher;

static void add_weight(weigher *w, size_t texel, float weight) {
    if (weight != 0.0f) {
        w->l->weights[w->count++] = (meet_weight){(uint32_t)texel, weight};
    }
}

/* On the finest level rows have the texels of their corners, exactly. */
static void weigh_contact(weigher *w, const meet_table *t, const system_level *table,
                          const meet_contact *own) {
    const meet_pair *p = &own->pair;
    const v4 v = own->place.weights;
    const float weights[4] = {v.x, v.y, v.z, v.w};
    for (int k = 0; k < 4; k++) {
        const meet_cloth *c = meet_cloth_of(t, p, k);
        const meet_square s = meet_square_of(c, p->corners[k]);
        for (int i = 0; i < s.count; i++) {
            add_weight(w, meet_texel_at(t, table, c, s.texels[i]), weights[k] * s.weights[i]);
        }
    }
}

static void weigh_ends(weigher *w, const system_level *table, const coupling_end ends[2]) {
    for (int k = 0; k < COUPLED_CORNERS; k++) {
        const coupling_end *e = &ends[k / CELL_CORNERS];
        const system_panel *panel = &table->panels[e->panel];
        const int corner = k % CELL_CORNERS;
        const size_t at = grid_index(&panel->grid, e->column + corner % 2, e->row + corner / 2);
        add_weight(w, panel->first + at, (k < CELL_CORNERS ? 1.0f : -1.0f) * e->weights[corner]);
    }
}

static bool make_finest(const meet_run *run) {
    meet_table *t = run->table;
    meet_level *l = &t->level[0];
    if (!make_room(l, t->contact_count)) {
        return false;
    }
    weigher w = {.l = l};
    for (uint32_t r = 0; r < t->contact_count; r++) {
        const meet_contact *own = &t->contacts[r];
        l->first[r] = w.count;
        l->ends[2 * r] = end_of(t, own, true);
        l->ends[2 * r + 1] = end_of(t, own, false);
        l->stiffness[r] = own->press.stiffness;
        l->pulls[r] = own->press.pull;
        l->joined[r] = true;
        weigh_contact(&w, t, &run->state->equations.level[0], own);
    }
    l->rows = (uint32_t)t->contact_count;
    l->first[l->rows] = w.count;
    return true;
}

/* ---- coarser rows -------------------------------------------------------------------------------
 */

static bool are_in_order(const coupling_end *a, const coupling_end *b) {
    return a->panel != b->panel ? a->panel < b->panel
           : a->row != b->row   ? a->row < b->row
                                : a->column <= b->column;
}

static bool are_same_cell(const coupling_end *a, const coupling_end *b) {
    return a->panel == b->panel && a->row == b->row && a->column == b->column;
}

static size_t hash_of(const coupling_end ends[2]) {
    uint64_t h = 0;
    for (int e = 0; e < 2; e++) {
        h = (h ^ (uint64_t)ends[e].panel) * UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ (uint64_t)ends[e].row) * UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ (uint64_t)ends[e].column) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (size_t)h;
}

/* The row of the level for these cells, which is made where there is none. */
static uint32_t row_for(meet_table *t, meet_level *l, const coupling_end ends[2], size_t mask) {
    size_t at = hash_of(ends) & mask;
    while (t->merged[at] != 0) {
        const uint32_t row = t->merged[at] - 1;
        if (are_same_cell(&l->ends[2 * row], &ends[0]) &&
            are_same_cell(&l->ends[2 * row + 1], &ends[1])) {
            return row;
        }
        at = (at + 1) & mask;
    }
    const uint32_t row = l->rows++;
    t->merged[at] = row + 1;
    l->ends[2 * row] = (coupling_end){ends[0].panel, ends[0].column, ends[0].row, {0.0f}};
    l->ends[2 * row + 1] = (coupling_end){ends[1].panel, ends[1].column, ends[1].row, {0.0f}};
    l->stiffness[row] = block_zero();
    l->merged[row] = 0;
    return row;
}

static void merge_row(meet_level *l, uint32_t row, const coupling_end ends[2], block stiffness) {
    for (int k = 0; k < COUPLED_CORNERS; k++) {
        l->ends[2 * row + (uint32_t)(k / CELL_CORNERS)].weights[k % CELL_CORNERS] +=
            ends[k / CELL_CORNERS].weights[k % CELL_CORNERS];
    }
    l->stiffness[row] = block_add(l->stiffness[row], stiffness);
    l->merged[row]++;
}

/* Rows that lie in the same two cells are one, with the mean of their weights. What lies within one
 * cell, or in a panel that has ended, is left to finer levels. */
static bool make_coarser(const meet_run *run, int depth) {
    meet_table *t = run->table;
    const meet_level *fine = &t->level[depth - 1];
    meet_level *l = &t->level[depth];
    const system_level *table = &run->state->equations.level[depth];
    size_t size = 16;
    while (size < 2 * (size_t)fine->rows) {
        size *= 2;
    }
    if (!make_room(l, fine->rows) ||
        !meet_room((void **)&t->merged, &t->merged_room, size, sizeof *t->merged)) {
        return false;
    }
    memset(t->merged, 0, size * sizeof *t->merged);
    for (uint32_t r = 0; r < fine->rows; r++) {
        coupling_end ends[2] = {coupling_coarser_end(&fine->ends[2 * r]),
                                coupling_coarser_end(&fine->ends[2 * r + 1])};
        if (!are_in_order(&ends[0], &ends[1])) {
            const coupling_end first = ends[0];
            ends[0] = ends[1];
            ends[1] = first;
        }
        if (table->panels[ends[0].panel].there && table->panels[ends[1].panel].there &&
            !are_same_cell(&ends[0], &ends[1])) {
            merge_row(l, row_for(t, l, ends, size - 1), ends, fine->stiffness[r]);
        }
    }
    weigher w = {.l = l};
    for (uint32_t r = 0; r < l->rows; r++) {
        coupling_end *ends = &l->ends[2 * r];
        const float share = 1.0f / (float)l->merged[r];
        for (int k = 0; k < COUPLED_CORNERS; k++) {
            ends[k / CELL_CORNERS].weights[k % CELL_CORNERS] *= share;
        }
        l->joined[r] = !table->panels[ends[0].panel].last && !table->panels[ends[1].panel].last;
        l->first[r] = w.count;
        weigh_ends(&w, table, ends);
    }
    l->first[l->rows] = w.count;
    return true;
}

/* ---- the texels of a level ----------------------------------------------------------------------
 */

static void forget_texels(meet_level *l) {
    for (uint32_t i = 0; i < l->touched; i++) {
        l->slot[l->texel[i].texel] = 0;
    }
    l->touched = 0;
}

/* Counts the entries of each texel that takes part; returns how many there are in all. */
static uint32_t count_entries(meet_level *l, const float *free) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < l->first[l->rows]; k++) {
        const uint32_t texel = l->weights[k].texel;
        const bool takes_part = !free || free[texel] > 0.0f;
        l->touched += takes_part && l->slot[texel] == 0;
        l->slot[texel] += takes_part;
        count += takes_part;
    }
    return count;
}

/* Touched texels in the order of planes; slots then have their numbers. */
static void list_touched(meet_level *l, const system_level *table) {
    uint32_t i = 0, first = 0;
    for (int j = 0; j < table->rows; j++) {
        l->first_of_row[j] = i;
        const size_t end = table->row[j].at + (size_t)table->row[j].floats;
        for (size_t texel = table->row[j].at; texel < end && i < l->touched; texel++) {
            if (l->slot[texel] > 0) {
                l->texel[i] = (meet_texel){(uint32_t)texel, first};
                first += l->slot[texel];
                l->slot[texel] = ++i;
            }
        }
    }
    l->first_of_row[table->rows] = i;
}

static void fill_entries(meet_level *l, uint32_t count, const float *free) {
    for (uint32_t r = 0; r < l->rows; r++) {
        float all = 0.0f;
        for (uint32_t k = l->first[r]; k < l->first[r + 1]; k++) {
            all += k_abs(l->weights[k].weight);
        }
        for (uint32_t k = l->first[r]; k < l->first[r + 1]; k++) {
            const meet_weight *w = &l->weights[k];
            if (!free || free[w->texel] > 0.0f) {
                meet_texel *texel = &l->texel[l->slot[w->texel] - 1];
                l->entry[texel->first++] =
                    (meet_entry){r, w->weight, coupling_share(w->weight, all)};
            }
        }
    }
    for (uint32_t i = l->touched; i > 0; i--) {
        l->texel[i].first = l->texel[i - 1].first;
    }
    l->texel[0].first = 0;
    l->texel[l->touched].first = count;
}

static bool list_texels(const meet_run *run, int depth) {
    meet_level *l = &run->table->level[depth];
    const float *free = depth == 0 ? run->state->level[0].plane[EQ_inertia] : NULL;
    const uint32_t count = count_entries(l, free);
    if (!meet_room((void **)&l->texel, &l->texel_room, (size_t)l->touched + 1, sizeof *l->texel) ||
        !meet_room((void **)&l->entry, &l->entry_room, (size_t)count + 1, sizeof *l->entry)) {
        return false;
    }
    list_touched(l, &run->state->equations.level[depth]);
    fill_entries(l, count, free);
    return true;
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

/* Thread 0: contacts of one thread after the other, which are in the order of pairs. */
static bool gather_contacts(meet_table *t) {
    size_t count = 0;
    bool made = true;
    for (int k = 0; k < t->threads; k++) {
        count += t->found[k].contact_count;
        made &= !t->found[k].failed;
        t->found[k].failed = false;
    }
    made = made && meet_room((void **)&t->contacts, &t->contact_room, count, sizeof *t->contacts);
    t->contact_count = 0;
    for (int k = 0; made && k < t->threads; k++) {
        const meet_found *own = &t->found[k];
        if (own->contact_count > 0) {
            memcpy(t->contacts + t->contact_count, own->contacts,
                   own->contact_count * sizeof *own->contacts);
        }
        t->contact_count += own->contact_count;
    }
    return made;
}

/* ---- rims ---------------------------------------------------------------------------------------
 */

/* m in the pattern: where a contact of a vertex and a triangle is on that. */
static v3 spot_of(const meet_table *t, const meet_contact *own) {
    const meet_pair *p = &own->pair;
    const meet_cloth *c = &t->cloths[p->second];
    const v4 w = own->place.weights;
    const float weights[3] = {-w.y, -w.z, -w.w};
    v3 spot = v3_make(0.0f, 0.0f, 0.0f);
    for (int k = 0; k < 3; k++) {
        const float *uv = c->mesh->uv + 2 * (size_t)p->corners[k + 1];
        spot = v3_madd(spot, v3_make(uv[0], uv[1], 0.0f), c->scale * weights[k]);
    }
    return spot;
}

/* Is a contact on the rim of its triangle where the same vertex has a nearer one beside it? */
static bool is_passed_over(const meet_table *t, uint32_t index) {
    const meet_contact *own = &t->contacts[index];
    const meet_pair *p = &own->pair;
    if (p->edges || !is_rim(p, own->place.weights)) {
        return false;
    }
    const float beside = BESIDE * t->cloths[p->second].grid->spacing;
    const v3 spot = spot_of(t, own);
    bool passed = false;
    for (uint32_t k = t->cloths[p->first].chain[p->corners[0]]; k != 0 && !passed;
         k = t->chained[k - 1]) {
        const meet_contact *other = &t->contacts[k - 1];
        const float distance = other->place.distance;
        if (other->pair.second == p->second &&
            (distance < own->place.distance ||
             (distance == own->place.distance && k - 1 < index))) {
            const v3 off = v3_sub(spot_of(t, other), spot);
            passed = v3_dot(off, off) < beside * beside;
        }
    }
    return passed;
}

/* Thread 0. A vertex meets a surface where that is nearest; triangles beside that place have their
 * rims there, or near it, and are left out. */
static bool drop_rims(meet_table *t) {
    if (!meet_room((void **)&t->chained, &t->chained_room, t->contact_count, sizeof *t->chained)) {
        return false;
    }
    for (uint32_t k = 0; k < t->contact_count; k++) {
        const meet_pair *p = &t->contacts[k].pair;
        uint32_t *first = &t->cloths[p->first].chain[p->corners[0]];
        if (!p->edges) {
            t->chained[k] = *first;
            *first = k + 1;
        }
    }
    for (uint32_t k = 0; k < t->contact_count; k++) {
        t->contacts[k].passed_over = is_passed_over(t, k);
    }
    size_t count = 0;
    for (uint32_t k = 0; k < t->contact_count; k++) {
        const meet_pair *p = &t->contacts[k].pair;
        t->cloths[p->first].chain[p->corners[0]] = 0;
        if (!t->contacts[k].passed_over) {
            t->contacts[count++] = t->contacts[k];
        }
    }
    t->contact_count = count;
    return true;
}

/* Cloths that touch are solved together. */
static void join_parts(const meet_run *run) {
    newton_state *s = run->state;
    meet_cloth *cloths = run->table->cloths;
    for (size_t r = 0; r < run->table->contact_count; r++) {
        const meet_pair *p = &run->table->contacts[r].pair;
        cloths[p->first].touches = cloths[p->second].touches = true;
        newton_join_islands(s, s->equations.part_of[p->first], s->equations.part_of[p->second]);
    }
    newton_list_islands(s);
}

static bool make_levels(const meet_run *run) {
    const equations *e = &run->state->equations;
    bool made = true;
    for (int depth = 0; depth < e->levels; depth++) {
        meet_level *l = &run->table->level[depth];
        forget_texels(l);
        made = made && (depth == 0 ? make_finest(run) : make_coarser(run, depth));
        made = made && list_texels(run, depth);
        l->rows = made ? l->rows : 0;
        l->touched = made ? l->touched : 0;
    }
    return made;
}

void meet_list_near(const meet_run *run, int thread) {
    meet_table *t = run->table;
    meet_found *own = &t->found[thread];
    own->contact_count = 0;
    near_batch n = {.run = run, .own = own};
    for (size_t k = 0; k < own->near_count; k++) {
        list_near(&n, own->near[k]);
    }
    flush_near(&n);
    barrier_wait(run->barrier);
    if (thread == 0) {
        t->failed |= !gather_contacts(t) || !drop_rims(t) ||
                     (run->plan->untangle && !untangle_add_contacts(run));
        join_parts(run);
    }
    barrier_wait(run->barrier);
}

void meet_press_all(const meet_run *run, int thread) {
    meet_table *t = run->table;
    const meet_range own = meet_share_of(t->contact_count, thread, t->threads);
    for (size_t k = own.begin; k < own.end; k++) {
        press(run, &t->contacts[k]);
    }
    barrier_wait(run->barrier);
    if (thread == 0) {
        t->failed |= !make_levels(run);
    }
    barrier_wait(run->barrier);
}

void meet_forget_levels(const meet_run *run) {
    for (int c = 0; c < run->table->count; c++) {
        run->table->cloths[c].touches = false;
    }
    for (int depth = 0; depth < run->state->equations.levels; depth++) {
        forget_texels(&run->table->level[depth]);
        run->table->level[depth].rows = 0;
    }
}
