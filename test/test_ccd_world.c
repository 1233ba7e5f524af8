/* Continuous collision in worlds: nothing is too fast, nothing creeps, nothing is stuck. */
#include "solids.h"

#define STEP (1.0f / 60.0f)

static const toile_solver_kind kinds[] = {TOILE_SOLVER_MASS_SPRING, TOILE_SOLVER_MULTILEVEL,
                                          TOILE_SOLVER_IMPLICIT};
enum { KINDS = sizeof kinds / sizeof *kinds };

static toile_world_def ccd_def(toile_solver_kind kind) {
    toile_world_def def = test_world_def();
    def.solver.kind = kind;
    def.collision = TOILE_COLLISION_CCD;
    return def;
}

/* A box as one mesh, with its faces cut into n x n squares so that there are small triangles. */
static test_mesh make_box(const float half[3], uint32_t n) {
    test_mesh m = test_mesh_make(6 * (size_t)n * n + 2, 12 * (size_t)n * n);
    uint32_t *number = malloc((size_t)(n + 1) * (n + 1) * (n + 1) * sizeof *number), count = 0;
    for (uint32_t i = 0; i < (n + 1) * (n + 1) * (n + 1); i++) {
        uint32_t at[3] = {i % (n + 1), i / (n + 1) % (n + 1), i / (n + 1) / (n + 1)};
        bool outer = false;
        for (int k = 0; k < 3; k++) {
            outer = outer || at[k] == 0 || at[k] == n;
        }
        if (outer) {
            for (uint32_t k = 0; k < 3; k++) {
                m.positions[3 * count + k] = half[k] * (2.0f * (float)at[k] / (float)n - 1.0f);
            }
            number[i] = count++;
        }
    }
    uint32_t *t = m.triangles, step[3] = {1, n + 1, (n + 1) * (n + 1)};
    for (uint32_t axis = 0; axis < 3; axis++) {
        for (uint32_t side = 0; side < 2; side++) {
            uint32_t u = step[(axis + 1) % 3], v = step[(axis + 2) % 3];
            for (uint32_t j = 0; j < n * n; j++) {
                uint32_t base = side * n * step[axis] + j % n * u + j / n * v;
                uint32_t a = number[base], b = number[base + u], c = number[base + u + v],
                         d = number[base + v];
                uint32_t first = side ? b : d, last = side ? d : b;
                *t++ = a, *t++ = first, *t++ = c;
                *t++ = a, *t++ = c, *t++ = last;
            }
        }
    }
    free(number);
    return m;
}

typedef struct scenery {
    toile_world *world;
    toile_cloth_id cloth;
    toile_body_id body;
    test_mesh mesh;
    float *moved;
} scenery;

static toile_body_id add_mesh(toile_world *world, const test_mesh *m, toile_shape_kind kind) {
    toile_body_def body = toile_default_body_def();
    body.shape = kind;
    body.mesh = test_mesh_def(m);
    return add_body(world, &body);
}

static void free_scenery(scenery *s) {
    toile_world_destroy(s->world);
    test_mesh_free(&s->mesh);
    free(s->moved);
}

/* Moves the mesh by an offset from where it was made, rigidly or vertex by vertex. */
static void move_by(scenery *s, float x, float y, float z) {
    const float offset[3] = {x, y, z};
    if (toile_body_get_def(s->world, s->body).shape == TOILE_SHAPE_MESH) {
        toile_pose pose = {{x, y, z}, {0.0f, 0.0f, 0.0f, 1.0f}};
        assert_ok(toile_world_move_body(s->world, s->body, &pose));
        return;
    }
    for (size_t i = 0; i < 3 * s->mesh.vertices; i++) {
        s->moved[i] = s->mesh.positions[i] + offset[i % 3];
    }
    assert_ok(toile_world_move_vertices(s->world, s->body, s->moved, s->mesh.vertices));
}

/* The deepest texel. */
static double depth_of(const scenery *s) {
    float *x = texel_positions(s->world, s->cloth);
    size_t count = toile_cloth_get_info(s->world, s->cloth).texels;
    double deepest = -1e9;
    for (size_t t = 0; t < count; t++) {
        double depth = -(double)toile_body_get_distance(s->world, s->body, x + 3 * t, NULL);
        deepest = fmax(deepest, depth);
    }
    free(x);
    return deepest;
}

/* On which side of the plate's plane the middle of the cloth is. */
static double middle_z(const scenery *s) {
    float *x = texel_positions(s->world, s->cloth);
    size_t count = toile_cloth_get_info(s->world, s->cloth).texels;
    double z = (double)x[3 * (count / 2) + 2];
    free(x);
    return z;
}

/* ---- fast bodies --------------------------------------------------------------------------------
 */

/* A plate of 5 mm that goes at 12 m/s through where a cloth hangs: 20 cm a frame. The cloth is
 * taken along, and nothing of it is left in the plate or behind. */
static void strike(toile_solver_kind kind, toile_shape_kind shape, bool pinned) {
    toile_world_def def = ccd_def(kind);
    scenery s = {.world = make_world(&def),
                 .mesh = make_box((const float[3]){0.15f, 0.15f, 0.0025f}, 6)};
    s.moved = malloc(3 * s.mesh.vertices * sizeof *s.moved);
    for (size_t v = 0; v < s.mesh.vertices; v++) {
        s.mesh.positions[3 * v + 2] -= 0.5f;
    }
    toile_cloth_def cloth = toile_default_cloth_def();
    cloth.size[0] = cloth.size[1] = 0.4f;
    cloth.spacing = 0.02f;
    s.cloth = add_cloth(s.world, &cloth);
    if (pinned) {
        pin_edge(s.world, s.cloth, TOILE_EDGE_TOP);
    }
    s.body = add_mesh(s.world, &s.mesh, shape);
    const int last = pinned ? 3 : 5; /* as far as the pinned cloth reaches */
    double deepest = -1.0, taken = 0.0;
    for (int frame = 1; frame <= 8; frame++) {
        move_by(&s, 0.0f, 0.0f, 0.2f * (float)(frame < last ? frame : last));
        assert_ok(toile_world_step(s.world, STEP));
        deepest = fmax(deepest, depth_of(&s));
        taken = frame == last ? middle_z(&s) : taken;
    }
    print_message("solver %d, shape %d, pinned %d: deepest %g m, taken to %g m\n", (int)kind,
                  (int)shape, pinned, deepest, taken);
    assert_below(deepest, 0.001);
    assert_true(taken > -0.5 + 0.2 * last);
    free_scenery(&s);
}

static void test_strike(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        for (int pinned = 0; pinned < 2; pinned++) {
            strike(kinds[k], TOILE_SHAPE_MESH, pinned);
            strike(kinds[k], TOILE_SHAPE_DEFORMING, pinned);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
