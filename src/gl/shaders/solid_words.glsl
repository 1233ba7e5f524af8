/* All meshes of the world, one after the other: solid_block says where things are. Who includes
 * this says whether they are written. */
#ifndef TOILE_GL_SOLID_WORDS
#define TOILE_GL_SOLID_WORDS

#ifdef SOLIDS_WRITTEN
layout(std430, binding = BIND_MOMENTS) restrict buffer solid_buffer { uint solids[]; };
#else
layout(std430, binding = BIND_MOMENTS) restrict readonly buffer solid_buffer { uint solids[]; };
#endif

const int NODE_WORDS = 16, FACE_WORDS = 12, PART_WORDS = 18, BOXES_WORDS = 12, CORNERS_WORDS = 9;

vec3 solid_vector(int at) {
    return uintBitsToFloat(uvec3(solids[at], solids[at + 1], solids[at + 2]));
}

solid_block solid_of(int at) {
    return solid_block(int(solids[at]), int(solids[at + 1]), int(solids[at + 2]),
                       int(solids[at + 3]), uintBitsToFloat(solids[at + 4]), int(solids[at + 5]),
                       int(solids[at + 6]), int(solids[at + 7]), int(solids[at + 8]),
                       int(solids[at + 9]), int(solids[at + 10]), int(solids[at + 11]));
}

#endif
