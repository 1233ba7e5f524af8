// A floor without end: its colour times the share of light that shadows leave, so that where none falls it is exactly
// the backdrop, and no horizon is seen. Or a wall, which is darker or brighter as it is turned. KEY_SHADOWS is defined
// for the part where shadows of the softbox can fall.
in vec3 world_position;
in vec3 world_normal;
in vec2 pattern;
out vec4 pixel;

uniform vec3 color;
uniform int number; // among floors
uniform float blur; // m, of the dome's shadows
uniform sampler2DArray floor_light;

#ifdef KEY_SHADOWS
// The share that shadows of the softbox take.
float key_lost() {
    arrival key = gather_keys(receiver(world_position, world_normal, vec3(0.0)));
    return 1.0 - key.front.g / max(key.open.g, 1e-6);
}
#else
float key_lost() {
    return 0.0;
}
#endif

void main() {
    vec3 wall = backdrop(gl_FragCoord.xy);
    float near = floor_nearness(pattern);
    float size = 2.0 * FLOOR_LIGHT_REACH * stage.w / float(textureSize(floor_light, 0).x); // m, of a pixel of the image
    float level = log2(max(blur / size, 1.0));
    float dome_lost = 1.0 - textureLod(floor_light, vec3(floor_light_place(pattern), float(number)), level).r;
    vec3 key = key_color.rgb * max(dot(world_normal, key_axis.xyz), 0.0);
    vec3 dome = sky_color.rgb * (0.5 + 0.5 * world_normal.y);
    vec3 share = 1.0 - near * (dome * dome_lost + key * key_lost()) / max(key + dome, 1e-6);
    vec3 turned = (key + dome) / (key_color.rgb * key_axis.y + sky_color.rgb);
    // Half of what it lacks comes back from all around.
    vec3 ground = color * mix(turned, vec3(1.0), 0.5) * wall / max(background.rgb, 1e-6);
    // Its own colour reaches farther than shadows do.
    float own = is_level(world_normal) ? 1.0 - smoothstep(3.0, 9.0, length(pattern) / stage.w) : 1.0;
    pixel = vec4(mix(wall, ground, own) * share, 1.0);
}
