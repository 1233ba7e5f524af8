layout(location = 0) in vec3 position;
uniform mat4 to_map;

void main() {
    gl_Position = vec4(2.0 * (to_map * vec4(position, 1.0)).xyz - 1.0, 1.0);
}
