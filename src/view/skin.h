/* The ways in which the cloths of a world can be shown: as render meshes, as grids of every level,
 * as coarse meshes. What never changes of each is made once. */
#ifndef TOILE_VIEW_SKIN_H
#define TOILE_VIEW_SKIN_H

#include "io/mesh.h"
#include "toile/toile.h"

typedef enum skin_kind { SKIN_MESH, SKIN_LEVEL, SKIN_COARSE } skin_kind;

typedef struct skin_cloth {
    mesh_data mesh;   /* pattern coordinates and triangles; positions as they were at first */
    uint32_t *texels; /* LEVEL: that of each vertex */
    /* MESH, where OpenGL has the texels: the place of each vertex among them, and how they lie. */
    toile_square *squares;
    toile_gl_texels layout;
    int columns;
} skin_cloth;

typedef struct skin {
    skin_kind kind;
    int level;
    skin_cloth *cloths;
} skin;

typedef struct skins {
    skin *items; /* the render mesh, levels 0 .. n, the coarse mesh */
    int count;
    int cloth_count;
    float *texels;   /* room for the positions of a cloth */
    uint16_t *marks; /* the same for marks of `refine`; NULL: another solver */
} skins;

toile_result skins_make(skins *s, const toile_world *world, const toile_cloth_id *cloths,
                        int cloth_count);
void skins_free(skins *s); /* zeroed is fine */

/* The positions of a cloth as they are now, 3 a vertex. */
toile_result skins_read(const skins *s, int which, const toile_world *world, toile_cloth_id id,
                        int cloth, float *positions);
/* The marks of its vertices, each that of the nearest texel. Where there are marks. */
toile_result skins_read_marks(const skins *s, int which, const toile_world *world,
                              toile_cloth_id id, int cloth, uint16_t *out);

#endif
