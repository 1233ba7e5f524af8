#include "render/frame.h"

#include <float.h>
#include <math.h>

#include "render/matrix.h"
#include "render/shapes.h"

/* A body with more than this many times the diameter of all cloths is their ground. */
static const float DWARFED = 3.0f;

/* The camera frames are taken with: a long lens, from a little to the right and above. */
static const float CAMERA_FOV = 26.0f;
static const float CAMERA_AZIMUTH = 22.0f;
static const float CAMERA_ELEVATION = 17.0f;
static const float CAMERA_MARGIN = 1.12f;

static const draw_bounds NOTHING = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

static float radians(float degrees) {
    return degrees * 0.0174532925f;
}

static void bounds_add(draw_bounds *bounds, const float point[3]) {
    for (int i = 0; i < 3; i++) {
        bounds->low[i] = fminf(bounds->low[i], point[i]);
        bounds->high[i] = fmaxf(bounds->high[i], point[i]);
    }
}

static bool bounds_empty(draw_bounds bounds) {
    return !(bounds.low[0] < bounds.high[0] || bounds.low[1] < bounds.high[1] ||
             bounds.low[2] < bounds.high[2]);
}

static float bounds_diameter(draw_bounds bounds) {
    return v3_length(v3_sub(v3_load(bounds.high), v3_load(bounds.low)));
}

draw_bounds draw_bounds_union(draw_bounds a, draw_bounds b) {
    if (bounds_empty(a)) {
        return b;
    }
    if (!bounds_empty(b)) {
        bounds_add(&a, b.low);
        bounds_add(&a, b.high);
    }
    return a;
}

static draw_bounds cloth_bounds(const draw_frame *frame) {
    draw_bounds bounds = NOTHING;
    for (int i = 0; i < frame->cloth_count; i++) {
        const mesh_view *mesh = &frame->cloths[i].mesh;
        if (frame->cloths[i].texels) {
            bounds_add(&bounds, frame->cloths[i].bounds.low);
            bounds_add(&bounds, frame->cloths[i].bounds.high);
            continue;
        }
        for (size_t k = 0; k < mesh->vertices; k++) {
            bounds_add(&bounds, mesh->positions + 3 * k);
        }
    }
    return bounds;
}

draw_bounds draw_frame_bounds(const draw_frame *frame) {
    draw_bounds cloths = cloth_bounds(frame);
    float largest = bounds_empty(cloths) ? INFINITY : DWARFED * bounds_diameter(cloths);
    draw_bounds bounds = cloths;
    for (int i = 0; i < frame->body_count; i++) {
        if (frame->bodies[i].def.shape == TOILE_SHAPE_PLANE) {
            continue;
        }
        draw_bounds body = body_bounds(&frame->bodies[i]);
        if (bounds_diameter(body) <= largest) {
            bounds = draw_bounds_union(bounds, body);
        }
    }
    return bounds_empty(bounds) ? (draw_bounds){0} : bounds;
}

draw_bounds frame_shown_bounds(const draw_frame *frame) {
    draw_bounds bounds = bounds_empty(frame->bounds) ? draw_frame_bounds(frame) : frame->bounds;
    return bounds_empty(bounds) ? (draw_bounds){{-0.5f, 0.0f, -0.5f}, {0.5f, 1.0f, 0.5f}} : bounds;
}

static v3 corner(const draw_bounds *bounds, int i) {
    return v3_make(i & 1 ? bounds->high[0] : bounds->low[0],
                   i & 2 ? bounds->high[1] : bounds->low[1],
                   i & 4 ? bounds->high[2] : bounds->low[2]);
}

/* The distance from target, against the view direction, at which all corners fit between two
 * opposite sides of the view; shift is how far the target has to move along the axis between them
 * to be in the middle. */
static float fit_axis(const draw_bounds *bounds, v3 target, v3 axis, v3 forward, float slope,
                      float *shift) {
    float ahead = -FLT_MAX, behind = -FLT_MAX;
    for (int i = 0; i < 8; i++) {
        v3 from_target = v3_sub(corner(bounds, i), target);
        float depth = v3_dot(from_target, forward);
        float side = v3_dot(from_target, axis) / slope;
        ahead = fmaxf(ahead, side - depth);
        behind = fmaxf(behind, -side - depth);
    }
    *shift = 0.5f * (ahead - behind) * slope;
    return 0.5f * (ahead + behind);
}

scene_camera draw_frame_camera(const draw_frame *frame) {
    draw_bounds bounds = frame_shown_bounds(frame);
    float aspect = frame->options.size[0] > 0 && frame->options.size[1] > 0
                       ? (float)frame->options.size[0] / (float)frame->options.size[1]
                       : 1.0f;
    float elevation = radians(CAMERA_ELEVATION), azimuth = radians(CAMERA_AZIMUTH);
    v3 forward = v3_make(-cosf(elevation) * sinf(azimuth), -sinf(elevation),
                         -cosf(elevation) * cosf(azimuth));
    v3 right = v3_normalize(v3_cross(forward, v3_make(0.0f, 1.0f, 0.0f)));
    v3 up = v3_cross(right, forward);
    float slope = tanf(0.5f * radians(CAMERA_FOV)) / CAMERA_MARGIN;
    v3 target = v3_scale(v3_add(v3_load(bounds.low), v3_load(bounds.high)), 0.5f);

    float shift_right, shift_up;
    float wide = fit_axis(&bounds, target, right, forward, slope * aspect, &shift_right);
    float high = fit_axis(&bounds, target, up, forward, slope, &shift_up);
    target = v3_madd(v3_madd(target, right, shift_right), up, shift_up);
    scene_camera camera = {.given = true, .fov = CAMERA_FOV};
    v3_store(camera.target, target);
    v3_store(camera.eye, v3_madd(target, forward, -fmaxf(wide, high)));
    return camera;
}
