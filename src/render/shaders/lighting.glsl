// The lights of one pass and their shadow maps; light.h says what they stand for. draw.c fills the block.
const int KEYS = 4;    // of the softbox
const int SKIES = 5;   // of the dome
const int GROUNDS = 1; // of the floor

struct light {
    vec4 to_map[3]; // rows of the matrix from world to shadow map, 0 to 1 along all three axes
    vec4 direction; // towards it; w: m, size of a pixel of the map
    vec4 strength;  // x: what a white surface that faces it sends back
};
layout(std140) uniform lighting {
    light lights[KEYS + SKIES + GROUNDS];
    vec4 key_color, sky_color, ground_color;
};
uniform sampler2DArrayShadow key_maps;
uniform sampler2DArrayShadow sky_maps; // of dome and floor

// What arrives at a point, per unit of colour of the surface.
struct arrival {
    vec3 front;  // on the side of the normal
    vec3 behind; // on the other one
    vec3 open;   // on the side of the normal, if nothing cast a shadow
    vec3 glint;  // from the softbox, mirrored by a smooth coat
};

struct receiver {
    vec3 position, normal, to_eye;
};

// One group of lights, still without colour.
struct tally {
    float front, behind, open, glint;
};

// How much of a light is seen. The receiver is lifted off its surface by some pixels of the map, more where light
// grazes: no surface shades itself, and as it is lifted along the normal, shadows keep in touch with what casts them.
float visible(light l, sampler2DArrayShadow maps, int layer, receiver r, float facing) {
    float lift = l.direction.w * (2.0 - 1.4 * abs(facing));
    vec4 lifted = vec4(r.position + r.normal * (facing < 0.0 ? -lift : lift), 1.0);
    // What lies behind all casters is as deep as the empty map.
    float depth = min(dot(l.to_map[2], lifted), 1.0);
    return texture(maps, vec4(dot(l.to_map[0], lifted), dot(l.to_map[1], lifted), float(layer), depth));
}

// Blinn-Phong, normalised, for a coat of middling roughness.
float mirrored(receiver r, vec3 to_light) {
    const float SHARPNESS = 70.0;
    float aligned = max(dot(r.normal, normalize(to_light + r.to_eye)), 0.0);
    return (SHARPNESS + 8.0) / 8.0 * pow(aligned, SHARPNESS);
}

void take(inout tally t, light l, sampler2DArrayShadow maps, int layer, receiver r) {
    float facing = dot(r.normal, l.direction.xyz);
    float seen = l.strength.x * visible(l, maps, layer, r, facing);
    t.front += seen * max(facing, 0.0);
    t.behind += seen * max(-facing, 0.0);
    t.open += l.strength.x * max(facing, 0.0);
    t.glint += seen * max(facing, 0.0) * mirrored(r, l.direction.xyz);
}

// Not a loop: with constant indices, Mesa's software renderer loads a light once for all pixels of a vector, which
// makes it half again as fast.
arrival gather(receiver r) {
    tally key = tally(0.0, 0.0, 0.0, 0.0), sky = key, ground = key;
    take(key, lights[0], key_maps, 0, r);
    take(key, lights[1], key_maps, 1, r);
    take(key, lights[2], key_maps, 2, r);
    take(key, lights[3], key_maps, 3, r);
    take(sky, lights[4], sky_maps, 0, r);
    take(sky, lights[5], sky_maps, 1, r);
    take(sky, lights[6], sky_maps, 2, r);
    take(sky, lights[7], sky_maps, 3, r);
    take(sky, lights[8], sky_maps, 4, r);
    take(ground, lights[9], sky_maps, 5, r);
    vec3 k = key_color.rgb, s = sky_color.rgb, g = ground_color.rgb;
    return arrival(k * key.front + s * sky.front + g * ground.front,
                   k * key.behind + s * sky.behind + g * ground.behind,
                   k * key.open + s * sky.open + g * ground.open, k * key.glint);
}
