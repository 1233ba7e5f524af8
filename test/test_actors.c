/* Bodies of scenes that deform: their keys, what is refused, and that worlds, pictures and exports
 * have them where they are at a time. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/actor.h"
#include "io/body_mesh.h"
#include "io/character_read.h"
#include "io/glb.h"
#include "model/winding.h"
#include "scenes.h"
#include "step/world.h"

static scene *load(const char *path) {
    scene *s = NULL;
    if (scene_load(path, &s) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return s;
}

static scene *load_actors(void) {
    return load(in_source("test/good/actors.json"));
}

static toile_world *build(const scene *s, scene_ids *ids) {
    toile_world *world = NULL;
    if (scene_build(s, NULL, NULL, &world, ids) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return world;
}

static void step(const scene *s, toile_world *world, const scene_ids *ids, int count) {
    for (int i = 0; i < count; i++) {
        if (scene_step(s, world, ids) != TOILE_OK) {
            fail_msg("%s", toile_error_message());
        }
    }
}

/* ---- keys ---------------------------------------------------------------------------------------
 */

static void test_keys(void **state) {
    (void)state;
    scene *s = load_actors();
    const scene_actor *bar = s->bodies[1].actor, *numbered = s->bodies[4].actor;
    assert_int_equal(s->bodies[1].def.shape, TOILE_SHAPE_SKINNED);
    assert_int_equal(bar->action_count, 1);
    assert_string_equal(bar->actions[0].animation, "bend");
    assert_true(bar->actions[0].speed == -2.0 && bar->actions[0].start == 0.25);
    assert_int_equal(bar->actions[0].loop, PERFORMANCE_LOOP);
    assert_true(bar->scale == 0.5 && bar->weld == 0.001);
    assert_vector(s->bodies[1].def.center, 0.0f, 0.1f, 0.0f);
    assert_vector(s->bodies[1].def.rotate, 0.0f, 45.0f, 0.0f);
    assert_int_equal(s->bodies[2].actor->action_count, 0);
    assert_int_equal(numbered->file_count, 2);
    assert_string_equal(numbered->files[1].name, "wedge_2.obj");
    assert_true(numbered->rate == 10.0 && numbered->speed == 0.5 && numbered->start == 0.05);
    assert_true(s->bodies[4].def.open && !numbered->loop);
    assert_int_equal(s->bodies[5].def.shape, TOILE_SHAPE_DEFORMING);
    assert_int_equal(s->cloths[0].pin_count, 1);
    assert_int_equal(s->cloths[0].pins[0].def.kind, TOILE_PIN_NEAR);
    assert_int_equal(s->cloths[0].pins[0].body, 1);
    scene_free(s);
    s = parse(
        "{\"toile\": 1, \"bodies\": [{\"plane\": {}}, {\"mannequin\": {\"hip\": 1}}],"
        "\"cloths\": [{\"pins\": [{\"corner\": \"top-left\"}], \"attach\": {\"distance\": 0.5}}]}");
    assert_true(s->bodies[1].actor->mannequin.hip == 1.0);
    assert_true(s->bodies[1].actor->mannequin.height == mannequin_default().height);
    assert_int_equal(s->cloths[0].pin_count, 2);
    assert_int_equal(s->cloths[0].pins[1].body, 1); /* the plane cannot be meant */
    toile_world *world;
    scene_ids ids;
    assert_int_equal(scene_build(s, NULL, NULL, &world, &ids), TOILE_ERROR_INVALID);
    assert_non_null(strstr(toile_error_message(), "bodies[1]: \"body-2\" was not made"));
    scene_free(s);
}

#define BODY(text)      "{\"toile\": 1, \"bodies\": [{" text "}]}"
#define CHARACTER(text) BODY("\"character\": {\"file\": \"a.glb\"" text "}")
#define SEQUENCE(text)  BODY("\"sequence\": {" text "}")

static void test_refused_keys(void **state) {
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {BODY("\"character\": {}"), "bodies[0].character.file: expected, but it is missing"},
        {BODY("\"character\": {\"file\": \"../a.glb\"}"), "within the scene's folder"},
        {BODY("\"mannequin\": {}, \"sphere\": {}"), "found both sphere and mannequin"},
        {CHARACTER(", \"animation\": \"a\", \"animations\": []"),
         "expected either animation or animations"},
        {CHARACTER(", \"speed\": 2"), "bodies[0].character.speed: expected only beside animation"},
        {CHARACTER(", \"time\": 2, \"animations\": []"), "time: expected only beside animation"},
        {CHARACTER(", \"animation\": \"\""), "expected a string of 1 to 1024 bytes"},
        {CHARACTER(", \"animation\": \"a\", \"loop\": 1"), "loop: expected true or false"},
        {CHARACTER(", \"animation\": \"a\", \"speed\": 101"), "expected a number from -100 to 100"},
        {CHARACTER(", \"scale\": 0"), "scale: expected a number from 1e-06 to 1000000"},
        {CHARACTER(", \"skinning\": \"cubic\""), "expected \"linear\" or \"dual-quaternion\""},
        {CHARACTER(", \"animations\": [{}]"), "animations[0].name: expected, but it is missing"},
        {CHARACTER(", \"animations\": [{\"name\": \"a\", \"begin\": 2, \"end\": 2}]"),
         "animations[0].end: expected a time after its begin at 2 s"},
        {CHARACTER(", \"animations\": [{\"name\": \"a\", \"weight\": -1}]"), "weight: expected"},
        {BODY("\"mannequin\": {\"height\": 3}"), "height: expected a number from 1.4 to 2.1 m"},
        {BODY("\"mannequin\": {\"pose\": \"x\"}"), "expected \"a\" or \"t\""},
        {SEQUENCE(""), "expected one of files, pattern, base, found none"},
        {SEQUENCE("\"files\": []"), "files: expected at least one file"},
        {SEQUENCE("\"files\": [\"a.obj\"], \"base\": \"b.obj\""), "either files or base"},
        {SEQUENCE("\"base\": \"b.obj\""), "expected base and cache together"},
        {SEQUENCE("\"files\": [\"a.obj\"], \"first\": 1"), "first: expected only beside pattern"},
        {SEQUENCE("\"pattern\": \"a%d.obj\", \"first\": 1"), "expected first and last beside it"},
        {SEQUENCE("\"pattern\": \"a%d.obj\", \"first\": 3, \"last\": 2"),
         "last: expected first to last to be 1 to 100000 files, found 3 to 2"},
        {SEQUENCE("\"pattern\": \"a%s.obj\", \"first\": 1, \"last\": 2"),
         "pattern: expected the name of files with one %d"},
        {SEQUENCE("\"pattern\": \"../%d.obj\", \"first\": 1, \"last\": 2"),
         "within the scene's folder"},
        {SEQUENCE("\"files\": [\"a.obj\"], \"rate\": 0"), "rate: expected a number"},
        {"{\"toile\": 1, \"cloths\": [{\"attach\": {\"distance\": 1}}]}",
         "cloths[0].attach: expected body, as there are 0 that it may mean"},
        {"{\"toile\": 1, \"bodies\": [{\"sphere\": {}}, {\"box\": {}}],"
         "\"cloths\": [{\"attach\": {\"distance\": 1}}]}",
         "expected body, as there are 2 that it may mean"},
        {"{\"toile\": 1, \"bodies\": [{\"sphere\": {}}], \"cloths\": [{\"attach\": {}}]}",
         "attach.distance: expected, but it is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_refused(cases[i].text, cases[i].message);
    }
}

/* ---- files --------------------------------------------------------------------------------------
 */

static char folder[64];

static void write_text(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* A scene beside some files is refused with a message that has all of these words. */
static void assert_files_refused(const char *text, const char *a, const char *b, const char *c) {
    char path[128];
    scene *s = NULL;
    write_text("scene.json", text);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    if (scene_load(path, &s) == TOILE_OK) {
        fail_msg("accepted: %s", text);
    }
    const char *said = toile_error_message();
    if (!strstr(said, "scene.json:1: bodies[0].") || !strstr(said, a) || !strstr(said, b) ||
        !strstr(said, c)) {
        fail_msg("expected '%s', '%s' and '%s' in: %s", a, b, c, said);
    }
}

static void test_refused_files(void **state) {
    (void)state;
    char *bar = read_text(in_source("test/good/bar.gltf")), *obj;
    write_text("bar.gltf", bar);
    free(bar);
    obj = read_text(in_source("test/good/wedge_1.obj"));
    write_text("f1.obj", obj);
    free(obj);
    write_text("f2.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text("empty.gltf", "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{}]}");
    assert_files_refused(BODY("\"character\": {\"file\": \"gone.glb\"}"), "character.file",
                         "gone.glb", "No such file");
    assert_files_refused(BODY("\"character\": {\"file\": \"f1.obj\"}"), "character.file", "f1.obj",
                         "");
    assert_files_refused(BODY("\"character\": {\"file\": \"empty.gltf\"}"), "character.file",
                         "empty.gltf", "triangles");
    assert_files_refused(BODY("\"character\": {\"file\": \"bar.gltf\", \"animation\": \"wlak\"}"),
                         "'bar.gltf': ", "no animation \"wlak\"", "bend");
    assert_files_refused(BODY("\"character\": {\"file\": \"bar.gltf\", \"scale\": 1e6}"),
                         "bar.gltf", "is the scale right", "");
    assert_files_refused(BODY("\"mannequin\": {\"waist\": 1.9}"), "waist", "expected", "");
    assert_files_refused(
        BODY("\"sequence\": {\"pattern\": \"f%d.obj\", \"first\": 1, \"last\": 2}"), "sequence",
        "f2.obj", "");
    assert_files_refused(
        BODY("\"sequence\": {\"pattern\": \"f%d.obj\", \"first\": 1, \"last\": 3}"), "sequence",
        ".obj", "");
    assert_files_refused(BODY("\"sequence\": {\"base\": \"f1.obj\", \"cache\": \"f2.obj\"}"),
                         "sequence", "f2.obj", "");
}

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/toile_actors_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"scene.json", "bar.gltf",   "f1.obj",
                                        "f2.obj",     "empty.gltf", "skin.glb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

/* ---- driving ------------------------------------------------------------------------------------
 */

static float *place_actor(const scene *s, const toile_world *world, const scene_ids *ids, int b,
                          double time) {
    float *out = malloc(3 * s->bodies[b].def.mesh.vertices * sizeof *out);
    toile_pose where = toile_body_get_pose(world, ids->bodies[b]);
    assert_non_null(out);
    assert_int_equal(actor_place(s->bodies[b].actor->loaded, time, &where, out), TOILE_OK);
    return out;
}

/* After each step, every vertex is where the actor says it is at that time, and something moves. */
static void test_bodies_follow(void **state) {
    (void)state;
    scene *s = load_actors();
    scene_ids ids;
    toile_world *world = build(s, &ids);
    for (int frame = 0; frame < 4; frame++) {
        if (frame > 0) {
            step(s, world, &ids, 1);
        }
        for (int b = 1; b < s->body_count; b++) {
            size_t vertices = s->bodies[b].def.mesh.vertices;
            float *now = malloc(3 * vertices * sizeof *now);
            float *expected = place_actor(s, world, &ids, b, toile_world_time(world));
            float *start = place_actor(s, world, &ids, b, 0.0), moved = 0.0f;
            assert_int_equal(toile_body_get_vertices(world, ids.bodies[b], now, vertices),
                             TOILE_OK);
            for (size_t i = 0; i < 3 * vertices; i++) {
                assert_float_equal(now[i], expected[i], 1e-6f);
                moved = fmaxf(moved, fabsf(now[i] - start[i]));
            }
            bool still = frame == 0 || b == 2; /* the one at rest */
            if ((moved > 1e-4f) == still) {
                fail_msg("frame %d: body '%s' moved by %g m", frame, s->bodies[b].def.name,
                         (double)moved);
            }
            free(now);
            free(expected);
            free(start);
        }
    }
    toile_world_destroy(world);
    scene_ids_free(&ids);
    scene_free(s);
}

/* A state from the middle goes on to the same end, in a scene that was just read. */
static void assert_resumes(const char *path, int frames) {
    scene *s = load(path);
    scene_ids ids, other_ids;
    toile_world *world = build(s, &ids), *other = build(s, &other_ids);
    step(s, world, &ids, frames);
    size_t size = toile_world_state_size(world);
    void *bytes = malloc(size);
    assert_int_equal(toile_world_save_state(world, bytes, size), TOILE_OK);
    step(s, world, &ids, frames);
    assert_int_equal(toile_world_load_state(other, bytes, size), TOILE_OK);
    assert_true(toile_world_hash(other) != toile_world_hash(world));
    step(s, other, &other_ids, frames);
    assert_true(toile_world_hash(other) == toile_world_hash(world));
    free(bytes);
    toile_world_destroy(world);
    toile_world_destroy(other);
    scene_ids_free(&ids);
    scene_ids_free(&other_ids);
    scene_free(s);
}

static void test_resume(void **state) {
    (void)state;
    assert_resumes(in_source("test/good/actors.json"), 3);
    assert_resumes(in_source("test/good/walk.json"), 2);
}

/* Of a bar, whose corners would be creases, each vertex has one normal where it is skin. */
static void test_skin_is_smooth(void **state) {
    (void)state;
    scene *s = load_actors();
    mesh_data skin = {0}, wedge = {0};
    assert_int_equal(body_mesh_create(&s->bodies[1].def, NULL, &skin), TOILE_OK);
    assert_int_equal(body_mesh_create(&s->bodies[3].def, NULL, &wedge), TOILE_OK);
    assert_int_equal(skin.vertices, 12);
    assert_int_equal(skin.vertices, body_mesh_get_size(&s->bodies[1].def).vertices);
    assert_int_equal(wedge.vertices, 12); /* three for each of four triangles */
    mesh_free(&skin);
    mesh_free(&wedge);
    scene_free(s);
}

/* ---- export -------------------------------------------------------------------------------------
 */

enum { SAMPLES = 5 };

/* A body that hangs on joints comes back from a .glb file as it was, at every sample. */
static void test_glb(void **state) {
    (void)state;
    scene *s = load_actors();
    actor *a = s->bodies[1].actor->loaded;
    const character *c = actor_character(a);
    transform locals[SAMPLES * 2];
    toile_pose poses[SAMPLES];
    assert_int_equal(c->joint_count, 2);
    for (int k = 0; k < SAMPLES; k++) {
        actor_joints(a, k / 16.0, locals + 2 * k);
        poses[k] = (toile_pose){.position = {0.0f, 0.25f * (float)k, 1.0f},
                                .rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    }
    const glb_skin skin = {c, locals};
    const glb_body bar = {.def = s->bodies[1].def, .poses = poses, .skin = &skin};
    const glb_scene file = {
        .bodies = &bar, .body_count = 1, .samples = SAMPLES, .frame_time = 1.0 / 16.0};
    char path[128];
    snprintf(path, sizeof path, "%s/skin.glb", folder);
    assert_int_equal(glb_write(path, &file), TOILE_OK);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, glb_size(&file));

    character back = {0};
    character_options options = character_options_default();
    options.weld = -1.0;
    assert_int_equal(character_read(path, &options, &back), TOILE_OK);
    assert_int_equal(back.vertices, c->vertices);
    performance_action action = performance_action_default();
    action.animation = "motion";
    action.loop = PERFORMANCE_HOLD;
    performance *p = NULL;
    assert_int_equal(performance_create(&back, &action, 1, true, &p), TOILE_OK);
    skin_rows *matrices = malloc(back.joint_count * sizeof *matrices);
    float *now = malloc(3 * back.vertices * sizeof *now), *expected = malloc(3 * c->vertices * 4);
    for (int k = 0; k < SAMPLES; k++) {
        assert_int_equal(performance_pose(p, k / 16.0, matrices, NULL), TOILE_OK);
        character_skin(&back, matrices, now);
        assert_int_equal(actor_place(a, k / 16.0, &poses[k], expected), TOILE_OK);
        for (size_t i = 0; i < 3 * c->vertices; i++) {
            assert_float_equal(now[i], expected[i], 1e-5f);
        }
    }
    free(matrices);
    free(now);
    free(expected);
    performance_destroy(p);
    character_free(&back);
    scene_free(s);
}

/* ---- others' characters -------------------------------------------------------------------------
 */

/* A scene with the test character of Wang 2005; skipped where that is not. `keys` come before the
 * bodies, and `more` after them. */
static scene *load_cally(const char *keys, const char *moves, const char *more) {
    const char *path = in_source("../shared/data/characters/cally_closed.glb");
    if (access(path, R_OK) != 0) {
        print_message("skipped: there is no %s\n", path);
        skip();
    }
    char text[2048], scene_path[128];
    snprintf(text, sizeof text,
             "{\"toile\": 1, \"device\": \"cpu\", %s \"bodies\": [{\"name\": \"girl\", "
             "\"character\": {\"file\": \"%s\", %s}}] %s}",
             keys, path, moves, more);
    write_text("scene.json", text);
    snprintf(scene_path, sizeof scene_path, "%s/scene.json", folder);
    return load(scene_path);
}

static void test_cally(void **state) {
    (void)state;
    scene *s = load_cally("", "\"animation\": \"walk\"", "");
    scene_ids ids;
    toile_world *world = build(s, &ids);
    step(s, world, &ids, 2);
    toile_world_destroy(world);
    scene_ids_free(&ids);
    scene_free(s);
}

/* m, of the deepest texel that is not pinned, by winding numbers. */
static double deepest_texel(const toile_world *world, toile_cloth_id id) {
    const cloth *c = world_cloth(world, 0);
    const solid *girl = &world_body_at(world, 0)->body.solid;
    const size_t count = grid_texels(&c->grid);
    float *x = malloc(3 * count * sizeof *x);
    bool *pinned = calloc(count, sizeof *pinned);
    assert_int_equal(toile_cloth_get_texel_positions(world, id, x, count), TOILE_OK);
    for (size_t i = 0; i < world->pins.count; i++) {
        const pin *p = world_pin(world, i);
        for (uint32_t k = 0; k < p->count; k++) {
            pinned[p->texels[k]] = true;
        }
    }
    double deepest = 0.0;
    for (size_t t = 0; t < count; t++) {
        const v3 p = v3_make(x[3 * t], x[3 * t + 1], x[3 * t + 2]);
        if (!pinned[t] && solid_winding(girl, p, 0.0f) != 0) {
            deepest = fmax(deepest, fabs((double)solid_distance(girl, p, INFINITY).w));
        }
    }
    free(x);
    free(pinned);
    return deepest;
}

/* In the jog, arm and side close on the cape, and in frame 72 leave no room. */
static void test_cally_jogs_in_a_refined_cape(void **state) {
    (void)state;
    scene *s = load_cally(
        "\"solver\": {\"kind\": \"refine\", \"levels\": 3, \"resolution\": 128},",
        "\"root_motion\": false, \"animations\": [{\"name\": \"idle\", \"end\": 1, "
        "\"fade_out\": 0.6}, {\"name\": \"jog\", \"begin\": 0.4, \"fade_in\": 0.6}]",
        ", \"cloths\": [{\"rectangle\": [0.64, 0.64], \"spacing\": 0.01, \"fabric\": \"wool\", "
        "\"transform\": {\"translate\": [0, 1.12, -0.32], \"rotate\": [15, 0, 0]}, \"pins\": ["
        "{\"point\": [0.15, 0.64], \"radius\": 0.02, \"body\": \"girl\"}, "
        "{\"point\": [0.49, 0.64], \"radius\": 0.02, \"body\": \"girl\"}]}]");
    scene_ids ids;
    toile_world *world = build(s, &ids);
    double deepest = 0.0;
    for (int frame = 1; frame <= 75; frame++) {
        step(s, world, &ids, 1);
        deepest = fmax(deepest, deepest_texel(world, ids.cloths[0]));
    }
    print_message("deepest vertex: %.3g mm\n", 1e3 * deepest);
    assert_true(deepest < 0.001);
    toile_world_destroy(world);
    scene_ids_free(&ids);
    scene_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_refused_keys),
        cmocka_unit_test(test_refused_files),
        cmocka_unit_test(test_bodies_follow),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_glb),
        cmocka_unit_test(test_skin_is_smooth),
        cmocka_unit_test(test_cally),
        cmocka_unit_test(test_cally_jogs_in_a_refined_cape),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
