#include "cpu/refine_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

toile_result refine_images_make(refine_images *images, int side, int views, int layers) {
    const size_t pixels = (size_t)side * (size_t)side * (size_t)views * (size_t)layers;
    *images = (refine_images){.side = side, .views = views, .layers = layers};
    images->pixels = memory_alloc(pixels + 1, sizeof *images->pixels, "depth layers");
    return images->pixels ? TOILE_OK : TOILE_ERROR_MEMORY;
}

void refine_images_free(refine_images *images) {
    free(images->pixels);
    *images = (refine_images){0};
}

/* ---- triangles ----------------------------------------------------------------------------------
 */

/* One layer of one view. */
typedef struct canvas {
    const refine_view *view;
    int side;
    v4 *out;
    const v4 *nearer; /* the layer in front of it; NULL: none */
    bool drawn;       /* is there anything in it? */
} canvas;

/* A corner in clip space. */
typedef struct clip_point {
    double x, y, z, w;
} clip_point;

/* A corner in the image. */
typedef struct image_point {
    double x, y, depth;
} image_point;

static double row_of(v4 row, v3 p) {
    return (double)row.x * (double)p.x + (double)row.y * (double)p.y + (double)row.z * (double)p.z +
           (double)row.w;
}

static clip_point to_clip(const refine_view *view, v3 p) {
    return (clip_point){row_of(view->x, p), row_of(view->y, p), row_of(view->z, p),
                        row_of(view->w, p)};
}

/* Front to back, and by number where surfaces coincide, as the GPU draws them. */
static bool is_behind(double depth, float id, v4 nearer) {
    const float rounded = (float)depth;
    return nearer.w != 0.0f &&
           (rounded > nearer.x || (rounded == nearer.x && fabsf(id) > fabsf(nearer.w)));
}

static void put_pixel(canvas *c, size_t at, float id, double depth, double right, double up) {
    if (c->nearer && !is_behind(depth, id, c->nearer[at])) {
        return;
    }
    v4 *out = &c->out[at];
    const float rounded = (float)depth;
    if (out->w == 0.0f || rounded < out->x || (rounded == out->x && fabsf(id) < fabsf(out->w))) {
        *out = (v4){rounded, (float)right, (float)up, id};
        c->drawn = true;
    }
}

static v3 corner_from(image_point p, double x, double y) {
    return v3_make((float)(p.x - x), (float)(p.y - y), 0.0f);
}

static int clamp_pixel(double at, int side) {
    return at < 0.0 ? 0 : at > side - 1 ? side - 1 : (int)at;
}

static void draw_in_image(canvas *c, image_point p, image_point q, image_point r, float id) {
    const double area = (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    if (area == 0.0) {
        return;
    }
    const double right =
        ((q.depth - p.depth) * (r.y - p.y) - (r.depth - p.depth) * (q.y - p.y)) / area;
    const double up =
        ((r.depth - p.depth) * (q.x - p.x) - (q.depth - p.depth) * (r.x - p.x)) / area;
    const float facing = area > 0.0 ? 1.0f : -1.0f;
    const int first = clamp_pixel(fmin(p.x, fmin(q.x, r.x)) - 0.5, c->side);
    const int last = clamp_pixel(fmax(p.x, fmax(q.x, r.x)) + 0.5, c->side);
    const int top = clamp_pixel(fmax(p.y, fmax(q.y, r.y)) + 0.5, c->side);
    for (int row = clamp_pixel(fmin(p.y, fmin(q.y, r.y)) - 0.5, c->side); row <= top; row++) {
        for (int column = first; column <= last; column++) {
            const double x = column + 0.5, y = row + 0.5;
            const v3 a = corner_from(p, x, y), b = corner_from(q, x, y), d = corner_from(r, x, y);
            if (refine_line_side(a, b) == facing && refine_line_side(b, d) == facing &&
                refine_line_side(d, a) == facing) {
                const double depth = p.depth + right * (x - p.x) + up * (y - p.y);
                put_pixel(c, (size_t)row * (size_t)c->side + (size_t)column, facing * id, depth,
                          right, up);
            }
        }
    }
}

static image_point to_image(clip_point p, int side) {
    return (image_point){(0.5 * p.x / p.w + 0.5) * side, (0.5 * p.y / p.w + 0.5) * side,
                         0.5 * p.z / p.w + 0.5};
}

/* What is behind the eye is cut off. */
static int clip(const clip_point in[3], clip_point out[4]) {
    const double least = 1e-6;
    int count = 0;
    for (int k = 0; k < 3; k++) {
        const clip_point a = in[k], b = in[(k + 1) % 3];
        if (a.w >= least) {
            out[count++] = a;
        }
        if ((a.w >= least) != (b.w >= least)) {
            const double t = (least - a.w) / (b.w - a.w);
            out[count++] = (clip_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y),
                                        a.z + t * (b.z - a.z), least};
        }
    }
    return count;
}

static void draw_triangle(canvas *c, v3 a, v3 b, v3 d, size_t number) {
    const clip_point corners[3] = {to_clip(c->view, a), to_clip(c->view, b), to_clip(c->view, d)};
    clip_point cut[4];
    const int count = clip(corners, cut);
    for (int k = 2; k < count; k++) {
        draw_in_image(c, to_image(cut[0], c->side), to_image(cut[k - 1], c->side),
                      to_image(cut[k], c->side), (float)(number + 1));
    }
}

/* ---- peeling ------------------------------------------------------------------------------------
 */

/* What is peeled. */
typedef struct surface {
    const refine_scene *scene; /* NULL: a grid */
    const v3 *grid;
    int columns, rows;
} surface;

static void draw_bodies(canvas *c, const refine_scene *s) {
    for (size_t i = 0; i < s->body_count; i++) {
        const refine_body *b = &s->bodies[i];
        for (size_t t = b->first_triangle; b->kept && t < b->first_triangle + b->triangles; t++) {
            const uint32_t *corners = s->corners + 3 * t;
            draw_triangle(c, s->end[corners[0]], s->end[corners[1]], s->end[corners[2]], t);
        }
    }
}

static void draw_grid(canvas *c, const surface *s) {
    size_t number = 0;
    for (int row = 0; row + 1 < s->rows; row++) {
        for (int column = 0; column + 1 < s->columns; column++, number += 2) {
            const v3 *at = s->grid + (size_t)row * (size_t)s->columns + column;
            const v3 *next = at + s->columns;
            draw_triangle(c, at[0], at[1], next[1], number);
            draw_triangle(c, at[0], next[1], next[0], number + 1);
        }
    }
}

/* Returns whether anything was drawn. */
static bool peel_layer(refine_images *images, const refine_view *views, const surface *s,
                       int layer) {
    const size_t pixels = (size_t)images->side * (size_t)images->side;
    bool drawn = false;
    for (int view = 0; view < images->views; view++) {
        const size_t image = (size_t)layer * (size_t)images->views + (size_t)view;
        canvas c = {.view = &views[view],
                    .side = images->side,
                    .out = images->pixels + image * pixels,
                    .nearer = layer > 0 ? images->pixels + (image - (size_t)images->views) * pixels
                                        : NULL};
        memset(c.out, 0, pixels * sizeof *c.out);
        if (s->scene) {
            draw_bodies(&c, s->scene);
        } else {
            draw_grid(&c, s);
        }
        drawn = drawn || c.drawn;
    }
    return drawn;
}

static void peel(refine_images *images, const refine_view *views, const surface *s) {
    images->peeled = 0;
    while (images->peeled < images->layers && peel_layer(images, views, s, images->peeled)) {
        images->peeled++;
    }
}

void refine_peel(refine_images *images, const refine_scene *s) {
    peel(images, s->views, &(surface){.scene = s});
}

void refine_peel_grid(refine_images *images, const refine_scene *s, const v3 *grid, int columns,
                      int rows) {
    peel(images, s->views, &(surface){.grid = grid, .columns = columns, .rows = rows});
}
