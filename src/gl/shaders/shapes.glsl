/* Bodies that are shapes, during a substep, and what they do to texels. */
#ifndef TOILE_GL_SHAPES
#define TOILE_GL_SHAPES

#include "gl/shaders/shape.glsl"
#include "gl/shaders/shape_list.glsl"

#endif
