/* The programs that map a panel's coarse mesh and its texels with the graphics pipeline. */
#ifndef TOILE_GL_SURFACE_PROGRAM_H
#define TOILE_GL_SURFACE_PROGRAM_H

#include "gl/program.h"

extern const char shader_surface_project_vert[];
extern const char shader_surface_sample_frag[];
extern const char shader_surface_sample_geom[];
extern const char shader_surface_sample_vert[];
extern const char shader_surface_stray_frag[];
extern const char shader_surface_stray_vert[];

/* Programs, and where their uniforms are. */
typedef struct surface_programs {
    GLuint sample, stray, project; /* 0: not made yet */
    GLint sample_raster, stray_raster;
    GLint layout_of_planes, fields;
} surface_programs;

/* Makes those that are not made yet, in the current context. */
toile_result surface_programs_make(surface_programs *p);
void surface_programs_free(surface_programs *p); /* zeroed is fine */

#endif
