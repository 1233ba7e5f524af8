/* Response to contact: Vassilev 2020 section 4, with his constant factor on the tangential velocity
 * replaced by Coulomb's law, so that cloth on a slope stays or slides by the angle and not by the
 * number of substeps.
 *
 * A contact is a plane that moves with the body: normal . x >= offset at the end of the substep. */
#ifndef TOILE_KERNEL_CONTACT_H
#define TOILE_KERNEL_CONTACT_H

#include "kernel/vec.h"

/* Velocity of the body's surface at a point `arm` away from its centre. */
KERNEL_FN v3 contact_surface_velocity(v3 velocity, v3 spin, v3 arm) {
    return v3_add(velocity, v3_cross(spin, arm));
}

/* How far a texel is from the plane at the start of the substep, negative inside: there the plane
 * is still time_step * (normal . surface) behind its end. */
KERNEL_FN float contact_gap(v3 x, v3 normal, float offset, v3 surface, float time_step) {
    return v3_dot(normal, x) - offset + time_step * v3_dot(normal, surface);
}

/* The texel's new velocity. It may close the gap but not cross the plane; a share `reflection` of
 * the normal velocity that would have crossed it is given back; friction takes at most friction *
 * normal impulse from the tangential part. */
KERNEL_FN v3 contact_velocity(v3 v, v3 normal, float gap, v3 surface, float friction,
                              float reflection, float time_step) {
    v3 relative = v3_sub(v, surface);
    float approach = v3_dot(relative, normal);
    float slowest = -k_max(gap, 0.0f) / time_step;
    bool touches = approach < slowest;
    float leave = slowest + reflection * (slowest - approach);
    v3 tangent = v3_sub(relative, v3_scale(normal, approach));
    float slide = k_max(1.0f - friction * (leave - approach) * v3_inverse_length(tangent), 0.0f);
    v3 after = v3_add(surface, v3_madd(v3_scale(tangent, slide), normal, leave));
    return v3_select(touches, after, v);
}

#endif
