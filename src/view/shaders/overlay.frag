in vec2 spot;
flat in vec4 form;
in vec4 ink;
out vec4 pixel;

uniform sampler2D letters;

// How far outside a rectangle with round corners, in pixels.
float outside() {
    vec2 beyond = abs(spot) - form.xy + form.z;
    return length(max(beyond, 0.0)) + min(max(beyond.x, beyond.y), 0.0) - form.z;
}

void main() {
    float cover;
    if (form.x < 0.0) {
        cover = texelFetch(letters, ivec2(spot), 0).r;
    } else {
        float distance = outside();
        cover = clamp(0.5 - distance, 0.0, 1.0);
        if (form.w > 0.0) {
            cover *= clamp(0.5 + distance + form.w, 0.0, 1.0);
        }
    }
    pixel = vec4(ink.rgb, ink.a * cover);
}
