#version 430 core
flat in vec4 place;
out vec4 color;

void main() {
    color = place;
}
