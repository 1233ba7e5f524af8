/* What a glTF 2.0 file holds of meshes and of how they move: meshes with morph targets, nodes,
 * skins, animations. Cameras, lights, materials and images are not read.
 *
 * Everything is checked: indices are in range, numbers finite, nodes trees. Axes and units are
 * those of the file: metres, y up. */
#ifndef TOILE_IO_GLTF_H
#define TOILE_IO_GLTF_H

#include <stdint.h>

#include "base/memory.h"
#include "io/mesh.h"
#include "toile/toile.h"

#define GLTF_NONE SIZE_MAX /* of a parent, mesh or skin that is not there */

/* What a weight of one adds to a vertex. */
typedef struct gltf_target {
    float *positions; /* 3 per vertex, m; NULL: nothing */
    float *normals;   /* 3 per vertex; NULL: nothing */
} gltf_target;

/* Triangles of one mesh that share a material. Points and lines have no vertices here. */
typedef struct gltf_primitive {
    size_t vertices;
    size_t triangles;
    float *positions;     /* 3 per vertex, m */
    float *normals;       /* 3 per vertex; NULL: none */
    float *coordinates;   /* 2 per vertex, TEXCOORD_0, v pointing down; NULL: none */
    uint32_t *indices;    /* 3 per triangle, counter-clockwise around the normal */
    size_t influences;    /* joints per vertex, a multiple of 4; 0: none */
    uint32_t *joints;     /* influences per vertex: indices into the joints of a skin */
    float *weights;       /* influences per vertex, sum 1; where 0, the joint is 0 */
    gltf_target *targets; /* as many as the mesh has */
} gltf_primitive;

typedef struct gltf_mesh {
    const char *name; /* "" for none, as all names here */
    gltf_primitive *primitives;
    size_t primitive_count;
    size_t target_count;
    float *weights;   /* target_count: how much of each target by default */
    size_t joint_end; /* the largest joint of its vertices, and 1; 0: none */
    bool rigid;       /* some of its vertices have no joints */
} gltf_mesh;

/* Its own transform is the matrix, or translation, rotation and scale, scale first. */
typedef struct gltf_node {
    const char *name;
    size_t parent, mesh, skin; /* or GLTF_NONE */
    bool shown;                /* part of the scene that the file wants to be shown */
    bool has_matrix;           /* is not animated then */
    float matrix[16];          /* columns; the last row is 0 0 0 1 */
    float translation[3], rotation[4], scale[3]; /* rotation: unit quaternion x y z w */
    float *weights; /* of the targets of its mesh; NULL: those of the mesh */
} gltf_node;

/* A mesh with a skin is not moved by its own node, but a vertex by the sum, with its weights, of
 * global transform of a joint * inverse bind matrix of that joint. */
typedef struct gltf_skin {
    const char *name;
    size_t *joints; /* nodes */
    size_t joint_count;
    float *inverse_bind; /* 16 per joint, columns; the last row is 0 0 0 1 */
} gltf_skin;

typedef enum gltf_path { GLTF_TRANSLATION, GLTF_ROTATION, GLTF_SCALE, GLTF_WEIGHTS } gltf_path;

typedef enum gltf_interpolation { GLTF_LINEAR, GLTF_STEP, GLTF_CUBIC_SPLINE } gltf_interpolation;

/* How one property of one node changes over time. */
typedef struct gltf_channel {
    size_t node;
    gltf_path path;
    gltf_interpolation interpolation;
    size_t key_count;
    size_t width;  /* numbers of the property: 3, 4, or the targets of the mesh */
    float *times;  /* key_count, s, rising from at least 0 */
    float *values; /* width per key; with GLTF_CUBIC_SPLINE in-tangent, value, out-tangent */
} gltf_channel;

typedef struct gltf_animation {
    const char *name;
    gltf_channel *channels; /* none twice for a property */
    size_t channel_count;
    float duration; /* s, the last key of all channels */
    bool cycle;     /* its extras say that its end leads into its beginning */
} gltf_animation;

typedef struct gltf {
    memory_pool memory; /* all there is below */
    gltf_mesh *meshes;
    gltf_node *nodes;
    size_t *order; /* nodes, parents before their children */
    gltf_skin *skins;
    gltf_animation *animations;
    size_t mesh_count, node_count, skin_count, animation_count;
    size_t bytes; /* of the file and its buffers */
} gltf;

/* Messages name the file, and the place in it. Free with gltf_free. */
toile_result gltf_read(const char *path, gltf **out);

/* The same for bytes in memory, text or binary; buffers must be in them. */
toile_result gltf_parse(const uint8_t *bytes, size_t size, const char *name, gltf **out);

void gltf_free(gltf *g); /* NULL is fine */

/* All meshes that are shown as one, instance by instance, where nodes, skins and weights of targets
 * place them without animation. Vertices that no triangle uses are left out. Coordinates have v
 * pointing up, 1 - v of the file; NULL unless all of these meshes have some. name stands for the
 * file in messages. Free with mesh_free. */
toile_result gltf_join(const gltf *g, const char *name, mesh_data *out);

#endif
