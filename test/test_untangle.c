/* Cloth that starts within itself, or within other cloth, where bounds keep what starts apart. */
#include "worlds.h"

static const float STEP = 1.0f / 60.0f;

static toile_world *make_bounded(bool bounded, int threads) {
    toile_world_def def = quiet_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.self_collision = true;
    def.solver.bounded = bounded;
    def.threads = threads;
    return make_world(&def);
}

/* ---- starts that are refused --------------------------------------------------------------------
 */

/* A strip along a loop, its ends so far past each other, m; it is 3 cm wide. */
static toile_cloth_id add_loop(toile_world *world, float past) {
    toile_cloth_def strip = toile_default_cloth_def();
    strip.name = "loop";
    strip.size[0] = 0.3f;
    strip.size[1] = 0.03f;
    strip.spacing = 0.01f;
    const toile_cloth_id id = add_cloth(world, &strip);
    const toile_cloth_info info = toile_cloth_get_info(world, id);
    float *x = malloc(3 * info.texels * sizeof *x);
    assert_non_null(x);
    const float radius = 0.3f / 6.2831853f;
    for (size_t i = 0; i < info.texels; i++) {
        const float along = (float)(i % (size_t)info.columns) / (float)(info.columns - 1);
        const float angle = 6.2831853f * along;
        /* Both ends go straight on beside the loop. */
        const float end = along - 0.5f, rest = 0.4f;
        const float more = end > rest ? (end - rest) / (0.5f - rest)
                                      : (end < -rest ? (end + rest) / (0.5f - rest) : 0.0f);
        x[3 * i] = radius * sinf(angle) + past * more;
        x[3 * i + 1] = radius * (1.0f - cosf(angle)) + 0.2f;
        x[3 * i + 2] = 0.01f * (float)(i / (size_t)info.columns);
    }
    assert_ok(toile_cloth_set_texel_positions(world, id, x, info.texels));
    free(x);
    return id;
}

static void test_cloth_within_itself(void **state) {
    (void)state;
    toile_world *world = make_bounded(true, 1);
    add_loop(world, 0.014f);
    assert_int_equal(toile_world_step(world, STEP), TOILE_ERROR_INVALID);
    assert_message("\"loop\" starts within itself: ");
    assert_message(" pairs of its triangles cut each other, such as near (");
    toile_world_destroy(world);
    /* Without bounds it is as it was. */
    world = make_bounded(false, 1);
    add_loop(world, 0.014f);
    assert_ok(toile_world_step(world, STEP));
    toile_world_destroy(world);
    /* Apart it is fine. */
    world = make_bounded(true, 1);
    add_loop(world, -0.004f);
    assert_ok(toile_world_step(world, STEP));
    toile_world_destroy(world);
}

/* Ends that a tie holds to each other may lie in each other. */
static void test_seams_do_not_count(void **state) {
    (void)state;
    for (int tied = 0; tied < 2; tied++) {
        toile_world *world = make_bounded(true, 1);
        const toile_cloth_id loop = add_loop(world, 0.0005f);
        toile_tie_def def = toile_default_tie_def();
        const float left[4] = {0.0f, 0.0f, 0.0f, 0.03f}, right[4] = {0.3f, 0.0f, 0.3f, 0.03f};
        def.runs[0].cloth = def.runs[1].cloth = loop;
        def.runs[0].points = left;
        def.runs[1].points = right;
        def.runs[0].point_count = def.runs[1].point_count = 2;
        if (tied) {
            assert_int_not_equal(toile_world_add_tie(world, &def).slot, 0);
        }
        assert_int_equal(toile_world_step(world, STEP), tied ? TOILE_OK : TOILE_ERROR_INVALID);
        toile_world_destroy(world);
    }
}

/* ---- untangling ---------------------------------------------------------------------------------
 */

static void test_what_does_not_fit(void **state) {
    (void)state;
    toile_world_def def = quiet_def();
    toile_world *world = NULL;
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.start = TOILE_START_UNTANGLE;
    assert_int_equal(toile_world_create(&def, &world), TOILE_ERROR_INVALID);
    assert_message("expected TOILE_START_APART, or TOILE_START_UNTANGLE with solver.bounded");
    def.start = TOILE_START_APART;
    world = make_world(&def);
    toile_cloth_def cloth = toile_default_cloth_def();
    cloth.layer = 1001;
    assert_int_equal(toile_world_add_cloth(world, &cloth).slot, 0);
    assert_message("layer is 1001: expected -1000 to 1000");
    toile_world_destroy(world);
}

static void count_ends(toile_log_item item, const char *message, void *user) {
    if (item == TOILE_LOG_UNTANGLED) {
        assert_non_null(strstr(message, "no cloth goes through cloth any more from "));
        ++*(int *)user;
    }
}

static toile_world *make_tangled(int threads, int *ends) {
    toile_world_def def = quiet_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.self_collision = true;
    def.solver.bounded = true;
    def.start = TOILE_START_UNTANGLE;
    def.threads = threads;
    def.log = ends ? count_ends : NULL;
    def.log_user = ends;
    return make_world(&def);
}

static toile_cloth_id add_panel(toile_world *world, const float size[2], float spacing,
                                const float rotate[3], const float translate[3], int layer) {
    toile_cloth_def def = toile_default_cloth_def();
    memcpy(def.size, size, sizeof def.size);
    def.spacing = spacing;
    def.layer = layer;
    memcpy(def.transform.rotate, rotate, sizeof def.transform.rotate);
    memcpy(def.transform.translate, translate, sizeof def.transform.translate);
    return add_cloth(world, &def);
}

static void pin_top(toile_world *world, toile_cloth_id cloth) {
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_EDGE;
    pin.edge = TOILE_EDGE_TOP;
    add_pin(world, cloth, &pin);
}

static double energy_of(const toile_metrics *m) {
    return m->kinetic_energy + m->potential_energy + m->elastic_energy;
}

/* Nothing crosses after 2 s, nor in the second after that. In no frame are yarns stretched by more
 * than a tenth, and energy is never above that of the start by more than a tenth of weight times
 * 0.3 m: what untangling does is small against letting the cloth fall. */
static void assert_untangles(toile_world *world, const int *ends) {
    const toile_cloth_id all = {0};
    const toile_metrics start = measure(world, all);
    assert_true(start.self_intersections > 20);
    toile_cloth_id cloths[4];
    const int count = toile_world_get_cloths(world, cloths, 4);
    double weight = 0.0, strain = 0.0, gained = 0.0;
    for (int i = 0; i < count; i++) {
        weight += 9.81 * toile_cloth_get_info(world, cloths[i]).mass;
    }
    for (int frame = 1; frame <= 180; frame++) {
        assert_ok(toile_world_step(world, STEP));
        const toile_metrics m = measure(world, all);
        const toile_solver_info info = toile_world_get_solver_info(world);
        strain = fmax(strain, m.strain.max);
        gained = fmax(gained, energy_of(&m) - energy_of(&start));
        assert_true((info.untangled > 0.0) == (info.pierced == 0));
        if (frame >= 120 || info.untangled > 0.0) {
            assert_int_equal(m.self_intersections, 0);
        }
    }
    const double untangled = toile_world_get_solver_info(world).untangled;
    print_message("untangled after %.2f s; strain %.3f, gained %.4f of weight times 0.3 m\n",
                  untangled, strain, gained / (0.3 * weight));
    assert_true(untangled > 0.0 && untangled <= 2.0);
    assert_int_equal(*ends, 1);
    assert_below(strain, 0.1);
    assert_below(gained, 0.1 * weight * 0.3);
}

/* A strip whose lower part hangs behind a sheet that it hangs in front of. */
static toile_world *make_hem(int threads, int *ends, float spacing) {
    toile_world *world = make_tangled(threads, ends);
    const float upright[3] = {0.0f, 0.0f, 0.0f}, leaning[3] = {8.0f, 0.0f, 3.0f};
    pin_top(world, add_panel(world, (const float[2]){0.4f, 0.4f}, spacing, upright,
                             (const float[3]){0.0f, 0.5f, 0.0f}, 0));
    pin_top(world, add_panel(world, (const float[2]){0.15f, 0.3f}, spacing, leaning,
                             (const float[3]){0.013f, 0.52f, 0.011f}, 0));
    return world;
}

static void test_crossed_hem(void **state) {
    (void)state;
    for (int fine = 0; fine < 2; fine++) {
        int ends = 0;
        toile_world *world = make_hem(1, &ends, fine ? 0.01f : 0.02f);
        assert_untangles(world, &ends);
        toile_world_destroy(world);
    }
}

/* Two sheets that lean through each other; each of them on top. */
static void test_swapped_layers(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        int ends = 0;
        toile_world *world = make_tangled(1, &ends);
        const float flat[3] = {-90.0f, 0.0f, 0.0f}, leaning[3] = {-90.0f, 10.0f, 2.5f};
        const float spacing = 0.02f;
        add_floor(world, 0.0f);
        const toile_cloth_id one = add_panel(world, (const float[2]){0.36f, 0.36f}, spacing, flat,
                                             (const float[3]){0.0f, 0.012f, 0.0f}, k);
        const toile_cloth_id other =
            add_panel(world, (const float[2]){0.36f, 0.36f}, spacing, leaning,
                      (const float[3]){0.003f, 0.0125f, 0.002f}, 1 - k);
        assert_untangles(world, &ends);
        const toile_cloth_id upper = k ? one : other, lower = k ? other : one;
        float *above = texel_positions(world, upper), *below = texel_positions(world, lower);
        const size_t columns = (size_t)toile_cloth_get_info(world, upper).columns;
        const size_t middle = columns / 2 * columns + columns / 2;
        const double gap = (double)(above[3 * middle + 1] - below[3 * middle + 1]);
        assert_near(gap, (double)toile_fabric_named("cotton").thickness, 5e-5);
        free(above);
        free(below);
        toile_world_destroy(world);
    }
}

/* A sleeve that hangs from its upper end, and a panel that goes through its side. */
static void test_panel_in_a_tube(void **state) {
    (void)state;
    int ends = 0;
    toile_world *world = make_tangled(1, &ends);
    const float none[3] = {0.0f, 0.0f, 0.0f};
    const toile_cloth_id tube =
        add_panel(world, (const float[2]){0.3f, 0.25f}, 0.01f, none, none, 0);
    const toile_cloth_info info = toile_cloth_get_info(world, tube);
    float *x = malloc(3 * info.texels * sizeof *x);
    assert_non_null(x);
    const float around = 6.2831853f * 0.995f, radius = 0.3f / 6.2831853f;
    for (size_t i = 0; i < info.texels; i++) {
        const float u = (float)(i % (size_t)info.columns) / (float)(info.columns - 1);
        x[3 * i] = radius * sinf(around * u);
        x[3 * i + 1] = 0.3f + 0.01f * (float)(i / (size_t)info.columns);
        x[3 * i + 2] = -radius * cosf(around * u);
    }
    assert_ok(toile_cloth_set_texel_positions(world, tube, x, info.texels));
    free(x);
    toile_tie_def seam = toile_default_tie_def();
    const float left[4] = {0.0f, 0.0f, 0.0f, 0.25f}, right[4] = {0.3f, 0.0f, 0.3f, 0.25f};
    seam.runs[0].cloth = seam.runs[1].cloth = tube;
    seam.runs[0].points = left;
    seam.runs[1].points = right;
    seam.runs[0].point_count = seam.runs[1].point_count = 2;
    assert_int_not_equal(toile_world_add_tie(world, &seam).slot, 0);
    pin_top(world, tube);
    const toile_cloth_id panel =
        add_panel(world, (const float[2]){0.2f, 0.2f}, 0.01f, (const float[3]){0.0f, 0.0f, 4.0f},
                  (const float[3]){0.11f, 0.42f, 0.004f}, 0);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_POINT;
    pin.point[0] = 0.16f;
    pin.point[1] = 0.2f;
    pin.radius = 0.05f;
    add_pin(world, panel, &pin);
    assert_untangles(world, &ends);
    toile_world_destroy(world);
}

static toile_world *make_coarse_hem(int threads) {
    return make_hem(threads, NULL, 0.02f);
}

/* Saved while something pierces, and when nothing does any more. */
static void test_same_bits(void **state) {
    (void)state;
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        toile_world *world = make_coarse_hem(1 + i);
        run_steps(world, 20, STEP);
        hash[i] = toile_world_hash(world);
        toile_world_destroy(world);
    }
    assert_same_hash(hash[1], hash[0], "2 threads");
    assert_same_hash(hash[2], hash[0], "3 threads");
    assert_resumes(make_coarse_hem, 3, 12);
    assert_resumes(make_coarse_hem, 12, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cloth_within_itself), cmocka_unit_test(test_seams_do_not_count),
        cmocka_unit_test(test_what_does_not_fit),   cmocka_unit_test(test_crossed_hem),
        cmocka_unit_test(test_swapped_layers),      cmocka_unit_test(test_panel_in_a_tube),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
