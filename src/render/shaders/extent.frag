flat in vec3 place;

layout(location = 0) out vec4 highest;
layout(location = 1) out vec4 lowest; // turned round, for the larger one stays of both

void main() {
    highest = vec4(place, 0.0);
    lowest = vec4(-place, 0.0);
}
