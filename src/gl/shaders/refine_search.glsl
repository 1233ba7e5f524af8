/* Searches in the trees of bodies: those of device/refine_search.c. */
#ifndef TOILE_GL_REFINE_SEARCH
#define TOILE_GL_REFINE_SEARCH

#include "gl/shaders/refine.glsl"

layout(binding = REFINE_UNIT_NODES) uniform samplerBuffer nodes;       /* 2 texels each */
layout(binding = REFINE_UNIT_TRIANGLES) uniform usamplerBuffer triangles;
layout(binding = REFINE_UNIT_START) uniform samplerBuffer starts;      /* vertices */
layout(binding = REFINE_UNIT_END) uniform samplerBuffer ends;
layout(binding = REFINE_UNIT_ROOTS) uniform isamplerBuffer roots;      /* nodes, one a body */

const vec3 NO_SIDE = vec3(0.0);

struct corners {
    vec3 a, b, c;
};

corners corners_at_end(int triangle) {
    ivec3 at = ivec3(texelFetch(triangles, triangle).xyz);
    return corners(texelFetch(ends, at.x).xyz, texelFetch(ends, at.y).xyz,
                   texelFetch(ends, at.z).xyz);
}

corners corners_at_start(int triangle) {
    ivec3 at = ivec3(texelFetch(triangles, triangle).xyz);
    return corners(texelFetch(starts, at.x).xyz, texelFetch(starts, at.y).xyz,
                   texelFetch(starts, at.z).xyz);
}

int winding_of(int root, vec3 p) {
    int waiting[REFINE_STACK];
    int count = 1, winding = 0;
    waiting[0] = root;
    while (count > 0) {
        int node = waiting[--count];
        vec4 low = texelFetch(nodes, 2 * node), high = texelFetch(nodes, 2 * node + 1);
        if (!refine_ray_meets(p, low.xyz, high.xyz)) {
            continue;
        }
        int first = int(low.w), inside = int(high.w);
        if (inside == 0) {
            waiting[count++] = first + 1;
            waiting[count++] = first;
        }
        for (int t = first; t < first + inside; t++) {
            corners at = corners_at_end(t);
            winding += refine_crossing(at.a - p, at.b - p, at.c - p);
        }
    }
    return winding;
}

bool is_inside(vec3 p) {
    for (int b = 0; b < choice.z; b++) {
        if (winding_of(texelFetch(roots, b).x, p) != 0) {
            return true;
        }
    }
    return false;
}

/* Where the shortest way so far ends, and in w the distance to the surface squared. */
vec4 nearer_way(vec4 best, int triangle, vec3 p, vec3 side, bool inside) {
    corners at = corners_at_end(triangle);
    vec3 normal = refine_normal(at.a, at.b, at.c);
    if (!refine_is_exit(p, at.a, normal, side, inside)) {
        return best;
    }
    vec3 offset = triangle_offset(p, at.a, at.b, at.c, normal).xyz;
    float squared = v3_dot(offset, offset);
    vec3 to = refine_out(p, offset, normal, cloth.w, inside);
    return squared < best.w && !is_inside(to) ? vec4(to, squared) : best;
}

float box_of_node(int node, vec3 p) {
    return box_squared(p, texelFetch(nodes, 2 * node).xyz, texelFetch(nodes, 2 * node + 1).xyz);
}

vec4 nearest_way(vec4 far, int root, vec3 p, vec3 side, bool inside) {
    vec4 best = far;
    int waiting[REFINE_STACK];
    int count = 1;
    waiting[0] = root;
    while (count > 0) {
        int node = waiting[--count];
        if (box_of_node(node, p) >= best.w) {
            continue;
        }
        int first = int(texelFetch(nodes, 2 * node).w);
        int faces = int(texelFetch(nodes, 2 * node + 1).w);
        if (faces == 0) {
            int later = box_of_node(first + 1, p) < box_of_node(first, p) ? 0 : 1;
            waiting[count++] = first + later;
            waiting[count++] = first + 1 - later;
        }
        for (int t = first; t < first + faces; t++) {
            best = nearer_way(best, t, p, side, inside);
        }
    }
    return best;
}

vec3 leave(vec3 p, vec3 side) {
    bool inside = is_inside(p);
    float farthest = inside ? REFINE_FAR : cloth.w * cloth.w;
    vec4 way = vec4(p, farthest);
    for (int attempt = 0; attempt < (inside ? 2 : 1) && way.w == farthest; attempt++) {
        for (int b = 0; b < choice.z; b++) {
            way = nearest_way(way, texelFetch(roots, b).x, p, attempt == 0 ? side : NO_SIDE,
                              inside);
        }
    }
    return way.xyz;
}

struct first_met {
    float time;
    int triangle;
    vec3 normal;
};

first_met earlier(first_met first, int t, vec3 before, vec3 p) {
    corners from = corners_at_start(t), to = corners_at_end(t);
    ccd_hit hit = refine_met(before, p, from.a, from.b, from.c, to.a, to.b, to.c);
    bool is_earlier = hit.time < first.time || (hit.time == first.time && t < first.triangle);
    if (hit.found && is_earlier) {
        return first_met(hit.time, t, refine_normal(to.a, to.b, to.c));
    }
    return first;
}

vec3 met_normal(vec3 before, vec3 p) {
    vec3 low = ccd_box_low(v3_min(before, p), 1e-5), high = ccd_box_high(v3_max(before, p), 1e-5);
    first_met first = first_met(CCD_NEVER, 0, vec3(0.0));
    for (int b = 0; b < choice.z; b++) {
        int waiting[REFINE_STACK];
        int count = 1;
        waiting[0] = texelFetch(roots, b).x;
        while (count > 0) {
            int node = waiting[--count];
            vec4 node_low = texelFetch(nodes, 2 * node), node_high = texelFetch(nodes, 2 * node + 1);
            if (!ccd_boxes_meet(low, high, node_low.xyz, node_high.xyz)) {
                continue;
            }
            int begin = int(node_low.w), inside = int(node_high.w);
            if (inside == 0) {
                waiting[count++] = begin + 1;
                waiting[count++] = begin;
            }
            for (int t = begin; t < begin + inside; t++) {
                first = earlier(first, t, before, p);
            }
        }
    }
    return first.normal;
}

#endif
