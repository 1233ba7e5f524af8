/* Searches in the trees of bodies: those of cpu/refine_search.c. */
#ifndef TOILE_GL_REFINE_SEARCH
#define TOILE_GL_REFINE_SEARCH

#include "gl/shaders/refine.glsl"

layout(binding = REFINE_UNIT_NODES) uniform samplerBuffer nodes;       /* 2 texels each */
layout(binding = REFINE_UNIT_TRIANGLES) uniform usamplerBuffer triangles;
layout(binding = REFINE_UNIT_START) uniform samplerBuffer starts;      /* vertices */
layout(binding = REFINE_UNIT_END) uniform samplerBuffer ends;
layout(binding = REFINE_UNIT_BODIES) uniform samplerBuffer bodies;     /* 2 texels each */

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

struct exit_point {
    bool found;
    float squared;
    vec3 offset, normal;
};

float box_of_node(int node, vec3 p) {
    return box_squared(p, texelFetch(nodes, 2 * node).xyz, texelFetch(nodes, 2 * node + 1).xyz);
}

exit_point nearer_exit(exit_point best, int triangle, vec3 p, vec3 side, float beyond) {
    corners at = corners_at_end(triangle);
    vec3 normal = refine_normal(at.a, at.b, at.c);
    if (!refine_is_exit(p, at.a, normal, side)) {
        return best;
    }
    vec3 offset = triangle_offset(p, at.a, at.b, at.c, normal).xyz;
    float squared = v3_dot(offset, offset);
    return squared > beyond && squared < best.squared ? exit_point(true, squared, offset, normal)
                                                      : best;
}

exit_point find_exit(int root, vec3 p, vec3 side, float beyond) {
    exit_point best = exit_point(false, 1e30, vec3(0.0), vec3(0.0));
    int waiting[REFINE_STACK];
    int count = 1;
    waiting[0] = root;
    while (count > 0) {
        int node = waiting[--count];
        if (box_of_node(node, p) > best.squared) {
            continue;
        }
        int first = int(texelFetch(nodes, 2 * node).w);
        int inside = int(texelFetch(nodes, 2 * node + 1).w);
        if (inside == 0) {
            int later = box_of_node(first + 1, p) < box_of_node(first, p) ? 0 : 1;
            waiting[count++] = first + later;
            waiting[count++] = first + 1 - later;
        }
        for (int t = first; t < first + inside; t++) {
            best = nearer_exit(best, t, p, side, beyond);
        }
    }
    return best;
}

/* The root of the first body that a point is in; -1: none. */
int find_around(vec3 p) {
    for (int b = 0; b < choice.z; b++) {
        vec4 low = texelFetch(bodies, 2 * b), high = texelFetch(bodies, 2 * b + 1);
        if (high.w > 0.5 && box_squared(p, low.xyz, high.xyz) <= 0.0 &&
            winding_of(int(low.w), p) != 0) {
            return int(low.w);
        }
    }
    return -1;
}

/* In w whether it leads out of all bodies. */
vec4 leave_body(int root, vec3 p, vec3 side) {
    float beyond = -1.0;
    vec3 nearest = p;
    for (int i = 0; i < REFINE_EXITS; i++) {
        exit_point to = find_exit(root, p, side, beyond);
        if (!to.found) {
            break;
        }
        vec3 outside = refine_out(p, to.offset, to.normal, cloth.w);
        if (find_around(outside) < 0) {
            return vec4(outside, 1.0);
        }
        nearest = i == 0 ? outside : nearest;
        beyond = REFINE_FARTHER * to.squared;
    }
    return vec4(nearest, 0.0);
}

vec3 leave(vec3 from, vec3 side) {
    vec3 p = from, towards = side;
    for (int i = 0; i < REFINE_ATTEMPTS; i++) {
        int root = find_around(p);
        if (root < 0) {
            break;
        }
        vec4 to = leave_body(root, p, towards);
        p = to.xyz;
        towards = NO_SIDE;
        if (to.w > 0.5) {
            break;
        }
    }
    return p;
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
        int count = texelFetch(bodies, 2 * b + 1).w > 0.5 ? 1 : 0;
        waiting[0] = int(texelFetch(bodies, 2 * b).w);
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
