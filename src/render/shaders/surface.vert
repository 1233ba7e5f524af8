layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 coordinates;
layout(location = 3) in vec3 tint;

out vec3 world_position;
out vec3 world_normal;
out vec2 pattern; // m
out vec3 shown_tint;
out vec3 corner;  // 1 at one corner of the triangle each; only for meshes whose triangles share no vertices

void main() {
    world_position = position;
    world_normal = normal;
    pattern = coordinates;
    shown_tint = tint;
    int k = gl_VertexID % 3;
    corner = vec3(k == 0, k == 1, k == 2);
    gl_Position = view_projection * vec4(position, 1.0);
}
