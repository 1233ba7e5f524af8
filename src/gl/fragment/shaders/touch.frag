#include "gl/version.glsl"
/* The first and the last body that any texel of a block touches; 0 for none. */
#include "gl/fragment/shaders/texel.glsl"

layout(location = 0) out vec4 bodies;

void main() {
    ivec2 block = ivec2(gl_FragCoord.xy);
    int begin = block.x * TOUCH_BLOCK, end = min(begin + TOUCH_BLOCK, cloth.grid.columns);
    float first = 0.0, last = 0.0;
    for (int column = begin; column < end; column++) {
        ivec2 k = ivec2(column, block.y) + FRAGMENT_HALO;
        float own = texelFetch(positions, k, 0).w;
        first = own > 0.0 && (first == 0.0 || own < first) ? own : first;
        last = max(last, texelFetch(velocities, k, 0).w);
    }
    bodies = vec4(first, last, 0.0, 0.0);
}
