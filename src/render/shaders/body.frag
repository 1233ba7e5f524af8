// Everything about bodies but their light, which shade.frag gathers.
in vec3 world_position;
in vec3 world_normal;
layout(location = 0) out vec4 surface_normal;
layout(location = 1) out vec4 surface_color;
layout(location = 2) out float surface_distance;

uniform vec3 color;

void main() {
    surface_normal = vec4(normalize(world_normal), SURFACE_BODY);
    surface_color = vec4(color, 0.0);
    surface_distance = dot(world_position - eye.xyz, forward.xyz);
}
