#version 430 core
/* Where texels have got to, and friction for the next substep; none on texels that no body is near.
 */
#include "gl/shaders/newton_cloth.glsl"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

touch_rubbed rub(int k) {
    touching t;
    t.normal = vector_at(EQ_normal, k);
    t.gone = vector_at(EQ_gone, k);
    t.gap = equation_at(EQ_gap, k);
    t.friction = equation_at(EQ_mu, k);
    t.hold = equation_at(EQ_hold, k);
    touch_rubbed now =
        touch_rubbed(vector_at(EQ_kept, k), equation_at(EQ_limit, k), vector_at(EQ_start, k));
    float times = touch_times(cloth.spacing, cloth.substep, cloth.cell_mass);
    return touch_rub(t, now, times * equation_at(EQ_inertia, k), cloth.grip_follow,
                     GRIP_BAND * cloth.spacing);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(cloth.grid, texel.x, texel.y);
    enter_equations();
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    touch_rubbed now = touch_rubbed(vec3(0.0), 0.0, vec3(0.0));
    if (equation_at(EQ_gap, k) < TOUCH_FAR) {
        now = rub(k);
        set_state(PLANE_x, k, now.start);
    }
    set_level(LEVEL_x, k, vector_at(EQ_place, k));
    set_implicit(IMPLICIT_fx, k, now.kept);
    set_implicit_plane(IMPLICIT_limit, k, now.limit);
}
