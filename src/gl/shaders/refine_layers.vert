#version 430 core
/* The depth layer of a vertex in a view (section 6.4): each is a point. */
#include "gl/shaders/refine.glsl"

flat out vec4 place;

uniform float near; /* m: refine_near() */

void main() {
    int view = gl_InstanceID;
    ivec2 at = ivec2(gl_VertexID % level.x, gl_VertexID / level.x);
    ivec2 pixel = at + ivec2(view * level.x, 0);
    vec3 p = position_of(at);
    vec4 projected = refine_project(views[view], float(images.y), p);
    bool seen = refine_seen(projected, float(images.y));
    float distance_now = refine_distance(views[view], p);
    float steep = refine_steep(views[view], distance_now);
    float near_depth = near * refine_depth_of_metre(views[view], distance_now);
    refine_place found = refine_place_begin(seen);
    for (int layer = 0; layer < peeled && seen; layer++) {
        vec4 surface = layer_at(layer, view, projected);
        if (surface.w == 0.0) {
            break;
        }
        bool ahead = refine_is_ahead(surface, projected, steep, near_depth);
        found = refine_place_add(found, float(layer), sign(surface.w), ahead, images.w == 1);
    }
    place = vec4(found.layers, found.winding, found.front, found.back);
    vec2 size = vec2(level.x * images.x, level.y);
    gl_Position = vec4((2.0 * vec2(pixel) + 1.0) / size - 1.0, 0.0, 1.0);
}
