/* Vertices of the coarse mesh out of bodies, as in cpu/coarse.c. Free space is not remembered: a
 * search takes a GPU less time than looking that up. Who includes this says what a vertex is. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/marks.glsl"
#include "gl/shaders/shapes.glsl"
#include "gl/shaders/solids.glsl"

layout(local_size_x = GROUP_LINE) in;

layout(std430, binding = BIND_OTHER) restrict writeonly buffer moved_buffer { float moved[]; };

/* The three planes from `plane` on, at a vertex. */
vec3 project(int plane, int vertex);

/* Answers a contact of a vertex that will be `ahead`; returns whether it touched. */
bool answer(int body, shape s, vec3 ahead, vec4 hit, vec3 way, inout vec3 x, inout vec3 v) {
    float distance = contacts[body].coarse_distance;
    if (!(hit.w < distance)) {
        return false;
    }
    vec3 surface = contact_surface_velocity(s.velocity, s.spin, ahead - s.center);
    surface = v3_madd(surface, way, 1.0 / cloth.span);
    float gap = contact_gap(x, ahead, hit.w - distance, hit.xyz, surface, cloth.substep);
    bool reached = contact_reached(v, hit.xyz, gap, surface, cloth.substep);
    x = v3_madd(x, hit.xyz, contact_shift(gap, reached, s.reflection));
    if (reached) {
        v = contact_velocity(v, hit.xyz, surface, true, 0.0, contacts[body].friction,
                             s.reflection);
    }
    return true;
}

/* Unit normal in the world and distance of a mesh, and how far its surface goes in the step. */
vec4 mesh_hit(int body, shape s, vec3 p, out vec3 way) {
    vec3 own = shape_local_point(p, s.center, s.axis_x, s.axis_y, s.axis_z);
    shape_block here = shapes[substep * cloth.body_count + body];
    vec4 hit = solid_hit(here.solid, own, CONTACT_DEEPEST * contacts[body].coarse_distance,
                         here.time, way);
    return vec4(shape_world_direction(hit.xyz, s.axis_x, s.axis_y, s.axis_z), hit.w);
}

/* Shapes, or meshes. */
bool respond_to(bool solid, inout vec3 x, inout vec3 v) {
    bool any = false;
    for (int body = 0; body < cloth.body_count; body++) {
        shape s = shape_of(body);
        if (s.solid == solid) {
            vec3 ahead = v3_madd(x, v, cloth.substep);
            vec3 way = vec3(0.0);
            vec4 hit = solid ? mesh_hit(body, s, ahead, way) : shape_hit(s, ahead);
            any = answer(body, s, ahead, hit, way, x, v) || any;
        }
    }
    return any;
}

void main() {
    int vertex = int(gl_GlobalInvocationID.x);
    if (vertex >= cloth.vertices) {
        return;
    }
    vec3 x = project(PLANE_x, vertex), v = project(PLANE_vx, vertex);
    vec3 before_x = x, before_v = v;
    bool any = cloth.coarse_only != 0 && respond_to(false, x, v);
    any = respond_to(true, x, v) || any;
    for (int axis = 0; axis < 3; axis++) {
        moved[MOVED_FLOATS * vertex + axis] = x[axis] - before_x[axis];
        moved[MOVED_FLOATS * vertex + 3 + axis] = v[axis] - before_v[axis];
    }
    if (any) {
        marks[cloth.mark].touched = stamp;
    }
}
