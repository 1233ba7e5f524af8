// A floor without end: its colour times the share of light that shadows leave, so that where none falls it is exactly
// the backdrop, and no horizon is seen.
in vec3 world_position;
in vec3 world_normal;
out vec4 pixel;

uniform vec3 color;

void main() {
    vec3 wall = backdrop(gl_FragCoord.xy);
    float away = distance(world_position, stage.xyz) / stage.w;
    float near = 1.0 - smoothstep(3.0, 9.0, away);
    vec3 share = vec3(1.0);
    if (near > 0.0) {
        arrival arrived = gather(receiver(world_position, world_normal, vec3(0.0)));
        share = mix(vec3(1.0), arrived.front / max(arrived.open, 1e-6), near);
    }
    vec3 ground = color * wall / max(background.rgb, 1e-6);
    pixel = vec4(mix(wall, ground, near) * share, 1.0);
}
