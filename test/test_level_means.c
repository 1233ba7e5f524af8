/* What goes down to the coarser levels and comes back, for sheets of every shape: means see what
 * is there, all that moves follows a texel, and mass and momentum add up. */
#include "sheets.h"

/* What follows the texels of each level. */
typedef struct followers {
    double *masses[MAX_LEVELS];  /* a texel, kg: what follows it */
    double *moments[MAX_LEVELS]; /* a texel: the sum of mass times random field of that */
    double stray;                /* of this sum on a level, what follows nothing */
} followers;

static void followers_create(followers *f, const sheet *s) {
    *f = (followers){0};
    for (int depth = 0; depth < s->levels.count; depth++) {
        f->masses[depth] = calloc(grid_texels(grid_of(s, depth)), sizeof(double));
        f->moments[depth] = calloc(grid_texels(grid_of(s, depth)), sizeof(double));
        assert_true(f->masses[depth] && f->moments[depth]);
    }
    for (size_t t = 0; t < grid_texels(&s->grid); t++) {
        f->masses[0][t] = (double)s->mass[t];
    }
}

static void followers_free(followers *f) {
    for (int k = 0; k < MAX_LEVELS; k++) {
        free(f->masses[k]);
        free(f->moments[k]);
    }
}

/* A function of the place that is linear along both threads. */
static double linear_at(const sheet *s, int place) {
    return 3.0 + 0.25 * (place % s->grid.columns) - 0.5 * (place / s->grid.columns);
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
        const int at = (int)o->coarse[n] - GRID_LINE;
        t.i[n] = at % g->stride;
        t.j[n] = at / g->stride - GRID_HALO;
        t.weights[n] = (double)o->weights[n];
    }
    return t;
}

/* A representative takes from itself. Others take from what they are connected to, if they can, so
 * that constants come up whole, and linear changes where all is regular, or the sheet is whole. Its
 * mass is shared out by the same weights. */
static void check_taken(const sheet *s, followers *f, int depth, int fi, int fj, const taken *t,
                        bool whole) {
    int fine = place_of(s, depth - 1, fi, fj), from = fi + fj * grid_of(s, depth - 1)->columns;
    double value = 0.0, sum = 0.0, mass = f->masses[depth - 1][from];
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
        f->masses[depth][to] += t->weights[n] * mass;
        f->moments[depth][to] += t->weights[n] * mass * s->fields[depth - 1][FIELD_RANDOM][from];
    }
    f->stray += sum > 0.0 ? 0.0 : mass * s->fields[depth - 1][FIELD_RANDOM][from];
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
static double check_masses(const sheet *s, const followers *f, int depth) {
    const grid *g = grid_of(s, depth);
    double sum = 0.0;
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            double mass = f->masses[depth][i + j * g->columns];
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
static double momentum(const sheet *s, const followers *f, int depth) {
    double sum = 0.0;
    for (size_t t = 0; t < grid_texels(grid_of(s, depth)); t++) {
        double mass = f->masses[depth][t];
        sum += mass > 0.0 ? mass * s->fields[depth][FIELD_RANDOM][t] : 0.0;
    }
    return sum;
}

/* A coarse texel is taken down with the weights by which what follows it goes: it has their
 * momentum if the field is a speed. So the level has that of the cloth where nothing is pinned, but
 * for what follows nothing. */
static void check_momentum(const sheet *s, const followers *f, int depth, bool pins) {
    const grid *g = grid_of(s, depth);
    for (int t = 0; t < (int)grid_texels(g); t++) {
        int place = place_of(s, depth, t % g->columns, t / g->columns);
        double found = f->masses[depth][t] * s->fields[depth][FIELD_RANDOM][t];
        double expected = f->moments[depth][t];
        if (place >= 0 && !is_pinned(s, place) && !(fabs(found - expected) <= 1e-5 * expected)) {
            fail_at(s, depth, t % g->columns, t / g->columns,
                    "has another momentum than its cloth");
        }
    }
    double all = momentum(s, f, depth - 1);
    if (!pins) {
        assert_near(momentum(s, f, depth) + f->stray, all, 1e-5 * all);
    }
}

/* Each texel that moves is on one list, and the others on none. */
static void check_row(const sheet *s, followers *f, int depth, int j, uint32_t *next, bool whole) {
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
            check_taken(s, f, depth, i, j, &t, whole);
        }
    }
}

static void check_weights(const sheet *s, bool whole, bool pins) {
    followers f;
    followers_create(&f, s);
    double all = 0.0;
    for (size_t t = 0; t < grid_texels(&s->grid); t++) {
        all += (double)s->mass[t];
    }
    for (int depth = 1; depth < s->levels.count; depth++) {
        const level *l = &s->levels.items[depth];
        int rows = grid_of(s, depth - 1)->rows;
        uint32_t next = 0;
        f.stray = 0.0;
        for (int j = 0; j < rows; j++) {
            assert_int_equal(l->odd_rows[j], next);
            check_row(s, &f, depth, j, &next, whole);
        }
        assert_int_equal(next, l->odd_count);
        assert_int_equal(l->odd_rows[rows], next);
        check_momentum(s, &f, depth, pins);
        double sum = check_masses(s, &f, depth);
        assert_true(sum <= all * (1.0 + 1e-6));
        if (whole) {
            assert_near(sum, all, 1e-6 * all);
            assert_true(f.stray == 0.0);
        }
    }
    followers_free(&f);
}

/* ---- the tests ----------------------------------------------------------------------------------
 */

static void check_means(const sheet *s, bool whole, bool pins) {
    check_parts(s);
    check_weights(s, whole, pins);
}

static void test_rectangles(void **state) {
    (void)state;
    check_rectangles(check_means);
}

static void test_shapes(void **state) {
    (void)state;
    check_shapes(check_means);
}

static void test_pins(void **state) {
    (void)state;
    check_pins(check_means);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rectangles),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_pins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
