/* Pictures that are drawn from the texels of the gl device where they are, against those that are
 * drawn from what was read back. */
#include <epoxy/gl.h>
#include <stdio.h>

#include "outlines.h"

#include "gl/context.h"
#include "render/draw.h"

enum { WIDTH = 160, HEIGHT = 120, BYTES = WIDTH * HEIGHT * 3 };

static context mine;
static context_before before_mine;

static int enter(void **state) {
    (void)state;
    toile_result result = context_open(&mine, &(context_need){4, 3, "to test with"});
    return result == TOILE_OK && context_enter(&mine, &before_mine) == TOILE_OK ? 0 : -1;
}

static int leave(void **state) {
    (void)state;
    context_leave(&mine, &before_mine);
    context_close(&mine);
    return 0;
}

/* ---- cloths -------------------------------------------------------------------------------------
 */

/* A cloth of a world on the device, its mesh, and copies of its texels. */
typedef struct seen {
    toile_world *world;
    toile_cloth_id cloth;
    toile_cloth_info info;
    toile_gl_texels where;
    float *positions, *normals, *coordinates;
    uint32_t *triangles;
    toile_square *squares;
    GLuint copies[2];
} seen;

static toile_world *make_fall(const char *device, const toile_panel *piece, toile_cloth_id *cloth) {
    toile_world_def def = test_world_def();
    def.device = device;
    def.gl_context = strcmp(device, "gl") == 0 ? TOILE_GL_CONTEXT_CURRENT : TOILE_GL_CONTEXT_OWN;
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = panel_cloth(piece);
    sheet.transform.rotate[0] = -90.0f;
    sheet.transform.scale = 1.2f;
    *cloth = add_cloth(world, &sheet);
    pin_corner(world, *cloth, TOILE_CORNER_TOP_LEFT);
    add_ball(world, -0.21f, 0.2f);
    return world;
}

static void *room(size_t count, size_t size) {
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

static seen see(const toile_panel *piece) {
    seen s = {0};
    s.world = make_fall("gl", piece, &s.cloth);
    s.info = toile_cloth_get_info(s.world, s.cloth);
    assert_ok(toile_cloth_get_gl_texels(s.world, s.cloth, &s.where));
    s.positions = room(s.info.vertices, 3 * sizeof(float));
    s.normals = room(s.info.vertices, 3 * sizeof(float));
    s.coordinates = room(s.info.vertices, 2 * sizeof(float));
    s.triangles = room(s.info.triangles, 3 * sizeof(uint32_t));
    s.squares = room(s.info.vertices, sizeof *s.squares);
    assert_ok(toile_cloth_get_mesh_coordinates(s.world, s.cloth, s.coordinates, s.info.vertices));
    assert_ok(toile_cloth_get_mesh_triangles(s.world, s.cloth, s.triangles, s.info.triangles));
    assert_ok(toile_cloth_get_mesh_squares(s.world, s.cloth, s.squares, s.info.vertices));
    glGenBuffers(2, s.copies);
    return s;
}

static void see_no_more(seen *s) {
    toile_world_destroy(s->world);
    glDeleteBuffers(2, s->copies);
    free(s->positions);
    free(s->normals);
    free(s->coordinates);
    free(s->triangles);
    free(s->squares);
}

/* The state as it is now, on the GPU alone. */
static void copy_texels(const seen *s, int which) {
    const GLsizeiptr plane = (GLsizeiptr)(s->where.plane * sizeof(float));
    glBindBuffer(GL_COPY_READ_BUFFER, s->where.buffer);
    glBindBuffer(GL_COPY_WRITE_BUFFER, s->copies[which]);
    glBufferData(GL_COPY_WRITE_BUFFER, 4 * plane, NULL, GL_DYNAMIC_COPY);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, s->where.position * plane, 0,
                        3 * plane);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, s->where.cover * plane,
                        3 * plane, plane);
}

/* The mesh and its normals where texels are between two states, from a world on the CPU. */
static void read_between(seen *s, const toile_panel *piece, const float *before, const float *after,
                         float share) {
    toile_cloth_id cloth;
    toile_world *world = make_fall("cpu", piece, &cloth);
    float *between = room(s->info.texels, 3 * sizeof(float));
    for (size_t i = 0; i < 3 * s->info.texels; i++) {
        between[i] = before[i] + share * (after[i] - before[i]);
    }
    assert_ok(toile_cloth_set_texel_positions(world, cloth, between, s->info.texels));
    assert_ok(toile_cloth_get_mesh_positions(world, cloth, s->positions, s->info.vertices));
    assert_ok(toile_cloth_get_mesh_normals(world, cloth, s->normals, s->info.vertices));
    free(between);
    toile_world_destroy(world);
}

/* ---- pictures -----------------------------------------------------------------------------------
 */

static draw_cloth read_back(const seen *s) {
    return (draw_cloth){.mesh = {.vertices = s->info.vertices,
                                 .triangles = s->info.triangles,
                                 .positions = s->positions,
                                 .normals = s->normals,
                                 .coordinates = s->coordinates,
                                 .indices = s->triangles},
                        .color = {0.7f, 0.2f, 0.2f},
                        .pattern = 1};
}

static void draw(drawer *d, draw_cloth *cloth, bool wireframe, uint8_t *rgb) {
    draw_body ball = {.def = toile_default_body_def(),
                      .pose = {.position = {0, -0.21f, 0}, .rotation = {0, 0, 0, 1}},
                      .color = {0.6f, 0.5f, 0.4f}};
    ball.def.shape = TOILE_SHAPE_SPHERE;
    ball.def.radii[0] = 0.2f;
    draw_frame frame = {.cloths = cloth,
                        .cloth_count = 1,
                        .bodies = &ball,
                        .body_count = 1,
                        .options = {.size = {WIDTH, HEIGHT},
                                    .background = {0.5f, 0.5f, 0.5f},
                                    .texture = SCENE_TEXTURE_PLAIN,
                                    .wireframe = wireframe,
                                    .floor = true},
                        .quality = DRAW_QUALITY_FILM};
    if (cloth->texels) {
        assert_ok(drawer_project(d, cloth, wireframe));
    }
    frame.camera = draw_frame_camera(&frame);
    assert_ok(drawer_draw(d, &frame, rgb));
}

/* The mean difference of two pictures, of 255, and the share of bytes that differ by more than 8.
 */
static double difference(const uint8_t *a, const uint8_t *b, double *far) {
    double sum = 0.0;
    *far = 0.0;
    for (int i = 0; i < BYTES; i++) {
        int off = abs(a[i] - b[i]);
        sum += off;
        *far += off > 8 ? 1.0 / BYTES : 0.0;
    }
    return sum / BYTES;
}

static void keep_picture(const char *name, const uint8_t *rgb) {
    const char *folder = getenv("TOILE_TEST_PICTURES");
    char path[512];
    if (folder && snprintf(path, sizeof path, "%s/%s.ppm", folder, name) < (int)sizeof path) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        fprintf(f, "P6 %d %d 255\n", WIDTH, HEIGHT);
        fwrite(rgb, 1, BYTES, f);
        fclose(f);
    }
}

/* Positions differ by rounding, so a pixel at an edge may fall to the other side. */
static void check_pictures(const toile_panel *piece, const char *name, float share,
                           bool wireframe) {
    static uint8_t wanted[BYTES], found[BYTES];
    seen s = see(piece);
    drawer *d = NULL;
    assert_ok(drawer_open_here(WIDTH, HEIGHT, &d));
    run_steps(s.world, 12, 1.0f / 60.0f);
    copy_texels(&s, 0);
    float *before = texel_positions(s.world, s.cloth);
    run_steps(s.world, 3, 1.0f / 60.0f);
    copy_texels(&s, 1);
    float *after = texel_positions(s.world, s.cloth);
    read_between(&s, piece, before, after, share);
    draw_cloth cloth = read_back(&s);
    draw(d, &cloth, wireframe, wanted);
    draw_texels texels = {.before = s.copies[0],
                          .after = s.copies[1],
                          .share = share,
                          .plane = s.where.plane,
                          .row = s.where.row,
                          .first = s.where.first,
                          .columns = s.info.columns,
                          .squares = s.squares};
    cloth.texels = &texels;
    cloth.mesh.positions = cloth.mesh.normals = NULL;
    for (int again = 0; again < 2; again++) {
        draw(d, &cloth, wireframe, found);
        double far, off = difference(wanted, found, &far);
        printf("%s at %g%s: off by %.4f of 255, %.3f %% far\n", name, (double)share,
               wireframe ? ", wireframe" : "", off, 100.0 * far);
        assert_below(off, 0.05);
        assert_below(far, 0.001);
    }
    keep_picture("read_back", wanted);
    keep_picture("on_device", found);
    /* and the other state looks otherwise */
    texels.before = texels.after = s.copies[0];
    draw(d, &cloth, wireframe, found);
    double far;
    assert_true(difference(wanted, found, &far) > 0.2);
    free(before);
    free(after);
    drawer_close(d);
    see_no_more(&s);
}

static void test_rectangle(void **state) {
    (void)state;
    toile_panel_def def = toile_default_panel_def();
    def.size[0] = 0.93f;
    def.size[1] = 0.71f;
    toile_panel *piece = NULL;
    assert_ok(toile_panel_cook(&def, &piece));
    check_pictures(piece, "rectangle", 1.0f, false);
    check_pictures(piece, "rectangle", 0.7f, true);
    toile_panel_destroy(piece);
}

static void test_outline_with_hole(void **state) {
    (void)state;
    test_outline o;
    make_ring(&o);
    toile_panel *piece = cook_outline(&o, 0.03f, 20.0f);
    check_pictures(piece, "ring", 0.6f, false);
    toile_panel_destroy(piece);
}

static void test_other_devices_have_none(void **state) {
    (void)state;
    toile_panel_def def = toile_default_panel_def();
    toile_panel *piece = NULL;
    assert_ok(toile_panel_cook(&def, &piece));
    toile_cloth_id cloth;
    toile_world *world = make_fall("cpu", piece, &cloth);
    toile_gl_texels where;
    assert_int_equal(toile_cloth_get_gl_texels(world, cloth, &where), TOILE_ERROR_UNAVAILABLE);
    assert_message("device \"cpu\" keeps no texels in OpenGL: expected device \"gl\"");
    toile_world_destroy(world);
    toile_panel_destroy(piece);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rectangle, enter, leave),
        cmocka_unit_test_setup_teardown(test_outline_with_hole, enter, leave),
        cmocka_unit_test(test_other_devices_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
