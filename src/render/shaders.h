/* The texts of src/render/shaders, put into the program by cmake/embed_text.cmake. */
#ifndef TOILE_RENDER_SHADERS_H
#define TOILE_RENDER_SHADERS_H

extern const char shader_add_frag[];
extern const char shader_backdrop_frag[];
extern const char shader_body_frag[];
extern const char shader_cloth_frag[];
extern const char shader_depth_frag[];
extern const char shader_drape_vert[];
extern const char shader_encode_frag[];
extern const char shader_extent_frag[];
extern const char shader_extent_vert[];
extern const char shader_fabric_glsl[];
extern const char shader_floor_frag[];
extern const char shader_floor_glsl[];
extern const char shader_floor_light_frag[];
extern const char shader_floor_light_vert[];
extern const char shader_lighting_glsl[];
extern const char shader_picture_glsl[];
extern const char shader_screen_vert[];
extern const char shader_shade_frag[];
extern const char shader_shadow_vert[];
extern const char shader_surface_vert[];

#endif
