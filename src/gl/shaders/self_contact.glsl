/* Two texels that are too near to each other, in the implicit solver. */
#ifndef TOILE_GL_SELF_CONTACT
#define TOILE_GL_SELF_CONTACT

#include "gl/shaders/self_search.glsl"

layout(std430, binding = BIND_MASK) restrict readonly buffer meet_buffer { uint meets[]; };

vec3 way; /* m, that a texel is given in a substep */

struct near_pair {
    vec3 before, after, direction;
    float depth, part, masses;
};

bool is_near_pair(int partner, float keep, out near_pair p) {
    vec4 a = uintBitsToFloat(seen[2 * own]), b = uintBitsToFloat(seen[2 * partner]);
    p.masses = a.w + b.w;
    p.after = a.xyz - b.xyz;
    p.before = uintBitsToFloat(seen[2 * own + 1].xyz) - uintBitsToFloat(seen[2 * partner + 1].xyz);
    p.direction = self_direction(p.before, p.after, own < partner ? 1.0 : -1.0);
    p.depth = self_depth(p.after, p.direction, keep);
    p.part = self_part(a.w, p.masses, float(meets[own]), float(meets[partner]));
    return v3_dot(p.after, p.after) < keep * keep && p.masses > 0.0;
}

/* The sum of what partners do to a texel; false for one that meets none or does not move. */
bool gather_way(ivec2 texel) {
    if (!is_in(cloth.grid, texel) ||
        !(plane_at(PLANE_inverse_mass, index_of(cloth.grid, texel.x, texel.y)) > 0.0)) {
        return false;
    }
    own = number_of(texel);
    way = vec3(0.0);
    if (meets[own] == 0u) {
        return false;
    }
    visit_partners(uintBitsToFloat(listed[own].xyz));
    return true;
}

#endif
