/* All that is drawn of a frame, in one set of buffers: world positions, normals, pattern
 * coordinates, colours, triangles. Shadow maps then take one draw call each. */
#ifndef TOILE_RENDER_GEOMETRY_H
#define TOILE_RENDER_GEOMETRY_H

#include <epoxy/gl.h>

#include "io/mesh.h"
#include "render/shapes.h"

/* Where the vertex shaders find a vertex. */
enum {
    GEOMETRY_POSITION,
    GEOMETRY_NORMAL,
    GEOMETRY_COORDINATES,
    GEOMETRY_TINT,
    GEOMETRY_ATTRIBUTES
};

typedef struct geometry {
    float *attributes[GEOMETRY_ATTRIBUTES]; /* 3, 3, 2 and 3 floats a vertex */
    size_t vertices, vertex_capacity;
    uint32_t *indices;
    size_t index_count, index_capacity;
    GLuint vertex_array;
    GLuint buffers[GEOMETRY_ATTRIBUTES + 1]; /* the last one holds the indices */
} geometry;

/* Some of the triangles. */
typedef struct geometry_range {
    size_t first, count; /* indices */
} geometry_range;

void geometry_open(geometry *g);
void geometry_close(geometry *g);

/* Starts a new frame. */
void geometry_clear(geometry *g);

/* A cloth, or only its positions, to cast shadows. tints: 3 a vertex, NULL: all zero. With
 * `apart`, its triangles share no vertices, and the number of the first vertex is a multiple of 3
 * as long as nothing else was added before that is not apart: gl_VertexID % 3 is then the corner,
 * as wireframes need it. */
toile_result geometry_add_mesh(geometry *g, const mesh_view *mesh, const float *tints, bool apart,
                               geometry_range *range);
toile_result geometry_add_shape(geometry *g, const cut_sphere *sphere, const round_shape *shape,
                                geometry_range *range);
/* A square of 2 x extent around center, cut into the part between low and high and the rest. Its
 * axes are v3_across(normal) and the one across both. */
toile_result geometry_add_floor(geometry *g, v3 center, v3 normal, float extent, const float low[2],
                                const float high[2], geometry_range *part, geometry_range *rest);

void geometry_upload(geometry *g);
void geometry_draw(const geometry *g, geometry_range range);

#endif
