/* The cooked hierarchy of the multilevel solver, for sheets of every shape: nothing is lost on the
 * way to coarser levels, nothing is tied together that is not, and what goes down and comes back
 * adds up. */
#include "worlds.h"

#include "cook/levels.h"
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
    double *masses[MAX_LEVELS];         /* a texel, kg: what follows it */
    double *moments[MAX_LEVELS];        /* a texel: the sum of mass times random field of that */
    double stray;                       /* of this sum on a level, what follows nothing */
} sheet;

typedef bool cell_test(double u, double v, int i, int j);

static unsigned seed;

static double random_number(void) {
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 16777216.0;
}

static bool in_rectangle(double u, double v, int i, int j) {
    (void)u, (void)v, (void)i, (void)j;
    return true;
}

static bool in_circle(double u, double v, int i, int j) {
    (void)i, (void)j;
    return hypot(u - 0.5, v - 0.5) < 0.5;
}

static bool in_ring(double u, double v, int i, int j) {
    return in_circle(u, v, i, j) && hypot(u - 0.55, v - 0.5) > 0.25;
}

static bool in_star(double u, double v, int i, int j) {
    (void)i, (void)j;
    double angle = atan2(v - 0.5, u - 0.5);
    return hypot(u - 0.5, v - 0.5) < 0.35 + 0.15 * cos(5.0 * angle);
}

/* Two slits one cell wide: one all the way, one up to the middle. */
static bool beside_slits(double u, double v, int i, int j) {
    (void)u, (void)j;
    return i != 6 && !(i == 15 && v > 0.5);
}

static bool on_diagonal(double u, double v, int i, int j) {
    (void)u, (void)v;
    return i == j || i == j + 1;
}

static bool at_random(double u, double v, int i, int j) {
    (void)u, (void)v, (void)i, (void)j;
    return random_number() < 0.6;
}

static cell_test *const shapes[] = {in_rectangle, in_circle,   in_ring,  in_star,
                                    beside_slits, on_diagonal, at_random};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- edges and ways
 * ------------------------------------------------------------------------------------
 */

static const grid *grid_of(const sheet *s, int depth) {
    return &s->levels.items[depth].grid;
}

static bool has_edge(const sheet *s, level_edge kind, int i, int j) {
    const float *c = s->coverage + grid_index(&s->grid, i, j);
    float weight = kind == EDGE_U   ? thread_weight(c[0], c[-s->grid.stride])
                   : kind == EDGE_V ? thread_weight(c[0], c[-1])
                                    : c[0];
    return weight > 0.0f;
}

/* From the texel or cell (i, j): its ends. */
static const int ends[EDGE_KINDS][2][2] = {[EDGE_U] = {{0, 0}, {1, 0}},
                                           [EDGE_V] = {{0, 0}, {0, 1}},
                                           [EDGE_RISING] = {{0, 0}, {1, 1}},
                                           [EDGE_FALLING] = {{1, 0}, {0, 1}}};

/* Length in spacings of the edge of a level from a texel to the one a step away; INFINITY: none. */
static double step_length(const sheet *s, int depth, int i, int j, int di, int dj) {
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
static void walk(const sheet *s, int depth, int from, double most, double *way) {
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

static void find_parts(sheet *s) {
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
static int texel_of(const grid *g, uint32_t index) {
    int column = (int)index % g->stride - GRID_VECTOR, row = (int)index / g->stride - GRID_HALO;
    assert_true(column >= 0 && column < g->columns && row >= 0 && row < g->rows);
    return column + row * g->columns;
}

static double usual_mean(const double *fine, const grid *g, int i, int j) {
    assert_true(i > 0 && i + 1 < g->columns && j > 0 && j + 1 < g->rows);
    double sum = 0.0;
    for (int n = 0; n < 9; n++) {
        int di = n % 3 - 1, dj = n / 3 - 1;
        sum += (2 - abs(di)) * (2 - abs(dj)) / 16.0 * fine[i + di + (j + dj) * g->columns];
    }
    return sum;
}

/* A field of the coarser level from that of the finer one, as positions. */
static void restrict_field(const sheet *s, int depth, const double *fine, double *coarse) {
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

static void fill_fields(sheet *s) {
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
static double flat_distance(const sheet *s, int depth, int a, int b) {
    double *const *f = s->fields[depth];
    return hypot(f[FIELD_U][a] - f[FIELD_U][b], f[FIELD_V][a] - f[FIELD_V][b]);
}

/* ---- the sheet ----------------------------------------------------------------------------------
 */

/* pins: this share of the texels. */
static void sheet_create(sheet *s, int columns, int rows, cell_test *shape, double pins) {
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

static void sheet_free(sheet *s) {
    levels_free(&s->levels);
    free(s->coverage);
    free(s->mass);
    free(s->inverse_mass);
    free(s->part);
    for (int k = 0; k < MAX_LEVELS; k++) {
        free(s->masses[k]);
        free(s->moments[k]);
        for (int f = 0; f < FIELDS; f++) {
            free(s->fields[k][f]);
        }
    }
}

/* ---- what a level says --------------------------------------------------------------------------
 */

/* Index of the texel of level 0 that stands for one of a level; -1: it does not exist. */
static int place_of(const sheet *s, int depth, int i, int j) {
    const grid *g = grid_of(s, depth);
    if (i < 0 || j < 0 || i >= g->columns || j >= g->rows) {
        return -1;
    }
    int t = i + j * g->columns;
    if (depth == 0) {
        return s->mass[t] > 0.0f ? t : -1;
    }
    int source = (int)s->levels.items[depth].source[t], stride = s->grid.stride;
    int column = source % stride - GRID_VECTOR, row = source / stride - GRID_HALO;
    return source == 0 ? -1 : column + row * s->grid.columns;
}

static bool is_pinned(const sheet *s, int place) {
    return s->mass[place] > 0.0f && !(s->inverse_mass[place] > 0.0f);
}

static bool is_regular(const sheet *s, int depth, int i, int j) {
    return place_of(s, depth, i, j) == (i << depth) + (j << depth) * s->grid.columns;
}

/* A function of the place that is linear along both threads. */
static double linear_at(const sheet *s, int place) {
    return 3.0 + 0.25 * (place % s->grid.columns) - 0.5 * (place / s->grid.columns);
}

#define fail_at(s, depth, i, j, what)                                                              \
    fail_msg("%d x %d, level %d, texel (%d, %d): %s", (s)->grid.columns, (s)->grid.rows, depth, i, \
             j, what)

/* ---- representatives and pins
 * --------------------------------------------------------------------
 */

/* A coarse texel exists if one of the four it stands for does, and is one of them: a pinned one if
 * there is any, else the one in the middle if there is one. */
static void check_texel(const sheet *s, int depth, int i, int j) {
    int place = place_of(s, depth, i, j), middle = place_of(s, depth - 1, 2 * i, 2 * j);
    bool any = false, found = false, held = false;
    for (int n = 0; n < 4; n++) {
        int fi = 2 * i - n % 2, fj = 2 * j - n / 2, fine = place_of(s, depth - 1, fi, fj);
        if (fine >= 0) {
            any = true;
            held = held || is_pinned(s, fine);
            found = found || fine == place;
        }
    }
    if (any != (place >= 0) || any != found) {
        fail_at(s, depth, i, j, "is not one of those it stands for");
    }
    const grid *g = grid_of(s, depth);
    float inverse = s->levels.items[depth].inverse_mass[grid_index(g, i, j)];
    if (any && held && (!is_pinned(s, place) || inverse != 0.0f)) {
        fail_at(s, depth, i, j, "has lost a pin");
    }
    if (any && !held && !(inverse > 0.0f)) {
        fail_at(s, depth, i, j, "is free and does not move");
    }
    if (!any && inverse != 0.0f) {
        fail_at(s, depth, i, j, "is absent and has mass");
    }
    if (!held && middle >= 0 && place != middle) {
        fail_at(s, depth, i, j, "is not the one in the middle");
    }
}

static void check_texels(const sheet *s) {
    for (int depth = 1; depth < s->levels.count; depth++) {
        const grid *g = grid_of(s, depth);
        for (int j = 0; j < g->rows; j++) {
            for (int i = 0; i < g->columns; i++) {
                check_texel(s, depth, i, j);
            }
        }
    }
}

/* ---- edges --------------------------------------------------------------------------------------
 */

/* The ends of an edge, as texels of its level. */
static int end_of(const sheet *s, int depth, level_edge kind, int end, int i, int j) {
    const int *step = ends[kind][end];
    return i + step[0] + (j + step[1]) * grid_of(s, depth)->columns;
}

/* Threads of a whole sheet are straight, and so are diagonals between means that are evenly spaced;
 * what the others are, check_way says. */
static void check_whole_edge(const sheet *s, int depth, level_edge kind, int i, int j) {
    int a = end_of(s, depth, kind, 0, i, j), b = end_of(s, depth, kind, 1, i, j);
    double *const *f = s->fields[depth];
    double u = fabs(f[FIELD_U][a] - f[FIELD_U][b]), v = fabs(f[FIELD_V][a] - f[FIELD_V][b]);
    float rest = s->levels.items[depth].rest[kind][grid_index(grid_of(s, depth), i, j)];
    double length = (double)rest / (double)s->grid.spacing, flat = hypot(u, v);
    bool even = fabs(u - (1 << depth)) < 1e-5 && fabs(v - (1 << depth)) < 1e-5;
    bool straight = kind == EDGE_U || kind == EDGE_V || even;
    if (straight && !(fabs(length - flat) <= 1e-5 * flat)) {
        fail_at(s, depth, i, j, "has an edge of another length than the way over the cloth");
    }
}

static void check_edge(const sheet *s, int depth, level_edge kind, int i, int j, bool whole) {
    const level *l = &s->levels.items[depth];
    float rest = l->rest[kind][grid_index(&l->grid, i, j)];
    int a = place_of(s, depth, i + ends[kind][0][0], j + ends[kind][0][1]);
    int b = place_of(s, depth, i + ends[kind][1][0], j + ends[kind][1][1]);
    if (rest >= LEVEL_NO_EDGE) {
        if (whole && a >= 0 && b >= 0) {
            fail_at(s, depth, i, j, "has no edge to its neighbour");
        }
        return;
    }
    if (a < 0 || b < 0 || a == b) {
        fail_at(s, depth, i, j, "has an edge to nothing");
    }
    if (s->part[a] != s->part[b]) {
        fail_at(s, depth, i, j, "has an edge to another piece of cloth");
    }
    double flat =
        flat_distance(s, depth, end_of(s, depth, kind, 0, i, j), end_of(s, depth, kind, 1, i, j));
    double length = (double)rest / (double)s->grid.spacing;
    if (!(length > 0.0 && length > flat * (1.0 - 1e-5))) {
        fail_at(s, depth, i, j, "has an edge that is shorter than the way through the air");
    }
    if (whole) {
        check_whole_edge(s, depth, kind, i, j);
    }
}

static void check_edges(const sheet *s, bool whole) {
    for (int depth = 1; depth < s->levels.count; depth++) {
        const grid *g = grid_of(s, depth);
        for (int kind = 0; kind < EDGE_KINDS; kind++) {
            const float *rest = s->levels.items[depth].rest[kind];
            size_t inside = 0, all = 0;
            for (int j = 0; j < g->rows; j++) {
                for (int i = 0; i < g->columns; i++) {
                    check_edge(s, depth, (level_edge)kind, i, j, whole);
                    inside += rest[grid_index(g, i, j)] < LEVEL_NO_EDGE;
                }
            }
            for (size_t k = 0; k < g->size; k++) {
                all += rest[k] < LEVEL_NO_EDGE;
            }
            assert_int_equal(inside, all); /* none beyond the border, where passes run too */
        }
    }
}

/* The texel of the finer level that is the representative of one. */
static int representative_of(const sheet *s, int depth, int i, int j) {
    int place = place_of(s, depth, i, j);
    for (int n = 0; n < 4; n++) {
        int fi = 2 * i - n % 2, fj = 2 * j - n / 2;
        if (place >= 0 && place_of(s, depth - 1, fi, fj) == place) {
            return fi + fj * grid_of(s, depth - 1)->columns;
        }
    }
    fail_at(s, depth, i, j, "has no representative");
    return -1;
}

/* An edge is as long as the way between the representatives over the threads and diagonals of the
 * finer level, times the distance of the means over theirs. A shorter one would pull the cloth
 * together where it goes around a notch or the end of a slit. A longer one may be, for want of a
 * way within the box of its ends, but not on a whole sheet. */
static void check_way(const sheet *s, int depth, level_edge kind, int i, int j, bool whole) {
    static double way[LARGEST * LARGEST];
    float rest = s->levels.items[depth].rest[kind][grid_index(grid_of(s, depth), i, j)];
    if (rest >= LEVEL_NO_EDGE) {
        return;
    }
    const int(*end)[2] = ends[kind];
    int a = representative_of(s, depth, i + end[0][0], j + end[0][1]);
    int b = representative_of(s, depth, i + end[1][0], j + end[1][1]);
    double means =
        flat_distance(s, depth, end_of(s, depth, kind, 0, i, j), end_of(s, depth, kind, 1, i, j));
    double length = (double)rest / (double)s->grid.spacing;
    double expected = length * flat_distance(s, depth - 1, a, b) / means;
    walk(s, depth - 1, a, expected * 1.001 + 1.0, way);
    if (!(expected > way[b] * (1.0 - 1e-5))) {
        fail_at(s, depth, i, j, "has an edge that is shorter than the cloth");
    }
    if (whole && expected > way[b] * (1.0 + 1e-5)) {
        fail_at(s, depth, i, j, "has an edge that is longer than the cloth");
    }
}

static void check_ways(const sheet *s, bool whole) {
    for (int depth = 1; depth < s->levels.count; depth++) {
        const grid *g = grid_of(s, depth);
        for (int j = 0; j < g->rows; j++) {
            for (int i = 0; i < g->columns; i++) {
                for (int kind = 0; kind < EDGE_KINDS; kind++) {
                    check_way(s, depth, (level_edge)kind, i, j, whole);
                }
            }
        }
    }
}

/* ---- means --------------------------------------------------------------------------------------
 */

/* The parts of a texel, of which there are `count`. */
static void check_parts_of(const sheet *s, int depth, int i, int j, const level_part *parts,
                           int count) {
    const level *l = &s->levels.items[depth];
    const grid *finer = grid_of(s, depth - 1);
    int place = place_of(s, depth, i, j);
    bool usual = l->mean[grid_index(&l->grid, i, j)] == 1.0f;
    if (place < 0 ? usual || count > 0 : usual == (count > 0)) {
        fail_at(s, depth, i, j, "has no mean, or two, or is absent and has one");
    }
    bool held = place >= 0 && is_pinned(s, place);
    double sum = 0.0;
    for (int p = 0; p < count; p++) {
        int t = texel_of(finer, parts[p].texel);
        int fine = place_of(s, depth - 1, t % finer->columns, t / finer->columns);
        if (fine < 0 || s->part[fine] != s->part[place] || !(parts[p].weight > 0.0f)) {
            fail_at(s, depth, i, j, "has a part that it is not connected to");
        }
        if (is_pinned(s, fine) != held) {
            fail_at(s, depth, i, j, "moves with a pin, or is one that moves");
        }
        if (held && (count != 1 || fine != place || parts[p].weight != 1.0f)) {
            fail_at(s, depth, i, j, "is pinned and not where its representative is");
        }
        sum += (double)parts[p].weight;
    }
    if (held && usual) {
        fail_at(s, depth, i, j, "is pinned and has a mean");
    }
    if (count > 0 && fabs(sum - 1.0) > 1e-6) {
        fail_at(s, depth, i, j, "has parts that do not add up to 1");
    }
    double one = s->fields[depth][FIELD_ONE][i + j * l->grid.columns];
    if (place >= 0 && !(fabs(one - 1.0) <= depth * 1e-6)) {
        fail_at(s, depth, i, j, "does not see a constant");
    }
}

static void check_parts(const sheet *s) {
    for (int depth = 1; depth < s->levels.count; depth++) {
        const level *l = &s->levels.items[depth];
        uint32_t next = 0;
        for (int j = 0; j < l->grid.rows; j++) {
            assert_int_equal(l->part_rows[j], next);
            for (int i = 0; i < l->grid.columns; i++) {
                uint32_t first = next;
                while (next < l->part_rows[j + 1] && l->parts[next].column == (uint32_t)i) {
                    next++;
                }
                check_parts_of(s, depth, i, j, l->parts ? l->parts + first : NULL,
                               (int)(next - first));
            }
            assert_int_equal(l->part_rows[j + 1], next);
        }
        assert_int_equal(l->part_count, next);
    }
}

/* How far from its middle the mean of a texel is, in spacings. */
static double mean_offset(const sheet *s, int depth, int i, int j) {
    int t = i + j * grid_of(s, depth)->columns;
    double u = s->fields[depth][FIELD_U][t], v = s->fields[depth][FIELD_V][t];
    return hypot(u - (i << depth), v - (j << depth));
}

/* Cells whose corners have representatives in their middle are regular; they bend if the means are
 * there as well. */
static void check_cell(const sheet *s, int depth, int i, int j) {
    const level *l = &s->levels.items[depth];
    const grid *finer = grid_of(s, depth - 1);
    size_t k = grid_index(&l->grid, i, j), fine = grid_index(finer, 2 * i, 2 * j);
    const float *below = depth == 1 ? s->coverage : s->levels.items[depth - 1].regular;
    bool regular = true;
    double offset = 0.0, share = 0.0;
    for (int n = 0; n < 4; n++) {
        int ci = i + n % 2, cj = j + n / 2;
        regular = regular && is_regular(s, depth, ci, cj);
        offset = regular ? fmax(offset, mean_offset(s, depth, ci, cj)) : offset;
    }
    for (int n = 0; regular && n < 4; n++) {
        share += 0.25 * (double)below[fine + (size_t)(n % 2) + (size_t)(n / 2 * finer->stride)];
    }
    if (fabs((double)l->regular[k] - share) > 1e-6) {
        fail_at(s, depth, i, j, "has another regular cell than its cloth");
    }
    /* In between it is for rounding to say. */
    bool bends = l->bend_coverage[k] != 0.0f;
    if ((offset > 1e-5 && bends) || (offset < 1e-9 && l->bend_coverage[k] != l->regular[k]) ||
        (bends && l->bend_coverage[k] != l->regular[k])) {
        fail_at(s, depth, i, j, "bends where means are not even, or does not where they are");
    }
}

static void check_cells(const sheet *s) {
    for (int depth = 1; depth < s->levels.count; depth++) {
        const grid *g = grid_of(s, depth);
        for (int j = 0; j < g->rows; j++) {
            for (int i = 0; i < g->columns; i++) {
                check_cell(s, depth, i, j);
            }
        }
    }
}

/* ---- upsampling ---------------------------------------------------------------------------------
 */

/* The usual weights of the coarse texels around a fine one. */
static double usual_weight(int fi, int fj, int n) {
    int right = n % 2, up = n / 2;
    return (fi % 2 ? 0.5 : 1.0 - right) * (fj % 2 ? 0.5 : 1.0 - up);
}

/* What a fine texel takes from the coarse ones around it. */
typedef struct taken {
    int i[4], j[4];
    double weights[4];
    bool usual;
} taken;

static taken take_usual(int fi, int fj) {
    taken t = {.usual = true};
    for (int n = 0; n < 4; n++) {
        t.i[n] = fi / 2 + n % 2;
        t.j[n] = fj / 2 + n / 2;
        t.weights[n] = usual_weight(fi, fj, n);
    }
    return t;
}

static taken take_odd(const grid *g, const level_odd *o) {
    taken t = {.usual = false};
    for (int n = 0; n < 4; n++) {
        t.i[n] = (int)o->coarse[n] % g->stride - GRID_VECTOR;
        t.j[n] = (int)o->coarse[n] / g->stride - GRID_HALO;
        t.weights[n] = (double)o->weights[n];
    }
    return t;
}

/* A representative takes from itself. Others take from what they are connected to, if they can, so
 * that constants come up whole, and linear changes where all is regular, or the sheet is whole. Its
 * mass is shared out by the same weights. */
static void check_taken(sheet *s, int depth, int fi, int fj, const taken *t, bool whole) {
    int fine = place_of(s, depth - 1, fi, fj), from = fi + fj * grid_of(s, depth - 1)->columns;
    double value = 0.0, sum = 0.0, mass = s->masses[depth - 1][from];
    bool regular = t->usual && is_regular(s, depth - 1, fi, fj), own = false, alone = true;
    for (int n = 0; n < 4; n++) {
        own = own || (fine == place_of(s, depth, fi / 2 + n % 2, fj / 2 + n / 2));
        if (t->weights[n] == 0.0) {
            continue;
        }
        int place = place_of(s, depth, t->i[n], t->j[n]);
        if (place < 0 || s->part[place] != s->part[fine] || !(t->weights[n] > 0.0)) {
            fail_at(s, depth - 1, fi, fj, "takes from a texel it is not connected to");
        }
        regular = regular && is_regular(s, depth, t->i[n], t->j[n]);
        alone = alone && place == fine;
        value += t->weights[n] * linear_at(s, place);
        sum += t->weights[n];
        int to = t->i[n] + t->j[n] * grid_of(s, depth)->columns;
        s->masses[depth][to] += t->weights[n] * mass;
        s->moments[depth][to] += t->weights[n] * mass * s->fields[depth - 1][FIELD_RANDOM][from];
    }
    s->stray += sum > 0.0 ? 0.0 : mass * s->fields[depth - 1][FIELD_RANDOM][from];
    if (fabs(sum - 1.0) > 1e-6 && (sum != 0.0 || whole || own)) {
        fail_at(s, depth - 1, fi, fj, "does not follow a constant change");
    }
    if (own && !alone) {
        fail_at(s, depth - 1, fi, fj, "does not go where its coarse texel goes");
    }
    if ((regular || whole) && sum > 0.0 && fabs(value - linear_at(s, fine)) > 1e-5) {
        fail_at(s, depth - 1, fi, fj, "does not follow a linear change");
    }
}

/* A coarse texel weighs what follows it, so that a push of one against another one is the same push
 * of cloth against cloth. Returns the mass of all. */
static double check_masses(const sheet *s, int depth) {
    const grid *g = grid_of(s, depth);
    double sum = 0.0;
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            double mass = s->masses[depth][i + j * g->columns];
            float inverse = s->levels.items[depth].inverse_mass[grid_index(g, i, j)];
            if (inverse > 0.0f && fabs((double)inverse * mass - 1.0) > 1e-5) {
                fail_at(s, depth, i, j, "has another mass than what follows it");
            }
            sum += mass;
        }
    }
    return sum;
}

/* Sum over a level of mass times random field. */
static double momentum(const sheet *s, int depth) {
    double sum = 0.0;
    for (size_t t = 0; t < grid_texels(grid_of(s, depth)); t++) {
        double mass = s->masses[depth][t];
        sum += mass > 0.0 ? mass * s->fields[depth][FIELD_RANDOM][t] : 0.0;
    }
    return sum;
}

/* A coarse texel is taken down with the weights by which what follows it goes: it has their
 * momentum if the field is a speed. So the level has that of the cloth where nothing is pinned, but
 * for what follows nothing. */
static void check_momentum(const sheet *s, int depth, bool pins) {
    const grid *g = grid_of(s, depth);
    for (int t = 0; t < (int)grid_texels(g); t++) {
        int place = place_of(s, depth, t % g->columns, t / g->columns);
        double found = s->masses[depth][t] * s->fields[depth][FIELD_RANDOM][t];
        double expected = s->moments[depth][t];
        if (place >= 0 && !is_pinned(s, place) && !(fabs(found - expected) <= 1e-5 * expected)) {
            fail_at(s, depth, t % g->columns, t / g->columns,
                    "has another momentum than its cloth");
        }
    }
    double all = momentum(s, depth - 1);
    if (!pins) {
        assert_near(momentum(s, depth) + s->stray, all, 1e-5 * all);
    }
}

/* Each texel that moves is on one list, and the others on none. */
static void check_row(sheet *s, int depth, int j, uint32_t *next, bool whole) {
    const level *l = &s->levels.items[depth];
    const grid *finer = grid_of(s, depth - 1);
    for (int i = 0; i < finer->columns; i++) {
        size_t k = grid_index(finer, i, j);
        int place = place_of(s, depth - 1, i, j);
        bool odd = *next < l->odd_count && l->odd[*next].texel == k;
        bool moves = place >= 0 && !is_pinned(s, place);
        if (moves != (odd || l->even[k] == 1.0f) || (odd && l->even[k] != 0.0f)) {
            fail_at(s, depth - 1, i, j, "is on no list of texels that follow, or on two");
        }
        if (moves) {
            taken t = odd ? take_odd(&l->grid, &l->odd[(*next)++]) : take_usual(i, j);
            check_taken(s, depth, i, j, &t, whole);
        }
    }
}

static void check_weights(sheet *s, bool whole, bool pins) {
    double all = 0.0;
    for (int depth = 0; depth < s->levels.count; depth++) {
        s->masses[depth] = calloc(grid_texels(grid_of(s, depth)), sizeof(double));
        s->moments[depth] = calloc(grid_texels(grid_of(s, depth)), sizeof(double));
        assert_true(s->masses[depth] && s->moments[depth]);
    }
    for (size_t t = 0; t < grid_texels(&s->grid); t++) {
        s->masses[0][t] = (double)s->mass[t];
        all += (double)s->mass[t];
    }
    for (int depth = 1; depth < s->levels.count; depth++) {
        const level *l = &s->levels.items[depth];
        int rows = grid_of(s, depth - 1)->rows;
        uint32_t next = 0;
        s->stray = 0.0;
        for (int j = 0; j < rows; j++) {
            assert_int_equal(l->odd_rows[j], next);
            check_row(s, depth, j, &next, whole);
        }
        assert_int_equal(next, l->odd_count);
        assert_int_equal(l->odd_rows[rows], next);
        check_momentum(s, depth, pins);
        double sum = check_masses(s, depth);
        assert_true(sum <= all * (1.0 + 1e-6));
        if (whole) {
            assert_near(sum, all, 1e-6 * all);
            assert_true(s->stray == 0.0);
        }
    }
}

/* ---- the tests ----------------------------------------------------------------------------------
 */

static void check_sheet(int columns, int rows, int shape, double pins) {
    sheet s;
    sheet_create(&s, columns, rows, shapes[shape], pins);
    const grid *last = grid_of(&s, s.levels.count - 1);
    assert_true(last->columns == 2 && last->rows == 2);
    check_texels(&s);
    bool whole = shape == 0 && pins <= 0.0;
    check_parts(&s);
    check_edges(&s, whole);
    check_cells(&s);
    if (whole) {
        check_ways(&s, true);
    }
    check_weights(&s, whole, pins > 0.0);
    sheet_free(&s);
}

static void test_rectangles(void **state) {
    (void)state;
    for (int columns = 2; columns <= LARGEST; columns++) {
        for (int rows = 2; rows <= LARGEST; rows++) {
            check_sheet(columns, rows, 0, 0.0);
        }
    }
}

static void test_shapes(void **state) {
    (void)state;
    seed = 1;
    for (int columns = 2; columns <= LARGEST; columns += columns < 10 ? 1 : 5) {
        for (int rows = 2; rows <= LARGEST; rows += rows < 10 ? 1 : 3) {
            for (int shape = 1; shape < SHAPES; shape++) {
                check_sheet(columns, rows, shape, 0.0);
            }
        }
    }
}

static void test_pins(void **state) {
    (void)state;
    seed = 2;
    for (int size = 2; size <= LARGEST; size++) {
        for (int shape = 0; shape < SHAPES; shape++) {
            check_sheet(size, LARGEST + 2 - size, shape, 0.02);
            check_sheet(size, LARGEST + 2 - size, shape, 0.3);
        }
    }
}

static void test_edges_are_as_long_as_the_cloth(void **state) {
    (void)state;
    seed = 3;
    const int sizes[4][2] = {{40, 33}, {25, 38}, {32, 17}, {21, 20}};
    for (int k = 0; k < 4; k++) {
        for (int shape = 0; shape < SHAPES; shape++) {
            sheet s;
            double pins = k % 2 ? 0.05 : 0.0;
            sheet_create(&s, sizes[k][0], sizes[k][1], shapes[shape], pins);
            check_ways(&s, shape == 0 && pins <= 0.0);
            sheet_free(&s);
        }
    }
}

/* The slits of the mask are there, or the tests above have not seen them. */
static void test_slits_are_slits(void **state) {
    (void)state;
    sheet s;
    sheet_create(&s, 33, 33, beside_slits, 0.0);
    int left = s.part[5], right = s.part[20];
    assert_true(left >= 0 && right >= 0 && left != right);
    for (int depth = 1; depth < s.levels.count; depth++) {
        const grid *g = grid_of(&s, depth);
        for (int j = 0; j < g->rows; j++) {
            int across = 0;
            for (int i = 0; i + 1 < g->columns; i++) {
                int a = place_of(&s, depth, i, j), b = place_of(&s, depth, i + 1, j);
                across += a >= 0 && b >= 0 && s.part[a] != s.part[b];
            }
            assert_int_equal(across, 1); /* neighbours on both sides, which no edge joins */
        }
    }
    sheet_free(&s);
}

/* Do all texels of level 0 that follow a column or row of a level, of `count`, lie inside the
 * border? */
static bool is_inner(int index, int depth, int count) {
    return index > 0 && (index + 1) << depth < count;
}

/* Bending is the same quadratic form on each level where positions are evenly spaced, and is left
 * out elsewhere: at the borders, where the mean is off the middle. */
static void test_bending_of_regular_cells(void **state) {
    (void)state;
    const int sizes[3][2] = {{33, 17}, {40, 27}, {34, 38}};
    for (int k = 0; k < 3; k++) {
        sheet s;
        sheet_create(&s, sizes[k][0], sizes[k][1], in_rectangle, 0.0);
        for (int depth = 1; depth < s.levels.count; depth++) {
            const level *l = &s.levels.items[depth];
            for (int j = 0; j < l->grid.rows; j++) {
                for (int i = 0; i < l->grid.columns; i++) {
                    bool bends =
                        is_inner(i, depth, sizes[k][0]) && is_inner(i + 1, depth, sizes[k][0]) &&
                        is_inner(j, depth, sizes[k][1]) && is_inner(j + 1, depth, sizes[k][1]);
                    float found = l->bend_coverage[grid_index(&l->grid, i, j)];
                    if (found != (bends ? 1.0f : 0.0f)) {
                        fail_at(&s, depth, i, j, "has another cell than its cloth");
                    }
                }
            }
        }
        sheet_free(&s);
    }
}

static void test_usual_count(void **state) {
    (void)state;
    const int counts[][3] = {{2, 2, 1},   {24, 24, 3}, {25, 3, 3},    {33, 33, 3},
                             {47, 46, 3}, {48, 9, 3},  {101, 101, 4}, {9, 481, 6}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        grid g = {0};
        grid_set_texels(&g, counts[k][0], counts[k][1]);
        assert_int_equal(levels_usual_count(&g), counts[k][2]);
    }
    /* Halves until the longer side is about 20. */
    for (int side = 25; side < 100000; side += 1 + side / 7) {
        grid g = {0};
        grid_set_texels(&g, side, 2);
        int count = levels_usual_count(&g), coarsest = side;
        for (int k = 1; k < count; k++) {
            coarsest = coarsest / 2 + 1;
        }
        assert_true((coarsest > 12 || count <= 3) && coarsest <= 24);
    }
}

static void test_count(void **state) {
    (void)state;
    sheet s;
    sheet_create(&s, 33, 20, in_rectangle, 0.0);
    levels_base base = {&s.grid, s.coverage, s.mass, s.inverse_mass};
    for (int count = 1; count <= 6; count++) {
        levels some;
        assert_ok(levels_create(&some, &base, count));
        assert_int_equal(some.count, count);
        for (int k = 1; k < count; k++) {
            assert_int_equal(some.items[k].grid.columns, some.items[k - 1].grid.columns / 2 + 1);
            assert_near((double)some.items[k].grid.spacing, 0.01 * (1 << k), 1e-8);
        }
        levels_free(&some);
    }
    sheet_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rectangles),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_pins),
        cmocka_unit_test(test_edges_are_as_long_as_the_cloth),
        cmocka_unit_test(test_slits_are_slits),
        cmocka_unit_test(test_bending_of_regular_cells),
        cmocka_unit_test(test_usual_count),
        cmocka_unit_test(test_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
