#version 430 core
flat in vec3 first, second;

layout(location = 0) out vec3 first_out;
layout(location = 1) out vec3 second_out;

void main() {
    first_out = first;
    second_out = second;
    gl_FragDepth = 0.0;
}
