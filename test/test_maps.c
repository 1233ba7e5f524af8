/* Collision with images of bodies: what they say about points. */
#include "cpu/maps.h"
#include "model/shape_surface.h"
#include "solids.h"

/* ---- points -------------------------------------------------------------------------------------
 */

v4 shape_distance(toile_shape_kind kind, v3 p,
                  v3 size); /* model/body.h, whose names are those of ids */

/* Points within this are compared. Farther out a round surface leaves its planes. */
static const float BAND = 0.008f;

static double random_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static v3 random_point(uint64_t *state, float reach) {
    v3 p;
    p.x = reach * (float)(2.0 * random_number(state) - 1.0);
    p.y = reach * (float)(2.0 * random_number(state) - 1.0);
    p.z = reach * (float)(2.0 * random_number(state) - 1.0);
    return p;
}

static map_set draw(const solid *s, bool is_round, int side, int cameras) {
    map_set set = {0};
    const map_surface surface = {s, is_round};
    assert_ok(map_drawer_here->draw(
        &set, &(map_request){.surfaces = &surface, .count = 1, .side = side, .cameras = cameras}));
    return set;
}

/* How far the answers of images are from the truth. */
typedef struct comparison {
    double distance; /* pixels, the largest */
    double cosine;   /* of normals, the smallest */
    int count, hidden;
} comparison;

/* Wanted distance at a point. */
typedef v4 truth(const void *whose, v3 p);

/* facing: only where the surface has so much of its normal along the first view. */
static comparison compare(const map_set *set, truth *truth_at, const void *whose, float facing,
                          float band) {
    const body_map *b = &set->bodies[0];
    comparison found = {.cosine = 1.0};
    uint64_t state = 1;
    for (int i = 0; i < 200000; i++) {
        v3 p = random_point(&state, 0.45f);
        v4 wanted = truth_at(whose, p);
        map_hit hit = maps_distance(set, 0, p, 1.0f, 0.15f);
        v4 answer = hit.distance;
        found.hidden += hit.hidden;
        if (fabsf(wanted.w) > band || fabsf(maps_view(v4_xyz(wanted), b->axis).z) < facing) {
            continue;
        }
        found.count++;
        found.distance =
            fmax(found.distance, fabs((double)answer.w - (double)wanted.w) / (double)b->pixel);
        found.cosine = fmin(found.cosine, (double)v3_dot(v4_xyz(answer), v4_xyz(wanted)));
    }
    assert_true(found.count > 1000);
    return found;
}

typedef struct shape_case {
    toile_shape_kind kind;
    v3 size;
    double most;   /* pixels */
    double cosine; /* of normals, the least */
} shape_case;

static v4 shape_truth(const void *whose, v3 p) {
    const shape_case *c = whose;
    return shape_distance(c->kind, p, c->size);
}

/* Beside the edge of a box either of its planes may be the nearest. */
static const shape_case shapes[] = {
    {TOILE_SHAPE_SPHERE, {0.3f, 0.3f, 0.3f}, 1.0, 0.99},
    {TOILE_SHAPE_ELLIPSOID, {0.3f, 0.2f, 0.15f}, 1.5, 0.95},
    {TOILE_SHAPE_CAPSULE, {0.1f, 0.3f, 0.0f}, 1.5, 0.95},
    {TOILE_SHAPE_BOX, {0.3f, 0.2f, 0.25f}, 2.0, -0.01},
};

/* Six cameras see all sides. */
static void test_shapes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        solid s;
        assert_ok(shape_surface(&s, shapes[i].kind, shapes[i].size));
        map_set set = draw(&s, shape_is_round(shapes[i].kind), 256, 6);
        comparison c = compare(&set, shape_truth, &shapes[i], 0.0f, BAND);
        assert_below(c.distance, shapes[i].most);
        assert_true(c.cosine > shapes[i].cosine);
        assert_int_equal(c.hidden, 0);
        map_set_free(&set);
        solid_free(&s);
    }
}

/* Two see the front and the back of the shortest one. */
static void test_two_cameras(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        solid s;
        assert_ok(shape_surface(&s, shapes[i].kind, shapes[i].size));
        map_set set = draw(&s, shape_is_round(shapes[i].kind), 256, 2);
        assert_int_equal(set.layers, MAPS_IMAGES);
        if (shapes[i].kind != TOILE_SHAPE_BOX) {
            comparison c = compare(&set, shape_truth, &shapes[i], 0.6f, BAND);
            assert_below(c.distance, 3.0);
            assert_true(c.cosine > 0.9);
            assert_int_equal(c.hidden, 0);
        }
        map_set_free(&set);
        solid_free(&s);
    }
}

static v4 solid_truth(const void *whose, v3 p) {
    return solid_distance(whose, p, 2.0f * BAND);
}

static float bump(size_t vertex) {
    return 0.03f * (float)(vertex % 5) / 4.0f;
}

/* A hollow body, and one with dents. */
static void test_meshes(void **state) {
    (void)state;
    test_mesh meshes[2] = {test_torus(0.3f, 0.1f, 60, 24), test_ball(0.35f, 24, 12, bump)};
    for (int i = 0; i < 2; i++) {
        solid s;
        const toile_mesh_def def = test_mesh_def(&meshes[i]);
        assert_ok(solid_create(&s, &def));
        map_set set = draw(&s, false, 256, 6);
        comparison c = compare(&set, solid_truth, &s, 0.0f, 0.5f * BAND);
        assert_below(c.distance, 2.5);
        assert_int_equal(c.hidden, 0);
        map_set_free(&set);
        solid_free(&s);
        test_mesh_free(&meshes[i]);
    }
}

/* ---- ambiguity ----------------------------------------------------------------------------------
 */

/* One ball before the other, flat enough that two cameras look at them along z. */
static const float in_a_row[2][3] = {{0.0f, 0.0f, -0.12f}, {0.0f, 0.0f, 0.12f}};
static const float flat[3] = {0.3f, 0.3f, 0.05f};

static v4 ask(const test_mesh *mesh, int cameras, v3 p, bool *hidden) {
    solid s;
    const toile_mesh_def def = test_mesh_def(mesh);
    assert_ok(solid_create(&s, &def));
    map_set set = draw(&s, false, 128, cameras);
    map_hit hit = maps_distance(&set, 0, p, 1.0f, 0.15f);
    map_set_free(&set);
    solid_free(&s);
    *hidden = hit.hidden;
    return hit.distance;
}

/* Between two balls the cameras in front and behind cannot tell; those at the sides can. Within a
 * ball each pair can. */
static void test_ambiguity(void **state) {
    (void)state;
    const v3 between = {0.05f, 0.02f, 0.0f};
    test_mesh two = test_balls(in_a_row, 2, flat), one = test_balls(in_a_row, 1, flat);
    bool hidden;
    ask(&two, 2, between, &hidden);
    assert_true(hidden);
    v4 seen = ask(&two, 6, between, &hidden);
    assert_false(hidden);
    assert_near((double)seen.w, 0.071, 0.005);
    for (int side = -1; side <= 1; side += 2) {
        const v3 within = {0.05f, 0.02f, 0.15f * (float)side};
        assert_below((double)ask(&two, 2, within, &hidden).w, -0.01);
        assert_false(hidden);
    }
    ask(&one, 2, between, &hidden);
    assert_false(hidden);
    test_mesh_free(&two);
    test_mesh_free(&one);
}

/* Amid six balls no camera can. */
static void test_surrounded(void **state) {
    (void)state;
    const float around[6][3] = {{-0.25f, 0.0f, 0.0f}, {0.25f, 0.0f, 0.0f},  {0.0f, -0.25f, 0.0f},
                                {0.0f, 0.25f, 0.0f},  {0.0f, 0.0f, -0.25f}, {0.0f, 0.0f, 0.25f}};
    test_mesh six = test_balls(around, 6, (const float[3]){0.1f, 0.1f, 0.1f});
    bool hidden;
    v4 answer = ask(&six, 6, v3_make(0.01f, 0.02f, -0.01f), &hidden);
    assert_true(hidden);
    assert_true(answer.w == MAPS_NONE);
    ask(&six, 6, v3_make(0.15f, 0.15f, 0.0f), &hidden);
    assert_false(hidden);
    test_mesh_free(&six);
}

/* A needle that no pixel hits, and a board that is thinner than a pixel. */
static void test_thin(void **state) {
    (void)state;
    solid s;
    assert_ok(shape_surface(&s, TOILE_SHAPE_CAPSULE, v3_make(0.0003f, 0.5f, 0.0f)));
    map_set set = draw(&s, true, 64, 6);
    map_hit hit = maps_distance(&set, 0, v3_make(0.001f, 0.1f, 0.0f), 1.0f, 0.1f);
    assert_true(hit.hidden);
    assert_true(hit.distance.w == MAPS_NONE);
    map_set_free(&set);
    solid_free(&s);
    assert_ok(shape_surface(&s, TOILE_SHAPE_BOX, v3_make(0.4f, 0.0005f, 0.4f)));
    set = draw(&s, false, 64, 6);
    hit = maps_distance(&set, 0, v3_make(0.1f, 0.004f, 0.1f), 1.0f, 0.1f);
    assert_false(hit.hidden);
    assert_near((double)hit.distance.w, 0.0035, 1e-5);
    assert_near((double)hit.distance.y, 1.0, 1e-5);
    map_set_free(&set);
    solid_free(&s);
}

int main(void) {
    map_set none = {0};
    if (!map_drawer_here ||
        map_drawer_here->draw(&none, &(map_request){.side = 16, .cameras = 6})) {
        print_message("skipped: %s\n", toile_error_message());
        return 77;
    }
    map_set_free(&none);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),     cmocka_unit_test(test_two_cameras),
        cmocka_unit_test(test_meshes),     cmocka_unit_test(test_ambiguity),
        cmocka_unit_test(test_surrounded), cmocka_unit_test(test_thin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
