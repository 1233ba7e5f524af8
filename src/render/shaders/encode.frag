// Linear to sRGB (IEC 61966-2-1).
uniform sampler2D pixels;
out vec4 encoded;

void main() {
    vec3 linear = clamp(texelFetch(pixels, ivec2(gl_FragCoord.xy), 0).rgb, 0.0, 1.0);
    vec3 curved = 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055;
    encoded = vec4(mix(12.92 * linear, curved, greaterThan(linear, vec3(0.0031308))), 1.0);
}
