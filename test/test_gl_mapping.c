/* Mesh to texels and back with the graphics pipeline, against the CPU and against compute shaders.
 */
#include <stdio.h>

#include "outlines.h"
#include "pairs.h"

#include "cook/panel.h"
#include "gl/surface.h"

static machine *m;
static context_before before;

static int enter(void **state) {
    (void)state;
    m = machine_take(MACHINE_COMPUTE);
    return m && context_enter(&m->context, &before) == TOILE_OK ? 0 : -1;
}

static int leave(void **state) {
    (void)state;
    context_leave(&m->context, &before);
    machine_give(m, false);
    return 0;
}

/* Numbers without any order, -1 to 1. */
static float noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 8388608.0f - 1.0f;
}

static float *make_noise(size_t count, unsigned seed) {
    float *values = malloc(count * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) {
        values[i] = noise(&seed);
    }
    return values;
}

static GLuint make_buffer(const float *values, size_t count) {
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *values), values, GL_STATIC_DRAW);
    return buffer;
}

/* One of the two vectors a vertex. */
static float *take_half(const float *pairs, size_t count, size_t which) {
    float *out = malloc(3 * count * sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < 3 * count; i++) {
        out[i] = pairs[6 * (i / 3) + 3 * which + i % 3];
    }
    return out;
}

/* ---- sampling ----------------------------------------------------------------------------------
 */

/* Is a texel on an edge of its triangle, or so near that a rasteriser, whose corners lie on a
 * raster of 1/256 pixel, may give it to the one beyond? */
static bool is_at_edge(const panel *p, size_t texel) {
    const float *w = p->sampling.weights + 3 * texel;
    return fabsf(w[0]) < 0.01f || fabsf(w[1]) < 0.01f || fabsf(w[2]) < 0.01f;
}

/* The largest of texels at edges, or of the others. */
static double largest_difference(const panel *p, bool at_edges, const float *drawn,
                                 const float *wanted) {
    double most = 0.0;
    for (size_t t = 0; t < grid_texels(&p->grid); t++) {
        for (size_t axis = 0; axis < 3 && p->mask[t] && is_at_edge(p, t) == at_edges; axis++) {
            double off = fabs((double)drawn[4 * t + axis] - (double)wanted[3 * t + axis]);
            most = off > most || off != off ? off : most;
        }
    }
    return most;
}

/* Vertices have any values, so that a texel that took another triangle's would be far off; where it
 * lies at the edge between them, by as much as both change within 1/256 of a texel. */
static void check_sampling(const panel *p, const char *what) {
    gl_surface s;
    const size_t vertices = p->coarse.vertex_count, texels = grid_texels(&p->grid);
    float *pairs = make_noise(6 * vertices, 5);
    GLuint buffer = make_buffer(pairs, 6 * vertices);
    assert_ok(surface_make(&s, m, p, (surface_buffers){.vertices = buffer}));
    float *drawn = malloc(4 * texels * sizeof *drawn), *wanted = malloc(3 * texels * sizeof *drawn);
    assert_true(drawn && wanted);
    double most = 0.0, edges = 0.0;
    surface_sample(&s);
    for (size_t which = 0; which < 2; which++) {
        float *values = take_half(pairs, vertices, which);
        sample_vectors(&p->sampling, &p->grid, values, wanted);
        glBindTexture(GL_TEXTURE_2D, s.textures[which]);
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, drawn);
        most = fmax(most, largest_difference(p, false, drawn, wanted));
        edges = fmax(edges, largest_difference(p, true, drawn, wanted));
        free(values);
    }
    printf("%s: %zu texels, %zu vertices, %d strays: sampling is off by %.2g, at edges %.2g\n",
           what, p->texel_count, vertices, s.stray_count, most, edges);
    assert_ok(context_check("testing"));
    assert_below(most, 2e-5);
    assert_below(edges, 1e-2);
    glDeleteBuffers(1, &buffer);
    surface_free(&s);
    free(pairs);
    free(drawn);
    free(wanted);
}

/* ---- projection --------------------------------------------------------------------------------
 */

/* Two vectors a texel as planes, behind one plane of something else. */
static float *make_planes(const panel *p, const float *pairs) {
    const grid *g = &p->grid;
    float *planes = calloc(7 * g->size, sizeof *planes);
    assert_non_null(planes);
    for (size_t t = 0; t < grid_texels(g); t++) {
        size_t k = grid_index(g, (int)t % g->columns, (int)t / g->columns);
        for (size_t i = 0; i < 6; i++) {
            planes[(i + 1) * g->size + k] = pairs[6 * t + i];
        }
    }
    return planes;
}

static void check_projection(const panel *p, const char *what) {
    gl_surface s;
    const size_t vertices = p->coarse.vertex_count, texels = grid_texels(&p->grid);
    float *pairs = make_noise(6 * texels, 9), *planes = make_planes(p, pairs);
    GLuint buffer = make_buffer(planes, 7 * p->grid.size);
    assert_ok(surface_make(&s, m, p, (surface_buffers){.planes = buffer}));
    float *seen = malloc(6 * vertices * sizeof *seen),
          *wanted = malloc(3 * vertices * sizeof *seen);
    assert_true(seen && wanted);
    double most = 0.0;
    surface_project(&s, 1, 4);
    glBindBuffer(GL_ARRAY_BUFFER, s.projected);
    glGetBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)(6 * vertices * sizeof *seen), seen);
    for (size_t which = 0; which < 2; which++) {
        float *values = take_half(pairs, texels, which);
        project_vectors(&p->coarse_projection, (uint32_t)vertices, &p->grid, values, wanted);
        for (size_t i = 0; i < 3 * vertices; i++) {
            double got = (double)seen[6 * (i / 3) + 3 * which + i % 3];
            most = fmax(most, fabs(got - (double)wanted[i]));
        }
        free(values);
    }
    printf("%s: projection is off by %.2g\n", what, most);
    assert_ok(context_check("testing"));
    assert_below(most, 2e-6);
    glDeleteBuffers(1, &buffer);
    surface_free(&s);
    free(pairs);
    free(planes);
    free(seen);
    free(wanted);
}

/* ---- panels ------------------------------------------------------------------------------------
 */

static void test_rectangles(void **state) {
    (void)state;
    static const float sizes[][2] = {{1.0f, 1.0f}, {0.93f, 0.57f}, {0.5f, 0.04f}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        toile_panel_def def = toile_default_panel_def();
        memcpy(def.size, sizes[i], sizeof def.size);
        toile_panel *p = NULL;
        assert_ok(toile_panel_cook(&def, &p));
        check_sampling(p, "rectangle");
        check_projection(p, "rectangle");
        toile_panel_destroy(p);
    }
}

static void test_outlines(void **state) {
    (void)state;
    static const char *const names[MAKERS] = {"circle", "ring", "star", "sleeve"};
    for (int i = 0; i < MAKERS; i++) {
        for (int turn = 0; turn < 3; turn++) {
            test_outline o;
            makers[i](&o);
            toile_panel_def def = toile_default_panel_def();
            def.outline = &o.def;
            def.spacing = turn == 2 ? 0.05f : 0.013f;
            def.coarse_edge = 0.06f;
            def.grain = 25.0f * (float)turn;
            def.snap = turn == 1;
            toile_panel *p = NULL;
            assert_ok(toile_panel_cook(&def, &p));
            check_sampling(p, names[i]);
            check_projection(p, names[i]);
            toile_panel_destroy(p);
        }
    }
}

/* ---- steps -------------------------------------------------------------------------------------
 */

/* A cloth with a hole, scaled, and a square fall on a ball; only their coarse meshes collide. */
static toile_world *make_fall(const char *device, const toile_panel *piece) {
    toile_world_def def = test_world_def();
    def.device = device;
    def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    def.collision = TOILE_COLLISION_COARSE;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = panel_cloth(piece);
    sheet.transform.rotate[0] = -90.0f;
    sheet.transform.translate[1] = 0.012f;
    sheet.transform.scale = 1.3f;
    add_cloth(world, &sheet);
    toile_cloth_def square = lying_def(15, 0.03f);
    add_cloth(world, &square);
    add_ball(world, -0.2f, 0.2f);
    return world;
}

/* All three ways agree in each step while the cloths land, and the coarse mesh really has something
 * to say: the ball holds the middle of the square, which would have fallen by 35 cm. */
static void test_steps(void **state) {
    (void)state;
    test_outline o;
    make_ring(&o);
    toile_panel *piece = cook_outline(&o, 0.02f, 10.0f);
    toile_world *cpu = make_fall("cpu", piece), *compute = make_fall("gl", piece);
    toile_world *drawn = make_fall("gl", piece);
    double off_cpu = 0.0, off_compute = 0.0;
    for (int i = 0; i < 16; i++) {
        copy_world(cpu, compute);
        copy_world(cpu, drawn);
        run_steps(cpu, 1, 1.0f / 60.0f);
        run_steps(compute, 1, 1.0f / 60.0f);
        surface_prefer(true);
        run_steps(drawn, 1, 1.0f / 60.0f);
        surface_prefer(false);
        off_cpu = fmax(off_cpu, apart(cpu, drawn));
        off_compute = fmax(off_compute, apart(compute, drawn));
    }
    printf("steps: drawn is off by %.2g m from the CPU, by %.2g m from compute shaders\n", off_cpu,
           off_compute);
    toile_metrics metrics;
    assert_ok(toile_world_measure(drawn, (toile_cloth_id){0}, &metrics));
    assert_true(metrics.highest > -0.01);
    assert_below(off_cpu, 1e-5);
    assert_below(off_compute, 1e-5);
    toile_world_destroy(cpu);
    toile_world_destroy(compute);
    toile_world_destroy(drawn);
    toile_panel_destroy(piece);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rectangles, enter, leave),
        cmocka_unit_test_setup_teardown(test_outlines, enter, leave),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
