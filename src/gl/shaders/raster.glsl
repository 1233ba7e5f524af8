/* The raster of a panel that sampling is drawn into: a pixel a texel, whose middle is its place. */
#ifndef TOILE_GL_RASTER
#define TOILE_GL_RASTER

uniform vec3 raster; /* columns, rows, and the spacing of texels in metres */

vec4 raster_position(vec2 place) {
    return vec4((place / raster.z + 0.5) / raster.xy * 2.0 - 1.0, 0.0, 1.0);
}

#endif
