#version 430 core
/* Texels of a coarse level that relaxation has pulled into a body, or deeper into it, as project.comp
 * does with shapes. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/shapes.glsl"
#include "gl/shaders/maps.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || !(table_at(TABLE_inverse_mass, k) > 0.0)) {
        return;
    }
    vec3 p = level_at(LEVEL_x, k), before = level_at(LEVEL_bx, k);
    float push = level_plane_at(LEVEL_push, k);
    for (int body = 0; body < cloth.body_count; body++) {
        shape s = shape_of(body);
        if (s.solid) {
            bool hidden;
            vec4 hit = body_map_hit(body, s, p, hidden);
            float was = body_map_hit(body, s, before, hidden).w;
            float out_by = contact_push(hit.w - k_min(was, contacts[body].distance));
            p += hit.xyz * out_by;
            push += out_by;
        }
    }
    set_level(LEVEL_x, k, p);
    set_level_plane(LEVEL_push, k, push);
}
