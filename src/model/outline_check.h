/* Whether the loops of an outline are apart from themselves and each other, and where they lie. */
#ifndef TOILE_MODEL_OUTLINE_CHECK_H
#define TOILE_MODEL_OUTLINE_CHECK_H

#include "model/outline.h"

/* Refuses loops that cross or touch, and holes that are not in the cloth. curves: the curve that
 * each point begins or belongs to, for the message. All coordinates are multiples of step, at most
 * 2^41 of it: the answer is exact. Takes n log n time, whatever the outline. */
toile_result outline_check_loops(const outline *o, const uint32_t *curves, double step);

#endif
