#include "view/orbit.h"

#include <math.h>

#include "render/camera.h"

static const float STEEPEST = 1.55f; /* radians: short of straight up, where sides change places */
/* Radians that a drag over the height of the window turns. */
static const float TURN = 3.2f;
static const float ZOOM = 0.1f;
/* Times the size of what there is to see. */
static const float NEAREST = 0.05f, FARTHEST = 40.0f;

static float clamp(float value, float low, float high) {
    return fminf(fmaxf(value, low), high);
}

orbit orbit_make(const scene_camera *camera, float size) {
    v3 from_target = v3_sub(v3_load(camera->eye), v3_load(camera->target));
    float distance = v3_length(from_target);
    orbit o = {.target = {camera->target[0], camera->target[1], camera->target[2]},
               .distance = distance,
               .azimuth = atan2f(from_target.x, from_target.z),
               .elevation = asinf(clamp(from_target.y / distance, -1.0f, 1.0f)),
               .fov = camera->fov,
               .size = size};
    o.elevation = clamp(o.elevation, -STEEPEST, STEEPEST);
    return o;
}

static v3 backwards(const orbit *o) {
    float level = cosf(o->elevation);
    return v3_make(level * sinf(o->azimuth), sinf(o->elevation), level * cosf(o->azimuth));
}

scene_camera orbit_camera(const orbit *o) {
    scene_camera camera = {.given = true, .fov = o->fov};
    v3 target = v3_load(o->target);
    v3_store(camera.target, target);
    v3_store(camera.eye, v3_madd(target, backwards(o), o->distance));
    return camera;
}

void orbit_turn(orbit *o, float right, float down) {
    o->azimuth = remainderf(o->azimuth - TURN * right, 6.28318531f);
    o->elevation = clamp(o->elevation + TURN * down, -STEEPEST, STEEPEST);
}

void orbit_pan(orbit *o, float right, float down) {
    scene_camera camera = orbit_camera(o);
    camera_view view = camera_view_make(&camera, 1, 1);
    float height = 2.0f * view.slope[1] * o->distance; /* m, of the picture at the target */
    v3 target = v3_madd(v3_load(o->target), view.right, -height * right);
    v3_store(o->target, v3_madd(target, view.up, height * down));
}

void orbit_zoom(orbit *o, float nearer) {
    o->distance = clamp(o->distance * expf(-ZOOM * nearer), NEAREST * o->size, FARTHEST * o->size);
}

void orbit_walk(orbit *o, float right, float up, float ahead) {
    v3 to_right = v3_make(cosf(o->azimuth), 0.0f, -sinf(o->azimuth));
    v3 to_front = v3_make(-sinf(o->azimuth), 0.0f, -cosf(o->azimuth));
    v3 way = v3_add(v3_scale(to_right, right), v3_scale(to_front, ahead));
    way.y = up;
    v3_store(o->target, v3_madd(v3_load(o->target), way, o->distance));
}
