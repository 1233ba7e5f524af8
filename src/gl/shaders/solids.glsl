/* Bodies that are meshes: the search of model/solid.c, and the normals of model/solid_deform.c. */
#ifndef TOILE_GL_SOLIDS
#define TOILE_GL_SOLIDS

#include "gl/shaders/solid_words.glsl"
#include "kernel/ccd.h"
#include "kernel/triangle.h"

const uint NO_FACE = 0xffffffffu, NO_EDGE = 0xffffffffu;

/* ---- meshes that deform -------------------------------------------------------------------------
 */

vec3 solid_between(int start, int end, float time) {
    return v3_mix(solid_vector(start), solid_vector(end), time);
}

/* The corners of a face. */
struct solid_corners {
    vec3 a, b, c;
};

solid_corners corners_at(solid_block s, int face, float time) {
    int start = s.faces + FACE_WORDS * face, end = s.end_corners + CORNERS_WORDS * face;
    if (s.end_corners == 0) {
        return solid_corners(solid_vector(start), solid_vector(start + 3), solid_vector(start + 6));
    }
    return solid_corners(solid_between(start, end, time), solid_between(start + 3, end + 3, time),
                         solid_between(start + 6, end + 6, time));
}

vec3 point_of(solid_corners c, vec3 weights) {
    return v3_madd(v3_madd(v3_scale(c.a, weights.x), c.b, weights.y), c.c, weights.z);
}

uint next_edge(uint half_edge) {
    return half_edge % 3u == 2u ? half_edge - 2u : half_edge + 1u;
}

vec3 solid_corner(solid_block s, uint half_edge, float time) {
    int vertex = 3 * int(solids[s.triangles + int(half_edge)]);
    return solid_between(s.starts + vertex, s.ends + vertex, time);
}

vec3 normal_of(solid_block s, uint half_edge, float time) {
    uint first = half_edge - half_edge % 3u;
    return triangle_normal(solid_corner(s, first, time), solid_corner(s, first + 1u, time),
                           solid_corner(s, first + 2u, time));
}

float corner_angle(solid_block s, uint half_edge, float time) {
    vec3 at = solid_corner(s, half_edge, time);
    uint next = next_edge(half_edge);
    return angle_between(solid_corner(s, next, time) - at,
                         solid_corner(s, next_edge(next), time) - at);
}

uint turn_left(solid_block s, uint half_edge) {
    return solids[s.twins + int(next_edge(next_edge(half_edge)))];
}

uint turn_right(solid_block s, uint half_edge) {
    uint twin = solids[s.twins + int(half_edge)];
    return twin == NO_EDGE ? NO_EDGE : next_edge(twin);
}

vec3 fan_normal(solid_block s, uint half_edge, float time) {
    uint first = half_edge, lowest = half_edge;
    for (uint h = turn_left(s, half_edge); h != half_edge; h = turn_left(s, h)) {
        if (h == NO_EDGE) {
            lowest = first;
            break;
        }
        first = h;
        lowest = min(lowest, h);
    }
    vec3 sum = vec3(0.0);
    uint h = lowest;
    do {
        sum = v3_madd(sum, normal_of(s, h, time), corner_angle(s, h, time));
        h = turn_right(s, h);
    } while (h != lowest && h != NO_EDGE);
    return sum;
}

vec3 edge_normal(solid_block s, uint half_edge, float time) {
    uint twin = solids[s.twins + int(half_edge)];
    if (twin == NO_EDGE) {
        return normal_of(s, half_edge, time);
    }
    return normal_of(s, min(half_edge, twin), time) + normal_of(s, max(half_edge, twin), time);
}

vec3 part_normal(solid_block s, uint face, int part, float time) {
    uint half_edge = 3u * solids[s.numbers + int(face)] + uint(part % 3);
    vec3 sum = part < 3 ? fan_normal(s, half_edge, time) : edge_normal(s, half_edge, time);
    float squared = v3_dot(sum, sum);
    return squared > 1e-12 ? v3_scale(sum, 1.0 / k_sqrt(squared)) : normal_of(s, half_edge, time);
}

/* ---- search -------------------------------------------------------------------------------------
 */

struct nearest {
    float squared;
    uint face;
    vec4 offset;
    vec3 normal;
};

void visit_leaf(solid_block s, vec3 p, float time, uint first, uint count, inout nearest n) {
    for (uint i = first; i < first + count; i++) {
        solid_corners at = corners_at(s, int(i), time);
        vec3 normal = s.end_corners == 0 ? solid_vector(s.faces + FACE_WORDS * int(i) + 9)
                                         : triangle_normal(at.a, at.b, at.c);
        float height = v3_dot(p - at.a, normal);
        if (height * height > TRIANGLE_PLANE_BOUND * n.squared) {
            continue;
        }
        vec4 offset = triangle_offset(p, at.a, at.b, at.c, normal);
        float squared = v3_dot(offset.xyz, offset.xyz);
        bool tie = squared == n.squared &&
                   (n.face == NO_FACE ||
                    solids[s.numbers + int(i)] < solids[s.numbers + int(n.face)]);
        if (squared < n.squared || tie) {
            n = nearest(squared, i, offset, normal);
        }
    }
}

/* The squared distance from the box of a child. */
float child_squared(solid_block s, vec3 p, float time, int node, int child) {
    int start = s.nodes + NODE_WORDS * node + 3 * child;
    if (s.end_boxes == 0) {
        return box_squared(p, solid_vector(start), solid_vector(start + 6));
    }
    int end = s.end_boxes + BOXES_WORDS * node + 3 * child;
    return box_squared(p, solid_between(start, end, time),
                       solid_between(start + 6, end + 6, time));
}

/* The nearer child first; x: number, y: count of faces. */
nearest find_nearest(solid_block s, vec3 p, float squared, float time) {
    nearest n = nearest(squared, NO_FACE, vec4(0.0), vec3(0.0));
    uvec2 stack[SOLID_STACK];
    float far_squared[SOLID_STACK];
    int count = 0;
    uvec2 at = uvec2(0u);
    for (;;) {
        if (at.y > 0u) {
            visit_leaf(s, p, time, at.x, at.y, n);
        } else {
            int node = s.nodes + NODE_WORDS * int(at.x);
            float a = child_squared(s, p, time, int(at.x), 0);
            float b = child_squared(s, p, time, int(at.x), 1);
            uvec2 child_a = uvec2(solids[node + 12], solids[node + 14]);
            uvec2 child_b = uvec2(solids[node + 13], solids[node + 15]);
            bool a_first = a <= b;
            float near = a_first ? a : b, far = a_first ? b : a;
            if (near <= n.squared) {
                if (far <= n.squared) {
                    stack[count] = a_first ? child_b : child_a;
                    far_squared[count++] = far;
                }
                at = a_first ? child_a : child_b;
                continue;
            }
        }
        do {
            if (count == 0) {
                return n;
            }
            at = stack[--count];
        } while (far_squared[count] > n.squared);
    }
    return n;
}

/* As solid_nearest() in model/solid.h, in the mesh's own frame; what is beyond reach is far. way:
 * how far the surface there goes in the step. */
vec4 solid_hit(int at, vec3 p, float reach, float time, out vec3 way) {
    solid_block s = solid_of(at);
    nearest n = find_nearest(s, p, reach * reach, time);
    way = vec3(0.0);
    if (n.face == NO_FACE) {
        return vec4(0.0, 0.0, 0.0, 1e30);
    }
    vec3 normal = n.normal;
    int part = int(n.offset.w) - 1;
    if (part >= 0 && s.end_corners == 0) {
        normal = solid_vector(s.normals + PART_WORDS * int(n.face) + 3 * part);
    } else if (part >= 0) {
        normal = part_normal(s, n.face, part, time);
    }
    if (s.end_corners != 0) {
        vec3 foot = p - n.offset.xyz;
        solid_corners c = corners_at(s, int(n.face), time);
        vec3 weights = ccd_triangle_weights(c.a - foot, c.b - foot, c.c - foot).xyz;
        way = point_of(corners_at(s, int(n.face), 1.0), weights) -
              point_of(corners_at(s, int(n.face), 0.0), weights);
    }
    return triangle_signed(n.offset, normal, k_sqrt(n.squared), s.grain);
}

#endif
