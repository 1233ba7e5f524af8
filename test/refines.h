/* Refined cloths for tests, on the device that TOILE_TEST_DEVICE names. */
#ifndef TOILE_TEST_REFINES_H
#define TOILE_TEST_REFINES_H

#include "solids.h"

#include "model/solid.h"

#include "cpu/refine.h"
#ifdef TOILE_TEST_GL
#include "gl/refine.h"
#endif

enum { MOST_BODIES = 4 };

typedef struct cloth_case {
    refine_def def;
    refine_step step;
    test_mesh bodies[MOST_BODIES];
    refine_object objects[MOST_BODIES];
    const float *start[MOST_BODIES], *end[MOST_BODIES];
    float *coarse;
    float *positions; /* results */
    int32_t *marks;
    refine_result result;
    int columns, rows; /* of the finest grid */
} cloth_case;

static inline const refine_driver *tested_driver(void) {
#ifdef TOILE_TEST_GL
    const char *name = getenv("TOILE_TEST_DEVICE");
    if (name && strcmp(name, "gl") == 0) {
        return &gl_refine_driver;
    }
#endif
    return &cpu_refine_driver;
}

/* A cloth of columns x rows in one view along -z, subdivided once. */
static inline cloth_case *case_make(int columns, int rows) {
    cloth_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->def = (refine_def){.columns = columns,
                          .rows = rows,
                          .spacing = {0.1f, 0.1f},
                          .options = refine_default_options()};
    c->def.options.levels = 1;
    c->def.options.directions = 1;
    c->def.options.resolution = 128;
    c->def.options.rule = REFINE_PARITY;
    c->def.options.correction = REFINE_IMAGE;
    c->coarse = calloc((size_t)columns * (size_t)rows, 3 * sizeof *c->coarse);
    assert_non_null(c->coarse);
    c->step = (refine_step){
        .coarse = c->coarse, .time_step = 1.0f / 60.0f, .gravity = {0.0f, -9.81f, 0.0f}};
    return c;
}

static inline void case_free(cloth_case *c) {
    for (size_t i = 0; i < c->def.object_count; i++) {
        test_mesh_free(&c->bodies[i]);
    }
    free(c->coarse);
    free(c->positions);
    free(c->marks);
    free(c);
}

static inline test_mesh mesh_at(test_mesh m, float x, float y, float z) {
    for (size_t v = 0; v < m.vertices; v++) {
        m.positions[3 * v] += x;
        m.positions[3 * v + 1] += y;
        m.positions[3 * v + 2] += z;
    }
    return m;
}

static inline test_mesh mesh_scaled(test_mesh m, float x, float y, float z) {
    for (size_t v = 0; v < m.vertices; v++) {
        m.positions[3 * v] *= x;
        m.positions[3 * v + 1] *= y;
        m.positions[3 * v + 2] *= z;
    }
    return m;
}

/* Two meshes as one. */
static inline test_mesh mesh_joined(test_mesh a, test_mesh b) {
    test_mesh m = test_mesh_make(a.vertices + b.vertices, a.triangle_count + b.triangle_count);
    memcpy(m.positions, a.positions, 3 * a.vertices * sizeof(float));
    memcpy(m.positions + 3 * a.vertices, b.positions, 3 * b.vertices * sizeof(float));
    memcpy(m.triangles, a.triangles, 3 * a.triangle_count * sizeof(uint32_t));
    for (size_t i = 0; i < 3 * b.triangle_count; i++) {
        m.triangles[3 * a.triangle_count + i] = b.triangles[i] + (uint32_t)a.vertices;
    }
    test_mesh_free(&a);
    test_mesh_free(&b);
    return m;
}

/* The case owns it. */
static inline void case_add(cloth_case *c, test_mesh m) {
    const size_t i = c->def.object_count++;
    assert_true(i < MOST_BODIES);
    c->bodies[i] = m;
    c->objects[i] = (refine_object){m.vertices, m.triangles, m.triangle_count};
    c->start[i] = c->end[i] = m.positions;
    c->def.objects = c->objects;
    c->step.start = c->start;
    c->step.end = c->end;
}

static inline void case_set(cloth_case *c, int column, int row, float x, float y, float z) {
    float *at = c->coarse + 3 * ((size_t)row * (size_t)c->def.columns + (size_t)column);
    at[0] = x;
    at[1] = y;
    at[2] = z;
}

/* A flat cloth around the origin with its spacing, at a height z. */
static inline void case_flat(cloth_case *c, float width, float height, float z) {
    c->def.spacing[0] = width / (float)(c->def.columns - 1);
    c->def.spacing[1] = height / (float)(c->def.rows - 1);
    for (int row = 0; row < c->def.rows; row++) {
        for (int column = 0; column < c->def.columns; column++) {
            case_set(c, column, row, c->def.spacing[0] * (float)column - 0.5f * width,
                     c->def.spacing[1] * (float)row - 0.5f * height, z);
        }
    }
}

static inline void case_read(cloth_case *c, const refine_driver *driver, refiner *r) {
    const int levels = c->def.options.levels;
    c->columns = refine_size(c->def.columns, levels);
    c->rows = refine_size(c->def.rows, levels);
    const size_t count = (size_t)c->columns * (size_t)c->rows;
    c->positions = c->positions ? c->positions : malloc(count * 3 * sizeof *c->positions);
    c->marks = c->marks ? c->marks : malloc(count * sizeof *c->marks);
    c->result = (refine_result){.positions = c->positions, .marks = c->marks};
    assert_int_equal(driver->read(r, &c->result), TOILE_OK);
}

static inline refiner *case_open(cloth_case *c, const refine_driver *driver) {
    refiner *r = NULL;
    if (driver->open(&r, &c->def) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return r;
}

static inline void case_step(cloth_case *c, const refine_driver *driver, refiner *r) {
    if (driver->step(r, &c->step) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
}

/* One step, and what comes of it. */
static inline void case_run(cloth_case *c, const refine_driver *driver) {
    refiner *r = case_open(c, driver);
    case_step(c, driver, r);
    case_read(c, driver, r);
    driver->close(r);
}

static inline v3 case_at(const cloth_case *c, int column, int row) {
    const float *p = c->positions + 3 * ((size_t)row * (size_t)c->columns + (size_t)column);
    return v3_make(p[0], p[1], p[2]);
}

static inline int case_mark(const cloth_case *c, int column, int row) {
    return c->marks[(size_t)row * (size_t)c->columns + (size_t)column];
}

static inline int case_of(const cloth_case *c, int column, int row) {
    return (case_mark(c, column, row) & REFINE_CASE_MASK) / REFINE_CASE;
}

#endif
