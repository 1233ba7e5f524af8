layout(location = 0) in vec2 position; // pixels, from the upper left
layout(location = 1) in vec2 place;    // pixels from the middle of a shape, or in the font's image
layout(location = 2) in vec4 shape;    // half width, half height, radius of corners, width of the line or 0; x < 0: text
layout(location = 3) in vec4 color;    // sRGB

uniform vec2 size; // pixels, of the window

out vec2 spot;
flat out vec4 form;
out vec4 ink;

void main() {
    spot = place;
    form = shape;
    ink = color;
    gl_Position = vec4(2.0 * position.x / size.x - 1.0, 1.0 - 2.0 * position.y / size.y, 0.0, 1.0);
}
