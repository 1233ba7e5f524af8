/* Cloth against cloth: the formulas, the search for partners, and folds that stay apart. */
#include "worlds.h"

#include <float.h>

#include "cpu/self_search.h"
#include "kernel/self.h"

/* ---- the formulas -------------------------------------------------------------------------------
 */

static double length_of(v3 a) {
    return sqrt((double)v3_dot(a, a));
}

/* What the pair does to the vector between its texels. */
static v3 settle(v3 before, v3 after, float distance, float friction, float side) {
    v3 n = self_direction(before, after, side);
    float depth = self_depth(after, n, distance), stop = self_stop(before, after, n, depth);
    v3 slide = self_friction(before, after, n, stop, friction);
    return v3_add(after, v3_madd(slide, n, depth));
}

static void test_push_separates(void **state) {
    (void)state;
    v3 before = v3_make(0.011f, 0.002f, -0.004f), after = v3_make(0.004f, 0.003f, -0.001f);
    v3 apart = settle(before, after, 0.01f, 0.0f, 1.0f);
    assert_near(length_of(apart), 0.01, 1e-8);
    /* The partner sees everything with the other sign. */
    v3 other = settle(v3_scale(before, -1.0f), v3_scale(after, -1.0f), 0.01f, 0.5f, -1.0f);
    v3 own = settle(before, after, 0.01f, 0.5f, 1.0f);
    assert_true(own.x == -other.x && own.y == -other.y && own.z == -other.z);
}

/* The approach of this substep is stopped; an overlap from before gives no velocity. */
static void test_only_the_approach_is_stopped(void **state) {
    (void)state;
    v3 up = v3_make(0.0f, 1.0f, 0.0f);
    v3 before = v3_scale(up, 0.006f), after = v3_scale(up, 0.005f);
    float depth = self_depth(after, up, 0.01f);
    assert_near((double)depth, 0.005, 1e-9);
    assert_near((double)self_stop(before, after, up, depth), 0.001, 1e-9);
    assert_true(self_stop(after, before, up, depth) == 0.0f);
    assert_true(self_stop(before, up, up, self_depth(up, up, 0.01f)) == 0.0f);
}

static void test_friction_is_bounded(void **state) {
    (void)state;
    v3 up = v3_make(0.0f, 1.0f, 0.0f);
    v3 before = v3_make(0.0f, 0.01f, 0.0f), after = v3_make(0.003f, 0.008f, 0.004f);
    v3 f = self_friction(before, after, up, 0.002f, 0.3f);
    assert_near(length_of(f), 0.3 * 0.002, 1e-9);
    assert_near((double)f.x / (double)f.z, 0.75, 1e-5);
    assert_true(f.x < 0.0f && f.y == 0.0f);
    f = self_friction(before, after, up, 0.002f, 10.0f); /* sticks, and does not go back */
    assert_near(length_of(v3_add(v3_make(0.003f, 0.0f, 0.004f), f)), 0.0, 1e-9);
    f = self_friction(before, before, up, 0.002f, 1.0f);
    assert_true(length_of(f) == 0.0);
}

static void test_degenerate_pairs_have_a_direction(void **state) {
    (void)state;
    v3 none = v3_make(0.0f, 0.0f, 0.0f), left = v3_make(-0.01f, 0.0f, 0.0f);
    assert_true(self_direction(none, none, 1.0f).y == 1.0f);
    assert_true(self_direction(none, none, -1.0f).y == -1.0f);
    assert_near((double)self_direction(left, none, 1.0f).x, -1.0, 1e-6);
    /* Passed through each other: back to where it came from. */
    assert_near((double)self_direction(left, v3_make(0.002f, 0.0f, 0.0f), 1.0f).x, -1.0, 1e-6);
}

static void test_flat_cloth_does_not_push(void **state) {
    (void)state;
    assert_true(self_distance(0.001f, 0.01f) >= 0.0075f);
    assert_true(self_distance(0.03f, 0.01f) == 0.03f);
    assert_true(self_distance_within(0.03f, 0.01f, 1.0f, -1.0f) == 0.0f);
    assert_true(self_distance_within(0.03f, 0.01f, 2.0f, 0.0f) < 0.02f);
    assert_true(self_distance_within(0.03f, 0.01f, 9.0f, 9.0f) == 0.03f);
}

/* ---- partners -----------------------------------------------------------------------------------
 */

enum { CLOTHS = 2 };

typedef struct points {
    grid grids[CLOTHS];
    uint8_t *masks[CLOTHS];
    cloth_state states[CLOTHS];
    level_state levels[CLOTHS];
    cloth_params params[CLOTHS];
    self_table *table;
} points;

static float random_float(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) * 0x1p-24f;
}

/* Two cloths of random texels in a cube around `center`; about one in ten is absent. */
static void make_points_of(points *p, const float spacings[2], float size, const float center[3],
                           float thickness) {
    uint32_t seed = 7;
    uint64_t numbers = 0, rows = 0;
    memset(p, 0, sizeof *p);
    for (int c = 0; c < CLOTHS; c++) {
        grid *g = &p->grids[c];
        grid_set_texels(g, c == 0 ? 23 : 17, c == 0 ? 19 : 31);
        assert_int_equal(cloth_state_create(&p->states[c], g), TOILE_OK);
        p->masks[c] = malloc(grid_texels(g));
        for (int axis = 0; axis < 3; axis++) {
            p->levels[c].at.plane[LEVEL_x + axis] = p->states[c].at.plane[PLANE_x + axis];
        }
        p->levels[c].inverse_mass = p->states[c].at.inverse_mass;
        for (int row = 0; row < g->rows; row++) {
            for (int i = 0; i < g->columns; i++) {
                p->masks[c][row * g->columns + i] = random_float(&seed) > 0.1f;
                for (int axis = 0; axis < 3; axis++) {
                    p->states[c].at.plane[PLANE_x + axis][grid_index(g, i, row)] =
                        center[axis] + size * random_float(&seed);
                }
            }
        }
        float spacing = spacings[c];
        p->params[c] =
            (cloth_params){.spacing = spacing, .self_distance = self_distance(thickness, spacing)};
        numbers += self_numbers(g);
        rows += (uint64_t)g->rows;
    }
    p->table = self_create(CLOTHS, numbers, rows, 3);
    assert_non_null(p->table);
    step_plan plan = {.cloths = p->params, .cloth_count = CLOTHS};
    for (int c = 0; c < CLOTHS; c++) {
        self_add_cloth(p->table, &p->grids[c], p->masks[c], p->params[c].self_distance);
    }
    assert_int_equal(self_arrange(p->table), TOILE_OK);
    self_begin(p->table, &plan);
}

static void make_points(points *p, float size, const float center[3], float thickness) {
    make_points_of(p, (const float[]){0.02f, 0.03f}, size, center, thickness);
}

static void rows_of_all(points *p, pass which) {
    for (int c = 0; c < CLOTHS; c++) {
        self_rows(p->table, which, c, &p->states[c], &p->levels[c], 0, p->grids[c].rows);
    }
}

static void make_lists(points *p, int threads) {
    rows_of_all(p, PASS_SELF_KEY);
    for (int share = threads; share-- > 0;) {
        self_count(p->table, share, threads);
    }
    for (int share = threads; share-- > 0;) {
        self_sort(p->table, share, threads);
    }
    rows_of_all(p, PASS_SELF_LIST);
}

static void free_points(points *p) {
    for (int c = 0; c < CLOTHS; c++) {
        cloth_state_free(&p->states[c]);
        free(p->masks[c]);
    }
    self_free(p->table);
}

/* Its cloth, column and row; false for gaps and absent texels. */
static bool locate(const points *p, uint32_t texel, int *cloth, int *column, int *row) {
    *cloth = (int)p->table->owners[texel];
    const self_cloth *s = &p->table->cloths[*cloth];
    *column = (int)((texel - s->first) % s->stride);
    *row = (int)((texel - s->first) / s->stride);
    return *column < s->columns && s->mask[*row * s->columns + *column];
}

static int coarser_of(const points *p, int a, int b) {
    int of_a = p->table->cloths[a].member.class, of_b = p->table->cloths[b].member.class;
    return of_a < of_b ? of_a : of_b;
}

static bool are_partners(const points *p, uint32_t a, uint32_t b) {
    int ca, cb, ia, ib, ja, jb;
    if (a == b || !locate(p, a, &ca, &ia, &ja) || !locate(p, b, &cb, &ib, &jb)) {
        return false;
    }
    float keep = fmaxf(p->params[ca].self_distance, p->params[cb].self_distance);
    if (ca == cb) {
        keep =
            self_distance_within(keep, p->params[ca].spacing, (float)(ia - ib), (float)(ja - jb));
    }
    float sum = 0.0f, near = keep + p->table->classes.list[coarser_of(p, ca, cb)].margin;
    for (int axis = 0; axis < 3; axis++) {
        float d = p->table->listed_at[axis][a] - p->table->listed_at[axis][b];
        sum += d * d;
    }
    return keep > 0.0f && sum < near * near;
}

/* Lists equal those of a comparison of all texels with all others. */
static size_t check_lists(const points *p) {
    const self_table *t = p->table;
    size_t found = 0;
    for (uint32_t a = 0; a < t->texels; a++) {
        uint32_t expected = 0;
        for (uint32_t b = 0; b < t->texels; b++) {
            if (!are_partners(p, a, b)) {
                continue;
            }
            int times = t->counts[a] > SELF_LISTED;
            for (int i = 0; !times && i < t->counts[a]; i++) {
                times += t->partners[(size_t)a * SELF_LISTED + (size_t)i] == b;
            }
            assert_int_equal(times, 1);
            expected++;
        }
        assert_int_equal(t->counts[a], expected > SELF_LISTED ? SELF_LISTED + 1 : expected);
        found += expected;
    }
    return found;
}

/* As brute force has them, with one thread and with three. */
static void assert_lists_right(points *p) {
    make_lists(p, 1);
    assert_true(check_lists(p) > 500);
    size_t bytes = p->table->texels * sizeof(uint32_t) * SELF_LISTED;
    uint32_t *lists = malloc(bytes);
    memcpy(lists, p->table->partners, bytes);
    make_lists(p, 3);
    assert_memory_equal(lists, p->table->partners, bytes);
    free(lists);
}

static void test_hash_finds_what_brute_force_finds(void **state) {
    (void)state;
    const float centers[][3] = {{0.0f, 0.0f, 0.0f}, {-30.0f, 7.0f, 1e3f}, {1e6f, -1e6f, 0.0f}};
    for (int k = 0; k < 3; k++) {
        for (int thick = 0; thick < 2; thick++) {
            points p;
            make_points(&p, thick ? 0.6f : 0.35f, centers[k], thick ? 0.07f : 0.0f);
            assert_lists_right(&p);
            free_points(&p);
        }
    }
}

/* The same where spacings differ so much that cloths have cells of their own sizes. */
static void test_classes_find_what_brute_force_finds(void **state) {
    (void)state;
    const float spacings[][2] = {{0.02f, 0.2f}, {0.1f, 0.02f}, {0.02f, 0.041f}};
    for (int k = 0; k < 3; k++) {
        points p;
        make_points_of(&p, spacings[k], 0.6f, (const float[]){0.3f, -2.0f, 0.0f}, 0.0f);
        assert_int_equal(p.table->classes.count, 2);
        assert_lists_right(&p);
        free_points(&p);
    }
}

/* Entries of the hash that texels of the first cloth look at. The other one is far away, and was
 * once what gave the cells their size. */
static void test_a_coarse_cloth_far_away_costs_nothing(void **state) {
    (void)state;
    const float spacings[][2] = {{0.02f, 0.02f}, {0.02f, 1.0f}};
    double looks[2] = {0};
    for (int k = 0; k < 2; k++) {
        points p;
        make_points_of(&p, spacings[k], 0.6f, (const float[]){0.0f, 0.0f, 0.0f}, 0.0f);
        for (size_t i = 0; i < p.grids[1].size; i++) {
            p.states[1].at.plane[PLANE_x][i] += 50.0f;
        }
        make_lists(&p, 1);
        for (uint32_t texel = 0; texel < p.table->cloths[1].first; texel++) {
            looks[k] += (double)count_looks(p.table, texel);
        }
        free_points(&p);
    }
    assert_true(looks[0] > 0.0);
    assert_below(looks[1], 2.0 * looks[0]);
}

/* Texels that are no numbers or beyond all bounds have no partners and harm nobody. */
static void test_hostile_positions(void **state) {
    (void)state;
    const float hostile[] = {NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 1e12f};
    points p;
    make_points(&p, 0.3f, (const float[]){0.0f, 0.0f, 0.0f}, 0.0f);
    for (int i = 0; i < 6; i++) {
        p.states[0].at.plane[PLANE_x + i % 3][grid_index(&p.grids[0], i, 5)] = hostile[i];
    }
    make_lists(&p, 2);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(p.table->counts[5 * p.table->cloths[0].stride + i], 0);
    }
    rows_of_all(&p, PASS_SELF_LOAD);
    rows_of_all(&p, PASS_SELF_PUSH);
    free_points(&p);
}

/* What one texel gets the other loses, also where more push than a list holds. */
static void test_momentum_is_kept(void **state) {
    (void)state;
    points p;
    make_points(&p, 0.2f, (const float[]){0.0f, 0.0f, 0.0f}, 0.0f);
    for (int c = 0; c < CLOTHS; c++) {
        for (size_t k = 0; k < p.grids[c].size; k++) {
            p.states[c].at.inverse_mass[k] = 1.0f;
        }
    }
    float *ends[CLOTHS];
    for (int c = 0; c < CLOTHS; c++) { /* of their own, not those of the start */
        ends[c] = malloc(3 * p.grids[c].size * sizeof(float));
        for (size_t axis = 0; axis < 3; axis++) {
            float *to = ends[c] + axis * p.grids[c].size;
            p.levels[c].at.plane[LEVEL_x + axis] = to;
            for (size_t k = 0; k < p.grids[c].size; k++) {
                to[k] = 0.9f * p.states[c].at.plane[PLANE_x + axis][k];
            }
        }
    }
    double before[3] = {0}, after[3] = {0}, moved = 0.0;
    make_lists(&p, 1);
    bool over = false;
    for (uint32_t i = 0; i < p.table->texels; i++) {
        over |= p.table->counts[i] > SELF_LISTED;
    }
    assert_true(over);
    for (int pushed = 0; pushed < 2; pushed++) {
        double *sum = pushed ? after : before;
        for (int c = 0; c < CLOTHS; c++) {
            for (size_t i = 0; i < 3 * p.grids[c].size; i++) {
                float start =
                    p.states[c].at.plane[PLANE_x + i / p.grids[c].size][i % p.grids[c].size];
                sum[i / p.grids[c].size] += (double)ends[c][i] - (double)start;
                moved += pushed ? fabs((double)ends[c][i] - 0.9 * (double)start) : 0.0;
            }
        }
        rows_of_all(&p, PASS_SELF_LOAD);
        rows_of_all(&p, PASS_SELF_PUSH);
    }
    assert_true(moved > 1.0);
    for (int axis = 0; axis < 3; axis++) {
        assert_near(after[axis], before[axis], 1e-5);
    }
    free(ends[0]);
    free(ends[1]);
    free_points(&p);
}

/* ---- worlds -------------------------------------------------------------------------------------
 */

static toile_world *floor_world(bool on, int threads) {
    toile_world_def def = toile_default_world_def();
    def.threads = threads;
    def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    def.solver.self_collision = on;
    toile_world *world = make_world(&def);
    add_floor(world, 0.0f);
    return world;
}

/* A square that is dropped on its edge, nearly upright, and collapses. */
static toile_world *make_heap(bool on, int threads, int texels) {
    toile_world *world = floor_world(on, threads);
    toile_cloth_def def = square_def(texels);
    def.fabric = toile_fabric_named("cotton");
    def.transform.rotate[0] = 5.0f;
    def.transform.translate[1] = 0.6f;
    add_cloth(world, &def);
    return world;
}

static void test_heap_does_not_go_through_itself(void **state) {
    (void)state;
    toile_cloth_id all = {0};
    toile_world *world = make_heap(false, 1, 41);
    run_seconds(world, 1.0);
    uint64_t without = measure(world, all).self_intersections;
    toile_world_destroy(world);
    assert_true(without > 100);
    world = make_heap(true, 1, 41);
    double last = INFINITY;
    for (int half = 1; half <= 4; half++) {
        run_seconds(world, 0.5);
        toile_metrics m = measure(world, all);
        assert_true(m.self_intersections == 0);
        last = m.kinetic_energy;
        assert_int_equal(m.penetration.count, 0);
    }
    assert_below(last, 1e-3);
    toile_world_destroy(world);
}

static double mean_height(const toile_world *world, toile_cloth_id cloth) {
    float *positions = texel_positions(world, cloth);
    size_t count = toile_cloth_get_info(world, cloth).texels;
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)positions[3 * i + 1];
    }
    free(positions);
    return sum / (double)count;
}

/* Two cloths fall on each other on a floor: they stay apart, and come to rest. */
static void test_cloths_lie_on_each_other(void **state) {
    (void)state;
    toile_world *world = floor_world(true, 1);
    toile_cloth_def def = lying_def(31, 0.05f);
    toile_cloth_id below = add_cloth(world, &def);
    def.spacing = 0.04f;
    def.transform.rotate[1] = 27.0f;
    def.transform.translate[1] = 0.15f;
    toile_cloth_id above = add_cloth(world, &def);
    run_seconds(world, 2.0);
    toile_cloth_id all = {0};
    toile_metrics m = measure(world, all);
    assert_true(m.self_intersections == 0);
    double gap = mean_height(world, above) - mean_height(world, below);
    assert_true(gap > 0.015);
    assert_below(gap, 0.045);
    assert_below(m.kinetic_energy, 1e-4);
    toile_world_destroy(world);
}

static void test_same_bits_for_any_threads(void **state) {
    (void)state;
    const int threads[] = {1, 2, 7};
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        toile_world *world = make_heap(true, threads[k], 33);
        toile_cloth_def def = lying_def(20, 0.02f);
        pin_corner(world, add_cloth(world, &def), TOILE_CORNER_TOP_LEFT);
        run_seconds(world, 0.6);
        hash[k] = toile_world_hash(world);
        toile_world_destroy(world);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* A run that is stopped and loaded goes on with the same bits: lists are no part of the state. */
static void test_same_bits_after_loading(void **state) {
    (void)state;
    toile_world *world = make_heap(true, 1, 33);
    run_seconds(world, 0.5);
    size_t size = toile_world_state_size(world);
    void *bytes = malloc(size);
    assert_ok(toile_world_save_state(world, bytes, size));
    run_seconds(world, 0.2);
    toile_world *other = make_heap(true, 1, 33);
    assert_ok(toile_world_load_state(other, bytes, size));
    run_seconds(other, 0.2);
    assert_true(toile_world_hash(world) == toile_world_hash(other));
    free(bytes);
    toile_world_destroy(world);
    toile_world_destroy(other);
}

/* A pinned cloth carries another and is not moved by it. */
static void test_pinned_texels_push_and_stay(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    def.solver.self_collision = true;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(21, 0.0f);
    toile_cloth_id table = add_cloth(world, &sheet);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_POINT;
    pin.point[0] = pin.point[1] = 0.5f;
    pin.radius = 2.0f;
    add_pin(world, table, &pin);
    sheet.size[0] = sheet.size[1] = 0.5f;
    sheet.transform.translate[1] = 0.08f;
    toile_cloth_id napkin = add_cloth(world, &sheet);
    run_seconds(world, 1.0);
    assert_near(mean_height(world, table), 0.0, 1e-6);
    assert_true(mean_height(world, napkin) > 0.0);
    assert_below(mean_height(world, napkin), 0.08);
    toile_world_destroy(world);
}

/* The implicit solver at a fine spacing: cloth that collapses onto itself is not stretched by that,
 * and comes to rest, in both orders. Pushed after the solve instead of repelled in it, its threads
 * were stretched by 17 % after a second. */
static void test_fine_folds_do_not_tear(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        toile_world_def def = toile_default_world_def();
        def.device = test_device();
        def.threads = 1;
        def.solver.kind = TOILE_SOLVER_IMPLICIT;
        def.solver.order = order;
        def.solver.self_collision = true;
        def.solver.damping = 1.0f;
        toile_world *world = make_world(&def);
        add_floor(world, 0.0f);
        toile_cloth_def sheet = toile_default_cloth_def();
        sheet.size[0] = sheet.size[1] = 0.3f;
        sheet.spacing = 0.004f;
        sheet.fabric = toile_fabric_named("cotton");
        sheet.transform.rotate[0] = 5.0f;
        sheet.transform.translate[1] = 0.18f;
        toile_cloth_id cloth = add_cloth(world, &sheet);
        run_seconds(world, 0.5);
        double falling = measure(world, cloth).kinetic_energy;
        for (int part = 0; part < 4; part++) {
            run_seconds(world, 0.125);
            assert_below(measure(world, cloth).strain.max, 0.04);
        }
        toile_metrics m = measure(world, cloth);
        assert_true(m.self_intersections == 0);
        assert_below(m.kinetic_energy, falling);
        toile_world_destroy(world);
    }
}

/* It is on unless somebody says otherwise, and springs have none: the definition in force says so.
 */
static void test_on_by_default(void **state) {
    (void)state;
    for (int kind = TOILE_SOLVER_MASS_SPRING; kind <= TOILE_SOLVER_IMPLICIT; kind++) {
        toile_world_def def = toile_default_world_def();
        def.device = "null";
        def.solver.kind = (toile_solver_kind)kind;
        toile_world *world = make_world(&def);
        assert_int_equal(toile_world_get_def(world).solver.self_collision,
                         kind != TOILE_SOLVER_MASS_SPRING);
        toile_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push_separates),
        cmocka_unit_test(test_only_the_approach_is_stopped),
        cmocka_unit_test(test_friction_is_bounded),
        cmocka_unit_test(test_degenerate_pairs_have_a_direction),
        cmocka_unit_test(test_flat_cloth_does_not_push),
        cmocka_unit_test(test_hash_finds_what_brute_force_finds),
        cmocka_unit_test(test_classes_find_what_brute_force_finds),
        cmocka_unit_test(test_a_coarse_cloth_far_away_costs_nothing),
        cmocka_unit_test(test_hostile_positions),
        cmocka_unit_test(test_momentum_is_kept),
        cmocka_unit_test(test_heap_does_not_go_through_itself),
        cmocka_unit_test(test_cloths_lie_on_each_other),
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_same_bits_after_loading),
        cmocka_unit_test(test_pinned_texels_push_and_stay),
        cmocka_unit_test(test_fine_folds_do_not_tear),
        cmocka_unit_test(test_on_by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
