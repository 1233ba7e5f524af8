/* Mesh bodies from files: welding, creases, what a run keeps of them, and bodies of other projects
 * where they are at hand. */
#include "solids.h"

#include "scenes.h"
#include "scratch.h"

#include "io/body_mesh.h"
#include "io/crease.h"
#include "io/mesh_read.h"
#include "io/obj.h"
#include "io/scene_files.h"
#include "io/weld.h"
#include "model/solid.h"
#include "model/winding.h"

/* ---- welding ------------------------------------------------------------------------------------
 */

static mesh_data parse_obj(const char *text) {
    mesh_data mesh;
    assert_ok(obj_parse(text, strlen(text), "test.obj", &mesh));
    return mesh;
}

static toile_mesh_def def_of(const mesh_data *mesh) {
    return (toile_mesh_def){mesh->positions, mesh->vertices, mesh->indices, mesh->triangles};
}

/* A tetrahedron whose first vertex has two texture coordinates and whose second is there twice,
 * once with a negative zero. */
static void test_seams_are_closed(void **state) {
    (void)state;
    mesh_data mesh = parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 -0 0\nvt 0 0\nvt 1 0\n"
                               "f 1/1 3/1 2/1\nf 1/2 5/1 4/1\nf 1/1 4/1 3/1\nf 2/1 3/1 4/2\n");
    assert_int_equal(mesh.vertices, 7);
    solid s;
    toile_mesh_def def = def_of(&mesh);
    assert_int_equal(solid_create(&s, &def), TOILE_ERROR_INVALID);
    assert_message("open");
    assert_ok(mesh_weld(&mesh));
    assert_int_equal(mesh.vertices, 4);
    assert_int_equal(mesh.triangles, 4);
    assert_null(mesh.coordinates);
    def = def_of(&mesh);
    assert_ok(solid_create(&s, &def));
    assert_near(s.volume, 1.0 / 6.0, 1e-9);
    solid_free(&s);
    mesh_free(&mesh);
}

/* The quads at the poles of a ball have two corners in one. */
static void test_collapsed_triangles_go(void **state) {
    (void)state;
    mesh_data mesh = parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 1\n"
                               "f 1 3 2\nf 1 2 4 5\nf 1 4 3\nf 2 3 4\n");
    assert_int_equal(mesh.triangles, 5);
    assert_ok(mesh_weld(&mesh));
    assert_int_equal(mesh.triangles, 4);
    solid s;
    toile_mesh_def def = def_of(&mesh);
    assert_ok(solid_create(&s, &def));
    solid_free(&s);
    mesh_free(&mesh);
}

/* What has nothing to weld stays as it is. */
static void test_welding_keeps_the_order(void **state) {
    (void)state;
    test_mesh torus = test_torus(0.7f, 0.3f, 12, 8);
    mesh_data mesh;
    assert_true(mesh_allocate(&mesh, torus.vertices, torus.triangle_count, true, true));
    memcpy(mesh.positions, torus.positions, 3 * torus.vertices * sizeof(float));
    memcpy(mesh.indices, torus.triangles, 3 * torus.triangle_count * sizeof(uint32_t));
    assert_ok(mesh_weld(&mesh));
    assert_int_equal(mesh.vertices, torus.vertices);
    assert_memory_equal(mesh.positions, torus.positions, 3 * torus.vertices * sizeof(float));
    assert_memory_equal(mesh.indices, torus.triangles, 12 * torus.triangle_count);
    mesh_free(&mesh);
    test_mesh_free(&torus);
}

/* ---- creases ------------------------------------------------------------------------------------
 */

/* The faces of a cube are flat to their edges; a ball is smooth. */
static void test_creases(void **state) {
    (void)state;
    test_mesh cube = test_cube(0.5f), ball = test_ball(1.0f, 40, 20, NULL);
    mesh_data mesh;
    toile_mesh_def def = test_mesh_def(&cube);
    assert_ok(mesh_make_creased(&def, &mesh));
    assert_int_equal(mesh.vertices, 36);
    for (size_t i = 0; i < 36; i++) {
        const float *n = mesh.normals + 3 * i, *p = mesh.positions + 3 * i;
        assert_near((double)fmaxf(fabsf(n[0]), fmaxf(fabsf(n[1]), fabsf(n[2]))), 1.0, 1e-6);
        assert_near((double)(n[0] * p[0] + n[1] * p[1] + n[2] * p[2]), 0.5, 1e-6);
    }
    mesh_free(&mesh);
    def = test_mesh_def(&ball);
    assert_ok(mesh_make_creased(&def, &mesh));
    for (size_t i = 0; i < 3 * mesh.triangles; i++) {
        const float *n = mesh.normals + 3 * i, *p = mesh.positions + 3 * i;
        assert_near((double)(n[0] * p[0] + n[1] * p[1] + n[2] * p[2]), 1.0, 5e-3);
        assert_int_equal(mesh.indices[i], i);
    }
    mesh_free(&mesh);
    test_mesh_free(&cube);
    test_mesh_free(&ball);
}

/* Corner by corner the same surface, of fewer vertices: three where the faces of a cube meet, one
 * everywhere on a ball. */
static void test_shared_corners(void **state) {
    (void)state;
    test_mesh meshes[2] = {test_cube(0.5f), test_ball(1.0f, 40, 20, NULL)};
    const size_t vertices[2] = {24, meshes[1].vertices};
    for (int m = 0; m < 2; m++) {
        toile_mesh_def def = test_mesh_def(&meshes[m]);
        mesh_data apart, shared;
        assert_ok(mesh_make_creased(&def, &apart));
        assert_ok(mesh_make_shared(&def, &shared));
        assert_int_equal(shared.vertices, vertices[m]);
        assert_int_equal(shared.triangles, apart.triangles);
        for (size_t i = 0; i < 3 * apart.triangles; i++) {
            const size_t v = shared.indices[i];
            assert_memory_equal(shared.normals + 3 * v, apart.normals + 3 * i, 3 * sizeof(float));
            assert_memory_equal(shared.positions + 3 * v, apart.positions + 3 * i,
                                3 * sizeof(float));
        }
        mesh_free(&apart);
        mesh_free(&shared);
        test_mesh_free(&meshes[m]);
    }
}

/* 300 triangles meet in each tip of this: one normal there, found without comparing all with all.
 */
static void test_fan_has_one_normal_at_its_tip(void **state) {
    (void)state;
    test_mesh m = test_ball(1.0f, 300, 2, NULL);
    toile_mesh_def def = test_mesh_def(&m);
    mesh_data mesh;
    assert_ok(mesh_make_creased(&def, &mesh));
    int tips = 0;
    for (size_t i = 0; i < mesh.vertices; i++) {
        if (m.triangles[i] >= m.vertices - 2) {
            tips++;
            assert_near((double)fabsf(mesh.normals[3 * i + 1]), 1.0, 1e-4);
        }
    }
    assert_int_equal(tips, 600);
    mesh_free(&mesh);
    test_mesh_free(&m);
}

static void test_exported_mesh_has_the_size_that_was_said(void **state) {
    (void)state;
    test_mesh m = test_torus(0.7f, 0.3f, 12, 8);
    toile_body_def def = toile_default_body_def();
    def.shape = TOILE_SHAPE_MESH;
    def.mesh = test_mesh_def(&m);
    body_mesh_size size = body_mesh_get_size(&def);
    mesh_data mesh;
    assert_ok(body_mesh_create(&def, NULL, &mesh));
    assert_int_equal(mesh.vertices, size.vertices);
    assert_int_equal(mesh.triangles, size.triangles);
    assert_int_equal(mesh.triangles, m.triangle_count);
    mesh_free(&mesh);
    test_mesh_free(&m);
}

/* ---- scenes -------------------------------------------------------------------------------------
 */

static void write_scene(const char *path, const char *file) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "{\"toile\": 1, \"bodies\": [{\"name\": \"ring\", \"mesh\": {\"file\": \"%s\", "
            "\"scale\": 0.37}}]}\n",
            file);
    assert_int_equal(fclose(f), 0);
}

static void write_torus(const char *path, float small) {
    test_mesh m = test_torus(0.7f, small, 12, 8);
    mesh_view view = {.vertices = m.vertices,
                      .triangles = m.triangle_count,
                      .positions = m.positions,
                      .indices = m.triangles};
    assert_ok(obj_write(path, &view));
    test_mesh_free(&m);
}

static toile_result copy_to(void *folder, const scene_file_read *file) {
    char path[1024];
    snprintf(path, sizeof path, "%s/" SCENE_FILES "/%s", (const char *)folder, file->copy);
    return scene_files_copy(file, path);
}

/* A run keeps the mesh, and a copy of the scene beside it has the same body to the bit when the
 * file is gone or another. */
static void test_run_keeps_its_meshes(void **state) {
    (void)state;
    const char *first = scratch("first"), *second = scratch("second");
    char path[3][1024];
    assert_ok(file_make_folder(first));
    assert_ok(file_make_folder(second));
    snprintf(path[0], sizeof path[0], "%s/ring.obj", first);
    snprintf(path[1], sizeof path[1], "%s/scene.json", first);
    snprintf(path[2], sizeof path[2], "%s/scene.json", second);
    write_torus(path[0], 0.3f);
    write_scene(path[1], "ring.obj");
    write_scene(path[2], "ring.obj");
    scene *s, *copy;
    assert_ok(scene_load(path[1], &s));
    assert_int_not_equal(scene_load(path[2], &copy), TOILE_OK);
    assert_message("second/ring.obj");
    assert_ok(scene_files_visit(s, copy_to, (void *)second));
    write_torus(path[0], 0.2f);
    assert_ok(scene_load(path[2], &copy));
    const toile_mesh_def *a = &s->bodies[0].def.mesh, *b = &copy->bodies[0].def.mesh;
    assert_int_equal(a->vertices, 96);
    assert_int_equal(b->vertices, a->vertices);
    assert_int_equal(b->triangle_count, a->triangle_count);
    assert_memory_equal(b->positions, a->positions, 3 * a->vertices * sizeof(float));
    assert_memory_equal(b->triangles, a->triangles, 3 * a->triangle_count * sizeof(uint32_t));
    assert_near((double)a->positions[0], 0.37, 1e-6); /* scaled */
    scene_free(s);
    scene_free(copy);
}

static void test_strange_files_are_refused(void **state) {
    (void)state;
    const char *folder = scratch("strange");
    char path[1024];
    assert_ok(file_make_folder(folder));
    snprintf(path, sizeof path, "%s/scene.json", folder);
    const struct {
        const char *file, *message;
    } cases[] = {{"/dev/zero", "is no plain file"},
                 {".", "bodies[0].mesh.file"},
                 {"", "expected an absolute path or one within the scene's folder"},
                 {"a\\u0007b.obj", "expected an absolute path or one within"},
                 {"../ring.obj", "expected an absolute path or one within"},
                 {"scene.json", "scene.json"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene *s;
        write_scene(path, cases[i].file);
        assert_int_not_equal(scene_load(path, &s), TOILE_OK);
        assert_message(cases[i].message);
    }
}

/* ---- bodies of other projects -------------------------------------------------------------------
 */

static int bodies_seen;

static void check_body(const char *path) {
    mesh_data mesh;
    assert_ok(mesh_read(path, &mesh));
    assert_ok(mesh_weld(&mesh));
    toile_mesh_def def = def_of(&mesh);
    solid s;
    assert_ok(solid_create(&s, &def));
    double volume = s.volume; /* of a person, in cubic metres or in centimetres */
    assert_true((volume > 0.03 && volume < 0.2) || (volume > 3e4 && volume < 2e5));
    size_t points = 0, crossed = 0; /* lips may be nearer to each other */
    float scale = s.high.y - s.low.y;
    for (size_t i = 0; i < s.triangle_count; i++, points += 2) {
        const solid_face *f = &s.faces[i];
        v3 middle = v3_scale(v3_add(f->a, v3_add(f->b, f->c)), 1.0f / 3.0f);
        v3 out = v3_add(middle, v3_scale(f->normal, 1e-5f * scale));
        v3 in = v3_add(middle, v3_scale(f->normal, -1e-5f * scale));
        crossed += solid_distance(&s, out, INFINITY).w > 0.0f ? 0 : 1;
        crossed += solid_distance(&s, in, INFINITY).w < 0.0f ? 0 : 1;
    }
    assert_true(crossed < points / 10000);
    print_message("%s: closed, %zu triangles, %g m^3, another sheet nearer at %zu of %zu points\n",
                  path, s.triangle_count, s.volume, crossed, points);
    solid_free(&s);
    mesh_free(&mesh);
    bodies_seen++;
}

static void test_bodies_of_other_projects(void **state) {
    (void)state;
    char folder[1024];
    const char *given = getenv("TOILE_BODIES");
    snprintf(folder, sizeof folder, "%s", given ? given : in_source("../shared/data/bodies"));
    DIR *d = opendir(folder);
    if (!d) {
        print_message("skipped: no folder '%s'; set TOILE_BODIES to one with OBJ files\n", folder);
        skip();
    }
    for (struct dirent *entry; (entry = readdir(d));) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".obj") == 0) {
            char path[2048];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            check_body(path);
        }
    }
    closedir(d);
    assert_true(bodies_seen > 0);
}

/* A person in the middle of a stride, whose limbs and hair overlap her trunk a little: about four
 * thousandths of her volume are in two parts at once. */
static void test_parts_of_a_person_overlap(void **state) {
    (void)state;
    enum { POINTS = 400000 };
    const char *path = in_source("../shared/data/characters/cally_closed_frame0.obj");
    mesh_data mesh;
    if (mesh_read(path, &mesh) != TOILE_OK) {
        print_message("skipped: no file '%s'\n", path);
        skip();
    }
    assert_ok(mesh_weld(&mesh));
    toile_mesh_def def = def_of(&mesh);
    solid s;
    assert_ok(solid_create(&s, &def));
    uint32_t random = 1;
    size_t inside = 0, twice = 0, sum = 0;
    for (int i = 0; i < POINTS; i++) {
        float x[3];
        for (int k = 0; k < 3; k++) {
            random = 1664525u * random + 1013904223u;
            x[k] = (float)(random >> 8) / 16777216.0f;
        }
        v3 p = v3_make(s.low.x + x[0] * (s.high.x - s.low.x), s.low.y + x[1] * (s.high.y - s.low.y),
                       s.low.z + x[2] * (s.high.z - s.low.z));
        int winding = solid_winding(&s, p, 0.0f);
        inside += winding > 0;
        twice += winding > 1;
        sum += (size_t)winding;
        if (winding > 1 || i % (POINTS / 100) == 0) {
            assert_near(test_winding(&def, p.x, p.y, p.z), winding, 1e-6);
        }
    }
    double box =
        (double)(s.high.x - s.low.x) * (double)(s.high.y - s.low.y) * (double)(s.high.z - s.low.z);
    /* That of the mesh counts overlaps as often as there are parts in them. */
    double volume = box * (double)sum / POINTS;
    assert_near(volume, s.volume, 0.02 * s.volume);
    double share = (double)twice / (double)inside;
    print_message("%s: %g %% of the volume is in two parts\n", path, 100.0 * share);
    assert_true(share > 0.002 && share < 0.008);
    solid_free(&s);
    mesh_free(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seams_are_closed),
        cmocka_unit_test(test_collapsed_triangles_go),
        cmocka_unit_test(test_welding_keeps_the_order),
        cmocka_unit_test(test_creases),
        cmocka_unit_test(test_shared_corners),
        cmocka_unit_test(test_fan_has_one_normal_at_its_tip),
        cmocka_unit_test(test_exported_mesh_has_the_size_that_was_said),
        scratch_test(test_run_keeps_its_meshes),
        scratch_test(test_strange_files_are_refused),
        cmocka_unit_test(test_bodies_of_other_projects),
        cmocka_unit_test(test_parts_of_a_person_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
