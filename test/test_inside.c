/* Inside bodies that are meshes: winding numbers against sums of solid angles, penetration and
 * crossings against all pairs, and what is pinched. */
#include "solids.h"

#include "model/winding.h"
#include "step/world.h"

/* ---- meshes -------------------------------------------------------------------------------------
 */

static toile_body_def mesh_body(const test_mesh *m) {
    toile_body_def def = toile_default_body_def();
    def.shape = TOILE_SHAPE_MESH;
    def.mesh = test_mesh_def(m);
    return def;
}

static solid make_solid(const test_mesh *m) {
    toile_mesh_def def = test_mesh_def(m);
    solid s;
    assert_ok(solid_create(&s, &def));
    return s;
}

static float random_float(float low, float high) {
    static uint32_t state = 12345;
    state = 1664525u * state + 1013904223u;
    return low + (high - low) * ((float)(state >> 8) / 16777216.0f);
}

static float bumps(size_t v) {
    return 0.25f * sinf(1.7f * (float)v);
}

/* Boxes as one mesh, each from low to high. */
static test_mesh make_boxes(const float boxes[][2][3], size_t count) {
    test_mesh one = test_cube(1.0f), all = test_mesh_make(8 * count, 12 * count);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 24; k++) {
            all.positions[24 * i + k] = boxes[i][one.positions[k] > 0.0f][k % 3];
        }
        for (size_t k = 0; k < 36; k++) {
            all.triangles[36 * i + k] = one.triangles[k] + 8 * (uint32_t)i;
        }
    }
    test_mesh_free(&one);
    return all;
}

/* A cube of half a metre around the origin, and a needle with a square foot that stands in it. */
static test_mesh make_needle(float x, float z, float width, float tip) {
    const float boxes[2][2][3] = {{{-0.25f, -0.25f, -0.25f}, {0.25f, 0.25f, 0.25f}},
                                  {{x - width, 0.0f, z - width}, {x + width, tip, z + width}}};
    test_mesh m = make_boxes(boxes, 2);
    for (size_t v = 8; v < 16; v++) { /* the upper end is a tenth as wide */
        float *p = m.positions + 3 * v;
        if (p[1] == tip) {
            p[0] = x + 0.1f * (p[0] - x);
            p[2] = z + 0.1f * (p[2] - z);
        }
    }
    return m;
}

enum { CELLS = 4, LATTICE = CELLS + 1 };

/* A cube of half edge 1 with its faces cut into squares, corners of which lie on a lattice. */
static test_mesh make_lattice(void) {
    test_mesh m = test_mesh_make(LATTICE * LATTICE * LATTICE, 12 * CELLS * CELLS);
    uint32_t index[LATTICE * LATTICE * LATTICE], count = 0;
    for (int i = 0; i < LATTICE * LATTICE * LATTICE; i++) {
        int at[3] = {i % LATTICE, i / LATTICE % LATTICE, i / LATTICE / LATTICE};
        bool outer = false;
        for (int k = 0; k < 3; k++) {
            outer = outer || at[k] % CELLS == 0;
            m.positions[3 * count + (uint32_t)k] = 2.0f * (float)at[k] / CELLS - 1.0f;
        }
        index[i] = count;
        count += outer;
    }
    m.vertices = count;
    static const int step[3] = {1, LATTICE, LATTICE * LATTICE};
    uint32_t *t = m.triangles;
    for (int face = 0; face < 6; face++) {
        int axis = face % 3, u = step[(axis + 1) % 3], v = step[(axis + 2) % 3];
        int start = face < 3 ? 0 : CELLS * step[axis];
        for (int cell = 0; cell < CELLS * CELLS; cell++) {
            int a = start + cell % CELLS * u + cell / CELLS * v;
            int b = face < 3 ? a + v : a + u, d = face < 3 ? a + u : a + v, c = a + u + v;
            *t++ = index[a], *t++ = index[b], *t++ = index[c];
            *t++ = index[a], *t++ = index[c], *t++ = index[d];
        }
    }
    return m;
}

/* ---- winding numbers ----------------------------------------------------------------------------
 */

static double winding_of_angles(const test_mesh *m, v3 p) {
    toile_mesh_def def = test_mesh_def(m);
    return test_winding(&def, p.x, p.y, p.z);
}

/* At random points of its box, and around it. most: the largest number that must be found. */
static void compare_windings(test_mesh m, int most) {
    solid s = make_solid(&m);
    int found = 0;
    for (int i = 0; i < 1000; i++) {
        v3 p = v3_make(random_float(1.1f * s.low.x, 1.1f * s.high.x),
                       random_float(1.1f * s.low.y, 1.1f * s.high.y),
                       random_float(1.1f * s.low.z, 1.1f * s.high.z));
        double expected = winding_of_angles(&m, p);
        assert_near(expected, round(expected), 1e-6);
        int winding = solid_winding(&s, p, 0.0f);
        assert_int_equal(winding, lround(expected));
        found = winding > found ? winding : found;
    }
    assert_int_equal(found, most);
    solid_free(&s);
    test_mesh_free(&m);
}

static void winding_numbers_are_sums_of_solid_angles(void **state) {
    (void)state;
    static const float places[3][3] = {{0.0f, 0.0f, 0.0f}, {0.3f, 0.1f, 0.0f}, {-0.1f, 0.2f, 0.4f}};
    static const float radii[3] = {0.5f, 0.4f, 0.45f};
    compare_windings(test_cube(0.7f), 1);
    compare_windings(test_ball(1.0f, 24, 12, bumps), 1);
    compare_windings(test_torus(1.0f, 0.4f, 24, 12), 1);
    compare_windings(test_balls(places, 3, radii), 3);
    compare_windings(make_lattice(), 1);
}

/* Every ray runs through vertices, along edges or in the planes of faces. */
static void rays_through_edges_and_vertices_count_once(void **state) {
    (void)state;
    test_mesh m = make_lattice();
    solid s = make_solid(&m);
    enum { STEPS = 4 * CELLS };
    int inside = 0;
    for (int i = 0; i < (STEPS + 1) * (STEPS + 1) * (STEPS + 1); i++) {
        float x[3], farthest = 0.0f;
        for (int k = 0, at = i; k < 3; k++, at /= STEPS + 1) {
            x[k] = (float)(at % (STEPS + 1)) / CELLS - 2.0f;
            farthest = fmaxf(farthest, fabsf(x[k]));
        }
        if (farthest != 1.0f) { /* on the surface either is right */
            assert_int_equal(solid_winding(&s, v3_make(x[0], x[1], x[2]), 0.0f), farthest < 1.0f);
            inside += farthest < 1.0f;
        }
    }
    assert_int_equal(inside, 7 * 7 * 7);
    solid_free(&s);
    test_mesh_free(&m);
}

/* A rounding away from the surface, on both sides, and seen along it. */
static void points_next_to_the_surface_are_on_their_side(void **state) {
    (void)state;
    test_mesh m = make_lattice();
    solid s = make_solid(&m);
    for (int i = 0; i < 1000; i++) {
        float x[3] = {random_float(-1.0f, 1.0f), random_float(-1.0f, 1.0f), 0.5f};
        float tmp = x[i % 3];
        x[i % 3] = i % 2 ? nextafterf(1.0f, 0.0f) : nextafterf(1.0f, 2.0f);
        x[(i + 1) % 3] = i % 5 ? tmp : 0.5f;
        assert_int_equal(solid_winding(&s, v3_make(x[0], x[1], x[2]), 0.0f), i % 2);
    }
    solid_free(&s);
    test_mesh_free(&m);
}

/* ---- all pairs ----------------------------------------------------------------------------------
 */

static toile_world *make_test_world(int threads) {
    toile_world_def def = test_world_def();
    def.threads = threads;
    return make_world(&def);
}

static double volume_of(const double a[3], const double b[3], const double c[3],
                        const double d[3]) {
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static bool segment_cuts(const double p[3], const double q[3], double t[3][3]) {
    double over = volume_of(t[0], t[1], t[2], p) * volume_of(t[0], t[1], t[2], q);
    double a = volume_of(p, q, t[0], t[1]), b = volume_of(p, q, t[1], t[2]),
           c = volume_of(p, q, t[2], t[0]);
    return over < 0.0 && ((a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0));
}

static void load(const float *positions, const uint32_t *triangle, double out[3][3]) {
    for (size_t k = 0; k < 9; k++) {
        out[k / 3][k % 3] = (double)positions[3 * (size_t)triangle[k / 3] + k % 3];
    }
}

static uint64_t count_cuts(const float *x, const uint32_t *indices, size_t triangles,
                           const test_mesh *m) {
    uint64_t cuts = 0;
    for (size_t i = 0; i < triangles; i++) {
        double a[3][3], b[3][3];
        load(x, indices + 3 * i, a);
        for (size_t j = 0; j < m->triangle_count; j++) {
            bool cut = false;
            load(m->positions, m->triangles + 3 * j, b);
            for (int k = 0; k < 3; k++) {
                cut = cut || segment_cuts(a[k], a[(k + 1) % 3], b) ||
                      segment_cuts(b[k], b[(k + 1) % 3], a);
            }
            cuts += cut;
        }
    }
    return cuts;
}

/* At a point that is farther than rounding from the surface. */
static bool is_inside(const test_mesh *m, const solid *s, v3 p) {
    return fabs(winding_of_angles(m, p)) >= 0.5 &&
           (double)fabsf(solid_distance(s, p, INFINITY).w) > 1e-5;
}

static toile_penetration count_all(const toile_world *world, toile_cloth_id id,
                                   const test_mesh *m) {
    toile_cloth_info info = toile_cloth_get_info(world, id);
    float *x = calloc(info.vertices, 3 * sizeof *x);
    uint32_t *indices = calloc(info.triangles, 3 * sizeof *indices);
    assert_ok(toile_cloth_get_mesh_positions(world, id, x, info.vertices));
    assert_ok(toile_cloth_get_mesh_triangles(world, id, indices, info.triangles));
    solid s = make_solid(m);
    toile_penetration all = {.crossings = count_cuts(x, indices, info.triangles, m)};
    for (size_t v = 0; v < info.vertices; v++) {
        v3 p = v3_make(x[3 * v], x[3 * v + 1], x[3 * v + 2]);
        all.count += is_inside(m, &s, p);
        all.caught += fabs(winding_of_angles(m, p)) >= 1.5;
    }
    for (size_t t = 0; t < info.triangles; t++) {
        float p[3];
        for (size_t k = 0; k < 3; k++) {
            p[k] = (x[3 * indices[3 * t] + k] +
                    (x[3 * indices[3 * t + 1] + k] + x[3 * indices[3 * t + 2] + k])) *
                   (1.0f / 3.0f);
        }
        all.count += is_inside(m, &s, v3_make(p[0], p[1], p[2]));
    }
    solid_free(&s);
    free(x);
    free(indices);
    return all;
}

enum { SIDE = 21 };

/* 1: a wavy sheet; more: crumpled by so much. */
static toile_cloth_id add_waves(toile_world *world, float crumple) {
    toile_cloth_def def = square_def(SIDE);
    toile_cloth_id id = add_cloth(world, &def);
    float x[3 * SIDE * SIDE];
    for (int t = 0; t < SIDE * SIDE; t++) {
        float u = (float)(t % SIDE) / (SIDE - 1) - 0.5f, v = (float)(t / SIDE) / (SIDE - 1) - 0.5f;
        x[3 * t] = 2.0f * u + random_float(-crumple, crumple);
        x[3 * t + 1] = 0.3f * sinf(5.0f * u + 3.0f * v) + random_float(-crumple, crumple);
        x[3 * t + 2] = 2.0f * v + random_float(-crumple, crumple);
    }
    assert_ok(toile_cloth_set_texel_positions(world, id, x, SIDE * SIDE));
    return id;
}

static void compare_counts(test_mesh m, bool overlaps) {
    for (int i = 0; i < 3; i++) {
        toile_world *world = make_test_world(1);
        toile_body_def def = mesh_body(&m);
        add_body(world, &def);
        toile_cloth_id id = add_waves(world, 0.1f * (float)i);
        toile_penetration found = measure(world, id).penetration, all = count_all(world, id, &m);
        assert_int_equal(found.count, all.count);
        assert_int_equal(found.crossings, all.crossings);
        assert_int_equal(found.caught, all.caught);
        assert_true(found.count > 0 && found.crossings > 0);
        assert_int_equal(found.caught > 0, overlaps);
        assert_true(found.crossing_depth_m > 0.0);
        toile_world_destroy(world);
    }
    test_mesh_free(&m);
}

static void counts_are_those_of_all_pairs(void **state) {
    (void)state;
    static const float places[3][3] = {{0.0f, 0.0f, 0.0f}, {0.5f, 0.1f, 0.0f}, {-0.1f, 0.2f, 0.6f}};
    static const float radii[3] = {0.5f, 0.4f, 0.45f};
    compare_counts(test_ball(0.7f, 24, 12, bumps), false);
    compare_counts(test_torus(0.6f, 0.3f, 32, 16), false);
    compare_counts(test_balls(places, 3, radii), true);
}

/* ---- small cases --------------------------------------------------------------------------------
 */

/* A body at a place, and a sheet of 5 x 5 texels, a metre wide, that lies at a height over the
 * body's own frame and is moved and turned with it. */
static toile_penetration measure_sheet(const test_mesh *m, const toile_body_def *place, float up,
                                       bool pinned) {
    toile_world *world = make_test_world(1);
    toile_body_def def = *place;
    def.shape = TOILE_SHAPE_MESH;
    def.mesh = test_mesh_def(m);
    toile_body_id id_of_body = add_body(world, &def);
    toile_cloth_def sheet = square_def(5);
    sheet.transform.translate[1] = 9.0f;
    toile_cloth_id id = add_cloth(world, &sheet);
    if (pinned) {
        pin_edge(world, id, TOILE_EDGE_LEFT);
        pin_edge(world, id, TOILE_EDGE_RIGHT);
        pin_edge(world, id, TOILE_EDGE_TOP);
        pin_edge(world, id, TOILE_EDGE_BOTTOM);
    }
    toile_pose there = toile_body_get_pose(world, id_of_body);
    const double q[4] = {(double)there.rotation[0], (double)there.rotation[1],
                         (double)there.rotation[2], (double)there.rotation[3]};
    float x[75];
    for (int t = 0; t < 25; t++) {
        const double p[3] = {0.25 * (t % 5) - 0.5, (double)up, 0.25 * (t / 5) - 0.5};
        double w[3], out[3];
        for (int k = 0; k < 3; k++) { /* p + 2 q x (q x p + s p) */
            int i = (k + 1) % 3, j = (k + 2) % 3;
            w[k] = q[i] * p[j] - q[j] * p[i] + q[3] * p[k];
        }
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            out[k] = p[k] + 2.0 * (q[i] * w[j] - q[j] * w[i]);
            x[3 * t + k] = (float)(out[k] + (double)there.position[k]);
        }
    }
    assert_ok(toile_cloth_set_texel_positions(world, id, x, 25));
    toile_penetration p = measure(world, id).penetration;
    toile_world_destroy(world);
    return p;
}

static toile_body_def somewhere(void) {
    toile_body_def place = toile_default_body_def();
    place.center[0] = 0.7f;
    place.center[1] = 1.3f;
    place.center[2] = -0.4f;
    place.rotate[0] = 30.0f;
    place.rotate[1] = -50.0f;
    place.rotate[2] = 20.0f;
    return place;
}

static void a_sheet_through_a_cube_crosses_its_sides(void **state) {
    (void)state;
    /* Not of the same size everywhere: edges that meet edges cut nothing. */
    const float box[1][2][3] = {{{-0.31f, -0.3f, -0.29f}, {0.3f, 0.3f, 0.33f}}};
    test_mesh m = make_boxes(box, 1);
    const toile_body_def places[2] = {toile_default_body_def(), somewhere()};
    for (int i = 0; i < 2; i++) {
        toile_penetration p = measure_sheet(&m, &places[i], 0.05f, false);
        assert_int_equal(p.count, 9 + 8); /* vertices, and centres between them */
        assert_near(p.max_depth_m, 0.25, 1e-5);
        assert_int_equal(p.crossings, measure_sheet(&m, places, 0.05f, false).crossings);
        assert_true(p.crossings >= 16 && p.crossing_depth_m > 0.1);
        assert_int_equal(p.caught, 0);
        p = measure_sheet(&m, &places[i], 0.05f, true); /* only the inner squares are free */
        assert_int_equal(p.crossings, 0);
        p = measure_sheet(&m, &places[i], 0.31f, false);
        assert_int_equal(p.count + p.crossings + p.caught, 0);
        assert_true(p.crossing_depth_m == 0.0);
    }
    test_mesh_free(&m);
}

/* Vertices and centres are all outside: only pairs of triangles tell. */
static void a_needle_between_vertices_is_seen(void **state) {
    (void)state;
    test_mesh m = make_needle(0.09f, 0.12f, 0.01f, 0.35f);
    const toile_body_def places[2] = {toile_default_body_def(), somewhere()};
    for (int i = 0; i < 2; i++) {
        toile_penetration p = measure_sheet(&m, &places[i], 0.26f, false);
        assert_int_equal(p.count, 0);
        assert_int_equal(p.crossings, 8);
        assert_near(p.crossing_depth_m, 0.09, 1e-3); /* what sticks out */
        p = measure_sheet(&m, &places[i], 0.351f, false);
        assert_int_equal(p.crossings, 0);
    }
    test_mesh_free(&m);
}

/* A cloth that lies exactly on a face, or on it but for rounding, cuts nothing. */
static void lying_on_a_face_is_no_crossing(void **state) {
    (void)state;
    const toile_body_def places[2] = {toile_default_body_def(), somewhere()};
    for (int shape = 0; shape < 2; shape++) {
        test_mesh m = shape == 0 ? test_cube(0.25f) : make_lattice();
        for (int i = 0; i < 2; i++) {
            toile_penetration p = measure_sheet(&m, &places[i], shape == 0 ? 0.25f : 1.0f, false);
            assert_int_equal(p.count + p.crossings + p.caught, 0);
        }
        test_mesh_free(&m);
    }
}

/* ---- what is pinched ----------------------------------------------------------------------------
 */

/* Two boxes, one over the other from `gap` on, and a sheet at a height; in thicknesses. */
static toile_penetration measure_gap(const toile_body_def *place, float gap, float up) {
    float thickness = toile_default_cloth_def().fabric.thickness;
    const float boxes[2][2][3] = {{{-0.3f, -0.2f, -0.3f}, {0.3f, 0.0f, 0.3f}},
                                  {{-0.3f, gap * thickness, -0.3f}, {0.3f, 0.2f, 0.3f}}};
    test_mesh m = make_boxes(boxes, 2);
    toile_penetration p = measure_sheet(&m, place, up * thickness, false);
    test_mesh_free(&m);
    return p;
}

static void cloth_between_parts_is_caught(void **state) {
    (void)state;
    const toile_body_def places[2] = {toile_default_body_def(), somewhere()};
    static const struct {
        float gap, up;
        bool caught, inside;
    } cases[] = {
        {0.8f, 0.4f, true, false},   /* no room */
        {0.8f, 0.2f, true, false},   /* not in the middle */
        {3.0f, 0.5f, false, false},  /* room enough */
        {1.2f, 0.6f, false, false},  /* just */
        {0.5f, -0.3f, true, true},   /* one part has taken it in, the other is over it */
        {2.0f, -0.3f, false, true},  /* that one is far: it penetrates, but nothing pinches it */
        {-40.0f, -20.0f, true, true} /* the parts overlap: winding number 2 */
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        toile_penetration p = measure_gap(&places[i % 2], cases[i / 2].gap, cases[i / 2].up);
        assert_int_equal(p.caught, cases[i / 2].caught ? 9 : 0);
        assert_int_equal(p.count, cases[i / 2].inside ? 17 : 0);
    }
}

/* The two sides of a plate that is thinner than the cloth do not pinch it, in it or beside it. */
static void a_thin_part_catches_nothing(void **state) {
    (void)state;
    float thickness = toile_default_cloth_def().fabric.thickness;
    const float plate[1][2][3] = {{{-0.3f, -0.2f * thickness, -0.3f}, {0.3f, 0.0f, 0.3f}}};
    test_mesh m = make_boxes(plate, 1);
    toile_body_def here = toile_default_body_def();
    for (int i = 0; i < 3; i++) {
        toile_penetration p = measure_sheet(&m, &here, 0.1f * (float)(1 - i) * thickness, false);
        assert_int_equal(p.caught, 0);
        assert_int_equal(p.count, i == 2 ? 17 : 0);
    }
    test_mesh_free(&m);
}

/* A part that is near, but beside a vertex and not over it, does not pinch it. */
static void a_part_beside_catches_nothing(void **state) {
    (void)state;
    float t = toile_default_cloth_def().fabric.thickness;
    toile_body_def here = toile_default_body_def();
    for (int over = 0; over < 2; over++) {
        const float boxes[2][2][3] = {
            {{0.2f, -0.2f, -0.3f}, {0.3f, 0.0f, 0.3f}},
            {{over ? 0.24f : 0.25f + 0.8f * t, 0.3f * t, -0.3f}, {0.4f, 0.2f, 0.3f}}};
        test_mesh m = make_boxes(boxes, 2);
        assert_int_equal(measure_sheet(&m, &here, 0.1f * t, false).caught, over ? 3 : 0);
        test_mesh_free(&m);
    }
}

/* ---- meshes that deform -------------------------------------------------------------------------
 */

/* Its vertices moved by the caller, and the sheet as it was. */
static toile_metrics measure_deformed(const test_mesh *before, const test_mesh *after, bool open) {
    toile_world *world = make_null_world();
    toile_body_def def = mesh_body(before);
    def.shape = TOILE_SHAPE_DEFORMING;
    def.open = open;
    toile_body_id id = add_body(world, &def);
    toile_cloth_def sheet = lying_def(SIDE, 0.2f);
    toile_cloth_id cloth_id = add_cloth(world, &sheet);
    accept_start(world);
    assert_ok(toile_world_move_vertices(world, id, after->positions, after->vertices));
    assert_ok(toile_world_step(world, 0.01f));
    toile_metrics m = measure(world, cloth_id);
    toile_world_destroy(world);
    return m;
}

static void deformed_meshes_are_measured_where_they_are(void **state) {
    (void)state;
    test_mesh before = test_ball(0.4f, 24, 12, NULL), after = test_ball(0.4f, 24, 12, bumps);
    for (size_t v = 0; v < after.vertices; v++) {
        after.positions[3 * v] += 0.11f;
    }
    toile_world *world = make_null_world();
    toile_body_def def = mesh_body(&after);
    add_body(world, &def);
    toile_cloth_def sheet = lying_def(SIDE, 0.2f);
    toile_metrics rigid = measure(world, add_cloth(world, &sheet));
    toile_world_destroy(world);
    toile_metrics moved = measure_deformed(&before, &after, false);
    assert_int_equal(moved.penetration.count, rigid.penetration.count);
    assert_int_equal(moved.penetration.crossings, rigid.penetration.crossings);
    assert_true(moved.penetration.max_depth_m == rigid.penetration.max_depth_m);
    /* Its normals are found otherwise, by a rounding. */
    assert_near(moved.penetration.crossing_depth_m, rigid.penetration.crossing_depth_m, 1e-5);
    assert_true(moved.penetration.count > 0 && moved.penetration.crossings > 0);

    /* Without its lower half: a bowl that opens downwards. The sheet is cut where it was. */
    size_t all = after.triangle_count;
    before.triangle_count = after.triangle_count = all / 2;
    memmove(before.triangles, before.triangles + 3 * (all / 2), 3 * (all / 2) * sizeof(uint32_t));
    moved = measure_deformed(&before, &after, true);
    assert_int_equal(moved.penetration.crossings, rigid.penetration.crossings);
    assert_true(moved.penetration.count > 0);
    test_mesh_free(&before);
    test_mesh_free(&after);
}

/* ---- threads ------------------------------------------------------------------------------------
 */

static void threads_change_no_bit(void **state) {
    (void)state;
    static const float places[2][3] = {{0.0f, 0.0f, 0.0f}, {0.5f, 0.1f, 0.0f}};
    static const float radii[3] = {0.5f, 0.4f, 0.45f};
    test_mesh m = test_balls(places, 2, radii);
    toile_metrics found[2];
    for (int i = 0; i < 2; i++) {
        toile_world *world = make_test_world(i == 0 ? 1 : 3);
        toile_body_def def = mesh_body(&m);
        add_body(world, &def);
        toile_cloth_def sheet = lying_def(101, 0.1f);
        found[i] = measure(world, add_cloth(world, &sheet));
        toile_world_destroy(world);
    }
    assert_memory_equal(&found[0], &found[1], sizeof found[0]);
    assert_true(found[0].penetration.caught > 0 && found[0].penetration.crossings > 0);
    test_mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(winding_numbers_are_sums_of_solid_angles),
        cmocka_unit_test(rays_through_edges_and_vertices_count_once),
        cmocka_unit_test(points_next_to_the_surface_are_on_their_side),
        cmocka_unit_test(counts_are_those_of_all_pairs),
        cmocka_unit_test(a_sheet_through_a_cube_crosses_its_sides),
        cmocka_unit_test(a_needle_between_vertices_is_seen),
        cmocka_unit_test(lying_on_a_face_is_no_crossing),
        cmocka_unit_test(cloth_between_parts_is_caught),
        cmocka_unit_test(a_thin_part_catches_nothing),
        cmocka_unit_test(a_part_beside_catches_nothing),
        cmocka_unit_test(deformed_meshes_are_measured_where_they_are),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
