#include "gl/version.glsl"
/* Sweeps again over the texels of rows that touch several bodies, as on the CPU. There a row ends
 * when it touches one at most; here a texel does when it touches none, for it would stay what it
 * is. */
#include "gl/fragment/shaders/respond.glsl"

uniform sampler2D touched;

layout(location = 0) out vec4 position;
layout(location = 1) out vec4 velocity;

bool touches_several(int row) {
    int blocks = (cloth.grid.columns + TOUCH_BLOCK - 1) / TOUCH_BLOCK;
    float first = 0.0, last = 0.0;
    for (int block = 0; block < blocks; block++) {
        vec4 own = texelFetch(touched, ivec2(block, row), 0);
        first = own.x > 0.0 && (first == 0.0 || own.x < first) ? own.x : first;
        last = max(last, own.y);
    }
    return first < last;
}

void main() {
    ivec2 k = ivec2(gl_FragCoord.xy);
    vec3 p = x_at(k), v = v_at(k);
    bool goes_on = inverse_mass_at(k) > 0.0 && touches_several(k.y - FRAGMENT_HALO);
    for (int i = 1; goes_on && i < CONTACT_SWEEPS; i++) {
        goes_on = sweep(p, v).x > 0;
    }
    position = vec4(p, 0.0);
    velocity = vec4(v, 0.0);
}
