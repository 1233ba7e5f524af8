/* Depth layers by software: the reference of peeling on the GPU. */
#ifndef TOILE_CPU_REFINE_IMAGE_H
#define TOILE_CPU_REFINE_IMAGE_H

#include "device/refine_scene.h"

/* Layers of all views; [layer][view][row][column], each as refine_surface_depth() has it. */
typedef struct refine_images {
    int side, views, layers; /* that there is room for */
    int peeled;              /* that are filled */
    v4 *pixels;
} refine_images;

toile_result refine_images_make(refine_images *images, int side, int views, int layers);
void refine_images_free(refine_images *images); /* zeroed is fine */

static inline v4 refine_pixel(const refine_images *images, int layer, int view, v4 projected) {
    const size_t side = (size_t)images->side;
    const size_t image = (size_t)layer * (size_t)images->views + (size_t)view;
    return images->pixels[(image * side + (size_t)projected.y) * side + (size_t)projected.x];
}

/* Peels the bodies that are kept; stops where nothing more is drawn. */
void refine_peel(refine_images *images, const refine_scene *s);

/* Peels a grid of vertices. The triangles of cell i, row by row, are 2 i and 2 i + 1. */
void refine_peel_grid(refine_images *images, const refine_scene *s, const v3 *grid, int columns,
                      int rows);

#endif
