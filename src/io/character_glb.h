/* glTF 2.0 binary: a character as a skinned mesh with its animations. */
#ifndef TOILE_IO_CHARACTER_GLB_H
#define TOILE_IO_CHARACTER_GLB_H

#include "model/character.h"
#include "toile/toile.h"

/* Writes the mesh, its skeleton and the clip of that name, or all of them when clip is NULL. Of
 * characters such as src/figure makes: 4 influences per vertex, linear tracks, no morph targets. */
toile_result character_glb_write(const char *path, const character *c, const char *name,
                                 const character_clip *clip);

#endif
