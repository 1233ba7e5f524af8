/* Bodies that are meshes: the search of model/solid.c. */
#ifndef TOILE_GL_SOLIDS
#define TOILE_GL_SOLIDS

#include "kernel/triangle.h"

/* All meshes of the world, one after the other: solid_block says where things are. */
layout(std430, binding = BIND_MOMENTS) restrict readonly buffer solid_buffer { uint solids[]; };

const int NODE_WORDS = 16, FACE_WORDS = 12, PART_WORDS = 18;
const uint NO_FACE = 0xffffffffu;

vec3 solid_vector(int at) {
    return uintBitsToFloat(uvec3(solids[at], solids[at + 1], solids[at + 2]));
}

struct nearest {
    float squared;
    uint face;
    vec4 offset;
};

void visit_leaf(solid_block s, vec3 p, uint first, uint count, inout nearest n) {
    for (uint i = first; i < first + count; i++) {
        int at = s.faces + FACE_WORDS * int(i);
        vec3 a = solid_vector(at), normal = solid_vector(at + 9);
        float height = v3_dot(p - a, normal);
        if (height * height > TRIANGLE_PLANE_BOUND * n.squared) {
            continue;
        }
        vec4 offset = triangle_offset(p, a, solid_vector(at + 3), solid_vector(at + 6), normal);
        float squared = v3_dot(offset.xyz, offset.xyz);
        bool tie = squared == n.squared &&
                   (n.face == NO_FACE ||
                    solids[s.numbers + int(i)] < solids[s.numbers + int(n.face)]);
        if (squared < n.squared || tie) {
            n = nearest(squared, i, offset);
        }
    }
}

/* The nearer child first; x: number, y: count of faces. */
nearest find_nearest(solid_block s, vec3 p, float squared) {
    nearest n = nearest(squared, NO_FACE, vec4(0.0));
    uvec2 stack[SOLID_STACK];
    float far_squared[SOLID_STACK];
    int count = 0;
    uvec2 at = uvec2(0u);
    for (;;) {
        if (at.y > 0u) {
            visit_leaf(s, p, at.x, at.y, n);
        } else {
            int node = s.nodes + NODE_WORDS * int(at.x);
            float a = box_squared(p, solid_vector(node), solid_vector(node + 6));
            float b = box_squared(p, solid_vector(node + 3), solid_vector(node + 9));
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

solid_block solid_of(int at) {
    return solid_block(int(solids[at]), int(solids[at + 1]), int(solids[at + 2]),
                       int(solids[at + 3]), uintBitsToFloat(solids[at + 4]), 0, 0, 0);
}

/* As solid_distance() in model/solid.h, in the mesh's own frame; what is beyond reach is far. */
vec4 solid_hit(int at, vec3 p, float reach) {
    solid_block s = solid_of(at);
    nearest n = find_nearest(s, p, reach * reach);
    if (n.face == NO_FACE) {
        return vec4(0.0, 0.0, 0.0, 1e30);
    }
    int part = s.normals + PART_WORDS * int(n.face) + 3 * (int(n.offset.w) - 1);
    bool face = n.offset.w == TRIANGLE_FACE;
    vec3 normal = solid_vector(face ? s.faces + FACE_WORDS * int(n.face) + 9 : part);
    return triangle_signed(n.offset, normal, k_sqrt(n.squared), s.grain);
}

#endif
