/* Where bodies and pins are and how the wind blows: a list of four numbers each, in the rows of a
 * texture, as fragment/layout.h says. */
#ifndef TOILE_GL_FRAGMENT_NUMBERS
#define TOILE_GL_FRAGMENT_NUMBERS

uniform sampler2D numbers;
uniform int moment; /* where those of the substep begin */

vec4 number_at(int n) {
    return texelFetch(numbers, ivec2(n % NUMBERS_WIDTH, n / NUMBERS_WIDTH), 0);
}

vec3 wind_now() {
    return number_at(moment).xyz;
}

#endif
