// Lights cloths and bodies after all of them are drawn. Their triangles are about as small as pixels, where Mesa's
// software renderer shades mostly pixels it then throws away. Only pixels that have a surface get here.
uniform sampler2D distances; // m, along forward
uniform sampler2D normals; // w: kind of surface
uniform sampler2D colors;  // w: how much of the pixel is wire
out vec4 pixel;

vec3 position_at(ivec2 at) {
    vec2 seen = 2.0 * gl_FragCoord.xy / viewport.xy - 1.0 + vec2(right.w, up.w);
    return eye.xyz + texelFetch(distances, at, 0).r * (forward.xyz + seen.x * right.xyz + seen.y * up.xyz);
}

vec3 cloth(vec3 color, arrival arrived, float facing) {
    // Fibres that stand off the surface scatter most where it is seen edge-on.
    vec3 fuzz = mix(color, vec3(0.5), 0.5) * 0.45 * pow(1.0 - facing, 3.0);
    return color * arrived.front + fuzz * (arrived.front + 0.3 * arrived.behind) +
           0.16 * color * sqrt(color) * arrived.behind;
}

vec3 body(vec3 color, arrival arrived, float facing) {
    float reflectance = 0.04 + 0.96 * pow(1.0 - facing, 5.0);
    // The coat also mirrors the studio, which is about as bright as what arrives from all around.
    vec3 studio = 0.45 * arrived.front;
    return color * arrived.front + 0.04 * arrived.glint + reflectance * studio;
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 normal = texelFetch(normals, at, 0);
    vec4 color = texelFetch(colors, at, 0);
    vec3 position = position_at(at);
    vec3 to_eye = normalize(eye.xyz - position);
    arrival arrived = gather(receiver(position, normal.xyz, to_eye));
    float facing = clamp(dot(normal.xyz, to_eye), 0.0, 1.0);
    vec3 shaded = normal.w == SURFACE_CLOTH ? cloth(color.rgb, arrived, facing) : body(color.rgb, arrived, facing);
    pixel = vec4(tone_map(mix(shaded, 0.05 * color.rgb, 0.9 * color.w)), 1.0);
}
