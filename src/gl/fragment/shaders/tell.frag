#include "gl/version.glsl"
/* What the point of a texel has to tell. */
flat in vec4 message;

layout(location = 0) out vec4 told;

void main() {
    told = message;
}
