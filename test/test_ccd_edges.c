/* Edges and triangles of cloth against those of meshes: what passes between texels. */
#include "solids.h"

#define STEP (1.0f / 60.0f)

static const toile_solver_kind kinds[] = {TOILE_SOLVER_MASS_SPRING, TOILE_SOLVER_MULTILEVEL,
                                          TOILE_SOLVER_IMPLICIT};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* What a mesh has to do with the texels of a grid: nothing at all if it passes between them. */
typedef struct body_case {
    const char *name;
    test_mesh (*make)(void);
    float angles[2]; /* rad, around z and then x; the rest is about its motion */
    float from, to;  /* m, along z */
    float offset;    /* m, along x and y */
    float speed;     /* m/s */
    float spin;      /* rad/s, around x */
} body_case;

/* 4 mm thick. */
static test_mesh make_rod(void) {
    test_mesh m = test_cube(1.0f);
    for (size_t v = 0; v < m.vertices; v++) {
        m.positions[3 * v] *= 0.2f;
        m.positions[3 * v + 1] *= 0.002f;
        m.positions[3 * v + 2] *= 0.002f;
    }
    return m;
}

static test_mesh make_block(void) {
    return test_cube(0.05f);
}

/* Its tip, towards +z, is far thinner than a cell. */
static test_mesh make_spike(void) {
    test_mesh m = test_ball(0.01f, 8, 4, NULL);
    for (size_t v = 0; v < m.vertices; v++) {
        float *p = m.positions + 3 * v;
        float y = p[1];
        p[1] = p[2];
        p[2] = -y * (y < 0.0f ? 10.0f : 1.0f);
        p[0] = -p[0];
        p[1] = -p[1];
    }
    return m;
}

typedef struct outcome {
    uint64_t crossings, worst; /* of all frames; of one */
    double deepest;            /* m, of a crossing */
    double fastest;            /* m/s, of a texel */
    uint64_t hash;             /* at the end */
} outcome;

static toile_pose pose_of(const body_case *c, double time) {
    double way = fmin((double)c->from + (double)c->speed * time, (double)c->to);
    double angle = 0.5 * (double)c->spin * time;
    return (toile_pose){{c->offset, c->offset, (float)way},
                        {(float)sin(angle), 0.0f, 0.0f, (float)cos(angle)}};
}

/* By an angle around z and then around x. */
static void turn_mesh(test_mesh *m, const float angles[2]) {
    float sz = sinf(angles[0]), cz = cosf(angles[0]), sx = sinf(angles[1]), cx = cosf(angles[1]);
    for (size_t v = 0; v < m->vertices; v++) {
        float *p = m->positions + 3 * v;
        float x = cz * p[0] - sz * p[1], y = sz * p[0] + cz * p[1], z = p[2];
        p[0] = x;
        p[1] = cx * y - sx * z;
        p[2] = sx * y + cx * z;
    }
}

static double fastest_of(const float *a, const float *b, size_t texels) {
    double most = 0.0;
    for (size_t t = 0; t < texels; t++) {
        double way = 0.0;
        for (size_t i = 3 * t; i < 3 * t + 3; i++) {
            way += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        }
        most = fmax(most, sqrt(way) / (double)STEP);
    }
    return most;
}

/* A hanging cloth of 4 cm cells that is struck, with a margin that is no help. */
static outcome strike(const body_case *c, toile_world_def def, int frames) {
    def.collision = TOILE_COLLISION_CCD;
    def.contact_margin = 0.001f;
    toile_world *world = make_world(&def);
    toile_cloth_def cloth = toile_default_cloth_def();
    cloth.size[0] = cloth.size[1] = 0.4f;
    cloth.spacing = 0.04f;
    toile_cloth_id id = add_cloth(world, &cloth);
    pin_edge(world, id, TOILE_EDGE_TOP);
    test_mesh mesh = c->make();
    turn_mesh(&mesh, c->angles);
    toile_body_def body = toile_default_body_def();
    body.shape = TOILE_SHAPE_MESH;
    body.mesh = test_mesh_def(&mesh);
    memcpy(body.center, pose_of(c, 0.0).position, sizeof body.center);
    toile_body_id moved = add_body(world, &body);
    outcome out = {0};
    size_t texels = toile_cloth_get_info(world, id).texels;
    for (int frame = 1; frame <= frames; frame++) {
        float *before = texel_positions(world, id);
        toile_pose pose = pose_of(c, frame * (double)STEP);
        assert_ok(toile_world_move_body(world, moved, &pose));
        assert_ok(toile_world_step(world, STEP));
        float *after = texel_positions(world, id);
        toile_metrics m = measure(world, id);
        out.crossings += m.penetration.crossings;
        out.worst = m.penetration.crossings > out.worst ? m.penetration.crossings : out.worst;
        out.deepest = fmax(out.deepest, m.penetration.crossing_depth_m);
        out.fastest = fmax(out.fastest, fastest_of(before, after, texels));
        free(before);
        free(after);
    }
    out.hash = toile_world_hash(world);
    toile_world_destroy(world);
    test_mesh_free(&mesh);
    return out;
}

static const body_case cases[] = {
    {"rod", make_rod, {0.0f, 0.0f}, -0.1f, 0.1f, 0.02f, 3.0f, 0.0f},
    {"slanting rod", make_rod, {0.35f, 0.0f}, -0.1f, 0.1f, 0.013f, 3.0f, 0.0f},
    {"block", make_block, {0.785f, 0.615f}, -0.2f, 0.1f, 0.011f, 3.0f, 0.0f},
    {"turning block", make_block, {0.785f, 0.615f}, -0.2f, 0.05f, 0.011f, 2.0f, 12.0f},
    {"spike", make_spike, {0.0f, 0.0f}, -0.15f, 0.0f, 0.006f, 3.0f, 0.0f},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Nothing gets through, where it does without edges; and nothing flies about. */
static void test_between_texels(void **state) {
    (void)state;
    for (int i = 0; i < CASES; i++) {
        for (int k = 0; k < KINDS; k++) {
            toile_world_def def = test_world_def();
            def.solver.kind = kinds[k];
            outcome without = strike(&cases[i], def, 20);
            def.edges = true;
            outcome with = strike(&cases[i], def, 20);
            print_message("%s, solver %d: %d crossings, %d at worst, %.2g mm, %.3g m/s; without "
                          "edges %d, %d, %.2g mm, %.3g m/s\n",
                          cases[i].name, (int)kinds[k], (int)with.crossings, (int)with.worst,
                          1e3 * with.deepest, with.fastest, (int)without.crossings,
                          (int)without.worst, 1e3 * without.deepest, without.fastest);
            assert_true(without.crossings > 0);
            assert_int_equal(with.crossings, 0);
            assert_below(with.fastest, 4.0 * (double)cases[i].speed);
        }
    }
}

/* The same bits for any number of threads. */
static void test_threads(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    def.solver.kind = TOILE_SOLVER_MASS_SPRING;
    def.edges = true;
    def.threads = 1;
    outcome one = strike(&cases[3], def, 10);
    def.threads = 3;
    outcome three = strike(&cases[3], def, 10);
    assert_true(one.hash == three.hash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_texels),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
