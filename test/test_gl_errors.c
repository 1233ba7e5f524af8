/* What the gl device refuses, what it leaves alone, what it gives back, and its two ways of doing
 * the same. */
#include <epoxy/gl.h>

#include "gl/context.h"
#include "gl/machine.h"
#include "refusals.h"

static toile_world_def gl_def(void) {
    toile_world_def def = test_world_def();
    def.device = "gl";
    return def;
}

/* Comes first, while no program is made yet. */
static void test_broken_shader(void **state) {
    (void)state;
    toile_world_def def = gl_def();
    toile_world *world = make_sheet(&def);
    machine_break(PROGRAM_force);
    assert_refused(world, TOILE_ERROR_UNAVAILABLE, "refuses the compute shader 'force'");
    machine_break(PROGRAM_NONE);
    run_steps(world, 1, 1.0f / 60.0f);
    toile_world_destroy(world);
}

/* An explosion names its texel, and the state before it is kept. */
static void test_explosion(void **state) {
    (void)state;
    toile_world_def def = gl_def();
    def.solver.stiffness = TOILE_STIFFNESS_TRUE;
    def.solver.substeps = 1;
    def.solver.limit_iterations = 0;
    toile_world *world = make_sheet(&def);
    toile_result result = TOILE_OK;
    uint64_t before = 0;
    for (int s = 0; s < 100 && result == TOILE_OK; s++) {
        before = toile_world_hash(world);
        result = toile_world_step(world, 1.0f / 60.0f);
    }
    assert_int_equal(result, TOILE_ERROR_NUMERICAL);
    assert_message("left all bounds at texel");
    assert_same_hash(toile_world_hash(world), before, "kept");
    toile_world_destroy(world);
}

enum { LEVELS = 3 };
typedef struct relax_case {
    int iterations[LEVELS]; /* odd and even, and so are the dispatches that they take */
    int other;              /* texels along an edge of a second cloth; 3 have two levels only */
    int cycles;
} relax_case;
static const relax_case relax_cases[] = {{{2, 2, 3}, 10, 1}, {{1, 3, 2}, 3, 1}, {{4, 1, 1}, 10, 2}};

static uint64_t hash_with(gl_relaxing way, const relax_case *how) {
    toile_world_def def = gl_def();
    toile_level_def levels[LEVELS];
    for (int i = 0; i < LEVELS; i++) {
        levels[i] = (toile_level_def){TOILE_RELAXATION_GAUSS_SEIDEL, how->iterations[i]};
    }
    def.solver.cycles = how->cycles;
    def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    def.solver.levels = levels;
    def.solver.level_count = LEVELS;
    machine_prefer_relaxing(way);
    toile_world *world = make_world(&def);
    toile_body_def ball = toile_default_body_def();
    ball.radii[0] = 0.2f;
    add_body(world, &ball);
    toile_cloth_def sheet = lying_def(45, 0.21f);
    pin_corner(world, add_cloth(world, &sheet), TOILE_CORNER_TOP_LEFT);
    sheet = lying_def(how->other, 0.23f);
    pin_edge(world, add_cloth(world, &sheet), TOILE_EDGE_LEFT);
    run_steps(world, 1, 1.0f / 60.0f);
    uint64_t hash = toile_world_hash(world);
    toile_world_destroy(world);
    machine_prefer_relaxing(RELAX_BEST);
    return hash;
}

/* Levels that one work group relaxes, or many, and levels that are relaxed set by set. */
static void test_small_levels(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof relax_cases / sizeof *relax_cases; i++) {
        const relax_case *how = &relax_cases[i];
        uint64_t sets = hash_with(RELAX_SETS, how);
        assert_same_hash(hash_with(RELAX_SMALL, how), sets, "small levels");
        assert_same_hash(hash_with(RELAX_TILES, how), sets, "tiles");
        assert_same_hash(hash_with(RELAX_BROAD, how), sets, "broad tiles");
    }
}

/* Cloth that falls onto a ball. */
static toile_world *make_fall(void) {
    toile_world_def def = gl_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.tolerance = 1e-4f;
    toile_world *world = make_world(&def);
    add_ball(world, 0.0f, 0.2f);
    toile_cloth_def sheet = lying_def(17, 0.45f);
    add_cloth(world, &sheet);
    return world;
}

/* A step of a world that knows nothing of those before. */
static uint64_t hash_of_fresh_step(const void *bytes, size_t size) {
    toile_world *world = make_fall();
    assert_ok(toile_world_load_state(world, bytes, size));
    run_steps(world, 1, 1.0f / 60.0f);
    uint64_t hash = toile_world_hash(world);
    toile_world_destroy(world);
    return hash;
}

/* The cloth falls for longer than the device takes to queue one iteration only; where it hits the
 * ball, more are needed. */
static void test_guess(void **state) {
    (void)state;
    toile_world *world = make_fall();
    size_t size = toile_world_state_size(world);
    void *bytes = malloc(size);
    int calm = 0, surprises = 0;
    for (int step = 0; step < 20; step++) {
        assert_ok(toile_world_save_state(world, bytes, size));
        run_steps(world, 1, 1.0f / 60.0f);
        toile_solver_info info = toile_world_get_solver_info(world);
        bool more = info.iterations > info.substeps;
        surprises += more && calm > 6;
        calm = more ? 0 : calm + 1;
        if (more) {
            assert_same_hash(toile_world_hash(world), hash_of_fresh_step(bytes, size), "guessed");
        }
    }
    assert_true(surprises > 0);
    free(bytes);
    toile_world_destroy(world);
}

/* More than a storage block of this driver holds. */
static void test_too_large(void **state) {
    (void)state;
    machine *m = machine_take(MACHINE_COMPUTE);
    assert_non_null(m);
    double texels = (double)m->largest_block / (20.0 * sizeof(float));
    machine_give(m, false);
    if (texels > 4e6) {
        print_message("skipped: the driver takes arrays of any size\n");
        return;
    }
    toile_world_def def = gl_def();
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def((int)sqrt(texels) + 2);
    assert_int_equal(toile_world_add_cloth(world, &sheet).slot, 0);
    assert_message("expected at most");
    toile_world_destroy(world);
}

/* Sheets that lie close above each other fall on a floor. machine: the world's, which has no room
 * for more springs between them until it was asked for them once; NULL: it always has. */
static uint64_t drop_stack(machine *m) {
    toile_world_def def = toile_default_world_def();
    def.device = "gl";
    toile_world *world = make_stack(&def);
    run_steps(world, 1, 1.0f / 60.0f);
    const GLint64 largest = m ? m->largest_block : 0;
    for (int s = 0; s < 8; s++) {
        const uint64_t before = toile_world_hash(world);
        if (m) {
            m->largest_block = 1 << 12;
        }
        const toile_result result = toile_world_step(world, 1.0f / 60.0f);
        if (m) {
            m->largest_block = largest;
        }
        if (m && result != TOILE_OK) {
            assert_int_equal(result, TOILE_ERROR_MEMORY);
            assert_message("springs");
            assert_message("expected at most");
            assert_same_hash(toile_world_hash(world), before, "kept");
            m = NULL;
            s--;
        } else {
            assert_int_equal(result, TOILE_OK);
        }
    }
    assert_null(m);
    const uint64_t hash = toile_world_hash(world);
    toile_world_destroy(world);
    return hash;
}

/* Without room for all springs between texels a step fails, says how many there are, and leaves the
 * world as it was. */
static void test_no_room_for_springs(void **state) {
    (void)state;
    const uint64_t hash = drop_stack(NULL);
    machine *m = machine_take(MACHINE_COMPUTE); /* which the next world takes */
    assert_non_null(m);
    machine_give(m, false);
    assert_same_hash(drop_stack(m), hash, "room was found later");
}

/* More rows than work groups. */
static void test_too_many_rows(void **state) {
    (void)state;
    machine *m = machine_take(MACHINE_COMPUTE);
    assert_non_null(m);
    const int groups = m->most_groups[0];
    machine_give(m, false);
    if (groups > 100000) {
        print_message("skipped: the driver takes more rows than this test\n");
        return;
    }
    toile_world_def def = gl_def();
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.spacing = 0.01f;
    sheet.size[0] = 0.01f;
    sheet.size[1] = 0.01f * (float)groups; /* one more row than that */
    assert_int_equal(toile_world_add_cloth(world, &sheet).slot, 0);
    assert_message("rows of texels: expected at most");
    toile_world_destroy(world);
}

/* A caller that draws finds its own context as it left it. */
static void test_callers_context(void **state) {
    (void)state;
    context own;
    context_before before;
    assert_ok(context_open(&own, &(context_need){3, 3, "to test with"}));
    assert_ok(context_enter(&own, &before));
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    toile_world_def def = gl_def();
    toile_world *world = make_sheet(&def);
    run_steps(world, 2, 1.0f / 60.0f);
    toile_world_hash(world);
    toile_world_destroy(world);
    assert_ptr_equal(eglGetCurrentContext(), own.handle);
    GLint bound = 0;
    glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &bound);
    assert_int_equal(bound, buffer);
    context_leave(&own, &before);
    assert_ptr_equal(eglGetCurrentContext(), EGL_NO_CONTEXT);
    context_close(&own);
}

static void test_many_worlds(void **state) {
    (void)state;
    toile_world_def def = gl_def();
    def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    def.solver.substeps = 1;
    check_many_worlds(&def, 1000, 8e6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_shader),
        cmocka_unit_test(test_small_levels),
        cmocka_unit_test(test_guess),
        cmocka_unit_test(test_explosion),
        cmocka_unit_test(test_no_room_for_springs),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_too_many_rows),
        cmocka_unit_test(test_callers_context),
        cmocka_unit_test(test_many_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
