in vec3 world_position;
in vec3 world_normal;
out vec4 share;

// The share of the dome's light that arrives.
void main() {
    arrival dome = gather_dome(receiver(world_position, world_normal, vec3(0.0)));
    share = vec4(dome.front.g / max(dome.open.g, 1e-6));
}
