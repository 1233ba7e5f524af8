/* The motion of a scene's bodies, which no cloth changes. */
#ifndef TOILE_APP_BODIES_H
#define TOILE_APP_BODIES_H

#include <stdint.h>

#include "io/scene.h"

/* The poses of all bodies at all samples, those of one body side by side: the same that a run of
 * the scene goes through. Free with free(). */
toile_result bodies_trace(const scene *s, uint32_t samples, toile_pose **poses);

#endif
