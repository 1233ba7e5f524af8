/* Refinement with the graphics pipeline, as Wang 2005 chapter 6 has it: levels are geometry images,
 * and bodies are peeled into layers. The finest level stays on the GPU until it is read. */
#ifndef TOILE_GL_REFINE_H
#define TOILE_GL_REFINE_H

#include <epoxy/gl.h>

#include "device/refine.h"
#include "gl/context.h"

extern const refine_driver gl_refine_driver;

/* The context of a refiner, for others that share its objects. */
const context *gl_refine_context(const refiner *r);

/* The finest grid of the last step, for drawing in such a context: a buffer of 3 floats a vertex,
 * row by row, copied on the GPU. What draws it waits for the GPU, as with any shared object. Good
 * until it is asked for again. */
toile_result gl_refine_buffer(refiner *r, GLuint *buffer);

#endif
