// The look of fabrics from pattern coordinates in metres. Every pattern is filtered over the pixel, or fades out before
// a pixel holds a period of it.
struct fabric {
    vec3 color;
    vec2 slope; // of the yarns' surface, along u and v
};

const float YARN = 0.0025;  // m, between yarns
const float CHECK = 0.025;  // m, width of a stripe of the checks

float hash(vec2 p) {
    vec3 q = fract(vec3(p.xyx) * 0.1031);
    q += dot(q, q.yzx + 33.33);
    return fract((q.x + q.y) * q.z);
}

// Smooth noise, -1 to 1, one feature per unit.
float noise(vec2 p) {
    vec2 cell = floor(p), f = p - cell;
    f = f * f * (3.0 - 2.0 * f);
    float low = mix(hash(cell), hash(cell + vec2(1.0, 0.0)), f.x);
    float high = mix(hash(cell + vec2(0.0, 1.0)), hash(cell + vec2(1.0, 1.0)), f.x);
    return 2.0 * mix(low, high, f.y) - 1.0;
}

// 1 while a pixel is a small part of the period, 0 when it is half of one and the pattern could no longer be told from
// its aliases.
float resolved(float pixel, float period) {
    return 1.0 - smoothstep(0.2, 0.5, pixel / period);
}

// Yarns are thicker here and thinner there: streaks along both directions of the weave.
float streaks(vec2 uv, vec2 pixel, float width) {
    float warp = noise(vec2(uv.x / (24.0 * width), uv.y / width)) * resolved(pixel.y, 2.0 * width);
    float weft = noise(vec2(uv.x / width, uv.y / (24.0 * width)) + 71.0) * resolved(pixel.x, 2.0 * width);
    return warp + weft;
}

// Plain weave: warp over weft and weft over warp in turn. Returns brightness about 1, and the slope of the yarn on top.
float plain_weave(vec2 uv, vec2 pixel, out vec2 slope) {
    vec2 p = uv / YARN;
    vec2 cell = floor(p);
    vec2 f = 2.0 * (p - cell) - 1.0;
    bool warp_on_top = mod(cell.x + cell.y, 2.0) < 0.5;
    vec2 along_across = warp_on_top ? f : f.yx;
    float fade = min(resolved(pixel.x, YARN), resolved(pixel.y, YARN));
    slope = (warp_on_top ? vec2(0.35, 0.7) : vec2(0.7, 0.35)) * f * fade;
    float height = (1.0 - 0.45 * along_across.x * along_across.x) * (1.0 - along_across.y * along_across.y);
    const float MEAN_HEIGHT = (1.0 - 0.45 / 3.0) * (1.0 - 1.0 / 3.0);
    return 1.0 + 0.5 * fade * (height - MEAN_HEIGHT);
}

// The share of a pixel that is covered by every second stripe: the box filter in closed form.
float stripes(float x, float pixel) {
    float w = max(pixel, 1e-4);
    vec2 ends = vec2(x - 0.5 * w, x + 0.5 * w);
    vec2 covered = floor(0.5 * ends) + clamp(2.0 * fract(0.5 * ends) - 1.0, 0.0, 1.0);
    return (covered.y - covered.x) / w;
}

vec3 gingham(vec3 color, vec2 uv, vec2 pixel) {
    float warp = stripes(uv.y / CHECK, pixel.y / CHECK);
    float weft = stripes(uv.x / CHECK, pixel.x / CHECK);
    return mix(mix(color, vec3(0.85), 0.85), color, 0.5 * (warp + weft));
}

fabric fabric_at(vec3 color, int kind, vec2 uv) {
    vec2 pixel = fwidth(uv);
    fabric f = fabric(color, vec2(0.0));
    if (kind == 2) {
        return f;
    }
    if (kind == 1) {
        f.color = gingham(color, uv, pixel);
    }
    float brightness = plain_weave(uv, pixel, f.slope);
    brightness += 0.04 * streaks(uv, pixel, 2.0 * YARN);
    f.color *= brightness;
    return f;
}
