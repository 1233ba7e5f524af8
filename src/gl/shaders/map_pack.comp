#version 430 core
/* The images of a pair of cameras, to where they stay (kernel/maps.h). */
#include "gl/shaders/map_pixels.glsl"
#include "kernel/prelude.glsl"
#include "kernel/maps.h"

layout(binding = MAP_UNIT_BACK) uniform sampler2D back;
layout(binding = MAP_UNIT_FRONT_INNER) uniform sampler2D front_inner;
layout(binding = MAP_UNIT_BACK_INNER) uniform sampler2D back_inner;
layout(binding = MAP_UNIT_COUNT) uniform sampler2D counted;
layout(binding = MAP_UNIT_FRONT_WAY) uniform sampler2D front_way;
layout(binding = MAP_UNIT_BACK_WAY) uniform sampler2D back_way;
layout(rgba32f, binding = 0) restrict writeonly uniform image2DArray images;
layout(std430, binding = 0) restrict readonly buffer nearest_buffer { uint nearest[]; };

void main() {
    ivec2 own = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in_image(own)) {
        return;
    }
    int layer = call.z;
    bool filled = is_filled(own);
    uint there = nearest[own.y * call.x + own.x];
    vec4 inner = vec4(there == NOWHERE ? vec2(-1.0) : vec2(place_of(there)), 0.0, 0.0);
    if (filled) {
        inner = vec4(texelFetch(front_inner, own, 0).w, texelFetch(back_inner, own, 0).w,
                     texelFetch(counted, own, 0).x, 0.0);
    }
    imageStore(images, ivec3(own, layer + MAPS_FRONT), texelFetch(front, own, 0));
    imageStore(images, ivec3(own, layer + MAPS_BACK), texelFetch(back, own, 0));
    imageStore(images, ivec3(own, layer + MAPS_INNER), inner);
    if (call.w == MAPS_MOVING_IMAGES) {
        imageStore(images, ivec3(own, layer + MAPS_FRONT_WAY), texelFetch(front_way, own, 0));
        imageStore(images, ivec3(own, layer + MAPS_BACK_WAY), texelFetch(back_way, own, 0));
    }
}
