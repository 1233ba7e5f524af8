/* What the passes that move meshes begin with. */
#include "kernel/prelude.glsl"
#include "kernel/vec.h"
#include "gl/blocks.h"

#define SOLIDS_WRITTEN
#include "gl/shaders/solid_words.glsl"

layout(local_size_x = GROUP_LINE) in;

uniform ivec4 call; /* where the mesh begins, and how many there are of what the pass goes over */

void set_solid_vector(int at, vec3 value) {
    uvec3 words = floatBitsToUint(value);
    solids[at] = words.x;
    solids[at + 1] = words.y;
    solids[at + 2] = words.z;
}
