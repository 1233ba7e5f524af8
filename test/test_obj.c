/* OBJ files come back as they were written, and those of strangers are read or refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/file.h"
#include "io/mesh.h"
#include "io/obj.h"
#include "scratch.h"

static mesh_data parse(const char *text) {
    mesh_data mesh;
    toile_result result = obj_parse(text, strlen(text), "test.obj", &mesh);
    if (result != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return mesh;
}

static void refuse(const char *text, const char *message) {
    mesh_data mesh;
    assert_int_equal(obj_parse(text, strlen(text), "test.obj", &mesh), TOILE_ERROR_FORMAT);
    assert_message(message);
}

#define QUAD "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void assert_indices(const mesh_data *mesh, size_t triangles, const uint32_t *indices) {
    assert_int_equal(mesh->triangles, triangles);
    assert_memory_equal(mesh->indices, indices, triangles * 3 * sizeof *indices);
}

static void written_mesh_comes_back(void **state) {
    (void)state;
    const float positions[] = {0.1f, -2e-30f, 3.4e38f, 1.0f / 3.0f, 1e-45f, -0.0f, 1, 2, 3};
    const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
    const float coordinates[] = {0, 0, 0.7f, 0, 0.7f, 0.3f};
    const uint32_t indices[] = {2, 0, 1};
    mesh_view view = {.name = "a sheet\n",
                      .vertices = 3,
                      .triangles = 1,
                      .positions = positions,
                      .normals = normals,
                      .indices = indices};
    for (int variant = 0; variant < 4; variant++) {
        view.coordinates = variant & 1 ? coordinates : NULL;
        view.normals = variant & 2 ? normals : NULL;
        mesh_data mesh;
        assert_int_equal(obj_write(scratch("a.obj"), &view), TOILE_OK);
        assert_int_equal(obj_read(scratch("a.obj"), &mesh), TOILE_OK);
        assert_int_equal(mesh.vertices, 3);
        assert_memory_equal(mesh.positions, positions, sizeof positions);
        assert_indices(&mesh, 1, indices);
        assert_int_equal(mesh.coordinates != NULL, view.coordinates != NULL);
        if (mesh.coordinates) {
            assert_memory_equal(mesh.coordinates, coordinates, sizeof coordinates);
        }
        mesh_free(&mesh);
    }
    uint8_t *bytes;
    size_t size;
    assert_int_equal(file_read(scratch("a.obj"), 10000, &bytes, &size), TOILE_OK);
    assert_non_null(strstr((char *)bytes, "\no a_sheet_\nv "));
    assert_non_null(strstr((char *)bytes, "\nvn 0 0 1\n"));
    assert_non_null(strstr((char *)bytes, "\nf 3/3/3 1/1/1 2/2/2\n"));
    free(bytes);
}

static void polygons_become_fans(void **state) {
    (void)state;
    mesh_data mesh = parse(QUAD "v 0.5 2 0\nf 1 2 3 5 4\n");
    assert_int_equal(mesh.vertices, 5);
    assert_indices(&mesh, 3, (uint32_t[]){0, 1, 2, 0, 2, 4, 0, 4, 3});
    assert_null(mesh.coordinates);
    mesh_free(&mesh);
}

static void indices_may_count_backwards_or_forwards(void **state) {
    (void)state;
    mesh_data mesh = parse(QUAD "f -4 -3 -2\nf 1 4 5\nv 9 9 9\n");
    assert_int_equal(mesh.vertices, 5);
    assert_indices(&mesh, 2, (uint32_t[]){0, 1, 2, 0, 3, 4});
    mesh_free(&mesh);
}

static void vertices_split_where_coordinates_differ(void **state) {
    (void)state;
    mesh_data mesh = parse(QUAD "vt 0 0\nvt 1\nvt 1 1 0\nvt 5 5\n"
                                "f 1/1 2/2 3/3\nf 1/4/1 3/3/ 4/4/7\n");
    assert_int_equal(mesh.vertices, 5);
    assert_indices(&mesh, 2, (uint32_t[]){0, 2, 3, 1, 3, 4});
    const float expected[] = {0, 0, 5, 5, 1, 0, 1, 1, 5, 5};
    assert_memory_equal(mesh.coordinates, expected, sizeof expected);
    assert_memory_equal(mesh.positions, mesh.positions + 3, 3 * sizeof(float));
    mesh_free(&mesh);
}

/* Comments, other statements, blanks, DOS line ends, continued lines, colours, no last line end. */
static void odd_files_are_read(void **state) {
    (void)state;
    mesh_data mesh = parse("# made elsewhere\r\nmtllib x.mtl\r\n\r\n  v\t0 0 0 1.0\r\n"
                           "v 1 0 \\\r\n  0\r\nv 1e0 +1. 0 0.5 0.5 0.5\ng a b\ns off\n"
                           "v 7 7 7\nvn 0 0 1\nl 1 2\nusemtl y\nf 1//1 \\\n 2//1 3//1  ");
    assert_int_equal(mesh.vertices, 3); /* the one that no face uses is left out */
    assert_indices(&mesh, 1, (uint32_t[]){0, 1, 2});
    assert_true(mesh.positions[7] == 1.0f);
    mesh_free(&mesh);
}

static void bad_files_are_refused(void **state) {
    (void)state;
    refuse("", "no faces");
    refuse("hello\n", "'test.obj' has no faces");
    refuse(QUAD, "no faces");
    refuse("v 0 0\n", "test.obj:1: expected three finite numbers");
    refuse("v 0 0 nan\n", "test.obj:1: expected three finite numbers");
    refuse("v 0 0 0\nv 0 inf 0\n", "test.obj:2: expected three finite numbers");
    refuse("v 0 0 1e39\n", "finite");
    refuse("v 0 0 1x\n", "finite");
    refuse("v 0 0 \v\n5\n", "test.obj:1: expected three");
    refuse("vt\n", "test.obj:1: expected one or two");
    refuse("vt 0 x\n", "test.obj:1: expected one or two");
    refuse(QUAD "f 1 2\n", "test.obj:5: expected at least three corners");
    refuse(QUAD "f\n", "test.obj:5: expected at least three corners");
    refuse(QUAD "f 1 2 5\n", "test.obj:5: 'v' number 5 does not exist, the file has 4");
    refuse(QUAD "vt 0 0\nf 1/1 2/1 3/9\n", "test.obj:6: 'vt' number 9 does not exist");
    refuse(QUAD "f 0 1 2\n", "test.obj:5: expected indices");
    refuse(QUAD "f -5 1 2\n", "test.obj:5: expected indices");
    refuse(QUAD "f 1 2 99999999999\n", "test.obj:5: expected indices");
    refuse(QUAD "f 1 2 99999999999999999999\n", "test.obj:5: expected indices");
    refuse(QUAD "f 1 2 a\n", "test.obj:5: expected indices");
    refuse(QUAD "f 1 2 3/\n", "test.obj:5: expected indices");
    refuse(QUAD "f 1 2 3//1x\n", "test.obj:5: expected indices");
    refuse(QUAD "vt 0 0\nf 1/1 2/1 3/1\nf 1 2 3\n", "test.obj:7: expected a 'vt' at every corner");
    mesh_data mesh;
    assert_int_equal(obj_read(scratch("none.obj"), &mesh), TOILE_ERROR_INVALID);
    assert_message("No such file or directory");
    static const char zeros[] = "v 0 0 0\n# \0\nv 0 0\n"; /* before the mistake in line 3 */
    assert_int_equal(obj_parse(zeros, sizeof zeros - 1, "z.obj", &mesh), TOILE_ERROR_FORMAT);
    assert_message("z.obj:2: expected text, found a zero byte");
}

/* ---- normals ------------------------------------------------------------------------------------
 */

static void normals_are_weighted_by_area(void **state) {
    (void)state;
    /* At vertex 0 a triangle of area 1 faces +z and one of area 3 faces +x; vertex 5 is alone. */
    const float positions[] = {0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 3, 0, 0, 0, 2, 9, 9, 9};
    const uint32_t indices[] = {0, 1, 2, 0, 3, 4};
    mesh_view mesh = {.vertices = 6, .triangles = 2, .indices = indices};
    float normals[18];
    mesh_normals(&mesh, positions, normals);
    assert_float_equal(normals[0], 3.0f / 3.16227766f, 1e-6f);
    assert_float_equal(normals[1], 0.0f, 1e-6f);
    assert_float_equal(normals[2], 1.0f / 3.16227766f, 1e-6f);
    assert_float_equal(normals[5], 1.0f, 1e-6f);
    assert_true(normals[15] == 0.0f && normals[16] == 1.0f && normals[17] == 0.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        scratch_test(written_mesh_comes_back),
        cmocka_unit_test(polygons_become_fans),
        cmocka_unit_test(indices_may_count_backwards_or_forwards),
        cmocka_unit_test(vertices_split_where_coordinates_differ),
        cmocka_unit_test(odd_files_are_read),
        scratch_test(bad_files_are_refused),
        cmocka_unit_test(normals_are_weighted_by_area),
    };
    return cmocka_run_group_tests_name("obj", tests, NULL, NULL);
}
