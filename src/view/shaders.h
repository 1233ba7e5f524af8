/* The texts of src/view/shaders, put into the program by cmake/embed_text.cmake. */
#ifndef TOILE_VIEW_SHADERS_H
#define TOILE_VIEW_SHADERS_H

extern const char shader_overlay_frag[];
extern const char shader_overlay_vert[];

#endif
