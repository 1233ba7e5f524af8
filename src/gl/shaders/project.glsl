/* Texels of a coarse level that relaxation has pulled below a surface, or deeper below it, go back;
 * see cpu/contact.c. */
#ifndef TOILE_GL_PROJECT
#define TOILE_GL_PROJECT

#include "gl/shaders/shapes.glsl"

/* Where a texel at p goes. How far that is, is added to its push. */
vec3 projected_out(int k, vec3 p) {
    if (!(table_at(TABLE_inverse_mass, k) > 0.0)) {
        return p;
    }
    vec3 before = level_at(LEVEL_bx, k);
    float push = level_plane_at(LEVEL_push, k);
    for (int body = 0; body < cloth.body_count; body++) {
        shape s = shape_of(body);
        if (!s.solid) {
            vec4 hit = shape_hit(s, p);
            float was = shape_hit(s, before).w;
            float out_by = contact_push(hit.w - k_min(was, contacts[body].distance));
            p += hit.xyz * out_by;
            push += out_by;
        }
    }
    set_level_plane(LEVEL_push, k, push);
    return p;
}

#endif
