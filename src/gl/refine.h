/* Refinement with the graphics pipeline, as Wang 2005 chapter 6 has it: levels are geometry images,
 * and bodies are peeled into layers. The finest level stays on the GPU until it is read. */
#ifndef TOILE_GL_REFINE_H
#define TOILE_GL_REFINE_H

#include <epoxy/gl.h>

#include "device/refine.h"

extern const refine_driver gl_refine_driver;

/* The finest grid of the last step, for drawing in a context that shares objects with this one:
 * a buffer of 3 floats a vertex, row by row, copied on the GPU. Valid until the next step. */
toile_result gl_refine_buffer(refiner *r, GLuint *buffer);

#endif
