/* The planes of the finer or the coarser level. */
#ifndef TOILE_GL_OTHER
#define TOILE_GL_OTHER

layout(std430, binding = BIND_OTHER) restrict readonly buffer other_buffer { float other[]; };
layout(std430, binding = BIND_TABLE) restrict readonly buffer table_buffer { uint table[]; };

#endif
