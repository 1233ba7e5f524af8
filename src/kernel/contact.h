/* Response to contact: Vassilev 2020 section 4, with his constant factor on the tangential velocity
 * replaced by Coulomb's law, so that cloth on a slope stays or slides by the angle and not by the
 * number of substeps.
 *
 * A contact is a plane that moves with the surface of the body during the substep. */
#ifndef TOILE_KERNEL_CONTACT_H
#define TOILE_KERNEL_CONTACT_H

#include "kernel/vec.h"

/* Sweeps over the bodies of a row of texels that touches more than one: in the wedge between two,
 * what one takes the other may give back. */
#define CONTACT_SWEEPS 4

/* Contact with meshes works this many distances deep, and this far ahead is looked for free space.
 * What got farther into a mesh than that may be nearer to its other side. */
#define CONTACT_DEEPEST 10.0f

/* In spacings: the implicit solver knows planes this far from the surface of meshes and images,
 * which is more than a texel goes in a substep while it is near one, and this much of it a texel
 * may move before it asks a mesh again. One that is deeper in a mesh may be nearer to its other
 * side. */
#define PLANE_REACH   2.0f
#define PLANE_STALE   0.1f
#define PLANE_DEEPEST 8.0f

/* Velocity of the body's surface at a point `arm` away from its centre. */
KERNEL_FN v3 contact_surface_velocity(v3 velocity, v3 spin, v3 arm) {
    return v3_add(velocity, v3_cross(spin, arm));
}

/* How far a texel at x is from the plane at the start of the substep, negative inside. `ahead` is
 * where it would be at the end, and end_gap its distance from the plane there. */
KERNEL_FN float contact_gap(v3 x, v3 ahead, float end_gap, v3 normal, v3 surface, float time_step) {
    v3 way = v3_sub(ahead, x);
    return end_gap - v3_dot(normal, way) + time_step * v3_dot(normal, surface);
}

/* Does the texel get to the plane within the substep? */
KERNEL_FN bool contact_reached(v3 v, v3 normal, float gap, v3 surface, float time_step) {
    return v3_dot(v3_sub(v, surface), normal) * time_step < -k_max(gap, 0.0f);
}

/* The velocity after it. When the texel reached the plane, a share `reflection` of the normal
 * velocity is given back. Friction takes at most friction * normal impulse from the tangential one;
 * `pressure` is the part of the impulse, as a velocity, that has been dealt with before. */
KERNEL_FN v3 contact_velocity(v3 v, v3 normal, v3 surface, bool reached, float pressure,
                              float friction, float reflection) {
    v3 relative = v3_sub(v, surface);
    float approach = v3_dot(relative, normal);
    float leave = k_select(reached, -reflection * approach, approach);
    float impulse = (leave - approach) + pressure;
    v3 tangent = v3_sub(relative, v3_scale(normal, approach));
    float slide = k_max(1.0f - friction * impulse * v3_inverse_length(tangent), 0.0f);
    return v3_add(surface, v3_madd(v3_scale(tangent, slide), normal, leave));
}

/* How far to move the texel along the normal, so that a whole substep with the velocity after the
 * contact takes it to where the contact in between would have. A texel inside is put on the
 * surface, not thrown. */
KERNEL_FN float contact_shift(float gap, bool reached, float reflection) {
    float back = k_select(reached, -(1.0f + reflection) * gap, 0.0f);
    return k_select(gap < 0.0f, -gap, back);
}

/* How far a position below the surface is moved along the normal. */
KERNEL_FN float contact_push(float gap) {
    return k_max(-gap, 0.0f);
}

#endif
