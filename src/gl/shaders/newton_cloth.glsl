/* What passes of Newton's method over the texels of a cloth begin with. They are in the same places
 * of its own planes and, from a base on, of those that all panels share. */
#ifndef TOILE_GL_NEWTON_CLOTH
#define TOILE_GL_NEWTON_CLOTH

#include "gl/shaders/implicit.glsl"
#include "gl/shaders/newton.glsl"
#include "kernel/touch.h"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

/* x: where the cloth's planes begin in those of all, y: size of these, z: its part and w: its sums
 * among the parts */
uniform ivec4 call;

/* Returns the texel's place. */
int enter() {
    equation_size = call.y;
    equation_base = call.x;
    equation_weights = EQ_FINEST;
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    return index_of(cloth.grid, texel.x, texel.y);
}

bool is_there() {
    return is_in(cloth.grid, ivec2(gl_GlobalInvocationID.xy));
}

bool rests() {
    return parts[call.z + PART_RESTS] != 0.0;
}

/* Where the sums of the group go. */
int sums_at() {
    return call.w + SUMS_FLOATS * int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
}

float contact_times() {
    return touch_times(cloth.spacing, cloth.substep, cloth.cell_mass);
}

#endif
