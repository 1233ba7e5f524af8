/* Between a panel's coarse mesh and its texels with the graphics pipeline, as Schmitt 2013 section
 * 4 does it: vertex data is drawn into textures, and texels are read where vertices are captured.
 * Two vectors at once. The formulas are those of kernel/mapping.h, which gl/shaders/sample.comp and
 * coarse.comp reach without drawing. */
#ifndef TOILE_GL_SURFACE_H
#define TOILE_GL_SURFACE_H

#include "cook/panel.h"
#include "gl/blocks.h"
#include "gl/machine.h"

typedef struct gl_surface {
    const machine *machine;
    grid grid; /* the panel's, unscaled */
    int vertex_count, index_count, stray_count;
    GLuint sample_array, stray_array, project_array;
    GLuint places;               /* 2 floats a vertex of the coarse mesh */
    GLuint indices;              /* 6 a triangle: with adjacency */
    GLuint strays;               /* texels that are drawn as points; see surface_stray.vert */
    GLuint squares;              /* a vertex: index of its lower left texel, two fractions */
    GLuint frame, depth;         /* what is drawn into: */
    GLuint textures[2];          /* columns x rows of 32-bit floats */
    GLuint projected;            /* 6 floats a vertex */
    GLuint views[SURFACE_UNITS]; /* buffers, as shaders read them */
    size_t bytes;                /* of all of these but what is sampled and projected */
} gl_surface;

/* What is sampled, 6 floats a vertex, and the planes that are projected; 0 for none. They live as
 * long as the surface. */
typedef struct surface_buffers {
    GLuint vertices, planes;
} surface_buffers;

/* For a panel, or a cloth that is made of it. The machine's context is current for all of these. A
 * grid that the driver has no texture for is refused. */
toile_result surface_make(gl_surface *s, machine *m, const panel *p, surface_buffers of);
void surface_free(gl_surface *s); /* zeroed is fine */

/* Draws two vectors a vertex into the textures: S1 to S3. */
void surface_sample(const gl_surface *s);

/* Reads two vectors at each vertex from planes, where they begin at these numbers, into
 * `projected`: S4. */
void surface_project(const gl_surface *s, int first, int second);

/* For tests and benchmarks: steps use this way instead of compute shaders, from the next change of
 * a world's cloths on. */
void surface_prefer(bool drawn);
bool surface_is_preferred(void);

#endif
