// The lights of one pass and their shadow maps. light.h says what they are.
struct light {
    mat4 to_map;
    vec4 direction; // w: m, size of a pixel of its shadow map
    vec4 color;
};
const int MAX_LIGHTS = 16;
layout(std140) uniform lighting {
    light lights[MAX_LIGHTS]; // of the softbox, then of dome and floor
    ivec4 light_counts;       // x: of the softbox, y: all
};
uniform sampler2DArrayShadow key_maps;
uniform sampler2DArrayShadow sky_maps;

// What arrives at a point, per unit of colour of the surface.
struct arrival {
    vec3 front;   // on the side of the normal
    vec3 behind;  // on the other one
    vec3 open;    // on the side of the normal, if nothing cast a shadow
    vec3 glint;   // mirrored by a smooth coat, to be weighed with its reflectance
};

// Receivers are moved off their surface by some pixels of the map, more where light grazes: no surface shades itself,
// and as the move is along the normal, shadows stay in touch with what casts them.
vec3 map_position(light l, vec3 position, vec3 normal, float facing) {
    float grazing = sqrt(max(1.0 - facing * facing, 0.0));
    vec3 lifted = position + normal * (sign(facing) * l.direction.w * (0.6 + 1.4 * grazing));
    vec3 q = (l.to_map * vec4(lifted, 1.0)).xyz;
    return vec3(q.xy, min(q.z, 1.0)); // what lies behind all casters is as deep as the empty map
}

// Blinn-Phong, normalised, for a coat of middling roughness.
float mirrored(vec3 normal, vec3 to_light, vec3 to_eye) {
    const float SHARPNESS = 70.0;
    float aligned = max(dot(normal, normalize(to_light + to_eye)), 0.0);
    return (SHARPNESS + 8.0) / 8.0 * pow(aligned, SHARPNESS);
}

arrival gather(vec3 position, vec3 normal, vec3 to_eye) {
    arrival a = arrival(vec3(0.0), vec3(0.0), vec3(0.0), vec3(0.0));
    for (int i = 0; i < light_counts.y; i++) {
        light l = lights[i];
        float facing = dot(normal, l.direction.xyz);
        vec3 q = map_position(l, position, normal, facing);
        float visible;
        if (i < light_counts.x) {
            visible = texture(key_maps, vec4(q.xy, float(i), q.z));
        } else {
            visible = texture(sky_maps, vec4(q.xy, float(i - light_counts.x), q.z));
        }
        vec3 seen = l.color.rgb * visible;
        a.front += seen * max(facing, 0.0);
        a.behind += seen * max(-facing, 0.0);
        a.open += l.color.rgb * max(facing, 0.0);
        if (i < light_counts.x) {
            a.glint += seen * max(facing, 0.0) * mirrored(normal, l.direction.xyz, to_eye);
        }
    }
    return a;
}
