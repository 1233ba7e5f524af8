#include "render/light.h"

#include <math.h>
#include <string.h>

static const float PI = 3.14159265f;

/* Where the middle of the softbox is, along right, up and forward, and its radius at unit distance.
 */
static const float KEY_RIGHT = -0.62f;
static const float KEY_UP = 1.0f;
static const float KEY_FORWARD = -0.42f;
static const float KEY_RADIUS = 0.16f;

/* Colours: a warm softbox, a cool dome. Together they send back about 1 from a white floor. */
static const float KEY_COLOR[4] = {0.74f, 0.715f, 0.68f};
static const float SKY_COLOR[4] = {0.435f, 0.45f, 0.475f};
/* What the floor sends back of its colour. */
static const float GROUND_SHARE = 0.45f;

/* The R2 sequence of M. Roberts, The Unreasonable Effectiveness of Quasirandom Sequences, 2018. */
void spread_point(int index, float *u, float *v) {
    double n = index + 1;
    double x = 0.5 + n * 0.7548776662466927;
    double y = 0.5 + n * 0.5698402909980532;
    *u = (float)(x - floor(x));
    *v = (float)(y - floor(y));
}

studio studio_make(const scene_camera *camera, draw_bounds casters, v3 ground) {
    v3 forward = v3_sub(v3_load(camera->target), v3_load(camera->eye));
    forward.y = 0.0f;
    if (v3_dot(forward, forward) < 1e-12f) {
        forward = v3_make(0.0f, 0.0f, -1.0f); /* seen from straight above or below */
    }
    forward = v3_normalize(forward);
    v3 right = v3_make(-forward.z, 0.0f, forward.x);
    return (studio){.forward = forward, .right = right, .casters = casters, .ground = ground};
}

/* The least and greatest of the caster's bounds along an axis. */
static void caster_range(const studio *s, v3 axis, float *low, float *high) {
    v3 a = v3_load(s->casters.low), b = v3_load(s->casters.high);
    v3 middle = v3_scale(v3_add(a, b), 0.5f), half = v3_scale(v3_sub(b, a), 0.5f);
    float reach = half.x * fabsf(axis.x) + half.y * fabsf(axis.y) + half.z * fabsf(axis.z);
    *low = v3_dot(axis, middle) - reach;
    *high = v3_dot(axis, middle) + reach;
}

static light make_light(const studio *s, v3 direction, float strength, int map_size) {
    v3 across = v3_across(direction);
    v3 axes[3] = {across, v3_cross(direction, across), v3_scale(direction, -1.0f)};
    light l = {.strength = {strength}};
    v3_store(l.direction, direction);
    for (int i = 0; i < 3; i++) {
        float low, high;
        caster_range(s, axes[i], &low, &high);
        /* A rim of some pixels stays empty, so that all beyond the map is lit. */
        float margin = 3.0f * (high - low) / (float)map_size + 1e-4f;
        float scale = 1.0f / (high - low + 2.0f * margin);
        v3_store(l.to_map[i], v3_scale(axes[i], scale));
        l.to_map[i][3] = (margin - low) * scale;
        if (i < 2) {
            l.texel = fmaxf(l.texel, 1.0f / (scale * (float)map_size));
        }
    }
    return l;
}

static v3 studio_direction(const studio *s, float right, float up, float forward) {
    v3 direction = v3_madd(v3_scale(s->right, right), s->forward, forward);
    direction.y = up;
    return v3_normalize(direction);
}

static light key_light(const studio *s, int index, int map_size) {
    float u, v;
    spread_point(index, &u, &v);
    v3 middle = studio_direction(s, KEY_RIGHT, KEY_UP, KEY_FORWARD);
    v3 across = v3_across(middle);
    v3 along = v3_cross(middle, across);
    float radius = KEY_RADIUS * sqrtf(u);
    v3 direction =
        v3_madd(v3_madd(middle, across, radius * cosf(2.0f * PI * v)), along, radius * sinf(2.0f * PI * v));
    return make_light(s, v3_normalize(direction), 1.0f / PASS_KEYS, map_size);
}

/* Directions spread evenly over the upper half of the sphere (sign 1) or the lower one (sign -1). Over a half, cosines
 * integrate to pi, so that of `count` directions, each with strength 2 / count, a white surface sends back 1. */
static v3 half_sphere(const studio *s, int index, float sign) {
    float u, v;
    spread_point(index, &u, &v);
    float across = sqrtf(1.0f - u * u);
    return studio_direction(s, across * cosf(2.0f * PI * v), sign * u, across * sinf(2.0f * PI * v));
}

static light sky_light(const studio *s, int index, int map_size) {
    v3 direction = half_sphere(s, index, 1.0f);
    /* Brighter above, and behind what is shown, where it rims the folds. */
    float bright = 0.75f + 0.45f * direction.y + 0.2f * v3_dot(direction, s->forward);
    return make_light(s, direction, bright * 2.0f / PASS_SKIES, map_size);
}

static light ground_light(const studio *s, int index, int map_size) {
    return make_light(s, half_sphere(s, index, -1.0f), 2.0f / PASS_GROUNDS, map_size);
}

lighting studio_lighting(const studio *s, int pass, int key_size, int sky_size) {
    lighting all;
    for (int i = 0; i < PASS_KEYS; i++) {
        all.keys[i] = key_light(s, pass * PASS_KEYS + i, key_size);
    }
    for (int i = 0; i < PASS_SKIES; i++) {
        all.skies[i] = sky_light(s, pass * PASS_SKIES + i, sky_size);
    }
    for (int i = 0; i < PASS_GROUNDS; i++) {
        all.grounds[i] = ground_light(s, pass * PASS_GROUNDS + i, sky_size);
    }
    memcpy(all.key_color, KEY_COLOR, sizeof all.key_color);
    memcpy(all.sky_color, SKY_COLOR, sizeof all.sky_color);
    v3_store(all.ground_color, v3_scale(s->ground, GROUND_SHARE));
    all.ground_color[3] = 0.0f;
    return all;
}
