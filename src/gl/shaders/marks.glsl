/* What a step has to tell. */
#ifndef TOILE_GL_MARKS
#define TOILE_GL_MARKS

layout(std430, binding = BIND_MARKS) restrict buffer mark_buffer { mark_block marks[]; };
uniform int stamp;

#endif
