/* Pictures that are drawn bit by bit, as a window does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "render/draw.h"

enum { WIDTH = 96, HEIGHT = 64, BYTES = WIDTH * HEIGHT * 3 };

static const float POSITIONS[12] = {-0.3f, -0.3f, 0, 0.3f, -0.3f, 0, 0.3f, 0.3f, 0, -0.3f, 0.3f, 0};
static const float NORMALS[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
static const float COORDINATES[8] = {0, 0, 0.6f, 0, 0.6f, 0.6f, 0, 0.6f};
static const uint32_t TRIANGLES[6] = {0, 1, 2, 0, 2, 3};

static const draw_cloth CLOTH = {.mesh = {.vertices = 4,
                                          .triangles = 2,
                                          .positions = POSITIONS,
                                          .normals = NORMALS,
                                          .coordinates = COORDINATES,
                                          .indices = TRIANGLES},
                                 .color = {0.2f, 0.5f, 0.2f}};

/* A square of cloth before a ball, seen from the front. */
static draw_frame make_frame(const draw_cloth *cloth, draw_body *ball) {
    *ball = (draw_body){.def = toile_default_body_def(),
                        .pose = {.position = {0.25f, 0, -0.5f}, .rotation = {0, 0, 0, 1}},
                        .color = {0.6f, 0.5f, 0.4f}};
    ball->def.shape = TOILE_SHAPE_SPHERE;
    ball->def.radii[0] = 0.3f;
    return (draw_frame){.cloths = cloth,
                        .cloth_count = 1,
                        .bodies = ball,
                        .body_count = 1,
                        .camera = {.given = true, .eye = {0, 0.3f, 3}, .fov = 30},
                        .options = {.size = {WIDTH, HEIGHT},
                                    .background = {0.5f, 0.5f, 0.5f},
                                    .texture = SCENE_TEXTURE_PLAIN,
                                    .floor = true},
                        .quality = DRAW_QUALITY_LIVE};
}

static void check(toile_result result) {
    if (result != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
}

static drawer *open_drawer(void) {
    drawer *d = NULL;
    toile_result result = drawer_open(WIDTH, HEIGHT, &d);
    if (result == TOILE_ERROR_UNAVAILABLE) {
        print_message("skipped: %s\n", toile_error_message());
        skip();
    }
    check(result);
    return d;
}

static double difference(const uint8_t *a, const uint8_t *b) {
    double sum = 0.0;
    for (int i = 0; i < BYTES; i++) {
        sum += abs(a[i] - b[i]);
    }
    return sum / BYTES;
}

static const uint8_t *middle(const uint8_t *rgb) {
    return rgb + 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2);
}

/* In parts it comes out as at once, and gets nearer to that with each. */
static void pictures_are_refined(void **state) {
    (void)state;
    drawer *d = open_drawer();
    draw_body ball;
    draw_frame frame = make_frame(&CLOTH, &ball);
    static uint8_t whole[BYTES], parts[BYTES];
    check(drawer_draw(d, &frame, whole));
    assert_true(drawer_is_complete(d));
    check(drawer_begin(d, &frame));
    memset(&frame, 0, sizeof frame); /* only what was copied counts */
    double before = 1e9;
    for (int passes = 1; passes <= 4; passes *= 4) {
        assert_false(drawer_is_complete(d));
        check(drawer_refine(d, passes));
        check(drawer_read(d, parts));
        double now = difference(whole, parts);
        assert_true(now > 0.0 && now < 0.7 * before && now < 6.0);
        before = now;
    }
    check(drawer_refine(d, 1000));
    assert_true(drawer_is_complete(d));
    check(drawer_read(d, parts));
    assert_memory_equal(whole, parts, BYTES);
    drawer_close(d);
}

/* The lights stand around the direction that is given, wherever the camera is. */
static void lights_stand_still(void **state) {
    (void)state;
    drawer *d = open_drawer();
    draw_body ball;
    draw_frame frame = make_frame(&CLOTH, &ball);
    static uint8_t own[BYTES], same[BYTES], other[BYTES];
    check(drawer_draw(d, &frame, own));
    memcpy(frame.facing, (float[]){0, -0.3f, -3}, sizeof frame.facing);
    check(drawer_draw(d, &frame, same));
    assert_memory_equal(own, same, BYTES);
    frame.facing[2] = 3.0f;
    check(drawer_draw(d, &frame, other));
    assert_true(difference(own, other) > 3.0);
    drawer_close(d);
}

/* Colours of vertices are shown in place of the fabric's, and mixed between them. */
static void vertices_have_colours(void **state) {
    (void)state;
    drawer *d = open_drawer();
    static uint8_t rgb[BYTES];
    static const float red[12] = {0.8f, 0.1f, 0, 0.8f, 0.1f, 0, 0.8f, 0.1f, 0, 0.8f, 0.1f, 0};
    static const float blue[12] = {0, 0.1f, 0.8f, 0, 0.1f, 0.8f, 0, 0.1f, 0.8f, 0, 0.1f, 0.8f};
    for (int turn = 0; turn < 2; turn++) {
        draw_cloth cloth = CLOTH;
        cloth.colors = turn ? blue : red;
        draw_body ball;
        draw_frame frame = make_frame(&cloth, &ball);
        check(drawer_draw(d, &frame, rgb));
        const uint8_t *p = middle(rgb);
        assert_true(p[turn ? 2 : 0] > 1.5 * p[turn ? 0 : 2]);
    }
    drawer_close(d);
}

static void distances_are_those_of_the_nearest_surface(void **state) {
    (void)state;
    drawer *d = open_drawer();
    draw_body ball;
    draw_frame frame = make_frame(&CLOTH, &ball);
    frame.camera.eye[1] = 0.0f;
    static uint8_t rgb[BYTES];
    check(drawer_draw(d, &frame, rgb));
    assert_true(drawer_distance(d, WIDTH / 2, HEIGHT / 2) > 2.99f);
    assert_true(drawer_distance(d, WIDTH / 2, HEIGHT / 2) < 3.01f);
    /* Beside the cloth, on the ball. */
    float beside = drawer_distance(d, WIDTH / 2 + 15, HEIGHT / 2);
    assert_true(beside > 3.2f && beside < 3.6f);
    drawer_close(d);
}

static void sizes_change(void **state) {
    (void)state;
    drawer *d = open_drawer();
    draw_body ball;
    draw_frame frame = make_frame(&CLOTH, &ball);
    static uint8_t first[BYTES], again[BYTES], small[48 * 32 * 3];
    check(drawer_draw(d, &frame, first));
    check(drawer_resize(d, 48, 32));
    check(drawer_draw(d, &frame, small));
    assert_int_equal(drawer_resize(d, 0, 32), TOILE_ERROR_INVALID);
    check(drawer_draw(d, &frame, small));
    check(drawer_resize(d, WIDTH, HEIGHT));
    check(drawer_draw(d, &frame, again));
    assert_memory_equal(first, again, BYTES);
    drawer_close(d);
}

/* What is kept of a pattern from frame to frame changes nothing. */
static void patterns_are_kept(void **state) {
    (void)state;
    enum { SIDE = 160, VERTICES = SIDE * SIDE, CELLS = (SIDE - 1) * (SIDE - 1) };
    static float positions[3 * VERTICES], normals[3 * VERTICES], coordinates[2 * VERTICES];
    static uint32_t indices[6 * CELLS];
    size_t count = 0;
    for (uint32_t i = 0; i < VERTICES; i++) {
        float u = (float)(i % SIDE) / (SIDE - 1), v = (float)(i / SIDE) / (SIDE - 1);
        memcpy(positions + 3 * i, (float[3]){u - 0.5f, v - 0.5f, 0.1f * u * v}, 12);
        memcpy(normals + 3 * i, (float[3]){0, 0, 1}, 12);
        memcpy(coordinates + 2 * i, (float[2]){u, v}, 8);
        if (i % SIDE < SIDE - 1 && i / SIDE < SIDE - 1) {
            const uint32_t cell[6] = {i, i + 1, i + 1 + SIDE, i, i + 1 + SIDE, i + SIDE};
            memcpy(indices + count, cell, sizeof cell);
            count += 6;
        }
    }
    draw_cloth cloth = {.mesh = {.vertices = VERTICES,
                                 .triangles = count / 3,
                                 .positions = positions,
                                 .normals = normals,
                                 .coordinates = coordinates,
                                 .indices = indices},
                        .color = {0.2f, 0.5f, 0.2f}};
    drawer *d = open_drawer();
    draw_body ball;
    draw_frame frame = make_frame(&cloth, &ball);
    static uint8_t anew[BYTES], kept[BYTES];
    for (int frames = 0; frames < 3; frames++) {
        for (size_t i = 0; i < VERTICES; i++) {
            positions[3 * i + 2] *= -2.0f;
        }
        cloth.pattern = 0;
        check(drawer_draw(d, &frame, anew));
        cloth.pattern = 7;
        check(drawer_draw(d, &frame, kept));
        check(drawer_draw(d, &frame, kept));
        assert_true(difference(anew, kept) < 0.05);
    }
    drawer_close(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_refined),
        cmocka_unit_test(lights_stand_still),
        cmocka_unit_test(vertices_have_colours),
        cmocka_unit_test(distances_are_those_of_the_nearest_surface),
        cmocka_unit_test(sizes_change),
        cmocka_unit_test(patterns_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
