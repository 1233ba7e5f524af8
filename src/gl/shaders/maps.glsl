/* Bodies in images: cpu/maps.c does the same. */
#ifndef TOILE_GL_MAPS
#define TOILE_GL_MAPS

#include "kernel/maps.h"
#include "kernel/triangle.h"

layout(std430, binding = BIND_MOMENTS) restrict readonly buffer map_buffer { map_block maps[]; };
layout(binding = MAP_UNIT_IMAGES) uniform sampler2DArray map_images;

/* What a view of a body says about a point: unit normal in the view and distance, and its rank. */
vec4 map_answer(map_block m, int view, vec3 q, float reach, out float rank) {
    int axis = (m.axis + view) % 3, layer = m.layer + MAPS_IMAGES * view;
    vec3 low = maps_view(vec3(m.low_x, m.low_y, m.low_z), axis);
    vec3 size = maps_view(vec3(m.size_x, m.size_y, m.size_z), axis);
    vec2 at = vec2(maps_pixel(q.x, low.x, m.pixel, size.x),
                   maps_pixel(q.y, low.y, m.pixel, size.y));
    vec4 front = texelFetch(map_images, ivec3(at, layer + MAPS_FRONT), 0);
    vec4 inner = texelFetch(map_images, ivec3(at, layer + MAPS_INNER), 0);
    bool empty = maps_empty(front);
    if (empty && maps_blank(inner)) {
        rank = MAPS_NONE;
        return vec4(0.0);
    }
    if (empty) {
        at = inner.xy;
        front = texelFetch(map_images, ivec3(at, layer + MAPS_FRONT), 0);
        inner = texelFetch(map_images, ivec3(at, layer + MAPS_INNER), 0);
    }
    vec4 back = texelFetch(map_images, ivec3(at, layer + MAPS_BACK), 0);
    float u = maps_middle(at.x, low.x, m.pixel), v = maps_middle(at.y, low.y, m.pixel);
    float slack = m.views > 1 ? 1.0 : 0.0;
    if (maps_beside(q, u, v, m.pixel, empty, slack)) {
        vec4 hit = maps_around(q, u, v, front, back, m.pixel);
        rank = maps_rank_around(hit, m.pixel, reach);
        return hit;
    }
    vec4 hit = maps_between(q, u, v, front, back);
    rank = maps_hidden(q, inner) ? MAPS_NONE
                                 : maps_rank(q, u, v, front, back, hit, m.pixel, reach);
    return hit;
}

/* Unit normal and distance of a point in the frame of a body; what is beyond reach is far. hidden:
 * no camera can tell. */
vec4 map_hit(int map, vec3 p, float reach, out bool hidden) {
    map_block m = maps[map];
    vec4 hit = vec4(0.0, 0.0, 0.0, MAPS_NONE);
    hidden = false;
    if (box_squared(p, vec3(m.low_x, m.low_y, m.low_z), vec3(m.high_x, m.high_y, m.high_z)) >
        reach * reach) {
        return hit;
    }
    float best = MAPS_NONE;
    for (int view = 0; view < m.views; view++) {
        int axis = (m.axis + view) % 3;
        float rank;
        vec4 answer = map_answer(m, view, maps_view(p, axis), reach, rank);
        if (rank < best) {
            best = rank;
            hit = vec4(maps_body(answer.xyz, axis), answer.w);
        }
    }
    hidden = best == MAPS_NONE;
    return hit.w < -reach ? vec4(0.0, 0.0, 0.0, MAPS_NONE) : hit;
}

/* The same in the world, of a body of the plan that has images. */
vec4 body_map_hit(int body, shape s, vec3 p, out bool hidden) {
    vec3 own = shape_local_point(p, s.center, s.axis_x, s.axis_y, s.axis_z);
    vec4 hit = map_hit(body, own, MAPS_REACH * cloth.spacing, hidden);
    return vec4(shape_world_direction(hit.xyz, s.axis_x, s.axis_y, s.axis_z), hit.w);
}

#endif
