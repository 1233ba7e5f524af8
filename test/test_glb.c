/* glTF files hold the motion they were given. `test_glb FOLDER` leaves its files there, for the
 * validator. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "io/body_mesh.h"
#include "io/file.h"
#include "io/glb.h"
#include "io/pc2.h"
#include "scratch.h"

static const char *keep_folder;

/* ---- a scene ------------------------------------------------------------------------------------
 */

enum { SAMPLES = 7, COLUMNS = 9, ROWS = 6, VERTICES = COLUMNS * ROWS };
enum { TRIANGLES = 2 * (COLUMNS - 1) * (ROWS - 1), BODIES = 6, SURFACES = 3, DOUGH = 1 };

static const double FRAME_TIME = 1.0 / 24.0;

typedef struct sheet {
    float coordinates[2 * VERTICES];
    uint32_t indices[3 * TRIANGLES];
} sheet;

static void make_sheet(sheet *s) {
    size_t t = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t column = 0; column < COLUMNS; column++) {
            uint32_t i = row * COLUMNS + column;
            s->coordinates[2 * i] = 0.1f * (float)column;
            s->coordinates[2 * i + 1] = 0.1f * (float)row;
            if (row + 1 < ROWS && column + 1 < COLUMNS) {
                const uint32_t two[6] = {i, i + 1,           i + COLUMNS + 1,
                                         i, i + COLUMNS + 1, i + COLUMNS};
                memcpy(s->indices + t, two, sizeof two);
                t += 6;
            }
        }
    }
}

/* A wave that runs along the sheet. */
static void sheet_positions(const sheet *s, uint32_t sample, float *positions) {
    for (int i = 0; i < VERTICES; i++) {
        float u = s->coordinates[2 * i], v = s->coordinates[2 * i + 1];
        positions[3 * i] = u - 0.4f;
        positions[3 * i + 1] = 1.0f + v - 0.02f * (float)sample;
        positions[3 * i + 2] = 0.1f * sinf(8.0f * u + v - (float)sample);
    }
}

typedef struct fixture {
    sheet sheet;
    pc2_reader *motions[SURFACES];
    glb_surface surfaces[SURFACES]; /* DOUGH is a body, without coordinates; others are cloths */
    toile_pose poses[BODIES][SAMPLES];
    glb_body bodies[BODIES];
    glb_scene scene;
} fixture;

static void make_motion(const char *path, const sheet *s, uint32_t samples) {
    pc2_writer *w;
    float positions[3 * VERTICES];
    assert_int_equal(pc2_create(path, VERTICES, 0.0f, &w), TOILE_OK);
    for (uint32_t sample = 0; sample < samples; sample++) {
        sheet_positions(s, sample, positions);
        assert_int_equal(pc2_append(w, positions), TOILE_OK);
    }
    assert_int_equal(pc2_close(w), TOILE_OK);
}

static toile_body_def body_def(int b) {
    static const float corners[12] = {0, 0, 0, 0.1f, 0, 0, 0, 0.2f, 0, 0, 0, 0.3f};
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const char *const names[BODIES] = {"ball", "egg",   "arm \"left\"",
                                              "box",  "floor", "still"};
    toile_body_def def = {.name = names[b],
                          .shape = (toile_shape_kind)b,
                          .mesh = {corners, 4, faces, 4},
                          .center = {0.5f * (float)b, 0.2f, -0.5f},
                          .radii = {0.1f, 0.2f, 0.3f},
                          .half = {0.1f, 0.2f, 0.3f},
                          .a = {0, 0, 0},
                          .b = {0.3f, 0.4f, -0.2f},
                          .normal = {0.2f, 2.0f, 0.1f}};
    return def;
}

/* Ball and box move; the ball's quaternion changes sign, which is no motion at all. */
static void make_bodies(fixture *f) {
    for (int b = 0; b < BODIES; b++) {
        f->bodies[b] = (glb_body){
            .def = body_def(b), .poses = f->poses[b], .color = {0.2f, 0.4f, 0.1f * (float)b}};
        for (int s = 0; s < SAMPLES; s++) {
            toile_pose *place = &f->poses[b][s];
            *place = (toile_pose){.rotation = {0, 0, 0, 1}};
            memcpy(place->position, f->bodies[b].def.center, sizeof place->position);
            if (b == 0) {
                place->position[1] += 0.1f * (float)s;
                place->rotation[3] = s % 2 ? -1.0f : 1.0f;
            }
            if (b == 3) {
                place->rotation[0] = 1.001f * sinf(0.3f * (float)s); /* not quite of unit length */
                place->rotation[3] = 1.001f * cosf(0.3f * (float)s);
            }
        }
    }
}

static toile_result read_motion(void *motion, uint32_t sample, float *positions) {
    return pc2_read(motion, sample, positions);
}

static int set_up(void **state) {
    static const char *const files[SURFACES] = {"0.pc2", "1.pc2", "2.pc2"};
    static const char *const names[SURFACES] = {"first\t\xc3\xa9", "dough", "second"};
    static fixture f;
    f = (fixture){0};
    scratch_setup(NULL);
    make_sheet(&f.sheet);
    make_bodies(&f);
    for (int c = 0; c < SURFACES; c++) {
        make_motion(scratch(files[c]), &f.sheet, SAMPLES);
        assert_int_equal(pc2_open(scratch(files[c]), &f.motions[c]), TOILE_OK);
        f.surfaces[c] =
            (glb_surface){.mesh = {.name = names[c],
                                   .vertices = VERTICES,
                                   .triangles = TRIANGLES,
                                   .coordinates = c == DOUGH ? NULL : f.sheet.coordinates,
                                   .indices = f.sheet.indices},
                          .read = read_motion,
                          .motion = f.motions[c],
                          .color = {0.8f, 0.1f, 0.2f}};
    }
    f.scene = (glb_scene){f.surfaces, SURFACES, f.bodies, BODIES, SAMPLES, FRAME_TIME};
    *state = &f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    for (int c = 0; c < SURFACES; c++) {
        pc2_free(f->motions[c]);
    }
    return scratch_teardown(NULL);
}

/* ---- reading it back ----------------------------------------------------------------------------
 */

typedef struct glb {
    uint8_t *bytes;
    size_t size;
    json_t *json;
    const uint8_t *binary;
    size_t binary_size;
} glb;

static uint32_t word_at(const glb *g, size_t offset) {
    uint32_t word;
    assert_true(offset + 4 <= g->size);
    memcpy(&word, g->bytes + offset, 4);
    return word;
}

static glb load(const char *path) {
    glb g;
    json_error_t error;
    assert_int_equal(file_read(path, 1 << 28, &g.bytes, &g.size), TOILE_OK);
    assert_int_equal(word_at(&g, 0), 0x46546c67);
    assert_int_equal(word_at(&g, 4), 2);
    assert_int_equal(word_at(&g, 8), g.size);
    uint32_t json_size = word_at(&g, 12);
    assert_int_equal(word_at(&g, 16), 0x4e4f534a);
    assert_int_equal(json_size % 4, 0);
    g.json = json_loadb((char *)g.bytes + 20, json_size, 0, &error);
    if (!g.json) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(word_at(&g, 24 + json_size), 0x004e4942);
    g.binary = g.bytes + 28 + json_size;
    g.binary_size = word_at(&g, 20 + json_size);
    assert_int_equal(g.size, 28 + json_size + g.binary_size);
    assert_int_equal(g.binary_size % 4, 0);
    return g;
}

static void unload(glb *g) {
    json_decref(g->json);
    free(g->bytes);
}

static json_t *at(const json_t *array, size_t index) {
    json_t *value = json_array_get(array, index);
    assert_non_null(value);
    return value;
}

static size_t whole(const json_t *object, const char *key) {
    return (size_t)json_integer_value(json_object_get(object, key));
}

/* The data of an accessor, after checks that it lies where it may. */
static const float *accessor_data(const glb *g, size_t index, size_t width, size_t *count) {
    const json_t *accessor = at(json_object_get(g->json, "accessors"), index);
    const json_t *view = at(json_object_get(g->json, "bufferViews"), whole(accessor, "bufferView"));
    *count = whole(accessor, "count");
    size_t bytes = *count * width * 4;
    size_t offset = whole(accessor, "byteOffset");
    assert_true(offset + bytes <= whole(view, "byteLength"));
    assert_true(whole(view, "byteOffset") + whole(view, "byteLength") <= g->binary_size);
    return (const float *)(g->binary + whole(view, "byteOffset") + offset);
}

static void assert_range(const glb *g, size_t index, const float *positions, size_t count) {
    const json_t *accessor = at(json_object_get(g->json, "accessors"), index);
    for (size_t k = 0; k < 3; k++) {
        float low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            low = fminf(low, positions[3 * i + k]);
            high = fmaxf(high, positions[3 * i + k]);
        }
        assert_true((float)json_real_value(at(json_object_get(accessor, "min"), k)) == low);
        assert_true((float)json_real_value(at(json_object_get(accessor, "max"), k)) == high);
    }
}

static const json_t *primitive(const glb *g, size_t mesh) {
    const json_t *m = at(json_object_get(g->json, "meshes"), mesh);
    return at(json_object_get(m, "primitives"), 0);
}

/* ---- tests --------------------------------------------------------------------------------------
 */

static void write_scene(const glb_scene *scene, const char *path) {
    if (glb_write(path, scene) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
}

static void assert_motion(const glb *g, const fixture *f, size_t surface) {
    const json_t *p = primitive(g, surface), *attributes = json_object_get(p, "attributes");
    const json_t *targets = json_object_get(p, "targets");
    assert_int_equal(json_array_size(targets), SAMPLES - 1);
    size_t count;
    const float *base = accessor_data(g, whole(attributes, "POSITION"), 3, &count);
    const float *base_normals = accessor_data(g, whole(attributes, "NORMAL"), 3, &count);
    float expected[3 * VERTICES], normals[3 * VERTICES];
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        const json_t *from = sample == 0 ? attributes : at(targets, sample - 1);
        const float *positions = accessor_data(g, whole(from, "POSITION"), 3, &count);
        const float *turns = accessor_data(g, whole(from, "NORMAL"), 3, &count);
        assert_int_equal(count, VERTICES);
        assert_range(g, whole(from, "POSITION"), positions, count);
        sheet_positions(&f->sheet, sample, expected);
        mesh_normals(&f->surfaces[surface].mesh, expected, normals);
        for (int i = 0; i < 3 * VERTICES; i++) {
            float offset = sample == 0 ? 0.0f : base[i],
                  turn = sample == 0 ? 0.0f : base_normals[i];
            assert_float_equal(positions[i] + offset, expected[i], 1e-6f);
            assert_float_equal(turns[i] + turn, normals[i], 1e-6f);
        }
    }
}

static void assert_coordinates(const glb *g, const fixture *f, size_t surface) {
    const json_t *attributes = json_object_get(primitive(g, surface), "attributes");
    const json_t *material = at(json_object_get(g->json, "materials"), surface);
    if (surface == DOUGH) {
        assert_null(json_object_get(attributes, "TEXCOORD_0"));
        assert_null(json_object_get(material, "doubleSided"));
        return;
    }
    assert_true(json_is_true(json_object_get(material, "doubleSided")));
    size_t count;
    const float *uv = accessor_data(g, whole(attributes, "TEXCOORD_0"), 2, &count);
    for (int i = 0; i < VERTICES; i++) {
        assert_float_equal(uv[2 * i], f->sheet.coordinates[2 * i], 1e-6f);
        assert_float_equal(1.0f - uv[2 * i + 1], f->sheet.coordinates[2 * i + 1], 1e-6f);
    }
}

static void surfaces_move_through_their_samples(void **state) {
    fixture *f = *state;
    write_scene(&f->scene, scratch("a.glb"));
    glb g = load(scratch("a.glb"));
    assert_int_equal(g.size, glb_size(&f->scene));
    for (size_t surface = 0; surface < SURFACES; surface++) {
        assert_motion(&g, f, surface);
        assert_coordinates(&g, f, surface);
        size_t count;
        const float *indices =
            accessor_data(&g, whole(primitive(&g, surface), "indices"), 1, &count);
        assert_int_equal(count, 3 * TRIANGLES);
        assert_memory_equal(indices, f->sheet.indices, sizeof f->sheet.indices);
    }
    const json_t *cloth = at(json_object_get(g.json, "nodes"), 0);
    assert_string_equal(json_string_value(json_object_get(cloth, "name")), "first\t\xc3\xa9");
    unload(&g);
}

static void animation_runs_through_the_samples(void **state) {
    fixture *f = *state;
    write_scene(&f->scene, scratch("a.glb"));
    glb g = load(scratch("a.glb"));
    const json_t *animation = at(json_object_get(g.json, "animations"), 0);
    const json_t *channels = json_object_get(animation, "channels");
    const json_t *samplers = json_object_get(animation, "samplers");
    assert_int_equal(json_array_size(channels), SURFACES + 2 * 2); /* ball and box */
    size_t count;
    const json_t *weighting = at(samplers, whole(at(channels, 1), "sampler"));
    const float *times = accessor_data(&g, whole(weighting, "input"), 1, &count);
    assert_int_equal(count, SAMPLES);
    assert_true(fabs((double)times[SAMPLES - 1] - (SAMPLES - 1) * FRAME_TIME) < 1e-6);
    const float *weights = accessor_data(&g, whole(weighting, "output"), 1, &count);
    assert_int_equal(count, SAMPLES * (SAMPLES - 1));
    for (int s = 0; s < SAMPLES; s++) {
        for (int target = 0; target < SAMPLES - 1; target++) {
            assert_true(weights[s * (SAMPLES - 1) + target] == (s == target + 1 ? 1.0f : 0.0f));
        }
    }
    for (size_t c = SURFACES; c < SURFACES + 4; c++) {
        const json_t *target = json_object_get(at(channels, c), "target");
        bool turns = strcmp(json_string_value(json_object_get(target, "path")), "rotation") == 0;
        size_t body = whole(target, "node") - SURFACES, width = turns ? 4 : 3;
        assert_true(body == 0 || body == 3);
        const json_t *sampler = at(samplers, whole(at(channels, c), "sampler"));
        const float *values = accessor_data(&g, whole(sampler, "output"), width, &count);
        assert_int_equal(count, SAMPLES);
        for (size_t s = 0; s < SAMPLES; s++, values += width) {
            const toile_pose *place = &f->poses[body][s];
            if (!turns) {
                assert_memory_equal(values, place->position, sizeof place->position);
            } else if (body == 0) {
                assert_true(values[3] == 1.0f);
            } else {
                assert_float_equal(values[0], sinf(0.3f * (float)s), 1e-6f);
                assert_float_equal(values[3], cosf(0.3f * (float)s), 1e-6f);
            }
        }
    }
    unload(&g);
}

static void single_sample_stands_still(void **state) {
    fixture *f = *state;
    f->scene.samples = 1;
    write_scene(&f->scene, scratch("a.glb"));
    glb g = load(scratch("a.glb"));
    assert_int_equal(g.size, glb_size(&f->scene));
    assert_null(json_object_get(g.json, "animations"));
    assert_null(json_object_get(primitive(&g, 0), "targets"));
    unload(&g);
}

/* All kinds of scenes, their sizes foretold; kept for the validator where a folder is given. */
static void sizes_are_exact(void **state) {
    fixture *f = *state;
    static const struct {
        const char *name;
        int surfaces, bodies;
        uint32_t samples;
    } kinds[] = {{"motion.glb", SURFACES, BODIES, SAMPLES},
                 {"dough.glb", 2, 1, SAMPLES},
                 {"still.glb", 1, BODIES, 1},
                 {"cloth.glb", 1, 0, SAMPLES},
                 {"bodies.glb", 0, BODIES, SAMPLES},
                 {"two.glb", 1, 1, 2},
                 {"floor.glb", 0, 0, SAMPLES}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", keep_folder ? keep_folder : scratch_folder,
                 kinds[i].name);
        f->scene.surface_count = kinds[i].surfaces;
        f->scene.bodies = kinds[i].bodies ? f->bodies : &f->bodies[4];
        f->scene.body_count = kinds[i].bodies ? kinds[i].bodies : !kinds[i].surfaces;
        f->scene.samples = kinds[i].samples;
        write_scene(&f->scene, path);
        glb g = load(path);
        assert_int_equal(g.size, glb_size(&f->scene));
        unload(&g);
    }
}

static void large_motions_are_refused(void **state) {
    fixture *f = *state;
    assert_int_equal(glb_check_size(UINT64_C(256000000)), TOILE_OK);
    assert_int_equal(glb_check_size(UINT64_C(256000001)), TOILE_ERROR_INVALID);
    f->surfaces[0].mesh.vertices = 1000000;
    f->scene.samples = 300;
    assert_int_equal(glb_write(scratch("a.glb"), &f->scene), TOILE_ERROR_INVALID);
    assert_message("7201 MB, above the limit of 256 MB");
    f->surfaces[0].mesh.vertices = VERTICES;
    f->scene.samples = UINT32_MAX; /* more numbers than 64 bits can count */
    assert_int_equal(glb_check_size(glb_size(&f->scene)), TOILE_ERROR_INVALID);
    f->surfaces[0].mesh.vertices = SIZE_MAX;
    assert_int_equal(glb_check_size(glb_size(&f->scene)), TOILE_ERROR_INVALID);
    assert_int_equal(scratch_count(), SURFACES);
}

static void bad_motions_are_refused(void **state) {
    fixture *f = *state;
    f->scene.samples = SAMPLES + 1;
    assert_int_equal(glb_write(scratch("a.glb"), &f->scene), TOILE_ERROR_INVALID);
    assert_message("0.pc2' has 7 samples, there is no sample 7");
    f->scene.samples = SAMPLES;
    pc2_writer *w;
    float positions[3 * VERTICES];
    sheet_positions(&f->sheet, 2, positions);
    positions[5] = NAN;
    assert_int_equal(pc2_continue(scratch("1.pc2"), VERTICES, SAMPLES - 1, &w), TOILE_OK);
    assert_int_equal(pc2_append(w, positions), TOILE_OK);
    assert_int_equal(pc2_close(w), TOILE_OK);
    assert_int_equal(glb_write(scratch("a.glb"), &f->scene), TOILE_ERROR_FORMAT);
    assert_message("point 1 of sample 6 is not a finite number");
    assert_int_equal(scratch_count(), SURFACES);
    f->scene.surface_count = 1;
    scratch_limit_disk(10000);
    toile_result result = glb_write(scratch("a.glb"), &f->scene);
    scratch_unlimit_disk();
    assert_int_equal(result, TOILE_ERROR_INVALID);
    assert_message("a.glb': File too large");
    assert_int_equal(scratch_count(), SURFACES);
}

/* ---- surfaces of bodies -------------------------------------------------------------------------
 */

/* The volume within a closed mesh, by the divergence theorem. */
static double volume(const mesh_data *mesh) {
    double sum = 0.0;
    for (size_t t = 0; t < mesh->triangles; t++) {
        const float *a = mesh->positions + 3 * mesh->indices[3 * t];
        const float *b = mesh->positions + 3 * mesh->indices[3 * t + 1];
        const float *c = mesh->positions + 3 * mesh->indices[3 * t + 2];
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            sum += (double)a[k] * ((double)b[i] * (double)c[j] - (double)b[j] * (double)c[i]) / 6.0;
        }
    }
    return sum;
}

/* A triangle that faced inwards or were missing would lower the volume, a smooth normal that is
 * wrong would not be near the one of the triangles around. */
static void bodies_are_closed_and_face_outwards(void **state) {
    (void)state;
    const double pi = 3.14159265358979, length = sqrt(0.29);
    const double expected[BODIES] = {4.0 / 3.0 * pi * 0.001,
                                     4.0 / 3.0 * pi * 0.006,
                                     4.0 / 3.0 * pi * 0.001 + pi * 0.01 * length,
                                     8.0 * 0.006,
                                     0.0, /* a plane has none */
                                     0.006 / 6.0};
    const body_mesh_region region = {{1.0f, 2.0f, 3.0f}, 4.0f};
    for (int b = 0; b < BODIES; b++) {
        toile_body_def def = body_def(b);
        mesh_data mesh;
        assert_int_equal(body_mesh_create(&def, &region, &mesh), TOILE_OK);
        if (b != 4) {
            assert_true(fabs(volume(&mesh) / expected[b] - 1.0) < 0.005);
        }
        float *normals = malloc(mesh.vertices * 3 * sizeof *normals);
        mesh_view view = mesh_get_view(&mesh, NULL);
        mesh_normals(&view, mesh.positions, normals);
        for (size_t i = 0; i < mesh.vertices; i++) {
            const float *n = mesh.normals + 3 * i, *m = normals + 3 * i;
            assert_float_equal(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0f, 1e-5f);
            assert_true(n[0] * m[0] + n[1] * m[1] + n[2] * m[2] > 0.99f);
        }
        free(normals);
        mesh_free(&mesh);
    }
}

static void planes_are_shown_around_the_region(void **state) {
    (void)state;
    const body_mesh_region region = {{1.0f, 2.0f, 3.0f}, 4.0f};
    toile_body_def def = body_def(4);
    mesh_data mesh;
    assert_int_equal(body_mesh_create(&def, &region, &mesh), TOILE_OK);
    double middle[3] = {0}, along = 0.0, length = sqrt(4.05);
    for (int i = 0; i < 4; i++) {
        double height = 0.0;
        for (int k = 0; k < 3; k++) {
            middle[k] += 0.25 * (double)mesh.positions[3 * i + k];
            height += (double)mesh.positions[3 * i + k] * (double)def.normal[k];
        }
        assert_true(fabs(height) < 1e-5);
    }
    for (int k = 0; k < 3; k++) {
        double foot = (double)region.center[k] - (double)def.center[k] - middle[k];
        along += foot * (double)def.normal[k] / length;
        middle[k] = foot;
    }
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(middle[k] - along * (double)def.normal[k] / length) < 1e-5);
    }
    mesh_free(&mesh);
}

#define scene_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(int count, char **arguments) {
    keep_folder = count > 1 ? arguments[1] : NULL;
    const struct CMUnitTest tests[] = {
        scene_test(surfaces_move_through_their_samples),
        scene_test(animation_runs_through_the_samples),
        scene_test(single_sample_stands_still),
        scene_test(sizes_are_exact),
        scene_test(large_motions_are_refused),
        scene_test(bad_motions_are_refused),
        cmocka_unit_test(bodies_are_closed_and_face_outwards),
        cmocka_unit_test(planes_are_shown_around_the_region),
    };
    return cmocka_run_group_tests_name("glb", tests, NULL, NULL);
}
