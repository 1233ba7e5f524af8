/* Mesh to grid and back: Schmitt 2013 section 4. */
#include "worlds.h"

#include "cook/mapping.h"
#include "cook/triangulate.h"
#include "kernel/mapping.h"
#include "panels.h"

/* ---- the formulas ---- */

static double random_unit(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 16777216.0;
}

/* EXTRAPOLATE of Schmitt section 4.2, the sign in its second case put right. */
static double extrapolate(double t0, double t1, int o, double r) {
    double l = fmax(0.0, abs(o) - 1);
    return o == 0  ? t0 * (1.0 - r) + t1 * r
           : o > 0 ? t0 - (l + (1.0 - r)) * (t1 - t0)
                   : t1 + (l + r) * (t1 - t0);
}

static void test_square_is_schmitts_extrapolation(void **state) {
    (void)state;
    const float t0 = 2.0f, t1 = 5.0f, r = 0.3f;
    const v3 left = v3_make(t0, 0.0f, 0.0f), right = v3_make(t1, 0.0f, 0.0f);
    for (int o = -3; o <= 3; o++) {
        float fraction = r - (float)o;
        double wanted = extrapolate((double)t0, (double)t1, o, (double)r);
        assert_near((double)square_value(left, right, left, right, fraction, 0.7f).x, wanted, 1e-5);
        assert_near((double)square_value(left, left, right, right, 0.7f, fraction).x, wanted, 1e-5);
        /* and it continues one line: texel k of the row has the value 2 + 3 k */
        assert_near(wanted, 2.0 + 3.0 * (double)fraction, 1e-5);
    }
}

/* Data of a border vertex as Schmitt draws it in figure 6: from the inner vertex c to s on the edge
 * ab, and on to the vertex. */
static void test_border_vertices_carry_the_triangles_linear_function(void **state) {
    (void)state;
    const float a[2] = {0.1f, 0.2f}, b[2] = {0.9f, 0.1f}, c[2] = {0.4f, 0.8f};
    const float data[3] = {3.0f, -2.0f, 7.0f}, spacing = 0.1f;
    v3 ab = line_through(a[0], a[1], b[0], b[1]), bc = line_through(b[0], b[1], c[0], c[1]);
    v3 shifted = line_shift_by_cell(ab, spacing);
    v3 x = line_meet(shifted, bc);
    assert_true(x.z != 0.0f);
    assert_near((double)line_side(shifted, x.x, x.y), 0.0, 1e-6);
    assert_near((double)line_side(bc, x.x, x.y), 0.0, 1e-6);
    assert_true(line_side(ab, x.x, x.y) > 0.0f); /* outside */

    v3 s = line_meet(line_through(c[0], c[1], x.x, x.y), ab);
    double along = hypot((double)(s.x - a[0]), (double)(s.y - a[1])) /
                   hypot((double)(b[0] - a[0]), (double)(b[1] - a[1]));
    double at_s = (double)data[0] + along * (double)(data[1] - data[0]);
    double t = hypot((double)(x.x - c[0]), (double)(x.y - c[1])) /
               hypot((double)(s.x - c[0]), (double)(s.y - c[1]));
    double at_x = (double)data[2] + t * (at_s - (double)data[2]);

    v3 w = triangle_weights(b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1], x.x - a[0],
                            x.y - a[1]);
    assert_near((double)(w.x + w.y + w.z), 1.0, 1e-6);
    assert_near((double)(w.z * data[0] + w.x * data[1] + w.y * data[2]), at_x, 1e-5);
    v3 value = triangle_value(v3_make(data[0], 0.0f, 0.0f), v3_make(data[1], 0.0f, 0.0f),
                              v3_make(data[2], 0.0f, 0.0f), w.x, w.y);
    assert_near((double)value.x, at_x, 1e-5);
}

static void test_parallel_lines_meet_nowhere(void **state) {
    (void)state;
    v3 a = line_through(0.0f, 0.0f, 1.0f, 0.0f), b = line_shift_by_cell(a, 1.0f);
    assert_true(line_meet(a, b).z == 0.0f);
}

/* Whether the square of that half width around a place touches a triangle: no line along one of
 * their sides parts them. */
static bool touches(const float *const corner[3], double u, double v, double half) {
    for (int axis = 0; axis < 5; axis++) {
        double nu = axis == 0, nv = axis == 1;
        if (axis >= 2) {
            const float *a = corner[axis - 2], *b = corner[(axis - 1) % 3];
            nu = (double)b[1] - (double)a[1];
            nv = (double)a[0] - (double)b[0];
        }
        double low = INFINITY, high = -INFINITY, reach = half * (fabs(nu) + fabs(nv));
        for (int k = 0; k < 3; k++) {
            double along = nu * ((double)corner[k][0] - u) + nv * ((double)corner[k][1] - v);
            low = fmin(low, along);
            high = fmax(high, along);
        }
        if (low > reach || high < -reach) {
            return false;
        }
    }
    return true;
}

static void test_shifted_edges_reach_every_texel_whose_cell_is_touched(void **state) {
    (void)state;
    unsigned seed = 7;
    int reached = 0;
    for (int i = 0; i < 20000; i++) {
        float p[3][2];
        for (int k = 0; k < 6; k++) {
            p[k / 2][k % 2] = (float)(4.0 * random_unit(&seed));
        }
        double turn = ((double)p[1][0] - (double)p[0][0]) * ((double)p[2][1] - (double)p[0][1]) -
                      ((double)p[1][1] - (double)p[0][1]) * ((double)p[2][0] - (double)p[0][0]);
        const float *corner[3] = {p[0], p[turn > 0.0 ? 1 : 2], p[turn > 0.0 ? 2 : 1]};
        float u = (float)(4.0 * random_unit(&seed)), v = (float)(4.0 * random_unit(&seed));
        if (!touches(corner, (double)u, (double)v, 0.5)) {
            continue;
        }
        reached++;
        for (int k = 0; k < 3; k++) {
            const float *a = corner[k], *b = corner[(k + 1) % 3];
            v3 line = line_shift_by_cell(line_through(a[0], a[1], b[0], b[1]), 1.0f);
            assert_true(line_side(line, u, v) <= 1e-5f);
        }
    }
    assert_true(reached > 5000);
}

/* ---- a panel ---- */

typedef struct coupled {
    panel_shape *shape;
    grid g;
    uint8_t *mask;
    flat_mesh mesh;
    sampling sampling;
    projection projection;
} coupled;

/* Texels whose cells touch the mesh, and what their squares lack. */
static void make_mask(coupled *c) {
    const grid *g = &c->g;
    double spacing = (double)g->spacing;
    c->mask = calloc(grid_texels(g), 1);
    for (uint32_t t = 0; t < c->mesh.triangle_count; t++) {
        const float *corner[3];
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int k = 0; k < 3; k++) {
            corner[k] = c->mesh.uv + 2 * (size_t)c->mesh.indices[3 * (size_t)t + (size_t)k];
            for (int axis = 0; axis < 2; axis++) {
                low[axis] = fmin(low[axis], (double)corner[k][axis] / spacing - 1.0);
                high[axis] = fmax(high[axis], (double)corner[k][axis] / spacing + 1.0);
            }
        }
        for (int j = (int)fmax(low[1], 0.0); j < g->rows && j <= (int)high[1]; j++) {
            for (int i = (int)fmax(low[0], 0.0); i < g->columns && i <= (int)high[0]; i++) {
                if (touches(corner, i * spacing, j * spacing, 0.5 * spacing)) {
                    c->mask[j * g->columns + i] = 1;
                }
            }
        }
    }
    uint8_t *touched = malloc(grid_texels(g));
    memcpy(touched, c->mask, grid_texels(g));
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            if (!touched[j * g->columns + i]) {
                continue;
            }
            int most = 0, best[2] = {0, 0};
            for (int k = 0; k < 4; k++) {
                int left = i - (k & 1), below = j - (k >> 1);
                if (left < 0 || below < 0 || left + 1 >= g->columns || below + 1 >= g->rows) {
                    continue;
                }
                const uint8_t *m = touched + below * g->columns + left;
                int have = m[0] + m[1] + m[g->columns] + m[g->columns + 1];
                if (have > most) {
                    most = have;
                    best[0] = left;
                    best[1] = below;
                }
            }
            uint8_t *m = c->mask + best[1] * g->columns + best[0];
            m[0] = m[1] = m[g->columns] = m[g->columns + 1] = 1;
        }
    }
    free(touched);
}

/* Around a mesh that is there; takes the shape over. */
static coupled couple_mesh(panel_shape *shape, flat_mesh mesh, double spacing, bool snap) {
    coupled c = {.shape = shape, .mesh = mesh};
    toile_cloth_def def = toile_default_cloth_def();
    for (int k = 0; k < 2; k++) {
        def.size[k] = (float)(shape->o.high[k] - shape->o.low[k]);
    }
    def.spacing = (float)spacing;
    assert_ok(grid_create(&c.g, def.size, def.spacing));
    if (snap) {
        snap_inner_vertices(&c.mesh, &c.g);
    }
    make_mask(&c);
    assert_ok(sampling_create(&c.sampling, &c.mesh, &c.g, c.mask));
    assert_ok(projection_create(&c.projection, &c.mesh, &c.g, c.mask));
    return c;
}

static coupled couple(panel_shape *shape, double edge, double spacing, bool snap) {
    flat_mesh mesh;
    assert_ok(triangulate(&shape->o, edge, &mesh));
    return couple_mesh(shape, mesh, spacing, snap);
}

static void part(coupled *c) {
    free(c->shape);
    free(c->mask);
    flat_mesh_free(&c->mesh);
    sampling_free(&c->sampling);
    projection_free(&c->projection);
}

enum { SHAPES = 3 };

/* The outlines of the round trip, about 1 m across. */
static panel_shape *make_shape(int which) {
    return which == 0   ? panel_circle(0.5, 100)
           : which == 1 ? panel_star(0.55, 0.25, 5)
                        : panel_sleeve(1.0, 60);
}

static const double edges[SHAPES] = {0.030, 0.022, 0.024};
static const double SPACING = 1.0 / 224.0;

static void test_every_texel_has_one_triangle(void **state) {
    (void)state;
    for (int which = 0; which < SHAPES; which++) {
        coupled c = couple(make_shape(which), edges[which], SPACING, false);
        size_t inner = 0, outer = 0;
        for (size_t i = 0; i < grid_texels(&c.g); i++) {
            const uint32_t *t = c.sampling.vertices + 3 * i;
            const float *w = c.sampling.weights + 3 * i;
            if (!c.mask[i]) {
                assert_true(t[0] + t[1] + t[2] == 0 && w[0] == 0.0f && w[1] == 0.0f &&
                            w[2] == 0.0f);
                continue;
            }
            assert_near((double)w[0] + (double)w[1] + (double)w[2], 1.0, 1e-6);
            /* the weights give back the texel's own place */
            double at[2] = {0.0, 0.0};
            for (int k = 0; k < 3; k++) {
                at[0] += (double)w[k] * (double)c.mesh.uv[2 * t[k]];
                at[1] += (double)w[k] * (double)c.mesh.uv[2 * t[k] + 1];
            }
            assert_near(at[0], (double)(i % (size_t)c.g.columns) * SPACING, 1e-6);
            assert_near(at[1], (double)(i / (size_t)c.g.columns) * SPACING, 1e-6);
            bool inside = w[0] >= 0.0f && w[1] >= 0.0f && w[2] >= 0.0f;
            inner += inside;
            outer += !inside;
        }
        /* as many are inside as the area says; the others are along the border */
        assert_near((double)inner * SPACING * SPACING / c.shape->o.area, 1.0, 0.01);
        assert_true(outer > 400 && outer < 3000);
        part(&c);
    }
}

/* Distance of a place to the mesh's nearest triangle, and to the one it was given. */
static double triangle_distance(const flat_mesh *m, const uint32_t *t, double u, double v) {
    double least = INFINITY;
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        const float *a = m->uv + 2 * t[k], *b = m->uv + 2 * t[(k + 1) % 3];
        double du = (double)b[0] - (double)a[0], dv = (double)b[1] - (double)a[1];
        double pu = u - (double)a[0], pv = v - (double)a[1];
        inside = inside && du * pv - dv * pu >= 0.0;
        double s = fmin(fmax((pu * du + pv * dv) / (du * du + dv * dv), 0.0), 1.0);
        least = fmin(least, hypot(pu - s * du, pv - s * dv));
    }
    return inside ? 0.0 : least;
}

/* Whether the border of a triangle covers a place: within its outer edges shifted, its inner ones,
 * and the box around it grown by half a cell. */
static bool border_covers(const flat_mesh *m, const uint8_t *outer, uint32_t triangle, double u,
                          double v, double spacing) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    const double at[2] = {u, v};
    for (int k = 0; k < 3; k++) {
        const float *a = m->uv + 2 * m->indices[3 * triangle + (uint32_t)k];
        const float *b = m->uv + 2 * m->indices[3 * triangle + (uint32_t)(k + 1) % 3];
        v3 line = line_through(a[0], a[1], b[0], b[1]);
        if (outer[triangle] >> k & 1) {
            line = line_shift_by_cell(line, (float)spacing);
        }
        if (line_side(line, (float)u, (float)v) > 0.0f) {
            return false;
        }
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = fmin(low[axis], (double)a[axis] - 0.5 * spacing);
            high[axis] = fmax(high[axis], (double)a[axis] + 0.5 * spacing);
        }
    }
    return at[0] >= low[0] && at[0] <= high[0] && at[1] >= low[1] && at[1] <= high[1];
}

static void test_texels_take_their_triangle_or_the_nearest_border(void **state) {
    (void)state;
    const double spacing = 0.0041;
    coupled c = couple(panel_star(0.1, 0.04, 5), 0.02, spacing, false);
    uint8_t *outer = flat_mesh_outer_edges(&c.mesh);
    int borders = 0, grown = 0;
    for (size_t i = 0; i < grid_texels(&c.g); i++) {
        if (!c.mask[i]) {
            continue;
        }
        double u = (double)(i % (size_t)c.g.columns) * (double)c.g.spacing;
        double v = (double)(i / (size_t)c.g.columns) * (double)c.g.spacing;
        double nearest = INFINITY, covering = INFINITY;
        for (uint32_t t = 0; t < c.mesh.triangle_count; t++) {
            double off = triangle_distance(&c.mesh, c.mesh.indices + 3 * (size_t)t, u, v);
            nearest = fmin(nearest, off);
            if (outer[t] && border_covers(&c.mesh, outer, t, u, v, spacing)) {
                covering = fmin(covering, off);
            }
        }
        double own = triangle_distance(&c.mesh, c.sampling.vertices + 3 * i, u, v);
        borders += nearest > 0.0 && covering < INFINITY;
        grown += covering == INFINITY && nearest > 0.0;
        assert_near(own, nearest > 0.0 && covering < INFINITY ? covering : nearest, 1e-7);
    }
    assert_true(borders > 50 && grown > 3);
    free(outer);
    part(&c);
}

/* Edges of this mesh run through texels, and vertices stand on them: each texel has one triangle
 * all the same, and no weight is negative inside. */
static void test_texels_on_edges(void **state) {
    (void)state;
    const double square[4][2] = {{0.0, 0.0}, {0.16, 0.0}, {0.16, 0.16}, {0.0, 0.16}};
    flat_mesh mesh;
    assert_ok(triangulate_rectangle(0.16, 0.16, 0.04, &mesh));
    coupled c = couple_mesh(panel_polygon(square, 4), mesh, 0.01, false);
    assert_int_equal(c.g.columns, 17);
    for (size_t i = 0; i < grid_texels(&c.g); i++) {
        assert_true(c.mask[i]);
        for (int k = 0; k < 3; k++) {
            assert_true(c.sampling.weights[3 * i + (size_t)k] > -1e-5f);
        }
        /* the edge is a left one or a top one: the triangle lies to its right, or below */
        double u = (double)(i % 17) * 0.01, v = (double)(i / 17) * 0.01, middle[2] = {0.0, 0.0};
        for (size_t k = 0; k < 6; k++) {
            middle[k % 2] +=
                (double)c.mesh.uv[2 * c.sampling.vertices[3 * i + k / 2] + k % 2] / 3.0;
        }
        bool on_u = i % 17 % 4 == 0, on_v = i / 17 % 4 == 0, inner = i % 17 % 16 && i / 17 % 16;
        if (inner && on_u && !on_v) {
            assert_true(middle[0] > u);
        } else if (inner && on_v && !on_u) {
            assert_true(middle[1] < v);
        }
    }
    part(&c);
}

/* A mesh of one triangle has three outer edges: texels on all its sides extend it. */
static void test_lone_triangle(void **state) {
    (void)state;
    const double points[3][2] = {{0.0, 0.0}, {0.05, 0.01}, {0.02, 0.06}};
    coupled c = couple(panel_polygon(points, 3), 1.0, 0.01, false);
    assert_int_equal(c.mesh.triangle_count, 1);
    int beyond[3] = {0, 0, 0}, count = 0;
    for (size_t i = 0; i < grid_texels(&c.g); i++) {
        count += c.mask[i];
        for (int k = 0; k < 3; k++) {
            beyond[k] += c.sampling.weights[3 * i + (size_t)k] < 0.0f;
        }
    }
    assert_true(count > 20 && beyond[0] > 0 && beyond[1] > 0 && beyond[2] > 0);
    part(&c);
}

/* ---- round trips ---- */

static void linear_field(double u, double v, float value[3]) {
    value[0] = (float)(0.5 + 1.1 * u - 0.3 * v);
    value[1] = (float)(-1.0 + 0.2 * u + 0.9 * v);
    value[2] = (float)(0.7 * u - 0.6 * v);
}

static void test_linear_fields_survive(void **state) {
    (void)state;
    for (int which = 0; which < 2 * SHAPES; which++) {
        coupled c = couple(make_shape(which / 2), edges[which / 2], SPACING, which & 1);
        float *before = calloc(c.mesh.vertex_count, 3 * sizeof *before);
        float *after = calloc(c.mesh.vertex_count, 3 * sizeof *after);
        float *texels = calloc(grid_texels(&c.g), 3 * sizeof *texels);
        for (size_t i = 0; i < c.mesh.vertex_count; i++) {
            linear_field((double)c.mesh.uv[2 * i], (double)c.mesh.uv[2 * i + 1], before + 3 * i);
        }
        sample_vectors(&c.sampling, &c.g, before, texels);
        project_vectors(&c.projection, c.mesh.vertex_count, &c.g, texels, after);
        for (size_t i = 0; i < grid_texels(&c.g); i++) {
            float wanted[3] = {0.0f, 0.0f, 0.0f};
            if (c.mask[i]) {
                linear_field((double)(i % (size_t)c.g.columns) * SPACING,
                             (double)(i / (size_t)c.g.columns) * SPACING, wanted);
            }
            for (size_t k = 0; k < 3; k++) {
                assert_near((double)texels[3 * i + k], (double)wanted[k], 1e-6);
            }
        }
        for (size_t i = 0; i < 3 * (size_t)c.mesh.vertex_count; i++) {
            assert_near((double)after[i], (double)before[i], 2e-6);
        }
        free(before);
        free(after);
        free(texels);
        part(&c);
    }
}

/* A cloth in waves across its diagonal, 10 % longer along them than its panel: the tangent swings
 * by 50 degrees to both sides, every 25 cm. */
static void wavy(double u, double v, float place[3]) {
    const double length = 0.25, swing = 50.0 * M_PI / 180.0, along_u = 0.8, along_v = 0.6;
    double s = along_u * u + along_v * v, t = along_u * v - along_v * u, x = 0.0, z = 0.0;
    const int steps = 200;
    for (int i = 0; i < steps; i++) {
        double angle = swing * sin(2.0 * M_PI * (i + 0.5) / steps * s / length);
        x += 1.1 * s / steps * cos(angle);
        z += 1.1 * s / steps * sin(angle);
    }
    place[0] = (float)x;
    place[1] = (float)t;
    place[2] = (float)z;
}

/* Errors e_v of section 4.3 in percent of the size: the diagonal of the box around the vertices in
 * space. */
static void round_trip(const coupled *c, double *mean, double *most) {
    size_t count = c->mesh.vertex_count;
    float *before = calloc(count, 3 * sizeof *before), *after = calloc(count, 3 * sizeof *after);
    float *texels = calloc(grid_texels(&c->g), 3 * sizeof *texels);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        wavy((double)c->mesh.uv[2 * i], (double)c->mesh.uv[2 * i + 1], before + 3 * i);
        for (size_t k = 0; k < 3; k++) {
            low[k] = fmin(low[k], (double)before[3 * i + k]);
            high[k] = fmax(high[k], (double)before[3 * i + k]);
        }
    }
    sample_vectors(&c->sampling, &c->g, before, texels);
    project_vectors(&c->projection, c->mesh.vertex_count, &c->g, texels, after);
    double size =
        sqrt(pow(high[0] - low[0], 2.0) + pow(high[1] - low[1], 2.0) + pow(high[2] - low[2], 2.0));
    *mean = *most = 0.0;
    for (size_t i = 0; i < count; i++) {
        double squared = 0.0;
        for (size_t k = 0; k < 3; k++) {
            squared += pow((double)after[3 * i + k] - (double)before[3 * i + k], 2.0);
        }
        double error = 100.0 * sqrt(squared) / size;
        *mean += error / (double)count;
        *most = fmax(*most, error);
    }
    free(before);
    free(after);
    free(texels);
}

static void test_round_trip_is_as_near_as_in_the_paper(void **state) {
    (void)state;
    for (int which = 0; which < SHAPES; which++) {
        double mean[2], most[2];
        for (int snap = 0; snap < 2; snap++) {
            coupled c = couple(make_shape(which), edges[which], SPACING, snap);
            assert_true(c.mesh.vertex_count >= 1000 && c.mesh.vertex_count <= 1300);
            round_trip(&c, &mean[snap], &most[snap]);
            part(&c);
        }
        assert_below(mean[0], 0.06);
        assert_below(most[0], 0.5);
        /* only the border has errors left: a tenth of the vertices and more */
        assert_below(mean[1], 0.5 * mean[0]);
        assert_below(most[1], 0.5);
    }
}

static void test_snapping_keeps_border_and_order(void **state) {
    (void)state;
    /* the second time triangles are smaller than texels: vertices want the same one */
    for (int which = 0; which < 2; which++) {
        double edge = which ? 0.008 : 0.03, spacing = which ? 0.01 : 0.005;
        panel_shape *shape = panel_circle(0.2, 60);
        flat_mesh before, after;
        assert_ok(triangulate(&shape->o, edge, &before));
        assert_ok(triangulate(&shape->o, edge, &after));
        toile_cloth_def def = toile_default_cloth_def();
        def.size[0] = def.size[1] = 0.4f;
        def.spacing = (float)spacing;
        grid g;
        assert_ok(grid_create(&g, def.size, def.spacing));
        snap_inner_vertices(&after, &g);
        uint32_t moved = 0;
        for (size_t i = 0; i < after.vertex_count; i++) {
            double off[2];
            bool kept = true;
            for (size_t k = 0; k < 2; k++) {
                off[k] = remainder((double)after.uv[2 * i + k], spacing) / spacing;
                kept = kept && after.uv[2 * i + k] == before.uv[2 * i + k];
                assert_near((double)after.uv[2 * i + k], (double)before.uv[2 * i + k],
                            0.5001 * spacing);
            }
            double radius =
                hypot((double)before.uv[2 * i] - 0.2, (double)before.uv[2 * i + 1] - 0.2);
            if (radius > 0.2 * cos(M_PI / 60.0) - 1e-6) {
                assert_true(kept);
            } else if (!kept) {
                assert_true(fabs(off[0]) < 1e-4 && fabs(off[1]) < 1e-4);
                moved++;
            }
        }
        assert_true(moved > after.vertex_count / (which ? 20 : 2));
        for (uint32_t t = 0; t < after.triangle_count; t++) {
            const uint32_t *v = after.indices + 3 * (size_t)t;
            const float *a = after.uv + 2 * v[0], *b = after.uv + 2 * v[1],
                        *c = after.uv + 2 * v[2];
            assert_true(((double)b[0] - (double)a[0]) * ((double)c[1] - (double)a[1]) >
                        ((double)b[1] - (double)a[1]) * ((double)c[0] - (double)a[0]));
        }
        flat_mesh_free(&before);
        flat_mesh_free(&after);
        free(shape);
    }
}

/* ---- what is refused ---- */

static void test_vertex_without_square_is_named(void **state) {
    (void)state;
    coupled c = couple(panel_circle(0.1, 30), 0.05, 0.01, false);
    projection p;
    memset(c.mask, 0, grid_texels(&c.g));
    assert_int_equal(projection_create(&p, &c.mesh, &c.g, c.mask), TOILE_ERROR_INVALID);
    assert_non_null(strstr(toile_error_message(), "vertex 0 "));
    assert_null(p.texels);
    part(&c);
}

/* The square is the nearest whole one: here that to the right, then that above. */
static void test_square_search_takes_the_nearest(void **state) {
    (void)state;
    toile_cloth_def def = toile_default_cloth_def();
    def.size[0] = def.size[1] = 0.05f;
    def.spacing = 0.01f;
    grid g;
    assert_ok(grid_create(&g, def.size, def.spacing));
    float uv[4] = {0.024f, 0.023f, 0.023f, 0.0284f};
    flat_mesh mesh = {.vertex_count = 2, .uv = uv};
    uint8_t mask[36];
    memset(mask, 1, sizeof mask);
    mask[2 * 6 + 2] = 0; /* squares (1, 1) to (2, 2) lack a texel */
    projection p;
    assert_ok(projection_create(&p, &mesh, &g, mask));
    assert_int_equal(p.texels[0], 2 * 6 + 3);
    assert_near((double)p.fractions[0], -0.6, 1e-5);
    assert_near((double)p.fractions[1], 0.3, 1e-5);
    assert_int_equal(p.texels[1], 3 * 6 + 2);
    assert_near((double)p.fractions[1 * 2 + 1], -0.16, 1e-5);
    projection_free(&p);
    /* two to the right is nearer than one to the left and below */
    memset(mask, 0, sizeof mask);
    const int whole[2][2] = {{0, 0}, {3, 1}};
    for (int k = 0; k < 2; k++) {
        uint8_t *m = mask + 6 * whole[k][1] + whole[k][0];
        m[0] = m[1] = m[6] = m[7] = 1;
    }
    uv[0] = uv[1] = 0.0195f;
    assert_ok(projection_create(&p, &mesh, &g, mask));
    assert_int_equal(p.texels[0], 1 * 6 + 3);
    projection_free(&p);
}

static void test_flat_and_turned_triangles_are_refused(void **state) {
    (void)state;
    coupled c = couple(panel_circle(0.1, 30), 0.05, 0.01, false);
    uint32_t *t = c.mesh.indices + 3, kept = t[0];
    sampling s;
    t[0] = t[1];
    t[1] = kept;
    assert_int_equal(sampling_create(&s, &c.mesh, &c.g, c.mask), TOILE_ERROR_INVALID);
    assert_non_null(strstr(toile_error_message(), "triangle 1 "));
    t[0] = t[1];
    assert_int_equal(sampling_create(&s, &c.mesh, &c.g, c.mask), TOILE_ERROR_INVALID);
    part(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_square_is_schmitts_extrapolation),
        cmocka_unit_test(test_border_vertices_carry_the_triangles_linear_function),
        cmocka_unit_test(test_parallel_lines_meet_nowhere),
        cmocka_unit_test(test_shifted_edges_reach_every_texel_whose_cell_is_touched),
        cmocka_unit_test(test_every_texel_has_one_triangle),
        cmocka_unit_test(test_texels_take_their_triangle_or_the_nearest_border),
        cmocka_unit_test(test_texels_on_edges),
        cmocka_unit_test(test_lone_triangle),
        cmocka_unit_test(test_linear_fields_survive),
        cmocka_unit_test(test_round_trip_is_as_near_as_in_the_paper),
        cmocka_unit_test(test_snapping_keeps_border_and_order),
        cmocka_unit_test(test_vertex_without_square_is_named),
        cmocka_unit_test(test_square_search_takes_the_nearest),
        cmocka_unit_test(test_flat_and_turned_triangles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
