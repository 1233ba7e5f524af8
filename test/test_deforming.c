/* Meshes that deform: their distance at any time of a step against meshes that are made anew, and
 * worlds in which they move as rigid ones do. */
#include "solids.h"

#include "model/solid.h"

/* A repeatable number from -1 to 1. */
static float noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 8388608.0f - 1.0f;
}

static v3 noise_v3(unsigned *seed, float size) {
    float x = noise(seed), y = noise(seed), z = noise(seed);
    return v3_scale(v3_make(x, y, z), size);
}

static float bump(size_t vertex) {
    unsigned seed = (unsigned)vertex * 2654435761u + 17u;
    noise(&seed);
    return 0.3f * noise(&seed);
}

/* ---- solids -------------------------------------------------------------------------------------
 */

/* Bent, blown up and moved. */
static void bend_mesh(const test_mesh *m, float *out) {
    for (size_t v = 0; v < m->vertices; v++) {
        const float *p = m->positions + 3 * v;
        out[3 * v] = 1.2f * p[0] + 0.4f * p[1] * p[1] + 0.3f;
        out[3 * v + 1] = 1.1f * p[1] - 0.3f * p[2];
        out[3 * v + 2] = 0.9f * p[2] + 0.2f * p[0] * p[1] - 0.1f;
    }
}

static solid between(const test_mesh *m, const float *ends, float time) {
    test_mesh mixed = test_mesh_make(m->vertices, m->triangle_count);
    memcpy(mixed.triangles, m->triangles, 3 * m->triangle_count * sizeof *m->triangles);
    for (size_t i = 0; i < 3 * m->vertices; i++) {
        mixed.positions[i] = m->positions[i] * (1.0f - time) + ends[i] * time;
    }
    toile_mesh_def def = test_mesh_def(&mixed);
    solid s;
    assert_ok(solid_create(&s, &def));
    test_mesh_free(&mixed);
    return s;
}

static void compare_at(const solid *moving, const solid *still, float time, unsigned *seed) {
    uint32_t hint = SOLID_NONE;
    for (int i = 0; i < 400; i++) {
        v3 p = noise_v3(seed, 1.5f);
        v4 wanted = solid_distance(still, p, INFINITY);
        solid_touch found = solid_nearest(moving, p, INFINITY, time, SOLID_NONE);
        assert_near(found.distance.w, wanted.w, 2e-6);
        v3 off = v3_sub(v4_xyz(found.distance), v4_xyz(wanted));
        /* Close to the surface its direction is a small difference. */
        assert_below(v3_largest(off) * fabsf(wanted.w), 2e-6);
        v3 foot = solid_point(moving, found.face, found.weights, time);
        v3 way = v3_sub(p, foot);
        assert_near(k_sqrt(v3_dot(way, way)), fabsf(wanted.w), 3e-6);
        /* What was near a moment ago changes nothing. */
        solid_touch hinted = solid_nearest(moving, p, INFINITY, time, hint);
        assert_memory_equal(&hinted, &found, sizeof found);
        hint = found.face;
    }
}

static void test_distance(void **state) {
    (void)state;
    test_mesh m = test_ball(0.8f, 20, 12, bump);
    float *ends = malloc(3 * m.vertices * sizeof *ends);
    bend_mesh(&m, ends);
    toile_mesh_def def = test_mesh_def(&m);
    solid moving;
    assert_ok(solid_create_deforming(&moving, &def, false));
    memcpy(moving.ends, ends, 3 * m.vertices * sizeof *ends);
    solid_aim(&moving);
    unsigned seed = 1;
    const float times[] = {0.0f, 0.25f, 0.6f, 1.0f};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        solid still = between(&m, ends, times[i]);
        compare_at(&moving, &still, times[i], &seed);
        solid_free(&still);
    }
    solid_arrive(&moving);
    solid still = between(&m, ends, 1.0f);
    compare_at(&moving, &still, 0.0f, &seed);
    compare_at(&moving, &still, 0.5f, &seed); /* and stays there */
    solid_free(&still);
    solid_free(&moving);
    free(ends);
    test_mesh_free(&m);
}

/* The way of the surface in a step is that of its point: here everything moves alike. */
static void test_way(void **state) {
    (void)state;
    test_mesh m = test_ball(0.5f, 16, 10, NULL);
    toile_mesh_def def = test_mesh_def(&m);
    solid s;
    assert_ok(solid_create_deforming(&s, &def, false));
    for (size_t v = 0; v < m.vertices; v++) {
        s.ends[3 * v + 1] += 0.1f;
    }
    solid_aim(&s);
    assert_near(s.longest_way, 0.1, 1e-6);
    unsigned seed = 5;
    for (int i = 0; i < 50; i++) {
        solid_touch t = solid_nearest(&s, noise_v3(&seed, 1.0f), INFINITY, 0.5f, SOLID_NONE);
        assert_near(t.way.x, 0.0, 1e-6);
        assert_near(t.way.y, 0.1, 1e-6);
        assert_near(t.way.z, 0.0, 1e-6);
    }
    solid_free(&s);
    test_mesh_free(&m);
}

/* Half a ball: above the surface is outside, below it inside, and its rim is no edge of the world.
 */
static void test_open(void **state) {
    (void)state;
    test_mesh m = test_ball(0.5f, 16, 10, NULL);
    size_t kept = 0;
    for (size_t t = 0; t < m.triangle_count; t++) {
        bool below = false;
        for (size_t k = 0; k < 3; k++) {
            below = below || m.positions[3 * m.triangles[3 * t + k] + 1] < -1e-3f;
        }
        for (size_t k = 0; k < 3 && !below; k++) {
            m.triangles[3 * kept + k] = m.triangles[3 * t + k];
        }
        kept += !below;
    }
    m.triangle_count = kept;
    toile_mesh_def def = test_mesh_def(&m);
    solid s;
    assert_int_equal(solid_create_deforming(&s, &def, false), TOILE_ERROR_INVALID);
    assert_message("it is open");
    assert_ok(solid_create_deforming(&s, &def, true));
    assert_near(solid_distance(&s, v3_make(0.0f, 0.6f, 0.0f), INFINITY).w, 0.1, 1e-3);
    assert_below(solid_distance(&s, v3_make(0.0f, 0.4f, 0.0f), INFINITY).w, -0.09);
    v4 rim = solid_distance(&s, v3_make(0.7f, -0.1f, 0.0f), INFINITY);
    assert_near(rim.w, sqrt(0.05), 1e-2);
    solid_free(&s);
    test_mesh_free(&m);
}

/* A tip that sticks through a cloth between its texels. The borders that do run from higher numbers
 * of vertices to lower ones. */
static void test_open_start(void **state) {
    (void)state;
    const float positions[12] = {0.02f, 0.01f, 0.012f, 0.013f, -0.01f, 0.01f,
                                 0.02f, 0.01f, 0.01f,  0.03f,  0.02f,  0.01f};
    const uint32_t triangles[6] = {1, 0, 2, 2, 0, 3};
    toile_world_def def = test_world_def();
    toile_world *world = make_world(&def);
    toile_cloth_def cloth = lying_def(11, 0.0f);
    cloth.name = "sheet";
    add_cloth(world, &cloth);
    toile_body_def body = toile_default_body_def();
    body.name = "shard";
    body.shape = TOILE_SHAPE_DEFORMING;
    body.open = true;
    body.mesh = (toile_mesh_def){positions, 4, triangles, 1};
    assert_int_equal(toile_world_add_body(world, &body).slot, 0);
    assert_message("4 vertices and 1 triangles: expected a surface of two triangles or more");
    body.mesh.triangle_count = 2;
    add_body(world, &body);
    assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_INVALID);
    assert_message("the body \"shard\" starts in \"sheet\" between its texels");
    toile_world_destroy(world);
}

/* ---- worlds -------------------------------------------------------------------------------------
 */

typedef struct scenery {
    toile_world *world;
    toile_cloth_id cloth;
    toile_body_id body;
    test_mesh mesh;
    float *moved;
} scenery;

enum { SIDE = 21, FRAMES = 12, COMPARED = 4 };

/* A cloth that hangs, and a ball of triangles behind it which moves into it and turns. What falls
 * flat onto a ball folds this way or that by chance. After more than COMPARED frames a micrometre
 * at the start makes as much of a difference as a mesh that goes straight instead of around. */
static scenery make_scenery(toile_world_def def, toile_shape_kind kind) {
    scenery s = {.world = make_world(&def), .mesh = test_ball(0.3f, 24, 16, NULL)};
    toile_cloth_def cloth = square_def(SIDE);
    cloth.transform.translate[2] = 0.33f;
    s.cloth = add_cloth(s.world, &cloth);
    pin_edge(s.world, s.cloth, TOILE_EDGE_TOP);
    toile_body_def body = toile_default_body_def();
    body.shape = kind;
    body.mesh = test_mesh_def(&s.mesh);
    s.body = add_body(s.world, &body);
    s.moved = malloc(3 * s.mesh.vertices * sizeof *s.moved);
    return s;
}

static void free_scenery(scenery *s) {
    toile_world_destroy(s->world);
    test_mesh_free(&s->mesh);
    free(s->moved);
}

/* Where the ball is at the end of a frame: the same for a pose and for vertices. */
static toile_pose pose_of_frame(int frame) {
    float time = (float)(frame + 1) / 60.0f, half = 0.5f * 1.5f * time;
    return (toile_pose){{0.1f * time, 0.2f * time, 0.8f * time},
                        {0.0f, sinf(half), 0.0f, cosf(half)}};
}

static void turn(const float *q, const float *p, float *out) {
    float t[3] = {2.0f * (q[1] * p[2] - q[2] * p[1]), 2.0f * (q[2] * p[0] - q[0] * p[2]),
                  2.0f * (q[0] * p[1] - q[1] * p[0])};
    out[0] = p[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
    out[1] = p[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
    out[2] = p[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
}

static void move_scenery(scenery *s, int frame) {
    toile_pose pose = pose_of_frame(frame);
    toile_shape_kind kind = toile_body_get_def(s->world, s->body).shape;
    if (kind == TOILE_SHAPE_MESH) {
        assert_ok(toile_world_move_body(s->world, s->body, &pose));
        return;
    }
    for (size_t v = 0; v < s->mesh.vertices; v++) {
        turn(pose.rotation, s->mesh.positions + 3 * v, s->moved + 3 * v);
        for (size_t k = 0; k < 3; k++) {
            s->moved[3 * v + k] += pose.position[k];
        }
    }
    assert_ok(toile_world_move_vertices(s->world, s->body, s->moved, s->mesh.vertices));
}

static void run_scenery(scenery *s, int begin, int end) {
    for (int frame = begin; frame < end; frame++) {
        move_scenery(s, frame);
        assert_ok(toile_world_step(s->world, 1.0f / 60.0f));
    }
}

static double compare_texels(const scenery *a, const scenery *b) {
    static float x[3 * SIDE * SIDE], y[3 * SIDE * SIDE];
    assert_ok(toile_cloth_get_texel_positions(a->world, a->cloth, x, SIDE * SIDE));
    assert_ok(toile_cloth_get_texel_positions(b->world, b->cloth, y, SIDE * SIDE));
    double most = 0.0;
    for (size_t i = 0; i < 3 * SIDE * SIDE; i++) {
        most = fmax(most, fabs((double)x[i] - (double)y[i]));
    }
    return most;
}

static toile_world_def solver_def(toile_solver_kind kind) {
    toile_world_def def = test_world_def();
    def.solver.kind = kind;
    return def;
}

/* A mesh that moves rigidly, by its pose or vertex by vertex, does the same to cloth. In a step a
 * vertex goes straight, and not around: 0.3 m turned by 1.5/60 is off by 23 micrometres. */
static void compare_with_rigid(toile_solver_kind kind) {
    scenery rigid = make_scenery(solver_def(kind), TOILE_SHAPE_MESH);
    scenery moved = make_scenery(solver_def(kind), TOILE_SHAPE_DEFORMING);
    run_scenery(&rigid, 0, COMPARED);
    run_scenery(&moved, 0, COMPARED);
    assert_below(compare_texels(&rigid, &moved), 2e-4);
    float *a = malloc(6 * rigid.mesh.vertices * sizeof *a), *b = a + 3 * rigid.mesh.vertices;
    assert_ok(toile_body_get_vertices(rigid.world, rigid.body, a, rigid.mesh.vertices));
    assert_ok(toile_body_get_vertices(moved.world, moved.body, b, moved.mesh.vertices));
    for (size_t i = 0; i < 3 * rigid.mesh.vertices; i++) {
        assert_near(a[i], b[i], 1e-6);
    }
    toile_metrics metrics;
    assert_ok(toile_world_measure(moved.world, moved.cloth, &metrics));
    assert_below(metrics.penetration.max_depth_m, 0.01);
    free(a);
    free_scenery(&rigid);
    free_scenery(&moved);
}

static void test_implicit(void **state) {
    (void)state;
    compare_with_rigid(TOILE_SOLVER_IMPLICIT);
}

static void test_multilevel(void **state) {
    (void)state;
    compare_with_rigid(TOILE_SOLVER_MULTILEVEL);
}

/* Devices agree about a mesh that changes its shape: the ball is blown up and bent while it moves.
 */
static void test_devices(void **state) {
    (void)state;
    toile_world_def def = solver_def(TOILE_SOLVER_IMPLICIT);
    scenery here = make_scenery(def, TOILE_SHAPE_DEFORMING);
    def.device = "cpu";
    scenery there = make_scenery(def, TOILE_SHAPE_DEFORMING);
    for (int frame = 0; frame + 1 < COMPARED; frame++) {
        float time = (float)(frame + 1) / 60.0f;
        for (size_t v = 0; v < here.mesh.vertices; v++) {
            const float *p = here.mesh.positions + 3 * v;
            float *out = here.moved + 3 * v;
            out[0] = p[0] + time * p[1];
            out[1] = p[1] * (1.0f + 0.5f * time);
            out[2] = p[2] * (1.0f + time) + 0.8f * time;
        }
        assert_ok(toile_world_move_vertices(here.world, here.body, here.moved, here.mesh.vertices));
        assert_ok(
            toile_world_move_vertices(there.world, there.body, here.moved, there.mesh.vertices));
        assert_ok(toile_world_step(here.world, 1.0f / 60.0f));
        assert_ok(toile_world_step(there.world, 1.0f / 60.0f));
    }
    assert_below(compare_texels(&here, &there), 2e-5);
    free_scenery(&here);
    free_scenery(&there);
}

/* Saved in the middle and loaded into a new world, it goes on with the same bits. */
static void test_state(void **state) {
    (void)state;
    toile_world_def def = solver_def(TOILE_SOLVER_IMPLICIT);
    scenery whole = make_scenery(def, TOILE_SHAPE_DEFORMING);
    run_scenery(&whole, 0, 5);
    size_t size = toile_world_state_size(whole.world);
    void *bytes = malloc(size);
    assert_ok(toile_world_save_state(whole.world, bytes, size));
    run_scenery(&whole, 5, 9);
    scenery rest = make_scenery(def, TOILE_SHAPE_DEFORMING);
    assert_ok(toile_world_load_state(rest.world, bytes, size));
    run_scenery(&rest, 5, 9);
    assert_true(toile_world_hash(whole.world) == toile_world_hash(rest.world));
    free(bytes);
    free_scenery(&whole);
    free_scenery(&rest);
}

/* ---- skins --------------------------------------------------------------------------------------
 */

enum { JOINTS = 2 };

/* Vertices hang on two joints, more and more on the second one from below to above. */
static toile_body_id add_skinned(toile_world *world, const test_mesh *m, toile_skinning kind,
                                 uint32_t *joints, float *weights) {
    for (size_t v = 0; v < m->vertices; v++) {
        float share = 0.5f + 0.5f * m->positions[3 * v + 1] / 0.3f;
        share = fminf(fmaxf(share, 0.0f), 1.0f);
        joints[2 * v] = 0;
        joints[2 * v + 1] = 1;
        weights[2 * v] = 1.0f - share;
        weights[2 * v + 1] = share;
    }
    toile_body_def body = toile_default_body_def();
    body.shape = TOILE_SHAPE_SKINNED;
    body.mesh = test_mesh_def(m);
    body.center[1] = 0.1f;
    body.skin = (toile_skin_def){
        .joint_count = JOINTS, .influences = 2, .joints = joints, .weights = weights, .kind = kind};
    return add_body(world, &body);
}

/* The first joint moves, the second one turns about z and moves. */
static void set_joints(float angle, float way, float matrices[12 * JOINTS]) {
    const float c = cosf(angle), s = sinf(angle);
    const float values[12 * JOINTS] = {1, 0,  0, way,  0, 1, 0, 0, 0, 0, 1, 0,
                                       c, -s, 0, 0.0f, s, c, 0, 0, 0, 0, 1, way};
    memcpy(matrices, values, sizeof values);
}

/* By both ways each vertex is where the formulas have it, and the pose of the body is on top. */
static void test_skins(void **state) {
    (void)state;
    test_mesh m = test_ball(0.3f, 12, 8, NULL);
    uint32_t *joints = malloc(2 * m.vertices * sizeof *joints);
    float *weights = malloc(2 * m.vertices * sizeof *weights), *found = malloc(3 * m.vertices * 4);
    for (int kind = 0; kind < 2; kind++) {
        toile_world_def def = solver_def(TOILE_SOLVER_IMPLICIT);
        toile_world *world = make_world(&def);
        toile_body_id body = add_skinned(world, &m, (toile_skinning)kind, joints, weights);
        float matrices[12 * JOINTS];
        const float angle = 1.2f, way = 0.2f;
        set_joints(angle, way, matrices);
        assert_ok(toile_world_move_joints(world, body, matrices, JOINTS));
        assert_ok(toile_world_step(world, 1.0f / 60.0f));
        assert_ok(toile_body_get_vertices(world, body, found, m.vertices));
        for (size_t v = 0; v < m.vertices; v++) {
            const float *p = m.positions + 3 * v;
            double w = (double)weights[2 * v + 1], x = (double)p[0], y = (double)p[1];
            double c = cos((double)angle), s = sin((double)angle);
            double wanted[3] = {(1 - w) * (x + (double)way) + w * (c * x - s * y),
                                (1 - w) * y + w * (s * x + c * y), (double)p[2] + w * (double)way};
            if (kind == TOILE_SKINNING_DUAL_QUATERNION) {
                /* The sum of the quaternions is a turn about z; that of the dual parts is half of
                 * the ways turned by it (kernel/skin.h). */
                double rw = (1 - w) + w * cos(0.6), rz = w * sin(0.6), n = rw * rw + rz * rz;
                double dx = (1 - w) * 0.1, dz = w * 0.1 * cos(0.6), dw = -w * 0.1 * sin(0.6);
                double ct = (rw * rw - rz * rz) / n, st = 2 * rw * rz / n;
                wanted[0] = ct * x - st * y + 2 * (rw * dx) / n;
                wanted[1] = st * x + ct * y + 2 * (rz * dx) / n;
                wanted[2] = (double)p[2] + 2 * (rw * dz - rz * dw) / n;
            }
            assert_near(found[3 * v], wanted[0], 1e-6);
            assert_near(found[3 * v + 1], wanted[1] + 0.1, 1e-6);
            assert_near(found[3 * v + 2], wanted[2], 1e-6);
        }
        toile_world_destroy(world);
    }
    free(joints);
    free(weights);
    free(found);
    test_mesh_free(&m);
}

/* Cloth feels a skinned body as it feels one whose vertices the caller puts in the same places. */
static void compare_skinned(toile_skinning kind) {
    toile_world_def def = solver_def(TOILE_SOLVER_IMPLICIT);
    scenery moved = make_scenery(def, TOILE_SHAPE_DEFORMING);
    scenery skinned = make_scenery(def, TOILE_SHAPE_DEFORMING);
    size_t count = skinned.mesh.vertices;
    uint32_t *joints = malloc(2 * count * sizeof *joints);
    float *weights = malloc(2 * count * sizeof *weights);
    toile_world_remove_body(skinned.world, skinned.body);
    skinned.body = add_skinned(skinned.world, &skinned.mesh, kind, joints, weights);
    assert_ok(toile_body_get_vertices(skinned.world, skinned.body, moved.moved, count));
    toile_world_remove_body(moved.world, moved.body);
    toile_body_def body = toile_default_body_def();
    body.shape = TOILE_SHAPE_DEFORMING;
    body.mesh = test_mesh_def(&moved.mesh);
    body.mesh.positions = moved.moved;
    moved.body = add_body(moved.world, &body);
    for (int frame = 0; frame < COMPARED; frame++) {
        float matrices[12 * JOINTS];
        set_joints(0.05f * (float)frame, 0.012f * (float)(frame + 1), matrices);
        assert_ok(toile_world_move_joints(skinned.world, skinned.body, matrices, JOINTS));
        assert_ok(toile_world_step(skinned.world, 1.0f / 60.0f));
        assert_ok(toile_body_get_vertices(skinned.world, skinned.body, moved.moved, count));
        assert_ok(toile_world_move_vertices(moved.world, moved.body, moved.moved, count));
        assert_ok(toile_world_step(moved.world, 1.0f / 60.0f));
    }
    assert_below(compare_texels(&moved, &skinned), 1e-5);
    free(joints);
    free(weights);
    free_scenery(&moved);
    free_scenery(&skinned);
}

static void test_skinned_cloth(void **state) {
    (void)state;
    compare_skinned(TOILE_SKINNING_LINEAR);
    compare_skinned(TOILE_SKINNING_DUAL_QUATERNION);
}

static void refuse_skin(const toile_body_def *def, const char *message) {
    toile_world *world = make_null_world();
    assert_int_equal(toile_world_add_body(world, def).slot, 0);
    assert_message(message);
    toile_world_destroy(world);
}

static void test_refused_skins(void **state) {
    (void)state;
    test_mesh m = test_cube(0.2f);
    uint32_t joints[8] = {0};
    float weights[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    toile_body_def body = toile_default_body_def();
    body.shape = TOILE_SHAPE_SKINNED;
    body.mesh = test_mesh_def(&m);
    refuse_skin(&body, "it has 0 joints");
    body.skin =
        (toile_skin_def){.joint_count = 2, .influences = 1, .joints = joints, .weights = weights};
    joints[5] = 2;
    refuse_skin(&body, "vertex 5 hangs on joint 2");
    joints[5] = 1;
    weights[3] = 0.5f;
    refuse_skin(&body, "weights of vertex 3 sum to 0.5");
    weights[3] = NAN;
    refuse_skin(&body, "vertex 3 hangs on joint 0 with a weight of nan");
    weights[3] = 1.0f;
    float matrices[24] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, INFINITY};
    body.skin.matrices = matrices;
    refuse_skin(&body, "the matrix of joint 0 has inf in row 2, column 3");
    test_mesh_free(&m);
}

/* ---- pins ---------------------------------------------------------------------------------------
 */

/* Texels beside a body that deforms go with its triangles: here all of them turn alike. */
static void test_ride(void **state) {
    (void)state;
    scenery s = make_scenery(solver_def(TOILE_SOLVER_IMPLICIT), TOILE_SHAPE_DEFORMING);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_EDGE;
    pin.edge = TOILE_EDGE_BOTTOM;
    pin.body = s.body;
    toile_pin_id id = add_pin(s.world, s.cloth, &pin);
    uint32_t texels[SIDE];
    static float before[3 * SIDE * SIDE], after[3 * SIDE * SIDE];
    assert_ok(toile_pin_get_texels(s.world, id, texels, SIDE));
    assert_ok(toile_cloth_get_texel_positions(s.world, s.cloth, before, SIDE * SIDE));
    run_scenery(&s, 0, FRAMES);
    assert_ok(toile_cloth_get_texel_positions(s.world, s.cloth, after, SIDE * SIDE));
    toile_pose pose = pose_of_frame(FRAMES - 1);
    for (size_t t = 0; t < SIDE; t++) {
        float wanted[3];
        turn(pose.rotation, before + 3 * texels[t], wanted);
        for (size_t k = 0; k < 3; k++) {
            assert_near(after[3 * texels[t] + k], wanted[k] + pose.position[k], 2e-5);
        }
    }
    free_scenery(&s);
}

static double distance_between(const float *a, const float *b) {
    return hypot(hypot((double)(b[0] - a[0]), (double)(b[1] - a[1])), (double)(b[2] - a[2]));
}

/* The texels of a point stay together, however the body beside them is stretched. */
static void test_patch(void **state) {
    (void)state;
    scenery s = make_scenery(solver_def(TOILE_SOLVER_IMPLICIT), TOILE_SHAPE_DEFORMING);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_POINT;
    pin.point[0] = pin.point[1] = 0.5f;
    pin.radius = 0.12f;
    pin.body = s.body;
    toile_pin_id id = add_pin(s.world, s.cloth, &pin);
    size_t count = toile_pin_get_info(s.world, id).texels;
    uint32_t texels[64];
    assert_in_range(count, 12, 64);
    assert_ok(toile_pin_get_texels(s.world, id, texels, count));
    static float before[3 * SIDE * SIDE], after[3 * SIDE * SIDE];
    assert_ok(toile_cloth_get_texel_positions(s.world, s.cloth, before, SIDE * SIDE));
    for (size_t v = 0; v < s.mesh.vertices; v++) {
        for (size_t k = 0; k < 3; k++) {
            s.moved[3 * v + k] = (k == 2 ? 1.1f : 1.5f) * s.mesh.positions[3 * v + k];
        }
    }
    assert_ok(toile_world_move_vertices(s.world, s.body, s.moved, s.mesh.vertices));
    assert_ok(toile_world_step(s.world, 1.0f / 60.0f));
    assert_ok(toile_cloth_get_texel_positions(s.world, s.cloth, after, SIDE * SIDE));
    for (size_t t = 1; t < count; t++) {
        size_t a = 3 * (size_t)texels[0], b = 3 * (size_t)texels[t];
        assert_near(distance_between(after + a, after + b),
                    distance_between(before + a, before + b), 1e-5);
    }
    free_scenery(&s);
}

/* All that is near is pinned, and nothing else. */
static void test_near(void **state) {
    (void)state;
    scenery s = make_scenery(solver_def(TOILE_SOLVER_IMPLICIT), TOILE_SHAPE_DEFORMING);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_NEAR;
    pin.radius = 0.05f;
    assert_int_equal(toile_cloth_add_pin(s.world, s.cloth, &pin).slot, 0);
    assert_message("expected the body");
    pin.body = s.body;
    toile_pin_id id = add_pin(s.world, s.cloth, &pin);
    size_t count = toile_pin_get_info(s.world, id).texels;
    uint32_t *texels = malloc(count * sizeof *texels);
    assert_ok(toile_pin_get_texels(s.world, id, texels, count));
    static float x[3 * SIDE * SIDE];
    assert_ok(toile_cloth_get_texel_positions(s.world, s.cloth, x, SIDE * SIDE));
    size_t found = 0;
    for (uint32_t t = 0; t < SIDE * SIDE; t++) {
        bool near = toile_body_get_distance(s.world, s.body, x + 3 * t, NULL) <= 0.05f;
        bool pinned = found < count && texels[found] == t;
        assert_true(near == pinned);
        found += pinned;
    }
    assert_true(found > 4);
    pin.radius = 0.001f;
    assert_int_equal(toile_cloth_add_pin(s.world, s.cloth, &pin).slot, 0);
    assert_message("none of cloth");
    free(texels);
    free_scenery(&s);
}

/* ---- mistakes -----------------------------------------------------------------------------------
 */

static void test_refused(void **state) {
    (void)state;
    scenery s = make_scenery(solver_def(TOILE_SOLVER_IMPLICIT), TOILE_SHAPE_DEFORMING);
    uint64_t hash = toile_world_hash(s.world);
    memcpy(s.moved, s.mesh.positions, 3 * s.mesh.vertices * sizeof *s.moved);
    assert_int_equal(toile_world_move_vertices(s.world, s.body, s.moved, 3), TOILE_ERROR_INVALID);
    assert_message("count is 3");
    s.moved[31] = NAN;
    assert_int_equal(toile_world_move_vertices(s.world, s.body, s.moved, s.mesh.vertices),
                     TOILE_ERROR_INVALID);
    assert_message("vertex 10 is moved to");
    float matrix[12] = {0};
    assert_int_equal(toile_world_move_joints(s.world, s.body, matrix, 1), TOILE_ERROR_INVALID);
    assert_message("has no joints");
    assert_true(hash == toile_world_hash(s.world));
    free_scenery(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance),      cmocka_unit_test(test_way),
        cmocka_unit_test(test_open),          cmocka_unit_test(test_open_start),
        cmocka_unit_test(test_implicit),      cmocka_unit_test(test_multilevel),
        cmocka_unit_test(test_devices),       cmocka_unit_test(test_state),
        cmocka_unit_test(test_skins),         cmocka_unit_test(test_skinned_cloth),
        cmocka_unit_test(test_refused_skins), cmocka_unit_test(test_ride),
        cmocka_unit_test(test_patch),         cmocka_unit_test(test_near),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
