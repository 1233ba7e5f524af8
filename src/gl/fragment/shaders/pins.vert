#include "gl/version.glsl"
/* A point on each pinned texel. Where pins share one, the last has it, as on the CPU. */
#include "gl/fragment/shaders/texel.glsl"

layout(location = 0) in vec3 place;  /* column and row of the texel, number of its pin */
layout(location = 1) in vec3 anchor; /* where it is in the pin's frame, m */

flat out vec3 held;
flat out int pin;

void main() {
    vec2 texels = vec2(cloth.grid.columns, cloth.grid.rows);
    held = anchor;
    pin = int(place.z);
    gl_PointSize = 1.0;
    gl_Position = vec4((2.0 * place.xy + 1.0) / texels - 1.0, 0.0, 1.0);
}
