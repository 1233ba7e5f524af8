/* Strain of a mesh against its flat pattern. */
#ifndef TOILE_APP_STRAIN_H
#define TOILE_APP_STRAIN_H

#include "io/mesh.h"
#include "toile/toile.h"

/* Over the edges that run along warp or weft in the pattern, or over all where none does. The mesh
 * has coordinates; where they give no edge a length, which is no flat pattern, known is false. */
toile_result strain_measure(const mesh_data *mesh, bool *known, toile_strain *out);

#endif
