#version 430 core
/* Normal and height of a surface, and its way in the step; or of the one behind those that were
 * drawn before; or one more. */
in vec3 seen_normal, seen_way;
in float height;

const int FIRST = 0, SECOND = 1, COUNT = 2;

uniform int what;
uniform float direction;
layout(binding = 0) uniform sampler2D first; /* of the same camera */

layout(location = 0) out vec4 color;
layout(location = 1) out vec4 way; /* of bodies that deform */

void main() {
    if (what == SECOND &&
        direction * height >= direction * texelFetch(first, ivec2(gl_FragCoord.xy), 0).w) {
        discard;
    }
    color = what == COUNT ? vec4(1.0) : vec4(normalize(seen_normal), height);
    way = vec4(seen_way, 0.0);
}
