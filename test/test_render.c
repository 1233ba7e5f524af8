/* Pictures show what they should: known things are drawn and their pixels looked at. */
#include "solids.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/coarse.h"
#include "render/draw.h"
#include "render/picture.h"
#include "scratch.h"

enum { WIDTH = 96, HEIGHT = 64 };

/* ---- things to draw -----------------------------------------------------------------------------
 */

enum { SHEET_SIDE = 9, SHEET_VERTICES = SHEET_SIDE * SHEET_SIDE };

/* A square sheet of 1 m around a point. */
typedef struct sheet {
    float positions[SHEET_VERTICES][3];
    float normals[SHEET_VERTICES][3];
    float coordinates[SHEET_VERTICES][2];
    uint32_t indices[2 * (SHEET_SIDE - 1) * (SHEET_SIDE - 1)][3];
} sheet;

static mesh_view sheet_view(const sheet *s) {
    return (mesh_view){.vertices = SHEET_VERTICES,
                       .triangles = sizeof s->indices / sizeof *s->indices,
                       .positions = s->positions[0],
                       .normals = s->normals[0],
                       .coordinates = s->coordinates[0],
                       .indices = s->indices[0]};
}

/* Upright, the front towards +z, or lying, the front up. */
static draw_cloth make_sheet(sheet *s, bool upright, float x, float y, float z) {
    for (uint32_t i = 0; i < SHEET_VERTICES; i++) {
        float u = (float)(i % SHEET_SIDE) / (SHEET_SIDE - 1);
        float v = (float)(i / SHEET_SIDE) / (SHEET_SIDE - 1);
        memcpy(s->coordinates[i], (float[]){u, v}, sizeof s->coordinates[i]);
        memcpy(s->normals[i], (float[]){0, upright ? 0 : 1, upright ? 1 : 0}, sizeof s->normals[i]);
        float up = upright ? v - 0.5f : 0.0f, back = upright ? 0.0f : 0.5f - v;
        memcpy(s->positions[i], (float[]){x + u - 0.5f, y + up, z + back}, sizeof s->positions[i]);
    }
    size_t n = 0;
    for (uint32_t row = 0; row + 1 < SHEET_SIDE; row++) {
        for (uint32_t column = 0; column + 1 < SHEET_SIDE; column++) {
            uint32_t a = row * SHEET_SIDE + column, b = a + 1, c = b + SHEET_SIDE, d = c - 1;
            memcpy(s->indices[n++], (uint32_t[]){a, b, c}, sizeof s->indices[0]);
            memcpy(s->indices[n++], (uint32_t[]){a, c, d}, sizeof s->indices[0]);
        }
    }
    return (draw_cloth){.mesh = sheet_view(s), .color = {0.6f, 0.05f, 0.05f}};
}

static draw_body make_body(toile_shape_kind shape, float x, float y, float z) {
    draw_body body = {.def = toile_default_body_def(), .color = {0.1f, 0.3f, 0.6f}};
    body.def.shape = shape;
    for (int i = 0; i < 3; i++) {
        body.def.radii[i] = body.def.half[i] = 0.3f;
        body.def.a[i] = body.def.b[i] = 0.0f;
    }
    body.pose = (toile_pose){.position = {x, y, z}, .rotation = {0, 0, 0, 1}};
    return body;
}

/* Nothing yet, seen from the front, on the background alone. */
static draw_frame make_frame(void) {
    return (draw_frame){
        .camera = {.given = true, .eye = {0, 0, 4}, .target = {0, 0, 0}, .fov = 30},
        .options = {.size = {WIDTH, HEIGHT},
                    .background = {0.5f, 0.5f, 0.5f},
                    .texture = SCENE_TEXTURE_PLAIN},
        .quality = DRAW_QUALITY_FILM,
    };
}

/* ---- drawing ------------------------------------------------------------------------------------
 */

enum { PIXELS = WIDTH * HEIGHT };
typedef union shot {
    uint8_t rgb[HEIGHT][WIDTH][3];
    uint8_t pixels[PIXELS][3];
    uint8_t bytes[PIXELS * 3];
} shot;

static drawer *open_drawer(int width, int height) {
    drawer *d = NULL;
    toile_result result = drawer_open(width, height, &d);
    if (result == TOILE_ERROR_UNAVAILABLE) {
        print_message("skipped: %s\n", toile_error_message());
        skip();
    }
    if (result != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return d;
}

static void draw(drawer *d, const draw_frame *frame, uint8_t *rgb) {
    if (drawer_draw(d, frame, rgb) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
}

/* One drawer for all pictures of this size. */
static drawer *shared;

static shot take(const draw_frame *frame) {
    if (!shared) {
        shared = open_drawer(WIDTH, HEIGHT);
    }
    shot s;
    memset(&s, 0xa5, sizeof s);
    draw(shared, frame, s.bytes);
    return s;
}

static int close_shared(void **state) {
    (void)state;
    drawer_close(shared);
    return 0;
}

static int brightness(const uint8_t pixel[3]) {
    return pixel[0] + pixel[1] + pixel[2];
}

static const uint8_t *middle(const shot *s) {
    return s->rgb[HEIGHT / 2][WIDTH / 2];
}

/* The mean difference of two pictures' bytes. */
static double difference(const shot *a, const shot *b) {
    double sum = 0.0;
    for (size_t i = 0; i < sizeof a->bytes; i++) {
        sum += abs(a->bytes[i] - b->bytes[i]);
    }
    return sum / (double)sizeof a->bytes;
}

/* How many pixels are not grey, as the background is. */
static int colored(const shot *s) {
    int count = 0;
    for (int i = 0; i < PIXELS; i++) {
        const uint8_t *p = s->pixels[i];
        count += abs(p[0] - p[2]) > 20;
    }
    return count;
}

/* ---- what is seen -------------------------------------------------------------------------------
 */

static void nothing_shows_the_background(void **state) {
    (void)state;
    draw_frame frame = make_frame();
    frame.options.background[0] = 0.2140411f; /* 127.5 in sRGB */
    frame.options.background[1] = 0.5f;       /* 187.5 */
    frame.options.background[2] = 1.0f;
    shot s = take(&frame);
    const uint8_t *p = middle(&s);
    assert_in_range(p[0], 126, 129);
    assert_in_range(p[1], 186, 189);
    assert_in_range(p[2], 253, 255);
}

static void smooth_parts_have_no_steps(void **state) {
    (void)state;
    draw_frame frame = make_frame();
    shot s = take(&frame);
    /* Dithered: neighbours differ although the wall's shade hardly does. */
    int levels = 0;
    for (int x = 1; x < 16; x++) {
        int step = abs(s.rgb[HEIGHT / 2][WIDTH / 2 + x][0] - s.rgb[HEIGHT / 2][WIDTH / 2][0]);
        assert_true(step <= 1);
        levels += step;
    }
    assert_in_range(levels, 1, 14);
}

static void ball_is_seen_where_it_is(void **state) {
    (void)state;
    draw_body ball = make_body(TOILE_SHAPE_SPHERE, 0, 0, 0);
    draw_frame frame = make_frame();
    frame.bodies = &ball;
    frame.body_count = 1;
    shot s = take(&frame);
    assert_true(middle(&s)[2] > middle(&s)[0] + 20);
    assert_true(abs(s.rgb[2][2][2] - s.rgb[2][2][0]) <= 2);
    /* A circle of radius 0.3 at 4 m, in pixels of a picture that is 2 x 4 m x tan(15 degrees) high,
     * within the width of its rim. */
    double radius = 0.3 / (8.0 * tan(15.0 * M_PI / 180.0)) * HEIGHT;
    assert_true(fabs(sqrt(colored(&s) / M_PI) - radius) < 0.6);
}

static void cloth_has_two_sides(void **state) {
    (void)state;
    sheet mesh;
    draw_cloth cloth = make_sheet(&mesh, true, 0, 0, 0);
    draw_frame frame = make_frame();
    frame.cloths = &cloth;
    frame.cloth_count = 1;
    shot front = take(&frame);
    frame.camera.eye[2] = -4;
    shot back = take(&frame);
    assert_true(middle(&front)[0] > middle(&front)[1] + 30);
    assert_true(middle(&back)[0] > middle(&back)[1] + 20);
    assert_true(abs(brightness(middle(&front)) - brightness(middle(&back))) > 10 ||
                abs(middle(&front)[1] - middle(&back)[1]) > 10);
}

static void floor_has_a_shadow_below_cloth(void **state) {
    (void)state;
    sheet mesh;
    draw_cloth cloth = make_sheet(&mesh, false, 0, 0.6f, 0);
    draw_body ground = make_body(TOILE_SHAPE_PLANE, 0, 0, 0);
    memcpy(ground.color, (float[]){0.5f, 0.5f, 0.5f}, sizeof ground.color);
    draw_frame frame = make_frame();
    memcpy(frame.camera.eye, (float[]){0, 0.3f, 3}, sizeof frame.camera.eye);
    frame.bodies = &ground;
    frame.body_count = 1;
    frame.bounds = (draw_bounds){{-0.5f, 0, -0.5f}, {0.5f, 0.6f, 0.5f}};
    shot without = take(&frame);
    frame.cloths = &cloth;
    frame.cloth_count = 1;
    shot with = take(&frame);
    assert_true(brightness(middle(&with)) < brightness(middle(&without)) - 60);
    /* Beside it the floor is as bright as before. */
    int corner = brightness(with.rgb[HEIGHT - 1][0]);
    assert_true(abs(corner - brightness(without.rgb[HEIGHT - 1][0])) < 25);
}

static void plane_seen_from_inside_hides_nothing(void **state) {
    (void)state;
    draw_body bodies[] = {make_body(TOILE_SHAPE_SPHERE, 0, 0, 0),
                          make_body(TOILE_SHAPE_PLANE, 0, 1, 0)};
    draw_frame frame = make_frame();
    frame.bodies = bodies;
    frame.body_count = 1;
    shot without = take(&frame);
    frame.body_count = 2; /* solid below a height of 1 m, where camera and ball are */
    shot with = take(&frame);
    assert_true(difference(&with, &without) == 0.0);
}

static void own_floor_only_where_asked(void **state) {
    (void)state;
    draw_body ball = make_body(TOILE_SHAPE_SPHERE, 0, 0.3f, 0);
    draw_frame frame = make_frame();
    memcpy(frame.camera.eye, (float[]){0, 1, 4}, sizeof frame.camera.eye);
    frame.bodies = &ball;
    frame.body_count = 1;
    shot without = take(&frame);
    frame.options.floor = true;
    shot with = take(&frame);
    int darker = 0;
    for (int x = 0; x < WIDTH; x++) {
        const uint8_t *a = with.rgb[HEIGHT / 2][x], *b = without.rgb[HEIGHT / 2][x];
        darker += brightness(a) < brightness(b) - 15;
    }
    assert_true(darker > 3); /* a shadow where the ball touches it */
}

/* Only a plane that things can lie on takes the floor's place. */
static void walls_stand_on_the_floor(void **state) {
    (void)state;
    draw_body bodies[] = {make_body(TOILE_SHAPE_SPHERE, 0, 0.3f, 0),
                          make_body(TOILE_SHAPE_PLANE, 0, 0, -1)};
    memcpy(bodies[1].def.normal, (float[]){0, 0, 1}, sizeof bodies[1].def.normal);
    draw_frame frame = make_frame();
    memcpy(frame.camera.eye, (float[]){0, 1, 4}, sizeof frame.camera.eye);
    frame.options.floor = true;
    frame.bodies = bodies;
    frame.body_count = 1;
    shot floor = take(&frame);
    frame.body_count = 2;
    shot both = take(&frame);
    /* Grey floor in front, blue wall behind, far to the side as well. */
    for (int x = 0; x < WIDTH; x += WIDTH - 1) {
        assert_true(
            abs(brightness(both.rgb[HEIGHT - 1][x]) - brightness(floor.rgb[HEIGHT - 1][x])) < 5);
        assert_true(both.rgb[0][x][2] > both.rgb[0][x][0] + 30);
    }
}

/* The picture of a thing does not depend on its size. */
static void small_things_look_like_large_ones(void **state) {
    (void)state;
    shot shots[2];
    for (int i = 0; i < 2; i++) {
        float size = i == 0 ? 1.0f : 1e-4f;
        draw_body ball = make_body(TOILE_SHAPE_SPHERE, 0, 0, 0);
        ball.def.radii[0] = size;
        draw_frame frame = make_frame();
        frame.options.floor = true;
        frame.bodies = &ball;
        frame.body_count = 1;
        frame.camera = draw_frame_camera(&frame);
        shots[i] = take(&frame);
    }
    assert_true(difference(&shots[0], &shots[1]) < 0.5);
}

static void wires_are_dark_on_lit_cloth(void **state) {
    (void)state;
    sheet mesh;
    draw_cloth cloth = make_sheet(&mesh, true, 0, 0, 0);
    memcpy(cloth.color, (float[]){0.9f, 0.9f, 0.9f}, sizeof cloth.color);
    draw_frame frame = make_frame();
    frame.cloths = &cloth;
    frame.cloth_count = 1;
    frame.options.wireframe = true;
    frame.camera.eye[2] = 1.6f; /* edges of 9 pixels */
    shot s = take(&frame);
    /* Along a row between two rows of vertices, which crosses upright and slanted edges. */
    int darkest = 255, brightest = 0;
    for (int x = WIDTH / 2 - 8; x < WIDTH / 2 + 8; x++) {
        int value = s.rgb[HEIGHT / 2 + 2][x][1];
        darkest = value < darkest ? value : darkest;
        brightest = value > brightest ? value : brightest;
    }
    assert_true(darkest < 0.6 * brightest);
}

static void cloth_shades_bodies_and_itself(void **state) {
    (void)state;
    sheet high, low;
    draw_cloth cloths[2] = {make_sheet(&low, false, 0, 0, 0), make_sheet(&high, false, 0, 0.6f, 0)};
    draw_body ball = make_body(TOILE_SHAPE_SPHERE, 0, 0, 0);
    draw_frame frame = make_frame();
    memcpy(frame.camera.eye, (float[]){0, 0.6f, 4}, sizeof frame.camera.eye);
    frame.bounds = (draw_bounds){{-0.5f, -0.3f, -0.5f}, {0.5f, 0.6f, 0.5f}};
    frame.cloths = cloths;
    frame.cloth_count = 1;
    shot open = take(&frame);
    frame.cloth_count = 2;
    shot shaded = take(&frame);
    assert_true(brightness(middle(&shaded)) < brightness(middle(&open)) - 30);

    frame.cloth_count = 0;
    frame.bodies = &ball;
    frame.body_count = 1;
    open = take(&frame);
    cloths[1] = make_sheet(&high, false, 0, 0.35f, 0);
    frame.cloths = cloths + 1;
    frame.cloth_count = 1;
    shaded = take(&frame);
    assert_true(brightness(middle(&shaded)) < brightness(middle(&open)) - 30);
}

/* Lit evenly from everywhere, a flat sheet is even: no shadow of its own on it. */
static void flat_sheet_does_not_shade_itself(void **state) {
    (void)state;
    sheet mesh;
    draw_cloth cloth = make_sheet(&mesh, true, 0, 0, 0);
    draw_frame frame = make_frame();
    frame.cloths = &cloth;
    frame.cloth_count = 1;
    frame.camera.fov = 8; /* nothing but sheet */
    for (int q = DRAW_QUALITY_FILM; q <= DRAW_QUALITY_STILL; q++) {
        frame.quality = (draw_quality)q;
        shot s = take(&frame);
        int least = 255, most = 0;
        for (int i = 0; i < PIXELS; i++) {
            least = s.pixels[i][0] < least ? s.pixels[i][0] : least;
            most = s.pixels[i][0] > most ? s.pixels[i][0] : most;
        }
        assert_true(most - least <= 6);
    }
}

static void round_shapes_agree(void **state) {
    (void)state;
    draw_body body = make_body(TOILE_SHAPE_SPHERE, 0, 0, 0);
    draw_frame frame = make_frame();
    frame.bodies = &body;
    frame.body_count = 1;
    shot ball = take(&frame);
    body.def.shape = TOILE_SHAPE_ELLIPSOID;
    shot ellipsoid = take(&frame);
    body.def.shape = TOILE_SHAPE_CAPSULE;
    shot capsule = take(&frame);
    assert_true(difference(&ball, &ellipsoid) == 0.0);
    assert_true(difference(&ball, &capsule) == 0.0);

    body.def.shape = TOILE_SHAPE_BOX;
    shot box = take(&frame);
    assert_true(colored(&box) > colored(&ball));
    body.def.shape = TOILE_SHAPE_CAPSULE;
    body.def.a[0] = -0.5f;
    body.def.b[0] = 0.5f;
    shot lying = take(&frame);
    assert_true(colored(&lying) > 2 * colored(&ball));
}

/* A mesh of a ball looks as the ball does, and one that is turned has the bounds of the turned box.
 */
static void meshes_look_like_their_shapes(void **state) {
    (void)state;
    test_mesh mesh = test_ball(0.3f, 96, 48, NULL), cube = test_cube(0.3f);
    draw_body body = make_body(TOILE_SHAPE_SPHERE, 0.1f, 0.2f, 0);
    draw_frame frame = make_frame();
    shot empty = take(&frame);
    frame.bodies = &body;
    frame.body_count = 1;
    shot ball = take(&frame);
    body.def.shape = TOILE_SHAPE_MESH;
    body.def.mesh = test_mesh_def(&mesh);
    shot same = take(&frame);
    assert_true(difference(&ball, &empty) > 1.0);
    assert_true(difference(&ball, &same) < 0.1);

    body.pose.rotation[2] = sinf(0.3f);
    body.pose.rotation[3] = cosf(0.3f);
    body.def.mesh = test_mesh_def(&cube);
    draw_bounds bounds = draw_frame_bounds(&frame);
    body.def.shape = TOILE_SHAPE_BOX;
    draw_bounds wanted = draw_frame_bounds(&frame);
    for (int i = 0; i < 3; i++) { /* the box's edges are rounded off */
        assert_near((double)bounds.low[i], (double)wanted.low[i], 0.005);
        assert_near((double)bounds.high[i], (double)wanted.high[i], 0.005);
    }
    test_mesh_free(&mesh);
    test_mesh_free(&cube);
}

static void looks_differ(void **state) {
    (void)state;
    sheet mesh;
    draw_cloth cloth = make_sheet(&mesh, true, 0, 0, 0);
    draw_frame frame = make_frame();
    frame.camera.fov = 0.5f; /* near enough to see yarns */
    frame.cloths = &cloth;
    frame.cloth_count = 1;
    shot plain = take(&frame);
    frame.options.wireframe = true;
    shot wires = take(&frame);
    frame.options.wireframe = false;
    frame.options.texture = SCENE_TEXTURE_WEAVE;
    shot weave = take(&frame);
    frame.options.texture = SCENE_TEXTURE_CHECK;
    shot check = take(&frame);
    assert_true(difference(&plain, &wires) > 0.5);
    assert_true(difference(&plain, &weave) > 1.0);
    assert_true(difference(&weave, &check) > 5.0);
}

/* Yarns are thinner than pixels from afar: the weave must then be as calm as plain cloth. */
static void weave_is_calm_from_afar(void **state) {
    (void)state;
    sheet mesh;
    draw_cloth cloth = make_sheet(&mesh, true, 0, 0, 0);
    draw_frame frame = make_frame();
    frame.cloths = &cloth;
    frame.cloth_count = 1;
    shot plain = take(&frame);
    frame.options.texture = SCENE_TEXTURE_WEAVE;
    shot weave = take(&frame);
    assert_true(difference(&plain, &weave) < 0.1);
}

static void same_frame_same_bytes(void **state) {
    (void)state;
    sheet mesh;
    draw_cloth cloth = make_sheet(&mesh, false, 0, 0.4f, 0);
    draw_body ball = make_body(TOILE_SHAPE_SPHERE, 0, 0, 0), box = ball;
    box.def.shape = TOILE_SHAPE_BOX;
    draw_frame frame = make_frame();
    frame.cloths = &cloth;
    frame.cloth_count = 1;
    frame.bodies = &ball;
    frame.body_count = 1;
    frame.options.floor = true;
    shot first = take(&frame);
    draw_frame other = frame;
    other.bodies = &box;
    other.quality = DRAW_QUALITY_STILL;
    take(&other);
    shot again = take(&frame);
    assert_memory_equal(&first, &again, sizeof first);

    drawer *d = open_drawer(WIDTH, HEIGHT);
    shot elsewhere;
    draw(d, &frame, elsewhere.bytes);
    drawer_close(d);
    assert_memory_equal(&first, &elsewhere, sizeof first);
}

static void still_and_film_agree(void **state) {
    (void)state;
    sheet mesh;
    draw_cloth cloth = make_sheet(&mesh, false, 0, 0.4f, 0);
    draw_body ball = make_body(TOILE_SHAPE_SPHERE, 0, 0, 0);
    draw_frame frame = make_frame();
    memcpy(frame.camera.eye, (float[]){0, 1, 4}, sizeof frame.camera.eye);
    frame.cloths = &cloth;
    frame.cloth_count = 1;
    frame.bodies = &ball;
    frame.body_count = 1;
    frame.options.floor = true;
    shot quick = take(&frame);
    frame.quality = DRAW_QUALITY_STILL;
    shot still = take(&frame);
    double d = difference(&quick, &still);
    assert_true(d > 0.0 && d < 4.0);
}

/* ---- cameras and bounds -------------------------------------------------------------------------
 */

static void camera_sees_everything(void **state) {
    (void)state;
    sheet mesh;
    draw_cloth cloth = make_sheet(&mesh, true, 5, -3, 2);
    draw_frame frame = make_frame();
    frame.cloths = &cloth;
    frame.cloth_count = 1;
    frame.camera = draw_frame_camera(&frame);
    assert_true(frame.camera.given);
    shot s = take(&frame);
    assert_true(colored(&s) > PIXELS / 8);
    for (int x = 0; x < WIDTH; x++) {
        assert_true(abs(s.rgb[0][x][0] - s.rgb[0][x][2]) < 20);
        assert_true(abs(s.rgb[HEIGHT - 1][x][0] - s.rgb[HEIGHT - 1][x][2]) < 20);
    }
}

static void bounds_hold_cloths_and_their_bodies(void **state) {
    (void)state;
    sheet mesh;
    draw_cloth cloth = make_sheet(&mesh, false, 0, 1, 0);
    draw_body bodies[] = {make_body(TOILE_SHAPE_CAPSULE, 0, 0, 0),
                          make_body(TOILE_SHAPE_SPHERE, 0, -50, 0),
                          make_body(TOILE_SHAPE_PLANE, 0, -9, 0)};
    bodies[0].def.a[1] = -0.2f;
    bodies[0].def.b[1] = 0.2f;
    bodies[1].def.radii[0] = 49;
    draw_frame frame = make_frame();
    frame.cloths = &cloth;
    frame.cloth_count = 1;
    frame.bodies = bodies;
    frame.body_count = 3;
    draw_bounds b = draw_frame_bounds(&frame);
    assert_true(fabsf(b.low[0] + 0.5f) < 1e-5f && fabsf(b.high[0] - 0.5f) < 1e-5f);
    assert_true(fabsf(b.low[1] + 0.5f) < 1e-5f && fabsf(b.high[1] - 1.0f) < 1e-5f);

    draw_bounds none = {0};
    draw_bounds all = draw_bounds_union(none, b);
    assert_memory_equal(&all, &b, sizeof b);
    all = draw_bounds_union(b, (draw_bounds){{0, 0, 0}, {9, 0.5f, 0.1f}});
    assert_true(all.high[0] == 9.0f && all.low[1] == b.low[1] && all.high[1] == b.high[1]);
}

static void sizes_are_checked(void **state) {
    (void)state;
    draw_frame frame = make_frame();
    draw_body ball = make_body(TOILE_SHAPE_SPHERE, 0, 0, 0);
    ball.def.radii[0] = 1.5f; /* fills the picture */
    frame.bodies = &ball;
    frame.body_count = 1;
    const int good[][2] = {{1, 1}, {4096, 3}, {3, 4096}};
    uint8_t *rgb = malloc(4096 * 3 * 3);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        drawer *d = open_drawer(good[i][0], good[i][1]);
        assert_non_null(strstr(drawer_description(d), "OpenGL"));
        size_t pixel = (size_t)(good[i][1] / 2 * good[i][0] + good[i][0] / 2);
        draw(d, &frame, rgb);
        assert_true(rgb[3 * pixel + 2] > rgb[3 * pixel] + 20);
        drawer_close(d);
    }
    free(rgb);
    const int bad[][2] = {{0, 9}, {9, 0}, {-1, 9}, {1 << 20, 9}, {9, 1 << 20}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        drawer *d = NULL;
        assert_int_equal(drawer_open(bad[i][0], bad[i][1], &d), TOILE_ERROR_INVALID);
        assert_null(d);
        char said[64];
        snprintf(said, sizeof said, "%d x %d pixels", bad[i][0], bad[i][1]);
        assert_message(said);
    }
}

/* ---- files --------------------------------------------------------------------------------------
 */

static void full_disk_is_said(void **state) {
    (void)state;
    static uint8_t noise[PIXELS * 3]; /* which does not compress */
    uint32_t state_of_noise = 1;
    for (size_t i = 0; i < sizeof noise; i++) {
        state_of_noise = state_of_noise * 1664525u + 1013904223u;
        noise[i] = (uint8_t)(state_of_noise >> 24);
    }
    scratch_limit_disk(8000); /* more than a stream holds back: libpng itself meets it */
    toile_result result = picture_write_png(scratch("a.png"), WIDTH, HEIGHT, noise);
    scratch_unlimit_disk();
    assert_int_equal(result, TOILE_ERROR_INVALID);
    assert_message("a.png': File too large");
    assert_int_equal(scratch_count(), 0);
    assert_int_equal(picture_write_png(scratch("a.png"), WIDTH, HEIGHT, noise), TOILE_OK);
    assert_int_equal(scratch_count(), 1);
}

/* ---- casters ------------------------------------------------------------------------------------
 */

static void coarse_mesh_keeps_the_outline(void **state) {
    (void)state;
    sheet mesh;
    make_sheet(&mesh, false, 0, 0, 0);
    mesh_view view = sheet_view(&mesh);
    mesh_data coarse;
    assert_int_equal(coarse_mesh_make(&view, 0.26f, &coarse), TOILE_OK);
    assert_int_equal(coarse.vertices, 25);
    assert_int_equal(coarse.triangles, 32);
    float low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
    for (size_t i = 0; i < 3 * coarse.vertices; i++) {
        low[i % 3] = fminf(low[i % 3], coarse.positions[i]);
        high[i % 3] = fmaxf(high[i % 3], coarse.positions[i]);
    }
    assert_true(low[0] == -0.5f && high[0] == 0.5f && low[2] == -0.5f && high[2] == 0.5f);
    mesh_free(&coarse);

    assert_int_equal(coarse_mesh_make(&view, 0.001f, &coarse), TOILE_OK);
    assert_int_equal(coarse.vertices, SHEET_VERTICES);
    assert_int_equal(coarse.triangles, view.triangles);
    mesh_free(&coarse);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_shows_the_background),
        cmocka_unit_test(smooth_parts_have_no_steps),
        cmocka_unit_test(ball_is_seen_where_it_is),
        cmocka_unit_test(cloth_has_two_sides),
        cmocka_unit_test(floor_has_a_shadow_below_cloth),
        cmocka_unit_test(plane_seen_from_inside_hides_nothing),
        cmocka_unit_test(own_floor_only_where_asked),
        cmocka_unit_test(walls_stand_on_the_floor),
        cmocka_unit_test(small_things_look_like_large_ones),
        cmocka_unit_test(wires_are_dark_on_lit_cloth),
        cmocka_unit_test(cloth_shades_bodies_and_itself),
        cmocka_unit_test(flat_sheet_does_not_shade_itself),
        cmocka_unit_test(round_shapes_agree),
        cmocka_unit_test(meshes_look_like_their_shapes),
        cmocka_unit_test(looks_differ),
        cmocka_unit_test(weave_is_calm_from_afar),
        cmocka_unit_test(same_frame_same_bytes),
        cmocka_unit_test(still_and_film_agree),
        cmocka_unit_test(camera_sees_everything),
        cmocka_unit_test(bounds_hold_cloths_and_their_bodies),
        cmocka_unit_test(sizes_are_checked),
        scratch_test(full_disk_is_said),
        cmocka_unit_test(coarse_mesh_keeps_the_outline),
    };
    return cmocka_run_group_tests(tests, NULL, close_shared);
}
