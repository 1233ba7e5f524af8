in vec3 world_position;
in vec3 world_normal;
out vec4 sum;

uniform float weight;

// The share of the dome's light that arrives.
void main() {
    arrival dome = gather_dome(receiver(world_position, world_normal, vec3(0.0)));
    sum = vec4(weight * dome.front.g / max(dome.open.g, 1e-6));
}
