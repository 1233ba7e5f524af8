/* Sheets of every shape with the levels cooked from them, and what tests ask of both. */
#ifndef TOILE_TEST_SHEETS_H
#define TOILE_TEST_SHEETS_H

#include "levels.h"

#include "kernel/spring.h"

enum { LARGEST = 40 };

/* What is taken down to the coarser levels as positions are: a constant, the two coordinates in the
 * flat panel in spacings, and numbers between 1 and 2 without any order. */
typedef enum field { FIELD_ONE, FIELD_U, FIELD_V, FIELD_RANDOM, FIELDS } field;

/* A sheet whose cells are cut out, and what the test knows of its levels. */
typedef struct sheet {
    grid grid;
    float *coverage, *mass, *inverse_mass;
    int *part; /* a texel of level 0: which connected piece of cloth it belongs to; -1: absent */
    levels levels;
    double *fields[MAX_LEVELS][FIELDS]; /* a texel; NAN: absent */
} sheet;

/* ---- shapes -------------------------------------------------------------------------------------
 */

typedef bool cell_test(double u, double v, int i, int j);

static inline bool in_rectangle(double u, double v, int i, int j) {
    (void)u, (void)v, (void)i, (void)j;
    return true;
}

static inline bool in_circle(double u, double v, int i, int j) {
    (void)i, (void)j;
    return hypot(u - 0.5, v - 0.5) < 0.5;
}

static inline bool in_ring(double u, double v, int i, int j) {
    return in_circle(u, v, i, j) && hypot(u - 0.55, v - 0.5) > 0.25;
}

static inline bool in_star(double u, double v, int i, int j) {
    (void)i, (void)j;
    double angle = atan2(v - 0.5, u - 0.5);
    return hypot(u - 0.5, v - 0.5) < 0.35 + 0.15 * cos(5.0 * angle);
}

/* Two slits one cell wide: one all the way, one up to the middle. */
static inline bool beside_slits(double u, double v, int i, int j) {
    (void)u, (void)j;
    return i != 6 && !(i == 15 && v > 0.5);
}

static inline bool on_diagonal(double u, double v, int i, int j) {
    (void)u, (void)v;
    return i == j || i == j + 1;
}

static inline bool at_random(double u, double v, int i, int j) {
    (void)u, (void)v, (void)i, (void)j;
    return random_number() < 0.6;
}

static cell_test *const shapes[] = {in_rectangle, in_circle,   in_ring,  in_star,
                                    beside_slits, on_diagonal, at_random};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- edges and ways -----------------------------------------------------------------------------
 */

static const grid *grid_of(const sheet *s, int depth) {
    return &s->levels.items[depth].grid;
}

static inline bool has_edge(const sheet *s, level_edge kind, int i, int j) {
    const float *c = s->coverage + grid_index(&s->grid, i, j);
    float weight = kind == EDGE_U   ? thread_weight(c[0], c[-s->grid.stride])
                   : kind == EDGE_V ? thread_weight(c[0], c[-1])
                                    : c[0];
    return weight > 0.0f;
}

/* Length in spacings of the edge of a level from a texel to the one a step away; INFINITY: none. */
static inline double step_length(const sheet *s, int depth, int i, int j, int di, int dj) {
    const grid *g = grid_of(s, depth);
    level_edge kind = dj == 0 ? EDGE_U : di == 0 ? EDGE_V : di == dj ? EDGE_RISING : EDGE_FALLING;
    int low_i = di < 0 ? i - 1 : i, low_j = dj < 0 ? j - 1 : j;
    if (low_i < 0 || low_j < 0 || low_i >= g->columns || low_j >= g->rows) {
        return INFINITY;
    }
    if (depth == 0) {
        return has_edge(s, kind, low_i, low_j) ? hypot(di, dj) : INFINITY;
    }
    float rest = s->levels.items[depth].rest[kind][grid_index(g, low_i, low_j)];
    return rest < LEVEL_NO_EDGE ? (double)rest / (double)s->grid.spacing : INFINITY;
}

/* Distances over the edges of a level from a texel, to all that are nearer than `most` spacings. */
static inline void walk(const sheet *s, int depth, int from, double most, double *way) {
    static int queue[LARGEST * LARGEST * 64];
    int columns = grid_of(s, depth)->columns, head = 0, tail = 0;
    for (size_t t = 0; t < grid_texels(grid_of(s, depth)); t++) {
        way[t] = INFINITY;
    }
    way[from] = 0.0;
    queue[tail++] = from;
    while (head < tail) {
        int t = queue[head++];
        for (int n = 0; n < 9; n++) {
            int di = n % 3 - 1, dj = n / 3 - 1, next = t + di + dj * columns;
            double step =
                n == 4 ? INFINITY : step_length(s, depth, t % columns, t / columns, di, dj);
            double length = way[t] + step;
            if (step < INFINITY && length < way[next] - 1e-9 && length < most) {
                assert_true(tail < (int)(sizeof queue / sizeof *queue));
                way[next] = length;
                queue[tail++] = next;
            }
        }
    }
}

static inline void find_parts(sheet *s) {
    static double way[LARGEST * LARGEST];
    int texels = (int)grid_texels(&s->grid), parts = 0;
    for (int t = 0; t < texels; t++) {
        s->part[t] = -1;
    }
    for (int t = 0; t < texels; t++) {
        if (s->mass[t] > 0.0f && s->part[t] < 0) {
            walk(s, 0, t, INFINITY, way);
            for (int k = 0; k < texels; k++) {
                s->part[k] = way[k] < INFINITY ? parts : s->part[k];
            }
            parts++;
        }
    }
}

/* ---- what goes down -----------------------------------------------------------------------------
 */

/* The texel of a place in the planes. */
static inline int texel_of(const grid *g, uint32_t index) {
    const int at = (int)index - GRID_LINE;
    int column = at % g->stride, row = at / g->stride - GRID_HALO;
    assert_true(column >= 0 && column < g->columns && row >= 0 && row < g->rows);
    return column + row * g->columns;
}

static inline double usual_mean(const double *fine, const grid *g, int i, int j) {
    assert_true(i > 0 && i + 1 < g->columns && j > 0 && j + 1 < g->rows);
    double sum = 0.0;
    for (int n = 0; n < 9; n++) {
        int di = n % 3 - 1, dj = n / 3 - 1;
        sum += (2 - abs(di)) * (2 - abs(dj)) / 16.0 * fine[i + di + (j + dj) * g->columns];
    }
    return sum;
}

/* A field of the coarser level from that of the finer one, as positions. */
static inline void restrict_field(const sheet *s, int depth, const double *fine, double *coarse) {
    const level *l = &s->levels.items[depth];
    const grid *finer = grid_of(s, depth - 1);
    for (int j = 0; j < l->grid.rows; j++) {
        double *out = coarse + (ptrdiff_t)j * l->grid.columns;
        for (int i = 0; i < l->grid.columns; i++) {
            bool usual = l->mean[grid_index(&l->grid, i, j)] > 0.0f;
            out[i] = usual ? usual_mean(fine, finer, 2 * i, 2 * j) : (double)NAN;
        }
        for (uint32_t p = l->part_rows[j]; p < l->part_rows[j + 1]; p++) {
            assert_true((int)l->parts[p].column < l->grid.columns);
            out[l->parts[p].column] = 0.0;
        }
        for (uint32_t p = l->part_rows[j]; p < l->part_rows[j + 1]; p++) {
            const level_part *part = &l->parts[p];
            out[part->column] += (double)part->weight * fine[texel_of(finer, part->texel)];
        }
    }
}

static inline void fill_fields(sheet *s) {
    for (int depth = 0; depth < s->levels.count; depth++) {
        for (int f = 0; f < FIELDS; f++) {
            s->fields[depth][f] = calloc(grid_texels(grid_of(s, depth)), sizeof(double));
            assert_non_null(s->fields[depth][f]);
        }
    }
    for (int t = 0; t < (int)grid_texels(&s->grid); t++) {
        const double values[FIELDS] = {1.0, t % s->grid.columns, (double)(t / s->grid.columns),
                                       1.0 + random_number()};
        for (int f = 0; f < FIELDS; f++) {
            s->fields[0][f][t] = s->mass[t] > 0.0f ? values[f] : (double)NAN;
        }
    }
    for (int depth = 1; depth < s->levels.count; depth++) {
        for (int f = 0; f < FIELDS; f++) {
            restrict_field(s, depth, s->fields[depth - 1][f], s->fields[depth][f]);
        }
    }
}

/* Between the positions of two texels of a level in the flat panel, in spacings. */
static inline double flat_distance(const sheet *s, int depth, int a, int b) {
    double *const *f = s->fields[depth];
    return hypot(f[FIELD_U][a] - f[FIELD_U][b], f[FIELD_V][a] - f[FIELD_V][b]);
}

/* ---- the sheet ----------------------------------------------------------------------------------
 */

/* pins: this share of the texels. */
static inline void sheet_create(sheet *s, int columns, int rows, cell_test *shape, double pins) {
    *s = (sheet){.grid = {.spacing = 0.01f}};
    grid_set_texels(&s->grid, columns, rows);
    size_t texels = grid_texels(&s->grid);
    s->coverage = calloc(s->grid.size, sizeof(float));
    s->mass = calloc(texels, sizeof(float));
    s->inverse_mass = calloc(texels, sizeof(float));
    s->part = calloc(texels, sizeof(int));
    assert_true(s->coverage && s->mass && s->inverse_mass && s->part);
    for (int j = 0; j + 1 < rows; j++) {
        for (int i = 0; i + 1 < columns; i++) {
            double u = (i + 0.5) / (columns - 1), v = (j + 0.5) / (rows - 1);
            s->coverage[grid_index(&s->grid, i, j)] = shape(u, v, i, j) ? 1.0f : 0.0f;
        }
    }
    for (int t = 0; t < (int)texels; t++) {
        s->mass[t] = 2e-5f * grid_texel_share(&s->grid, s->coverage, t % columns, t / columns);
        bool free = s->mass[t] > 0.0f && !(pins > 0.0 && random_number() < pins);
        s->inverse_mass[t] = free ? 1.0f / s->mass[t] : 0.0f;
    }
    levels_base base = {&s->grid, s->coverage, s->mass, s->inverse_mass};
    assert_ok(levels_create(&s->levels, &base, MAX_LEVELS));
    find_parts(s);
    fill_fields(s);
}

static inline void sheet_free(sheet *s) {
    levels_free(&s->levels);
    free(s->coverage);
    free(s->mass);
    free(s->inverse_mass);
    free(s->part);
    for (int k = 0; k < MAX_LEVELS; k++) {
        for (int f = 0; f < FIELDS; f++) {
            free(s->fields[k][f]);
        }
    }
}

/* ---- what a level says --------------------------------------------------------------------------
 */

/* Index of the texel of level 0 that stands for one of a level; -1: it does not exist. */
static inline int place_of(const sheet *s, int depth, int i, int j) {
    const grid *g = grid_of(s, depth);
    if (i < 0 || j < 0 || i >= g->columns || j >= g->rows) {
        return -1;
    }
    int t = i + j * g->columns;
    if (depth == 0) {
        return s->mass[t] > 0.0f ? t : -1;
    }
    const uint32_t source = s->levels.items[depth].source[t];
    return source == 0 ? -1 : texel_of(&s->grid, source);
}

static inline bool is_pinned(const sheet *s, int place) {
    return s->mass[place] > 0.0f && !(s->inverse_mass[place] > 0.0f);
}

static inline bool is_regular(const sheet *s, int depth, int i, int j) {
    return place_of(s, depth, i, j) == (i << depth) + (j << depth) * s->grid.columns;
}

#define fail_at(s, depth, i, j, what)                                                              \
    fail_msg("%d x %d, level %d, texel (%d, %d): %s", (s)->grid.columns, (s)->grid.rows, depth, i, \
             j, what)

/* ---- sheets of all kinds ------------------------------------------------------------------------
 */

/* What is to be right about a sheet. whole: a rectangle without pins. */
typedef void sheet_check(const sheet *s, bool whole, bool pins);

static inline void check_sheet(sheet_check *check, int columns, int rows, int shape, double pins) {
    sheet s;
    sheet_create(&s, columns, rows, shapes[shape], pins);
    check(&s, shape == 0 && pins <= 0.0, pins > 0.0);
    sheet_free(&s);
}

static inline void check_rectangles(sheet_check *check) {
    for (int columns = 2; columns <= LARGEST; columns++) {
        for (int rows = 2; rows <= LARGEST; rows++) {
            check_sheet(check, columns, rows, 0, 0.0);
        }
    }
}

static inline void check_shapes(sheet_check *check) {
    seed = 1;
    for (int columns = 2; columns <= LARGEST; columns += columns < 10 ? 1 : 5) {
        for (int rows = 2; rows <= LARGEST; rows += rows < 10 ? 1 : 3) {
            for (int shape = 1; shape < SHAPES; shape++) {
                check_sheet(check, columns, rows, shape, 0.0);
            }
        }
    }
}

static inline void check_pins(sheet_check *check) {
    seed = 2;
    for (int size = 2; size <= LARGEST; size++) {
        for (int shape = 0; shape < SHAPES; shape++) {
            check_sheet(check, size, LARGEST + 2 - size, shape, 0.02);
            check_sheet(check, size, LARGEST + 2 - size, shape, 0.3);
        }
    }
}

#endif
