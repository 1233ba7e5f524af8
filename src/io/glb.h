/* glTF 2.0 binary: surfaces (cloths, and bodies that deform freely) with their motion as morph
 * targets, rigid bodies with theirs as node animation, and those that hang on joints as skins.
 *
 * The first sample of a surface is its mesh, every later one a morph target, and the weights of the
 * targets are animated so that linear interpolation runs through the samples. Pattern coordinates
 * are in metres, with 1 - v for v, as v runs downwards in glTF. */
#ifndef TOILE_IO_GLB_H
#define TOILE_IO_GLB_H

#include <stdint.h>

#include "io/mesh.h"
#include "model/character.h"
#include "toile/toile.h"

enum { GLB_LIMIT_MB = 256 }; /* of a million bytes */

/* Where the vertices of a surface are in the world at a sample, 3 numbers each. */
typedef toile_result glb_read(void *motion, uint32_t sample, float *positions);

typedef struct glb_surface {
    mesh_view mesh; /* name, indices, and coordinates: those of a cloth, NULL of a body */
    glb_read *read;
    void *motion;   /* for read */
    float color[3]; /* linear RGB */
} glb_surface;

/* The joints of a body over time. */
typedef struct glb_skin {
    const character *character; /* without morph targets */
    const transform *locals;    /* of all joints against their parents, a sample after the other */
} glb_skin;

typedef struct glb_body {
    toile_body_def def;
    const toile_pose *poses; /* one a sample */
    float color[3];          /* linear RGB */
    const glb_skin *skin;    /* NULL: it is rigid */
} glb_body;

/* At least one surface or body, and one sample. */
typedef struct glb_scene {
    const glb_surface *surfaces;
    int surface_count;
    const glb_body *bodies;
    int body_count;
    uint32_t samples;
    double frame_time; /* s from sample to sample */
} glb_scene;

/* Bytes of the file that would be written: exact up to the limit, an estimate above it. Does not
 * read the motions. */
uint64_t glb_size(const glb_scene *scene);

/* Refuses more than GLB_LIMIT_MB. */
toile_result glb_check_size(uint64_t bytes);

/* Reads the motions twice, a sample at a time. */
toile_result glb_write(const char *path, const glb_scene *scene);

#endif
