/* What passes over the texels of a cloth begin with that know its planes of the equations: they are
 * in the same places of its own planes and, from a base on, of those that all panels share. */
#ifndef TOILE_GL_NEWTON_CLOTH
#define TOILE_GL_NEWTON_CLOTH

#include "gl/shaders/implicit.glsl"
#include "gl/shaders/newton.glsl"
#include "kernel/touch.h"

void enter_equations() {
    equation_size = cloth.equations_size;
    equation_base = cloth.equations_base;
    equation_weights = EQ_FINEST;
}

#endif
