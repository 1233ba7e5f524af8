layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 coordinates;

out vec3 world_position;
out vec3 world_normal;

void main() {
    world_position = position;
    world_normal = normal;
    gl_Position = vec4(2.0 * floor_light_place(coordinates) - 1.0, 0.0, 1.0);
}
