/* Scene files: what is good gives the right fields, what is bad gives a sentence that names file,
 * line and field, and the parser, the schema, the documentation and the scenes agree. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/file.h"
#include "io/scene.h"
#include "io/scene_parse.h"


/* ---- helpers ------------------------------------------------------------------------------------
 */

static scene *parse(const char *text) {
    scene *s = NULL;
    if (scene_parse(text, strlen(text), "test.json", &s) != TOILE_OK) {
        fail_msg("%s\nin %s", toile_error_message(), text);
    }
    return s;
}

/* The text must be refused with a message that begins or goes on as told. */
static void assert_refused(const char *text, const char *message) {
    scene *s = NULL;
    if (scene_parse(text, strlen(text), "test.json", &s) == TOILE_OK) {
        scene_free(s);
        fail_msg("accepted: %s", text);
    }
    if (!strstr(toile_error_message(), message)) {
        fail_msg("expected: %s\nfound: %s\nin %s", message, toile_error_message(), text);
    }
}

static char *read_text(const char *path) {
    uint8_t *bytes;
    size_t size;
    if (file_read(path, 1 << 24, &bytes, &size) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return (char *)bytes;
}

static json_t *read_json(const char *path) {
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    if (!json) {
        fail_msg("%s:%d: %s", path, error.line, error.text);
    }
    return json;
}

static void assert_floats(const float *values, const float *expected, int count) {
    for (int i = 0; i < count; i++) {
        assert_float_equal(values[i], expected[i], 1e-6f);
    }
}
#define assert_vector(values, ...) assert_floats(values, (const float[3]){__VA_ARGS__}, 3)
#define assert_pair(values, ...)   assert_floats(values, (const float[2]){__VA_ARGS__}, 2)

/* Calls visit for each file of a folder that ends in .json, and returns their number. */
static int for_each_scene(const char *folder, void (*visit)(const char *path, const char *name)) {
    DIR *d = opendir(folder);
    assert_non_null(d);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(d));) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            visit(path, entry->d_name);
            count++;
        }
    }
    closedir(d);
    return count;
}

/* ---- bad scenes ---------------------------------------------------------------------------------
 */

/* Each line of test/bad/messages.txt is what the message says about one file there. */
static void assert_bad_file(const char *path, const char *name) {
    char *messages = read_text(FOLDER "/test/bad/messages.txt");
    char start[256];
    snprintf(start, sizeof start, "\n%s:", name);
    char *line = strncmp(messages, start + 1, strlen(start + 1)) == 0 ? messages : NULL;
    char *found = line ? NULL : strstr(messages, start);
    line = found ? found + 1 : line;
    if (!line) {
        fail_msg("messages.txt has no line for %s", name);
        return;
    }
    line[strcspn(line, "\n")] = '\0';
    char expected[1024];
    snprintf(expected, sizeof expected, FOLDER "/test/bad/%s", line);

    scene *s;
    toile_result result = scene_load(path, &s);
    if (result == TOILE_OK) {
        toile_world *world;
        scene_ids ids;
        result = scene_build(s, NULL, NULL, &world, &ids);
        scene_free(s);
    }
    assert_int_not_equal(result, TOILE_OK);
    if (strncmp(toile_error_message(), expected, strlen(expected)) != 0) {
        fail_msg("expected: %s\nfound: %s", expected, toile_error_message());
    }
    free(messages);
}

static void test_bad_files(void **state) {
    (void)state;
    assert_true(for_each_scene(FOLDER "/test/bad", assert_bad_file) >= 45);
}

static void test_missing_file(void **state) {
    (void)state;
    scene *s;
    assert_int_equal(scene_load("no/such/scene.json", &s), TOILE_ERROR_INVALID);
    assert_non_null(strstr(toile_error_message(), "no/such/scene.json"));
}

static void test_huge_file(void **state) {
    (void)state;
    size_t size = (64u << 20) + 1;
    char *spaces = malloc(size);
    assert_non_null(spaces);
    memset(spaces, ' ', size);
    scene *s;
    assert_int_equal(scene_parse(spaces, size, "big.json", &s), TOILE_ERROR_INVALID);
    assert_string_equal(toile_error_message(),
                        "big.json: expected at most 67108864 bytes, found 67108865");
    free(spaces);
}

/* The scene around an object of each table. */
static const struct {
    const char *table;
    const char *before, *after;
} places[] = {
    {"scene", "{\"toile\": 1, \"cloths\": [{}],\n", "}"},
    {"solver", "{\"toile\": 1, \"cloths\": [{}], \"solver\": {\n", "}}"},
    {"collision", "{\"toile\": 1, \"cloths\": [{}], \"collision\": {\n", "}}"},
    {"wind", "{\"toile\": 1, \"cloths\": [{}], \"wind\": {\n", "}}"},
    {"fabric", "{\"toile\": 1, \"cloths\": [{\"fabric\": {\n", "}}]}"},
    {"fabric", "{\"toile\": 1, \"cloths\": [{}], \"fabrics\": {\"a\": {\n", "}}}"},
    {"cloth", "{\"toile\": 1, \"cloths\": [{\n", "}]}"},
    {"transform", "{\"toile\": 1, \"cloths\": [{\"transform\": {\n", "}}]}"},
    {"pin", "{\"toile\": 1, \"cloths\": [{\"pins\": [{\n", "}]}]}"},
    {"keyframe", "{\"toile\": 1, \"bodies\": [{\"sphere\": {}, \"keyframes\": [{\n", "}]}]}"},
    {"keyframe", "{\"toile\": 1, \"cloths\": [{\"pins\": [{\"edge\": \"top\", \"keyframes\": [{\n",
     "}]}]}]}"},
    {"body", "{\"toile\": 1, \"bodies\": [{\n", "}]}"},
    {"sphere", "{\"toile\": 1, \"bodies\": [{\"sphere\": {\n", "}}]}"},
    {"ellipsoid", "{\"toile\": 1, \"bodies\": [{\"ellipsoid\": {\n", "}}]}"},
    {"capsule", "{\"toile\": 1, \"bodies\": [{\"capsule\": {\n", "}}]}"},
    {"box", "{\"toile\": 1, \"bodies\": [{\"box\": {\n", "}}]}"},
    {"plane", "{\"toile\": 1, \"bodies\": [{\"plane\": {\n", "}}]}"},
    {"camera", "{\"toile\": 1, \"cloths\": [{}], \"camera\": {\n", "}}"},
    {"render", "{\"toile\": 1, \"cloths\": [{}], \"render\": {\n", "}}"},
};
enum { PLACES = sizeof places / sizeof places[0] };

static const field_table *table_named(const char *name) {
    for (const field_table *const *t = scene_tables; *t; t++) {
        if (strcmp((*t)->name, name) == 0) {
            return *t;
        }
    }
    fail_msg("no table %s", name);
    return NULL;
}

/* Puts `"key": value` on line 2 of a scene and expects a message with that line and the words. */
static void assert_member_refused(int place, const char *key, const char *value,
                                  const char *words) {
    char text[1024], message[512];
    if (strcmp(places[place].table, "scene") == 0 &&
        (strcmp(key, "toile") == 0 || strcmp(key, "cloths") == 0)) {
        snprintf(text, sizeof text, "{\"bodies\": [{\"sphere\": {}}], %s\n\"%s\": %s}",
                 strcmp(key, "toile") == 0 ? "" : "\"toile\": 1,", key, value);
    } else if (strcmp(places[place].table, "body") == 0 && !strstr(value, "sphere")) {
        snprintf(text, sizeof text, "%s\"%s\": %s%s", places[place].before, key, value,
                 places[place].after);
    } else {
        snprintf(text, sizeof text, "%s\"%s\": %s%s", places[place].before, key, value,
                 places[place].after);
    }
    snprintf(message, sizeof message, "%s: expected ", key);
    assert_refused(text, message);
    assert_refused(text, "test.json:2: ");
    assert_refused(text, words);
}

static bool reads_number(const field *f) {
    return f->read == read_number || f->read == read_integer || f->read == read_seed ||
           f->read == read_stretch;
}

static int elements_of(const field *f) {
    return f->read == read_vector ? 3 : f->read == read_pair || f->read == read_integer_pair ? 2 : 0;
}

/* Every key of every object refuses null, and every number what is just outside its range. */
static void test_every_key_is_checked(void **state) {
    (void)state;
    for (int p = 0; p < PLACES; p++) {
        for (const field *f = table_named(places[p].table)->fields; f->key; f++) {
            char value[128], range[128];
            assert_member_refused(p, f->key, "null", "found null");
            snprintf(range, sizeof range, "from %.9g to %.9g", f->low, f->high);
            for (int side = 0; side < 2; side++) {
                double edge = side ? f->high : f->low;
                double beyond = edge + (side ? 1 : -1) * fmax(fabs(edge) * 1e-9, 1e-9);
                if (f->read == read_integer || f->read == read_integer_pair ||
                    f->read == read_seed) {
                    beyond = edge + (side ? 1 : -1);
                }
                if (reads_number(f)) {
                    snprintf(value, sizeof value, "%.17g", beyond);
                    assert_member_refused(p, f->key, value, range);
                }
                if (elements_of(f) == 2) {
                    snprintf(value, sizeof value, "[%.17g, %.17g]", edge, beyond);
                } else if (elements_of(f) == 3) {
                    snprintf(value, sizeof value, "[%.17g, %.17g, %.17g]", edge, edge, beyond);
                }
                if (elements_of(f)) {
                    char text[1024];
                    snprintf(text, sizeof text, "%s\"%s\": %s%s", places[p].before, f->key, value,
                             places[p].after);
                    assert_refused(text, range);
                }
            }
        }
    }
}

static void test_every_object_is_strict(void **state) {
    (void)state;
    for (int p = 0; p < PLACES; p++) {
        char text[512];
        snprintf(text, sizeof text, "%s\"zzzzzz\": 1%s", places[p].before, places[p].after);
        assert_refused(text, "zzzzzz: unknown key, expected one of: ");
        assert_refused(text, "test.json:2: ");
    }
}

static void test_nearest_key(void **state) {
    (void)state;
    assert_refused("{\"toile\": 1, \"cloth\": []}", "cloth: unknown key, did you mean \"cloths\"?");
    assert_refused("{\"toile\": 1, \"timestep\": 1}", "did you mean \"time_step\"?");
    assert_refused("{\"toile\": 1, \"cloths\": [{\"colour\": \"#000000\"}]}",
                   "cloths[0].colour: unknown key, did you mean \"color\"?");
    assert_refused("{\"toile\": 1, \"bodies\": [{\"sphere\": {\"centre\": [0, 0, 0]}}]}",
                   "bodies[0].sphere.centre: unknown key, did you mean \"center\"?");
}

/* A stranger's text must not reach the terminal as it is. */
static void test_messages_are_printable(void **state) {
    (void)state;
    assert_refused("{\"toile\": 1, \"\\u001b[2J\\u009b\\u007f\": 1}", ": ?[2J??: unknown key");
    char text[4096] = "{\"toile\": 1, \"";
    memset(text + strlen(text), 'k', 3000);
    strcpy(text + 3014, "\": 1}");
    assert_refused(text, "kkk...: unknown key");
}

static void test_lines(void **state) {
    (void)state;
    assert_refused("\xEF\xBB\xBF{\r\n\"toile\": 1,\r\n\"frames\": 0}", "test.json:3: frames: ");
    assert_refused("\n\n{\"toile\": 1, \"cloths\":\n[{\n}\n,\n{\"spacing\"\n: -1}]}",
                   "test.json:7: cloths[1].spacing: ");
    assert_refused("{\"toile\": 1, \"wind\": {\"drag\": [\"\\\\\", \"}\\\"]\", {}, -1e3, null]},\n"
                   "\"cloths\": [{\"color\": true}]}",
                   "test.json:1: wind.drag: ");
    assert_refused("{\"toile\": 1, \"fabrics\": {\"a\\\\\": {\"bend\": \"{[\"}},\n\"cloths\": []}",
                   "test.json:1: fabrics.a\\.bend: expected a number from 0 to 10 N m, found ");
}

static void test_long_fabric_chain(void **state) {
    (void)state;
    char text[2048] = "{\"toile\": 1, \"cloths\": [{}], \"fabrics\": {\"f0\": {}";
    for (int i = 1; i <= 16; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, ", \"f%d\": {\"base\": \"f%d\"}", i, i - 1);
    }
    strcat(text, "}}");
    assert_refused(text, "fabrics.f16: expected at most 16 fabrics based on each other");
    assert_refused("{\"toile\": 1, \"cloths\": [{\"fabric\": {\"base\": \"nylon\"}}]}",
                   "cloths[0].fabric.base: ");
    assert_refused("{\"toile\": 1, \"cloths\": [{}], \"fabrics\": {\"mine\": \"silk\"}}",
                   "fabrics.mine: expected an object, found \"silk\"");
}

static void test_exclusive_keys(void **state) {
    (void)state;
    assert_refused("{\"toile\": 1, \"bodies\": [{\"name\": \"b\", \"sphere\": {}}], \"cloths\": "
                   "[{\"pins\": [{\"edge\": \"top\", \"body\": \"b\", \"keyframes\": []}]}]}",
                   "cloths[0].pins[0]: expected either body or keyframes, found both");
    assert_refused("{\"toile\": 1, \"cloths\": [{\"pins\": [{}]}]}",
                   "cloths[0].pins[0]: expected one of corner, edge, point, found none");
    assert_refused("{\"toile\": 1, \"cloths\": [{}], \"camera\": {\"eye\": [1, 0, 0], \"target\": "
                   "[1, 0, 0]}}",
                   "camera: expected eye and target apart");
}

/* ---- good scenes --------------------------------------------------------------------------------
 */

static void test_defaults(void **state) {
    (void)state;
    scene *s = parse("{\"toile\": 1, \"cloths\": [{}, {}], \"bodies\": [{\"plane\": {}}]}");
    assert_int_equal(s->frames, 300);
    assert_float_equal(s->time_step, 1.0f / 60.0f, 1e-9f);
    toile_world_def world = toile_default_world_def();
    assert_string_equal(s->world.device, world.device);
    assert_memory_equal(&s->world.solver, &world.solver, sizeof world.solver);
    assert_memory_equal(&s->world.wind, &world.wind, sizeof world.wind);
    assert_true(s->world.contact_margin < 0.0f);
    assert_int_equal(s->cloth_count, 2);
    assert_string_equal(s->cloths[0].def.name, "cloth");
    assert_string_equal(s->cloths[1].def.name, "cloth-2");
    assert_int_equal(s->cloths[0].pin_count, 0);
    toile_fabric cotton = toile_fabric_named("cotton");
    assert_memory_equal(&s->cloths[0].def.fabric, &cotton, sizeof cotton);
    assert_int_equal(s->bodies[0].def.shape, TOILE_SHAPE_PLANE);
    assert_true(s->bodies[0].def.friction < 0.0f);
    assert_false(s->camera.given);
    assert_true(s->render.floor);
    assert_string_equal(s->path, "test.json");
    scene_free(s);
}

static void assert_first_cloth(const scene_cloth *c) {
    assert_string_equal(c->def.name, "voile d'été");
    assert_pair(c->def.size, 0.8f, 0.6f);
    assert_float_equal(c->def.spacing, 0.1f, 0);
    const toile_fabric *f = &c->def.fabric;
    assert_float_equal(f->density, 0.5f, 0); /* of "heavy", that of "light" is overridden */
    assert_pair(f->stretch, 2000.0f, 1000.0f);
    assert_float_equal(f->shear, 30.0f, 0);
    assert_float_equal(f->bend, 2e-5f, 0);
    assert_float_equal(f->damping, 0.002f, 0);
    assert_float_equal(f->friction, 0.45f, 0);
    assert_float_equal(f->thickness, 0.001f, 0);
    assert_float_equal(f->limit, 0.08f, 0);
    assert_vector(c->def.transform.translate, 0.1f, 3.0f, 0.3f);
    assert_vector(c->def.transform.rotate, 90.0f, 10.0f, 20.0f);
    assert_float_equal(c->def.transform.scale, 0.5f, 0);
    assert_vector(c->color, 1.0f, 0.21586050f, 0.0f); /* sRGB 128/255 is linear 0.2158605 */
    assert_int_equal(c->pin_count, 3);
    assert_int_equal(c->pins[0].def.kind, TOILE_PIN_CORNER);
    assert_int_equal(c->pins[0].def.corner, TOILE_CORNER_BOTTOM_RIGHT);
    assert_int_equal(c->pins[0].body, -1);
    assert_int_equal(c->pins[1].def.kind, TOILE_PIN_EDGE);
    assert_int_equal(c->pins[1].def.edge, TOILE_EDGE_LEFT);
    assert_int_equal(c->pins[1].def.keyframe_count, 2);
    assert_float_equal(c->pins[1].def.keyframes[1].time, 2.0f, 0);
    assert_vector(c->pins[1].def.keyframes[1].translate, 0.0f, 1.0f, 0.0f);
    assert_vector(c->pins[1].def.keyframes[1].rotate, 0.0f, 90.0f, 0.0f);
    assert_int_equal(c->pins[2].def.kind, TOILE_PIN_POINT);
    assert_pair(c->pins[2].def.point, 0.4f, 0.3f);
    assert_float_equal(c->pins[2].def.radius, 0.15f, 0);
    assert_int_equal(c->pins[2].body, 1);
}

static void assert_every_body(const scene_body *b) {
    assert_string_equal(b[0].def.name, "ball");
    assert_int_equal(b[0].def.shape, TOILE_SHAPE_SPHERE);
    assert_vector(b[0].def.center, 0.0f, 0.3f, 0.0f);
    assert_float_equal(b[0].def.radii[0], 0.2f, 0);
    assert_float_equal(b[0].def.friction, 0.6f, 0);
    assert_float_equal(b[0].def.reflection, 0.1f, 0);
    assert_int_equal(b[0].def.keyframe_count, 1);
    assert_vector(b[0].def.keyframes[0].translate, 1.0f, 0.0f, 0.0f);
    assert_vector(b[0].color, 0.0f, 0.0f, 1.0f);
    assert_int_equal(b[1].def.shape, TOILE_SHAPE_ELLIPSOID);
    assert_vector(b[1].def.radii, 0.1f, 0.2f, 0.3f);
    assert_vector(b[1].def.rotate, 0.0f, 30.0f, 0.0f);
    assert_string_equal(b[2].def.name, "body-3");
    assert_int_equal(b[2].def.shape, TOILE_SHAPE_CAPSULE);
    assert_vector(b[2].def.a, 0.0f, 0.0f, 2.0f);
    assert_vector(b[2].def.b, 0.0f, 1.0f, 2.0f);
    assert_float_equal(b[2].def.radii[0], 0.1f, 0);
    assert_int_equal(b[3].def.shape, TOILE_SHAPE_BOX);
    assert_vector(b[3].def.half, 0.2f, 0.25f, 0.3f);
    assert_vector(b[3].def.rotate, 0.0f, 45.0f, 0.0f);
    assert_int_equal(b[4].def.shape, TOILE_SHAPE_PLANE);
    assert_vector(b[4].def.center, 0.0f, -0.1f, 0.0f);
    assert_vector(b[4].def.normal, 0.0f, 2.0f, 0.0f);
}

static void test_every_key(void **state) {
    (void)state;
    scene *s;
    if (scene_load(FOLDER "/test/good/every_key.json", &s) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    assert_vector(s->world.gravity, 0.5f, -1.6f, 0.25f);
    assert_float_equal(s->time_step, 0.01f, 0);
    assert_int_equal(s->frames, 12);
    assert_true(s->world.seed == UINT64_C(9007199254740991));
    assert_string_equal(s->world.device, "cpu");
    assert_int_equal(s->world.solver.kind, TOILE_SOLVER_MASS_SPRING);
    assert_int_equal(s->world.solver.integrator, TOILE_INTEGRATOR_VERLET);
    assert_int_equal(s->world.solver.substeps, 7);
    assert_int_equal(s->world.solver.max_substeps, 9);
    assert_int_equal(s->world.solver.stiffness, TOILE_STIFFNESS_TRUE);
    assert_int_equal(s->world.solver.limit_iterations, 3);
    assert_float_equal(s->world.solver.damping, 0.75f, 0);
    assert_float_equal(s->world.contact_margin, 0.004f, 0);
    assert_vector(s->world.wind.velocity, 3.0f, 1.0f, 2.0f);
    assert_float_equal(s->world.wind.air_density, 1.1f, 0);
    assert_float_equal(s->world.wind.drag, 1.3f, 0);
    assert_float_equal(s->world.wind.lift, 0.4f, 0);
    assert_float_equal(s->world.wind.gust, 0.5f, 0);
    assert_float_equal(s->world.wind.gust_period, 1.5f, 0);
    assert_int_equal(s->cloth_count, 2);
    assert_first_cloth(&s->cloths[0]);
    assert_pair(s->cloths[1].def.fabric.stretch, 1500.0f, 1500.0f);
    assert_vector(s->cloths[1].color, 1.0f, 0.21404114f, 0.0f);
    assert_int_equal(s->body_count, 5);
    assert_every_body(s->bodies);
    assert_true(s->camera.given);
    assert_vector(s->camera.eye, 2.0f, 1.0f, 2.0f);
    assert_vector(s->camera.target, 0.0f, 0.5f, 0.0f);
    assert_float_equal(s->camera.fov, 40.0f, 0);
    assert_int_equal(s->render.size[0], 640);
    assert_int_equal(s->render.size[1], 480);
    assert_vector(s->render.background, 0.0f, 0.0f, 0.0f);
    assert_int_equal(s->render.texture, SCENE_TEXTURE_CHECK);
    assert_true(s->render.wireframe);
    assert_false(s->render.floor);
    scene_free(s);
}

static void test_words_and_shorthands(void **state) {
    (void)state;
    scene *s = parse("{\"toile\": 1, \"cloths\": [{}], \"collision\": \"shapes\", \"frames\": 2.0, "
                     "\"solver\": {\"substeps\": \"auto\", \"integrator\": \"euler\"}}");
    assert_int_equal(s->world.solver.substeps, 0);
    assert_int_equal(s->world.solver.integrator, TOILE_INTEGRATOR_EULER);
    assert_int_equal(s->frames, 2);
    scene_free(s);
    s = parse("{\"toile\": 1, \"cloths\": [{}], \"collision\": {\"margin\": \"auto\"}, "
              "\"camera\": {\"fov\": 20}}");
    assert_true(s->world.contact_margin < 0.0f);
    assert_false(s->camera.given);
    assert_float_equal(s->camera.fov, 20.0f, 0);
    scene_free(s);
}

/* ---- running out of memory ----------------------------------------------------------------------
 */

static int allocations_left;

static void *failing_malloc(size_t size) {
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

/* Whichever of the parser's allocations fails, the scene is refused and nothing leaks. */
static void test_memory_runs_out(void **state) {
    (void)state;
    char *text = read_text(FOLDER "/test/good/every_key.json");
    json_malloc_t old_malloc;
    json_free_t old_free;
    json_get_alloc_funcs(&old_malloc, &old_free);
    json_set_alloc_funcs(failing_malloc, free);
    toile_result result = TOILE_ERROR_MEMORY;
    int allowed = 0;
    for (; result != TOILE_OK && allowed < 100000; allowed++) {
        allocations_left = allowed;
        scene *s;
        result = scene_parse(text, strlen(text), "test.json", &s);
        if (result == TOILE_OK) {
            scene_free(s);
        } else {
            assert_int_equal(result, TOILE_ERROR_MEMORY);
        }
    }
    json_set_alloc_funcs(old_malloc, old_free);
    assert_int_equal(result, TOILE_OK);
    assert_true(allowed > 100);
    free(text);
}

/* ---- agreement ----------------------------------------------------------------------------------
 */

static json_t *resolve(json_t *schema, json_t *property) {
    const char *reference = json_string_value(json_object_get(property, "$ref"));
    if (!reference) {
        return property;
    }
    const char *start = "#/$defs/";
    assert_int_equal(strncmp(reference, start, strlen(start)), 0);
    json_t *definition =
        json_object_get(json_object_get(schema, "$defs"), reference + strlen(start));
    assert_non_null(definition);
    return definition;
}

static json_t *schema_object(json_t *schema, const char *name) {
    if (strcmp(name, "scene") == 0) {
        return schema;
    }
    json_t *object = json_object_get(json_object_get(schema, "$defs"), name);
    if (!object) {
        fail_msg("the schema has no $defs/%s", name);
    }
    return object;
}

/* The first value of a keyword in a property or the alternatives and items below it. */
static json_t *find_keyword(json_t *schema, json_t *property, const char *keyword) {
    property = resolve(schema, property);
    json_t *value = json_object_get(property, keyword);
    json_t *items = json_object_get(property, "items");
    if (!value && items) {
        value = find_keyword(schema, items, keyword);
    }
    json_t *alternatives = json_object_get(property, "anyOf");
    for (size_t i = 0; !value && i < json_array_size(alternatives); i++) {
        value = find_keyword(schema, json_array_get(alternatives, i), keyword);
    }
    return value;
}

static void assert_keyword(json_t *schema, json_t *property, const char *table, const char *key,
                           const char *keyword, double expected) {
    json_t *value = find_keyword(schema, property, keyword);
    if (!value || json_number_value(value) != expected) {
        fail_msg("%s.%s: %s is %g in the parser and %g in the schema", table, key, keyword,
                 expected, json_number_value(value));
    }
}

static void assert_choices(json_t *schema, json_t *property, const field *f) {
    json_t *words = find_keyword(schema, property, "enum");
    size_t index = 0;
    for (const choice *c = f->choices; c->word; c++) {
        if (c->value != CHOICE_LATER) {
            const char *word = json_string_value(json_array_get(words, index++));
            assert_non_null(word);
            assert_string_equal(word, c->word);
        }
    }
    assert_int_equal(json_array_size(words), index);
}

static bool has_range(const field *f) {
    return reads_number(f) || elements_of(f) || f->read == read_color;
}

static void assert_field_in_schema(json_t *schema, json_t *object, const char *table,
                                   const field *f) {
    json_t *property = json_object_get(json_object_get(object, "properties"), f->key);
    if (!property) {
        fail_msg("%s.%s is not in the schema", table, f->key);
    }
    if (has_range(f)) {
        assert_keyword(schema, property, table, f->key, "minimum", f->low);
        assert_keyword(schema, property, table, f->key, "maximum", f->high);
    } else if (f->high > 1.0) {
        assert_keyword(schema, property, table, f->key, "maxItems", f->high);
    }
    bool lists_kinds = f->read == read_pins || f->read == read_bodies;
    if (f->choices && !lists_kinds) {
        assert_choices(schema, property, f);
    }
    json_t *required = json_object_get(object, "required");
    bool in_schema = false;
    for (size_t i = 0; i < json_array_size(required); i++) {
        in_schema |= strcmp(json_string_value(json_array_get(required, i)), f->key) == 0;
    }
    assert_int_equal(in_schema, f->required);
}

/* The schema has the objects, keys, ranges, words and required keys of the parser, and no others. */
static void test_schema(void **state) {
    (void)state;
    json_t *schema = read_json(FOLDER "/docs/scene.schema.json");
    for (const field_table *const *t = scene_tables; *t; t++) {
        json_t *object = schema_object(schema, (*t)->name);
        assert_true(json_is_false(json_object_get(object, "additionalProperties")));
        size_t count = 0;
        for (const field *f = (*t)->fields; f->key; f++, count++) {
            assert_field_in_schema(schema, object, (*t)->name, f);
        }
        if (json_object_size(json_object_get(object, "properties")) != count) {
            fail_msg("the schema has keys for %s that the parser does not know", (*t)->name);
        }
    }
    json_decref(schema);
}

static void assert_default(json_t *schema, const char *table, const field *f, const void *target) {
    json_t *object = schema_object(schema, table);
    json_t *property = json_object_get(json_object_get(object, "properties"), f->key);
    json_t *value = json_object_get(property, "default");
    const void *at = (const char *)target + f->offset;
    if (!value) {
        return;
    }
    if (json_is_string(value) && f->choices && f->read != read_device) {
        for (const choice *c = f->choices; c->word; c++) {
            if (strcmp(c->word, json_string_value(value)) == 0) {
                double is = f->read == read_number ? (double)*(const float *)at : *(const int *)at;
                assert_float_equal(is, c->value, 0);
                return;
            }
        }
        fail_msg("%s.%s", table, f->key);
    } else if (f->read == read_number) {
        assert_float_equal(*(const float *)at, (float)json_number_value(value), 0);
    } else if (f->read == read_integer) {
        assert_int_equal(*(const int *)at, json_integer_value(value));
    } else if (f->read == read_boolean) {
        assert_int_equal(*(const bool *)at, json_is_true(value));
    } else if (f->read == read_vector || f->read == read_pair) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            float number = (float)json_number_value(json_array_get(value, i));
            assert_float_equal(((const float *)at)[i], number, 0);
        }
    } else if (f->read == read_color) {
        float color[3];
        node none = {.value = value};
        assert_int_equal(read_color(&none, f, color), TOILE_OK);
        for (int i = 0; i < 3; i++) {
            assert_float_equal(((const float *)at)[i], color[i], 0.001f);
        }
    }
}

/* The defaults that the schema shows are those the parser uses. */
static void test_schema_defaults(void **state) {
    (void)state;
    json_t *schema = read_json(FOLDER "/docs/scene.schema.json");
    scene *s = parse("{\"toile\": 1, \"cloths\": [{\"pins\": [{\"point\": [0, 0]}]}], \"bodies\": "
                     "[{\"sphere\": {}, \"keyframes\": [{\"time\": 0}]}]}");
    const toile_body_def *body = &s->bodies[0].def;
    const struct {
        const char *table;
        const void *target;
    } targets[] = {
        {"scene", s},
        {"solver", &s->world.solver},
        {"collision", &s->world},
        {"wind", &s->world.wind},
        {"cloth", &s->cloths[0]},
        {"transform", &s->cloths[0].def.transform},
        {"pin", &s->cloths[0].pins[0]},
        {"keyframe", body->keyframes},
        {"body", &s->bodies[0]},
        {"sphere", body},
        {"ellipsoid", body},
        {"capsule", body},
        {"box", body},
        {"plane", body},
        {"camera", &s->camera},
        {"render", &s->render},
    };
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        for (const field *f = table_named(targets[i].table)->fields; f->key; f++) {
            if (f->read != read_collision && f->read != read_collision_kind) {
                assert_default(schema, targets[i].table, f, targets[i].target);
            }
        }
    }
    scene_free(s);
    json_decref(schema);
}

static void test_documentation(void **state) {
    (void)state;
    char *text = read_text(FOLDER "/docs/scene-format.md");
    for (const field_table *const *t = scene_tables; *t; t++) {
        for (const field *f = (*t)->fields; f->key; f++) {
            char quoted[64];
            snprintf(quoted, sizeof quoted, "| `%s` |", f->key);
            if (!strstr(text, quoted)) {
                fail_msg("docs/scene-format.md does not explain %s.%s", (*t)->name, f->key);
            }
        }
    }
    free(text);
}

/* Every key of the tables stands somewhere in test/good/every_key.json. */
static void find_keys(json_t *value, const field_table *table, json_t *seen) {
    size_t index;
    json_t *element;
    json_array_foreach(value, index, element) {
        find_keys(element, table, seen);
    }
    for (const field *f = table->fields; f->key && json_is_object(value); f++) {
        json_t *member = json_object_get(value, f->key);
        char path[64];
        snprintf(path, sizeof path, "%s.%s", table->name, f->key);
        if (member) {
            json_object_set_new(seen, path, json_true());
        }
        if (f->table && f->read != read_fabrics) {
            find_keys(member, f->table, seen);
        }
    }
}

static void test_every_key_is_tested(void **state) {
    (void)state;
    json_t *json = read_json(FOLDER "/test/good/every_key.json");
    json_t *seen = json_object();
    find_keys(json, scene_tables[0], seen);
    for (const field_table *const *t = scene_tables; *t; t++) {
        for (const field *f = (*t)->fields; f->key; f++) {
            char path[64];
            snprintf(path, sizeof path, "%s.%s", (*t)->name, f->key);
            if (!json_object_get(seen, path)) {
                fail_msg("every_key.json has no %s", path);
            }
        }
    }
    json_decref(seen);
    json_decref(json);
}

/* ---- worlds -------------------------------------------------------------------------------------
 */

static void assert_builds(const char *path, const char *name) {
    (void)name;
    scene *s;
    toile_world *world = NULL;
    scene_ids ids;
    if (scene_load(path, &s) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    if (scene_build(s, NULL, NULL, &world, &ids) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    assert_int_equal(toile_world_get_cloths(world, NULL, 0), s->cloth_count);
    assert_int_equal(toile_world_get_bodies(world, NULL, 0), s->body_count);
    scene_ids_free(&ids);
    toile_world_destroy(world);
    scene_free(s);
}

static void test_scenes_build(void **state) {
    (void)state;
    assert_true(for_each_scene(FOLDER "/scenes", assert_builds) >= 4);
    assert_int_equal(for_each_scene(FOLDER "/scenes/rabenius", assert_builds), 7);
    assert_int_equal(for_each_scene(FOLDER "/test/good", assert_builds), 1);
}

static toile_result build_result(const char *text) {
    scene *s = parse(text);
    toile_world *world = NULL;
    scene_ids ids;
    toile_result result = scene_build(s, NULL, NULL, &world, &ids);
    if (result == TOILE_OK) {
        scene_ids_free(&ids);
        toile_world_destroy(world);
    }
    scene_free(s);
    return result;
}

/* A cloth in a body is refused, unless all that is inside is pinned. */
static void test_start_inside(void **state) {
    (void)state;
    /* 3 x 3 texels; the ball holds the one in the middle, 0.1 m deep. */
    const char *scene_with = "{\"toile\": 1, \"cloths\": [{\"name\": \"sheet\", \"rectangle\": "
                             "[0.4, 0.4], \"spacing\": 0.2%s}],\n\"bodies\": [{\"name\": "
                             "\"ball\", \"sphere\": {\"radius\": 0.1}}]}";
    char text[1024];
    snprintf(text, sizeof text, scene_with, "");
    assert_int_equal(build_result(text), TOILE_ERROR_INVALID);
    assert_string_equal(toile_error_message(),
                        "test.json:1: cloths[0]: 1 texel of \"sheet\" starts inside the body "
                        "\"ball\" (bodies[0]), up to 100 mm deep: expected them apart");
    snprintf(text, sizeof text, scene_with,
             ", \"pins\": [{\"point\": [0.2, 0.2], \"body\": \"ball\"}]");
    assert_int_equal(build_result(text), TOILE_OK);
    snprintf(text, sizeof text, scene_with, ", \"pins\": [{\"point\": [0.2, 0.2]}]");
    assert_int_equal(build_result(text), TOILE_OK);
    snprintf(text, sizeof text, scene_with, ", \"pins\": [{\"edge\": \"top\"}]");
    assert_int_equal(build_result(text), TOILE_ERROR_INVALID);
    snprintf(text, sizeof text, scene_with, ", \"transform\": {\"translate\": [0, 0, 0.1]}");
    assert_int_equal(build_result(text), TOILE_OK); /* touching is not inside */
}

static void test_unavailable_device(void **state) {
    (void)state;
    assert_int_equal(build_result("{\"toile\": 1, \"device\": \"cuda\", \"cloths\": [{}]}"),
                     TOILE_ERROR_UNAVAILABLE);
    assert_non_null(strstr(toile_error_message(), "test.json:1: device: "));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_missing_file),
        cmocka_unit_test(test_huge_file),
        cmocka_unit_test(test_every_key_is_checked),
        cmocka_unit_test(test_every_object_is_strict),
        cmocka_unit_test(test_nearest_key),
        cmocka_unit_test(test_messages_are_printable),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_long_fabric_chain),
        cmocka_unit_test(test_exclusive_keys),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_words_and_shorthands),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_schema_defaults),
        cmocka_unit_test(test_documentation),
        cmocka_unit_test(test_every_key_is_tested),
        cmocka_unit_test(test_scenes_build),
        cmocka_unit_test(test_start_inside),
        cmocka_unit_test(test_unavailable_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
