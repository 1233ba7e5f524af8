#version 430 core
/* Where the surfaces of bodies are, for texels near one, by their images; as
 * implicit_meshes.comp does with meshes. */
#include "gl/shaders/newton_cloth.glsl"
#include "gl/shaders/shapes.glsl"
#include "gl/shaders/maps.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: what is hidden is counted */

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    enter_equations();
    if (!is_in(level.grid, texel) || !(plane_at(PLANE_inverse_mass, k) > 0.0)) {
        return;
    }
    vec3 p = level_at(LEVEL_x, k), normal = vec3(0.0), velocity = vec3(0.0);
    float gap = PLANE_REACH * cloth.spacing;
    int nearest_body = -1;
    bool hidden = false;
    for (int body = 0; body < cloth.body_count; body++) {
        shape s = shape_of(body);
        if (s.solid) {
            bool unseen;
            vec4 hit = body_map_hit(body, s, p, unseen);
            hidden = hidden || unseen;
            if (hit.w - contacts[body].distance < gap) {
                gap = hit.w - contacts[body].distance;
                nearest_body = body;
                normal = hit.xyz;
                velocity = contact_surface_velocity(s.velocity, s.spin, p - s.center);
            }
        }
    }
    bool near = nearest_body >= 0;
    set_equation(EQ_height, k, near ? v3_dot(normal, p) - gap : -FAR_AWAY);
    if (near) {
        shape s = shape_of(nearest_body);
        set_vector(EQ_side, k, normal);
        set_vector(EQ_way, k, velocity * cloth.substep);
        set_equation(EQ_friction, k, contacts[nearest_body].friction);
        set_equation(EQ_reflection, k, s.reflection);
    }
    if (hidden && call.x != 0) {
        atomicAdd(marks[cloth.mark].hidden, 1);
    }
}
