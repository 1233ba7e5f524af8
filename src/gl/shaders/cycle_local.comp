#version 430 core
/* Each texel moved by itself, from x to q, normals, and which rows are near a body. */
#include "gl/shaders/cycle.glsl"
#define FORCE_FROM LEVEL_x
#include "gl/shaders/forces.glsl"
#include "gl/shaders/grip.glsl"
#include "gl/shaders/normal.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: the iteration */

float blurred_row(int plane, int k) {
    return grip_blur(cycle_plane_at(plane, k - 1), cycle_plane_at(plane, k),
                     cycle_plane_at(plane, k + 1));
}

float blurred(int plane, int k) {
    int up = level.grid.stride;
    return grip_blur(blurred_row(plane, k - up), blurred_row(plane, k), blurred_row(plane, k + up));
}

void blur_limit(int k) {
    int inertia = CYCLE_COUNT + MATRIX_inertia;
    set_cycle_plane(CYCLE_most, k, grip_blurred(matrix_at(MATRIX_inertia, k),
                                                blurred(CYCLE_limit, k), blurred(inertia, k)));
}

/* Is a texel at p within a spacing of a body? */
bool is_near(int k, vec3 p) {
    bool near = cloth.meshes != 0 && cycle_plane_at(CYCLE_level, k) > -FAR_AWAY;
    for (int body = 0; body < cloth.body_count && !near; body++) {
        shape s = shape_of(body);
        near = !s.solid && shape_hit(s, p).w < contacts[body].distance + cloth.spacing;
    }
    return near && plane_at(PLANE_inverse_mass, k) > 0.0;
}

void mark_near(ivec2 texel, int k, vec3 p) {
    if (is_near(k, p)) {
        cycle[row_mark(texel)] = row_stamp(stamp);
    }
    if (texel == ivec2(0)) {
        marks[cloth.mark].ready = stamp;
    }
}

/* How much a body may push a touched texel by. */
float most_push(int k) {
    vec3 n = cycle_at(CYCLE_nx, k);
    vec3 gravity = vec3(cloth.gravity_x, cloth.gravity_y, cloth.gravity_z);
    return grip_most(matrix_at(MATRIX_inertia, k), matrix_at(MATRIX_inverse, k),
                     v3_dot(cycle_at(CYCLE_sx, k), n), -v3_dot(cycle_at(CYCLE_gx, k), n),
                     grip_way(gravity, cloth.substep));
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || is_settled()) {
        return;
    }
    vec3 x = level_at(LEVEL_x, k);
    mark_near(texel, k, x);
    if (call.x == 0) {
        blur_limit(k);
        set_cycle_plane(CYCLE_glue, k, 0.0);
    }
    spring_sum at = force_at(k);
    vec3 r = grip_at(k, x, at.force);
    float gap = cycle_plane_at(CYCLE_gap, k);
    set_frame(k);
    vec3 e = gap < FAR_AWAY ? grip_block(at.diagonal, at.sides, r, cycle_at(CYCLE_nx, k), gap,
                                         most_push(k))
                            : block_solve(at.diagonal, at.sides, r);
    set_level(LEVEL_qx, k, x + e);
}
