out vec4 pixel;

void main() {
    pixel = vec4(backdrop(gl_FragCoord.xy), 1.0);
}
