/* Refinement with the graphics pipeline against the CPU reference, on smooth random cloths. */
#include <stdio.h>

#include "allocations.h"
#include "refines.h"

#include "figure/mannequin.h"

static unsigned long allocations;

static bool may_allocate(void) {
    allocations++;
    return true;
}

/* Numbers without any order, -1 to 1. */
static float noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 8388608.0f - 1.0f;
}

/* A few waves over a sheet of 1.2 m. */
static void case_random(cloth_case *c, unsigned seed, float z) {
    float waves[4][4];
    for (int k = 0; k < 16; k++) {
        waves[k / 4][k % 4] = noise(&seed);
    }
    case_flat(c, 1.2f, 1.1f, z);
    for (int i = 0; i < c->def.columns * c->def.rows; i++) {
        float *p = c->coarse + 3 * i;
        for (int k = 0; k < 4; k++) {
            p[2] += 0.08f * waves[k][0] *
                    sinf(4.0f * waves[k][1] * p[0] + 4.0f * waves[k][2] * p[1] + waves[k][3]);
        }
    }
}

typedef struct difference {
    int vertices, layers; /* with other layers */
    int marks;            /* judged otherwise */
    int far;              /* judged likewise, and more than 0.1 mm apart */
} difference;

/* Both devices, the same way. */
static difference compare(cloth_case *gl) {
    cloth_case cpu = *gl;
    difference d = {0};
    cpu.positions = NULL;
    cpu.marks = NULL;
    case_run(gl, &gl_refine_driver);
    case_run(&cpu, &cpu_refine_driver);
    d.vertices = gl->columns * gl->rows;
    for (int i = 0; i < d.vertices; i++) {
        const v3 way = v3_sub(case_at(gl, i % gl->columns, i / gl->columns),
                              case_at(&cpu, i % gl->columns, i / gl->columns));
        const int change = gl->marks[i] ^ cpu.marks[i];
        d.layers += (change & REFINE_LAYERS) != 0;
        d.marks += (change & (REFINE_INSIDE | REFINE_CORRECTED)) != 0;
        d.far += change == 0 && v3_dot(way, way) > 1e-8f;
    }
    assert_int_equal(gl->result.objects, cpu.result.objects);
    free(cpu.positions);
    free(cpu.marks);
    return d;
}

static test_mesh body_of(int kind) {
    test_mesh m = kind == 0 ? test_ball(0.4f, 48, 24, NULL) : test_cube(0.3f);
    return mesh_at(m, 0.05f, -0.03f, 0.02f);
}

/* One level: vertices that are compared come from the same places. */
static void layers_are_those_of_the_reference(void **state) {
    (void)state;
    int vertices = 0, layers = 0, marks = 0, far = 0;
    for (unsigned seed = 0; seed < 6; seed++) {
        cloth_case *c = case_make(25, 21);
        c->def.options.directions = seed % 2 ? 3 : 7;
        c->def.options.correction = seed % 3 == 0 ? REFINE_IMAGE : REFINE_OBJECT;
        c->def.options.rule = seed < 3 ? REFINE_PARITY : REFINE_WINDING;
        case_random(c, seed + 1, 0.2f);
        case_add(c, body_of((int)seed % 2));
        const difference d = compare(c);
        vertices += d.vertices;
        layers += d.layers;
        marks += d.marks;
        far += d.far;
        case_free(c);
    }
    printf("%d vertices, %d with other layers, %d judged otherwise, %d elsewhere\n", vertices,
           layers, marks, far);
    assert_true(layers < vertices / 200);
    assert_true(marks < vertices / 200);
    /* Two views or two walls may be as near, and then either is taken. */
    assert_true(far < vertices / 200);
}

static void several_levels_agree_where_they_are_judged_likewise(void **state) {
    (void)state;
    static const int sizes[3][3] = {{3, 3, 5}, {5, 3, 3}, {5, 5, 4}};
    for (int k = 0; k < 3; k++) {
        cloth_case *c = case_make(sizes[k][0], sizes[k][1]);
        c->def.options.levels = sizes[k][2];
        c->def.options.directions = 3;
        c->def.options.correction = REFINE_OBJECT;
        c->def.options.forces = k == 2;
        c->def.options.move_parents = k == 1;
        case_random(c, 7, 0.2f);
        case_add(c, body_of(0));
        const difference d = compare(c);
        printf("%d of %d with other layers, %d judged otherwise, %d elsewhere\n", d.layers,
               d.vertices, d.marks, d.far);
        assert_true(d.layers <= 1 + d.vertices / 50);
        assert_true(d.marks <= 1 + d.vertices / 50);
        case_free(c);
    }
}

/* Both peel layer by layer, and the GPU may be asked late. */
static void stops_agree(void **state) {
    (void)state;
    const refine_driver *driver = &gl_refine_driver;
    float *wanted = NULL;
    for (int stop = REFINE_STOP_QUERY; stop <= REFINE_STOP_FIXED; stop++) {
        cloth_case *c = case_make(5, 5);
        c->def.options.levels = 3;
        c->def.options.stop = (refine_stop)stop;
        case_random(c, 3, 0.2f);
        case_add(c, body_of(0));
        refiner *r = case_open(c, driver);
        for (int step = 0; step < 3; step++) {
            case_step(c, driver, r);
            case_read(c, driver, r);
        }
        const int layers[] = {2, 3, 8};
        assert_int_equal(c->result.layers, layers[stop]);
        const size_t bytes = 3 * (size_t)c->columns * (size_t)c->rows * sizeof(float);
        if (!wanted) {
            wanted = malloc(bytes);
            memcpy(wanted, c->positions, bytes);
        }
        assert_memory_equal(wanted, c->positions, bytes);
        driver->close(r);
        case_free(c);
    }
    free(wanted);
}

static void the_mannequin_is_left_by_all_vertices(void **state) {
    (void)state;
    mannequin_def def = mannequin_default();
    character body;
    assert_int_equal(mannequin_create(&def, &body), TOILE_OK);
    test_mesh m = test_mesh_make(body.vertices, body.triangles);
    memcpy(m.positions, body.positions, 3 * body.vertices * sizeof(float));
    memcpy(m.triangles, body.indices, 3 * body.triangles * sizeof(uint32_t));
    character_free(&body);
    cloth_case *c = case_make(9, 9);
    c->def.options.levels = 3;
    c->def.options.directions = 3;
    c->def.options.resolution = 256;
    c->def.options.correction = REFINE_OBJECT;
    c->def.options.any = true;
    case_add(c, m);
    case_random(c, 11, 0.05f); /* a sheet through chest and arms */
    for (int i = 0; i < 81; i++) {
        c->coarse[3 * i + 1] += 1.1f;
    }
    const difference d = compare(c);
    int deep = 0;
    solid s;
    const toile_mesh_def mesh = test_mesh_def(&c->bodies[0]);
    assert_int_equal(solid_create(&s, &mesh), TOILE_OK);
    for (int i = 0; i < c->columns * c->rows; i++) {
        const v4 hit = solid_distance(&s, case_at(c, i % c->columns, i / c->columns), 1.0f);
        deep += refine_level_of(i % c->columns, i / c->columns, 3) > 0 && hit.w < -0.001f;
    }
    solid_free(&s);
    printf("mannequin: %d of %d with other layers, %d judged otherwise, %d elsewhere; %d deeper "
           "than 1 mm\n",
           d.layers, d.vertices, d.marks, d.far, deep);
    assert_true(c->result.counts[3].corrected > 50);
    assert_true(d.layers < d.vertices / 20);
    assert_int_equal(deep, 0);
    case_free(c);
}

/* What another context finds in a buffer. */
static void read_shared(const refiner *r, GLuint buffer, float *out, size_t bytes) {
    const context_need need = {4, 3, "to test with"};
    const context *shared = gl_refine_context(r);
    context own = {0};
    context_before before;
    assert_int_equal(context_open_shared(&own, &need, shared->display, shared->handle), TOILE_OK);
    assert_int_equal(context_enter(&own, &before), TOILE_OK);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glGetBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes, out);
    context_leave(&own, &before);
    context_close(&own);
}

static void drawing_gets_the_finest_grid(void **state) {
    (void)state;
    const refine_driver *driver = &gl_refine_driver;
    cloth_case *c = case_make(5, 4);
    GLuint buffer = 0;
    case_random(c, 3, 0.2f);
    case_add(c, body_of(0));
    refiner *r = case_open(c, driver);
    assert_int_equal(gl_refine_buffer(r, &buffer), TOILE_ERROR_INVALID);
    case_step(c, driver, r);
    assert_int_equal(gl_refine_buffer(r, &buffer), TOILE_OK);
    case_read(c, driver, r); /* waits */
    const size_t bytes = 3 * (size_t)c->columns * (size_t)c->rows * sizeof(float);
    float *drawn = calloc(1, bytes);
    assert_non_null(drawn);
    read_shared(r, buffer, drawn, bytes);
    assert_memory_equal(drawn, c->positions, bytes);
    free(drawn);
    driver->close(r);
    case_free(c);
}

/* Of ours: what the OpenGL driver does is its own. */
static void later_steps_allocate_nothing(void **state) {
    (void)state;
    const refine_driver *const drivers[2] = {&cpu_refine_driver, &gl_refine_driver};
    for (int k = 0; k < 2; k++) {
        cloth_case *c = case_make(5, 5);
        c->def.options.cloth = c->def.options.forces = c->def.options.move_parents = true;
        case_random(c, 3, 0.2f);
        case_add(c, body_of(0));
        refiner *r = case_open(c, drivers[k]);
        case_step(c, drivers[k], r);
        const unsigned long before = allocations;
        case_step(c, drivers[k], r);
        assert_true(allocations == before);
        drivers[k]->close(r);
        case_free(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_those_of_the_reference),
        cmocka_unit_test(several_levels_agree_where_they_are_judged_likewise),
        cmocka_unit_test(stops_agree),
        cmocka_unit_test(the_mannequin_is_left_by_all_vertices),
        cmocka_unit_test(drawing_gets_the_finest_grid),
        cmocka_unit_test(later_steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
