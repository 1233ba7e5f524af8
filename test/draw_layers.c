/* Draws the layers that depth peeling finds of a mesh (Wang 2005 Figure 6.4), seen from its left.
 *
 *     draw_layers FILE.obj COUNT PREFIX     writes PREFIX1.png ... for layers 1 to COUNT
 *
 * What faces the camera is grey, what faces away from it blue. No test: it checks nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu/refine_image.h"
#include "io/mesh_read.h"
#include "kernel/triangle.h"
#include "render/picture.h"

/* Pixels: of the peel image, of a side of the square that becomes one pixel of the picture, and of
 * the picture. */
enum { SIDE = 1280, SAMPLES = 2, HEIGHT = SIDE / SAMPLES, WIDTH = 300 };

/* From its left and a little in front, 3.9 m from the middle of its box. */
static refine_camera place_camera(const mesh_data *mesh) {
    v3 low = v3_make(INFINITY, INFINITY, INFINITY), high = v3_scale(low, -1.0f);
    for (size_t i = 0; i < mesh->vertices; i++) {
        const float *p = mesh->positions + 3 * i;
        low = v3_min(low, v3_make(p[0], p[1], p[2]));
        high = v3_max(high, v3_make(p[0], p[1], p[2]));
    }
    const v3 toward = v3_make(0.95f, 0.0f, 0.3122f), middle = v3_scale(v3_add(low, high), 0.5f);
    return (refine_camera){.eye = v3_madd(middle, toward, 3.9f),
                           .forward = v3_scale(toward, -1.0f),
                           .up = {0.0f, 1.0f, 0.0f},
                           .tangents = {0.24f, 0.24f},
                           .begin = 1.0f,
                           .end = 6.0f};
}

/* Colours of a pixel, 0 to 255. */
static v3 colour_of(const refine_scene *s, v4 pixel) {
    if (pixel.w == 0.0f) {
        return v3_make(255.0f, 255.0f, 255.0f);
    }
    const uint32_t *c = s->corners + 3 * ((size_t)fabsf(pixel.w) - 1);
    v3 normal = triangle_normal(s->end[c[0]], s->end[c[1]], s->end[c[2]]);
    const v3 light = v3_make(0.69f, 0.55f, 0.47f);
    if (pixel.w > 0.0f) {
        return v3_scale(v3_make(205.0f, 200.0f, 192.0f),
                        0.45f + 0.55f * k_max(0.0f, v3_dot(normal, light)));
    }
    return v3_scale(v3_make(120.0f, 150.0f, 190.0f),
                    0.45f + 0.55f * k_max(0.0f, -v3_dot(normal, light)));
}

static toile_result draw(const refine_scene *s, const refine_images *images, int layer,
                         const char *path) {
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    const int left = (HEIGHT - WIDTH) / 2;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            v3 sum = v3_make(0.0f, 0.0f, 0.0f);
            for (int k = 0; k < SAMPLES * SAMPLES; k++) {
                const int column = (left + x) * SAMPLES + k % SAMPLES;
                const int row = SIDE - 1 - (y * SAMPLES + k / SAMPLES);
                const v4 at = {(float)column, (float)row, 0.0f, 1.0f};
                sum = v3_add(sum, colour_of(s, refine_pixel(images, layer, 0, at)));
            }
            uint8_t *out = rgb + 3 * (y * WIDTH + x);
            out[0] = (uint8_t)(sum.x / (SAMPLES * SAMPLES));
            out[1] = (uint8_t)(sum.y / (SAMPLES * SAMPLES));
            out[2] = (uint8_t)(sum.z / (SAMPLES * SAMPLES));
        }
    }
    return picture_write_png(path, WIDTH, HEIGHT, rgb);
}

static toile_result draw_all(const mesh_data *mesh, int count, const char *prefix) {
    const refine_object body = {mesh->vertices, mesh->indices, mesh->triangles};
    refine_def def = {.columns = 2,
                      .rows = 2,
                      .spacing = {1.0f, 1.0f},
                      .objects = &body,
                      .object_count = 1,
                      .options = refine_default_options()};
    def.options.directions = 0;
    def.options.resolution = SIDE;
    float coarse[12] = {0};
    const float *positions = mesh->positions;
    const refine_camera camera = place_camera(mesh);
    const refine_step step = {
        .coarse = coarse, .end = &positions, .camera = &camera, .time_step = 1.0f};
    refine_scene s = {0};
    refine_images images = {0};
    toile_result result = refine_scene_make(&s, &def);
    result = result == TOILE_OK ? refine_scene_step(&s, &def, &step) : result;
    result = result == TOILE_OK ? refine_images_make(&images, SIDE, 1, count) : result;
    if (result == TOILE_OK) {
        refine_peel(&images, &s);
        printf("%d of %d layers have something in them\n", images.peeled, count);
    }
    for (int layer = 0; layer < count && result == TOILE_OK; layer++) {
        char path[4096];
        snprintf(path, sizeof path, "%s%d.png", prefix, layer + 1);
        result = draw(&s, &images, layer, path);
    }
    refine_images_free(&images);
    refine_scene_free(&s);
    return result;
}

int main(int count, char **words) {
    mesh_data mesh = {0};
    if (count != 4) {
        fputs("usage: draw_layers FILE.obj COUNT PREFIX\n", stderr);
        return 2;
    }
    const int layers = atoi(words[2]);
    toile_result result = mesh_read(words[1], &mesh);
    if (result == TOILE_OK && layers > 0 && layers <= REFINE_MOST_LAYERS) {
        result = draw_all(&mesh, layers, words[3]);
    }
    if (result != TOILE_OK) {
        fprintf(stderr, "draw_layers: %s\n", toile_error_message());
    }
    mesh_free(&mesh);
    return result == TOILE_OK ? 0 : 1;
}
