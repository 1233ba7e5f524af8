/* Which levels of a panel one work group has in a cycle (newton_small.comp). */
#ifndef TOILE_GL_NEWTON_SMALL_H
#define TOILE_GL_NEWTON_SMALL_H

#include "gl/cloth.h"

/* For all panels, whose equations are there. */
toile_result gl_small_find(gl_newton *n);

#endif
