/* glTF 2.0 binary: cloths with their motion as morph targets, bodies with theirs as node animation,
 * and those that hang on joints as skins.
 *
 * The first sample of a cloth is its mesh, every later one a morph target, and the weights of the
 * targets are animated so that linear interpolation runs through the samples. Pattern coordinates
 * are in metres, with 1 - v for v, as v runs downwards in glTF. */
#ifndef TOILE_IO_GLB_H
#define TOILE_IO_GLB_H

#include <stdint.h>

#include "io/mesh.h"
#include "io/pc2.h"
#include "model/character.h"
#include "toile/toile.h"

enum { GLB_LIMIT_MB = 256 }; /* of a million bytes */

typedef struct glb_cloth {
    mesh_view mesh;     /* name, coordinates, indices; positions and normals come from the motion */
    pc2_reader *motion; /* as many points as the mesh has vertices, and all samples of the scene */
    float color[3];     /* linear RGB */
} glb_cloth;

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

/* At least one cloth or body, and one sample. */
typedef struct glb_scene {
    const glb_cloth *cloths;
    int cloth_count;
    const glb_body *bodies;
    int body_count;
    uint32_t samples;
    double frame_time; /* s from sample to sample */
} glb_scene;

/* Bytes of the file that would be written: exact up to the limit, an estimate above it. Does not
 * read the motions, which may be NULL. */
uint64_t glb_size(const glb_scene *scene);

/* Refuses more than GLB_LIMIT_MB. */
toile_result glb_check_size(uint64_t bytes);

/* Reads the motions twice, a sample at a time. */
toile_result glb_write(const char *path, const glb_scene *scene);

#endif
