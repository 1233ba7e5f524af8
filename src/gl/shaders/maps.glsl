/* Bodies in images: cpu/maps.c does the same. */
#ifndef TOILE_GL_MAPS
#define TOILE_GL_MAPS

#include "kernel/maps.h"
#include "kernel/triangle.h"

layout(std430, binding = BIND_MOMENTS) restrict readonly buffer map_buffer { map_block maps[]; };
layout(binding = MAP_UNIT_IMAGES) uniform sampler2DArray map_images;

/* What the cameras of a view see at the pixel of a point, or else at the nearest one on the body. */
struct map_sight {
    ivec2 at;
    float u, v; /* m, its middle */
    vec4 front, back, inner;
    bool empty; /* the point's own pixel is */
};

vec4 map_pixel(map_block m, int view, int image, ivec2 at) {
    return texelFetch(map_images, ivec3(at, m.layer + m.images * view + image), 0);
}

/* False: all of the view is empty. */
bool map_look(map_block m, int view, vec3 q, out map_sight s) {
    int axis = (m.axis + view) % 3;
    vec3 low = maps_view(vec3(m.low_x, m.low_y, m.low_z), axis);
    vec3 size = maps_view(vec3(m.size_x, m.size_y, m.size_z), axis);
    s.at = ivec2(maps_pixel(q.x, low.x, m.pixel, size.x), maps_pixel(q.y, low.y, m.pixel, size.y));
    s.front = map_pixel(m, view, MAPS_FRONT, s.at);
    s.inner = map_pixel(m, view, MAPS_INNER, s.at);
    s.back = vec4(0.0);
    s.u = s.v = 0.0;
    s.empty = maps_empty(s.front);
    if (s.empty && maps_blank(s.inner)) {
        return false;
    }
    if (s.empty) {
        s.at = ivec2(s.inner.xy);
        s.front = map_pixel(m, view, MAPS_FRONT, s.at);
        s.inner = map_pixel(m, view, MAPS_INNER, s.at);
    }
    s.back = map_pixel(m, view, MAPS_BACK, s.at);
    s.u = maps_middle(float(s.at.x), low.x, m.pixel);
    s.v = maps_middle(float(s.at.y), low.y, m.pixel);
    return true;
}

/* How far the surface that is next to a point there goes in the step. */
vec3 map_surface_way(map_block m, int view, vec3 q, map_sight s) {
    bool is_front = maps_is_front(q, s.u, s.v, s.front, s.back);
    return map_pixel(m, view, is_front ? MAPS_FRONT_WAY : MAPS_BACK_WAY, s.at).xyz;
}

/* What a view of a body says about a point: unit normal in the view and distance, the way of the
 * surface in the step, and the answer's rank. */
vec4 map_answer(map_block m, int view, vec3 q, float time, float reach, out vec3 way,
                out float rank) {
    map_sight s;
    way = vec3(0.0);
    if (!map_look(m, view, q, s)) {
        rank = MAPS_NONE;
        return vec4(0.0);
    }
    if (m.images == MAPS_MOVING_IMAGES) {
        vec3 now = q;
        for (int i = 0; i < MAPS_FOLLOWS && time < 1.0; i++) {
            q = maps_ahead(now, map_surface_way(m, view, q, s), time);
            map_look(m, view, q, s);
        }
        way = map_surface_way(m, view, q, s);
    }
    float slack = m.views > 1 ? 1.0 : 0.0;
    if (maps_beside(q, s.u, s.v, m.pixel, s.empty, slack)) {
        vec4 hit = maps_around(q, s.u, s.v, s.front, s.back, m.pixel);
        rank = maps_rank_around(hit, m.pixel, reach);
        return hit;
    }
    vec4 hit = maps_between(q, s.u, s.v, s.front, s.back);
    rank = maps_hidden(q, s.inner)
               ? MAPS_NONE
               : maps_rank(q, s.u, s.v, s.front, s.back, hit, m.pixel, reach);
    return hit;
}

/* Unit normal and distance of a point in the frame of a body at a time of the step; what is beyond
 * reach is far. way: that of the surface in the step. hidden: no camera can tell. */
vec4 map_hit(int map, vec3 p, float time, float reach, out vec3 way, out bool hidden) {
    map_block m = maps[map];
    vec4 hit = vec4(0.0, 0.0, 0.0, MAPS_NONE);
    float wide = reach + m.longest_way;
    hidden = false;
    way = vec3(0.0);
    if (box_squared(p, vec3(m.low_x, m.low_y, m.low_z), vec3(m.high_x, m.high_y, m.high_z)) >
        wide * wide) {
        return hit;
    }
    float best = MAPS_NONE;
    for (int view = 0; view < m.views; view++) {
        int axis = (m.axis + view) % 3;
        float rank;
        vec3 there;
        vec4 answer = map_answer(m, view, maps_view(p, axis), time, reach, there, rank);
        if (rank < best) {
            best = rank;
            hit = vec4(maps_body(answer.xyz, axis), answer.w);
            way = maps_body(there, axis);
        }
    }
    hidden = best == MAPS_NONE;
    return hit.w < -reach ? vec4(0.0, 0.0, 0.0, MAPS_NONE) : hit;
}

/* The same in the world, of a body of the plan that has images. One that deforms is in the world:
 * then the body moves as its surface does there. */
vec4 body_map_hit(int body, inout shape s, vec3 p, out bool hidden) {
    vec3 way, own = shape_local_point(p, s.center, s.axis_x, s.axis_y, s.axis_z);
    float time = shapes[substep * cloth.body_count + body].time;
    vec4 hit = map_hit(body, own, time, MAPS_REACH * cloth.spacing, way, hidden);
    s.velocity = v3_madd(s.velocity, way, 1.0 / cloth.span);
    return vec4(shape_world_direction(hit.xyz, s.axis_x, s.axis_y, s.axis_z), hit.w);
}

#endif
