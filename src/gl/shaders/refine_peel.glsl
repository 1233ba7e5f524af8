/* A corner of a triangle in the image of a view, which is one of an atlas. */
#include "gl/shaders/refine.glsl"

flat out int triangle;

void emit_corner(int number, vec3 p) {
    refine_view view = views[gl_InstanceID];
    vec4 clip = vec4(refine_row(view.x, p), refine_row(view.y, p), refine_row(view.z, p),
                     refine_row(view.w, p));
    vec2 tile = vec2(gl_InstanceID % images.z, gl_InstanceID / images.z);
    vec2 tiles = vec2(images.z, (images.x + images.z - 1) / images.z);
    triangle = number;
    gl_ClipDistance[0] = clip.w + clip.x;
    gl_ClipDistance[1] = clip.w - clip.x;
    gl_ClipDistance[2] = clip.w + clip.y;
    gl_ClipDistance[3] = clip.w - clip.y;
    gl_Position = vec4((clip.xy + clip.w * (2.0 * tile + 1.0 - tiles)) / tiles, clip.zw);
}
