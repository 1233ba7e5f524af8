/* Cloths whose vertices OpenGL takes from texels in its own memory: they are projected into buffers
 * once a frame, and drawn from there as often as passes need them. What does not change of a cloth
 * is uploaded when it is first seen. */
#ifndef TOILE_RENDER_DRAPE_H
#define TOILE_RENDER_DRAPE_H

#include "render/coarse.h"
#include "render/draw.h"
#include "render/geometry.h"

/* What a cloth is drawn for: to be seen, and, simplified, into the two kinds of shadow maps. */
typedef enum drape_role { DRAPE_SEEN, DRAPE_KEY, DRAPE_DOME, DRAPE_ROLES } drape_role;

typedef struct drape_part {
    GLuint array, indices;
    size_t count; /* of indices */
    float cell;   /* m, of the plan it was simplified by */
} drape_part;

typedef struct drape {
    uint64_t pattern; /* as in draw_cloth */
    bool apart;       /* triangles share no vertices */
    bool used;        /* since the last sweep */
    size_t vertices;
    GLuint project_array, squares;
    GLuint attributes[GEOMETRY_TINT]; /* positions and normals, captured; coordinates */
    drape_part parts[DRAPE_ROLES];
} drape;

typedef struct drape_store {
    drape *items;
    size_t count, capacity;
    GLuint project, extent; /* programs */
    GLint layout_of_planes, share;
    GLuint views[2];           /* of the texels before and after */
    GLuint frame, pictures[2]; /* that extents are found with */
} drape_store;

toile_result drape_store_open(drape_store *s);
void drape_store_close(drape_store *s); /* zeroed is fine */

/* Projects a cloth that has texels and a pattern, and finds what it fills. */
toile_result drape_project(drape_store *s, const draw_cloth *cloth, bool apart,
                           draw_bounds *bounds);
/* Drops what was not projected since the last sweep. */
void drape_store_sweep(drape_store *s);

/* The one of a pattern, which was projected. */
drape *drape_find(const drape_store *s, uint64_t pattern);

/* Lets it cast shadows by a plan of its mesh. */
toile_result drape_cast(drape *d, drape_role role, const mesh_view *mesh, const coarse_plan *plan);

void drape_draw(const drape *d, drape_role role);
void drape_draw_all(const drape_store *s, drape_role role);

#endif
