in vec3 world_position;
in vec3 world_normal;
out vec4 pixel;

uniform vec3 color;

void main() {
    vec3 to_eye = normalize(eye.xyz - world_position);
    vec3 normal = normalize(world_normal);
    arrival arrived = gather(receiver(world_position, normal, to_eye));
    float facing = clamp(dot(normal, to_eye), 0.0, 1.0);
    float reflectance = 0.04 + 0.96 * pow(1.0 - facing, 5.0);
    // The coat also mirrors the studio, which is about as bright as what arrives from all around.
    vec3 studio = 0.45 * arrived.front;
    vec3 shaded = color * arrived.front + 0.04 * arrived.glint + reflectance * studio;
    pixel = vec4(tone_map(shaded), 1.0);
}
