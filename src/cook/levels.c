#include "cook/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/spring.h"

/* The coarsest level has at most so many texels along its longer side: Schmitt section 6 finds
 * about 20 best, and halving ends somewhere below this. */
static const int COARSEST = 24;

/* But small cloths want some levels too: what few iterations do is the same for all. */
static const int FEWEST = 3;

/* A level while it is made. Arrays have an entry for each texel, row by row. */
typedef struct draft {
    const levels_base *base;
    int columns, rows;
    bool whole;             /* every texel of level 0 exists */
    const level *level;     /* NULL for level 0 */
    uint32_t *column, *row; /* of the representative on the finer level; NO_TEXEL: absent */
    uint32_t *place;        /* of the representative on level 0: column + row * columns */
    float *mass;            /* kg */
    uint8_t *pinned;
    double *flat; /* 2 a texel: where its position is in the panel, in spacings of level 0 */
} draft;

static const uint32_t NO_TEXEL = UINT32_MAX;

typedef struct texel {
    int i, j;
} texel;

static size_t at(const draft *d, texel t) {
    return (size_t)t.j * (size_t)d->columns + (size_t)t.i;
}

static bool inside(const draft *d, texel t) {
    return t.i >= 0 && t.j >= 0 && t.i < d->columns && t.j < d->rows;
}

static bool exists(const draft *d, texel t) {
    return inside(d, t) && d->place[at(d, t)] != NO_TEXEL;
}

static void draft_free(draft *d) {
    free(d->column);
    free(d->row);
    free(d->place);
    free(d->mass);
    free(d->pinned);
    free(d->flat);
    *d = (draft){0};
}

static toile_result draft_allocate(draft *d, const levels_base *base, int columns, int rows) {
    size_t count = (size_t)columns * (size_t)rows;
    *d = (draft){.base = base, .columns = columns, .rows = rows};
    d->column = memory_alloc(count, sizeof *d->column, "levels");
    d->row = memory_alloc(count, sizeof *d->row, "levels");
    d->place = memory_alloc(count, sizeof *d->place, "levels");
    d->mass = memory_alloc(count, sizeof *d->mass, "levels");
    d->pinned = memory_alloc(count, sizeof *d->pinned, "levels");
    d->flat = memory_alloc(count, 2 * sizeof *d->flat, "levels");
    if (!d->column || !d->row || !d->place || !d->mass || !d->pinned || !d->flat) {
        draft_free(d);
        return TOILE_ERROR_MEMORY;
    }
    return TOILE_OK;
}

static toile_result draft_finest(draft *d, const levels_base *base) {
    toile_result result = draft_allocate(d, base, base->grid->columns, base->grid->rows);
    d->whole = true;
    for (size_t t = 0; result == TOILE_OK && t < grid_texels(base->grid); t++) {
        d->whole = d->whole && base->mass[t] > 0.0f;
        d->place[t] = base->mass[t] > 0.0f ? (uint32_t)t : NO_TEXEL;
        d->mass[t] = base->mass[t];
        size_t columns = (size_t)base->grid->columns, row = t / columns;
        d->flat[2 * t] = (double)(t % columns);
        d->flat[2 * t + 1] = (double)row;
        d->pinned[t] = base->mass[t] > 0.0f && base->inverse_mass[t] <= 0.0f;
    }
    return result;
}

/* Rest length of an edge from a texel, LEVEL_NO_EDGE where there is none. */
static float edge_rest(const draft *d, level_edge kind, texel t) {
    if (!inside(d, t)) {
        return LEVEL_NO_EDGE;
    }
    if (d->level) {
        return d->level->rest[kind][grid_index(&d->level->grid, t.i, t.j)];
    }
    const grid *g = d->base->grid;
    const float *c = d->base->coverage + grid_index(g, t.i, t.j);
    float weight = kind == EDGE_U   ? thread_weight(c[0], c[-g->stride])
                   : kind == EDGE_V ? thread_weight(c[0], c[-1])
                                    : c[0];
    float length = kind == EDGE_U || kind == EDGE_V ? g->spacing : g->spacing * 1.41421356f;
    return weight > 0.0f ? length : LEVEL_NO_EDGE;
}

/* The edge between neighbours: b is one step from a. */
static float step_rest(const draft *d, texel a, texel b) {
    int i = a.i < b.i ? a.i : b.i, j = a.j < b.j ? a.j : b.j;
    bool across = a.i != b.i, along = a.j != b.j;
    level_edge kind = !along                       ? EDGE_U
                      : !across                    ? EDGE_V
                      : (a.i < b.i) == (a.j < b.j) ? EDGE_RISING
                                                   : EDGE_FALLING;
    return edge_rest(d, kind, (texel){i, j});
}

/* Representatives of neighbours are at most three texels apart. */
enum { BOX = 4 };

static int apart(int a, int b) {
    return a < b ? b - a : a - b;
}

/* The shortest way from a to b over edges within their box: Bellman and Ford on at most 16 texels.
 */
static float shortest_way(const draft *d, texel a, texel b) {
    int low_i = a.i < b.i ? a.i : b.i, low_j = a.j < b.j ? a.j : b.j;
    int width = apart(a.i, b.i) + 1, height = apart(a.j, b.j) + 1;
    if (width > BOX || height > BOX) {
        return LEVEL_NO_EDGE;
    }
    float way[BOX][BOX];
    for (int k = 0; k < BOX * BOX; k++) {
        way[k / BOX][k % BOX] = LEVEL_NO_EDGE;
    }
    way[a.j - low_j][a.i - low_i] = 0.0f;
    for (int round = 0; round < width + height; round++) {
        for (int k = 0; k < width * height; k++) {
            texel t = {k % width, k / width};
            for (int n = 0; n < 9; n++) {
                texel s = {t.i + n % 3 - 1, t.j + n / 3 - 1};
                if (n == 4 || s.i < 0 || s.j < 0 || s.i >= width || s.j >= height) {
                    continue;
                }
                float step = step_rest(d, (texel){s.i + low_i, s.j + low_j},
                                       (texel){t.i + low_i, t.j + low_j});
                way[t.j][t.i] = fminf(way[t.j][t.i], way[s.j][s.i] + step);
            }
        }
    }
    float found = way[b.j - low_j][b.i - low_i];
    return found < LEVEL_NO_EDGE ? found : LEVEL_NO_EDGE;
}

/* The same, first tried straight: two equal steps. */
static float way_between(const draft *d, texel a, texel b) {
    texel middle = {(a.i + b.i) / 2, (a.j + b.j) / 2};
    bool straight = apart(a.i, b.i) + apart(a.j, b.j) > 1 && (a.i + b.i) % 2 == 0 &&
                    (a.j + b.j) % 2 == 0 && apart(a.i, b.i) <= 2 && apart(a.j, b.j) <= 2;
    if (straight) {
        float sum = step_rest(d, a, middle) + step_rest(d, middle, b);
        if (sum < LEVEL_NO_EDGE) {
            return sum;
        }
    }
    return shortest_way(d, a, b);
}

static texel representative(const draft *coarse, texel t) {
    size_t k = at(coarse, t);
    return (texel){(int)coarse->column[k], (int)coarse->row[k]};
}

/* The texels that a coarse one stands for, the middle first. */
static texel candidate(texel t, int which) {
    return (texel){2 * t.i - which % 2, 2 * t.j - which / 2};
}

static void choose_representative(draft *coarse, const draft *fine, texel t) {
    size_t k = at(coarse, t);
    coarse->place[k] = NO_TEXEL;
    for (int which = 0; which < 4; which++) {
        texel f = candidate(t, which);
        if (!exists(fine, f)) {
            continue;
        }
        size_t from = at(fine, f);
        if (coarse->place[k] == NO_TEXEL || (fine->pinned[from] && !coarse->pinned[k])) {
            coarse->place[k] = fine->place[from];
            coarse->column[k] = (uint32_t)f.i;
            coarse->row[k] = (uint32_t)f.j;
            coarse->pinned[k] = fine->pinned[from];
        }
    }
}

static toile_result level_allocate(level *l, const grid *finer) {
    static const char what[] = "levels";
    size_t size = l->grid.size;
    bool done = true;
    for (int e = 0; e < EDGE_KINDS; e++) {
        l->rest[e] = memory_alloc(size, sizeof(float), what);
        done = done && l->rest[e];
    }
    l->inverse_mass = memory_alloc(size, sizeof(float), what);
    l->coverage = memory_alloc(size, sizeof(float), what);
    l->source = memory_alloc(grid_texels(&l->grid), sizeof *l->source, what);
    l->mean = memory_alloc(size, sizeof(float), what);
    l->regular = memory_alloc(size, sizeof(float), what);
    l->part_rows = memory_alloc((size_t)l->grid.rows + 1, sizeof *l->part_rows, what);
    l->even = memory_alloc(finer->size, sizeof(float), what);
    l->odd_rows = memory_alloc((size_t)finer->rows + 1, sizeof *l->odd_rows, what);
    done = done && l->inverse_mass && l->coverage && l->regular && l->source && l->mean &&
           l->part_rows && l->even && l->odd_rows;
    return done ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static double flat_distance(const draft *a, texel s, const draft *b, texel t) {
    const double *p = a->flat + 2 * at(a, s), *q = b->flat + 2 * at(b, t);
    return hypot(p[0] - q[0], p[1] - q[1]);
}

/* The way between representatives, lengthened or shortened as the means are farther apart or
 * nearer. Around holes and notches shortening it was tried, and pulled threads to 1.6 times their
 * length. */
static float edge_between(const draft *coarse, const draft *fine, texel a, texel b) {
    if (!exists(coarse, a) || !exists(coarse, b)) {
        return LEVEL_NO_EDGE;
    }
    texel from = representative(coarse, a), to = representative(coarse, b);
    float way = way_between(fine, from, to);
    double means = flat_distance(coarse, a, coarse, b),
           picked = flat_distance(fine, from, fine, to);
    double scale = fine->whole ? means / picked : fmax(means / picked, 1.0);
    return way < LEVEL_NO_EDGE ? (float)((double)way * scale) : way;
}

static void join_texels(level *l, const draft *coarse, const draft *fine) {
    for (int e = 0; e < EDGE_KINDS; e++) {
        for (size_t k = 0; k < l->grid.size; k++) {
            l->rest[e][k] = LEVEL_NO_EDGE;
        }
    }
    for (int j = 0; j < coarse->rows; j++) {
        for (int i = 0; i < coarse->columns; i++) {
            size_t k = grid_index(&l->grid, i, j);
            texel here = {i, j}, right = {i + 1, j}, above = {i, j + 1}, opposite = {i + 1, j + 1};
            l->rest[EDGE_U][k] = edge_between(coarse, fine, here, right);
            l->rest[EDGE_V][k] = edge_between(coarse, fine, here, above);
            l->rest[EDGE_RISING][k] = edge_between(coarse, fine, here, opposite);
            l->rest[EDGE_FALLING][k] = edge_between(coarse, fine, right, above);
        }
    }
}

/* Is the representative in the middle, on all levels down to the finest? */
static bool is_regular(const draft *coarse, texel t, int depth) {
    if (!exists(coarse, t)) {
        return false;
    }
    uint32_t columns = (uint32_t)coarse->base->grid->columns, place = coarse->place[at(coarse, t)];
    return place % columns == (uint32_t)t.i << depth && place / columns == (uint32_t)t.j << depth;
}

static float mean_of_cells(const float *plane, const grid *g, int i, int j) {
    const float *c = plane + grid_index(g, 2 * i, 2 * j);
    return 0.25f * ((c[0] + c[1]) + (c[g->stride] + c[g->stride + 1]));
}

static void cover(level *l, const draft *fine) {
    const grid *g = fine->level ? &fine->level->grid : fine->base->grid;
    const float *finer = fine->level ? fine->level->coverage : fine->base->coverage;
    for (int j = 0; j + 1 < l->grid.rows; j++) {
        for (int i = 0; i + 1 < l->grid.columns; i++) {
            l->coverage[grid_index(&l->grid, i, j)] = mean_of_cells(finer, g, i, j);
        }
    }
}

/* Cells between representatives in the middle. */
static void cover_regular(level *l, const draft *coarse, const draft *fine, int depth) {
    const grid *g = fine->level ? &fine->level->grid : fine->base->grid;
    const float *finer = fine->level ? fine->level->regular : fine->base->coverage;
    for (int j = 0; j + 1 < coarse->rows; j++) {
        for (int i = 0; i + 1 < coarse->columns; i++) {
            bool whole = true;
            for (int corner = 0; corner < 4; corner++) {
                whole = whole && is_regular(coarse, (texel){i + corner % 2, j + corner / 2}, depth);
            }
            l->regular[grid_index(&l->grid, i, j)] = whole ? mean_of_cells(finer, g, i, j) : 0.0f;
        }
    }
}

static void list_sources(level *l, const draft *coarse) {
    const grid *g = coarse->base->grid;
    for (size_t t = 0; t < grid_texels(&l->grid); t++) {
        uint32_t place = coarse->place[t], columns = (uint32_t)g->columns;
        l->source[t] = place == NO_TEXEL ? 0 /* absent on level 0: always at the origin */
                                         : (uint32_t)grid_index(g, (int)(place % columns),
                                                                (int)(place / columns));
    }
}

/* The coarse texels around a fine one, with the weights of bilinear interpolation. */
typedef struct surroundings {
    texel coarse[4];
    float weights[4];
} surroundings;

/* Where a column or row of a level is on the finest, which has `count`: the last one is the last.
 */
static int place_on_finest(int index, int depth, int count) {
    return index << depth < count ? index << depth : count - 1;
}

/* Weight of the next coarse column or row: a half between two of them but for the last ones, whose
 * distance is less. depth: of the coarse level. */
static float share_of_next(int index, int depth, int count) {
    int here = place_on_finest(index, depth - 1, count);
    int before = place_on_finest(index / 2, depth, count);
    int next = place_on_finest(index / 2 + 1, depth, count);
    return here > before ? (float)(here - before) / (float)(next - before) : 0.0f;
}

static surroundings around(const draft *fine, texel f, int depth) {
    float u = share_of_next(f.i, depth, fine->base->grid->columns);
    float v = share_of_next(f.j, depth, fine->base->grid->rows);
    surroundings s;
    for (int k = 0; k < 4; k++) {
        int right = k % 2, up = k / 2;
        s.coarse[k] = (texel){f.i / 2 + right, f.j / 2 + up};
        s.weights[k] = (right ? u : 1.0f - u) * (up ? v : 1.0f - v);
    }
    return s;
}

/* Can a fine texel take from that coarse one? */
static bool reaches(const draft *coarse, const draft *fine, texel f, texel c) {
    if (!exists(coarse, c)) {
        return false;
    }
    texel r = representative(coarse, c);
    if (r.i == f.i && r.j == f.j) {
        return true;
    }
    bool near = apart(r.i, f.i) <= 1 && apart(r.j, f.j) <= 1;
    if (near && step_rest(fine, f, r) < LEVEL_NO_EDGE) {
        return true;
    }
    return shortest_way(fine, f, r) < LEVEL_NO_EDGE;
}

static bool is_representative(const draft *coarse, texel c, texel f) {
    texel r = exists(coarse, c) ? representative(coarse, c) : (texel){-1, -1};
    return r.i == f.i && r.j == f.j;
}

/* Weights of those that can be reached, made to add up to 1; none: the texel is left to its own
 * level. A representative is where its coarse texel is, and takes from no other, also where it is
 * not in the middle. */
static surroundings choose_weights(const draft *coarse, const draft *fine, texel f, int depth) {
    surroundings s = around(fine, f, depth);
    float sum = 0.0f;
    int own = -1;
    for (int k = 0; k < 4; k++) {
        own = is_representative(coarse, s.coarse[k], f) ? k : own;
    }
    for (int k = 0; k < 4; k++) {
        bool used =
            own >= 0 ? k == own : s.weights[k] > 0.0f && reaches(coarse, fine, f, s.coarse[k]);
        s.weights[k] = used ? s.weights[k] : 0.0f;
        sum += s.weights[k];
    }
    for (int k = 0; k < 4; k++) {
        s.weights[k] = sum > 0.0f ? s.weights[k] / sum : 0.0f;
    }
    return s;
}

/* Are they those that the passes use where nothing else is said? */
static bool are_usual(texel f, const surroundings *s) {
    bool usual = true;
    for (int k = 0; k < 4; k++) {
        float u = f.i % 2 ? 0.5f : k % 2 ? 0.0f : 1.0f, v = f.j % 2 ? 0.5f : k / 2 ? 0.0f : 1.0f;
        usual = usual && s->weights[k] == u * v;
    }
    return usual;
}

/* A coarse texel has the mass of what follows it, by the same weights: then the momentum that two
 * ends of a coarse edge give each other is also what the cloth gets, which sums over the texels
 * that it stands for would not keep, least of all at the border. */
static void add_mass(draft *coarse, const draft *fine, texel f, const surroundings *s) {
    for (int k = 0; k < 4; k++) {
        if (s->weights[k] > 0.0f) {
            coarse->mass[at(coarse, s->coarse[k])] += s->weights[k] * fine->mass[at(fine, f)];
        }
    }
}

static toile_result add_odd(level *l, size_t *capacity, const grid *finer, texel f,
                            const surroundings *s) {
    level_odd *grown = memory_grow(l->odd, l->odd_count, capacity, sizeof *l->odd, "levels");
    if (!grown) {
        return TOILE_ERROR_MEMORY;
    }
    l->odd = grown;
    level_odd *o = &l->odd[l->odd_count++];
    o->texel = (uint32_t)grid_index(finer, f.i, f.j);
    for (int k = 0; k < 4; k++) {
        bool used = s->weights[k] > 0.0f;
        o->weights[k] = s->weights[k];
        o->coarse[k] = used ? (uint32_t)grid_index(&l->grid, s->coarse[k].i, s->coarse[k].j) : 0;
    }
    return TOILE_OK;
}

static toile_result list_odd(level *l, draft *coarse, const draft *fine, const grid *finer,
                             int depth) {
    size_t capacity = 0;
    for (int j = 0; j < fine->rows; j++) {
        l->odd_rows[j] = (uint32_t)l->odd_count;
        for (int i = 0; i < fine->columns; i++) {
            texel f = {i, j};
            if (!exists(fine, f) || fine->pinned[at(fine, f)]) {
                continue; /* nothing is added to what does not move */
            }
            surroundings s = choose_weights(coarse, fine, f, depth);
            add_mass(coarse, fine, f, &s);
            if (are_usual(f, &s)) {
                l->even[grid_index(finer, i, j)] = 1.0f;
            } else if (add_odd(l, &capacity, finer, f, &s) != TOILE_OK) {
                return TOILE_ERROR_MEMORY;
            }
        }
    }
    l->odd_rows[fine->rows] = (uint32_t)l->odd_count;
    return TOILE_OK;
}

static void invert_masses(level *l, const draft *coarse) {
    for (int j = 0; j < coarse->rows; j++) {
        for (int i = 0; i < coarse->columns; i++) {
            size_t t = at(coarse, (texel){i, j});
            bool free = coarse->place[t] != NO_TEXEL && !coarse->pinned[t];
            l->inverse_mass[grid_index(&l->grid, i, j)] = free ? 1.0f / coarse->mass[t] : 0.0f;
        }
    }
}

/* Is the mean position of a coarse texel the usual one, of 3 x 3 texels with equal masses? */
static bool has_usual_mean(const level *l, const draft *coarse, const draft *fine,
                           const grid *finer, texel c) {
    texel middle = {2 * c.i, 2 * c.j};
    bool usual = middle.i > 0 && middle.j > 0 && middle.i + 1 < fine->columns &&
                 middle.j + 1 < fine->rows && !coarse->pinned[at(coarse, c)];
    for (int n = 0; usual && n < 9; n++) {
        texel f = {middle.i + n % 3 - 1, middle.j + n / 3 - 1};
        usual = l->even[grid_index(finer, f.i, f.j)] > 0.0f &&
                fine->mass[at(fine, f)] == fine->mass[at(fine, middle)];
    }
    return usual;
}

static toile_result add_part(level *l, size_t *capacity, int column, size_t index, float weight) {
    level_part *grown = memory_grow(l->parts, l->part_count, capacity, sizeof *grown, "levels");
    if (!grown) {
        return TOILE_ERROR_MEMORY;
    }
    l->parts = grown;
    l->parts[l->part_count++] = (level_part){(uint32_t)column, (uint32_t)index, weight};
    return TOILE_OK;
}

/* The parts of a mean: all texels that follow the coarse one, by their share of its mass. A pinned
 * one is where its representative is. */
static toile_result list_parts_of(level *l, size_t *capacity, const draft *coarse,
                                  const draft *fine, const grid *finer, texel c, int depth) {
    size_t k = at(coarse, c);
    double *flat = coarse->flat + 2 * k;
    texel own = representative(coarse, c);
    if (coarse->pinned[k] || !(coarse->mass[k] > 0.0f)) {
        memcpy(flat, fine->flat + 2 * at(fine, own), 2 * sizeof *flat);
        return add_part(l, capacity, c.i, grid_index(finer, own.i, own.j), 1.0f);
    }
    toile_result result = TOILE_OK;
    for (int n = 0; n < 25 && result == TOILE_OK; n++) {
        texel f = {2 * c.i + n % 5 - 2, 2 * c.j + n / 5 - 2};
        if (!exists(fine, f) || fine->pinned[at(fine, f)]) {
            continue;
        }
        surroundings s = choose_weights(coarse, fine, f, depth);
        for (int w = 0; w < 4 && result == TOILE_OK; w++) {
            if (s.coarse[w].i == c.i && s.coarse[w].j == c.j && s.weights[w] > 0.0f) {
                float part = s.weights[w] * fine->mass[at(fine, f)] / coarse->mass[k];
                flat[0] += (double)part * fine->flat[2 * at(fine, f)];
                flat[1] += (double)part * fine->flat[2 * at(fine, f) + 1];
                result = add_part(l, capacity, c.i, grid_index(finer, f.i, f.j), part);
            }
        }
    }
    return result;
}

/* The position of a coarse texel is the mean of those that follow it: what is given back to them is
 * then weighted as what was taken, and the level can give the cloth no energy that it does not have
 * (cpu/transfer.c). */
static toile_result choose_means(level *l, const draft *coarse, const draft *fine,
                                 const grid *finer, int depth) {
    size_t capacity = 0;
    for (int j = 0; j < coarse->rows; j++) {
        l->part_rows[j] = (uint32_t)l->part_count;
        for (int i = 0; i < coarse->columns; i++) {
            texel c = {i, j};
            if (!exists(coarse, c)) {
                continue;
            }
            if (has_usual_mean(l, coarse, fine, finer, c)) {
                l->mean[grid_index(&l->grid, i, j)] = 1.0f;
                memcpy(coarse->flat + 2 * at(coarse, c),
                       fine->flat + 2 * at(fine, (texel){2 * i, 2 * j}), 2 * sizeof(double));
            } else if (list_parts_of(l, &capacity, coarse, fine, finer, c, depth) != TOILE_OK) {
                return TOILE_ERROR_MEMORY;
            }
        }
    }
    l->part_rows[coarse->rows] = (uint32_t)l->part_count;
    return TOILE_OK;
}

static toile_result level_create(level *l, draft *coarse, const draft *fine, int depth) {
    const grid *finer = fine->level ? &fine->level->grid : fine->base->grid;
    l->grid = *finer;
    l->grid.spacing = 2.0f * finer->spacing;
    grid_set_texels(&l->grid, finer->columns / 2 + 1, finer->rows / 2 + 1);
    toile_result result = draft_allocate(coarse, fine->base, l->grid.columns, l->grid.rows);
    coarse->whole = fine->whole;
    if (result == TOILE_OK) {
        result = level_allocate(l, finer);
    }
    if (result != TOILE_OK) {
        return result;
    }
    for (int j = 0; j < coarse->rows; j++) {
        for (int i = 0; i < coarse->columns; i++) {
            choose_representative(coarse, fine, (texel){i, j});
        }
    }
    list_sources(l, coarse);
    result = list_odd(l, coarse, fine, finer, depth);
    if (result == TOILE_OK) {
        result = choose_means(l, coarse, fine, finer, depth);
    }
    invert_masses(l, coarse);
    join_texels(l, coarse, fine);
    cover(l, fine);
    cover_regular(l, coarse, fine, depth);
    coarse->level = l;
    return result;
}

int levels_usual_count(const grid *g) {
    int count = 1, side = g->columns > g->rows ? g->columns : g->rows;
    for (; (side > COARSEST || count < FEWEST) && side > 4 && count < MAX_LEVELS; count++) {
        side = side / 2 + 1;
    }
    return count;
}

toile_result levels_create(levels *l, const levels_base *base, int count) {
    *l = (levels){.count = 1};
    l->items[0].grid = *base->grid;
    draft fine;
    toile_result result = draft_finest(&fine, base);
    while (result == TOILE_OK && l->count < count && l->count < MAX_LEVELS &&
           (fine.columns > 2 || fine.rows > 2)) {
        draft coarse = {0};
        result = level_create(&l->items[l->count], &coarse, &fine, l->count);
        l->count++;
        draft_free(&fine);
        fine = coarse;
    }
    draft_free(&fine);
    if (result != TOILE_OK) {
        levels_free(l);
    }
    return result;
}

void levels_free(levels *l) {
    for (int k = 0; k < l->count; k++) {
        level *item = &l->items[k];
        for (int e = 0; e < EDGE_KINDS; e++) {
            free(item->rest[e]);
        }
        free(item->inverse_mass);
        free(item->coverage);
        free(item->source);
        free(item->mean);
        free(item->regular);
        free(item->parts);
        free(item->part_rows);
        free(item->even);
        free(item->odd);
        free(item->odd_rows);
    }
    *l = (levels){0};
}
