/* Collision with images of bodies that deform: what they say during a step, cloth on such bodies
 * with all solvers on both devices, and images that are used again. */
#include "cpu/maps.h"
#include "pairs.h"
#include "solids.h"

static const char *const devices[] = {"cpu", "gl"};
static const toile_solver_kind solvers[] = {TOILE_SOLVER_MASS_SPRING, TOILE_SOLVER_MULTILEVEL,
                                            TOILE_SOLVER_IMPLICIT};
enum { DEVICES = 2, SOLVERS = 3 };

static const float FRAME = 1.0f / 60.0f;

/* Pixels of an image, and their size on a body of half a metre. */
enum { SIDE = 96 };
static const double PIXEL = 0.5 / (SIDE - 5);

/* ---- points -------------------------------------------------------------------------------------
 */

static double random_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static v3 random_point(uint64_t *state, float reach) {
    v3 p;
    p.x = reach * (float)(2.0 * random_number(state) - 1.0);
    p.y = reach * (float)(2.0 * random_number(state) - 1.0);
    p.z = reach * (float)(2.0 * random_number(state) - 1.0);
    return p;
}

/* A ball that is bent, blown up and moved by centimetres in a step. */
static solid moving_ball(void) {
    test_mesh m = test_ball(0.25f, 40, 24, NULL);
    toile_mesh_def def = test_mesh_def(&m);
    solid s;
    assert_ok(solid_create_deforming(&s, &def, false));
    for (size_t v = 0; v < m.vertices; v++) {
        const float *p = m.positions + 3 * v;
        s.ends[3 * v] = 1.1f * p[0] + 0.2f * p[1] * p[1] + 0.06f;
        s.ends[3 * v + 1] = p[1] - 0.1f * p[2];
        s.ends[3 * v + 2] = 0.95f * p[2] - 0.03f;
    }
    solid_aim(&s);
    test_mesh_free(&m);
    return s;
}

static map_set draw(const solid *s) {
    map_set set = {0};
    map_counts counts = {0};
    const map_surface surface = {s, false};
    assert_ok(map_drawer_here->draw(
        &set, &(map_request){.surfaces = &surface, .count = 1, .side = 256, .cameras = 6}));
    assert_ok(map_set_move(&set, &map_copy_mover, &set, &counts));
    assert_int_equal(counts.draws, 1);
    return set;
}

/* During the step distances are those of the mesh at that time, and ways those of its surface. */
static void test_points(void **state) {
    (void)state;
    solid s = moving_ball();
    map_set set = draw(&s);
    const double pixel = (double)set.bodies[0].pixel;
    uint64_t seed = 1;
    for (int i = 0; i < 3; i++) {
        float time = 0.5f * (float)i;
        double off = 0.0, astray = 0.0;
        int count = 0;
        for (int k = 0; k < 20000; k++) {
            v3 p = random_point(&seed, 0.35f);
            solid_touch wanted = solid_nearest(&s, p, 0.004f, time, SOLID_NONE);
            if (wanted.face != SOLID_NONE) {
                map_hit found = maps_distance(&set, 0, p, time, 0.15f);
                v3 way = v3_sub(found.way, wanted.way);
                off = fmax(off, fabs((double)(found.distance.w - wanted.distance.w)));
                astray = fmax(astray, (double)v3_largest(way));
                count++;
            }
        }
        print_message("at %.1f: %d points, %.2f pixels off, ways by %.2g m\n", (double)time, count,
                      off / pixel, astray);
        assert_true(count > 300);
        assert_below(off, 1.5 * pixel);
        assert_below(astray, 2e-3);
    }
    map_set_free(&set);
    solid_free(&s);
}

/* ---- worlds -------------------------------------------------------------------------------------
 */

static toile_world_def maps_def(const char *device, toile_solver_kind solver) {
    toile_world_def def = test_world_def();
    def.device = device;
    def.solver.kind = solver;
    def.solver.max_substeps = 16;
    def.collision = TOILE_COLLISION_MAPS;
    def.map_size = SIDE;
    return def;
}

typedef struct scenery {
    toile_world *world;
    toile_cloth_id cloth;
    toile_body_id body;
    test_mesh mesh;
    float *moved;
} scenery;

static scenery make_scenery(const toile_world_def *def, toile_shape_kind kind, test_mesh mesh,
                            const toile_cloth_def *cloth) {
    scenery s = {.world = make_world(def), .mesh = mesh};
    toile_body_def body = toile_default_body_def();
    body.shape = kind;
    body.mesh = test_mesh_def(&s.mesh);
    body.friction = 1.0f;
    s.cloth = add_cloth(s.world, cloth);
    s.body = add_body(s.world, &body);
    s.moved = malloc(3 * s.mesh.vertices * sizeof *s.moved);
    return s;
}

static void free_scenery(scenery *s) {
    toile_world_destroy(s->world);
    test_mesh_free(&s->mesh);
    free(s->moved);
}

/* A cloth that hangs before a ball of triangles. */
static scenery make_hanging(const toile_world_def *def, toile_shape_kind kind) {
    toile_cloth_def cloth = square_def(13);
    cloth.transform.translate[2] = 0.27f;
    scenery s = make_scenery(def, kind, test_ball(0.25f, 24, 16, NULL), &cloth);
    pin_edge(s.world, s.cloth, TOILE_EDGE_TOP);
    return s;
}

/* Moves all vertices alike. */
static void shift(scenery *s, float x, float y, float z) {
    const toile_pose to = {{x, y, z}, {0.0f, 0.0f, 0.0f, 1.0f}};
    if (toile_body_get_def(s->world, s->body).shape == TOILE_SHAPE_MESH) {
        assert_ok(toile_world_move_body(s->world, s->body, &to));
        return;
    }
    for (size_t v = 0; v < 3 * s->mesh.vertices; v++) {
        s->moved[v] = s->mesh.positions[v] + to.position[v % 3];
    }
    assert_ok(toile_world_move_vertices(s->world, s->body, s->moved, s->mesh.vertices));
}

/* How near texels are to the body's surface; negative inside. */
static double nearest(const scenery *s) {
    float *positions = texel_positions(s->world, s->cloth);
    double least = INFINITY;
    for (size_t t = 0; t < toile_cloth_get_info(s->world, s->cloth).texels; t++) {
        const float *p = positions + 3 * t;
        least = fmin(least, (double)toile_body_get_distance(s->world, s->body, p, NULL));
    }
    free(positions);
    return least;
}

/* A mesh that goes into the cloth by its pose or vertex by vertex does the same. Images of the one
 * lie elsewhere on the body than those of the other. */
static void test_as_rigid(void **state) {
    (void)state;
    for (int i = 0; i < DEVICES * SOLVERS; i++) {
        toile_world_def def = maps_def(devices[i / SOLVERS], solvers[i % SOLVERS]);
        scenery rigid = make_hanging(&def, TOILE_SHAPE_MESH);
        scenery moved = make_hanging(&def, TOILE_SHAPE_DEFORMING);
        for (int frame = 1; frame <= 4; frame++) {
            float time = FRAME * (float)frame;
            shift(&rigid, 0.2f * time, 0.3f * time, 1.2f * time);
            shift(&moved, 0.2f * time, 0.3f * time, 1.2f * time);
            run_steps(rigid.world, 1, FRAME);
            run_steps(moved.world, 1, FRAME);
        }
        print_message("%s, solver %d: %.3f pixels apart\n", devices[i / SOLVERS], i % SOLVERS,
                      apart(rigid.world, moved.world) / PIXEL);
        assert_below(apart(rigid.world, moved.world), 0.3 * PIXEL);
        assert_near(nearest(&rigid), nearest(&moved), 0.1 * PIXEL);
        assert_int_equal(toile_world_get_solver_info(moved.world).map_draws, 4);
        assert_int_equal(toile_world_get_solver_info(rigid.world).map_draws, 0);
        free_scenery(&rigid);
        free_scenery(&moved);
    }
}

/* A plate that rises and then goes aside takes the cloth on it along. */
static void test_plate(void **state) {
    (void)state;
    for (int i = 0; i < DEVICES * SOLVERS; i++) {
        toile_world_def def = maps_def(devices[i / SOLVERS], solvers[i % SOLVERS]);
        toile_cloth_def cloth = square_def(9);
        cloth.size[0] = cloth.size[1] = 0.4f;
        cloth.spacing = 0.05f;
        cloth.transform.rotate[0] = -90.0f;
        cloth.transform.translate[1] = 0.055f;
        test_mesh plate = test_cube(0.25f);
        for (size_t v = 0; v < plate.vertices; v++) {
            plate.positions[3 * v + 1] *= 0.2f;
        }
        scenery s = make_scenery(&def, TOILE_SHAPE_DEFORMING, plate, &cloth);
        double least = INFINITY;
        for (int frame = 1; frame <= 18; frame++) {
            float time = FRAME * (float)frame;
            float aside = frame < 8 ? 0.0f : time - 8.0f * FRAME;
            shift(&s, aside * aside, 0.5f * time, 0.0f);
            run_steps(s.world, 1, FRAME);
            least = fmin(least, nearest(&s));
        }
        toile_metrics m = measure(s.world, s.cloth);
        float *p = texel_positions(s.world, s.cloth);
        double middle = (double)p[3 * (toile_cloth_get_info(s.world, s.cloth).texels / 2)];
        print_message("%s, solver %d: %.2f pixels away, %.4f to %.4f m high, middle at %.4f m\n",
                      devices[i / SOLVERS], i % SOLVERS, least / PIXEL, m.lowest, m.highest,
                      middle);
        assert_true(least > 0.0);
        /* Cloth keeps a quarter of its spacing from meshes. */
        assert_near(m.lowest, 0.2125, 0.003);
        assert_near(m.highest, 0.2125, 0.003);
        assert_near(middle, 10.0 * 10.0 / 3600.0, 0.01);
        free(p);
        free_scenery(&s);
    }
}

/* A ball that grows, is bent and comes nearer at a metre a second. */
static void deform(scenery *s, int frame) {
    float time = FRAME * (float)frame;
    for (size_t v = 0; v < s->mesh.vertices; v++) {
        const float *p = s->mesh.positions + 3 * v;
        float *out = s->moved + 3 * v;
        out[0] = p[0] * (1.0f + 0.5f * time) + time * p[1];
        out[1] = p[1] * (1.0f + 0.5f * time) - 0.3f * time;
        out[2] = p[2] * (1.0f + time) + time;
    }
    assert_ok(toile_world_move_vertices(s->world, s->body, s->moved, s->mesh.vertices));
}

/* No cloth is left behind in it, even where it keeps no distance. A step on one device is one on
 * the other. */
static void test_deforms(void **state) {
    (void)state;
    for (int i = 0; i < SOLVERS; i++) {
        toile_world_def def = maps_def("cpu", solvers[i]);
        def.contact_margin = 0.0f;
        scenery here = make_hanging(&def, TOILE_SHAPE_DEFORMING);
        def.device = "gl";
        scenery there = make_hanging(&def, TOILE_SHAPE_DEFORMING);
        double least = INFINITY, off = 0.0;
        for (int frame = 1; frame <= 9; frame++) {
            if (frame == 6) {
                copy_world(here.world, there.world);
            }
            deform(&here, frame);
            deform(&there, frame);
            run_steps(here.world, 1, FRAME);
            run_steps(there.world, 1, FRAME);
            least = fmin(least, fmin(nearest(&here), nearest(&there)));
            off = frame == 6 ? apart(here.world, there.world) : off;
        }
        print_message("solver %d: %.2f pixels away, devices %.2g m apart\n", i, least / PIXEL, off);
        assert_near(least, 0.0, 0.5 * PIXEL);
        assert_below(off, 1e-4);
        free_scenery(&here);
        free_scenery(&there);
    }
}

/* ---- images that are used again -----------------------------------------------------------------
 */

/* A loop of LOOP frames, after which the body stands still. */
enum { LOOP = 4, LOOPS = 3, REST = 3 };

static uint64_t run_loops(scenery *s) {
    for (int frame = 1; frame <= LOOP * LOOPS + REST; frame++) {
        float phase = frame <= LOOP * LOOPS ? (float)(frame % LOOP) / LOOP : 0.0f;
        shift(s, 0.0f, 0.0f, 0.04f * sinf(6.2831853f * phase));
        run_steps(s->world, 1, FRAME);
    }
    return toile_world_hash(s->world);
}

/* What is found again has the bits of what is drawn. Of the first loop all is new, and as it begins
 * otherwise than the others, so is the first frame of the second. After the last one the body comes
 * to rest in a step that is new, unless it has been there before. */
static void test_reuse(void **state) {
    (void)state;
    for (int d = 0; d < DEVICES; d++) {
        uint64_t hashes[3], draws[3], reuses[3];
        const int memory[3] = {0, 100, 2};
        for (int i = 0; i < 3; i++) {
            toile_world_def def = maps_def(devices[d], TOILE_SOLVER_IMPLICIT);
            def.map_memory = memory[i];
            scenery s = make_hanging(&def, TOILE_SHAPE_DEFORMING);
            hashes[i] = run_loops(&s);
            draws[i] = toile_world_get_solver_info(s.world).map_draws;
            reuses[i] = toile_world_get_solver_info(s.world).map_reuses;
            print_message("%s, %d MB: %d drawn, %d used again\n", devices[d], memory[i],
                          (int)draws[i], (int)reuses[i]);
            assert_int_equal(draws[i] + reuses[i], LOOP * LOOPS + REST);
            free_scenery(&s);
        }
        assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
        assert_int_equal(reuses[0], REST - 1); /* at rest nothing is drawn */
        assert_int_equal(draws[1], LOOP + 1);  /* a loop, and the rest */
        assert_true(draws[2] > draws[1]);      /* the oldest are dropped */
    }
}

/* A world that loads a state in the middle of a motion goes on with the same bits. */
static void test_state(void **state) {
    (void)state;
    for (int d = 0; d < DEVICES; d++) {
        toile_world_def def = maps_def(devices[d], TOILE_SOLVER_MULTILEVEL);
        scenery whole = make_hanging(&def, TOILE_SHAPE_DEFORMING);
        scenery rest = make_hanging(&def, TOILE_SHAPE_DEFORMING);
        for (int frame = 1; frame <= 8; frame++) {
            if (frame == 5) {
                copy_world(whole.world, rest.world);
            }
            deform(&whole, frame);
            run_steps(whole.world, 1, FRAME);
            if (frame >= 5) {
                deform(&rest, frame);
                run_steps(rest.world, 1, FRAME);
            }
        }
        assert_true(toile_world_hash(whole.world) == toile_world_hash(rest.world));
        free_scenery(&whole);
        free_scenery(&rest);
    }
}

/* ---- refusals -----------------------------------------------------------------------------------
 */

static void test_refused(void **state) {
    (void)state;
    toile_world_def def = maps_def("cpu", TOILE_SOLVER_IMPLICIT);
    toile_world *world;
    def.map_memory = -1;
    assert_int_equal(toile_world_create(&def, &world), TOILE_ERROR_INVALID);
    assert_message("map_memory is -1: expected 0 to 1");
    def = maps_def("gl-fragment", TOILE_SOLVER_MASS_SPRING);
    def.collision = TOILE_COLLISION_AUTO;
    scenery s = make_hanging(&def, TOILE_SHAPE_DEFORMING);
    assert_int_equal(toile_world_step(s.world, FRAME), TOILE_ERROR_INVALID);
    assert_message("deforms: device \"gl-fragment\" does not know such bodies");
    free_scenery(&s);
}

int main(void) {
    map_set none = {0};
    if (!map_drawer_here ||
        map_drawer_here->draw(&none, &(map_request){.side = 16, .cameras = 6})) {
        print_message("skipped: %s\n", toile_error_message());
        return 77;
    }
    map_set_free(&none);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),  cmocka_unit_test(test_as_rigid),
        cmocka_unit_test(test_plate),   cmocka_unit_test(test_deforms),
        cmocka_unit_test(test_reuse),   cmocka_unit_test(test_state),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
