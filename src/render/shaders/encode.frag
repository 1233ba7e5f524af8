// Linear to sRGB (IEC 61966-2-1), dithered: eight bits would show as steps in the smooth parts of the wall. The pattern
// stands still in a film (Jimenez, Next Generation Post Processing in Call of Duty, 2014: interleaved gradient noise).
uniform sampler2D pixels; // sum of passes
uniform float weight;     // of a pass
out vec4 encoded;

float noise(vec2 at) {
    return fract(52.9829189 * fract(dot(at, vec2(0.06711056, 0.00583715))));
}

void main() {
    vec3 linear = clamp(weight * texelFetch(pixels, ivec2(gl_FragCoord.xy), 0).rgb, 0.0, 1.0);
    vec3 curved = 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055;
    vec3 exact = mix(12.92 * linear, curved, greaterThan(linear, vec3(0.0031308)));
    encoded = vec4(exact + (noise(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
}
