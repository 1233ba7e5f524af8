// Adds a pass to the sum of all passes.
uniform sampler2D pixels;
out vec4 sum;

void main() {
    sum = texelFetch(pixels, ivec2(gl_FragCoord.xy), 0);
}
