/* Closed meshes: distances and signs against closed forms, against all triangles one by one and
 * against winding numbers, and what is refused. */
#include "solids.h"

#include "kernel/shape.h"
#include "kernel/triangle.h"
#include "model/body.h"
#include "model/solid.h"

/* A repeatable number from -1 to 1. */
static float noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 8388608.0f - 1.0f;
}

static v3 noise_v3(unsigned *seed) {
    float x = noise(seed), y = noise(seed), z = noise(seed);
    return v3_make(x, y, z);
}

static float spike(size_t vertex) {
    unsigned seed = (unsigned)vertex * 2654435761u + 17u;
    noise(&seed);
    return 0.45f * noise(&seed);
}

static v3 vertex_at(const test_mesh *m, size_t corner) {
    const float *p = m->positions + 3 * (size_t)m->triangles[corner];
    return v3_make(p[0], p[1], p[2]);
}

/* ---- in double, by other formulas ---------------------------------------------------------------
 */

typedef struct dv3 {
    double x, y, z;
} dv3;

static dv3 dv3_from(v3 a, v3 b) { /* from a to b */
    return (dv3){(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
}

static double ddot(dv3 a, dv3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static dv3 dmadd(dv3 a, dv3 b, double s) {
    return (dv3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static dv3 dcross(dv3 a, dv3 b) {
    return (dv3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Ericson, Real-Time Collision Detection, 5.1.5. */
static double triangle_distance(v3 p, v3 a, v3 b, v3 c) {
    dv3 ab = dv3_from(a, b), ac = dv3_from(a, c), ap = dv3_from(a, p), bp = dv3_from(b, p),
        cp = dv3_from(c, p), bc = dv3_from(b, c);
    double d1 = ddot(ab, ap), d2 = ddot(ac, ap), d3 = ddot(ab, bp), d4 = ddot(ac, bp);
    double d5 = ddot(ab, cp), d6 = ddot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    dv3 offset;
    if (d1 <= 0.0 && d2 <= 0.0) {
        offset = ap;
    } else if (d3 >= 0.0 && d4 <= d3) {
        offset = bp;
    } else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        offset = dmadd(ap, ab, -d1 / (d1 - d3));
    } else if (d6 >= 0.0 && d5 <= d6) {
        offset = cp;
    } else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        offset = dmadd(ap, ac, -d2 / (d2 - d6));
    } else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        offset = dmadd(bp, bc, -(d4 - d3) / ((d4 - d3) + (d5 - d6)));
    } else {
        double scale = 1.0 / (va + vb + vc);
        offset = dmadd(dmadd(ap, ab, -vb * scale), ac, -vc * scale);
    }
    return sqrt(ddot(offset, offset));
}

static double nearest_of_all(const test_mesh *m, v3 p) {
    double best = INFINITY;
    for (size_t t = 0; t < m->triangle_count; t++) {
        double d = triangle_distance(p, vertex_at(m, 3 * t), vertex_at(m, 3 * t + 1),
                                     vertex_at(m, 3 * t + 2));
        best = fmin(best, d);
    }
    return best;
}

/* How often the surface goes around a point, by the solid angles of its triangles (van Oosterom and
 * Strackee 1983). */
static double winding_number(const test_mesh *m, v3 p) {
    double sum = 0.0;
    for (size_t t = 0; t < m->triangle_count; t++) {
        dv3 a = dv3_from(p, vertex_at(m, 3 * t)), b = dv3_from(p, vertex_at(m, 3 * t + 1)),
            c = dv3_from(p, vertex_at(m, 3 * t + 2));
        double la = sqrt(ddot(a, a)), lb = sqrt(ddot(b, b)), lc = sqrt(ddot(c, c));
        double below = la * lb * lc + ddot(a, b) * lc + ddot(b, c) * la + ddot(c, a) * lb;
        sum += 2.0 * atan2(ddot(a, dcross(b, c)), below);
    }
    return sum / (4.0 * 3.14159265358979323846);
}

/* ---- distances ----------------------------------------------------------------------------------
 */

/* The formula by itself, for triangles of any shape and points from beside them to a thousand edges
 * away; and the part that is nearest, wherever the nearest point is clearly within it. */
static void test_triangle_formula(void **state) {
    (void)state;
    unsigned seed = 8;
    int parts[7] = {0};
    for (int i = 0; i < 100000; i++) {
        float size = i % 3 == 0 ? 1e-3f : 1.0f;
        v3 a = v3_scale(noise_v3(&seed), size), b = v3_scale(noise_v3(&seed), size),
           c = v3_scale(noise_v3(&seed), size), p = v3_scale(noise_v3(&seed), 1.5f);
        v3 cross = v3_cross(v3_sub(b, a), v3_sub(c, a));
        if (v3_dot(cross, cross) < 1e-4f * size * size * size * size) {
            continue;
        }
        v4 offset = triangle_offset(p, a, b, c, v3_scale(cross, v3_inverse_length(cross)));
        v3 foot = v3_sub(p, v4_xyz(offset));
        double distance = sqrt((double)v3_dot(v4_xyz(offset), v4_xyz(offset)));
        assert_near(distance, triangle_distance(p, a, b, c), 3e-6);
        assert_near(triangle_distance(foot, a, b, c), 0.0, 3e-6); /* it is on the triangle */
        int part = (int)offset.w;
        parts[part]++;
        const v3 corners[3] = {a, b, c};
        if (part >= 1 && part <= 3) {
            v3 d = v3_sub(foot, corners[part - 1]);
            assert_near((double)v3_dot(d, d), 0.0, 1e-12);
        } else if (part >= 4) { /* on the line between its corners */
            v3 along = v3_sub(corners[(part - 3) % 3], corners[part - 4]);
            v3 area = v3_cross(v3_sub(foot, corners[part - 4]), along);
            assert_near(sqrt((double)v3_dot(area, area)), 0.0, 3e-6 * (double)size);
        }
    }
    for (int part = 0; part < 7; part++) {
        assert_true(parts[part] > 1000);
    }
}

/* Rounding of places about a metre from the origin, with the few operations in between. */
static const double ROUNDING = 1e-6;

static solid make_solid(const test_mesh *m) {
    solid s;
    toile_mesh_def def = test_mesh_def(m);
    assert_ok(solid_create(&s, &def));
    return s;
}

/* Normal and distance belong together: the point less distance times normal is on the surface. */
static void check_normal(const test_mesh *m, v3 p, v4 hit) {
    v3 n = v4_xyz(hit);
    assert_near((double)v3_dot(n, n), 1.0, 1e-5);
    assert_near(nearest_of_all(m, v3_madd(p, n, -hit.w)), 0.0, 2.0 * ROUNDING);
}

static void check_point(const test_mesh *m, const solid *s, v3 p) {
    v4 hit = solid_distance(s, p, INFINITY);
    double distance = nearest_of_all(m, p);
    assert_near(fabs((double)hit.w), distance, ROUNDING);
    check_normal(m, p, hit);
    if (distance > 5.0 * ROUNDING) {
        double winding = winding_number(m, p);
        assert_near(winding, hit.w < 0.0f ? 1.0 : 0.0, 0.01);
    }
}

/* Points all over, near faces, and so near to edges and vertices that the sign depends on their
 * pseudonormals. */
static void check_mesh(const test_mesh *m, int points) {
    solid s = make_solid(m);
    unsigned seed = 5;
    for (int i = 0; i < points; i++) {
        check_point(m, &s, v3_scale(noise_v3(&seed), 1.6f));
        size_t corner = 3 * ((size_t)(seed >> 5) % m->triangle_count);
        v3 a = vertex_at(m, corner), b = vertex_at(m, corner + 1), c = vertex_at(m, corner + 2);
        float t = 0.5f + 0.5f * noise(&seed), near = i % 2 ? 0.05f : 1e-4f;
        v3 on_edge = v3_madd(a, v3_sub(b, a), t);
        check_point(m, &s, v3_madd(a, noise_v3(&seed), near));
        check_point(m, &s, v3_madd(on_edge, noise_v3(&seed), near));
        check_point(m, &s, v3_madd(v3_madd(on_edge, v3_sub(c, on_edge), t), noise_v3(&seed), near));
    }
    solid_free(&s);
}

static void test_ball_torus_and_spikes_against_all_triangles(void **state) {
    (void)state;
    test_mesh meshes[] = {test_cube(0.5f), test_ball(1.0f, 16, 8, NULL),
                          test_torus(0.7f, 0.3f, 24, 10), test_ball(1.0f, 14, 9, spike)};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        check_mesh(&meshes[i], 800);
        test_mesh_free(&meshes[i]);
    }
}

static void test_cube_is_a_box(void **state) {
    (void)state;
    test_mesh m = test_cube(0.5f);
    solid s = make_solid(&m);
    assert_near(s.volume, 1.0, 1e-12);
    unsigned seed = 1;
    v3 half = v3_make(0.5f, 0.5f, 0.5f);
    for (int i = 0; i < 20000; i++) {
        v3 p = noise_v3(&seed);
        v4 hit = solid_distance(&s, p, INFINITY), wanted = box_distance(p, half);
        assert_near((double)hit.w, (double)wanted.w, ROUNDING);
        if (wanted.w > 0.01f) { /* inside, two faces may be as near */
            assert_near((double)v3_dot(v4_xyz(hit), v4_xyz(wanted)), 1.0, 1e-4);
        }
    }
    solid_free(&s);
    test_mesh_free(&m);
}

/* A chord of a circle lies (edge / 2)^2 / 2 r below it, at most. */
static void test_ball_and_torus_are_round(void **state) {
    (void)state;
    test_mesh ball = test_ball(1.0f, 200, 100, NULL), torus = test_torus(0.7f, 0.3f, 200, 80);
    solid s = make_solid(&ball), t = make_solid(&torus);
    const double pi = 3.14159265358979;
    assert_near(s.volume, 4.0 / 3.0 * pi, 0.01);
    assert_near(t.volume, 2.0 * pi * pi * 0.7 * 0.09, 0.01);
    unsigned seed = 2;
    for (int i = 0; i < 20000; i++) {
        v3 p = v3_scale(noise_v3(&seed), 1.5f);
        double x = (double)p.x, y = (double)p.y, z = (double)p.z;
        double from_ball = sqrt(x * x + y * y + z * z) - 1.0;
        double from_torus = hypot(hypot(x, z) - 0.7, y) - 0.3;
        assert_near((double)solid_distance(&s, p, INFINITY).w, from_ball, 1.5e-3);
        assert_near((double)solid_distance(&t, p, INFINITY).w, from_torus, 1.5e-3);
    }
    /* deep inside, where everything is as far */
    assert_near((double)solid_distance(&s, v3_make(0.0f, 0.0f, 0.0f), INFINITY).w, -1.0, 1.5e-3);
    solid_free(&s);
    solid_free(&t);
    test_mesh_free(&ball);
    test_mesh_free(&torus);
}

/* On an edge of the cube the pseudonormal is between its faces, on a corner between three. */
static void test_normals_on_the_surface(void **state) {
    (void)state;
    test_mesh m = test_cube(0.5f);
    solid s = make_solid(&m);
    const float r2 = 0.70710678f, r3 = 0.57735027f;
    const struct {
        v3 at, normal;
    } cases[] = {
        {{0.5f, 0.2f, 0.1f}, {1.0f, 0.0f, 0.0f}},   {{0.1f, 0.2f, -0.5f}, {0.0f, 0.0f, -1.0f}},
        {{0.25f, 0.25f, 0.5f}, {0.0f, 0.0f, 1.0f}}, /* on a diagonal or beside it */
        {{0.5f, 0.5f, 0.1f}, {r2, r2, 0.0f}},       {{0.1f, -0.5f, 0.5f}, {0.0f, -r2, r2}},
        {{0.5f, 0.5f, 0.5f}, {r3, r3, r3}},         {{-0.5f, 0.5f, -0.5f}, {-r3, r3, -r3}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        v4 hit = solid_distance(&s, cases[i].at, INFINITY);
        assert_near((double)hit.w, 0.0, 1e-7);
        assert_near((double)hit.x, (double)cases[i].normal.x, 1e-6);
        assert_near((double)hit.y, (double)cases[i].normal.y, 1e-6);
        assert_near((double)hit.z, (double)cases[i].normal.z, 1e-6);
    }
    solid_free(&s);
    test_mesh_free(&m);
}

static bool same_bits(v4 a, v4 b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Beyond reach is far, on both sides; within it, reach makes no difference. */
static void test_reach(void **state) {
    (void)state;
    test_mesh m = test_ball(1.0f, 30, 16, spike);
    solid s = make_solid(&m);
    unsigned seed = 3;
    int near = 0;
    for (int i = 0; i < 5000; i++) {
        v3 p = v3_scale(noise_v3(&seed), 1.5f);
        v4 all = solid_distance(&s, p, INFINITY), some = solid_distance(&s, p, 0.05f);
        if (fabsf(all.w) < 0.05f) {
            near++;
            assert_true(same_bits(all, some));
        } else {
            assert_true(isinf(some.w) && some.w > 0.0f);
            assert_true(some.x == 0.0f && some.y == 0.0f && some.z == 0.0f);
        }
    }
    assert_true(near > 200);
    assert_true(isinf(solid_distance(&s, v3_make(NAN, 0.0f, 0.0f), INFINITY).w));
    assert_true(isinf(solid_distance(&s, v3_make(0.0f, INFINITY, 0.0f), 1.0f).w));
    solid_free(&s);
    test_mesh_free(&m);
}

/* In the middle of the cube all faces are as near: the first triangle decides, which is that of the
 * caller and not that of the tree. */
static void test_ties_go_to_the_first_triangle(void **state) {
    (void)state;
    test_mesh m = test_cube(0.5f);
    for (size_t turn = 0; turn < m.triangle_count; turn++) {
        solid s = make_solid(&m);
        v3 a = vertex_at(&m, 0), b = vertex_at(&m, 1), c = vertex_at(&m, 2);
        v3 normal = v3_cross(v3_sub(b, a), v3_sub(c, a));
        v4 hit = solid_distance(&s, v3_make(0.0f, 0.0f, 0.0f), INFINITY);
        assert_near((double)hit.w, -0.5, 0.0);
        assert_near((double)v3_dot(v4_xyz(hit), normal), 1.0, 0.0);
        solid_free(&s);
        uint32_t first[3];
        memcpy(first, m.triangles, sizeof first);
        memmove(m.triangles, m.triangles + 3, (3 * m.triangle_count - 3) * sizeof(uint32_t));
        memcpy(m.triangles + 3 * m.triangle_count - 3, first, sizeof first);
    }
    test_mesh_free(&m);
}

static uint64_t hash_floats(uint64_t hash, const void *data, size_t size) {
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

/* The same on every machine, compiler and optimisation. Places are multiples of powers of two, for
 * the C library's sines are not the same everywhere. */
static void test_bits_are_kept(void **state) {
    (void)state;
    test_mesh m = test_torus(0.7f, 0.3f, 40, 20);
    for (size_t i = 0; i < 3 * m.vertices; i++) {
        m.positions[i] = roundf(m.positions[i] * 4096.0f) / 4096.0f;
    }
    solid s = make_solid(&m);
    uint64_t hash = UINT64_C(14695981039346656037);
    hash = hash_floats(hash, s.part_normals, SOLID_PARTS * s.triangle_count * sizeof(v3));
    unsigned seed = 4;
    for (int i = 0; i < 5000; i++) {
        v4 hit = solid_distance(&s, noise_v3(&seed), INFINITY);
        hash = hash_floats(hash, &hit, sizeof hit);
    }
    if (hash != UINT64_C(0x1845a4f56ff7e64d)) {
        fail_msg("the hash is 0x%016llx", (unsigned long long)hash);
    }
    solid_free(&s);
    test_mesh_free(&m);
}

/* Each node's boxes hold what is below them, and every triangle is in one leaf. */
static size_t check_tree(const solid *s, uint32_t index, int depth, bool *seen) {
    assert_true(index < s->node_count && depth < 24);
    const solid_node *node = &s->nodes[index];
    size_t count = 0;
    for (int child = 0; child < 2; child++) {
        v3 low = node->low[child], high = node->high[child];
        if (node->count[child] == 0) {
            count += check_tree(s, node->first[child], depth + 1, seen);
            continue;
        }
        for (uint32_t i = node->first[child]; i < node->first[child] + node->count[child]; i++) {
            const v3 corners[3] = {s->faces[i].a, s->faces[i].b, s->faces[i].c};
            for (int k = 0; k < 3; k++) {
                v3 p = corners[k];
                assert_true(p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x &&
                            p.y <= high.y && p.z <= high.z);
            }
            assert_false(seen[s->face_triangle[i]]);
            seen[s->face_triangle[i]] = true;
            count++;
        }
    }
    return count;
}

static void test_tree_holds_every_triangle_once(void **state) {
    (void)state;
    for (uint32_t columns = 3; columns < 40; columns += 4) {
        test_mesh m = test_ball(1.0f, columns, 3 + columns / 2, NULL);
        solid s = make_solid(&m);
        bool *seen = calloc(s.triangle_count, sizeof *seen);
        assert_non_null(seen);
        assert_int_equal(check_tree(&s, 0, 0, seen), m.triangle_count);
        free(seen);
        solid_free(&s);
        test_mesh_free(&m);
    }
}

/* Two balls, apart. */
static void test_several_parts(void **state) {
    (void)state;
    test_mesh one = test_ball(0.3f, 16, 8, NULL);
    test_mesh m = test_mesh_make(2 * one.vertices, 2 * one.triangle_count);
    for (size_t i = 0; i < 3 * m.vertices; i++) {
        bool second = i >= 3 * one.vertices;
        m.positions[i] = one.positions[i % (3 * one.vertices)] + (second && i % 3 == 0 ? 1.0f : 0);
    }
    for (size_t i = 0; i < 3 * m.triangle_count; i++) {
        bool second = i >= 3 * one.triangle_count;
        m.triangles[i] =
            one.triangles[i % (3 * one.triangle_count)] + (second ? (uint32_t)one.vertices : 0);
    }
    check_mesh(&m, 200);
    /* the second turned inside out */
    for (size_t t = one.triangle_count; t < m.triangle_count; t++) {
        uint32_t b = m.triangles[3 * t + 1];
        m.triangles[3 * t + 1] = m.triangles[3 * t + 2];
        m.triangles[3 * t + 2] = b;
    }
    solid s;
    toile_mesh_def def = test_mesh_def(&m);
    assert_int_equal(solid_create(&s, &def), TOILE_ERROR_INVALID);
    assert_message("a further part, with triangle 224");
    assert_message("inside out");
    test_mesh_free(&one);
    test_mesh_free(&m);
}

/* ---- refusals -----------------------------------------------------------------------------------
 */

static void expect_refusal(const toile_mesh_def *def, const char *first, const char *second) {
    solid s;
    assert_int_equal(solid_create(&s, def), TOILE_ERROR_INVALID);
    assert_message(first);
    assert_message(second);
    assert_null(s.positions);
}

static void test_bad_meshes(void **state) {
    (void)state;
    test_mesh m = test_cube(0.5f);
    toile_mesh_def def = test_mesh_def(&m);

    toile_mesh_def open = def;
    open.triangle_count = 11;
    expect_refusal(&open, "belongs to triangle 0 only", "open");
    assert_message("one of 3 such edges");

    toile_mesh_def empty = {0};
    expect_refusal(&empty, "0 vertices and 0 triangles", "expected a surface");
    toile_mesh_def huge = def;
    huge.triangle_count = (size_t)SOLID_TRIANGLES + 1;
    expect_refusal(&huge, "4194305 triangles", "expected at most 4194304");

    uint32_t kept[3];
    memcpy(kept, m.triangles + 9, sizeof kept);
    m.triangles[10] = kept[2];
    m.triangles[11] = kept[1];
    expect_refusal(&def, "triangles 3 and 4", "turned over");
    m.triangles[10] = 8;
    expect_refusal(&def, "triangle 3 has vertex 8", "expected one below 8");
    m.triangles[10] = kept[0];
    m.triangles[11] = kept[2];
    expect_refusal(&def, "triangle 3 (vertices 1, 1, 5)", "degenerate");
    memcpy(m.triangles + 9, kept, sizeof kept);

    float x = m.positions[9];
    m.positions[9] = NAN;
    expect_refusal(&def, "vertex 3 is at (nan", "expected numbers from");
    m.positions[9] = -INFINITY;
    expect_refusal(&def, "vertex 3 is at (-inf", "expected numbers from");
    m.positions[9] = 1.1e4f;
    expect_refusal(&def, "vertex 3 is at (11000", "expected numbers from");
    m.positions[9] = x;

    for (size_t t = 0; t < 12; t++) {
        uint32_t b = m.triangles[3 * t + 1];
        m.triangles[3 * t + 1] = m.triangles[3 * t + 2];
        m.triangles[3 * t + 2] = b;
    }
    expect_refusal(&def, "its volume is -1 m^3", "inside out");
    test_mesh_free(&m);
}

/* A needle that is not degenerate is kept; one whose height is rounding is not. */
static void test_thin_triangles(void **state) {
    (void)state;
    float positions[12] = {0.0f, 0.0f,  0.0f, 1.0f, 0.0f, 0.0f,
                           0.5f, 1e-4f, 0.0f, 0.5f, 0.0f, 1e-4f};
    const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    toile_mesh_def def = {positions, 4, triangles, 4};
    solid s;
    assert_ok(solid_create(&s, &def));
    assert_near((double)solid_distance(&s, v3_make(0.5f, -0.1f, 0.0f), 1.0f).w, 0.1, 1e-6);
    assert_true(solid_distance(&s, v3_make(0.5f, 2e-5f, 2e-5f), 1.0f).w < 0.0f);
    solid_free(&s);
    positions[7] = 1e-7f;
    expect_refusal(&def, "triangle 0 (vertices 0, 2, 1) at (0, 0, 0)", "degenerate");
}

/* Three sheets at an edge. */
static void test_not_manifold(void **state) {
    (void)state;
    float positions[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, -1, -1};
    const uint32_t fins[15] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 0, 1, 4};
    toile_mesh_def def = {positions, 5, fins, 5};
    expect_refusal(&def, "belongs to 3 triangles, among them 0, 1 and 4", "vertices 0 and 1");
}

/* Two tips that touch in a point: the sum of all normals there is nothing, those of each tip tell
 * inside from outside. */
static void test_sheets_that_touch_in_a_point(void **state) {
    (void)state;
    test_mesh m = test_mesh_make(7, 8);
    const float corner[21] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, -1, 0, 0, 0, -1};
    const uint32_t two[24] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3,
                              0, 4, 5, 0, 6, 4, 0, 5, 6, 4, 6, 5};
    memcpy(m.positions, corner, sizeof corner);
    memcpy(m.triangles, two, sizeof two);
    check_mesh(&m, 500);
    test_mesh_free(&m);
}

/* A sheet of two sides without anything between them. */
static void test_flat(void **state) {
    (void)state;
    float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 1};
    toile_mesh_def def = {positions, 3, triangles, 2};
    expect_refusal(&def, "its volume is 0 m^3", "flat");
}

/* ---- bodies -------------------------------------------------------------------------------------
 */

static toile_body_def mesh_body(const test_mesh *m) {
    toile_body_def def = toile_default_body_def();
    def.name = "stone";
    def.shape = TOILE_SHAPE_MESH;
    def.mesh = test_mesh_def(m);
    return def;
}

static void test_body_keeps_its_own_mesh(void **state) {
    (void)state;
    test_mesh m = test_cube(0.25f);
    toile_world_def world_def = test_world_def();
    toile_world *world = make_world(&world_def);
    toile_body_def def = mesh_body(&m);
    def.center[1] = 1.0f;
    def.rotate[2] = 90.0f;
    toile_body_id id = toile_world_add_body(world, &def);
    assert_true(id.slot != 0);
    test_mesh_free(&m);
    toile_body_def kept = toile_body_get_def(world, id);
    assert_int_equal(kept.shape, TOILE_SHAPE_MESH);
    assert_int_equal(kept.mesh.vertices, 8);
    assert_int_equal(kept.mesh.triangle_count, 12);
    assert_near((double)kept.mesh.positions[0], -0.25, 0.0);
    assert_int_equal(kept.mesh.triangles[1], 4);
    toile_pose at = toile_body_get_pose(world, id);
    assert_near((double)at.position[1], 1.0, 0.0);
    assert_near((double)at.rotation[2], sqrt(0.5), 1e-6);
    assert_ok(toile_world_step(world, 0.1f)); /* no cloth, so nothing to keep out of it */
    toile_world_remove_body(world, id);
    toile_world_destroy(world);
}

static void test_collision_with_shapes_refuses_meshes(void **state) {
    (void)state;
    test_mesh m = test_cube(0.25f);
    toile_world_def world_def = test_world_def();
    world_def.collision = TOILE_COLLISION_SHAPES;
    toile_world *world = make_world(&world_def);
    toile_body_def stone = mesh_body(&m);
    toile_body_id id = toile_world_add_body(world, &stone);
    toile_cloth_def cloth = toile_default_cloth_def();
    cloth.spacing = 0.1f;
    cloth.fabric = toile_fabric_named("cotton");
    cloth.transform.translate[2] = 1.0f;
    assert_true(toile_world_add_cloth(world, &cloth).slot != 0);
    assert_int_equal(toile_world_step(world, 0.01f), TOILE_ERROR_INVALID);
    assert_message("body 'stone' is a mesh");
    assert_near(toile_world_time(world), 0.0, 0.0);
    toile_world_remove_body(world, id);
    assert_ok(toile_world_step(world, 0.01f));
    toile_world_destroy(world);
    test_mesh_free(&m);
}

/* The same world with a box and with a mesh of that box measures the same. */
static void test_penetration_of_a_mesh_is_that_of_its_shape(void **state) {
    (void)state;
    test_mesh m = test_cube(0.25f);
    toile_metrics metrics[2];
    for (int mesh = 0; mesh < 2; mesh++) {
        toile_world_def world_def = test_world_def();
        toile_world *world = make_world(&world_def);
        toile_body_def stone = mesh_body(&m);
        stone.shape = mesh ? TOILE_SHAPE_MESH : TOILE_SHAPE_BOX;
        stone.center[0] = 0.1f;
        stone.rotate[0] = 30.0f;
        assert_true(toile_world_add_body(world, &stone).slot != 0);
        toile_cloth_def cloth = toile_default_cloth_def();
        cloth.spacing = 0.037f;
        cloth.fabric = toile_fabric_named("cotton");
        toile_cloth_id id = toile_world_add_cloth(world, &cloth);
        assert_true(id.slot != 0);
        assert_ok(toile_world_measure(world, id, &metrics[mesh]));
        toile_world_destroy(world);
    }
    assert_true(metrics[0].penetration.count > 300);
    assert_int_equal(metrics[1].penetration.count, metrics[0].penetration.count);
    assert_near(metrics[1].penetration.max_depth_m, metrics[0].penetration.max_depth_m, 1e-6);
    assert_true(metrics[0].penetration.max_depth_m > 0.2);
    test_mesh_free(&m);
}

/* Outside, depth is no deeper than the distance; inside it is the distance. */
static void test_depth_is_a_bound(void **state) {
    (void)state;
    test_mesh m = test_ball(1.0f, 14, 9, spike);
    toile_body_def def = mesh_body(&m);
    body b;
    assert_ok(body_create(&b, &def));
    unsigned seed = 9;
    for (int i = 0; i < 5000; i++) {
        v3 p = v3_scale(noise_v3(&seed), 3.0f);
        double depth = (double)body_depth(&b, p), distance = (double)body_distance(&b, p).w;
        assert_true(distance < 0.0 ? depth == -distance : depth <= 0.0 && depth >= -distance);
    }
    body_free(&b);
    test_mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangle_formula),
        cmocka_unit_test(test_ball_torus_and_spikes_against_all_triangles),
        cmocka_unit_test(test_cube_is_a_box),
        cmocka_unit_test(test_ball_and_torus_are_round),
        cmocka_unit_test(test_normals_on_the_surface),
        cmocka_unit_test(test_reach),
        cmocka_unit_test(test_ties_go_to_the_first_triangle),
        cmocka_unit_test(test_bits_are_kept),
        cmocka_unit_test(test_tree_holds_every_triangle_once),
        cmocka_unit_test(test_several_parts),
        cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_thin_triangles),
        cmocka_unit_test(test_not_manifold),
        cmocka_unit_test(test_sheets_that_touch_in_a_point),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_body_keeps_its_own_mesh),
        cmocka_unit_test(test_collision_with_shapes_refuses_meshes),
        cmocka_unit_test(test_penetration_of_a_mesh_is_that_of_its_shape),
        cmocka_unit_test(test_depth_is_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
