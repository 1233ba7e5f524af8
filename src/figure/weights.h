/* How much each joint of a figure moves each vertex of its surface. */
#ifndef TOILE_FIGURE_WEIGHTS_H
#define TOILE_FIGURE_WEIGHTS_H

#include <stdint.h>

#include "figure/figure.h"
#include "figure/manifold.h"
#include "toile/toile.h"

/* joints and weights: FIGURE_INFLUENCES per vertex. The weights of a vertex sum to 1. */
toile_result weights_make(const figure *b, const manifold *s, uint16_t *joints, float *weights);

#endif
