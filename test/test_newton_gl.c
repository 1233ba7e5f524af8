/* Newton's method on the gl device against the CPU: the same scenes, step by step and at rest. */
#include "gl/watch.h"
#include "gl_scenes.h"

static toile_world_def newton_def(int order) {
    toile_world_def def = test_world_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.order = order;
    return def;
}

/* ---- hanging ------------------------------------------------------------------------------------
 */

static int hanging_texels;

static toile_world *make_hanging(const toile_world_def *def) {
    toile_world *world = make_world(def);
    add_swinging(world, hanging_texels, 0.0f);
    return world;
}

/* Ten frames within 0.1 mm, with as many iterations of conjugate gradients, but for those that
 * round to the other side of what is little. */
static void assert_frames_alike(make_scene *make, bool self, const char *what) {
    toile_world_def def = newton_def(1);
    def.solver.self_collision = self;
    device_pair p = make_pair(make, def);
    double most = 0.0;
    int cpu = 0, gl = 0;
    for (int frame = 0; frame < 10; frame++) {
        run_pair(p, 1);
        most = fmax(most, apart(p.cpu, p.gl));
        cpu += toile_world_get_solver_info(p.cpu).gradients;
        gl += toile_world_get_solver_info(p.gl).gradients;
    }
    printf("%s: %.2g m; gradients %d and %d\n", what, most, cpu, gl);
    assert_below(most, 1e-4);
    assert_true(cpu > 0);
    assert_near(gl, cpu, 0.02 * cpu);
    destroy_pair(p);
}

static void test_hanging(void **state) {
    (void)state;
    hanging_texels = 33;
    assert_frames_alike(make_hanging, false, "hanging, 33 texels");
    hanging_texels = 65;
    assert_frames_alike(make_hanging, false, "hanging, 65 texels");
}

static int odd_columns, odd_rows;

static toile_world *make_odd(const toile_world_def *def) {
    toile_world *world = make_world(def);
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.spacing = 0.02f;
    sheet.size[0] = 0.02f * (float)(odd_columns - 1);
    sheet.size[1] = 0.02f * (float)(odd_rows - 1);
    sheet.transform.rotate[0] = -90.0f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
    return world;
}

/* Grids that are tiny, odd, even, or narrower than a tile, and no multiple of one. */
static void test_sizes(void **state) {
    (void)state;
    static const int sizes[][2] = {{2, 2}, {3, 2},  {2, 9},  {5, 5},
                                   {6, 7}, {33, 4}, {3, 70}, {66, 10}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        odd_columns = sizes[i][0];
        odd_rows = sizes[i][1];
        device_pair p = make_pair(make_odd, newton_def(1));
        run_pair(p, 5);
        double most = apart(p.cpu, p.gl);
        printf("%d x %d texels: %.2g m\n", odd_columns, odd_rows, most);
        assert_below(most, 1e-5);
        destroy_pair(p);
    }
}

/* ---- steps --------------------------------------------------------------------------------------
 */

/* A contact that opens in an iteration on one device, and in the next on the other, makes a tenth
 * of a millimetre. */
static void assert_near_step(make_scene *make, const toile_world_def *def, const char *what) {
    assert_step_within(make, def, what, 1e-4);
}

static void test_steps(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        toile_world_def def = newton_def(order);
        assert_near_step(make_flag, &def, "newton, in wind");
        assert_near_step(make_drop, &def, "newton, on shapes");
    }
}

static void test_mesh_steps(void **state) {
    (void)state;
    toile_world_def def = newton_def(1);
    assert_near_step(make_meshes, &def, "newton, on meshes");
    def.collision = TOILE_COLLISION_COARSE;
    assert_near_step(make_meshes, &def, "newton, meshes and coarse only");
    def.collision = TOILE_COLLISION_MAPS;
    assert_near_step(make_meshes, &def, "newton, meshes by their images");
}

/* A sheet and a strip that falls on it and on itself. */
static void test_self_steps(void **state) {
    (void)state;
    toile_world_def def = newton_def(1);
    def.solver.self_collision = true;
    assert_near_step(make_heap, &def, "newton, self-collision");
}

static void test_tolerance(void **state) {
    (void)state;
    toile_world_def def = newton_def(1);
    def.solver.tolerance = 1e-6f;
    assert_near_step(make_ball, &def, "newton, with a tolerance");
}

/* A step that fails leaves nothing behind: what is not finite would stay in planes. */
static uint64_t hash_after_failure(bool fails) {
    toile_world_def def = newton_def(1);
    toile_world *world = make_world(&def);
    toile_cloth_id cloth = add_swinging(world, 20, 0.0f);
    run_steps(world, 3, 1.0f / 60.0f);
    if (fails) {
        const size_t count = toile_cloth_get_info(world, cloth).texels;
        float *here = texel_positions(world, cloth), *far = texel_positions(world, cloth);
        for (size_t k = 0; k < 3 * count; k++) {
            far[k] = k % 2 ? 3e38f : -3e38f;
        }
        assert_ok(toile_cloth_set_texel_positions(world, cloth, far, count));
        assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_NUMERICAL);
        assert_message("left all bounds");
        assert_ok(toile_cloth_set_texel_positions(world, cloth, here, count));
        free(here);
        free(far);
    }
    run_steps(world, 3, 1.0f / 60.0f);
    uint64_t hash = toile_world_hash(world);
    toile_world_destroy(world);
    return hash;
}

static void test_failure(void **state) {
    (void)state;
    assert_same_hash(hash_after_failure(true), hash_after_failure(false), "after a failure");
}

static void test_same_bits(void **state) {
    (void)state;
    assert_same_hash(hash_after(make_drop, newton_def(1), 10),
                     hash_after(make_drop, newton_def(1), 10), "newton again");
}

/* A driver without OpenGL 4.4 cannot tell the host when iterations end: as many are queued as the
 * last steps needed, and a step that needs more is made again. */
static void test_untold(void **state) {
    (void)state;
    const uint64_t told = hash_after(make_drop, newton_def(1), 10);
    watch_allow(false);
    const uint64_t untold = hash_after(make_drop, newton_def(1), 10);
    watch_allow(true);
    assert_same_hash(told, untold, "without OpenGL 4.4");
}

/* ---- several cloths -----------------------------------------------------------------------------
 */

/* Cloths are solved as one system, and each has its own numbers of conjugate gradients, unless it
 * meets another one. */
static void test_cloths_do_not_depend_on_each_other(void **state) {
    (void)state;
    toile_world_def def = newton_def(1);
    def.solver.self_collision = true;
    assert_independent(&def, 10);
}

static void test_no_cloth(void **state) {
    (void)state;
    const toile_world_def def = newton_def(1);
    toile_world *world = make_world(&def);
    run_steps(world, 2, 1.0f / 60.0f);
    toile_world_destroy(world);
}

/* ---- couplings ----------------------------------------------------------------------------------
 */

static float let_go;        /* s, when ties do */
static float upper_spacing; /* m */

static toile_cloth_id add_strip(toile_world *world, float spacing, float height, float y) {
    toile_cloth_def def = toile_default_cloth_def();
    def.size[0] = 0.3f;
    def.size[1] = height;
    def.spacing = spacing;
    def.transform.translate[1] = y;
    return add_cloth(world, &def);
}

/* The lower edge of one to the upper edge of another. */
static void tie_strips(toile_world *world, toile_cloth_id upper, toile_cloth_id lower,
                       float height) {
    const float below[4] = {0.0f, 0.0f, 0.3f, 0.0f}, above[4] = {0.0f, height, 0.3f, height};
    toile_tie_def tie = toile_default_tie_def();
    tie.runs[0] = (toile_tie_run){upper, below, 2};
    tie.runs[1] = (toile_tie_run){lower, above, 2};
    tie.until = let_go;
    if (toile_world_add_tie(world, &tie).slot == 0) {
        fail_msg("add_tie: %s", toile_error_message());
    }
}

/* Two strips, one below the other, which swing from a corner. */
static toile_world *make_tied(const toile_world_def *def) {
    toile_world *world = make_world(def);
    toile_cloth_id upper = add_strip(world, upper_spacing, 0.26f, 0.13f);
    toile_cloth_id lower = add_strip(world, 0.01f, 0.3f, -0.15f);
    tie_strips(world, upper, lower, 0.3f);
    pin_corner(world, upper, TOILE_CORNER_TOP_LEFT);
    return world;
}

/* A sheet on a soft pin, which moves. */
static toile_world *make_softly_pinned(const toile_world_def *def) {
    toile_world *world = make_world(def);
    toile_cloth_def sheet = square_def(33);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    const toile_keyframe keys[2] = {{.time = 0.0f},
                                    {.time = 0.2f, .translate = {0.05f, 0.0f, 0.1f}}};
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_EDGE;
    pin.edge = TOILE_EDGE_TOP;
    pin.stiffness = 40.0f;
    pin.keyframes = keys;
    pin.keyframe_count = 2;
    add_pin(world, cloth, &pin);
    return world;
}

/* A tied pair that nothing holds falls on a ball, beside a sheet that nothing ties. */
static toile_world *make_tied_drop(const toile_world_def *def) {
    toile_world *world = make_world(def);
    add_swinging(world, 20, 3.0f);
    toile_cloth_id upper = add_strip(world, 0.013f, 0.26f, 0.13f);
    toile_cloth_id lower = add_strip(world, 0.01f, 0.3f, -0.15f);
    tie_strips(world, upper, lower, 0.3f);
    add_ball(world, -0.6f, 0.25f);
    return world;
}

/* Seams of a patchwork of four, so that the matrix of the coarsest level is a large one. */
static toile_world *make_patchwork(const toile_world_def *def) {
    static const float spacings[4] = {0.02f, 0.015f, 0.02f, 0.0125f};
    toile_world *world = make_world(def);
    toile_cloth_id strips[4];
    for (int i = 0; i < 4; i++) {
        strips[i] = add_strip(world, spacings[i], 0.3f, 0.45f - 0.3f * (float)i);
        if (i > 0) {
            tie_strips(world, strips[i - 1], strips[i], 0.3f);
        }
    }
    pin_corner(world, strips[0], TOILE_CORNER_TOP_LEFT);
    return world;
}

/* ---- cloth against cloth ------------------------------------------------------------------------
 */

/* Three sheets that fall on each other, and on a floor. */
static toile_world *make_three(const toile_world_def *def) {
    toile_world *world = make_world(def);
    for (int i = 0; i < 3; i++) {
        toile_cloth_def sheet = toile_default_cloth_def();
        sheet.size[0] = sheet.size[1] = 0.2f;
        sheet.spacing = i == 1 ? 0.02f : 0.025f;
        sheet.transform.rotate[0] = -90.0f;
        sheet.transform.rotate[1] = 17.0f * (float)i;
        sheet.transform.translate[1] = 0.01f + 0.03f * (float)i;
        add_cloth(world, &sheet);
    }
    add_floor(world, 0.0f);
    return world;
}

static void test_cloths_on_each_other(void **state) {
    (void)state;
    assert_frames_alike(make_three, true, "sheets on each other");
    toile_world_def def = newton_def(1);
    def.solver.self_collision = true;
    assert_same_hash(hash_after(make_three, def, 8), hash_after(make_three, def, 8),
                     "sheets on each other again");
}

/* Room for springs grows in steps, which are then made again: with the same bits as in a world that
 * has the room, which this one is when it goes back to its start. */
static void test_springs_grow(void **state) {
    (void)state;
    toile_world_def def = newton_def(1);
    def.solver.self_collision = true;
    assert_near_step(make_stack, &def, "six sheets close to each other");
    def.device = test_device();
    toile_world *world = make_stack(&def);
    const size_t size = toile_world_state_size(world);
    void *start = malloc(size);
    assert_ok(toile_world_save_state(world, start, size));
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        assert_ok(toile_world_load_state(world, start, size));
        run_steps(world, 8, 1.0f / 60.0f);
        hash[k] = toile_world_hash(world);
    }
    assert_same_hash(hash[1], hash[0], "room for springs grows");
    free(start);
    toile_world_destroy(world);
}

/* Triangles that cut others, in any frame at most. */
static uint64_t drop_ribbon(const char *device) {
    toile_world_def def = newton_def(1);
    def.device = device;
    def.solver.self_collision = true;
    def.solver.quality = TOILE_QUALITY_GAME;
    toile_world *world = make_world(&def);
    toile_cloth_id cloth = add_ribbon(world, (const float[2]){0.04f, 0.5f}, 0.02f, 0.26f);
    const uint64_t worst = run_to_tangle(world, cloth, 30).worst;
    toile_world_destroy(world);
    return worst;
}

/* By a force that the solve is only told of, 26. */
static void test_folds_keep_apart(void **state) {
    (void)state;
    const uint64_t cpu = drop_ribbon("cpu"), gl = drop_ribbon(test_device());
    printf("a ribbon in a pile: %d triangles cut others at worst, on the CPU %d\n", (int)gl,
           (int)cpu);
    assert_true(gl <= cpu);
}

/* Texels at a tie do not push each other away: a quarter of a millimetre if they did. */
static void test_self_collision_leaves_ties_alone(void **state) {
    (void)state;
    static const float left[4] = {0.3f, 0.0f, 0.3f, 0.3f}, right[4] = {0.0f, 0.0f, 0.0f, 0.3f};
    toile_world_def def = newton_def(1);
    def.solver.self_collision = true;
    toile_world *world = make_world(&def);
    toile_tie_def tie = toile_default_tie_def();
    for (int k = 0; k < 2; k++) {
        toile_cloth_def cloth = toile_default_cloth_def();
        cloth.size[0] = cloth.size[1] = 0.3f;
        cloth.spacing = k ? 0.02f : 0.025f;
        cloth.transform.rotate[0] = -90.0f;
        cloth.transform.translate[0] = k ? 0.15f : -0.15f;
        tie.runs[k] = (toile_tie_run){add_cloth(world, &cloth), k ? right : left, 2};
    }
    const toile_tie_id id = toile_world_add_tie(world, &tie);
    pin_edge(world, tie.runs[0].cloth, TOILE_EDGE_LEFT);
    run_steps(world, 18, 1.0f / 60.0f);
    const double gap = toile_tie_get_info(world, id).mean_gap;
    printf("mean gap of a tie %.1f um\n", 1e6 * gap);
    assert_below(gap, 1e-4);
    toile_world_destroy(world);
}

static void test_coupled_same_bits(void **state) {
    (void)state;
    let_go = INFINITY;
    assert_same_hash(hash_after(make_tied_drop, newton_def(1), 10),
                     hash_after(make_tied_drop, newton_def(1), 10), "couplings again");
}

static void test_couplings(void **state) {
    (void)state;
    let_go = INFINITY;
    upper_spacing = 0.01f; /* texels of one lie on those of the other */
    assert_frames_alike(make_tied, true, "two tied strips, self-collision");
    upper_spacing = 0.013f;
    assert_frames_alike(make_tied, false, "two tied strips");
    assert_frames_alike(make_patchwork, false, "four tied strips");
    assert_frames_alike(make_softly_pinned, false, "a soft pin");
    assert_frames_alike(make_tied_drop, false, "tied strips on a ball");
    let_go = 0.1f;
    assert_frames_alike(make_tied, false, "a tie that lets go");
}

/* ---- contact ------------------------------------------------------------------------------------
 */

/* A sheet falls on a ball and stays there. */
static toile_world *make_drape(const toile_world_def *def) {
    toile_world *world = make_world(def);
    toile_cloth_def sheet = lying_def(25, 0.12f);
    sheet.size[0] = sheet.size[1] = 0.6f;
    sheet.spacing = 0.6f / 24.0f;
    add_cloth(world, &sheet);
    add_ball(world, -0.2f, 0.3f);
    return world;
}

static double mean_distance(device_pair p) {
    toile_cloth_id cloth;
    toile_world_get_cloths(p.cpu, &cloth, 1);
    size_t texels = toile_cloth_get_info(p.cpu, cloth).texels;
    float *a = texel_positions(p.cpu, cloth), *b = texel_positions(p.gl, cloth);
    double sum = 0.0;
    for (size_t t = 0; t < texels; t++) {
        double squares = 0.0;
        for (size_t i = 3 * t; i < 3 * t + 3; i++) {
            squares += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        }
        sum += sqrt(squares);
    }
    free(a);
    free(b);
    return sum / (double)texels;
}

static void test_rest_on_a_ball(void **state) {
    (void)state;
    toile_world_def def = newton_def(1);
    def.solver.damping = 2.0f;
    device_pair p = make_pair(make_drape, def);
    run_pair(p, 150);
    double mean = mean_distance(p);
    toile_cloth_id cloth;
    toile_world_get_cloths(p.gl, &cloth, 1);
    double energy = measure(p.gl, cloth).kinetic_energy;
    printf("on a ball: %.2g m apart, %.2g J\n", mean, energy);
    assert_below(mean, 5e-3);
    assert_below(energy, 1e-4);
    destroy_pair(p);
}

/* As test_implicit_contact has it: held below Coulomb's angle, and sliding above it; and as far as
 * on the CPU. */
static void test_friction(void **state) {
    (void)state;
    const double angle = 35.0 * 3.14159265358979 / 180.0;
    const double wanted = 0.5 * 9.81 * (sin(angle) - 0.5 * cos(angle));
    toile_world_def def = newton_def(1), cpu = def;
    def.solver.damping = cpu.solver.damping = 0.0f;
    cpu.device = "cpu";
    const double held = slide_at(&def, 0.02, 20.0, 0.5), slid = slide_at(&def, 0.02, 35.0, 0.5);
    const double held_cpu = slide_at(&cpu, 0.02, 20.0, 0.5);
    printf("on a slope: %.6f m, on the CPU %.6f m; %.4f m of %.4f m\n", held, held_cpu, slid,
           wanted);
    assert_below(held, 3e-3);
    assert_near(held, held_cpu, 1e-5);
    assert_near(slid, wanted, 0.04 * wanted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hanging),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_mesh_steps),
        cmocka_unit_test(test_self_steps),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_untold),
        cmocka_unit_test(test_cloths_do_not_depend_on_each_other),
        cmocka_unit_test(test_no_cloth),
        cmocka_unit_test(test_couplings),
        cmocka_unit_test(test_coupled_same_bits),
        cmocka_unit_test(test_self_collision_leaves_ties_alone),
        cmocka_unit_test(test_cloths_on_each_other),
        cmocka_unit_test(test_springs_grow),
        cmocka_unit_test(test_folds_keep_apart),
        cmocka_unit_test(test_rest_on_a_ball),
        cmocka_unit_test(test_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
