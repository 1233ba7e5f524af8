/* What both devices need before they refine: the bodies with trees of boxes, and the views. */
#ifndef TOILE_DEVICE_REFINE_SCENE_H
#define TOILE_DEVICE_REFINE_SCENE_H

#include "device/refine.h"

/* Boxes around triangles during the whole step. A leaf has `count` triangles from `first` on; an
 * inner node has its children at `first` and after it. Whole numbers are floats, so that a texture
 * holds them: 2 texels a node. */
typedef struct refine_node {
    v3 low;
    float first;
    v3 high;
    float count;
} refine_node;

/* How deep a tree may be: halves of halves of 2^24 triangles, which is what floats can count. */
enum { REFINE_TREE_DEPTH = 24 };

typedef struct refine_body {
    uint32_t first_vertex, vertices;
    uint32_t first_triangle, triangles;
    uint32_t root; /* node */
    v3 low, high;  /* m, box around it during the step */
    bool kept;     /* by the filter */
} refine_body;

/* Vertices and triangles of all bodies, one body after the other. */
typedef struct refine_scene {
    refine_body *bodies;
    size_t body_count;
    v3 *start, *end;   /* m, vertices */
    uint32_t *corners; /* 3 a triangle: vertices, in the order of the tree */
    refine_node *nodes;
    size_t vertices, triangles, node_count;
    bool built; /* trees are; only boxes change from then on */
    int kept;
    uint8_t *held; /* a vertex of the coarse grid, as in the definition */

    refine_view views[REFINE_MOST_VIEWS];
    int view_count;
} refine_scene;

/* Copies what does not change. */
toile_result refine_scene_make(refine_scene *s, const refine_def *def);
void refine_scene_free(refine_scene *s); /* zeroed is fine */

/* Takes vertices over, refits boxes, brings coarse vertices out, chooses bodies and places views.
 */
toile_result refine_scene_step(refine_scene *s, const refine_def *def, const refine_step *step);

/* How many layers are peeled at most, with these options. */
static inline int refine_most_layers(const refine_options *o) {
    return o->visible_only && o->layers > 2 ? 2 : o->layers;
}

#endif
