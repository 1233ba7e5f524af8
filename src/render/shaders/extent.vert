layout(location = 0) in vec3 position;
uniform int columns; // pixels that the vertices of a mesh are dealt out to

flat out vec3 place;

void main() {
    place = position;
    gl_Position = vec4((2.0 * float(gl_VertexID % columns) + 1.0) / float(columns) - 1.0, 0.0, 0.0, 1.0);
}
