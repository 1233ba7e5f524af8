/* What toile convert makes of small files, number by number, through our own reader. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "io/file.h"
#include "io/gltf.h"
#include "scratch.h"

/* Converts a file of test/data. Free with gltf_free. */
static gltf *convert(const char *name, const char *options) {
    char line[2048];
    const char *out = scratch("out.glb");
    snprintf(line, sizeof line, "'%s' convert '%s/test/data/%s' -o '%s' --quiet %s",
             getenv("TOILE_COMMAND"), getenv("TOILE_SOURCE_DIR"), name, out, options);
    int status = system(line);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    gltf *g;
    if (gltf_read(out, &g) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return g;
}

static void assert_numbers(const float *found, const float *expected, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!(fabsf(found[i] - expected[i]) <= 1e-6f)) {
            fail_msg("number %zu: expected %g, found %g", i, (double)expected[i], (double)found[i]);
        }
    }
}

#define assert_floats(found, ...)                                                                  \
    assert_numbers(found, (const float[]){__VA_ARGS__},                                            \
                   sizeof((const float[]){__VA_ARGS__}) / sizeof(float))

static size_t find_node(const gltf *g, const char *name) {
    for (size_t i = 0; i < g->node_count; i++) {
        if (strcmp(g->nodes[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("no node '%s'", name);
    return 0;
}

static const gltf_channel *find_channel(const gltf *g, const char *name, gltf_path path) {
    size_t node = find_node(g, name);
    assert_int_equal(g->animation_count, 1);
    const gltf_animation *a = &g->animations[0];
    for (size_t i = 0; i < a->channel_count; i++) {
        if (a->channels[i].node == node && a->channels[i].path == path) {
            return &a->channels[i];
        }
    }
    fail_msg("no channel of '%s'", name);
    return NULL;
}

static const float half = 0.70710678f;

/* ---- BVH ----------------------------------------------------------------------------------------
 */

static void bvh_is_a_motion(void **state) {
    (void)state;
    gltf *g = convert("arm.bvh", "");
    assert_int_equal(g->mesh_count, 0);
    assert_int_equal(g->node_count, 4);
    size_t hip = find_node(g, "hip"), chest = find_node(g, "chest"), arm = find_node(g, "arm");
    assert_true(g->nodes[hip].parent == GLTF_NONE);
    assert_int_equal(g->nodes[chest].parent, hip);
    assert_int_equal(g->nodes[arm].parent, chest);
    assert_floats(g->nodes[arm].translation, 0.2f, 0.1f, 0);
    const gltf_channel *c = find_channel(g, "hip", GLTF_TRANSLATION);
    assert_int_equal(c->key_count, 3);
    assert_floats(c->times, 0, 0.25f, 0.5f);
    assert_floats(c->values, 0, 0.9f, 0, 0, 0.92f, 0.1f, 0, 0.9f, 0.2f);
    c = find_channel(g, "hip", GLTF_ROTATION);
    assert_floats(c->values, 0, 0, 0, 1, 0, half, 0, half, 0, 0, 0, 1);
    /* The last: z first and then x, of the joint's own axes. */
    c = find_channel(g, "arm", GLTF_ROTATION);
    assert_floats(c->values, 0, 0, 0, 1, 0, 0, half, half, 0.5f, 0.5f, 0.5f, 0.5f);
    gltf_free(g);
}

static void scale_and_axis_can_be_given(void **state) {
    (void)state;
    gltf *g = convert("arm.bvh", "--scale 0.0254 --up z");
    assert_floats(g->nodes[find_node(g, "chest")].translation, 0, 1.016f, 0);
    const gltf_node *up = &g->nodes[find_node(g, "up")];
    assert_floats(up->rotation, -half, 0, 0, half);
    assert_int_equal(g->nodes[find_node(g, "hip")].parent, find_node(g, "up"));
    gltf_free(g);
    g = convert("bend.dae", "--scale 1 --up y");
    assert_floats(g->nodes[find_node(g, "upper")].translation, 0, 0, 100);
    assert_floats(g->nodes[0].rotation, 0, 0, 0, 1);
    assert_floats(g->nodes[0].scale, 1, 1, 1);
    gltf_free(g);
}

/* ---- Collada ------------------------------------------------------------------------------------
 */

/* The vertex at a place of the file, in metres. */
static size_t find_vertex(const gltf_primitive *p, float x, float z) {
    for (size_t v = 0; v < p->vertices; v++) {
        const float *at = p->positions + 3 * v;
        if (fabsf(at[0] - x) < 1e-6f && fabsf(at[1]) < 1e-6f && fabsf(at[2] - z) < 1e-6f) {
            return v;
        }
    }
    fail_msg("no vertex at %g, 0, %g", (double)x, (double)z);
    return 0;
}

static float get_weight(const gltf *g, const gltf_primitive *p, size_t v, const char *name) {
    float sum = 0.0f;
    for (size_t k = 0; k < p->influences; k++) {
        size_t i = p->influences * v + k;
        if (strcmp(g->nodes[g->skins[0].joints[p->joints[i]]].name, name) == 0) {
            sum += p->weights[i];
        }
    }
    return sum;
}

static void collada_keeps_its_skin(void **state) {
    (void)state;
    gltf *g = convert("bend.dae", "");
    assert_int_equal(g->mesh_count, 1);
    assert_int_equal(g->skin_count, 1);
    const gltf_primitive *p = &g->meshes[0].primitives[0];
    assert_int_equal(p->vertices, 6);
    assert_int_equal(p->triangles, 4);
    size_t left = find_vertex(p, -0.1f, 1), right = find_vertex(p, 0.1f, 1);
    size_t top = find_vertex(p, -0.1f, 2), loose = find_vertex(p, 0.1f, 2);
    assert_floats(p->coordinates + 2 * left, 0, 0.5f);
    assert_floats(p->coordinates + 2 * loose, 1, 0);
    float weights[] = {get_weight(g, p, left, "lower"),  get_weight(g, p, left, "upper"),
                       get_weight(g, p, right, "lower"), get_weight(g, p, right, "upper"),
                       get_weight(g, p, top, "upper"),   get_weight(g, p, loose, "unbound")};
    assert_floats(weights, 0.25f, 0.75f, 0.5f, 0.5f, 1, 1);
    const gltf_skin *s = &g->skins[0];
    assert_int_equal(s->joint_count, 3);
    assert_int_equal(s->joints[1], find_node(g, "upper"));
    assert_floats(s->inverse_bind + 16 + 12, 0, 0, -1, 1);
    assert_int_equal(g->nodes[find_node(g, "unbound")].parent, find_node(g, "figure"));
    gltf_free(g);
}

/* Our reader would make the sum 1 itself: here are the weights as they stand in the file. */
static void weights_are_written_with_sum_1(void **state) {
    (void)state;
    gltf_free(convert("bend.dae", ""));
    const float expected[] = {1,     0,     0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0,
                              0.75f, 0.25f, 0, 0, 1, 0, 0, 0, 1,    0,    0, 0};
    uint8_t *bytes;
    size_t size;
    assert_int_equal(file_read(scratch("out.glb"), 1 << 20, &bytes, &size), TOILE_OK);
    assert_non_null(memmem(bytes, size, expected, sizeof expected));
    free(bytes);
}

/* Unit and axis are the file's: a bar that stands, 2 m tall. */
static void collada_stands(void **state) {
    (void)state;
    gltf *g = convert("bend.dae", "");
    mesh_data mesh;
    assert_int_equal(gltf_join(g, "out.glb", &mesh), TOILE_OK);
    float low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < mesh.vertices; v++) {
        low = fminf(low, mesh.positions[3 * v + 1]);
        high = fmaxf(high, mesh.positions[3 * v + 1]);
    }
    assert_floats(((float[]){low, high}), 0, 2);
    mesh_free(&mesh);
    const gltf_channel *c = find_channel(g, "upper", GLTF_TRANSLATION);
    assert_floats(c->times, 0, 0.5f, 1.5f);
    assert_floats(c->values, 0, 0, 1, 0, 0, 1, 0, 0, 1.2f);
    c = find_channel(g, "upper", GLTF_ROTATION);
    assert_floats(c->values, 0, 0, 0, 1, half, 0, 0, half, 0, 0, 0, 1);
    gltf_free(g);
}

/* ---- FBX ----------------------------------------------------------------------------------------
 */

static void fbx_has_unit_axis_and_pivots(void **state) {
    (void)state;
    gltf *g = convert("turn.fbx", "");
    const gltf_primitive *p = &g->meshes[0].primitives[0];
    assert_floats(p->positions, 0, 0, 0, 1, 0, 0, 0, 2, 0);
    const gltf_node *n = &g->nodes[find_node(g, "turning")];
    assert_floats(n->translation, 0, 1, 0);
    assert_floats(n->rotation, half, 0, 0, half);
    assert_floats(g->nodes[find_node(g, "up")].rotation, -half, 0, 0, half);
    assert_string_equal(g->animations[0].name, "spin");
    const gltf_channel *c = find_channel(g, "turning", GLTF_ROTATION);
    assert_floats(c->times + c->key_count - 1, 1);
    assert_floats(c->values, half, 0, 0, half);
    assert_floats(c->values + 4 * (c->key_count - 1), 0.5f, -0.5f, 0.5f, 0.5f);
    gltf_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        scratch_test(bvh_is_a_motion),        scratch_test(scale_and_axis_can_be_given),
        scratch_test(collada_keeps_its_skin), scratch_test(weights_are_written_with_sum_1),
        scratch_test(collada_stands),         scratch_test(fbx_has_unit_axis_and_pivots),
    };
    return cmocka_run_group_tests_name("convert", tests, NULL, NULL);
}
