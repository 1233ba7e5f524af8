/* Cooked panels, and cloths made of them. */
#include "outlines.h"

static const char *const maker_names[] = {"circle", "ring", "star", "sleeve"};

/* Free with free(). */
static uint8_t *texel_mask(const toile_world *world, toile_cloth_id cloth) {
    size_t count = toile_cloth_get_info(world, cloth).texels;
    uint8_t *mask = malloc(count);
    assert_non_null(mask);
    assert_ok(toile_cloth_get_texel_mask(world, cloth, mask, count));
    return mask;
}

/* Texels without cloth are at rest at 0. */
static void assert_absent_are_zero(const toile_world *world, toile_cloth_id cloth) {
    size_t count = toile_cloth_get_info(world, cloth).texels, absent = 0;
    uint8_t *mask = texel_mask(world, cloth);
    float *x = texel_positions(world, cloth), *v = malloc(count * 3 * sizeof *v);
    assert_non_null(v);
    assert_ok(toile_cloth_get_texel_velocities(world, cloth, v, count));
    for (size_t k = 0; k < 3 * count; k++) {
        if (!mask[k / 3] && (x[k] != 0.0f || v[k] != 0.0f)) {
            fail_msg("texel %zu does not exist and moves", k / 3);
        }
        absent += !mask[k / 3];
    }
    assert_int_equal(count - absent / 3, toile_cloth_get_info(world, cloth).texels_present);
    free(mask);
    free(x);
    free(v);
}

/* ---- rectangles ---------------------------------------------------------------------------------
 */

/* A size that is no multiple of the spacing, and a scale. */
static toile_cloth_def rectangle_def(void) {
    toile_cloth_def def = toile_default_cloth_def();
    def.size[0] = 0.53f;
    def.size[1] = 0.407f;
    def.spacing = 0.02f;
    def.transform.scale = 1.5f;
    def.transform.rotate[0] = -70.0f;
    def.transform.translate[1] = 0.6f;
    return def;
}

static void test_rectangle_is_the_plain_cloth(void **state) {
    (void)state;
    toile_cloth_def def = rectangle_def();
    toile_panel_def panel_def = toile_default_panel_def();
    memcpy(panel_def.size, def.size, sizeof def.size);
    panel_def.spacing = def.spacing;
    panel_def.coarse_edge = 0.1f; /* the coarse mesh moves nothing here */
    toile_panel *piece = NULL;
    assert_ok(toile_panel_cook(&panel_def, &piece));
    assert_int_equal(toile_panel_get_info(piece).texels, 27 * 21); /* 26.5 and 20.35 spacings */
    toile_cloth_id plain, cut;
    toile_world *one = swing(&def, &plain, 60);
    def.panel = piece;
    def.size[0] = def.spacing = -1.0f; /* not looked at */
    toile_world *other = swing(&def, &cut, 60);
    toile_panel_destroy(piece);
    assert_true(toile_world_hash(one) == toile_world_hash(other));
    float *a = mesh_positions(one, plain), *b = mesh_positions(other, cut);
    size_t vertices = toile_cloth_get_info(one, plain).vertices;
    assert_memory_equal(a, b, vertices * 3 * sizeof(float));
    toile_metrics m = measure(one, plain), n = measure(other, cut);
    assert_memory_equal(&m, &n, sizeof m);
    free(a);
    free(b);
    toile_world_destroy(one);
    toile_world_destroy(other);
}

/* An outline that happens to be a rectangle has its texels where the rectangle has them. */
static void test_rectangular_outline(void **state) {
    (void)state;
    test_outline o = {0};
    add_rectangle(&o, 5.0f, 7.0f, 0.5f, 0.3f);
    toile_panel *piece = cook_outline(&o, 0.02f, 0.0f);
    toile_world *world = make_null_world();
    toile_cloth_def def = panel_cloth(piece), plain = toile_default_cloth_def();
    plain.size[0] = 0.5f;
    plain.size[1] = 0.3f;
    toile_cloth_id cut = add_cloth(world, &def), sheet = add_cloth(world, &plain);
    toile_cloth_info info = toile_cloth_get_info(world, cut);
    assert_int_equal(info.texels, toile_cloth_get_info(world, sheet).texels);
    assert_int_equal(info.texels_present, info.texels);
    assert_near(info.mass, toile_cloth_get_info(world, sheet).mass, 1e-6 * info.mass);
    float *a = texel_positions(world, cut), *b = texel_positions(world, sheet);
    for (size_t k = 0; k < 3 * info.texels; k++) {
        assert_near((double)a[k], (double)b[k], 1e-6);
    }
    free(a);
    free(b);
    toile_world_destroy(world);
    toile_panel_destroy(piece);
}

/* ---- outlines -----------------------------------------------------------------------------------
 */

static void test_outlines_swing(void **state) {
    (void)state;
    for (int m = 0; m < MAKERS; m++) {
        test_outline o;
        makers[m](&o);
        toile_panel *piece = cook_outline(&o, 0.04f, m == 2 ? 30.0f : 0.0f);
        toile_panel_info info = toile_panel_get_info(piece);
        assert_int_equal(info.parts, 1);
        toile_world_def world_def = test_world_def();
        world_def.solver.max_substeps = 16;
        world_def.wind.velocity[2] = 1.0f;
        toile_world *world = make_world(&world_def);
        toile_cloth_def def = panel_cloth(piece);
        def.transform.rotate[0] = -90.0f;
        toile_cloth_id cloth = add_cloth(world, &def);
        toile_panel_destroy(piece);
        double mass = info.area * (double)def.fabric.density;
        assert_near(toile_cloth_get_info(world, cloth).mass, mass, 1e-4 * mass);
        pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
        run_steps(world, 2000, 1.0f / 60.0f);
        assert_absent_are_zero(world, cloth);
        toile_metrics metrics = measure(world, cloth);
        if (!(metrics.strain.p99 < 3.0 * (double)def.fabric.limit && metrics.strain.max < 0.15)) {
            fail_msg("%s: strain %g", maker_names[m], metrics.strain.max); /* a square: 0.15 */
        }
        assert_near(metrics.area, info.area, 0.1 * info.area);
        assert_below(metrics.kinetic_energy, 0.1); /* 0.1 kg at 1 m/s have half of it */
        assert_below(-1.5, metrics.lowest);
        assert_below(metrics.lowest, -0.4); /* it hangs */
        toile_world_destroy(world);
    }
}

/* The mesh lies in the cloth's plane, has the outline's area, and its normals point to +z. */
static void test_start(void **state) {
    (void)state;
    for (int m = 0; m < MAKERS; m++) {
        test_outline o;
        makers[m](&o);
        toile_panel *piece = cook_outline(&o, 0.03f, 45.0f);
        toile_panel_info panel_info = toile_panel_get_info(piece);
        toile_world *world = make_null_world();
        toile_cloth_def def = panel_cloth(piece);
        def.transform.scale = 2.0f;
        def.transform.translate[2] = 0.5f;
        toile_cloth_id cloth = add_cloth(world, &def);
        toile_cloth_info info = toile_cloth_get_info(world, cloth);
        assert_int_equal(info.texels_present, panel_info.texels);
        assert_int_equal(info.vertices, panel_info.render_vertices);
        assert_int_equal(info.coarse_triangles, panel_info.coarse_triangles);
        assert_near((double)info.spacing, 0.06, 1e-6);
        double area = 4.0 * panel_info.area;
        assert_near(info.mass, area * (double)def.fabric.density, 1e-4 * info.mass);
        toile_metrics metrics = measure(world, cloth);
        assert_near(metrics.area, area, 1e-3 * area);
        assert_below(metrics.strain.max, 1e-5);
        assert_int_equal(metrics.self_intersections, 0);
        float *x = mesh_positions(world, cloth), *n = malloc(info.vertices * 3 * sizeof *n);
        assert_non_null(n);
        assert_ok(toile_cloth_get_mesh_normals(world, cloth, n, info.vertices));
        for (size_t v = 0; v < info.vertices; v++) {
            assert_near((double)x[3 * v + 2], 0.5, 1e-5);
            assert_near((double)n[3 * v + 2], 1.0, 1e-5);
            /* the box of the outline lies around the origin: all are a metre wide or less */
            assert_below(fabs((double)x[3 * v]), 1.001);
            assert_below(fabs((double)x[3 * v + 1]), 1.001);
        }
        free(x);
        free(n);
        toile_world_destroy(world);
        toile_panel_destroy(piece);
    }
}

/* A corner of the box of a square that is turned against its threads stays where it was drawn. */
static void test_grain(void **state) {
    (void)state;
    test_outline o = {0};
    add_rectangle(&o, 2.0f, 3.0f, 0.4f, 0.4f);
    toile_panel *piece = cook_outline(&o, 0.02f, 45.0f);
    toile_panel_info panel_info = toile_panel_get_info(piece);
    assert_near((double)panel_info.size[0], 0.4 * sqrt(2.0), 1e-5);
    toile_world *world = make_null_world();
    toile_cloth_def def = panel_cloth(piece);
    toile_cloth_id cloth = add_cloth(world, &def);
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    float *x = mesh_positions(world, cloth);
    double low[2] = {1.0, 1.0}, high[2] = {-1.0, -1.0};
    for (size_t v = 0; v < info.vertices; v++) {
        for (size_t k = 0; k < 2; k++) {
            low[k] = fmin(low[k], (double)x[3 * v + k]);
            high[k] = fmax(high[k], (double)x[3 * v + k]);
        }
    }
    for (int k = 0; k < 2; k++) {
        assert_near(low[k], -0.2, 1e-5);
        assert_near(high[k], 0.2, 1e-5);
    }
    /* warp along 45 degrees: two texels of a row lie along the diagonal */
    float *t = texel_positions(world, cloth);
    size_t middle = (size_t)(info.rows / 2) * (size_t)info.columns + (size_t)info.columns / 2;
    const float *a = t + 3 * middle, *b = a + 3;
    assert_near((double)(b[0] - a[0]), 0.02 / sqrt(2.0), 1e-6);
    assert_near((double)(b[1] - a[1]), 0.02 / sqrt(2.0), 1e-6);
    free(x);
    free(t);
    toile_world_destroy(world);
    toile_panel_destroy(piece);
}

static void test_tiny(void **state) {
    (void)state;
    test_outline o = {0};
    add_circle(&o, 0.0f, 0.0f, 0.003f);
    toile_panel *piece = cook_outline(&o, 0.02f, 0.0f);
    toile_panel_info info = toile_panel_get_info(piece);
    assert_int_equal(info.texels, 4);
    toile_world_def world_def = test_world_def();
    toile_world *world = make_world(&world_def);
    toile_cloth_def def = panel_cloth(piece);
    toile_cloth_id cloth = add_cloth(world, &def);
    double mass = info.area * (double)def.fabric.density;
    assert_near(toile_cloth_get_info(world, cloth).mass, mass, 1e-4 * mass);
    run_steps(world, 30, 1.0f / 60.0f);
    assert_near(measure(world, cloth).highest, -0.5 * 9.81 * 0.25, 0.2); /* it falls */
    toile_world_destroy(world);
    toile_panel_destroy(piece);
}

/* Two fields that a bridge much thinner than a texel joins. */
static void make_dumbbell(test_outline *o) {
    *o = (test_outline){0};
    add_loop(o, 0.0f, 0.0f);
    add_line(o, 0.2f, 0.0f);
    add_line(o, 0.2f, 0.0999f);
    add_line(o, 0.8f, 0.4999f);
    add_line(o, 0.8f, 0.4f);
    add_line(o, 1.0f, 0.4f);
    add_line(o, 1.0f, 0.6f);
    add_line(o, 0.8f, 0.6f);
    add_line(o, 0.8f, 0.5001f);
    add_line(o, 0.2f, 0.1001f);
    add_line(o, 0.2f, 0.2f);
    add_line(o, 0.0f, 0.2f);
    add_line(o, 0.0f, 0.0f);
}

static void test_thin_bridge(void **state) {
    (void)state;
    test_outline o;
    make_dumbbell(&o);
    toile_panel *piece = cook_outline(&o, 0.03f, 0.0f);
    toile_world_def world_def = test_world_def();
    world_def.solver.max_substeps = 16;
    toile_world *world = make_world(&world_def);
    toile_cloth_def def = panel_cloth(piece);
    toile_cloth_id cloth = add_cloth(world, &def);
    pin_corner(world, cloth, TOILE_CORNER_TOP_RIGHT);
    run_steps(world, 120, 1.0f / 60.0f);
    assert_absent_are_zero(world, cloth);
    /* Too little of a thread to hold the field below it at once: it gives, but does not explode. */
    assert_below(-5.0, measure(world, cloth).lowest);
    assert_below(measure(world, cloth).kinetic_energy, 0.1);
    toile_world_destroy(world);
    toile_panel_destroy(piece);
}

/* ---- texels that do not exist -------------------------------------------------------------------
 */

static void test_absent_texels_ignore_writes(void **state) {
    (void)state;
    test_outline o;
    make_ring(&o);
    toile_panel *piece = cook_outline(&o, 0.05f, 0.0f);
    for (int null = 0; null < 2; null++) {
        toile_world_def world_def = test_world_def();
        world_def.device = null ? "null" : "cpu";
        toile_world *world = make_world(&world_def);
        toile_cloth_def def = panel_cloth(piece);
        def.transform.translate[1] = 5.0f;
        toile_cloth_id cloth = add_cloth(world, &def);
        size_t count = toile_cloth_get_info(world, cloth).texels;
        uint8_t *mask = texel_mask(world, cloth);
        float *x = texel_positions(world, cloth);
        assert_below(4.0, measure(world, cloth).lowest); /* and not the 0 of the absent ones */
        for (size_t t = 0; t < count; t++) {
            x[3 * t] = mask[t] ? x[3 * t] : NAN;
            x[3 * t + 1] = mask[t] ? x[3 * t + 1] : 77.0f;
        }
        assert_ok(toile_cloth_set_texel_positions(world, cloth, x, count));
        assert_absent_are_zero(world, cloth);
        for (size_t t = 0; t < count; t++) {
            x[3 * t] = mask[t] ? 0.0f : INFINITY;
        }
        assert_ok(toile_cloth_set_texel_velocities(world, cloth, x, count));
        assert_absent_are_zero(world, cloth);
        for (size_t t = 0; t < count; t++) {
            x[3 * t] = mask[t] ? NAN : 0.0f;
        }
        assert_int_equal(toile_cloth_set_texel_positions(world, cloth, x, count),
                         TOILE_ERROR_INVALID);
        free(x);
        free(mask);
        toile_world_destroy(world);
    }
    toile_panel_destroy(piece);
}

/* ---- pins ---------------------------------------------------------------------------------------
 */

/* How many texels do not fall. */
static int count_held(toile_world *world, toile_cloth_id cloth) {
    size_t count = toile_cloth_get_info(world, cloth).texels;
    float *before = texel_positions(world, cloth);
    uint8_t *mask = texel_mask(world, cloth);
    run_steps(world, 3, 1.0f / 60.0f);
    float *after = texel_positions(world, cloth);
    int held = 0;
    for (size_t t = 0; t < count; t++) {
        held += mask[t] && memcmp(before + 3 * t, after + 3 * t, 3 * sizeof(float)) == 0;
    }
    free(before);
    free(after);
    free(mask);
    return held;
}

static int held_by(const toile_panel *piece, const toile_pin_def *pin) {
    toile_world_def def = test_world_def();
    toile_world *world = make_world(&def);
    toile_cloth_def cloth_def = panel_cloth(piece);
    cloth_def.transform.rotate[0] = -90.0f;
    toile_cloth_id cloth = add_cloth(world, &cloth_def);
    toile_pin_id id = add_pin(world, cloth, pin);
    int held = count_held(world, cloth);
    const float up[3] = {0.0f, 0.1f, 0.0f}, unturned[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    assert_ok(toile_world_move_pin(world, id, up, unturned));
    run_steps(world, 1, 1.0f / 60.0f);
    assert_absent_are_zero(world, cloth); /* it takes along what there is */
    toile_world_destroy(world);
    return held;
}

static void test_pins(void **state) {
    (void)state;
    test_outline o;
    make_ring(&o);
    toile_panel *piece = cook_outline(&o, 0.04f, 0.0f);
    toile_pin_def pin = toile_default_pin_def();
    for (int corner = 0; corner < 4; corner++) {
        pin.corner = (toile_corner)corner;
        assert_int_equal(held_by(piece, &pin), 1);
    }
    pin.kind = TOILE_PIN_EDGE;
    for (int edge = 0; edge < 4; edge++) {
        pin.edge = (toile_edge)edge;
        int held = held_by(piece, &pin);
        assert_in_range(held, 3, 13); /* 0.4 m of the circle are within half a spacing */
    }
    pin.kind = TOILE_PIN_POINT;
    pin.point[0] = 0.55f; /* the hole */
    pin.point[1] = 0.5f;
    assert_int_equal(held_by(piece, &pin), 1);
    pin.radius = 0.2f;
    assert_int_equal(held_by(piece, &pin), 1); /* still none but the nearest */
    pin.point[0] = 1.2f;
    toile_world *world = make_null_world();
    toile_cloth_def def = panel_cloth(piece);
    toile_cloth_id cloth = add_cloth(world, &def);
    assert_int_equal(toile_cloth_add_pin(world, cloth, &pin).slot, 0);
    assert_message("outside the cloth");
    toile_world_destroy(world);
    toile_panel_destroy(piece);
}

/* ---- definitions --------------------------------------------------------------------------------
 */

static void refuse_panel(const toile_panel_def *def, toile_result result, const char *message) {
    toile_panel *piece = NULL;
    assert_int_equal(toile_panel_cook(def, &piece), result);
    assert_null(piece);
    assert_message(message);
}

static void test_bad_definitions(void **state) {
    (void)state;
    test_outline o;
    make_circle(&o);
    toile_panel_def def = toile_default_panel_def();
    def.spacing = NAN;
    refuse_panel(&def, TOILE_ERROR_INVALID, "spacing is nan");
    def = toile_default_panel_def();
    def.size[1] = 2e4f;
    refuse_panel(&def, TOILE_ERROR_INVALID, "10000 m");
    def = toile_default_panel_def();
    def.grain = 30.0f;
    refuse_panel(&def, TOILE_ERROR_INVALID, "grain is 30");
    def.outline = &o.def;
    def.grain = INFINITY;
    refuse_panel(&def, TOILE_ERROR_INVALID, "grain is inf");
    def.grain = 0.0f;
    def.coarse_edge = -1.0f;
    refuse_panel(&def, TOILE_ERROR_INVALID, "coarse_edge is -1");
    def.coarse_edge = 1e-6f;
    refuse_panel(&def, TOILE_ERROR_MEMORY, "coarse_edge 1e-06 m makes");
    def.coarse_edge = 0.0f;
    def.render_edge = NAN;
    refuse_panel(&def, TOILE_ERROR_INVALID, "render_edge is nan");
    def.render_edge = 0.0f;
    def.spacing = 1e-5f;
    refuse_panel(&def, TOILE_ERROR_MEMORY, "texels");
    toile_panel_destroy(NULL);
}

/* A cloth refuses what its scale would make of a panel. */
static void test_scaled_out_of_range(void **state) {
    (void)state;
    test_outline o;
    make_circle(&o);
    toile_panel *piece = cook_outline(&o, 0.05f, 0.0f);
    toile_world *world = make_null_world();
    toile_cloth_def def = panel_cloth(piece);
    def.transform.scale = 1e3f;
    add_cloth(world, &def);
    def.transform.scale = 1e-3f;
    add_cloth(world, &def);
    toile_panel_destroy(piece);
    toile_panel_def small = toile_default_panel_def();
    small.spacing = 1e-4f;
    small.size[0] = small.size[1] = 1e-3f;
    assert_ok(toile_panel_cook(&small, &piece));
    def.panel = piece;
    assert_int_equal(toile_world_add_cloth(world, &def).slot, 0);
    assert_message("scale applied");
    toile_world_destroy(world);
    toile_panel_destroy(piece);
}

static void test_default_coarse_mesh(void **state) {
    (void)state;
    test_outline o;
    make_circle(&o);
    toile_panel *piece = cook_outline(&o, 0.005f, 0.0f);
    toile_panel_info info = toile_panel_get_info(piece);
    assert_in_range(info.coarse_vertices, 900, 2000); /* about the paper's 1300 */
    assert_near(info.area, 3.14159265 * 0.25, 1e-4);
    toile_panel_destroy(piece);
}

/* The vertices of the render mesh are where their squares say, of a rectangle and of an outline. */
static void assert_squares(const toile_cloth_def *def) {
    toile_cloth_id cloth;
    toile_world *world = swing(def, &cloth, 3);
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    toile_square *squares = malloc(info.vertices * sizeof *squares);
    assert_non_null(squares);
    assert_int_equal(toile_cloth_get_mesh_squares(world, cloth, squares, info.vertices - 1),
                     TOILE_ERROR_INVALID);
    assert_message("vertices");
    assert_ok(toile_cloth_get_mesh_squares(world, cloth, squares, info.vertices));
    float *texels = texel_positions(world, cloth), *mesh = mesh_positions(world, cloth);
    size_t row = 3 * (size_t)info.columns;
    for (size_t i = 0; i < 3 * info.vertices; i++) {
        const toile_square *q = &squares[i / 3];
        const float *t = texels + 3 * (size_t)q->texel + i % 3;
        double u = (double)q->fraction[0], v = (double)q->fraction[1];
        double low = (double)t[0] + u * (double)(t[3] - t[0]);
        double high = (double)t[row] + u * (double)(t[row + 3] - t[row]);
        assert_near((double)mesh[i], low + v * (high - low), 1e-6);
    }
    free(squares);
    free(texels);
    free(mesh);
    toile_world_destroy(world);
}

static void test_squares(void **state) {
    (void)state;
    toile_cloth_def rectangle = rectangle_def();
    assert_squares(&rectangle);
    test_outline o;
    make_sleeve(&o);
    toile_panel *piece = cook_outline(&o, 0.02f, 30.0f);
    toile_cloth_def sleeve = panel_cloth(piece);
    assert_squares(&sleeve);
    toile_panel_destroy(piece);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rectangle_is_the_plain_cloth),
        cmocka_unit_test(test_rectangular_outline),
        cmocka_unit_test(test_outlines_swing),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_grain),
        cmocka_unit_test(test_tiny),
        cmocka_unit_test(test_thin_bridge),
        cmocka_unit_test(test_absent_texels_ignore_writes),
        cmocka_unit_test(test_pins),
        cmocka_unit_test(test_bad_definitions),
        cmocka_unit_test(test_scaled_out_of_range),
        cmocka_unit_test(test_default_coarse_mesh),
        cmocka_unit_test(test_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
