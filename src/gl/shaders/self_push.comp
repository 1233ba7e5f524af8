#version 430 core
/* Texels away from their partners. */
#include "gl/shaders/self_search.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

vec3 stop_sum, mend_sum;

void visit(int partner, float keep, int cloth_b) {
    vec4 a = uintBitsToFloat(seen[2 * own]), b = uintBitsToFloat(seen[2 * partner]);
    vec3 after = a.xyz - b.xyz;
    float masses = a.w + b.w;
    if (!(v3_dot(after, after) < keep * keep) || !(masses > 0.0)) {
        return;
    }
    vec3 before = uintBitsToFloat(seen[2 * own + 1].xyz) -
                  uintBitsToFloat(seen[2 * partner + 1].xyz);
    vec3 n = self_direction(before, after, own < partner ? 1.0 : -1.0);
    float depth = self_depth(after, n, keep), stop = self_stop(before, after, n, depth);
    float friction = k_sqrt(cloths[cloth.mark].friction * cloths[cloth_b].friction);
    vec3 slide = self_friction(before, after, n, stop, friction);
    float share = a.w / masses;
    stop_sum = v3_madd(stop_sum, v3_madd(slide, n, stop), share);
    mend_sum = v3_madd(mend_sum, n, share * (depth - stop));
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(cloth.grid, texel.x, texel.y);
    if (!is_in(cloth.grid, texel) || !(plane_at(PLANE_inverse_mass, k) > 0.0)) {
        return;
    }
    own = number_of(texel);
    uvec4 at = listed[own];
    if (at.w == NO_SLOT) {
        return;
    }
    stop_sum = mend_sum = vec3(0.0);
    visit_partners(uintBitsToFloat(at.xyz));
    vec3 mend = self_mend(mend_sum, cloths[cloth.mark].distance);
    set_level(LEVEL_x, k, level_at(LEVEL_x, k) + (mend + stop_sum));
    set_state(PLANE_x, k, state_at(PLANE_x, k) + mend);
}
