/* Characters from glTF files: what becomes of nodes, skins, targets and animations, and a list of
 * what is wrong with files. Most files are small and written here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/character_glb.h"
#include "io/character_parts.h"
#include "io/character_read.h"
#include "model/performance.h"
#include "scenes.h"
#include "scratch.h"

/* ---- a small file -------------------------------------------------------------------------------
 */

/* A tetrahedron whose first vertex is there twice, on a hip and a knee below it. */
typedef struct content {
    float positions[5][3];
    float weights[5][4];
    float deltas[5][3];
    float matrices[2][16];
    float times[2];
    float places[2][3];
    float shares[2];
    uint16_t indices[12];
    uint8_t joints[5][4];
} content;

static const content usual = {
    .positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}},
    .weights = {{1}, {1}, {0.5f, 1.5f}, {0.25f, 0.75f}, {2}}, /* do not sum to 1 */
    .deltas = {{0}, {0, 0, 1}},
    .matrices = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                 {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1}},
    .times = {0, 2},
    .places = {{0, 0, 0}, {4, 0, 0}},
    .shares = {0, 1},
    .indices = {0, 2, 1, 4, 1, 3, 0, 3, 2, 1, 2, 3},
    .joints = {{0}, {0}, {0, 1}, {0, 1}, {0}},
};

#define VIEW(member) (int)offsetof(content, member), (int)sizeof usual.member

static const char format[] =
    "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0, 1]}],\n"
    "\"nodes\": [{\"mesh\": 0, \"skin\": 0, \"translation\": [100, 0, 0]},\n"
    " {\"name\": \"armature\", \"children\": [2]},\n"
    " {\"name\": \"hip\", \"children\": [3]}, {\"name\": \"knee\", \"translation\": [0, 1, 0]}],\n"
    "\"skins\": [{\"joints\": [2, 3], \"inverseBindMatrices\": 3}],\n"
    "\"meshes\": [{\"name\": \"m\", \"weights\": [0.5], \"primitives\": [{\"attributes\": "
    "{\"POSITION\": 0, \"JOINTS_0\": 1, \"WEIGHTS_0\": 2}, \"indices\": 4, "
    "\"targets\": [{\"POSITION\": 5}]}]}],\n"
    "\"animations\": [{\"extras\": {\"cycle\": true}, \"samplers\": ["
    "{\"input\": 6, \"output\": 7}, {\"input\": 6, \"output\": 8}], \"channels\": ["
    "{\"sampler\": 0, \"target\": {\"node\": 2, \"path\": \"translation\"}}, "
    "{\"sampler\": 1, \"target\": {\"node\": 0, \"path\": \"weights\"}}]}],\n"
    "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 5, \"type\": "
    "\"VEC3\"},"
    "{\"bufferView\": 1, \"componentType\": 5121, \"count\": 5, \"type\": \"VEC4\"},\n"
    "{\"bufferView\": 2, \"componentType\": 5126, \"count\": 5, \"type\": \"VEC4\"},\n"
    "{\"bufferView\": 3, \"componentType\": 5126, \"count\": 2, \"type\": \"MAT4\"},\n"
    "{\"bufferView\": 4, \"componentType\": 5123, \"count\": 12, \"type\": \"SCALAR\"},\n"
    "{\"bufferView\": 5, \"componentType\": 5126, \"count\": 5, \"type\": \"VEC3\"},\n"
    "{\"bufferView\": 6, \"componentType\": 5126, \"count\": 2, \"type\": \"SCALAR\"},\n"
    "{\"bufferView\": 7, \"componentType\": 5126, \"count\": 2, \"type\": \"VEC3\"},\n"
    "{\"bufferView\": 8, \"componentType\": 5126, \"count\": 2, \"type\": \"SCALAR\"}],\n"
    "\"bufferViews\": [{\"buffer\": 0, \"byteOffset\": %d, \"byteLength\": %d},"
    "{\"buffer\": 0, \"byteOffset\": %d, \"byteLength\": %d},"
    "{\"buffer\": 0, \"byteOffset\": %d, \"byteLength\": %d},"
    "{\"buffer\": 0, \"byteOffset\": %d, \"byteLength\": %d},"
    "{\"buffer\": 0, \"byteOffset\": %d, \"byteLength\": %d},"
    "{\"buffer\": 0, \"byteOffset\": %d, \"byteLength\": %d},"
    "{\"buffer\": 0, \"byteOffset\": %d, \"byteLength\": %d},"
    "{\"buffer\": 0, \"byteOffset\": %d, \"byteLength\": %d},"
    "{\"buffer\": 0, \"byteOffset\": %d, \"byteLength\": %d}],\n"
    "\"buffers\": [{\"byteLength\": %d}]}";

typedef struct bytes {
    uint8_t data[200000];
    size_t size;
} bytes;
static bytes file;

static void append_chunk(uint32_t kind, const void *data, size_t size) {
    uint32_t header[2] = {(uint32_t)(size + 3) / 4 * 4, kind};
    assert_true(file.size + 8 + header[0] <= sizeof file.data);
    memcpy(file.data + file.size, header, 8);
    memset(file.data + file.size + 8, ' ', header[0]);
    memcpy(file.data + file.size + 8, data, size);
    file.size += 8 + header[0];
}

static void make_glb(const char *text, const void *binary, size_t size) {
    file.size = 12;
    append_chunk(0x4E4F534A, text, strlen(text));
    append_chunk(0x004E4942, binary, size);
    uint32_t header[3] = {0x46546C67, 2, (uint32_t)file.size};
    memcpy(file.data, header, sizeof header);
}

/* The usual file with the first `from` replaced. */
static void make_file(const content *binary, const char *from, const char *to) {
    static char text[8192], changed[160000];
    snprintf(text, sizeof text, format, VIEW(positions), VIEW(joints), VIEW(weights),
             VIEW(matrices), VIEW(indices), VIEW(deltas), VIEW(times), VIEW(places), VIEW(shares),
             (int)sizeof usual);
    const char *at = strstr(text, from);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    make_glb(changed, binary, sizeof *binary);
}

static toile_result try_file(double scale, double weld, character *out) {
    gltf *g;
    *out = (character){0};
    toile_result result = gltf_parse(file.data, file.size, "small.glb", &g);
    if (result == TOILE_OK) {
        result = character_from_gltf(g, "small.glb", &(character_options){scale, weld}, out);
        gltf_free(g);
    }
    return result;
}

static character read_file(double scale, double weld) {
    character c;
    if (try_file(scale, weld, &c) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return c;
}

static void refuse(const content *binary, const char *from, const char *to, const char *message) {
    character c;
    make_file(binary, from, to);
    if (try_file(1.0, 0.0, &c) == TOILE_OK) {
        fail_msg("not refused: %s", message);
    }
    assert_message("small.glb");
    assert_message(message);
}

static void pose_at(const character *c, const char *animation, double time, float *out) {
    performance_action a = performance_action_default();
    performance *p;
    a.animation = animation;
    a.loop = PERFORMANCE_HOLD;
    skin_rows *matrices = calloc(c->joint_count, sizeof *matrices);
    float *weights = calloc(c->target_count + 1, sizeof *weights),
          *bound = calloc(3 * c->vertices, sizeof *bound);
    if (performance_create(c, &a, animation ? 1 : 0, true, &p) != TOILE_OK ||
        performance_pose(p, time, matrices, weights) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    character_morph(c, weights, bound);
    character_skin_linear(c, bound, matrices, 0, c->vertices, out);
    performance_destroy(p);
    free(matrices);
    free(weights);
    free(bound);
}

static void assert_near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("%.9g is not %.9g", a, b);
    }
}

/* ---- what is read -------------------------------------------------------------------------------
 */

static void skins_targets_and_animations_are_read(void **state) {
    (void)state;
    make_file(&usual, "", "");
    character c = read_file(2.0, -1.0);
    assert_int_equal(c.vertices, 5);
    assert_int_equal(c.triangles, 4);
    assert_int_equal(c.influences, 2);
    assert_int_equal(c.joint_count, 3); /* and the node above the joints */
    assert_string_equal(c.skeleton[2].name, "knee");
    assert_int_equal(c.skeleton[2].parent, 1);
    assert_true(c.skeleton[1].root && !c.skeleton[0].root && !c.skeleton[2].root);
    assert_near((double)c.weights[4], 0.75, 1e-7); /* the largest first */
    assert_int_equal(c.joints[4], 2);
    assert_int_equal(c.clip_count, 1);
    assert_string_equal(c.clips[0].name, "animation 0");
    assert_true(c.clips[0].loop);
    assert_int_equal(c.target_count, 1);
    assert_int_equal(c.targets[0].count, 1);
    float out[15];
    pose_at(&c, NULL, 0.0, out);
    assert_near((double)out[5], 1.0, 1e-6); /* half of the target, twice as large */
    assert_near((double)out[7], 2.0, 1e-6);
    pose_at(&c, "animation 0", 1.0, out);
    assert_near((double)out[0], 4.0, 1e-6); /* half of 4 m, twice as large */
    assert_near((double)out[5], 1.0, 1e-6);
    pose_at(&c, "animation 0", 2.0, out);
    assert_near((double)out[5], 2.0, 1e-6);
    character_free(&c);
}

static void seams_are_welded(void **state) {
    (void)state;
    make_file(&usual, "", "");
    character c = read_file(1.0, 0.0);
    assert_int_equal(c.vertices, 4);
    assert_int_equal(c.indices[3], 0);
    assert_int_equal(c.targets[0].vertices[0], 1);
    character_free(&c);
    content other = usual;
    other.joints[4][0] = 1; /* on another joint: stays apart */
    make_file(&other, "", "");
    c = read_file(1.0, 0.0);
    assert_int_equal(c.vertices, 5);
    character_free(&c);
    other = usual;
    other.positions[4][0] = -1e-5f;
    make_file(&other, "", "");
    c = read_file(1.0, 0.0);
    assert_int_equal(c.vertices, 5);
    character_free(&c);
    c = read_file(1.0, 1e-4);
    assert_int_equal(c.vertices, 4);
    character_free(&c);
    other.deltas[4][1] = 1.0f; /* moved by a target: stays apart */
    make_file(&other, "", "");
    c = read_file(1.0, 1e-4);
    assert_int_equal(c.vertices, 5);
    character_free(&c);
}

/* No skeleton: the vertices hang on the node, which mirrors. A matrix is taken apart. */
/* Vertices at one place that hang on different joints are compared with some of the others only:
 * with all of them this would take half an hour. */
static void a_heap_of_vertices_is_welded_in_time(void **state) {
    (void)state;
    enum { HEAP = 500000, WIDE = 3, JOINTS = 100 };
    character c = {.vertices = HEAP, .triangles = 1, .influences = WIDE};
    c.positions = calloc(3 * HEAP, sizeof *c.positions);
    c.joints = malloc(WIDE * HEAP * sizeof *c.joints);
    c.weights = malloc(WIDE * HEAP * sizeof *c.weights);
    c.indices = calloc(3, sizeof *c.indices);
    assert_true(c.positions && c.joints && c.weights && c.indices);
    for (size_t v = 0; v < HEAP; v++) {
        size_t number = v / 2; /* there twice, one after the other */
        for (size_t k = 0; k < WIDE; k++, number /= JOINTS) {
            c.joints[WIDE * v + k] = (uint16_t)(JOINTS * k + number % JOINTS);
            c.weights[WIDE * v + k] = 0.4f - 0.05f * (float)(k + (k > 1));
        }
    }
    assert_int_equal(character_weld(&c, 0.0), TOILE_OK);
    assert_int_equal(c.vertices, HEAP / 2);
    assert_int_equal(c.triangles, 0);
    character_free(&c);
}

static void plain_nodes_are_joints(void **state) {
    (void)state;
    make_file(&usual, "\"skin\": 0, \"translation\": [100, 0, 0]", "\"scale\": [-1, 1, 1]");
    character c = read_file(1.0, -1.0);
    float out[15];
    assert_int_equal(c.joint_count, 1);
    assert_int_equal(c.influences, 1);
    assert_int_equal(c.indices[1], 1); /* turned over */
    pose_at(&c, NULL, 0.0, out);
    assert_near((double)out[3], -1.0, 1e-6);
    character_free(&c);
    make_file(&usual, "\"skin\": 0, \"translation\": [100, 0, 0]",
              "\"matrix\": [0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1]");
    c = read_file(1.0, -1.0);
    pose_at(&c, NULL, 0.0, out);
    assert_near((double)out[3], 1.0, 1e-6);
    assert_near((double)out[4], 4.0, 1e-6);
    assert_near((double)out[5], 4.0, 1e-6); /* half of the target */
    character_free(&c);
}

/* Two skins that bind one node differently: there it is twice. */
static void skins_share_nodes(void **state) {
    (void)state;
    make_file(&usual,
              "[0, 1]}],\n\"nodes\": [{\"mesh\": 0, \"skin\": 0, \"translation\": [100, 0, 0]}",
              "[1]}],\n\"nodes\": [{}");
    static char text[8192];
    snprintf(text, sizeof text, "%.*s", (int)(file.size - 20 - sizeof usual),
             (const char *)file.data + 20);
    text[strrchr(text, '}') - text + 1] = 0;
    char *end = strstr(text, "\"translation\": [0, 1, 0]}],\n\"skins\": [");
    assert_non_null(end);
    static char whole[8192];
    snprintf(whole, sizeof whole,
             "%.*s\"translation\": [0, 1, 0], \"children\": [4, 5]}, {\"mesh\": 0, \"skin\": 0}, "
             "{\"mesh\": 0, \"skin\": 1}],\n\"skins\": [{\"joints\": [3, 2]}, %s",
             (int)(end - text), text, end + strlen("\"translation\": [0, 1, 0]}],\n\"skins\": ["));
    char *weights = strstr(whole, "\"node\": 0, \"path\": \"weights\"");
    assert_non_null(weights);
    weights[strlen("\"node\": ")] = '4';
    make_glb(whole, &usual, sizeof usual);
    character c = read_file(1.0, -1.0);
    assert_int_equal(c.joint_count, 4); /* only the knee is bound in two ways */
    assert_int_equal(c.skeleton[3].parent, 2);
    assert_int_equal(c.vertices, 10);
    assert_int_equal(c.target_count, 2);
    float out[30];
    pose_at(&c, NULL, 0.0, out);
    assert_near((double)out[1], 1.0, 1e-6); /* the first skin has the joints the other way round */
    assert_near((double)out[16], 0.0, 1e-6);
    character_free(&c);
}

static void zero_length_and_hundred_joints_work(void **state) {
    (void)state;
    content other = usual;
    make_file(&other,
              "{\"sampler\": 0, \"target\": {\"node\": 2, \"path\": \"translation\"}}, "
              "{\"sampler\": 1, \"target\": {\"node\": 0, \"path\": \"weights\"}}",
              "");
    character c = read_file(1.0, 0.0);
    float out[15];
    assert_near(c.clips[0].length, 0.0, 0.0);
    pose_at(&c, "animation 0", 3.0, out);
    character_free(&c);
    /* 25 sets of 4 joints, which are one accessor again and again. */
    static char sets[4000];
    size_t used = 0;
    for (int i = 0; i < 25; i++) {
        used += (size_t)snprintf(sets + used, sizeof sets - used,
                                 "%s\"JOINTS_%d\": 1, \"WEIGHTS_%d\": 2", i ? ", " : "", i, i);
    }
    make_file(&usual, "\"JOINTS_0\": 1, \"WEIGHTS_0\": 2", sets);
    c = read_file(1.0, 0.0);
    assert_int_equal(c.influences, 50);
    pose_at(&c, NULL, 0.0, out);
    assert_near((double)out[7], 1.0, 1e-5);
    character_free(&c);
}

static void thousands_of_meshes_work(void **state) {
    (void)state;
    static char nodes[150000];
    size_t used = (size_t)snprintf(nodes, sizeof nodes, "\"nodes\": [");
    for (int i = 0; i < 5000; i++) {
        used += (size_t)snprintf(nodes + used, sizeof nodes - used, "{\"mesh\": 0}, ");
    }
    static char text[160000];
    snprintf(text, sizeof text,
             "{\"asset\": {\"version\": \"2.0\"}, %s{}], \"meshes\": [{\"primitives\": "
             "[{\"attributes\": {\"POSITION\": 0}}]}], \"accessors\": [{\"bufferView\": 0, "
             "\"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"}], \"bufferViews\": "
             "[{\"buffer\": 0, \"byteLength\": 36}], \"buffers\": [{\"byteLength\": 36}]}",
             nodes);
    make_glb(text, usual.positions, 36);
    character c = read_file(1.0, 0.0);
    assert_int_equal(c.triangles, 5000);
    assert_int_equal(c.joint_count, 5000);
    character_free(&c);
}

/* ---- what is refused ----------------------------------------------------------------------------
 */

static void mistakes_are_named(void **state) {
    (void)state;
    content bad = usual;
    memset(bad.weights[3], 0, sizeof bad.weights[3]);
    refuse(&bad, "", "", "vertex 3: expected weights of at least 0 with the sum 1");
    bad = usual;
    bad.joints[2][1] = 7;
    refuse(&bad, "", "", "mesh 0 has joint 7, of the 2 that skin 0 has");
    bad = usual;
    bad.matrices[1][0] = 0.0f;
    refuse(&bad, "", "", "node 3 \"knee\": its matrix, times the inverse bind matrix, is singular");
    bad = usual;
    bad.matrices[1][0] = NAN;
    refuse(&bad, "", "", "finite");
    bad = usual;
    bad.times[0] = 3.0f;
    refuse(&bad, "", "", "expected times that rise");
    refuse(&usual, "\"JOINTS_0\": 1, \"WEIGHTS_0\": 2", "\"NOTHING\": 1",
           "expected JOINTS_0 and WEIGHTS_0");
    refuse(&usual, "\"name\": \"hip\"", "\"scale\": [0, 1, 1]", "is singular");
    refuse(&usual, "\"name\": \"hip\"", "\"scale\": [1e9, 1e9, 1e9]", "is the scale right?");
    refuse(&usual, "\"name\": \"hip\"", "\"scale\": [1e-9, 1e-9, 1e-9]", "is the scale right?");
    refuse(&usual, "\"name\": \"armature\"",
           "\"matrix\": [1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]",
           "expected a matrix of translation, rotation and scale");
    refuse(&usual, "\"nodes\": [0, 1]", "\"nodes\": [1]", "has no triangles");
    character c;
    make_file(&usual, "", "");
    assert_int_equal(try_file(NAN, 0.0, &c), TOILE_ERROR_INVALID);
    assert_message("scale: expected 1e-6 to 1e6");
    for (size_t size = 0; size < file.size; size += 7) {
        bytes whole = file;
        file.size = size;
        assert_int_not_equal(try_file(1.0, 0.0, &c), TOILE_OK);
        file = whole;
    }
    assert_int_equal(character_read("/nonexistent.glb", &(character_options){1.0, 0.0}, &c),
                     TOILE_ERROR_INVALID);
    assert_message("/nonexistent.glb");
}

/* ---- characters of other projects ---------------------------------------------------------------
 */

static void read_cally(const char *name, double weld, character *c) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", in_source("../shared/data/characters"), name);
    if (access(path, R_OK) != 0) {
        print_message("skipped: no file '%s'\n", path);
        skip();
    }
    if (character_read(path, &(character_options){1.0, weld}, c) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
}

/* Boundary edges: an edge whose opposite no triangle has. */
static size_t count_open(const character *c) {
    size_t open = 0, edges = 3 * c->triangles;
    for (size_t i = 0; i < edges; i++) {
        uint32_t a = c->indices[i], b = c->indices[i % 3 == 2 ? i - 2 : i + 1];
        bool found = false;
        for (size_t k = 0; k < edges && !found; k++) {
            found = c->indices[k] == b && c->indices[k % 3 == 2 ? k - 2 : k + 1] == a;
        }
        open += !found;
    }
    return open;
}

static double fastest(const character *c, const char *name, double box[2][3]) {
    const character_clip *clip = character_find_clip(c, name);
    size_t frames = (size_t)lround(clip->length * 30.0), numbers = 3 * c->vertices;
    float *last = calloc(numbers, sizeof *last), *now = calloc(numbers, sizeof *now);
    double most = 0.0;
    for (size_t frame = 0; frame <= frames; frame++) {
        pose_at(c, name, (double)frame / 30.0, now);
        for (size_t i = 0; i < numbers; i++) {
            box[0][i % 3] = fmin(box[0][i % 3], (double)now[i]);
            box[1][i % 3] = fmax(box[1][i % 3], (double)now[i]);
        }
        for (size_t v = 0; v < c->vertices && frame > 0; v++) {
            double x = (double)(now[3 * v] - last[3 * v]),
                   y = (double)(now[3 * v + 1] - last[3 * v + 1]),
                   z = (double)(now[3 * v + 2] - last[3 * v + 2]);
            most = fmax(most, 30.0 * sqrt(x * x + y * y + z * z));
        }
        memcpy(last, now, numbers * sizeof *now);
    }
    free(last);
    free(now);
    return most;
}

static void cally_is_as_her_readme_says(void **state) {
    (void)state;
    character c;
    read_cally("cally.glb", -1.0, &c);
    assert_int_equal(c.joint_count, 37);
    assert_int_equal(c.clip_count, 7);
    assert_int_equal(c.vertices, 1844);
    assert_int_equal(c.triangles, 3342);
    float *out = calloc(3 * c.vertices, sizeof *out);
    pose_at(&c, NULL, 0.0, out);
    double worst = 0.0;
    for (size_t i = 0; i < 3 * c.vertices; i++) {
        worst = fmax(worst, fabs((double)out[i] - (double)c.positions[i]));
    }
    print_message("rest pose off by %.3g m\n", worst);
    assert_true(worst < 5e-7);
    free(out);
    assert_true(character_find_clip(&c, "walk")->loop);
    assert_false(character_find_clip(&c, "wave")->loop);
    double box[2][3] = {{9, 9, 9}, {-9, -9, -9}}, all[2][3] = {{9, 9, 9}, {-9, -9, -9}};
    assert_near(fastest(&c, "walk", box), 4.2, 0.06);
    assert_near(box[0][1], -0.048, 0.001);
    assert_near(fastest(&c, "jog", all), 5.3, 0.06);
    assert_near(all[0][1], -0.060, 0.001);
    assert_near(fastest(&c, "tornado_kick", all), 12.1, 0.06);
    for (size_t i = 0; i < c.clip_count; i++) {
        fastest(&c, c.clips[i].name, all);
    }
    const double expected[2][3] = {{-0.82, -0.06, -0.72}, {0.93, 2.13, 0.98}};
    for (int i = 0; i < 6; i++) {
        assert_near(all[i / 3][i % 3], expected[i / 3][i % 3], 0.006);
    }
    character_free(&c);
}

static void cally_can_be_welded(void **state) {
    (void)state;
    character c;
    read_cally("cally.glb", 1e-4, &c);
    print_message("%zu vertices, %zu open edges\n", c.vertices, count_open(&c));
    assert_int_equal(count_open(&c), 4); /* a hole at the ponytail, says her README */
    character_free(&c);
    read_cally("cally_closed.glb", 0.0, &c);
    assert_int_equal(count_open(&c), 0);
    assert_int_equal(c.triangles, 3344);
    character_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skins_targets_and_animations_are_read),
        cmocka_unit_test(seams_are_welded),
        cmocka_unit_test(a_heap_of_vertices_is_welded_in_time),
        cmocka_unit_test(plain_nodes_are_joints),
        cmocka_unit_test(skins_share_nodes),
        cmocka_unit_test(zero_length_and_hundred_joints_work),
        cmocka_unit_test(thousands_of_meshes_work),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(cally_is_as_her_readme_says),
        cmocka_unit_test(cally_can_be_welded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
