#include "render/light.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const float PI = 3.14159265f;

/* Where the middle of the softbox is, along right, up and forward, and its radius at unit distance.
 */
static const float KEY_RIGHT = -0.85f;
static const float KEY_UP = 0.95f;
static const float KEY_FORWARD = -0.3f;
static const float KEY_REACH = 0.115f;

/* Colours: a warm softbox, a cool dome. Together they send back about 1 from a white floor. */
static const float KEY_COLOR[4] = {0.92f, 0.885f, 0.84f};
static const float SKY_COLOR[4] = {0.35f, 0.365f, 0.39f};
/* What the floor sends back of its colour. */
static const float GROUND_SHARE = 0.45f;

void spread_point(int index, int count, float *u, float *v) {
    double turns = (index + 0.5) * 0.6180339887498949;
    *u = (float)(turns - floor(turns));
    *v = ((float)index + 0.5f) / (float)count;
}

studio studio_make(v3 facing, draw_bounds casters, v3 ground) {
    v3 forward = v3_make(facing.x, 0.0f, facing.z);
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
    /* Flat things have no extent along one of the axes. */
    v3 diagonal = v3_sub(v3_load(s->casters.high), v3_load(s->casters.low));
    float thinnest = 1e-4f * v3_length(diagonal);
    for (int i = 0; i < 3; i++) {
        float low, high;
        caster_range(s, axes[i], &low, &high);
        /* A rim of some pixels stays empty, so that all beyond the map is lit. */
        float margin = 3.0f * (high - low) / (float)map_size + thinnest;
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

static v3 key_axis(const studio *s) {
    return studio_direction(s, KEY_RIGHT, KEY_UP, KEY_FORWARD);
}

/* The softbox is a disc with its lights along a sunflower's spiral (Vogel, A Better Way to
 * Construct the Sunflower Head, 1979), which has no rows. A square with a lattice, tried first,
 * has: where an edge was parallel to them, its penumbra fell into a dozen stripes. */
static light key_light(const studio *s, int index, int count, int map_size) {
    static const float GOLDEN_ANGLE = 2.39996323f;
    float radius = KEY_REACH * sqrtf(((float)index + 0.5f) / (float)count);
    float angle = GOLDEN_ANGLE * (float)index;
    v3 middle = key_axis(s);
    v3 across = v3_across(middle);
    v3 along = v3_cross(middle, across);
    v3 direction =
        v3_madd(v3_madd(middle, across, radius * cosf(angle)), along, radius * sinf(angle));
    return make_light(s, v3_normalize(direction), 1.0f / PASS_KEYS, map_size);
}

/* Directions spread evenly over the upper half of the sphere (sign 1) or the lower one (sign -1).
 * Over a half, cosines integrate to pi, so that of `count` directions, each with strength 2 /
 * count, a white surface sends back 1. */
static v3 half_sphere(const studio *s, int index, int count, float sign) {
    float u, v;
    spread_point(index, count, &u, &v);
    float across = sqrtf(1.0f - u * u);
    return studio_direction(s, across * cosf(2.0f * PI * v), sign * u,
                            across * sinf(2.0f * PI * v));
}

static light sky_light(const studio *s, int index, int count, int map_size) {
    v3 direction = half_sphere(s, index, count, 1.0f);
    /* Brighter above, and behind what is shown, where it rims the folds. */
    float bright = 0.75f + 0.45f * direction.y + 0.2f * v3_dot(direction, s->forward);
    return make_light(s, direction, bright * 2.0f / PASS_SKIES, map_size);
}

static light ground_light(const studio *s, int index, int count, int map_size) {
    return make_light(s, half_sphere(s, index, count, -1.0f), 2.0f / PASS_GROUNDS, map_size);
}

lighting studio_lighting(const studio *s, int pass, int passes, int key_size, int dome_size) {
    lighting all = {0};
    for (int i = 0; i < PASS_KEYS; i++) {
        all.keys[i] = key_light(s, i * passes + pass, PASS_KEYS * passes, key_size);
    }
    for (int i = 0; i < PASS_SKIES; i++) {
        all.dome[i] = sky_light(s, i * passes + pass, PASS_SKIES * passes, dome_size);
    }
    for (int i = 0; i < PASS_GROUNDS; i++) {
        all.dome[PASS_SKIES + i] =
            ground_light(s, i * passes + pass, PASS_GROUNDS * passes, dome_size);
    }
    memcpy(all.key_color, KEY_COLOR, sizeof all.key_color);
    memcpy(all.sky_color, SKY_COLOR, sizeof all.sky_color);
    v3_store(all.ground_color, v3_scale(s->ground, GROUND_SHARE));
    v3_store(all.key_axis, key_axis(s));
    return all;
}

bool studio_key_shadow(const studio *s, v3 point, v3 normal, const v3 axes[2], float low[2],
                       float high[2]) {
    v3 middle = key_axis(s);
    v3 across = v3_across(middle);
    v3 along = v3_cross(middle, across);
    for (int i = 0; i < 2; i++) {
        low[i] = FLT_MAX;
        high[i] = -FLT_MAX;
    }
    /* From the corners of a square around the softbox past those of a box around the casters. */
    for (int k = 0; k < 32; k++) {
        v3 source = v3_madd(v3_madd(middle, across, k & 8 ? KEY_REACH : -KEY_REACH), along,
                            k & 16 ? KEY_REACH : -KEY_REACH);
        v3 corner = v3_make(k & 1 ? s->casters.high[0] : s->casters.low[0],
                            k & 2 ? s->casters.high[1] : s->casters.low[1],
                            k & 4 ? s->casters.high[2] : s->casters.low[2]);
        float facing = v3_dot(source, normal);
        if (facing < 0.05f) {
            return false;
        }
        v3 shadow = v3_madd(corner, source, -v3_dot(v3_sub(corner, point), normal) / facing);
        for (int i = 0; i < 2; i++) {
            float place = v3_dot(v3_sub(shadow, point), axes[i]);
            low[i] = fminf(low[i], place);
            high[i] = fmaxf(high[i], place);
        }
    }
    return true;
}
