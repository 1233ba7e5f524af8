#version 430 core
/* From the coarse mesh to texels, after surface_sample.frag. */
#include "gl/shaders/sample.glsl"

layout(binding = 0) uniform sampler2D ways;
layout(binding = 1) uniform sampler2D kicks;

vec3 sample_at(ivec2 texel, int from) {
    return (from == 0 ? texelFetch(ways, texel, 0) : texelFetch(kicks, texel, 0)).xyz;
}
