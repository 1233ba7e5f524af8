#version 430 core
/* Ways along the cloth on its coarsest grid, by one work group whose threads have a texel each; see
 * cpu/slide.c. */
#include "gl/shaders/sway.glsl"

layout(local_size_x = GROUP_LINE) in;

layout(std430, binding = BIND_MOMENTS) restrict readonly buffer exact_buffer { float exact[]; };

shared vec2 forces[GROUP_LINE];
shared vec4 sums[GROUP_LINE];

/* In an order that does not depend on anything; the same in all threads. */
vec4 sum_all(vec4 part) {
    int at = int(gl_LocalInvocationIndex);
    sums[at] = part;
    for (int step = GROUP_LINE / 2; step > 0; step /= 2) {
        barrier();
        if (at < step) {
            sums[at] += sums[at + step];
        }
    }
    barrier();
    return sums[0];
}

void main() {
    if (is_settled()) {
        return;
    }
    int at = int(gl_LocalInvocationIndex), columns = level.grid.columns;
    int texels = columns * level.grid.rows;
    bool own = at < texels;
    int k = index_of(level.grid, own ? at % columns : 0, own ? at / columns : 0);
    vec2 force = vec2(cycle_plane_at(CYCLE_ua, k), cycle_plane_at(CYCLE_ub, k));
    forces[at] = own ? force : vec2(0.0);
    barrier();
    vec2 way = vec2(0.0);
    for (int j = 0; j < texels && own; j++) {
        way += exact[j * texels + at] * forces[j];
    }
    vec2 work = way * forces[at], ground = way * way * (own ? cycle_plane_at(CYCLE_ug, k) : 0.0);
    vec4 all = sum_all(vec4(work, ground));
    if (own) {
        set_cycle_plane(CYCLE_wa, k, way.x * sway_share(all.x, all.z));
        set_cycle_plane(CYCLE_wb, k, way.y * sway_share(all.y, all.w));
    }
}
