/* How far bodies stand out of cloth, and how deep cloth is between its vertices. */
#include "solids.h"

#include <string.h>

enum { SIDE = 5, TEXELS = SIDE * SIDE };
static const float SPACING = 0.25f;

/* Where the sheet's texel (i, j) is: from a corner, along two ways. */
typedef struct sheet {
    float corner[3], u[3], v[3]; /* m, u and v: to the next texel */
} sheet;

/* Level, with the middle of a triangle at a point. */
static sheet level_sheet(float x, float y, float z) {
    float middle = (2.0f + 1.0f / 3.0f) * SPACING;
    return (sheet){{x - middle, y, z - middle}, {SPACING, 0, 0}, {0, 0, SPACING}};
}

/* Turned around that point, by radians about z. */
static sheet tilted_sheet(float x, float y, float z, float angle) {
    sheet s = level_sheet(x, y, z);
    float c = cosf(angle), sine = sinf(angle), way = s.corner[0] - x;
    s.corner[0] = x + c * way;
    s.corner[1] = y + sine * way;
    s.u[0] = c * SPACING;
    s.u[1] = sine * SPACING;
    return s;
}

static toile_penetration measure_at(toile_body_def def, const test_mesh *mesh, const sheet *at) {
    toile_world_def world_def = test_world_def();
    world_def.threads = 1;
    toile_world *world = make_world(&world_def);
    if (mesh) {
        def.shape = TOILE_SHAPE_MESH;
        def.mesh = test_mesh_def(mesh);
    }
    add_body(world, &def);
    toile_cloth_def cloth = toile_default_cloth_def();
    cloth.size[0] = cloth.size[1] = (SIDE - 1) * SPACING;
    cloth.spacing = SPACING;
    toile_cloth_id id = add_cloth(world, &cloth);
    float x[3 * TEXELS];
    for (int i = 0; i < 3 * TEXELS; i++) {
        int t = i / 3, k = i % 3;
        x[i] = at->corner[k] + (float)(t % SIDE) * at->u[k] + (float)(t / SIDE) * at->v[k];
    }
    assert_ok(toile_cloth_set_texel_positions(world, id, x, TEXELS));
    toile_penetration found = measure(world, id).penetration;
    toile_world_destroy(world);
    return found;
}

static toile_body_def box_def(float x, float y, float z) {
    toile_body_def def = toile_default_body_def();
    def.shape = TOILE_SHAPE_BOX;
    def.half[0] = x;
    def.half[1] = y;
    def.half[2] = z;
    return def;
}

/* A cube of half a metre that stands on a corner: the highest one is at this height. */
static const float TIP = 0.4330127f;
static toile_body_def cube_on_its_corner(void) {
    toile_body_def def = box_def(0.25f, 0.25f, 0.25f);
    def.rotate[0] = 45.0f;
    def.rotate[1] = 0.0f;
    def.rotate[2] = 35.264390f;
    return def;
}

/* Of a box that is a shape, and of the same one that is a mesh. */
static void assert_stands_out(const toile_body_def *def, float size, const sheet *at,
                              double expected) {
    test_mesh cube = test_cube(size);
    for (int i = 0; i < 2; i++) {
        toile_penetration p = measure_at(*def, i == 0 ? NULL : &cube, at);
        assert_near(p.crossing_depth_m, expected, 0.05 * expected);
        assert_int_equal(p.crossings > 0, expected > 0.0);
        assert_int_equal(p.farthest.body.slot, expected > 0.0);
    }
    test_mesh_free(&cube);
}

static void a_corner_stands_out_by_what_is_beyond_the_cloth(void **state) {
    (void)state;
    const toile_body_def def = cube_on_its_corner();
    sheet at = level_sheet(0.0f, TIP - 0.002f, 0.0f);
    assert_stands_out(&def, 0.25f, &at, 0.002);
    toile_penetration p = measure_at(def, NULL, &at);
    assert_near(p.farthest.position[0], 0.0, 1e-4);
    assert_near(p.farthest.position[1], (double)TIP, 1e-4);
    assert_near(p.farthest.position[2], 0.0, 1e-4);
    at = level_sheet(0.0f, TIP - 0.03f, 0.0f);
    assert_stands_out(&def, 0.25f, &at, 0.03);
    at = level_sheet(0.0f, TIP + 1e-4f, 0.0f);
    assert_stands_out(&def, 0.25f, &at, 0.0);
    at = tilted_sheet(0.0f, TIP - 0.002f, 0.0f, 0.4f);
    assert_stands_out(&def, 0.25f, &at, 0.002 * cos(0.4));
}

static void an_edge_stands_out_between_its_ends(void **state) {
    (void)state;
    toile_body_def def = box_def(0.25f, 0.25f, 0.25f);
    def.rotate[2] = 45.0f; /* an edge along z is on top */
    float top = 0.25f * sqrtf(2.0f);
    sheet at = level_sheet(0.0f, top - 0.002f, 0.0f);
    at.corner[2] = -0.01f; /* it lies over the edge's end, and its ends lie beyond */
    assert_stands_out(&def, 0.25f, &at, 0.002);
    at = tilted_sheet(0.0f, top - 0.002f, 0.0f, 0.2f);
    assert_stands_out(&def, 0.25f, &at, 0.002 * cos(0.2));
    at = level_sheet(0.0f, top + 1e-4f, 0.0f);
    assert_stands_out(&def, 0.25f, &at, 0.0);
}

/* Cloth that dips into a face on its edge, or lies in a side by a little, is that deep: it does not
 * matter how far the body goes on along the cloth. */
static void what_dips_in_is_as_deep_as_that(void **state) {
    (void)state;
    const toile_body_def def = box_def(0.25f, 0.25f, 0.25f);
    const sheet cases[] = {
        {{-0.1f, 0.2498f, 0.01f}, {0.05f, 0, 0}, {0.0f, SPACING, 0.01f}}, /* stands on its edge */
        {{-0.1f, -0.1f, 0.2498f}, {0.05f, 0, 0}, {0.0f, 0.12f, 0.0f}}, /* in a side, to its rim */
        {{-0.4f, -0.2498f, -0.4f}, {0.2f, 0, 0}, {0, 0, 0.2f}},        /* in the bottom */
    };
    test_mesh cube = test_cube(0.25f);
    for (int i = 0; i < 6; i++) {
        toile_penetration p = measure_at(def, i % 2 ? &cube : NULL, &cases[i / 2]);
        assert_true(p.crossings > 0);
        assert_near(p.max_depth_m, 2e-4, 1e-5);
        assert_true(p.crossing_depth_m < 4e-4);
    }
    test_mesh_free(&cube);
}

/* A plate that is far thinner than what it goes through is no shallow crossing. */
static void a_plate_through_cloth_is_seen(void **state) {
    (void)state;
    const toile_body_def def = box_def(0.0005f, 0.4f, 0.4f);
    sheet at = level_sheet(0.03f, 0.0f, 0.0f);
    toile_penetration p = measure_at(def, NULL, &at);
    assert_int_equal(p.count, 0);
    assert_true(p.crossings > 0 && p.crossing_depth_m > 0.2);
}

/* Flat triangles are deepest between their vertices. */
static void round_bodies_stand_out_of_triangles(void **state) {
    (void)state;
    toile_body_def def = toile_default_body_def();
    def.shape = TOILE_SHAPE_SPHERE;
    def.radii[0] = 0.1f;
    for (int i = 0; i < 3; i++) {
        sheet at = level_sheet(0.03f, 0.098f, 0.02f);
        if (i == 1) {
            def.shape = TOILE_SHAPE_CAPSULE;
            def.a[1] = def.b[1] = 0.0f;
            def.a[2] = -0.5f;
            def.b[2] = 0.5f;
            at = tilted_sheet(0.0f, 0.098f / cosf(0.1f), 0.0f, 0.1f);
        } else if (i == 2) {
            def.shape = TOILE_SHAPE_ELLIPSOID;
            def.radii[0] = 0.2f;
            def.radii[1] = 0.1f;
            def.radii[2] = 0.15f;
        }
        toile_penetration p = measure_at(def, NULL, &at);
        assert_near(p.max_depth_m, 0.002, 1e-4);
        assert_int_equal(p.deepest.body.slot, 1);
        assert_near(p.deepest.position[1], 0.098, 1e-3);
        at.corner[1] += 0.0021f;
        p = measure_at(def, NULL, &at);
        assert_true(p.max_depth_m == 0.0 && p.count == 0);
        assert_int_equal(p.deepest.body.slot, 0);
    }
}

/* A ball of many faces, none of whose vertices is near the cloth's. */
static void smooth_meshes_stand_out_of_triangles(void **state) {
    (void)state;
    test_mesh ball = test_ball(0.1f, 48, 24, NULL);
    sheet at = level_sheet(0.0f, 0.097f, 0.0f);
    toile_penetration p = measure_at(toile_default_body_def(), &ball, &at);
    assert_near(fmax(p.crossing_depth_m, p.max_depth_m), 0.003, 0.05 * 0.003);
    at = level_sheet(0.0f, 0.1002f, 0.0f);
    p = measure_at(toile_default_body_def(), &ball, &at);
    assert_true(p.crossing_depth_m == 0.0 && p.max_depth_m == 0.0);
    test_mesh_free(&ball);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corner_stands_out_by_what_is_beyond_the_cloth),
        cmocka_unit_test(an_edge_stands_out_between_its_ends),
        cmocka_unit_test(what_dips_in_is_as_deep_as_that),
        cmocka_unit_test(a_plate_through_cloth_is_seen),
        cmocka_unit_test(round_bodies_stand_out_of_triangles),
        cmocka_unit_test(smooth_meshes_stand_out_of_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
