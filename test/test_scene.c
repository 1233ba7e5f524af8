/* Scene files: what is good gives the right fields, what is bad gives a sentence that names file,
 * line and field. */
#include <math.h>

#include "io/islands.h"
#include "scenes.h"

/* ---- bad scenes ---------------------------------------------------------------------------------
 */

/* Each line of test/bad/messages.txt is what the message says about one file there. */
static void assert_bad_file(const char *path, const char *name) {
    char *messages = read_text(in_source("test/bad/messages.txt"));
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
    snprintf(expected, sizeof expected, "%s/%s", in_source("test/bad"), line);

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
    assert_true(for_each_scene("test/bad", assert_bad_file) >= 45);
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

/* The scene around an object of each table. The member that is tried stands alone on line 2. */
static const struct {
    const char *table;
    const char *before;
    const char *with; /* what the object needs beside, left out when it is what is tried */
    const char *after;
} places[] = {
    {"scene", "{", "\"toile\": 1,", "}"},
    {"solver", "{\"toile\": 1, \"solver\": {", "", "}}"},
    {"level", "{\"toile\": 1, \"solver\": {\"levels\": [{", "\"iterations\": 1,", "}]}}"},
    {"device", "{\"toile\": 1, \"device\": {", "\"kind\": \"gl\",", "}}"},
    {"collision", "{\"toile\": 1, \"collision\": {", "", "}}"},
    {"wind", "{\"toile\": 1, \"wind\": {", "", "}}"},
    {"fabric", "{\"toile\": 1, \"cloths\": [{\"fabric\": {", "", "}}]}"},
    {"fabric", "{\"toile\": 1, \"fabrics\": {\"a\": {", "", "}}}"},
    {"cloth", "{\"toile\": 1, \"cloths\": [{", "", "}]}"},
    {"loop", "{\"toile\": 1, \"cloths\": [{\"outline\": [{", "", "}]}]}"},
    {"curve", "{\"toile\": 1, \"cloths\": [{\"outline\": [{\"curves\": [{", "", "}]}]}]}"},
    {"transform", "{\"toile\": 1, \"cloths\": [{\"transform\": {", "", "}}]}"},
    {"pin", "{\"toile\": 1, \"cloths\": [{\"pins\": [{", "", "}]}]}"},
    {"tie", "{\"toile\": 1, \"ties\": [{",
     "\"runs\": [{\"cloth\": \"a\", \"points\": [[0, 0]]}, {\"cloth\": \"b\", \"points\": [[0, "
     "0]]}],",
     "}]}"},
    {"run", "{\"toile\": 1, \"ties\": [{\"runs\": [{", "\"cloth\": \"a\",",
     "}, {\"cloth\": \"b\", \"points\": [[0, 0]]}]}]}"},
    {"keyframe", "{\"toile\": 1, \"bodies\": [{\"keyframes\": [{", "\"time\": 0,", "}]}]}"},
    {"keyframe", "{\"toile\": 1, \"cloths\": [{\"pins\": [{\"keyframes\": [{", "\"time\": 0,",
     "}]}]}]}"},
    {"body", "{\"toile\": 1, \"bodies\": [{", "", "}]}"},
    {"sphere", "{\"toile\": 1, \"bodies\": [{\"sphere\": {", "", "}}]}"},
    {"ellipsoid", "{\"toile\": 1, \"bodies\": [{\"ellipsoid\": {", "", "}}]}"},
    {"capsule", "{\"toile\": 1, \"bodies\": [{\"capsule\": {", "", "}}]}"},
    {"box", "{\"toile\": 1, \"bodies\": [{\"box\": {", "", "}}]}"},
    {"plane", "{\"toile\": 1, \"bodies\": [{\"plane\": {", "", "}}]}"},
    {"camera", "{\"toile\": 1, \"camera\": {", "", "}}"},
    {"render", "{\"toile\": 1, \"render\": {", "", "}}"},
};
enum { PLACES = sizeof places / sizeof places[0] };

/* Tries `"key": value` in a place and expects a message with its line, the key and the words. */
static void assert_member_refused(int place, const char *key, const char *value,
                                  const char *words) {
    char text[1024];
    bool needed = strstr(places[place].with, key);
    snprintf(text, sizeof text, "%s%s\n\"%s\": %s%s", places[place].before,
             needed ? "" : places[place].with, key, value, places[place].after);
    assert_refused(text, "test.json:2: ");
    assert_refused(text, key);
    assert_refused(text, words);
}

/* A value just outside the range of a field, in JSON: one number, or an array with it at the end.
 */
static void write_beyond(const field *f, bool above, char *out, size_t size) {
    double edge = above ? f->high : f->low;
    bool whole = f->read == read_integer || f->read == read_integer_pair || f->read == read_seed;
    double step = whole ? 1.0 : fmax(fabs(edge) * 1e-9, 1e-9);
    double beyond = above ? edge + step : edge - step;
    switch (elements_of(f)) {
    case 2:
        snprintf(out, size, "[%.17g, %.17g]", edge, beyond);
        break;
    case 3:
        snprintf(out, size, "[%.17g, %.17g, %.17g]", edge, edge, beyond);
        break;
    default:
        snprintf(out, size, "%.17g", beyond);
    }
}

/* Every key of every object refuses null, and every number what is just outside its range. */
static void test_every_key_is_checked(void **state) {
    (void)state;
    for (int p = 0; p < PLACES; p++) {
        for (const field *f = table_named(places[p].table)->fields; f->key; f++) {
            assert_member_refused(p, f->key, "null", "found null");
            for (int above = 0; above < 2 && (reads_number(f) || elements_of(f)); above++) {
                char value[128], range[256];
                write_beyond(f, above, value, sizeof value);
                snprintf(range, sizeof range, " from %s to %s", describe_number(f->low).text,
                         describe_number(f->high).text);
                assert_member_refused(p, f->key, value, range);
            }
        }
    }
}

static void test_every_object_is_strict(void **state) {
    (void)state;
    for (int p = 0; p < PLACES; p++) {
        assert_member_refused(p, "zzzzzz", "1", "zzzzzz: unknown key, expected one of: ");
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

/* Numbers beyond a range are told apart from its end, however close they are. */
static void test_numbers_have_enough_digits(void **state) {
    (void)state;
    assert_refused("{\"toile\": 1, \"seed\": 9007199254740992}",
                   "from 0 to 9007199254740991, found 9007199254740992");
    assert_refused("{\"toile\": 1, \"time_step\": 1.0000000001}", "to 1 s, found 1.0000000001");
    assert_refused("{\"toile\": 1, \"frames\": 10000000000000000000000}",
                   "frames: expected a whole number from 1 to 1000000, found 1e+22");
    assert_refused("{\"toile\": 1, \"time_step\": -0.1}", "found -0.1");
}

/* Files that are no JSON at all have been through something: say what. */
static void test_no_text(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *message;
    } files[] = {
        {"", 0, "test.json: expected JSON, found an empty file"},
        {" \n\t\r\n", 5, "test.json: expected JSON, found nothing but blanks"},
        {"\xEF\xBB\xBF", 3, "test.json: expected JSON, found an empty file"},
        {"\xFF\xFE{\0}\0", 6, "test.json: expected UTF-8 text, found UTF-16"},
        {"\xFE\xFF\0{\0}", 6, "test.json: expected UTF-8 text, found UTF-16"},
        {"{\0}\0", 4, "test.json: expected UTF-8 text, found UTF-16"},
        {"\0{\0}", 4, "test.json: expected UTF-8 text, found UTF-16"},
        {"{\n\n\"toile\": 1\0}", 14, "test.json:3: expected text, found a zero byte"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        scene *s;
        assert_int_equal(scene_parse(files[i].text, files[i].length, "test.json", &s),
                         TOILE_ERROR_INVALID);
        assert_string_equal(toile_error_message(), files[i].message);
    }
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

static void test_names_are_refused(void **state) {
    (void)state;
    const char *names[] = {"", ".", "a/b", "a\\u0007b", "a\\u007f", "a\\u0085b", "\\u009f"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"toile\": 1, \"cloths\": [{\"name\": \"%s\"}]}", names[i]);
        assert_refused(text, "cloths[0].name: expected a name of 1 to 64 bytes");
    }
    assert_refused("{\"toile\": 1, \"cloths\": [{}], \"fabrics\": {\"\": {}}}",
                   "fabrics.: expected a name, found none");
}

static void test_device(void **state) {
    (void)state;
    static const char *const devices[][2] = {
        {"\"gl\"", "gl"},
        {"\"gl-fragment\"", "gl-fragment"},
        {"{\"kind\": \"cpu\"}", "cpu"},
        {"{\"kind\": \"gl\"}", "gl"},
        {"{\"kind\": \"gl\", \"pass\": \"compute\"}", "gl"},
        {"{\"pass\": \"fragment\", \"kind\": \"gl\"}", "gl-fragment"},
    };
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"toile\": 1, \"device\": %s, \"cloths\": [{}]}",
                 devices[i][0]);
        scene *s = parse(text);
        assert_string_equal(s->world.device, devices[i][1]);
        scene_free(s);
    }
    assert_refused("{\"toile\": 1, \"device\": {\"kind\": \"cpu\", \"pass\": \"fragment\"}}",
                   "device: only kind \"gl\" has passes to choose from, found \"cpu\"");
    assert_refused("{\"toile\": 1, \"device\": {\"pass\": \"fragment\"}}", "kind");
    assert_refused("{\"toile\": 1, \"device\": {\"kind\": \"gl\", \"pass\": \"raster\"}}",
                   "device.pass: ");
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

/* What has no name gets one that nothing else has, whichever comes first. */
static void test_default_names_are_free(void **state) {
    (void)state;
    scene *s = parse("{\"toile\": 1, \"cloths\": [{\"name\": \"cloth-2\"}, {}, {}], \"bodies\": "
                     "[{\"plane\": {}}, {\"plane\": {}, \"name\": \"body\"}, {\"plane\": {}}]}");
    assert_string_equal(s->cloths[0].def.name, "cloth-2");
    assert_string_equal(s->cloths[1].def.name, "cloth-3");
    assert_string_equal(s->cloths[2].def.name, "cloth-4");
    assert_string_equal(s->bodies[0].def.name, "body-2");
    assert_string_equal(s->bodies[1].def.name, "body");
    assert_string_equal(s->bodies[2].def.name, "body-3");
    scene_free(s);
    s = parse("{\"toile\": 1, \"cloths\": [{}, {\"name\": \"flag\"}, {\"name\": \"n\\u00e4\"}]}");
    assert_string_equal(s->cloths[0].def.name, "cloth");
    assert_string_equal(s->cloths[1].def.name, "flag");
    assert_string_equal(s->cloths[2].def.name, "nä");
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
    assert_int_equal(b[5].def.shape, TOILE_SHAPE_MESH);
    assert_vector(b[5].def.center, 4.0f, 1.0f, 0.0f);
    assert_vector(b[5].def.rotate, 0.0f, 0.0f, 20.0f);
    assert_int_equal(b[5].def.mesh.vertices, 4);
    assert_int_equal(b[5].def.mesh.triangle_count, 4);
    assert_vector(b[5].def.mesh.positions + 3, 0.1f, 0.0f, 0.0f);
}

/* Of test/good/strip.obj: a fold, and a square that is pinned at its top, both at 9, 5, 5. */
static void assert_pieces(const scene_cloth *c) {
    assert_string_equal(c[0].def.name, "strip.1");
    assert_string_equal(c[1].def.name, "strip.2");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(c[i].element, 3);
        assert_float_equal(c[i].def.spacing, 0.1f, 0);
        assert_float_equal(c[i].mesh.isometry_limit, 0.01f, 0);
        assert_int_equal(c[i].piece->mirrored, i);
        assert_int_equal(c[i].pin_count, i);
        assert_float_equal(c[i].pattern_scale, 1.0f, 0);
    }
    assert_pair(c[0].piece->size, 2.0f, 1.0f);
    assert_pair(c[1].piece->size, 1.0f, 1.0f);
}

static void test_every_key(void **state) {
    (void)state;
    scene *s;
    if (scene_load(in_source("test/good/every_key.json"), &s) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    assert_vector(s->world.gravity, 0.5f, -1.6f, 0.25f);
    assert_float_equal(s->time_step, 0.01f, 0);
    assert_int_equal(s->frames, 12);
    assert_true(s->world.seed == UINT64_C(9007199254740991));
    assert_string_equal(s->world.device, "gl");
    assert_int_equal(s->world.solver.kind, TOILE_SOLVER_MULTILEVEL);
    assert_int_equal(s->world.solver.substeps, 7);
    assert_int_equal(s->world.solver.max_substeps, 9);
    assert_float_equal(s->world.solver.damping, 0.75f, 0);
    assert_int_equal(s->world.collision, TOILE_COLLISION_SHAPES);
    assert_float_equal(s->world.contact_margin, 0.004f, 0);
    assert_int_equal(s->world.response, TOILE_RESPONSE_FOLLOW);
    assert_vector(s->world.wind.velocity, 3.0f, 1.0f, 2.0f);
    assert_float_equal(s->world.wind.air_density, 1.1f, 0);
    assert_float_equal(s->world.wind.drag, 1.3f, 0);
    assert_float_equal(s->world.wind.lift, 0.4f, 0);
    assert_float_equal(s->world.wind.gust, 0.5f, 0);
    assert_float_equal(s->world.wind.gust_period, 1.5f, 0);
    assert_int_equal(s->cloth_count, 6); /* test_scene_outline has the third */
    assert_string_equal(s->cloths[5].panel.name, "panels/pennant.panel");
    assert_first_cloth(&s->cloths[0]);
    assert_pieces(s->cloths + 3);
    assert_pair(s->cloths[1].def.fabric.stretch, 1500.0f, 1500.0f);
    assert_vector(s->cloths[1].color, 1.0f, 0.21404114f, 0.0f);
    assert_int_equal(s->body_count, 6);
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

static toile_solver_def load_solver(const char *path) {
    scene *s;
    if (scene_load(in_source(path), &s) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    toile_solver_def solver = s->world.solver;
    scene_free(s);
    return solver;
}

static void test_keys_of_other_solvers(void **state) {
    (void)state;
    toile_solver_def springs = load_solver("test/good/mass_spring_keys.json");
    assert_int_equal(springs.kind, TOILE_SOLVER_MASS_SPRING);
    assert_int_equal(springs.integrator, TOILE_INTEGRATOR_VERLET);
    assert_int_equal(springs.stiffness, TOILE_STIFFNESS_TRUE);
    assert_int_equal(springs.limit_iterations, 3);
    toile_solver_def implicit = load_solver("test/good/implicit_keys.json");
    toile_solver_def chosen = load_solver("test/good/implicit_auto.json");
    assert_int_equal(chosen.iterations, 0);
    assert_int_equal(chosen.substeps, 0);
    assert_int_equal(implicit.kind, TOILE_SOLVER_IMPLICIT);
    assert_int_equal(implicit.order, 2);
    assert_int_equal(implicit.iterations, 5);
    assert_float_equal(implicit.tolerance, 0.001f, 0);
    assert_float_equal(implicit.strain_limit, 0.1f, 0);
    assert_true(implicit.self_collision);
    assert_false(implicit.bounded);
    assert_true(load_solver("test/good/bounded.json").bounded);
}

static void test_words_and_shorthands(void **state) {
    (void)state;
    scene *s =
        parse("{\"toile\": 1.0, \"cloths\": [{}], \"collision\": \"shapes\", \"frames\": 2.0, "
              "\"solver\": {\"substeps\": \"auto\", \"integrator\": \"euler\", \"kind\": "
              "\"mass-spring\"}}");
    assert_int_equal(s->world.solver.substeps, 0);
    assert_int_equal(s->world.solver.integrator, TOILE_INTEGRATOR_EULER);
    assert_int_equal(s->world.collision, TOILE_COLLISION_SHAPES);
    assert_int_equal(s->frames, 2);
    scene_free(s);
    s = parse("{\"toile\": 1, \"cloths\": [{}], \"collision\": \"ccd\"}");
    assert_int_equal(s->world.collision, TOILE_COLLISION_CCD);
    assert_int_equal(s->world.response, TOILE_RESPONSE_FRICTION);
    assert_false(s->world.edges);
    scene_free(s);
    s = parse(
        "{\"toile\": 1, \"cloths\": [{}], \"collision\": {\"kind\": \"ccd\", \"edges\": true}}");
    assert_true(s->world.edges);
    scene_free(s);
    s = parse("{\"toile\": 1, \"cloths\": [{}], \"collision\": {\"margin\": \"auto\"}, "
              "\"camera\": {\"fov\": 20}}");
    assert_true(s->world.contact_margin < 0.0f);
    assert_false(s->camera.given);
    assert_float_equal(s->camera.fov, 20.0f, 0);
    scene_free(s);
}

/* ---- worlds -------------------------------------------------------------------------------------
 */

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

/* Texels of a piece are on its mesh, turned and moved: a strip that is folded at u = 1. */
static void assert_on_strip(float grain) {
    scene *s;
    toile_world *world;
    scene_ids ids;
    assert_int_equal(scene_load(in_source("test/good/every_key.json"), &s), TOILE_OK);
    s->world.device = "cpu"; /* which every machine has */
    s->cloths[3].grain = grain;
    s->cloths[3].def.transform.rotate[1] = 90.0f; /* x to -z, z to x */
    s->cloths[3].def.transform.scale = 2.0f;
    assert_int_equal(scene_build(s, NULL, NULL, &world, &ids), TOILE_OK);
    toile_cloth_info info = toile_cloth_get_info(world, ids.cloths[3]);
    float texels[3 * 21 * 11];
    bool turned = grain != 0.0f;
    assert_int_equal(info.columns, turned ? 11 : 21);
    assert_int_equal(info.rows, turned ? 21 : 11);
    assert_float_equal(info.spacing, 0.2f, 1e-7f);
    assert_int_equal(toile_cloth_get_texel_positions(world, ids.cloths[3], texels, info.texels),
                     TOILE_OK);
    for (int i = 0; i < 21 * 11; i++) {
        float column = 0.1f * (float)(i % info.columns), row = 0.1f * (float)(i / info.columns);
        float u = turned ? 2.0f - row : column, v = turned ? column : row;
        float x = fminf(u, 1.0f), z = fmaxf(u - 1.0f, 0.0f);
        assert_float_equal(texels[3 * i], 9.0f + 2.0f * z, 1e-5f);
        assert_float_equal(texels[3 * i + 1], 5.0f + 2.0f * v, 1e-5f);
        assert_float_equal(texels[3 * i + 2], 5.0f - 2.0f * x, 1e-5f);
    }
    scene_ids_free(&ids);
    toile_world_destroy(world);
    scene_free(s);
}

static void test_pieces_start_on_mesh(void **state) {
    (void)state;
    assert_on_strip(0.0f);
    assert_on_strip(90.0f);
}

/* The folded strip and a ball of 0.2 m. */
static toile_result meet_strip(float x, float y, float z) {
    scene *s;
    toile_world *world;
    scene_ids ids;
    assert_int_equal(scene_load(in_source("test/good/every_key.json"), &s), TOILE_OK);
    s->world.device = "cpu";
    scene_body ball = {.def = toile_default_body_def()};
    ball.def.name = "ball";
    ball.def.radii[0] = 0.2f;
    memcpy(ball.def.center, (float[3]){x, y, z}, sizeof ball.def.center);
    s->cloths += 3;
    s->cloth_count = 1;
    s->bodies = &ball;
    s->body_count = 1;
    toile_result result = scene_build(s, NULL, NULL, &world, &ids);
    if (result == TOILE_OK) {
        scene_ids_free(&ids);
        toile_world_destroy(world);
    }
    scene_free(s);
    return result;
}

/* A piece of a mesh is not between its corners: a ball may start in its fold, but not in it. */
static void test_piece_meets_body(void **state) {
    (void)state;
    assert_int_equal(meet_strip(9.5f, 5.5f, 5.5f), TOILE_OK);
    assert_int_equal(meet_strip(9.5f, 5.5f, 5.1f), TOILE_ERROR_INVALID);
    const char *message = toile_error_message();
    assert_non_null(strstr(message, "cloths[3]: 9 texels of \"strip.1\" start inside the body"));
}

/* A scene in memory has no folder to read files from. */
static void test_files_in_memory(void **state) {
    (void)state;
    static const char *const scenes[] = {
        "{\"toile\": 1, \"cloths\": [{\"mesh\": {\"file\": \"a.obj\"}}]}",
        "{\"toile\": 1, \"cloths\": [{\"panel\": \"a.panel\"}]}",
        "{\"toile\": 1, \"bodies\": [{\"mesh\": {\"file\": \"a.obj\"}}]}"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(build_result(scenes[i]), TOILE_ERROR_INVALID);
        assert_non_null(strstr(toile_error_message(), "was not read"));
    }
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
                        "\"ball\", up to 100 mm deep: expected them apart");
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

/* A needle between the texels is found wherever it passes through, and let go beside the cloth. */
static void test_start_between_texels(void **state) {
    (void)state;
    const char *scene_with = "{\"toile\": 1, \"cloths\": [{\"name\": \"sheet\", \"rectangle\": "
                             "[0.4, 0.4], \"spacing\": 0.2, \"pins\": [{\"corner\": "
                             "\"top-left\"}]}], \"bodies\": [{\"name\": \"needle\", %s}]}";
    const char *bodies[] = {
        "\"capsule\": {\"a\": [0.12, 0.13, -1], \"b\": [0.12, 0.13, 3], \"radius\": 0.004}",
        "\"capsule\": {\"a\": [-0.5, -0.7, -0.5], \"b\": [0.4, 0.6, 0.5], \"radius\": 0.004}",
        "\"sphere\": {\"center\": [-0.1, -0.03, 0.001], \"radius\": 0.005}",
        "\"ellipsoid\": {\"center\": [0.1, 0.1, 0.2], \"radii\": [0.01, 0.02, 0.3]}",
        "\"box\": {\"center\": [0.1, -0.1, 0.1], \"half\": [0.01, 0.01, 0.11], \"rotate\": [0, "
        "0, 20]}",
    };
    char text[1024];
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        snprintf(text, sizeof text, scene_with, bodies[i]);
        assert_int_equal(build_result(text), TOILE_ERROR_INVALID);
        assert_non_null(strstr(toile_error_message(), "test.json:1: cloths[0]: the body \"needle\" "
                                                      "starts in \"sheet\" between its "
                                                      "texels, "));
    }
    const char *apart[] = {
        "\"capsule\": {\"a\": [0.205, 0.13, -1], \"b\": [0.205, 0.13, 3], \"radius\": 0.004}",
        "\"sphere\": {\"center\": [-0.1, -0.03, 0.006], \"radius\": 0.005}",
        "\"ellipsoid\": {\"center\": [0.1, 0.1, 0.31], \"radii\": [0.01, 0.02, 0.3]}",
        "\"box\": {\"center\": [0.1, -0.1, 0.12], \"half\": [0.01, 0.01, 0.11]}",
        "\"plane\": {\"point\": [0, -0.21, 0]}",
    };
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        snprintf(text, sizeof text, scene_with, apart[i]);
        assert_int_equal(build_result(text), TOILE_OK);
    }
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
        cmocka_unit_test(test_numbers_have_enough_digits),
        cmocka_unit_test(test_no_text),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_long_fabric_chain),
        cmocka_unit_test(test_names_are_refused),
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_exclusive_keys),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_default_names_are_free),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_keys_of_other_solvers),
        cmocka_unit_test(test_words_and_shorthands),
        cmocka_unit_test(test_pieces_start_on_mesh),
        cmocka_unit_test(test_piece_meets_body),
        cmocka_unit_test(test_files_in_memory),
        cmocka_unit_test(test_start_inside),
        cmocka_unit_test(test_start_between_texels),
        cmocka_unit_test(test_unavailable_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
