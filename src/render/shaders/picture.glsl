// What all shaders of a picture know. draw.c fills it.
layout(std140) uniform picture {
    mat4 view_projection; // of this pass: shifted by a part of a pixel
    vec4 eye;             // m
    vec4 background;      // linear RGB
    vec4 stage;           // m, centre and radius of what is shown
    vec4 viewport;        // pixels, width and height
    vec4 forward;         // where the camera looks
    vec4 right, up;       // to the edge of the picture at unit distance; w: shift of this pass, 1 is to the edge
};

// Kinds of surfaces that are lit after they are drawn.
const float SURFACE_CLOTH = 0.0;
const float SURFACE_BODY = 1.0;

// Compresses what is brighter than SHOULDER towards 1 and keeps the rest as it is, so that colours come out as the
// scene gives them. Applied before the samples of a pixel are averaged: a glint then has clean edges.
const float SHOULDER = 0.72;

vec3 tone_map(vec3 color) {
    float peak = max(color.r, max(color.g, color.b));
    if (peak <= SHOULDER) {
        return color;
    }
    float room = 1.0 - SHOULDER;
    float mapped = 1.0 - room * room / (peak - SHOULDER + room);
    // Overbright colours fade to white a little, as film does.
    float white = 1.0 - 1.0 / (0.15 * (peak - mapped) + 1.0);
    return mix(color * (mapped / peak), vec3(mapped), white);
}

// The wall behind everything: the background colour, darker towards the corners of the picture.
vec3 backdrop(vec2 pixel) {
    vec2 from_middle = (pixel - vec2(0.5, 0.52) * viewport.xy) / length(viewport.xy);
    return background.rgb * (1.0 - 0.5 * dot(from_middle, from_middle));
}
