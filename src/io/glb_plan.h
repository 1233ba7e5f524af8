/* What a .glb file holds and where: shared by the two parts of its writer, the JSON text and the
 * binary chunk behind it.
 *
 * Buffer views, in the order of the binary chunk:
 *   each surface vectors (positions and normals of sample 0, of sample 1 ...), indices, and
 *                coordinates of one that has them
 *   each body    vectors (positions, normals), indices
 *   animation    times, weights of all surfaces, then translations and rotations of each moving
 * body each skin    of io/glb_skin.h Accessors are numbered alike: 2 a sample and 1 or 2 more of
 * each surface, 3 of each body, animation, skins. */
#ifndef TOILE_IO_GLB_PLAN_H
#define TOILE_IO_GLB_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "io/body_mesh.h"
#include "io/glb.h"

/* Smallest and largest position, which glTF wants to know beforehand. */
typedef struct glb_range {
    float low[3], high[3];
} glb_range;

typedef struct glb_plan {
    const glb_scene *scene;
    const glb_range
        *ranges;           /* one a sample of each surface, then one a body; NULL: not known yet */
    uint64_t binary_bytes; /* a multiple of 4 */
} glb_plan;

/* Bytes of the buffer views; all are multiples of 4. */
uint64_t glb_surface_vectors_bytes(const glb_scene *scene, int surface);
uint64_t glb_surface_coordinates_bytes(const glb_scene *scene, int surface); /* 0: has none */
uint64_t glb_surface_indices_bytes(const glb_scene *scene, int surface);
uint64_t glb_body_vectors_bytes(const glb_scene *scene, int body);
uint64_t glb_body_indices_bytes(const glb_scene *scene, int body);
uint64_t glb_weights_bytes(const glb_scene *scene);
uint64_t glb_animation_bytes(const glb_scene *scene); /* 0: nothing moves */

/* Of the mesh of a body. */
body_mesh_size glb_body_size(const glb_scene *scene, int body);
bool glb_body_moves(const glb_scene *scene, int body);

/* Of unit length to the last bit that a float has, which validators look at. */
void glb_unit_rotation(const float rotation[4], float out[4]);

/* Writes the JSON text, or with a NULL stream only tells its length. The length does not depend on
 * the ranges, so that it is known before the motions are read. */
uint64_t glb_write_json(const glb_plan *plan, FILE *stream);

#endif
