/* What refinement keeps on the GPU. */
#ifndef TOILE_GL_REFINE_STORE_H
#define TOILE_GL_REFINE_STORE_H

#include "device/refine_scene.h"
#include "gl/machine.h"
#include "gl/refine_units.h"

enum {
    REFINE_GRIDS = 4, /* of positions: two to draw to and from, two of the steps before */
    REFINE_STAMPS = 64,
    REFINE_LEVELS = REFINE_MOST_LEVELS + 1,
};

_Static_assert(REFINE_VIEWS == REFINE_MOST_VIEWS, "shaders have room for all views");
_Static_assert(REFINE_STACK > REFINE_TREE_DEPTH + 2, "shaders have room for waiting nodes");
_Static_assert(REFINE_CHOICE_HISTORY == REFINE_HISTORY, "shaders number corrections likewise");

/* The block of refine.glsl, std140. */
typedef struct refine_numbers {
    refine_view views[REFINE_VIEWS];
    GLint level[4], images[4], choice[4];
    float cloth[4], force[4];
} refine_numbers;

_Static_assert(sizeof(refine_view) == 112, "as std140 has it");

/* A buffer that shaders read as a texture. */
typedef struct refine_list {
    GLuint buffer, texture;
} refine_list;

/* Layers of all views: images side by side, tiles of them in a row. */
typedef struct refine_atlas {
    GLuint texture;                    /* array of layers */
    GLuint frames[REFINE_MOST_LAYERS]; /* one a layer */
    int layers;
} refine_atlas;

typedef struct refine_store {
    int side, views;      /* pixels of an image, and how many there are */
    int tiles, tile_rows; /* images across and down an atlas */
    refine_atlas bodies, cloth;
    GLuint depth; /* of an atlas */
    GLuint grids[REFINE_GRIDS], marks[2];
    GLuint frames[REFINE_GRIDS][2]; /* to draw into grid and marks */
    GLuint places, places_frame;
    refine_list nodes, triangles, start, end, roots;
    GLuint coarse, known;        /* vertex arrays: positions and marks of the coarse grid */
    GLuint cells[REFINE_LEVELS]; /* indices: 4 a cell of a level */
    GLuint cell_arrays[REFINE_LEVELS], no_array; /* the first one with the coarse grid */
    GLuint numbers;                              /* blocks, one a level */
    GLint numbers_step;
    GLuint drawn[REFINE_MOST_LAYERS]; /* queries: is there anything in a layer? */
    GLuint stamps[REFINE_STAMPS + 1]; /* queries: times */
    GLuint finest;                    /* buffer for drawing; 0: never asked for */
} refine_store;

/* In the current context. */
toile_result refine_store_make(refine_store *s, const machine *m, const refine_def *def,
                               const refine_scene *scene);
void refine_store_free(refine_store *s); /* zeroed is fine */

#endif
