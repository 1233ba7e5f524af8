// The lights of one pass and their shadow maps; light.h says what they stand for. draw.c fills the block.
const int KEYS = 6;    // of the softbox
const int SKIES = 8;   // of the dome
const int GROUNDS = 2; // of the floor

struct light {
    vec4 to_map[3]; // rows of the matrix from world to shadow map, 0 to 1 along all three axes
    vec4 direction; // towards it; w: m, size of a pixel of the map
    vec4 strength;  // x: what a white surface that faces it sends back
};
layout(std140) uniform lighting {
    light lights[KEYS + SKIES + GROUNDS];
    vec4 key_color, sky_color, ground_color;
    vec4 key_axis; // to the middle of the softbox
};
uniform sampler2DArrayShadow key_maps;
uniform sampler2DArrayShadow dome_maps; // of dome and floor

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
float visible(light l, sampler2DArrayShadow maps, float layer, receiver r, float facing) {
    float lift = l.direction.w * (2.0 - 1.4 * abs(facing));
    vec4 lifted = vec4(r.position + r.normal * (facing < 0.0 ? -lift : lift), 1.0);
    // What lies behind all casters is as deep as the empty map.
    float depth = min(dot(l.to_map[2], lifted), 1.0);
    return texture(maps, vec4(dot(l.to_map[0], lifted), dot(l.to_map[1], lifted), layer, depth));
}

// Blinn-Phong with the exponent 64, by squares, and normalised: a coat of middling roughness.
float mirrored(receiver r, vec3 to_light) {
    vec3 between = to_light + r.to_eye;
    float x = max(dot(r.normal, between) * inversesqrt(max(dot(between, between), 1e-8)), 0.0);
    float x2 = x * x, x4 = x2 * x2, x8 = x4 * x4, x16 = x8 * x8, x32 = x16 * x16;
    return 9.0 * x32 * x32;
}

void take(inout tally t, light l, sampler2DArrayShadow maps, float layer, receiver r) {
    float facing = dot(r.normal, l.direction.xyz);
    float seen = l.strength.x * visible(l, maps, layer, r, facing);
    t.front += seen * max(facing, 0.0);
    t.behind += seen * max(-facing, 0.0);
    t.open += l.strength.x * max(facing, 0.0);
    t.glint += seen * max(facing, 0.0) * mirrored(r, l.direction.xyz);
}

// Neither of the two is a loop: with constant indices, Mesa's software renderer loads a light once for all pixels of a
// vector, which makes it half again as fast.
arrival gather_keys(receiver r) {
    tally key = tally(0.0, 0.0, 0.0, 0.0);
    take(key, lights[0], key_maps, 0.0, r);
    take(key, lights[1], key_maps, 1.0, r);
    take(key, lights[2], key_maps, 2.0, r);
    take(key, lights[3], key_maps, 3.0, r);
    take(key, lights[4], key_maps, 4.0, r);
    take(key, lights[5], key_maps, 5.0, r);
    vec3 k = key_color.rgb;
    return arrival(k * key.front, k * key.behind, k * key.open, k * key.glint);
}

arrival gather_dome(receiver r) {
    tally sky = tally(0.0, 0.0, 0.0, 0.0), ground = sky;
    take(sky, lights[6], dome_maps, 0.0, r);
    take(sky, lights[7], dome_maps, 1.0, r);
    take(sky, lights[8], dome_maps, 2.0, r);
    take(sky, lights[9], dome_maps, 3.0, r);
    take(sky, lights[10], dome_maps, 4.0, r);
    take(sky, lights[11], dome_maps, 5.0, r);
    take(sky, lights[12], dome_maps, 6.0, r);
    take(sky, lights[13], dome_maps, 7.0, r);
    take(ground, lights[14], dome_maps, 8.0, r);
    take(ground, lights[15], dome_maps, 9.0, r);
    vec3 s = sky_color.rgb, g = ground_color.rgb;
    return arrival(s * sky.front + g * ground.front, s * sky.behind + g * ground.behind,
                   s * sky.open + g * ground.open, vec3(0.0));
}

arrival gather(receiver r) {
    arrival key = gather_keys(r), dome = gather_dome(r);
    return arrival(key.front + dome.front, key.behind + dome.behind, key.open + dome.open, key.glint);
}
