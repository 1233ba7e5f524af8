/* Which shapes are made of triangles. */
#ifndef TOILE_MODEL_SHAPE_KIND_H
#define TOILE_MODEL_SHAPE_KIND_H

#include "toile/toile.h"

static inline bool shape_is_mesh(toile_shape_kind kind) {
    return kind == TOILE_SHAPE_MESH || kind == TOILE_SHAPE_SKINNED || kind == TOILE_SHAPE_DEFORMING;
}

#endif
