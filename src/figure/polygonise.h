/* From a field to a mesh of even triangles. */
#ifndef TOILE_FIGURE_POLYGONISE_H
#define TOILE_FIGURE_POLYGONISE_H

#include "figure/field.h"
#include "figure/manifold.h"
#include "toile/toile.h"

/* Marching tetrahedra: every cube of a lattice is cut into six tetrahedra around the same diagonal
 * (Freudenthal), so that neighbours agree on their faces and the surface is closed and a manifold
 * whatever the field is. Its triangles are as uneven as those of all such methods: see remesh. The
 * box must hold the whole surface. */
toile_result polygonise(const field *f, vec low, vec high, double cell, manifold *out);

/* m: how long edges are wanted to be at a place. */
typedef double remesh_size(const void *context, vec at);

/* Isotropic remeshing (Botsch and Kobbelt, A Remeshing Approach to Multiresolution Modeling, 2004):
 * splits long edges, collapses short ones, flips towards six edges per vertex, moves vertices to
 * the middle of their neighbours, and puts them back onto the surface of the field. */
toile_result remesh(const field *f, remesh_size *size, const void *context, manifold *s);

#endif
