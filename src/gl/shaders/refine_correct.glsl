/* Detection and correction of one vertex: those of cpu/refine_level.c. */
#ifndef TOILE_GL_REFINE_CORRECT
#define TOILE_GL_REFINE_CORRECT

#include "gl/shaders/refine_search.glsl"

vec4 place_of(ivec2 at, int view) {
    return texelFetch(places, at + ivec2(view * level.x, 0), 0);
}

/* Whose layers a vertex is judged by. */
int judge_count(ivec2 at) {
    return is_old(at) ? 4 : parent_count(at);
}

ivec2 judge_at(ivec2 at, int k) {
    const ivec2 around[4] = ivec2[4](ivec2(-1, 0), ivec2(1, 0), ivec2(0, -1), ivec2(0, 1));
    return at + (is_old(at) ? around[k] : parent_way(at, k));
}

struct verdict {
    bool inside;
    int found_layers, found_case, view;
    vec4 pixel;
    float depth, way;
};

bool by_winding() {
    return images.w == 1;
}

verdict look(ivec2 at, int view, vec4 place) {
    vec3 p = position_of(at);
    vec4 projected = refine_project(views[view], float(images.y), p);
    int front = 0, back = 0, count = 0;
    for (int k = 0; k < judge_count(at); k++) {
        if (is_in_grid(judge_at(at, k))) {
            int side = refine_side(place, place_of(judge_at(at, k), view), by_winding());
            front += side > 0 ? 1 : 0;
            back += side < 0 ? 1 : 0;
            count++;
        }
    }
    int layer = int(refine_to_front(front, back, place) ? place.z : place.w);
    vec4 pixel = layer_at(layer, view, projected);
    float distance_now = refine_distance(views[view], p);
    float depth =
        refine_surface_depth(pixel, projected, refine_steep(views[view], distance_now));
    float way = k_abs(refine_depth_distance(views[view], depth) - distance_now);
    return verdict(true, int(place.x), refine_case(count, front, back), view, pixel, depth, way);
}

verdict judge(ivec2 at) {
    verdict best = verdict(false, REFINE_LAYERS, REFINE_NO_CASE, -1, vec4(0.0), 0.0, 1e30);
    int seen = 0, inside = 0;
    for (int view = 0; view < images.x; view++) {
        vec4 place = place_of(at, view);
        if (place.x >= 0.0) {
            best.found_layers = seen == 0 ? int(place.x) : best.found_layers;
            seen++;
        }
        if (refine_is_inside(place, by_winding())) {
            verdict here = look(at, view, place);
            inside++;
            if (here.way < best.way) {
                best = here;
            }
        }
    }
    best.inside = refine_agree(inside, seen, choice.y == 1);
    best.found_case = best.inside ? best.found_case : REFINE_NO_CASE;
    return best;
}

vec3 push_along_view(vec3 p, verdict of) {
    corners c = corners_at_end(int(k_abs(of.pixel.w)) - 1);
    vec3 normal = refine_normal(c.a, c.b, c.c);
    return refine_push(views[of.view], p, of.depth, normal, cloth.w);
}

vec3 corrected(ivec2 at, vec3 p, verdict of) {
    if (choice.x == REFINE_CHOICE_IMAGE) {
        return push_along_view(p, of);
    }
    vec3 side = NO_SIDE;
    if (choice.x == REFINE_CHOICE_HISTORY && (choice.w & 1) == 1) {
        side = met_normal(texelFetch(last_positions, at << level.w, 0).xyz, p);
    }
    return choice.x == REFINE_CHOICE_LEAVE ? p : leave(p, side);
}

struct vertex {
    vec3 position;
    int mark;
};

vertex correct(ivec2 at) {
    vertex v = vertex(position_of(at), mark_of(at));
    bool fresh = followed == 1 && (v.mark & REFINE_FRESH) != 0;
    if (is_old(at) && !fresh) {
        return v;
    }
    verdict of = judge(at);
    v.mark = (v.mark & ~REFINE_LAYERS) | of.found_layers;
    if (of.inside) {
        v.mark = (v.mark & ~REFINE_CASE_MASK) | REFINE_INSIDE | (of.found_case * REFINE_CASE);
        vec3 q = corrected(at, v.position, of);
        v.mark |= q != v.position ? REFINE_CORRECTED : 0;
        v.position = q;
    }
    return v;
}

#endif
