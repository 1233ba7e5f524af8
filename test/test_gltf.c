/* glTF 2.0: both containers, all layouts of numbers, what the joined mesh is, and a long list of
 * what is wrong. Files are small and written here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/gltf.h"
#include "io/mesh_read.h"
#include "scenes.h"
#include "scratch.h"

/* ---- a document with everything -----------------------------------------------------------------
 */

/* Its buffer. Joints and weights are interleaved, and so are texture coordinates with a gap. */
static const struct content {
    float positions[4][3];
    float deltas[4][3];
    float matrices[2][16];
    float times[3];
    float places[3][3];
    float turns[9][4]; /* in-tangent, value, out-tangent */
    float shares[3];
    float sparse_value[3];
    int16_t short_turns[3][4];
    uint16_t indices[12];
    struct {
        uint8_t joints[4], weights[4];
    } influences[4];
    uint8_t coordinates[4][8]; /* two are used */
    uint8_t sparse_index[4];
} content = {
    .positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    .deltas = {{0, 0, 2}},
    .matrices = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                 {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1}},
    .times = {0, 0.5f, 2},
    .places = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
    .turns = {{9}, {0, 0, 0, 1}, {8}, {7}, {0, 0, 1, 0}, {6}, {5}, {0, 1, 0, 0}, {4}},
    .shares = {0, 1, 0.25f},
    .sparse_value = {0, 0, -1},
    .short_turns = {{0, 0, 0, 32767}, {0, -32768, 0, 0}, {0, 0, 32767, 0}},
    .indices = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3},
    .influences = {{{0, 0, 0, 0}, {255, 0, 0, 0}},
                   {{1, 0, 0, 0}, {255, 0, 0, 0}},
                   {{0, 1, 0, 0}, {128, 127, 0, 0}},
                   {{1, 77, 0, 0}, {255, 0, 0, 0}}}, /* 77 is nobody, and has no weight */
    .coordinates = {{0, 255}, {255, 0}, {51, 102}, {0, 0}},
    .sparse_index = {3},
};

#define VIEW(member) offsetof(struct content, member), sizeof content.member

static const char document_format[] =
    "{\"asset\": {\"version\": \"2.0\"},\n"
    "\"scene\": 0, \"scenes\": [{\"nodes\": [0, 1]}],\n"
    "\"nodes\": [{\"mesh\": 0, \"skin\": 0, \"weights\": [0.5], \"translation\": [100, 0, 0]},\n"
    " {\"name\": \"hip\", \"children\": [2]},\n"
    " {\"name\": \"knee\", \"translation\": [0, 1, 0]}],\n"
    "\"skins\": [{\"name\": \"legs\", \"joints\": [1, 2], \"inverseBindMatrices\": 7}],\n"
    "\"meshes\": [{\"name\": \"m\", \"weights\": [1], \"primitives\": [{\"mode\": 4,\n"
    " \"attributes\": {\"POSITION\": 0, \"NORMAL\": 2, \"TEXCOORD_0\": 3, \"JOINTS_0\": 4, "
    "\"WEIGHTS_0\": 5},\n"
    " \"indices\": 1, \"targets\": [{\"POSITION\": 6}]}]}],\n"
    "\"animations\": [{\"name\": \"walk\", \"samplers\": [\n"
    " {\"input\": 8, \"output\": 9, \"interpolation\": \"STEP\"},\n"
    " {\"input\": 8, \"output\": 10, \"interpolation\": \"CUBICSPLINE\"},\n"
    " {\"input\": 8, \"output\": 11, \"interpolation\": \"LINEAR\"},\n"
    " {\"input\": 8, \"output\": 12}],\n"
    " \"channels\": [{\"sampler\": 0, \"target\": {\"node\": 1, \"path\": \"translation\"}},\n"
    "  {\"sampler\": 1, \"target\": {\"node\": 2, \"path\": \"rotation\"}},\n"
    "  {\"sampler\": 2, \"target\": {\"node\": 0, \"path\": \"weights\"}},\n"
    "  {\"sampler\": 3, \"target\": {\"node\": 1, \"path\": \"rotation\"}},\n"
    "  {\"sampler\": 0, \"target\": {\"path\": \"pointer\"}}]}],\n"
    "\"accessors\": [\n"
    " {\"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"},\n"
    " {\"bufferView\": 1, \"componentType\": 5123, \"count\": 12, \"type\": \"SCALAR\"},\n"
    " {\"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\", \"sparse\": {\"count\": 1,\n"
    "  \"indices\": {\"bufferView\": 2, \"componentType\": 5121}, \"values\": {\"bufferView\": "
    "3}}},"
    "\n"
    " {\"bufferView\": 4, \"componentType\": 5121, \"normalized\": true, \"count\": 4, "
    "\"type\": \"VEC2\"},\n"
    " {\"bufferView\": 5, \"componentType\": 5121, \"count\": 4, \"type\": \"VEC4\"},\n"
    " {\"bufferView\": 5, \"byteOffset\": 4, \"componentType\": 5121, \"normalized\": true, "
    "\"count\": 4, \"type\": \"VEC4\"},\n"
    " {\"bufferView\": 6, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"},\n"
    " {\"bufferView\": 7, \"componentType\": 5126, \"count\": 2, \"type\": \"MAT4\"},\n"
    " {\"bufferView\": 8, \"componentType\": 5126, \"count\": 3, \"type\": \"SCALAR\"},\n"
    " {\"bufferView\": 9, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"},\n"
    " {\"bufferView\": 10, \"componentType\": 5126, \"count\": 9, \"type\": \"VEC4\"},\n"
    " {\"bufferView\": 11, \"componentType\": 5126, \"count\": 3, \"type\": \"SCALAR\"},\n"
    " {\"bufferView\": 12, \"componentType\": 5122, \"normalized\": true, \"count\": 3, "
    "\"type\": \"VEC4\"}],\n"
    "\"bufferViews\": [\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu},\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu},\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu},\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu},\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu, \"byteStride\": 8},\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu, \"byteStride\": 8},\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu},\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu},\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu},\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu},\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu},\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu},\n"
    " {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu}],\n"
    "\"buffers\": [{\"byteLength\": %zu%s}]}\n";

/* buffer: what stands behind byteLength, such as a uri. */
static const char *make_document(const char *buffer) {
    static char text[8192];
    int length = snprintf(text, sizeof text, document_format, VIEW(positions), VIEW(indices),
                          VIEW(sparse_index), VIEW(sparse_value), VIEW(coordinates),
                          VIEW(influences), VIEW(deltas), VIEW(matrices), VIEW(times), VIEW(places),
                          VIEW(turns), VIEW(shares), VIEW(short_turns), sizeof content, buffer);
    assert_in_range(length, 1, sizeof text - 1);
    return text;
}

static const char *data_uri(const void *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static char uri[4096];
    const uint8_t *b = bytes;
    int used = snprintf(uri, sizeof uri, ", \"uri\": \"data:application/octet-stream;base64,");
    char *out = uri + used;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = (uint32_t)b[i] << 16 | (i + 1 < size ? (uint32_t)b[i + 1] << 8 : 0) |
                         (i + 2 < size ? b[i + 2] : 0);
        for (size_t k = 0; k < 4; k++) {
            *out++ = i + k <= size ? digits[group >> (18 - 6 * k) & 63] : '=';
        }
    }
    memcpy(out, "\"", 2);
    return uri;
}

static const char *whole_document(void) {
    return make_document(data_uri(&content, sizeof content));
}

/* A copy with the first `from` replaced. */
static const char *replace(const char *text, const char *from, const char *to) {
    static char out[16384];
    const char *at = strstr(text, from);
    if (!at) {
        fail_msg("no '%s' in the document", from);
    }
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static toile_result parse_text(const char *text, gltf **out) {
    return gltf_parse((const uint8_t *)text, strlen(text), "a.gltf", out);
}

static gltf *parse_good(const char *text) {
    gltf *g;
    if (parse_text(text, &g) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return g;
}

static mesh_data join_good(const char *text) {
    gltf *g = parse_good(text);
    mesh_data mesh;
    if (gltf_join(g, "a.gltf", &mesh) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    gltf_free(g);
    return mesh;
}

static void assert_numbers(const float *values, const float *expected, size_t count,
                           double tolerance) {
    for (size_t i = 0; i < count; i++) {
        if (!(fabs((double)values[i] - (double)expected[i]) <= tolerance)) {
            fail_msg("number %zu is %.9g, expected %.9g", i, (double)values[i],
                     (double)expected[i]);
        }
    }
}

/* ---- parts --------------------------------------------------------------------------------------
 */

static void meshes_are_read(void **state) {
    (void)state;
    gltf *g = parse_good(whole_document());
    assert_int_equal(g->mesh_count, 1);
    const gltf_mesh *m = &g->meshes[0];
    assert_string_equal(m->name, "m");
    assert_int_equal(m->primitive_count, 1);
    assert_int_equal(m->target_count, 1);
    assert_numbers(m->weights, (float[]){1}, 1, 0);
    assert_false(m->rigid);
    assert_int_equal(m->joint_end, 2);
    const gltf_primitive *p = &m->primitives[0];
    assert_int_equal(p->vertices, 4);
    assert_int_equal(p->triangles, 4);
    assert_memory_equal(p->positions, content.positions, sizeof content.positions);
    assert_numbers(p->normals, (float[12]){[11] = -1}, 12, 0); /* zeros, and one sparse element */
    const float coordinates[8] = {0, 1, 1, 0, 0.2f, 0.4f, 0, 0};
    assert_numbers(p->coordinates, coordinates, 8, 1e-7);
    for (size_t i = 0; i < 12; i++) {
        assert_int_equal(p->indices[i], content.indices[i]);
    }
    assert_int_equal(p->influences, 4);
    const uint32_t joints[16] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0};
    assert_memory_equal(p->joints, joints, sizeof joints);
    assert_numbers(p->weights + 8, (float[]){128.0f / 255, 127.0f / 255, 0, 0}, 4, 1e-7);
    assert_memory_equal(p->targets[0].positions, content.deltas, sizeof content.deltas);
    assert_null(p->targets[0].normals);
    gltf_free(g);
}

static void nodes_and_skins_are_read(void **state) {
    (void)state;
    gltf *g = parse_good(whole_document());
    assert_int_equal(g->node_count, 3);
    assert_string_equal(g->nodes[1].name, "hip");
    assert_string_equal(g->nodes[0].name, "");
    assert_true(g->nodes[1].parent == GLTF_NONE && g->nodes[2].parent == 1);
    assert_true(g->nodes[0].mesh == 0 && g->nodes[0].skin == 0 && g->nodes[1].mesh == GLTF_NONE);
    assert_numbers(g->nodes[0].weights, (float[]){0.5f}, 1, 0);
    assert_numbers(g->nodes[2].translation, (float[]){0, 1, 0}, 3, 0);
    assert_numbers(g->nodes[2].rotation, (float[]){0, 0, 0, 1}, 4, 0);
    assert_numbers(g->nodes[2].scale, (float[]){1, 1, 1}, 3, 0);
    assert_true(g->nodes[0].shown && g->nodes[1].shown && g->nodes[2].shown);
    assert_int_equal(g->skin_count, 1);
    assert_string_equal(g->skins[0].name, "legs");
    assert_int_equal(g->skins[0].joint_count, 2);
    assert_true(g->skins[0].joints[0] == 1 && g->skins[0].joints[1] == 2);
    assert_memory_equal(g->skins[0].inverse_bind, content.matrices, sizeof content.matrices);
    gltf_free(g);
}

static void animations_are_read(void **state) {
    (void)state;
    gltf *g = parse_good(whole_document());
    assert_int_equal(g->animation_count, 1);
    const gltf_animation *a = &g->animations[0];
    assert_string_equal(a->name, "walk");
    assert_numbers(&a->duration, (float[]){2}, 1, 0);
    assert_int_equal(a->channel_count, 4); /* the one without a node is left out */
    const gltf_channel *c = a->channels;
    assert_true(c[0].node == 1 && c[0].path == GLTF_TRANSLATION);
    assert_int_equal(c[0].interpolation, GLTF_STEP);
    assert_int_equal(c[0].key_count, 3);
    assert_int_equal(c[0].width, 3);
    assert_memory_equal(c[0].times, content.times, sizeof content.times);
    assert_memory_equal(c[0].values, content.places, sizeof content.places);
    assert_true(c[1].node == 2 && c[1].path == GLTF_ROTATION);
    assert_int_equal(c[1].interpolation, GLTF_CUBIC_SPLINE);
    assert_int_equal(c[1].width, 4);
    assert_memory_equal(c[1].values, content.turns, sizeof content.turns);
    assert_true(c[2].node == 0 && c[2].path == GLTF_WEIGHTS);
    assert_int_equal(c[2].interpolation, GLTF_LINEAR);
    assert_int_equal(c[2].width, 1);
    assert_memory_equal(c[2].values, content.shares, sizeof content.shares);
    assert_true(c[3].interpolation == GLTF_LINEAR && c[3].path == GLTF_ROTATION);
    assert_numbers(c[3].values, (float[]){0, 0, 0, 1, 0, -1, 0, 0, 0, 0, 1, 0}, 12, 0);
    gltf_free(g);
}

/* ---- the joined mesh ----------------------------------------------------------------------------
 */

static void assert_positions(const char *text, const float *expected, size_t vertices) {
    mesh_data mesh = join_good(text);
    assert_int_equal(mesh.vertices, vertices);
    assert_numbers(mesh.positions, expected, 3 * vertices, 1e-6);
    mesh_free(&mesh);
}

/* In the pose of its joints, not of its node; half of the target. */
static void skin_and_targets_place_vertices(void **state) {
    (void)state;
    const float bind[12] = {0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    assert_positions(whole_document(), bind, 4);
    const float bent[12] = {0, 0, 1, 1, 2, 0, 0, 1 + 2 * 127.0f / 255, 0, 0, 2, 1};
    assert_positions(replace(whole_document(), "[0, 1, 0]", "[0, 3, 0]"), bent, 4);
    const float no_matrices[12] = {0, 0, 1, 1, 1, 0, 0, 1 + 127.0f / 255, 0, 0, 1, 1};
    assert_positions(replace(whole_document(), ", \"inverseBindMatrices\": 7", ""), no_matrices, 4);
    const float default_weight[12] = {0, 0, 2, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    assert_positions(replace(whole_document(), ", \"weights\": [0.5]", ""), default_weight, 4);
    const float rigid[12] = {100, 0, 1, 101, 0, 0, 100, 1, 0, 100, 0, 1};
    assert_positions(replace(whole_document(), "\"skin\": 0, ", ""), rigid, 4);
}

/* The second set has the joints of the first: it is all as before. */
static void second_set_of_joints_counts(void **state) {
    (void)state;
    const char *text = replace(whole_document(), "\"WEIGHTS_0\": 5",
                               "\"WEIGHTS_0\": 5, \"JOINTS_1\": 4, \"WEIGHTS_1\": 5");
    gltf *g = parse_good(text);
    const gltf_primitive *p = &g->meshes[0].primitives[0];
    assert_int_equal(p->influences, 8);
    const uint32_t joints[8] = {0, 1, 0, 0, 0, 1, 0, 0};
    assert_memory_equal(p->joints + 16, joints, sizeof joints);
    assert_numbers(p->weights, (float[]){0.5f, 0, 0, 0, 0.5f, 0, 0, 0}, 8, 0);
    mesh_data mesh;
    assert_int_equal(gltf_join(g, "a.gltf", &mesh), TOILE_OK);
    assert_numbers(mesh.positions, (float[]){0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1}, 12, 1e-6);
    mesh_free(&mesh);
    gltf_free(g);
}

static void coordinates_point_up(void **state) {
    (void)state;
    mesh_data mesh = join_good(whole_document());
    const float expected[8] = {0, 0, 1, 1, 0.2f, 0.6f, 0, 1};
    assert_numbers(mesh.coordinates, expected, 8, 1e-6);
    assert_null(mesh.normals);
    mesh_free(&mesh);
}

/* Bodies need none, and the motion of a run has cloths with and bodies without. */
static void coordinates_of_some_are_left_out(void **state) {
    (void)state;
    static const char other[] =
        "{\"attributes\": {\"POSITION\": 0, \"JOINTS_0\": 4, \"WEIGHTS_0\": 5}, \"indices\": 1, "
        "\"targets\": [{}]}";
    char text[512];
    snprintf(text, sizeof text, "\"primitives\": [%s, {", other);
    mesh_data mesh = join_good(replace(whole_document(), "\"primitives\": [{", text));
    assert_int_equal(mesh.triangles, 8);
    assert_null(mesh.coordinates);
    mesh_free(&mesh);
    snprintf(text, sizeof text, "\"targets\": [{}]}, %s", other);
    mesh = join_good(replace(whole_document(), "\"targets\": [{\"POSITION\": 6}]}", text));
    assert_int_equal(mesh.triangles, 8);
    assert_null(mesh.coordinates);
    mesh_free(&mesh);
}

/* Nodes, primitives and the like of a document with four vertices and the numbers 0 to 3 in bytes,
 * shorts and words: accessors 1 to 3. */
static const char *simple_document(const char *parts) {
    static const struct {
        float positions[4][3];
        uint32_t words[4];
        uint16_t shorts[4];
        uint8_t bytes[4];
    } data = {
        {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}};
    static char text[8192];
    snprintf(text, sizeof text,
             "{\"asset\": {\"version\": \"2.0\"}, %s, \"accessors\": ["
             "{\"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"},"
             "{\"bufferView\": 3, \"componentType\": 5121, \"count\": 3, \"type\": \"SCALAR\"},"
             "{\"bufferView\": 2, \"componentType\": 5123, \"count\": 4, \"type\": \"SCALAR\"},"
             "{\"bufferView\": 1, \"componentType\": 5125, \"count\": 3, \"type\": \"SCALAR\"}],"
             "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 48},"
             "{\"buffer\": 0, \"byteOffset\": 48, \"byteLength\": 16},"
             "{\"buffer\": 0, \"byteOffset\": 64, \"byteLength\": 8},"
             "{\"buffer\": 0, \"byteOffset\": 72, \"byteLength\": 4}],"
             "\"buffers\": [{\"byteLength\": 76%s}]}",
             parts, data_uri(&data, sizeof data));
    return text;
}

#define PRIMITIVE(parts)                                                                           \
    "\"nodes\": [{\"mesh\": 0}], \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": "  \
    "0}" parts "}]}]"

static void assert_triangles(const char *parts, size_t vertices, const uint32_t *expected,
                             size_t triangles) {
    mesh_data mesh = join_good(simple_document(parts));
    assert_int_equal(mesh.vertices, vertices);
    assert_int_equal(mesh.triangles, triangles);
    for (size_t i = 0; i < 3 * triangles; i++) {
        assert_int_equal(mesh.indices[i], expected[i]);
    }
    mesh_free(&mesh);
}

static void all_kinds_of_triangles_are_read(void **state) {
    (void)state;
    const uint32_t one[3] = {0, 1, 2}, strip[6] = {0, 1, 2, 1, 3, 2}, fan[6] = {1, 2, 0, 2, 3, 0};
    assert_triangles(PRIMITIVE(", \"indices\": 1"), 3, one, 1); /* the fourth vertex is not used */
    assert_triangles(PRIMITIVE(", \"indices\": 3"), 3, one, 1);
    assert_triangles(PRIMITIVE(", \"indices\": 2, \"mode\": 5"), 4, strip, 2);
    assert_triangles(PRIMITIVE(", \"mode\": 5"), 4, strip, 2);
    assert_triangles(PRIMITIVE(", \"mode\": 6"), 4, fan, 2);
    /* Points and lines are left out, and what has no positions. */
    assert_triangles(PRIMITIVE(", \"mode\": 6}, {\"attributes\": {\"POSITION\": 0}, \"mode\": 3}, "
                               "{\"attributes\": {}, \"mode\": 4"),
                     4, fan, 2);
}

#define NODES(nodes)                                                                               \
    "\"nodes\": [" nodes "], \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, "  \
    "\"indices\": 1}]}]"

/* The triangle (0,0,0), (1,0,0), (1,1,0): scaled, turned by 90 degrees about z, moved, and all of
 * it twice as large in its parent. */
static void nodes_place_meshes(void **state) {
    (void)state;
    const float expected[9] = {2, 0, 6, 2, 4, 6, -4, 4, 6};
    assert_positions(
        simple_document(NODES("{\"children\": [1], \"scale\": [2, 2, 2]}, {\"mesh\": 0, "
                              "\"scale\": [2, 3, 1], \"rotation\": [0, 0, 0.70710678, 0.70710678], "
                              "\"translation\": [1, 0, 3]}")),
        expected, 3);
    assert_positions(
        simple_document(NODES("{\"children\": [1], \"matrix\": [2,0,0,0, 0,2,0,0, 0,0,2,0, "
                              "0,0,0,1]}, {\"mesh\": 0, \"matrix\": [0,2,0,0, -3,0,0,0, 0,0,1,0, "
                              "1,0,3,1]}")),
        expected, 3);
    /* A mirrored triangle is turned over. */
    const uint32_t over[3] = {0, 2, 1};
    assert_triangles(NODES("{\"mesh\": 0, \"scale\": [-1, 1, 1]}"), 3, over, 1);
}

static void scene_says_what_is_shown(void **state) {
    (void)state;
    const uint32_t two[6] = {0, 1, 2, 3, 4, 5};
    assert_triangles(NODES("{\"mesh\": 0}, {\"mesh\": 0}"), 6, two, 2);
    assert_triangles("\"scenes\": [{\"nodes\": [1]}], " NODES("{\"mesh\": 0}, {\"mesh\": 0}"), 3,
                     two, 1);
    assert_triangles("\"scene\": 1, \"scenes\": [{}, {\"nodes\": [1]}], " NODES(
                         "{\"mesh\": 0}, {\"children\": [0, 2]}, {\"mesh\": 0}"),
                     6, two, 2);
}

/* ---- containers ---------------------------------------------------------------------------------
 */

static void append(char *out, size_t *size, const void *bytes, size_t count) {
    memcpy(out + *size, bytes, count);
    *size += count;
}

/* A .glb of the document, with a chunk of an unknown kind at its end. */
static size_t make_glb(char *out) {
    const char *text = make_document("");
    size_t size = 0, spaces = (4 - strlen(text) % 4) % 4;
    uint32_t json[2] = {(uint32_t)(strlen(text) + spaces), 0x4E4F534A};
    uint32_t binary[2] = {sizeof content, 0x004E4942}, other[3] = {4, 0x12345678, 0};
    uint32_t header[3] = {0x46546C67, 2, (uint32_t)(12 + 8 + json[0] + 8 + sizeof content + 12)};
    append(out, &size, header, sizeof header);
    append(out, &size, json, sizeof json);
    append(out, &size, text, strlen(text));
    append(out, &size, "   ", spaces);
    append(out, &size, binary, sizeof binary);
    append(out, &size, &content, sizeof content);
    append(out, &size, other, sizeof other);
    return size;
}

static void all_containers_hold_the_same(void **state) {
    (void)state;
    static char glb[16384];
    const char *text = make_document(", \"uri\": \"numbers.bin\"");
    scratch_put("a.gltf", text, strlen(text));
    scratch_put("numbers.bin", &content, sizeof content);
    scratch_put("a.glb", glb, make_glb(glb));
    mesh_data inline_data = join_good(whole_document()), file, binary;
    assert_int_equal(mesh_read(scratch("a.gltf"), &file), TOILE_OK);
    assert_int_equal(mesh_read(scratch("a.glb"), &binary), TOILE_OK);
    const mesh_data *others[] = {&file, &binary};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(others[i]->vertices, 4);
        assert_memory_equal(others[i]->positions, inline_data.positions, 48);
        assert_memory_equal(others[i]->coordinates, inline_data.coordinates, 32);
        assert_memory_equal(others[i]->indices, inline_data.indices, 48);
    }
    mesh_free(&inline_data);
    mesh_free(&file);
    mesh_free(&binary);
}

/* Every beginning of a binary file is refused; with any one bit changed it is read or refused. */
static void damaged_glb_is_survived(void **state) {
    (void)state;
    static char glb[16384];
    size_t size = make_glb(glb);
    gltf *g;
    for (size_t length = 0; length < size; length += 13) {
        uint8_t *exact = malloc(length + 1);
        memcpy(exact, glb, length);
        assert_int_not_equal(gltf_parse(exact, length, "a.glb", &g), TOILE_OK);
        assert_message("a.glb");
        free(exact);
    }
    for (size_t at = 0; at < size; at++) {
        glb[at] = (char)(glb[at] ^ 1 << at % 8);
        if (gltf_parse((const uint8_t *)glb, size, "a.glb", &g) == TOILE_OK) {
            mesh_data mesh;
            if (gltf_join(g, "a.glb", &mesh) == TOILE_OK) {
                mesh_free(&mesh);
            }
            gltf_free(g);
        } else {
            assert_message("a.glb");
        }
        glb[at] = (char)(glb[at] ^ 1 << at % 8);
    }
}

/* ---- what is wrong ------------------------------------------------------------------------------
 */

typedef struct mistake {
    const char *from, *to, *message;
} mistake;

static const mistake mistakes[] = {
    /* the document */
    {"\"2.0\"", "\"1.0\"", "a.gltf:1: asset.version: expected glTF of version 2, found \"1.0\""},
    {"\"2.0\"", "\"2.9\", \"minVersion\": \"2.9\"", "asset.minVersion: expected \"2.0\""},
    {"{\"version\": \"2.0\"}", "{}", "asset.version: expected glTF of version 2, found nothing"},
    {"\"scene\": 0,", "\"scene\": 0, \"extensionsRequired\": [\"KHR_draco_mesh_compression\"],",
     "extensionsRequired[0]: the extension \"KHR_draco_mesh_compression\" is not in this version"},
    {"\"scene\": 0,", "\"scene\": 0, \"extensionsRequired\": [\"KHR_materials_unlit\"],", NULL},
    {"\"scene\": 0,", "\"scene\": 0, \"scene\": 0,", "a.gltf:2: expected each key once"},
    {"\"scene\": 0,", "\"scene\": 1,", "a.gltf:2: scene: expected a whole number from 0 to 0"},
    {"\"nodes\": [0, 1]}]", "\"nodes\": [0, 2]}]",
     "scenes[0].nodes[1]: expected a node without a parent, found node 2"},
    {"\"meshes\": [", "\"meshes\": 5, \"other\": [", "meshes: expected an array, found 5"},
    /* nodes */
    {"\"children\": [2]", "\"children\": [3]",
     "a.gltf:4: nodes[1].children[0]: expected a whole number from 0 to 2, found 3"},
    {"\"children\": [2]", "\"children\": [-1]", "found -1"},
    {"\"children\": [2]", "\"children\": [1.5]", "found 1.5"},
    {"\"children\": [2]", "\"children\": [2, 2]", "node 2 is the child of node 1 already"},
    {"\"children\": [2]", "\"children\": [1]", "nodes[1]: is its own ancestor"},
    {"\"children\": [2]", "\"matrix\": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1], \"scale\": [1,1,1]",
     "nodes[1].matrix: expected it, or translation, rotation and scale, not both"},
    {"\"children\": [2]", "\"matrix\": [1,0,0,1, 0,1,0,0, 0,0,1,0, 0,0,0,1]",
     "nodes[1].matrix: expected its last row to be 0, 0, 0, 1"},
    {"\"children\": [2]", "\"rotation\": [0, 0, 0, 0]", "expected a unit quaternion, found zero"},
    {"\"children\": [2]", "\"scale\": [1, 1e39, 1]", "nodes[1].scale[1]: expected a number"},
    {"[100, 0, 0]", "[100, 0]", "nodes[0].translation: expected an array of 3 numbers"},
    {"\"mesh\": 0", "\"mesh\": 1", "nodes[0].mesh: expected a whole number from 0 to 0, found 1"},
    {"\"mesh\": 0, ", "", "nodes[0].weights: expected an array of 0 numbers"},
    {"[0.5]", "[0.5, 1]", "nodes[0].weights: expected an array of 1 numbers, found an array of 2"},
    /* skins */
    {"\"joints\": [1, 2]", "\"joints\": []", "skins[0].joints: expected a joint or more"},
    {"\"joints\": [1, 2]", "\"joints\": [1, 1]", "joints[1]: node 1 is a joint of this skin"},
    {"\"joints\": [1, 2]", "\"joints\": [1, 9]", "skins[0].joints[1]: expected a whole number"},
    {"\"joints\": [1, 2]", "\"joints\": [1]", "nodes[0].skin: mesh 0 has joint 1, of the 1 that"},
    {"\"joints\": [1, 2]", "\"joints\": [1, 2, 0]",
     "inverseBindMatrices: expected 3 matrices, one for each joint, found 2"},
    {"\"inverseBindMatrices\": 7", "\"inverseBindMatrices\": 8",
     "accessors[8].type: expected \"MAT4\" for inverse bind matrices, found \"SCALAR\""},
    {", \"JOINTS_0\": 4, \"WEIGHTS_0\": 5", "", "nodes[0].skin: expected JOINTS_0 and WEIGHTS_0"},
    {", \"WEIGHTS_0\": 5", "", "attributes: expected as many JOINTS_n as WEIGHTS_n"},
    {"\"WEIGHTS_0\": 5", "\"WEIGHTS_0\": 4", "accessors[4].componentType: expected 5126 (FLOAT)"},
    /* primitives */
    {"\"mode\": 4", "\"mode\": 7", "primitives[0].mode: expected a whole number from 0 to 6"},
    {"\"POSITION\": 0", "\"POSITION\": 1",
     "accessors[1].componentType: expected 5126 (FLOAT) for "
     "positions, found 5123"},
    {"\"POSITION\": 0", "\"POSITION\": 20", "expected a whole number from 0 to 12, found 20"},
    {"\"NORMAL\": 2", "\"NORMAL\": 9",
     "accessors[9].count: expected 4 elements, as POSITION has, "
     "found 3"},
    {"\"TEXCOORD_0\": 3", "\"TEXCOORD_0\": 4",
     "accessors[4].componentType: expected 5126 (FLOAT) "
     "for texture coordinates"},
    {"\"indices\": 1", "\"indices\": 8", "accessors[8].componentType: expected 5121"},
    {"\"indices\": 1,", "", "indices: expected three corners for every triangle, found 4"},
    {"\"targets\": [{\"POSITION\": 6}]", "\"targets\": [{\"POSITION\": 6}, 1]",
     "targets[1]: expected an object"},
    {"\"weights\": [1],", "\"weights\": [1, 2],", "meshes[0].weights: expected an array of 1"},
    {"\"targets\": [{\"POSITION\": 6}]}", "\"targets\": [{\"POSITION\": 6}]}, {\"attributes\": {}}",
     "primitives[1].targets: expected 1, as in the first primitive, found 0"},
    /* accessors */
    {"\"count\": 12", "\"count\": 13",
     "accessors[1]: needs 26 bytes of its bufferView, which has "
     "24"},
    {"\"count\": 12", "\"count\": 0", "accessors[1].count: expected a whole number from 1"},
    {"\"count\": 12", "\"count\": 9007199254740993", "accessors[1]: needs"},
    {"\"count\": 12", "\"count\": 1e300", "accessors[1].count: expected a whole number"},
    {"\"count\": 12", "\"count\": 12, \"byteOffset\": 18446744073709551615",
     "accessors[1].byteOffset: expected a whole number"},
    {"\"count\": 12", "\"count\": 3, \"byteOffset\": 1",
     "accessors[1].byteOffset: expected elements at multiples of 2 bytes"},
    {"\"count\": 12", "\"count\": 12, \"normalized\": true",
     "normalized: expected false for "
     "indices"},
    {"\"type\": \"VEC2\"", "\"type\": \"VEC9\"", "accessors[3].type: expected \"VEC2\""},
    {"5123", "5124", "accessors[1].componentType: expected 5121 (UNSIGNED_BYTE) or 5123"},
    {"\"bufferView\": 1,", "\"bufferView\": 13,", "accessors[1].bufferView: expected a whole"},
    {"\"bufferView\": 1,", "\"byteOffset\": 0,", "byteOffset: expected only with a bufferView"},
    {"\"bufferView\": 5, \"byteOffset\": 4", "\"bufferView\": 5, \"byteOffset\": 3",
     "accessors[5]: expected weights at multiples of 4 bytes"},
    {"\"byteStride\": 8", "\"byteStride\": 6", "bufferViews[4].byteStride: expected a multiple"},
    {"\"byteStride\": 8", "\"byteStride\": 256", "byteStride: expected a whole number from 4"},
    {", \"byteStride\": 8", "", "accessors[3]: expected texture coordinates at multiples of 4"},
    /* sparse: there is one element of value and index */
    {"\"sparse\": {\"count\": 1", "\"sparse\": {\"count\": 5",
     "sparse.count: expected a whole "
     "number from 1 to 4, found 5"},
    {"\"sparse\": {\"count\": 1", "\"sparse\": {\"count\": 2", "sparse.values: needs 24 bytes"},
    {"\"sparse\": {\"count\": 1", "\"sparse\": {\"x\": 1", "sparse.count: expected a whole number"},
    {"\"values\": {\"bufferView\": 3}", "\"values\": {}", "sparse.values.bufferView: expected"},
    {"\"values\": {\"bufferView\": 3}", "\"values\": {\"bufferView\": 0}, \"x\": 0", NULL},
    {"\"bufferView\": 2, \"componentType\": 5121}", "\"bufferView\": 2, \"componentType\": 5126}",
     "sparse.indices.componentType: expected 5121"},
    {"\"bufferView\": 2, \"componentType\": 5121}", "\"bufferView\": 7, \"componentType\": 5125}",
     "sparse.indices: index 0 is 1065353216: expected them to rise, from 0 to at most 3"},
    /* animations */
    {"\"STEP\"", "\"BEZIER\"", "interpolation: expected \"LINEAR\", \"STEP\" or \"CUBICSPLINE\""},
    {"\"path\": \"translation\"", "\"path\": \"position\"",
     "target.path: expected \"translation\""},
    {"\"path\": \"translation\"", "\"path\": \"rotation\"",
     "accessors[9].type: expected \"VEC4\" for rotations, found \"VEC3\""},
    {"\"node\": 1, \"path\": \"translation\"", "\"node\": 1, \"path\": \"weights\"",
     "target: expected a node whose mesh has morph targets, found node 1"},
    {"\"node\": 2, \"path\": \"rotation\"", "\"node\": 1, \"path\": \"rotation\"",
     "channels[3].target: another channel of this animation has the same node and path"},
    {"\"node\": 2, \"path\"", "\"node\": 3, \"path\"", "target.node: expected a whole number from"},
    {"\"sampler\": 0", "\"sampler\": 4", "sampler: expected a whole number from 0 to 3, found 4"},
    {"\"input\": 8, \"output\": 9", "\"input\": 11, \"output\": 9",
     "accessors[11]: element 2: expected times that rise, from at least 0"},
    {"\"output\": 10, \"interpolation\": \"CUBICSPLINE\"", "\"output\": 10",
     "accessors[10].count: expected 1 elements for each of 3 keys, found 9"},
    {"\"translation\": [0, 1, 0]", "\"matrix\": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]",
     "target: expected a node without a matrix, found node 2"},
    /* buffers */
    {"\"buffer\": 0", "\"buffer\": 1", "bufferViews[0].buffer: expected a whole number from 0 to"},
    {"\"byteLength\": 48}", "\"byteLength\": 4800}", "bufferViews[0].byteLength: expected a whole"},
    {"octet-stream;base64,", "octet-stream,", "buffers[0].uri: expected data:...;base64,"},
    {";base64,AAAA", ";base64,AAA", "buffers[0].uri: expected base64"},
    {";base64,AAAA", ";base64,A=AA", "buffers[0].uri: expected base64"},
    {";base64,AAAA", ";base64,AA\\nA", "buffers[0].uri: expected base64"},
    {";base64,AAAA", ";base64,", "buffers[0].byteLength: expected at most"},
    {"\"uri\":", "\"url\":", "buffers[0].uri: expected it: there is no binary chunk"},
    {"\"uri\": \"data:", "\"uri\": \"date:", "buffers[0].uri: expected data:, or the name of a"},
    {"\"uri\": \"data:application", "\"uri\": \"x.bin\", \"x\": \"",
     "buffers[0].uri: expected data: in a document without a folder"},
};

/* Entries without a message are good, and show that the one beside them is bad for its reason. */
static void mistakes_are_named(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const mistake *m = &mistakes[i];
        const char *text = replace(whole_document(), m->from, m->to);
        gltf *g = NULL;
        toile_result result = parse_text(text, &g);
        if ((result == TOILE_OK) != (m->message == NULL)) {
            fail_msg("%s -> %s: %s", m->from, m->to,
                     result == TOILE_OK ? "was read" : toile_error_message());
        }
        if (m->message) {
            assert_message("a.gltf");
            if (!strstr(toile_error_message(), m->message)) {
                fail_msg("%s -> %s: '%s' lacks '%s'", m->from, m->to, toile_error_message(),
                         m->message);
            }
        }
        gltf_free(g);
    }
}

static void refuse(const char *text, const char *message) {
    gltf *g;
    assert_int_not_equal(parse_text(text, &g), TOILE_OK);
    assert_message(message);
}

static void other_files_are_refused(void **state) {
    (void)state;
    refuse("solid cube\n", "a.gltf:1: expected valid JSON");
    refuse("", "a.gltf: expected JSON, found an empty file");
    refuse("[]", "expected an object, found an array of 0");
    mesh_data mesh;
    assert_int_equal(mesh_read(scratch("a.ply"), &mesh), TOILE_ERROR_INVALID);
    assert_message("expected the name of a mesh to end in .obj, .glb or .gltf");
    assert_int_equal(mesh_read(scratch("none.glb"), &mesh), TOILE_ERROR_INVALID);
    assert_message("none.glb");
}

/* Numbers in buffers: each change is one of content. */
static void bad_numbers_are_refused(void **state) {
    (void)state;
    struct content c = content;
    c.positions[2][1] = NAN;
    refuse(make_document(data_uri(&c, sizeof c)), "accessors[0]: element 2 is not finite");
    c = content;
    c.sparse_value[0] = INFINITY;
    refuse(make_document(data_uri(&c, sizeof c)), "accessors[2]: element 3 is not finite");
    c = content;
    c.sparse_index[0] = 4;
    refuse(make_document(data_uri(&c, sizeof c)), "accessors[2].sparse.indices: index 0 is 4");
    c = content;
    c.indices[7] = 4;
    refuse(make_document(data_uri(&c, sizeof c)),
           "accessors[1]: element 7 is vertex 4: expected one from 0 to 3");
    c = content;
    memset(c.influences[1].weights, 0, 4);
    refuse(make_document(data_uri(&c, sizeof c)), "vertex 1: expected weights of at least 0");
    c = content;
    c.matrices[1][3] = 1;
    refuse(make_document(data_uri(&c, sizeof c)), "accessors[7]: element 1: expected its last row");
    c = content;
    c.times[0] = -1;
    refuse(make_document(data_uri(&c, sizeof c)), "accessors[8]: element 0: expected times");
    c = content;
    memset(c.turns[4], 0, sizeof c.turns[4]);
    refuse(make_document(data_uri(&c, sizeof c)), "accessors[10]: element 4: expected a unit");
}

static void refuse_join(const char *text, const char *message) {
    gltf *g = parse_good(text);
    mesh_data mesh;
    assert_int_not_equal(gltf_join(g, "a.gltf", &mesh), TOILE_OK);
    assert_message("a.gltf'");
    assert_message(message);
    gltf_free(g);
}

static void bad_meshes_are_not_joined(void **state) {
    (void)state;
    refuse_join(simple_document(PRIMITIVE(", \"mode\": 2")), "has no triangles");
    refuse_join(simple_document(NODES("{}, {}")), "has no triangles");
    refuse_join(
        simple_document(NODES("{\"mesh\": 0, \"scale\": [3e38, 3e38, 3e38], \"translation\": "
                              "[3e38, 0, 0]}")),
        "mesh 0 \"\" has a vertex that is not finite where it is shown");
}

/* A small file cannot ask for much: neither for zeros, nor for one mesh over and over. */
static void small_files_stay_small(void **state) {
    (void)state;
    refuse(replace(simple_document(PRIMITIVE("")),
                   "{\"bufferView\": 0, \"componentType\": 5126, "
                   "\"count\": 4",
                   "{\"componentType\": 5126, \"count\": 1000000000000"),
           "accessors[0]: its 1000000000000 elements are too many for a file of this size");
    static char nodes[200];
    size_t used = 0;
    for (int i = 0; i < 10; i++) {
        used +=
            (size_t)snprintf(nodes + used, sizeof nodes - used, "%s{\"mesh\": 0}", i ? ", " : "");
    }
    static char text[1000];
    snprintf(text, sizeof text,
             "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [%s], \"meshes\": [{\"primitives\": ["
             "{\"attributes\": {\"POSITION\": 0}, \"mode\": 5}]}], \"accessors\": ["
             "{\"componentType\": 5126, \"count\": 300000, \"type\": \"VEC3\"}]}",
             nodes);
    refuse_join(text, "as often as they are shown, have too many vertices and corners for a "
                      "file of this size");
}

/* ---- characters of other projects ---------------------------------------------------------------
 */

static void check_character(const char *name, size_t triangles) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", in_source("../shared/data/characters"), name);
    if (access(path, R_OK) != 0) {
        print_message("skipped: no file '%s'\n", path);
        skip();
    }
    gltf *g;
    if (gltf_read(path, &g) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    assert_int_equal(g->animation_count, 7);
    assert_int_equal(g->skins[0].joint_count, 37);
    mesh_data mesh;
    assert_int_equal(gltf_join(g, path, &mesh), TOILE_OK);
    assert_int_equal(mesh.triangles, triangles);
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < mesh.vertices; i++) {
        low = fminf(low, mesh.positions[3 * i + 1]);
        high = fmaxf(high, mesh.positions[3 * i + 1]);
    }
    assert_numbers((float[]){high - low}, (float[]){1.7065f}, 1, 1e-4); /* says its README */
    mesh_free(&mesh);
    gltf_free(g);
}

static void characters_are_read(void **state) {
    (void)state;
    check_character("cally.glb", 3342);
    check_character("cally_closed.glb", 3344);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_read),
        cmocka_unit_test(nodes_and_skins_are_read),
        cmocka_unit_test(animations_are_read),
        cmocka_unit_test(skin_and_targets_place_vertices),
        cmocka_unit_test(second_set_of_joints_counts),
        cmocka_unit_test(coordinates_point_up),
        cmocka_unit_test(coordinates_of_some_are_left_out),
        cmocka_unit_test(all_kinds_of_triangles_are_read),
        cmocka_unit_test(nodes_place_meshes),
        cmocka_unit_test(scene_says_what_is_shown),
        scratch_test(all_containers_hold_the_same),
        cmocka_unit_test(damaged_glb_is_survived),
        cmocka_unit_test(mistakes_are_named),
        scratch_test(other_files_are_refused),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(bad_meshes_are_not_joined),
        cmocka_unit_test(small_files_stay_small),
        cmocka_unit_test(characters_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
