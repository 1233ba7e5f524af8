#version 430 core
/* Where the surfaces of meshes are, for texels near one; see cpu/meshes.c. */
#include "gl/shaders/newton_cloth.glsl"
#include "gl/shaders/shapes.glsl"
#include "gl/shaders/solids.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call;  /* x: the substep is the first one of the step */
uniform float share; /* how far meshes have moved since the start of the step, m */

/* Is what is known about the texel's surroundings still true? */
bool is_known(int k, vec3 p) {
    vec3 way = p - implicit_at(IMPLICIT_CLEAR + CLEAR_place, k);
    float moved = k_sqrt(v3_dot(way, way)) + (share - implicit_plane_at(IMPLICIT_CLEAR + CLEAR_motion, k));
    return call.x == 0 && moved < implicit_plane_at(IMPLICIT_CLEAR + CLEAR_radius, k);
}

/* A plane that is still known goes along with the surface. */
void carry(int k) {
    float height = equation_at(EQ_height, k);
    if (height > -FAR_AWAY) {
        float way = v3_dot(vector_at(EQ_side, k), vector_at(EQ_way, k));
        set_equation(EQ_height, k, height + way * cloth.moment / cloth.substep);
    }
}

void remember(int k, vec3 p, float radius) {
    set_implicit(IMPLICIT_CLEAR + CLEAR_place, k, p);
    set_implicit_plane(IMPLICIT_CLEAR + CLEAR_radius, k, radius);
    set_implicit_plane(IMPLICIT_CLEAR + CLEAR_motion, k, share);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    enter_equations();
    if (!is_in(level.grid, texel)) {
        return;
    }
    if (!(plane_at(PLANE_inverse_mass, k) > 0.0)) {
        return;
    }
    vec3 p = level_at(LEVEL_x, k), normal = vec3(0.0), way = vec3(0.0);
    if (is_known(k, p)) {
        carry(k);
        return;
    }
    float reach = PLANE_DEEPEST * cloth.spacing, gap = reach;
    int nearest_body = -1;
    for (int body = 0; body < cloth.body_count; body++) {
        shape_block here = shapes[substep * cloth.body_count + body];
        if (here.solid >= 0) {
            shape s = shape_of(body);
            vec3 there_way, own = shape_local_point(p, s.center, s.axis_x, s.axis_y, s.axis_z);
            vec4 hit = solid_hit(here.solid, own, reach, here.time, there_way);
            float there = hit.w - contacts[body].distance;
            if (there < gap) {
                gap = there;
                nearest_body = body;
                way = there_way;
                normal = shape_world_direction(hit.xyz, s.axis_x, s.axis_y, s.axis_z);
            }
        }
    }
    bool near = nearest_body >= 0 && gap < PLANE_REACH * cloth.spacing;
    remember(k, p, near ? PLANE_STALE * cloth.spacing : gap - PLANE_REACH * cloth.spacing);
    set_equation(EQ_height, k, near ? v3_dot(normal, p) - gap : -FAR_AWAY);
    if (near) {
        shape s = shape_of(nearest_body);
        vec3 velocity = contact_surface_velocity(s.velocity, s.spin, p - s.center);
        velocity = v3_madd(velocity, way, 1.0 / cloth.span);
        set_vector(EQ_side, k, normal);
        set_vector(EQ_way, k, velocity * cloth.substep);
        set_equation(EQ_friction, k, contacts[nearest_body].friction);
        set_equation(EQ_reflection, k, s.reflection);
    }
}
