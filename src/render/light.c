#include "render/light.h"

#include <float.h>
#include <math.h>

static const float PI = 3.14159265f;

/* Where the middle of the softbox is, along right, up and forward, and its radius at unit distance.
 */
static const float KEY_RIGHT = -0.62f;
static const float KEY_UP = 1.0f;
static const float KEY_FORWARD = -0.42f;
static const float KEY_RADIUS = 0.16f;

/* Colours: a warm softbox, a cool dome. Together they send back about 1 from a white floor. */
static const v3 KEY_COLOR = {0.74f, 0.715f, 0.68f};
static const v3 SKY_COLOR = {0.435f, 0.45f, 0.475f};
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

/* The light's own axes: across, along and towards it. */
static light make_light(const studio *s, v3 direction, v3 color, int map_size) {
    v3 axes[3] = {v3_across(direction), direction, v3_scale(direction, -1.0f)};
    axes[1] = v3_cross(direction, axes[0]);
    float offset[3];
    light result = {.texel = 0.0f};
    for (int k = 0; k < 3; k++) {
        float low = FLT_MAX, high = -FLT_MAX;
        for (int i = 0; i < 8; i++) {
            const draw_bounds *b = &s->casters;
            v3 corner = v3_make(i & 1 ? b->high[0] : b->low[0], i & 2 ? b->high[1] : b->low[1],
                                i & 4 ? b->high[2] : b->low[2]);
            low = fminf(low, v3_dot(axes[k], corner));
            high = fmaxf(high, v3_dot(axes[k], corner));
        }
        /* Some pixels around stay free, so that what lies outside of the map is lit. */
        float margin = 3.0f * (high - low) / (float)map_size + 1e-4f;
        float scale = 1.0f / (high - low + 2.0f * margin);
        axes[k] = v3_scale(axes[k], scale);
        offset[k] = (margin - low) * scale;
        if (k < 2) {
            result.texel = fmaxf(result.texel, 1.0f / (scale * (float)map_size));
        }
    }
    result.to_map = mat4_affine(axes, offset);
    v3_store(result.direction, direction);
    v3_store(result.color, color);
    return result;
}

static v3 studio_direction(const studio *s, float right, float up, float forward) {
    v3 direction = v3_madd(v3_scale(s->right, right), s->forward, forward);
    direction.y = up;
    return v3_normalize(direction);
}

light studio_key(const studio *s, int index, int count, int map_size) {
    float u, v;
    spread_point(index, &u, &v);
    v3 middle = studio_direction(s, KEY_RIGHT, KEY_UP, KEY_FORWARD);
    v3 across = v3_across(middle);
    v3 along = v3_cross(middle, across);
    float radius = KEY_RADIUS * sqrtf(u);
    v3 direction = v3_madd(v3_madd(middle, across, radius * cosf(2.0f * PI * v)), along,
                           radius * sinf(2.0f * PI * v));
    return make_light(s, v3_normalize(direction), v3_scale(KEY_COLOR, 1.0f / (float)count),
                      map_size);
}

/* Directions that are spread evenly over the upper (sign 1) or lower (sign -1) half of the sphere.
 * Over one half, the cosines integrate to pi; uniform light of colour 1 sends back 1, so each
 * direction carries 2 / count. */
static v3 half_sphere(const studio *s, int index, float sign) {
    float u, v;
    spread_point(index, &u, &v);
    float across = sqrtf(1.0f - u * u);
    return studio_direction(s, across * cosf(2.0f * PI * v), sign * u,
                            across * sinf(2.0f * PI * v));
}

light studio_sky(const studio *s, int index, int count, int map_size) {
    v3 direction = half_sphere(s, index, 1.0f);
    /* Brighter above, and behind what is shown, where it rims the folds. */
    float bright = 0.75f + 0.45f * direction.y + 0.2f * v3_dot(direction, s->forward);
    v3 color = v3_scale(SKY_COLOR, bright * 2.0f / (float)count);
    return make_light(s, direction, color, map_size);
}

light studio_ground(const studio *s, int index, int count, int map_size) {
    v3 color = v3_scale(s->ground, GROUND_SHARE * 2.0f / (float)count);
    return make_light(s, half_sphere(s, index, -1.0f), color, map_size);
}
