#include "gl/version.glsl"
/* Pinned texels get the velocity of their pin. One that is away from it, having been put somewhere
 * else, gets there by the end of the step.
 *
 * There are no doubles here, and a velocity is a small difference of places: so differences are the
 * host's, and the place where the pin is comes as a sum of two floats, of which the larger almost
 * cancels the texel's own. */
#include "gl/fragment/shaders/texel.glsl"
#include "gl/fragment/shaders/numbers.glsl"

flat in vec3 held;
flat in int pin;

uniform int call; /* substeps from this one on */

layout(location = 0) out vec4 velocity;

/* Three columns of a matrix, times the anchor. */
vec3 turned(int n) {
    return number_at(n).xyz * held.x + number_at(n + 1).xyz * held.y +
           number_at(n + 2).xyz * held.z;
}

void main() {
    int n = moment + MOMENT_NUMBERS + SHAPE_NUMBERS * cloth.body_count + PIN_NUMBERS * pin;
    vec3 x = x_at(ivec2(gl_FragCoord.xy));
    vec3 away = ((number_at(n).xyz - x) + turned(n + 2)) + number_at(n + 1).xyz;
    vec3 rate = number_at(n + 5).xyz + turned(n + 6);
    velocity = vec4(rate + away / (float(call) * cloth.moment), 0.0);
}
