#version 430 core
/* Cloth against cloth in the layers (chapter 8, 4): that of cpu/refine_order.c. `layers` are those
 * of the level above. */
#include "gl/shaders/refine.glsl"

layout(location = 0) out vec4 position;
layout(location = 1) out int mark;

/* In x how many layers of other parts than a vertex are in front of p, -1: not seen; in y the depth
 * of the one that is wanted, -1: there is none. */
vec2 count_others(int view, vec3 p, ivec2 at, int wanted) {
    vec4 projected = refine_project(views[view], float(images.y), p);
    float steep = refine_steep(views[view], refine_distance(views[view], p));
    vec2 found = vec2(0.0, -1.0);
    int others = 0;
    if (!refine_seen(projected, float(images.y))) {
        return vec2(-1.0);
    }
    for (int layer = 0; layer < peeled; layer++) {
        vec4 pixel = layer_at(layer, view, projected);
        if (pixel.w != 0.0 && refine_is_other(pixel.w, level.x / 2, at.x, at.y)) {
            float surface = refine_surface_depth(pixel, projected, steep);
            found.y = others == wanted ? surface : found.y;
            found.x += surface < projected.z ? 1.0 : 0.0;
            others++;
        }
    }
    return found;
}

int agreed_order(int view, ivec2 at) {
    int agreed = -2;
    for (int k = 0; k < parent_count(at); k++) {
        vec3 parent = position_of(at + parent_way(at, k));
        int here = int(count_others(view, parent, at, -1).x);
        agreed = agreed == -2 || agreed == here ? here : -1;
    }
    return agreed;
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec3 p = position_of(at), back = p;
    float nearest = max(cloth.x, cloth.y);
    bool found = false;
    for (int view = 0; view < images.x && !is_old(at); view++) {
        int wanted = agreed_order(view, at), own = int(count_others(view, p, at, -1).x);
        if (wanted < 0 || own < 0 || own == wanted) {
            continue;
        }
        float depth = count_others(view, p, at, refine_order_layer(own, wanted)).y;
        float way = k_abs(refine_depth_distance(views[view], depth) -
                          refine_distance(views[view], p));
        if (depth >= 0.0 && way < nearest) {
            nearest = way;
            found = true;
            back = refine_push(views[view], p, depth, views[view].forward,
                               own > wanted ? -cloth.w : cloth.w);
        }
    }
    position = vec4(back, 1.0);
    mark = mark_of(at) | (found ? REFINE_REORDERED : 0);
}
