#version 430 core
/* A corner of a body's surface, as one of a pair of cameras sees it. */
#include "kernel/prelude.glsl"
#include "kernel/maps.h"

layout(location = 0) in vec3 place; /* m, in the frame of the body */
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 way; /* m, in the step */

uniform int axis;        /* that the camera looks along */
uniform vec3 low, high;  /* m, box of the body in the view */
uniform vec2 image;      /* m, size of the image with its border and what it leaves free */
uniform float pixel;     /* m */
uniform float direction; /* 1: front, -1: back */

out vec3 seen_normal, seen_way;
out float height;

void main() {
    vec3 q = maps_view(place, axis);
    vec2 at = (q.xy - low.xy + MAPS_BORDER * pixel) / image;
    float depth = (2.0 * q.z - low.z - high.z) / (high.z - low.z);
    seen_normal = maps_view(normal, axis);
    seen_way = maps_view(way, axis);
    height = q.z;
    gl_Position = vec4(2.0 * at - 1.0, -direction * depth, 1.0);
}
