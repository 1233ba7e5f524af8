layout(location = 0) in vec3 position;
uniform vec4 to_map[3]; // as in lighting.glsl

void main() {
    vec4 p = vec4(position, 1.0);
    gl_Position = vec4(2.0 * vec3(dot(to_map[0], p), dot(to_map[1], p), dot(to_map[2], p)) - 1.0, 1.0);
}
