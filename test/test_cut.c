/* Triangles that cut each other: by hand, in all states of touching, and against arithmetic of
 * whole numbers. */
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#include "model/cut.h"
#include "step/intersect.h"

/* ---- by hand ------------------------------------------------------------------------------------
 */

typedef struct hand_case {
    const char *what;
    float corners[2][3][3];
    cut_kind kind;
} hand_case;

/* The first one lies in the plane y = 0, unless it says otherwise. */
#define FLOOR                                                                                      \
    {                                                                                              \
        {-1, 0, -1}, {-1, 0, 3}, {                                                                 \
            3, 0, -1                                                                               \
        }                                                                                          \
    }

static const hand_case CASES[] = {
    {"an edge through the inside", {FLOOR, {{0, -1, 0}, {0, 1, 0}, {5, 1, 0}}}, CUT_THROUGH},
    {"edges through edges at both ends",
     {{{-1, 0, 0}, {1, 0, 0}, {0, 0, 2}}, {{-1, 0, 0}, {1, 0, 0}, {0, 2, 0}}},
     CUT_NONE /* they share the line of an edge, and lie on one side of it */},
    {"edges through edges, the pieces the same",
     {{{0, -1, 0}, {0, 1, 0}, {2, 0, 0}}, {{0, 0, -1}, {0, 0, 1}, {2, 0, 0}}},
     CUT_THROUGH},
    {"an edge on an edge, crossing it in a point",
     {{{-1, 0, 0}, {1, 0, 0}, {0, 0, -2}}, {{0, -1, 0}, {0, 1, 0}, {0, 0, 2}}},
     CUT_NONE},
    {"an edge across an edge, and over it",
     {{{-1, 0, 0}, {1, 0, 0}, {0, 0, -2}}, {{0, -1, -1}, {0, 1, -1}, {0, 0, 2}}},
     CUT_THROUGH},
    {"an edge on a face: a T", {FLOOR, {{0, 0, 0}, {1, 0, 0}, {0.5f, 1, 0}}}, CUT_NONE},
    {"a vertex on a face", {FLOOR, {{0, 0, 0}, {-1, 1, 0}, {1, 1, 0}}}, CUT_NONE},
    {"a vertex in a face, the others on both sides",
     {FLOOR, {{0, 0, 0}, {-0.5f, 9, 0}, {-0.5f, -9, 0}}},
     CUT_THROUGH},
    {"an edge through a vertex, and over the rest",
     {{{0, 0, 0}, {-1, 0, 1}, {1, 0, 1}}, {{0, -1, 0}, {0, 1, 0}, {0, 0, 1}}},
     CUT_THROUGH},
    {"an edge through a vertex, and away from the rest",
     {{{0, 0, 0}, {-1, 0, -1}, {1, 0, -1}}, {{0, -1, 0}, {0, 1, 0}, {0, 0, 1}}},
     CUT_NONE},
    {"beyond the rim", {FLOOR, {{2, -1, 2}, {2, 1, 2}, {3, 0, 2}}}, CUT_NONE},
    {"parallel, a rounding apart",
     {FLOOR, {{-1, 1e-30f, -1}, {-1, 1e-30f, 3}, {3, 1e-30f, -1}}},
     CUT_NONE},
    {"in one plane, partly covered", {FLOOR, {{0, 0, 0}, {0, 0, 4}, {4, 0, 0}}}, CUT_TOGETHER},
    {"in one plane, all of it inside",
     {FLOOR, {{-0.5f, 0, -0.5f}, {0, 0, -0.5f}, {-0.5f, 0, 0}}},
     CUT_TOGETHER},
    {"in one plane, a star of two",
     {{{-1, 0, -1}, {1, 0, -1}, {0, 0, 2}}, {{-1, 0, 1}, {1, 0, 1}, {0, 0, -2}}},
     CUT_TOGETHER},
    {"the same", {FLOOR, FLOOR}, CUT_TOGETHER},
    {"in one plane, an edge along an edge",
     {FLOOR, {{-1, 0, -1}, {-1, 0, 3}, {-4, 0, 0}}},
     CUT_NONE},
    {"in one plane, overlapping by rounding",
     {FLOOR, {{-0.999999f, 0, -1}, {-0.999999f, 0, 3}, {-4, 0, 0}}},
     CUT_NONE},
    {"in one plane, apart", {FLOOR, {{5, 0, 5}, {6, 0, 5}, {5, 0, 6}}}, CUT_NONE},
    {"a needle through a face", {FLOOR, {{0, -1, 0}, {0, 2, 0}, {0, 1, 0}}}, CUT_THROUGH},
    {"a needle in a plane", {FLOOR, {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}}}, CUT_NONE},
};

/* Somewhere: whole turns and shifts by powers of two change no bit of what is to be found. */
static void place(const float from[3][3], int turn, bool back, double out[3][3]) {
    for (int k = 0; k < 9; k++) {
        int corner = back ? 2 - k / 3 : (k / 3 + turn) % 3;
        out[k / 3][(k + turn) % 3] = (double)(from[corner][k % 3] * 0.125f);
    }
}

static void cases_by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        for (int way = 0; way < 36; way++) {
            double t[2][3][3];
            int turn = way % 3, other = way / 3 % 3, back = way / 9;
            place(CASES[i].corners[0], turn, back & 1, t[0]);
            /* Axes are turned alike, corners apart. */
            double placed[3][3];
            place(CASES[i].corners[1], turn, back & 2, placed);
            for (int k = 0; k < 3; k++) {
                memcpy(t[1][k], placed[(k + other) % 3], sizeof placed[0]);
            }
            cut_kind found = triangles_cut(t[way % 2], t[1 - way % 2]);
            if (found != CASES[i].kind) {
                fail_msg("%s: found %d", CASES[i].what, (int)found);
            }
        }
    }
}

/* Planes that no float lies in but the corners: rounding would tell any sign. */
static void the_same_place_is_no_matter_of_rounding(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        double t[2][3][3];
        for (int k = 0; k < 9; k++) {
            t[0][k / 3][k % 3] = (double)(sinf((float)(9 * i + k)) * 1.7f);
        }
        for (int k = 0; k < 3; k++) {
            memcpy(t[1][k], t[0][(k + i) % 3], sizeof t[0][0]);
        }
        assert_int_equal(triangles_cut(t[0], t[1]), CUT_TOGETHER);
        for (int k = 0; k < 3; k++) { /* beyond an edge that both have */
            t[1][0][k] = (double)(float)(t[1][1][k] + t[1][2][k] - t[1][0][k]);
        }
        assert_int_equal(triangles_cut(t[0], t[1]), CUT_NONE);
    }
}

/* ---- whole numbers ------------------------------------------------------------------------------
 */

typedef long long whole[3];

static void whole_normal(const whole t[3], whole n) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] =
            (t[1][i] - t[0][i]) * (t[2][j] - t[0][j]) - (t[1][j] - t[0][j]) * (t[2][i] - t[0][i]);
    }
}

static long long whole_dot(const whole a, const whole b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Where a triangle meets a plane, along a direction. false: it does not have corners on both
 * sides. */
static bool find_piece(const whole t[3], const whole normal, const whole on, const whole along,
                       double piece[2]) {
    long long height[3];
    bool above = false, below = false;
    piece[0] = INFINITY;
    piece[1] = -INFINITY;
    for (int k = 0; k < 3; k++) {
        height[k] = whole_dot(normal, t[k]) - whole_dot(normal, on);
        above = above || height[k] > 0;
        below = below || height[k] < 0;
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        double at = (double)whole_dot(along, t[k]), to = (double)whole_dot(along, t[next]);
        if (height[k] != 0 && (height[k] < 0) != (height[next] < 0)) {
            at += (to - at) * (double)height[k] / (double)(height[k] - height[next]);
        } else if (height[k] != 0) {
            continue;
        }
        piece[0] = fmin(piece[0], at);
        piece[1] = fmax(piece[1], at);
    }
    return above && below;
}

static bool cuts_by_pieces(const whole a[3], const whole b[3]) {
    whole na, nb, along;
    whole_normal(a, na);
    whole_normal(b, nb);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        along[k] = na[i] * nb[j] - na[j] * nb[i];
    }
    double of_a[2], of_b[2];
    return find_piece(a, nb, b[0], along, of_a) && find_piece(b, na, a[0], along, of_b) &&
           fmin(of_a[1], of_b[1]) - fmax(of_a[0], of_b[0]) > 1e-9;
}

/* On a lattice so small that most corners lie in planes and on edges of others. */
static void lattices_cut_as_whole_numbers_say(void **state) {
    (void)state;
    uint32_t random = 1;
    int cut = 0, pairs = 0;
    while (pairs < 200000) {
        whole t[2][3], normal;
        double corners[2][3][3];
        bool flat = false;
        for (int k = 0; k < 18; k++) {
            random = 1664525u * random + 1013904223u;
            t[k / 9][k / 3 % 3][k % 3] = (long long)(random >> 16) % 4;
            corners[k / 9][k / 3 % 3][k % 3] = (double)t[k / 9][k / 3 % 3][k % 3];
        }
        for (int i = 0; i < 2; i++) {
            whole_normal((const whole *)t[i], normal);
            flat = flat || whole_dot(normal, normal) == 0;
        }
        if (flat) {
            continue;
        }
        bool expected = cuts_by_pieces((const whole *)t[0], (const whole *)t[1]);
        assert_int_equal(triangles_cut(corners[0], corners[1]) == CUT_THROUGH, expected);
        cut += expected;
        pairs++;
    }
    assert_true(cut > pairs / 20);
}

/* ---- meshes -------------------------------------------------------------------------------------
 */

static uint64_t count_in(const float *positions, size_t vertices, const uint32_t *indices,
                         size_t triangles) {
    uint64_t count;
    bool whole_count;
    assert_ok(count_intersections(positions, vertices, indices, triangles, UINT64_MAX, &count,
                                  &whole_count));
    assert_true(whole_count);
    return count;
}

/* Two triangles around an edge, the second one turned about it. */
static void neighbours_at_an_edge_cannot_cut(void **state) {
    (void)state;
    static const uint32_t both[6] = {0, 1, 2, 2, 1, 3};
    for (int i = 0; i <= 64; i++) {
        float angle = 3.14159265f * (float)i / 32.0f;
        float x[12] = {0.3f, 0, 0, 0, 0, 0.1f, 0, 0, 0.9f, 0.3f * cosf(angle), 0.3f * sinf(angle)};
        assert_int_equal(count_in(x, 4, both, 2), 0); /* at 0 folded onto each other */
        x[9] = x[0];
        x[10] = x[11] = 0.0f;
        assert_int_equal(count_in(x, 4, both, 2), 0); /* to the bit */
    }
}

static void neighbours_at_a_vertex_cut_where_they_go_through(void **state) {
    (void)state;
    static const uint32_t both[6] = {0, 1, 2, 0, 3, 4};
    static const struct {
        float second[2][3];
        uint64_t cuts;
    } cases[] = {
        {{{1, 1, 0.5f}, {1, -1, 0.5f}}, 1}, /* its edge through the first one's inside */
        {{{3, 1, 1.5f}, {3, -1, 1.5f}}, 1}, /* the first one's edge through it */
        {{{1, 1, 1}, {1, -1, 1}}, 0},       /* it ends beside the first one: along the edge */
        {{{-1, 1, -1}, {-1, -1, -1}}, 0},   /* on the other side of the vertex */
        {{{1, 1, 0.5f}, {1, 2, 0.5f}}, 0},  /* on one side of it */
        {{{2, 0, 0.5f}, {0.5f, 0, 2}}, 0},  /* folded flat onto it */
        {{{2, 0, 0}, {0, 0, 2}}, 0},        /* in the same place */
        {{{-2, 0, 0}, {0, 0, -2}}, 0},      /* flat */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float x[15] = {0, 0, 0, 2, 0, -0.01f, -0.01f, 0, 2};
        if (i == 2) { /* the first one's edge goes along there */
            x[3] = 2, x[5] = 2;
        }
        if (i == 6) {
            x[5] = x[6] = 0;
        }
        memcpy(x + 9, cases[i].second, 6 * sizeof *x);
        assert_int_equal(count_in(x, 5, both, 2), cases[i].cuts);
    }
}

enum { SIDE = 9, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

/* Two sheets that lie across, the second one as `corner` says from the first one. */
static uint64_t count_two_sheets(const float shift[3], float tilt) {
    static float x[2 * VERTICES * 3];
    static uint32_t indices[2 * TRIANGLES * 3];
    for (int v = 0; v < 2 * VERTICES; v++) {
        float u = 0.1f * (float)(v % SIDE), w = 0.1f * (float)(v % VERTICES / SIDE);
        x[3 * v] = 0.7f * u + 0.1f * w;
        x[3 * v + 1] = 0.3f * w - 0.2f * u * w;
        x[3 * v + 2] = w + 0.3f * u * u;
        for (int k = 0; k < 3 && v >= VERTICES; k++) {
            x[3 * v + k] += shift[k] + (k == 1 ? tilt * (u - 0.4f) : 0.0f);
        }
    }
    uint32_t *t = indices;
    for (uint32_t cell = 0; cell < TRIANGLES; cell++) {
        uint32_t c = cell % (TRIANGLES / 2), a = c % (SIDE - 1) + c / (SIDE - 1) * SIDE;
        a += cell / (TRIANGLES / 2) * VERTICES;
        const uint32_t of[6] = {a, a + SIDE, a + 1, a + 1, a + SIDE, a + SIDE + 1};
        memcpy(t, of, sizeof of);
        t += 6;
    }
    return count_in(x, 2 * VERTICES, indices, 2 * TRIANGLES);
}

static void sheets_in_the_same_place_are_seen(void **state) {
    (void)state;
    static const float here[3] = {0, 0, 0}, over[3] = {0, 1e-6f, 0}, above[3] = {0, 0.5f, 0};
    /* Each triangle with its twin, and no other: those beside it have an edge in common. */
    assert_int_equal(count_two_sheets(here, 0.0f), TRIANGLES);
    assert_int_equal(count_two_sheets(over, 0.0f), 0);
    assert_int_equal(count_two_sheets(above, 0.0f), 0);
    assert_true(count_two_sheets(over, 0.3f) >= SIDE - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_by_hand),
        cmocka_unit_test(the_same_place_is_no_matter_of_rounding),
        cmocka_unit_test(lattices_cut_as_whole_numbers_say),
        cmocka_unit_test(neighbours_at_an_edge_cannot_cut),
        cmocka_unit_test(neighbours_at_a_vertex_cut_where_they_go_through),
        cmocka_unit_test(sheets_in_the_same_place_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
