/* The plan of a step as shaders have it. */
#ifndef TOILE_GL_CLOTH_BLOCK_H
#define TOILE_GL_CLOTH_BLOCK_H

#include "cook/grid.h"
#include "device/plan.h"
#include "gl/blocks.h"

/* The layout of a grid. */
grid_block gl_grid(const grid *g);

/* What the plan says about a cloth; the device adds what it has made of it. */
cloth_block cloth_block_of(const step_plan *plan, int index, const grid *g);

/* What it has to do with each body. */
void gl_fill_contacts(const step_plan *plan, int index, contact_block *out);

#endif
