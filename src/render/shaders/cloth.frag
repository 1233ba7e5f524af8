// Everything about cloth but its light, which shade.frag gathers.
in vec3 world_position;
in vec3 world_normal;
in vec2 pattern;
in vec3 shown_tint;
in vec3 corner;
layout(location = 0) out vec4 surface_normal;
layout(location = 1) out vec4 surface_color;
layout(location = 2) out float surface_distance;

uniform vec3 color;
uniform int texture_kind; // as in scene_texture
uniform bool wireframe;
uniform bool tinted; // show colours of vertices instead of the fabric

// The normal bent by a slope along u and v, whose directions in space come from the derivatives (Schueler, Followup:
// Normal Mapping Without Precomputed Tangents, 2013).
vec3 bent_normal(vec3 normal, vec2 slope) {
    vec3 dx = dFdx(world_position), dy = dFdy(world_position);
    vec2 ux = dFdx(pattern), uy = dFdy(pattern);
    vec3 across_x = cross(dy, normal), across_y = cross(normal, dx);
    vec3 along_u = across_x * ux.x + across_y * uy.x;
    vec3 along_v = across_x * ux.y + across_y * uy.y;
    float largest = max(max(dot(along_u, along_u), dot(along_v, along_v)), 1e-30);
    return normalize(normal + (along_u * slope.x + along_v * slope.y) * inversesqrt(largest));
}

// How much of the pixel the edges of the triangle cover (Baerentzen et al., Single-pass Wireframe Rendering, 2006).
// Where the mesh is so dense that they would cover all of it, they pale.
float edges() {
    vec3 dx = dFdx(corner), dy = dFdy(corner);
    vec3 size = sqrt(max(dx * dx + dy * dy, 1e-16));
    vec3 pixels = corner / size;
    float nearest = min(pixels.x, min(pixels.y, pixels.z));
    float height = 1.0 / max(size.x, max(size.y, size.z));
    return (1.0 - smoothstep(0.35, 1.1, nearest)) * smoothstep(1.0, 4.0, height);
}

void main() {
    vec3 to_eye = normalize(eye.xyz - world_position);
    vec3 front = normalize(world_normal);
    vec3 normal = gl_FrontFacing ? front : -front;
    // Interpolated normals can point away at the rim.
    normal = normalize(normal + to_eye * max(0.02 - dot(normal, to_eye), 0.0));

    vec3 dye = gl_FrontFacing ? color : mix(color, vec3(dot(color, vec3(0.3, 0.6, 0.1))), 0.2) * 0.8 + 0.06;
    fabric f = tinted ? fabric(shown_tint, vec2(0.0)) : fabric_at(dye, texture_kind, pattern);
    normal = bent_normal(normal, gl_FrontFacing ? f.slope : -f.slope);

    surface_normal = vec4(normal, SURFACE_CLOTH);
    surface_color = vec4(f.color, wireframe ? edges() : 0.0);
    surface_distance = dot(world_position - eye.xyz, forward.xyz);
}
