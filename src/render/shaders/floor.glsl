// Images of the dome's light on floors reach so many radii of what is shown from the middle, and shadows fade out
// before.
const float FLOOR_LIGHT_REACH = 3.2;

// From metres on the floor to the image.
vec2 floor_light_place(vec2 pattern) {
    return 0.5 + 0.5 * pattern / (FLOOR_LIGHT_REACH * stage.w);
}

// How much of shadows is left there.
float floor_nearness(vec2 pattern) {
    return 1.0 - smoothstep(1.6, 3.1, length(pattern) / stage.w);
}

// Whether a plane is level enough to be a floor; painting.c asks the same.
bool is_level(vec3 normal) {
    return normal.y >= 0.9;
}
