/* What passes over the texels of a level begin with. */
#ifndef TOILE_GL_LEVEL
#define TOILE_GL_LEVEL

#include "gl/shaders/texel.glsl"

layout(std140, binding = BIND_LEVEL) uniform level_uniform { level_block level; };
/* A shader whose threads hand values to each other says so before. */
#ifndef LEVEL_MEMORY
#define LEVEL_MEMORY restrict
#endif
layout(std430, binding = BIND_PLANES) LEVEL_MEMORY buffer planes_buffer { float planes[]; };

float level_plane_at(int plane, int k) {
    return planes[plane * level.grid.size + k];
}

void set_level_plane(int plane, int k, float value) {
    planes[plane * level.grid.size + k] = value;
}

vec3 level_at(int plane, int k) {
    return vec3(level_plane_at(plane, k), level_plane_at(plane + 1, k),
                level_plane_at(plane + 2, k));
}

void set_level(int plane, int k, vec3 value) {
    set_level_plane(plane, k, value.x);
    set_level_plane(plane + 1, k, value.y);
    set_level_plane(plane + 2, k, value.z);
}

float table_at(int table, int k) {
    return level_plane_at(LEVEL_COUNT + table, k);
}

#endif
