/* Bodies of a .glb file that hang on joints.
 *
 * Buffer views of a skin: joints of vertices, weights, inverse bind matrices, and, of more than one
 * sample, the tracks of all joints. Accessors: joints and weights of four influences, of the next
 * four ..., matrices, and of each joint its translations, rotations and scales.
 *
 * Nodes of a skin: a holder, which is where the body is, and the joints below it. The mesh stands
 * on a node of its own without a parent, for joints alone place it. */
#ifndef TOILE_IO_GLB_SKIN_H
#define TOILE_IO_GLB_SKIN_H

#include "io/glb_text.h"
#include "io/mesh.h"

bool glb_has_skins(const glb_scene *scene);

/* The mesh as it is bound, smooth. */
toile_result glb_skin_mesh(const glb_skin *skin, mesh_data *out);

/* Bytes of all views of all skins. */
uint64_t glb_skins_bytes(const glb_scene *scene);
void glb_skins_write(const glb_scene *scene, FILE *stream);

/* Parts of the text. The body's number is that of its skin among skins that counts. */
uint64_t glb_skin_holder(const glb_scene *scene, int body); /* its node */
void put_skin_nodes(text *t, const glb_scene *scene);
void put_skins(text *t, const glb_scene *scene, uint64_t first_accessor);
int glb_skin_number(const glb_scene *scene, int body);
void put_skin_attributes(text *t, const glb_scene *scene, int body, uint64_t first_accessor);
/* first_accessor: of the first skin. sampler and channel: of the next one. */
void put_skin_samplers(text *t, const glb_scene *scene, uint64_t first_accessor, uint64_t times,
                       bool first);
void put_skin_channels(text *t, const glb_scene *scene, uint64_t sampler, bool first);
void put_skin_accessors(text *t, const glb_scene *scene, uint64_t first_view);
void put_skin_views(text *t, const glb_scene *scene, uint64_t *offset);

#endif
