/* A vertex of a cloth from the texels around it, between two states, and its normal (S4, S12). */
#include "gl/shaders/square.glsl"
#include "kernel/spring.h"

layout(location = 0) in uint texel; // the lower left one of its square
layout(location = 1) in vec2 fraction;

uniform samplerBuffer before, after; // planes of x, y and z, and of the cloth in each cell
uniform float share;                 // of the way from one to the other

out vec3 position;
out vec3 normal;

vec3 texel_at(int plane, int k) {
    vec3 from = planes_at(before, plane, k);
    return v3_madd(from, v3_sub(planes_at(after, plane, k), from), share);
}

float cover_at(int k) {
    return texelFetch(after, 3 * layout_of_planes.x + k).r;
}

// Is there a thread to the texel on the right, or above?
bool goes_right(int k) {
    return thread_weight(cover_at(k), cover_at(k - layout_of_planes.y)) > 0.0;
}

bool goes_up(int k) {
    return thread_weight(cover_at(k), cover_at(k - 1)) > 0.0;
}

vec3 normal_at(int k) {
    int row = layout_of_planes.y;
    return texel_normal(texel_at(0, goes_right(k - 1) ? k - 1 : k),
                        texel_at(0, goes_right(k) ? k + 1 : k),
                        texel_at(0, goes_up(k - row) ? k - row : k),
                        texel_at(0, goes_up(k) ? k + row : k));
}

void main() {
    int k = int(texel);
    float u = fraction.x, v = fraction.y;
    float weights[4] = float[4]((1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v);
    position = square_at(0, k, fraction);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 4; i++) {
        if (weights[i] != 0.0) {
            sum = v3_madd(sum, normal_at(k + (i & 1) + (i >> 1) * layout_of_planes.y), weights[i]);
        }
    }
    normal = normal_unit(sum);
}
