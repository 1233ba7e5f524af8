/* Refinement of a coarse cloth: Wang 2005 chapter 6, on the device that is tested. */
#include "refines.h"

static const float THICKNESS = 0.002f;

static test_mesh fine_ball(float radius) {
    return test_ball(radius, 96, 48, NULL);
}

/* ---- cases of section 6.5 -----------------------------------------------------------------------
 */

/* A ball of radius 1 and two or four parents beside it, in front (1) or behind (-1). A slab may
 * hide all of it. */
static cloth_case *ball_case(int parents, const int sides[4], bool slab) {
    cloth_case *c = case_make(2, 2);
    const float far = parents == 2 ? 0.8f : 0.6f;
    case_add(c, fine_ball(1.0f));
    if (slab) {
        case_add(c, mesh_at(mesh_scaled(test_cube(1.0f), 3.0f, 3.0f, 0.1f), 0.0f, 0.0f, 2.0f));
    }
    c->def.options.filter_objects = false;
    for (int k = 0; k < 4; k++) {
        const float x = k % 2 ? far : -far, y = parents == 4 ? (k / 2 ? far : -far) : 0.0f;
        const float beside = parents == 2 && k >= 2 ? 3.0f : 0.0f;
        case_set(c, k % 2, k / 2, x, y + beside, 0.7f * (float)sides[k]);
    }
    case_run(c, tested_driver());
    return c;
}

static void check_ball(int parents, const int sides[4], int wanted, int side) {
    for (int slab = 0; slab < 2; slab++) {
        cloth_case *c = ball_case(parents, sides, slab);
        const int column = 1, row = parents == 4 ? 1 : 0;
        const int mark = case_mark(c, column, row);
        const v3 p = case_at(c, column, row);
        assert_int_equal(mark & REFINE_LAYERS, slab ? 3 : 1);
        assert_int_equal(case_of(c, column, row), wanted);
        assert_true(mark & REFINE_INSIDE);
        assert_true(mark & REFINE_CORRECTED);
        assert_float_equal(p.x, 0.0f, 1e-3);
        assert_float_equal(p.z, (float)side * (1.0f + THICKNESS), 2e-3);
        case_free(c);
    }
}

static void two_parents_in_front_are_case_a1(void **state) {
    (void)state;
    check_ball(2, (int[4]){1, 1, 1, 1}, REFINE_A1, 1);
}

static void two_parents_behind_are_case_a2(void **state) {
    (void)state;
    check_ball(2, (int[4]){-1, -1, -1, -1}, REFINE_A2, -1);
}

static void one_parent_on_each_side_is_case_a3_and_goes_to_the_front(void **state) {
    (void)state;
    check_ball(2, (int[4]){1, -1, 1, -1}, REFINE_A3, 1);
    check_ball(2, (int[4]){-1, 1, -1, 1}, REFINE_A3, 1);
}

static void four_parents_in_front_are_case_b1(void **state) {
    (void)state;
    check_ball(4, (int[4]){1, 1, 1, 1}, REFINE_B1, 1);
}

static void four_parents_behind_are_case_b2(void **state) {
    (void)state;
    check_ball(4, (int[4]){-1, -1, -1, -1}, REFINE_B2, -1);
}

static void three_parents_in_front_are_case_b3(void **state) {
    (void)state;
    check_ball(4, (int[4]){1, 1, -1, 1}, REFINE_B3, 1);
    check_ball(4, (int[4]){1, -1, 1, 1}, REFINE_B3, 1);
}

static void three_parents_behind_are_case_b4(void **state) {
    (void)state;
    check_ball(4, (int[4]){-1, -1, 1, -1}, REFINE_B4, -1);
}

static void two_parents_on_each_side_are_case_b5_and_go_to_the_front(void **state) {
    (void)state;
    check_ball(4, (int[4]){1, 1, -1, -1}, REFINE_B5, 1);
    check_ball(4, (int[4]){1, -1, -1, 1}, REFINE_B5, 1);
}

/* Section 6.5: both parents have no layer in front, the new vertex two: legal. */
static void a_vertex_behind_a_small_body_is_left_alone(void **state) {
    (void)state;
    cloth_case *c = case_make(2, 2);
    case_add(c, mesh_at(fine_ball(0.2f), 0.0f, -0.5f, 0.5f));
    c->def.options.filter_objects = false;
    case_flat(c, 1.0f, 1.0f, 0.0f);
    case_run(c, tested_driver());
    assert_int_equal(case_mark(c, 0, 0) & REFINE_LAYERS, 0);
    assert_int_equal(case_mark(c, 1, 0), 2);
    assert_float_equal(case_at(c, 1, 0).z, 0.0f, 0.0);
    case_free(c);
}

/* ---- subdivision --------------------------------------------------------------------------------
 */

static float wave(float x, float y) {
    return 0.1f * sinf(3.0f * x + 1.0f) * cosf(2.0f * y);
}

static void case_wave(cloth_case *c, float z) {
    for (int i = 0; i < c->def.columns * c->def.rows; i++) {
        float *p = c->coarse + 3 * i;
        p[2] = z + wave(p[0], p[1]);
    }
}

/* What n levels make, by the definition: bilinear in cells, level by level. */
static void check_bilinear(const cloth_case *c) {
    const int levels = c->def.options.levels, step = 1 << levels;
    for (int row = 0; row < c->rows; row++) {
        for (int column = 0; column < c->columns; column++) {
            int i = column / step, j = row / step;
            i -= i == c->def.columns - 1;
            j -= j == c->def.rows - 1;
            const float u = (float)(column - i * step) / (float)step;
            const float v = (float)(row - j * step) / (float)step;
            const v3 *at = (const v3 *)c->coarse + (size_t)j * (size_t)c->def.columns + i;
            const v3 wanted =
                refine_interpolate(at[0], at[1], at[c->def.columns], at[c->def.columns + 1], u, v);
            const v3 got = case_at(c, column, row);
            assert_true(v3_largest(v3_sub(got, wanted)) < 1e-6f);
        }
    }
}

static void subdivision_is_bilinear_at_all_sizes(void **state) {
    (void)state;
    static const int sizes[][3] = {{2, 2, 1}, {3, 3, 1}, {5, 3, 1},
                                   {3, 5, 2}, {2, 7, 5}, {5, 5, 5}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cloth_case *c = case_make(sizes[i][0], sizes[i][1]);
        c->def.options.levels = sizes[i][2];
        c->def.options.layers = 0;
        case_flat(c, 1.0f, 0.7f, 0.0f);
        case_wave(c, 0.0f);
        case_run(c, tested_driver());
        check_bilinear(c);
        assert_int_equal(c->result.counts[1].inside, 0);
        case_free(c);
    }
}

/* ---- corrections --------------------------------------------------------------------------------
 */

/* A cloth through the upper part of a ball. */
static cloth_case *ball_cloth(int size, int levels, refine_correction correction) {
    cloth_case *c = case_make(size, size);
    c->def.options.levels = levels;
    c->def.options.directions = 3;
    c->def.options.correction = correction;
    case_flat(c, 1.2f, 1.2f, 0.25f);
    case_wave(c, 0.25f);
    return c;
}

/* How deep the deepest vertex is in a body, by another search. */
static double deepest(const cloth_case *c) {
    double most = 0.0;
    for (size_t b = 0; b < c->def.object_count; b++) {
        solid s;
        const toile_mesh_def def = {c->end[b], c->bodies[b].vertices, c->bodies[b].triangles,
                                    c->bodies[b].triangle_count};
        assert_int_equal(solid_create(&s, &def), TOILE_OK);
        for (int row = 0; row < c->rows; row++) {
            for (int column = 0; column < c->columns; column++) {
                const v4 hit = solid_distance(&s, case_at(c, column, row), 10.0f);
                most = fmax(most, -(double)hit.w);
            }
        }
        solid_free(&s);
    }
    return most;
}

static int sum_inside(const cloth_case *c) {
    int sum = 0;
    for (int level = 1; level <= c->def.options.levels; level++) {
        sum += c->result.counts[level].inside;
    }
    return sum;
}

static void object_and_history_leave_nothing_in_a_ball_or_box(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        cloth_case *c = ball_cloth(5, 4, k < 2 ? REFINE_OBJECT : REFINE_HISTORY);
        c->def.options.any = true;
        case_add(c, k % 2 ? mesh_scaled(test_cube(0.4f), 1.0f, 0.8f, 0.9f) : fine_ball(0.5f));
        case_run(c, tested_driver());
        assert_true(sum_inside(c) > 100);
        assert_true(deepest(c) < 1e-5);
        case_free(c);
    }
}

static void left_vertices_are_judged_and_stay(void **state) {
    (void)state;
    cloth_case *c = ball_cloth(5, 3, REFINE_LEAVE);
    case_add(c, fine_ball(0.5f));
    case_run(c, tested_driver());
    check_bilinear(c);
    assert_true(sum_inside(c) > 100);
    assert_int_equal(c->result.counts[3].corrected, 0);
    case_free(c);
}

static void held_vertices_stay(void **state) {
    (void)state;
    cloth_case *c = ball_cloth(5, 2, REFINE_OBJECT);
    uint8_t held[25];
    memset(held, 1, sizeof held);
    c->def.held = held;
    c->def.options.move_parents = true;
    case_add(c, fine_ball(0.5f));
    case_run(c, tested_driver());
    for (int i = 0; i < 25; i++) {
        const v3 p = case_at(c, 4 * (i % 5), 4 * (i / 5));
        assert_memory_equal(&p, c->coarse + 3 * i, sizeof p);
        assert_true(case_mark(c, 4 * (i % 5), 4 * (i / 5)) & REFINE_HELD);
    }
    case_free(c);
}

/* Figure 6.8: a slab went through the cloth, so far that its other side is the nearer one. */
static void history_knows_the_side(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        cloth_case *c = case_make(3, 3);
        const refine_driver *driver = tested_driver();
        c->def.options.directions = 3;
        c->def.options.correction = k ? REFINE_HISTORY : REFINE_OBJECT;
        case_flat(c, 1.0f, 1.0f, 0.0f);
        /* Small enough to lie between the coarse vertices. */
        case_add(c, mesh_at(mesh_scaled(test_cube(1.0f), 0.2f, 0.2f, 0.1f), 0.25f, 0.25f, -0.2f));
        refiner *r = case_open(c, driver);
        case_step(c, driver, r);
        test_mesh moved = test_mesh_make(c->bodies[0].vertices, 1);
        memcpy(moved.positions, c->bodies[0].positions, 3 * moved.vertices * sizeof(float));
        moved = mesh_at(moved, 0.0f, 0.0f, 0.25f); /* from -0.3 ... -0.1 to -0.05 ... 0.15 */
        c->end[0] = moved.positions;
        case_step(c, driver, r);
        case_read(c, driver, r);
        const v3 p = case_at(c, 3, 3);
        assert_true(case_mark(c, 3, 3) & REFINE_CORRECTED);
        assert_float_equal(p.z, k ? 0.15f + THICKNESS : -0.05f - THICKNESS, 1e-4);
        driver->close(r);
        test_mesh_free(&moved);
        case_free(c);
    }
}

/* ---- options ------------------------------------------------------------------------------------
 */

static void object_filter_leaves_out_what_cannot_touch(void **state) {
    (void)state;
    cloth_case *a = ball_cloth(5, 3, REFINE_OBJECT), *b = ball_cloth(5, 3, REFINE_OBJECT);
    cloth_case *both[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        case_add(both[k], fine_ball(0.5f));
        case_add(both[k], mesh_at(fine_ball(0.3f), 0.0f, 0.0f, 3.0f));
        both[k]->def.options.filter_objects = k;
        case_run(both[k], tested_driver());
    }
    assert_int_equal(a->result.objects, 2);
    assert_int_equal(b->result.objects, 1);
    assert_true(a->result.layers >= b->result.layers);
    assert_true(sum_inside(a) == sum_inside(b));
    assert_true(deepest(b) < 1e-5);
    case_free(a);
    case_free(b);
}

static void one_pass_gives_the_same_bits(void **state) {
    (void)state;
    for (int correction = REFINE_LEAVE; correction <= REFINE_HISTORY; correction++) {
        cloth_case *c[2];
        for (int k = 0; k < 2; k++) {
            c[k] = ball_cloth(5, 3, (refine_correction)correction);
            c[k]->def.options.one_pass = k;
            case_add(c[k], fine_ball(0.5f));
            case_run(c[k], tested_driver());
        }
        const size_t count = (size_t)c[0]->columns * (size_t)c[0]->rows;
        assert_memory_equal(c[0]->positions, c[1]->positions, 3 * count * sizeof(float));
        assert_memory_equal(c[0]->marks, c[1]->marks, count * sizeof(int32_t));
        case_free(c[0]);
        case_free(c[1]);
    }
}

/* Sum of squared strains of stretched edges. */
static double stretching(const cloth_case *c) {
    const double rest = (double)c->def.spacing[0] / (1 << c->def.options.levels);
    double sum = 0.0;
    for (int row = 0; row < c->rows; row++) {
        for (int column = 0; column + 1 < c->columns; column++) {
            const v3 way = v3_sub(case_at(c, column + 1, row), case_at(c, column, row));
            const double strain = sqrt((double)v3_dot(way, way)) / rest - 1.0;
            sum += strain > 0.0 ? strain * strain : 0.0;
        }
    }
    return sum;
}

/* Figure 6.9: a cloth over a sharp box between its coarse vertices. */
static cloth_case *table_cloth(void) {
    cloth_case *c = case_make(5, 5);
    c->def.options.levels = 3;
    c->def.options.directions = 3;
    c->def.options.correction = REFINE_OBJECT;
    c->def.options.any = true;
    case_flat(c, 1.0f, 1.0f, 0.0f);
    case_add(c, mesh_at(mesh_scaled(test_cube(1.0f), 0.1f, 0.1f, 0.5f), 0.125f, 0.125f, -0.45f));
    return c;
}

static void parents_follow_their_children(void **state) {
    (void)state;
    cloth_case *c[2];
    for (int k = 0; k < 2; k++) {
        c[k] = table_cloth();
        c[k]->def.options.move_parents = k;
        case_run(c[k], tested_driver());
    }
    assert_int_equal(c[0]->result.counts[0].moved, 0);
    assert_true(c[1]->result.counts[0].moved > 0);
    assert_true(stretching(c[1]) < stretching(c[0]));
    assert_true(deepest(c[1]) < 1e-5);
    case_free(c[0]);
    case_free(c[1]);
}

static void forces_make_new_vertices_sag_within_their_springs(void **state) {
    (void)state;
    const refine_driver *driver = tested_driver();
    for (int k = 0; k < 2; k++) {
        cloth_case *c = case_make(3, 3);
        c->def.options.levels = 2;
        c->def.options.layers = 0;
        c->def.options.forces = k;
        c->step.gravity = v3_make(0.0f, 0.0f, -9.81f);
        case_flat(c, 1.0f, 1.0f, 0.0f);
        c->def.spacing[0] = c->def.spacing[1] = 0.52f; /* 4 % slack */
        refiner *r = case_open(c, driver);
        for (int step = 0; step < 60; step++) {
            case_step(c, driver, r);
        }
        case_read(c, driver, r);
        const float sag = -case_at(c, 2, 1).z;
        if (k) {
            assert_true(sag > 0.01f && sag < 0.2f);
        } else {
            assert_true(sag == 0.0f);
        }
        driver->close(r);
        case_free(c);
    }
}

/* A refiner that is told where the cloth was goes on as the one that knew. */
static void a_saved_history_goes_on(void **state) {
    (void)state;
    const refine_driver *driver = tested_driver();
    float *kept[4] = {NULL};
    refiner *r = NULL;
    cloth_case *c = ball_cloth(5, 2, REFINE_HISTORY);
    c->def.options.forces = true;
    case_add(c, fine_ball(0.5f));
    for (int step = 0; step < 4; step++) {
        if (step == 0 || step == 3) {
            driver->close(r);
            r = case_open(c, driver);
        }
        if (step == 3) {
            assert_int_equal(driver->set_history(r, kept[1], kept[0]), TOILE_OK);
        }
        case_step(c, driver, r);
        case_read(c, driver, r);
        const size_t bytes = 3 * (size_t)c->columns * (size_t)c->rows * sizeof(float);
        kept[step] = malloc(bytes);
        assert_non_null(kept[step]);
        memcpy(kept[step], c->positions, bytes);
        if (step == 3) {
            assert_memory_equal(kept[3], kept[2], bytes);
            assert_memory_not_equal(kept[3], kept[1], bytes);
        }
    }
    for (int i = 0; i < 4; i++) {
        free(kept[i]);
    }
    driver->close(r);
    case_free(c);
}

/* A sheet folded over itself: rows 0 to 4 below, 6 to 10 above, and a bump of the lower part that
 * the straight edges above would go through. */
static cloth_case *folded_cloth(bool keep) {
    cloth_case *c = case_make(5, 12);
    c->def.options.levels = 1;
    c->def.options.directions = 1;
    c->def.options.cloth = keep;
    c->def.options.resolution = 256;
    c->def.spacing[0] = c->def.spacing[1] = 0.25f;
    for (int row = 0; row < 12; row++) {
        for (int column = 0; column < 5; column++) {
            const bool above = row > 5;
            const float y = 0.25f * (float)(above ? 11 - row : row) + (above ? 0.125f : 0.0f);
            const float bump = !above && row == 2 && column == 2 ? 0.05f : 0.0f;
            case_set(c, column, row, 0.25f * (float)column + (above ? 0.125f : 0.0f), y,
                     (above ? 0.03f : 0.0f) + bump);
        }
    }
    return c;
}

static void cloth_keeps_its_order(void **state) {
    (void)state;
    cloth_case *c[2];
    for (int k = 0; k < 2; k++) {
        c[k] = folded_cloth(k);
        case_add(c[k], mesh_at(test_cube(0.1f), 5.0f, 0.0f, 0.0f)); /* nothing to touch */
        case_run(c[k], tested_driver());
    }
    assert_int_equal(c[0]->result.counts[1].reordered, 0);
    assert_true(c[1]->result.counts[1].reordered > 0);
    /* The vertex of the upper part that is nearest to the bump. */
    int found = 0;
    for (int row = 12; row < c[1]->rows; row++) {
        for (int column = 0; column < c[1]->columns; column++) {
            if (case_mark(c[1], column, row) & REFINE_REORDERED) {
                assert_true(case_at(c[1], column, row).z > case_at(c[0], column, row).z);
                found++;
            }
        }
    }
    assert_true(found > 0);
    case_free(c[0]);
    case_free(c[1]);
}

static refine_camera front_camera(void) {
    return (refine_camera){.eye = {0.0f, 0.0f, 3.0f},
                           .forward = {0.0f, 0.0f, -1.0f},
                           .up = {0.0f, 1.0f, 0.0f},
                           .tangents = {0.4f, 0.4f},
                           .begin = 0.5f,
                           .end = 10.0f};
}

/* W11: two balls in a row, the cloth through both: what is behind the first body stays. */
static void only_visible_vertices_are_corrected(void **state) {
    (void)state;
    const refine_camera camera = front_camera();
    int corrected[2];
    for (int k = 0; k < 2; k++) {
        cloth_case *c = case_make(5, 5);
        c->def.options.levels = 3;
        c->def.options.directions = 0;
        c->def.options.visible_only = k;
        c->def.options.resolution = 256;
        c->step.camera = &camera;
        case_flat(c, 1.2f, 1.2f, 0.0f);
        case_add(c, fine_ball(0.5f));
        case_add(c, mesh_at(mesh_scaled(test_cube(1.0f), 1.0f, 1.0f, 0.1f), -1.0f, 0.0f, 1.0f));
        c->def.options.filter_objects = false;
        case_run(c, tested_driver());
        corrected[k] = c->result.counts[3].corrected;
        assert_int_equal(c->result.layers, k ? 2 : 4);
        for (int i = 0; i < c->columns * c->rows; i++) {
            assert_true(!k || !(c->marks[i] & REFINE_CORRECTED) ||
                        (c->marks[i] & REFINE_LAYERS) == 1);
        }
        case_free(c);
    }
    assert_true(corrected[1] > 100 && corrected[1] < corrected[0] * 3 / 4);
}

/* Figure 7.4 (b): without peeling all that is behind a body is taken for inside. */
static void without_peeling_the_far_side_is_wrong(void **state) {
    (void)state;
    int inside[2];
    for (int k = 0; k < 2; k++) {
        cloth_case *c = case_make(5, 5);
        c->def.options.levels = 2;
        c->def.options.layers = k ? 8 : 1;
        case_flat(c, 1.2f, 1.2f, -0.7f);
        case_add(c, fine_ball(0.5f));
        c->def.options.filter_objects = false;
        case_run(c, tested_driver());
        inside[k] = sum_inside(c);
        case_free(c);
    }
    assert_true(inside[0] > 50);
    assert_int_equal(inside[1], 0);
}

/* A cloth just beside a ball: few pixels of the outline say inside in one view, none in most. */
static void most_views_must_agree(void **state) {
    (void)state;
    int wrong[2];
    for (int k = 0; k < 2; k++) {
        cloth_case *c = case_make(9, 9);
        c->def.options.levels = 3;
        c->def.options.correction = REFINE_LEAVE;
        c->def.options.directions = 3;
        c->def.options.resolution = 16;
        c->def.options.any = k;
        case_add(c, fine_ball(0.5f));
        /* A bowl around the ball. */
        for (int row = 0; row < 9; row++) {
            for (int column = 0; column < 9; column++) {
                const float u = 0.8f * ((float)column / 4.0f - 1.0f);
                const float v = 0.8f * ((float)row / 4.0f - 1.0f);
                case_set(c, column, row, 0.51f * sinf(u) * cosf(v), 0.51f * sinf(v),
                         0.51f * cosf(u) * cosf(v));
            }
        }
        case_run(c, tested_driver());
        wrong[k] = sum_inside(c);
        case_free(c);
    }
    assert_true(wrong[1] > 0);
    assert_true(wrong[0] < wrong[1] / 2);
}

static bool is_in_box(const float *p, float x, float y, float z, float half) {
    return fabsf(p[0] - x) < half && fabsf(p[1] - y) < half && fabsf(p[2] - z) < half;
}

/* Where a body overlaps itself parity says outside, winding does not. */
static void winding_sees_overlaps_that_parity_misses(void **state) {
    (void)state;
    int inside[3];
    for (int k = 0; k < 3; k++) {
        cloth_case *c = case_make(5, 5);
        c->def.options.levels = 3;
        c->def.options.directions = 3;
        c->def.options.rule = k ? REFINE_WINDING : REFINE_PARITY;
        c->def.options.correction = k == 2 ? REFINE_OBJECT : REFINE_LEAVE;
        c->def.options.any = true;
        case_flat(c, 1.2f, 1.2f, 0.05f);
        case_add(c, mesh_joined(mesh_at(test_cube(0.3f), -0.1f, 0.03f, 0.0f),
                                mesh_at(test_cube(0.3f), 0.17f, 0.0f, 0.02f)));
        case_run(c, tested_driver());
        inside[k] = sum_inside(c);
        for (int i = 0; i < c->columns * c->rows && k == 2; i++) {
            const float *p = c->positions + 3 * i;
            assert_true(!is_in_box(p, -0.1f, 0.03f, 0.0f, 0.299f) &&
                        !is_in_box(p, 0.17f, 0.0f, 0.02f, 0.299f));
        }
        case_free(c);
    }
    assert_true(inside[0] < inside[1] * 3 / 4);
}

/* Where thick parts overlap a little, as an arm and a side do, the nearest surfaces lead from one
 * into the other. Parts of one body, and two bodies. */
static void thick_parts_that_overlap_a_little_are_left(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        cloth_case *c = case_make(5, 5);
        c->def.options.levels = 3;
        c->def.options.directions = 3;
        c->def.options.rule = REFINE_WINDING;
        c->def.options.correction = REFINE_OBJECT;
        c->def.options.any = true;
        case_flat(c, 1.2f, 1.2f, 0.05f);
        test_mesh left = mesh_at(test_cube(0.3f), -0.29f, 0.03f, 0.0f);
        test_mesh right = mesh_at(test_cube(0.3f), 0.29f, 0.0f, 0.02f);
        if (k == 0) {
            case_add(c, mesh_joined(left, right));
        } else {
            case_add(c, left);
            case_add(c, right);
        }
        case_run(c, tested_driver());
        assert_true(sum_inside(c) > 100);
        for (int i = 0; i < c->columns * c->rows; i++) {
            const float *p = c->positions + 3 * i;
            assert_true(!is_in_box(p, -0.29f, 0.03f, 0.0f, 0.3f) &&
                        !is_in_box(p, 0.29f, 0.0f, 0.02f, 0.3f));
        }
        case_free(c);
    }
}

static void bad_definitions_are_refused(void **state) {
    (void)state;
    const refine_driver *driver = tested_driver();
    cloth_case *c = case_make(3, 3);
    refiner *r = NULL;
    case_flat(c, 1.0f, 1.0f, 0.0f);
    c->def.options.levels = 6;
    assert_int_equal(driver->open(&r, &c->def), TOILE_ERROR_INVALID);
    assert_non_null(strstr(toile_error_message(), "levels is 6"));
    c->def.options.levels = 1;
    c->def.options.one_pass = c->def.options.move_parents = true;
    assert_int_equal(driver->open(&r, &c->def), TOILE_ERROR_INVALID);
    assert_non_null(strstr(toile_error_message(), "one_pass"));
    c->def.options.one_pass = c->def.options.move_parents = false;
    c->def.options.visible_only = true;
    assert_int_equal(driver->open(&r, &c->def), TOILE_ERROR_INVALID);
    assert_non_null(strstr(toile_error_message(), "visible_only"));
    c->def.options.visible_only = false;
    r = case_open(c, driver);
    c->coarse[4] = NAN;
    assert_int_equal(driver->step(r, &c->step), TOILE_ERROR_NUMERICAL);
    assert_non_null(strstr(toile_error_message(), "vertex 1"));
    driver->close(r);
    case_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_parents_in_front_are_case_a1),
        cmocka_unit_test(two_parents_behind_are_case_a2),
        cmocka_unit_test(one_parent_on_each_side_is_case_a3_and_goes_to_the_front),
        cmocka_unit_test(four_parents_in_front_are_case_b1),
        cmocka_unit_test(four_parents_behind_are_case_b2),
        cmocka_unit_test(three_parents_in_front_are_case_b3),
        cmocka_unit_test(three_parents_behind_are_case_b4),
        cmocka_unit_test(two_parents_on_each_side_are_case_b5_and_go_to_the_front),
        cmocka_unit_test(a_vertex_behind_a_small_body_is_left_alone),
        cmocka_unit_test(subdivision_is_bilinear_at_all_sizes),
        cmocka_unit_test(object_and_history_leave_nothing_in_a_ball_or_box),
        cmocka_unit_test(left_vertices_are_judged_and_stay),
        cmocka_unit_test(held_vertices_stay),
        cmocka_unit_test(history_knows_the_side),
        cmocka_unit_test(object_filter_leaves_out_what_cannot_touch),
        cmocka_unit_test(one_pass_gives_the_same_bits),
        cmocka_unit_test(parents_follow_their_children),
        cmocka_unit_test(forces_make_new_vertices_sag_within_their_springs),
        cmocka_unit_test(a_saved_history_goes_on),
        cmocka_unit_test(cloth_keeps_its_order),
        cmocka_unit_test(only_visible_vertices_are_corrected),
        cmocka_unit_test(without_peeling_the_far_side_is_wrong),
        cmocka_unit_test(most_views_must_agree),
        cmocka_unit_test(winding_sees_overlaps_that_parity_misses),
        cmocka_unit_test(thick_parts_that_overlap_a_little_are_left),
        cmocka_unit_test(bad_definitions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
