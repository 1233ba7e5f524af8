/* The order in which the multilevel solver relaxes edges: sets that do not share texels, each edge
 * once, and on one level the same bits as a plain solver. */
#include "levels.h"
#include "outlines.h"

#include "cpu/run.h"
#include "kernel/distance.h"
#include "kernel/spring.h"
#include "step/world.h"

/* ---- the independent sets -----------------------------------------------------------------------
 */

typedef struct edge_set {
    level_edge kind;
    int parity; /* of the columns (U) or rows (others) that its edges start in */
} edge_set;

/* In the order of cpu/relax.c. */
static const edge_set sets[8] = {{EDGE_U, 0},      {EDGE_U, 1},       {EDGE_V, 0},
                                 {EDGE_RISING, 0}, {EDGE_FALLING, 0}, {EDGE_V, 1},
                                 {EDGE_RISING, 1}, {EDGE_FALLING, 1}};

static bool in_set(edge_set set, int i, int j) {
    return (set.kind == EDGE_U ? i : j) % 2 == set.parity;
}

/* Are both ends on the grid? */
static bool on_grid(level_edge kind, int i, int j, int columns, int rows) {
    return (kind == EDGE_V || i + 1 < columns) && (kind == EDGE_U || j + 1 < rows);
}

static void test_sets_are_independent(void **state) {
    (void)state;
    for (int columns = 2; columns < 12; columns++) {
        for (int rows = 2; rows < 12; rows++) {
            int edges = 0;
            for (int s = 0; s < 8; s++) {
                int used[12][12] = {{0}};
                for (int n = 0; n < columns * rows; n++) {
                    int i = n % columns, j = n / columns;
                    if (!in_set(sets[s], i, j) || !on_grid(sets[s].kind, i, j, columns, rows)) {
                        continue;
                    }
                    edges++;
                    for (int end = 0; end < 2; end++) {
                        const int *to = ends[sets[s].kind][end];
                        assert_int_equal(used[j + to[1]][i + to[0]]++, 0);
                    }
                }
            }
            int cells = (columns - 1) * (rows - 1);
            assert_int_equal(edges, (columns - 1) * rows + columns * (rows - 1) + 2 * cells);
        }
    }
}

/* ---- the passes of a world ----------------------------------------------------------------------
 */

typedef struct insides {
    toile_world *world;
    toile_cloth_id id;
    cloth *cloth;
    device_cloth *memory;
    cloth_params *params;
} insides;

/* A world after a step, opened. */
static insides look_inside(toile_world *world, toile_cloth_id id) {
    run_steps(world, 1, 1.0f / 240.0f);
    cloth *c = world_cloth(world, id.slot - 1);
    return (insides){world, id, c, c->memory, &world->plan.cloths[id.slot - 1]};
}

static float weight_of(const level_state *l, level_edge kind, int i, int j) {
    const grid *g = &l->table->grid;
    const float *c = l->coverage + grid_index(g, i, j);
    return kind == EDGE_U   ? thread_weight(c[0], c[-g->stride])
           : kind == EDGE_V ? thread_weight(c[0], c[-1])
                            : c[0];
}

/* Where nothing has mass, nothing moves, and without compliance each visit of an edge adds
 * -C / DISTANCE_IMMOBILE to its multiplier: they count the visits. */
static void check_visits(insides *in, int depth) {
    const level_state *l = &in->memory->hierarchy.levels[depth];
    const grid *g = &l->table->grid;
    float *masses = depth == 0 ? in->memory->state.at.inverse_mass
                               : in->cloth->levels.items[depth].inverse_mass;
    memset(masses, 0, g->size * sizeof(float));
    for (int p = 0; p < EDGE_KINDS; p++) {
        memset(l->at.plane[LEVEL_lu + p], 0, g->size * sizeof(float));
    }
    for (size_t k = 0; k < g->size; k++) {
        for (int axis = 0; axis < 3; axis++) {
            l->at.plane[LEVEL_x + axis][k] = 10.0f * random_float();
        }
    }
    in->params->compliance_u = in->params->compliance_v = in->params->compliance_shear = 0.0f;
    in->world->plan.relaxation = 1.0f;
    pass_args args = {.plan = &in->world->plan,
                      .params = in->params,
                      .state = &in->memory->state,
                      .hierarchy = &in->memory->hierarchy,
                      .share = 1.0f,
                      .level = depth};
    passes_scalar.row_passes[PASS_RELAX_EVEN](&args, 0, (g->rows + 1) / 2);
    passes_scalar.row_passes[PASS_RELAX_ODD](&args, 0, (g->rows - 1) / 2);
    for (int kind = 0; kind < EDGE_KINDS; kind++) {
        for (int n = 0; n < g->columns * g->rows; n++) {
            int i = n % g->columns, j = n / g->columns;
            size_t k = grid_index(g, i, j);
            size_t a = grid_index(g, i + ends[kind][0][0], j + ends[kind][0][1]);
            size_t b = grid_index(g, i + ends[kind][1][0], j + ends[kind][1][1]);
            bool thread = kind == EDGE_U || kind == EDGE_V;
            float weight = weight_of(l, (level_edge)kind, i, j);
            double rest = (double)(depth > 0 ? l->table->rest[kind][k]
                                   : thread  ? in->params->spacing
                                             : in->params->diagonal);
            bool there = weight > 0.0f && rest < (double)LEVEL_NO_EDGE;
            double length = 0.0, found = (double)l->at.plane[LEVEL_lu + kind][k];
            for (int axis = 0; axis < 3; axis++) {
                const float *x = l->at.plane[LEVEL_x + axis];
                length += ((double)x[b] - (double)x[a]) * ((double)x[b] - (double)x[a]);
            }
            double visit = -(sqrt(length) - rest) / (double)DISTANCE_IMMOBILE;
            visit = depth > 0 ? fmin(visit, 0.0) : visit;              /* coarse edges never push */
            double rounding = 1e-6 * 10.0 / (double)DISTANCE_IMMOBILE; /* of the length */
            assert_near(found, there ? visit : 0.0, there ? 1e-5 * fabs(visit) + rounding : 0.0);
        }
    }
}

static void check_visits_of(const toile_cloth_def *sheet) {
    toile_world_def def = multilevel_def(TOILE_MAX_LEVELS, NULL);
    toile_world *world = make_world(&def);
    insides in = look_inside(world, add_cloth(world, sheet));
    for (int depth = 0; depth < in.cloth->levels.count; depth++) {
        check_visits(&in, depth);
    }
    toile_world_destroy(world);
}

static void test_every_edge_is_visited_once(void **state) {
    (void)state;
    for (int columns = 2; columns < 20; columns += 3) {
        for (int rows = 2; rows < 20; rows++) {
            toile_cloth_def sheet = toile_default_cloth_def();
            sheet.size[0] = sheet.spacing * (float)(columns - 1);
            sheet.size[1] = sheet.spacing * (float)(rows - 1);
            check_visits_of(&sheet);
        }
    }
    for (int m = 0; m < 2 * MAKERS; m++) {
        test_outline shape;
        makers[m / 2](&shape);
        toile_panel *cooked = cook_outline(&shape, m % 2 ? 0.05f : 0.021f, 10.0f);
        toile_cloth_def piece = panel_cloth(cooked);
        check_visits_of(&piece);
        toile_panel_destroy(cooked);
    }
}

/* ---- a plain solver -----------------------------------------------------------------------------
 */

/* One level without bending, bodies and wind, written as the formulas are. */
typedef struct plain {
    int columns, rows;
    const cloth_params *params;
    const step_plan *plan;
    float *inverse_mass, *weights[EDGE_KINDS];
    v3 *x, *v, *p, *q;
    float *multipliers[EDGE_KINDS], *changed[EDGE_KINDS];
} plain;

static void *take(size_t count, size_t size) {
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

/* From the state of a world. */
static plain plain_create(const insides *in) {
    const cloth_state *s = &in->memory->state;
    const grid *g = &s->grid;
    size_t texels = grid_texels(g);
    plain p = {.columns = g->columns,
               .rows = g->rows,
               .params = in->params,
               .plan = &in->world->plan,
               .inverse_mass = take(texels, sizeof(float)),
               .x = take(texels, sizeof(v3)),
               .v = take(texels, sizeof(v3)),
               .p = take(texels, sizeof(v3)),
               .q = take(texels, sizeof(v3))};
    for (int kind = 0; kind < EDGE_KINDS; kind++) {
        p.weights[kind] = take(texels, sizeof(float));
        p.multipliers[kind] = take(texels, sizeof(float));
        p.changed[kind] = take(texels, sizeof(float));
    }
    for (int t = 0; t < (int)texels; t++) {
        size_t k = grid_index(g, t % p.columns, t / p.columns);
        p.inverse_mass[t] = s->at.inverse_mass[k];
        p.x[t] = v3_make(s->at.x[k], s->at.y[k], s->at.z[k]);
        bool moves = p.inverse_mass[t] > 0.0f; /* the other one has arrived at its pin */
        p.v[t] = v3_make(moves ? s->at.vx[k] : 0.0f, moves ? s->at.vy[k] : 0.0f,
                         moves ? s->at.vz[k] : 0.0f);
        for (int kind = 0; kind < EDGE_KINDS; kind++) {
            p.weights[kind][t] = weight_of(&in->memory->hierarchy.levels[0], (level_edge)kind,
                                           t % p.columns, t / p.columns);
        }
    }
    return p;
}

static void plain_free(plain *p) {
    free(p->inverse_mass);
    free(p->x);
    free(p->v);
    free(p->p);
    free(p->q);
    for (int kind = 0; kind < EDGE_KINDS; kind++) {
        free(p->weights[kind]);
        free(p->multipliers[kind]);
        free(p->changed[kind]);
    }
}

/* The edge of a kind at a texel: its ends, the vector between them and how far it pulls along it.
 */
typedef struct pulled {
    int a, b;
    v3 d;
    float pull;
} pulled;

/* share: of what the edge asks for. of_limit: the same for its strain limit. */
static pulled pull_edge(const plain *p, level_edge kind, int t, float share, float of_limit,
                        float *multiplier) {
    const cloth_params *c = p->params;
    const int(*e)[2] = ends[kind];
    pulled out = {.a = t + e[0][0] + e[0][1] * p->columns, .b = t + e[1][0] + e[1][1] * p->columns};
    bool thread = kind == EDGE_U || kind == EDGE_V;
    float rest = thread ? c->spacing : c->diagonal;
    float compliance = kind == EDGE_U   ? c->compliance_u
                       : kind == EDGE_V ? c->compliance_v
                                        : c->compliance_shear;
    float masses = p->inverse_mass[out.a] + p->inverse_mass[out.b];
    out.d = v3_sub(p->p[out.b], p->p[out.a]);
    float inverse = 1.0f / sqrtf(fmaxf(v3_dot(out.d, out.d), KERNEL_TINY));
    float length = v3_dot(out.d, out.d) * inverse;
    float before = *multiplier, weight = p->weights[kind][t];
    float change = share * distance_change(length, rest, weight, before, compliance, masses);
    *multiplier = before + change;
    float longest = rest * (c->longest / c->spacing);
    out.pull = distance_pull(weight * change, length, longest, masses / of_limit) * inverse;
    return out;
}

/* Sets in order, or backwards; the edges of a set from the last to the first, for their order does
 * not matter. */
static void plain_gauss_seidel(plain *p, bool backwards) {
    for (int n = 0; n < 8; n++) {
        int s = backwards ? 7 - n : n;
        level_edge kind = sets[s].kind;
        for (int t = p->columns * p->rows - 1; t >= 0; t--) {
            int i = t % p->columns, j = t / p->columns;
            if (!in_set(sets[s], i, j) || !on_grid(kind, i, j, p->columns, p->rows) ||
                !(p->weights[kind][t] > 0.0f)) {
                continue;
            }
            pulled e = pull_edge(p, kind, t, p->plan->relaxation, 1.0f, &p->multipliers[kind][t]);
            p->p[e.a] = v3_madd(p->p[e.a], e.d, e.pull * p->inverse_mass[e.a]);
            p->p[e.b] = v3_sub(p->p[e.b], v3_scale(e.d, e.pull * p->inverse_mass[e.b]));
        }
    }
}

/* What an edge does to its end at a texel; nothing where there is no edge. The edge is that at
 * (i, j); its first end, or its second, is the texel. */
static v3 jacobi_move(plain *p, level_edge kind, int i, int j, bool second) {
    if (i < 0 || j < 0 || !on_grid(kind, i, j, p->columns, p->rows) ||
        !(p->weights[kind][i + j * p->columns] > 0.0f)) {
        return v3_make(0.0f, 0.0f, 0.0f);
    }
    int t = i + j * p->columns;
    float share = p->plan->jacobi_relaxation, multiplier = p->multipliers[kind][t];
    pulled e = pull_edge(p, kind, t, share, share, &multiplier);
    p->changed[kind][t] = multiplier;
    return v3_scale(e.d, second ? -e.pull : e.pull);
}

static void plain_jacobi(plain *p) {
    for (int t = 0; t < p->columns * p->rows; t++) {
        int i = t % p->columns, j = t / p->columns;
        v3 along =
            v3_add(jacobi_move(p, EDGE_U, i, j, false), jacobi_move(p, EDGE_U, i - 1, j, true));
        v3 up = v3_add(jacobi_move(p, EDGE_V, i, j, false), jacobi_move(p, EDGE_V, i, j - 1, true));
        v3 rising = v3_add(jacobi_move(p, EDGE_RISING, i, j, false),
                           jacobi_move(p, EDGE_RISING, i - 1, j - 1, true));
        v3 falling = v3_add(jacobi_move(p, EDGE_FALLING, i - 1, j, false),
                            jacobi_move(p, EDGE_FALLING, i, j - 1, true));
        v3 sum = v3_add(v3_add(along, up), v3_add(rising, falling));
        p->q[t] = v3_madd(p->p[t], sum, p->inverse_mass[t]);
    }
    memcpy(p->p, p->q, (size_t)(p->columns * p->rows) * sizeof *p->p);
    for (int kind = 0; kind < EDGE_KINDS; kind++) {
        memcpy(p->multipliers[kind], p->changed[kind],
               (size_t)(p->columns * p->rows) * sizeof(float));
    }
}

static void plain_substep(plain *p, toile_relaxation relaxation, int iterations) {
    const float time = p->plan->substep, rate = 1.0f / time;
    v3 pull = v3_scale(p->plan->gravity, time);
    for (int t = 0; t < p->columns * p->rows; t++) {
        if (p->inverse_mass[t] > 0.0f) {
            p->v[t] = v3_add(v3_scale(p->v[t], p->plan->persistence), pull);
        }
        p->p[t] = v3_madd(p->x[t], p->v[t], time);
        for (int kind = 0; kind < EDGE_KINDS; kind++) {
            p->multipliers[kind][t] = p->changed[kind][t] = 0.0f;
        }
    }
    for (int k = 0; k < iterations; k++) {
        if (relaxation == TOILE_RELAXATION_JACOBI) {
            plain_jacobi(p);
        } else {
            plain_gauss_seidel(p, k % 2 != 0);
        }
    }
    for (int t = 0; t < p->columns * p->rows; t++) {
        if (p->inverse_mass[t] > 0.0f) {
            v3 expected = v3_madd(p->x[t], p->v[t], time);
            p->v[t] = v3_madd(p->v[t], v3_sub(p->p[t], expected), rate);
        }
        p->x[t] = v3_madd(p->x[t], p->v[t], time);
    }
}

/* A crumpled sheet, so that threads pull, push and are at their limits. */
static void crumple(toile_world *world, toile_cloth_id id) {
    toile_cloth_info info = toile_cloth_get_info(world, id);
    float *x = texel_positions(world, id);
    for (size_t k = 0; k < 3 * info.texels; k++) {
        x[k] += 0.1f * info.spacing * random_float();
    }
    assert_ok(toile_cloth_set_texel_positions(world, id, x, info.texels));
    free(x);
}

static void check_plain(int columns, int rows, toile_level_def how) {
    toile_world_def def = multilevel_def(1, &how);
    def.solver.substeps = 3;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.size[0] = sheet.spacing * (float)(columns - 1);
    sheet.size[1] = sheet.spacing * (float)(rows - 1);
    sheet.fabric.bend = 0.0f;
    sheet.transform.rotate[0] = 20.0f;
    toile_cloth_id id = add_cloth(world, &sheet);
    pin_corner(world, id, TOILE_CORNER_TOP_LEFT);
    crumple(world, id);
    insides in = look_inside(world, id);
    plain p = plain_create(&in);
    for (int s = 0; s < 4; s++) {
        run_steps(world, 1, 1.0f / 240.0f);
        for (int k = 0; k < world->plan.substeps; k++) {
            plain_substep(&p, how.relaxation, how.iterations);
        }
    }
    float *x = texel_positions(world, id);
    for (int t = 0; t < columns * rows; t++) {
        if (x[3 * t] != p.x[t].x || x[3 * t + 1] != p.x[t].y || x[3 * t + 2] != p.x[t].z) {
            fail_msg("%d x %d: texel (%d, %d) is at (%.9g, %.9g, %.9g) instead of (%.9g, %.9g, "
                     "%.9g)",
                     columns, rows, t % columns, t / columns, (double)x[3 * t],
                     (double)x[3 * t + 1], (double)x[3 * t + 2], (double)p.x[t].x, (double)p.x[t].y,
                     (double)p.x[t].z);
        }
    }
    free(x);
    plain_free(&p);
    toile_world_destroy(world);
}

static const int SIZES[][2] = {{2, 2}, {3, 2},   {2, 5},   {9, 8},
                               {8, 9}, {16, 23}, {31, 17}, {40, 40}};

static void test_one_level_is_the_plain_solver(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        check_plain(SIZES[k][0], SIZES[k][1], (toile_level_def){TOILE_RELAXATION_GAUSS_SEIDEL, 3});
        check_plain(SIZES[k][0], SIZES[k][1], (toile_level_def){TOILE_RELAXATION_JACOBI, 3});
        check_plain(SIZES[k][0], SIZES[k][1], (toile_level_def){TOILE_RELAXATION_JACOBI, 2});
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets_are_independent),
        cmocka_unit_test(test_every_edge_is_visited_once),
        cmocka_unit_test(test_one_level_is_the_plain_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
