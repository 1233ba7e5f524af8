/* A step of implicit integration by Newton's method.
 *
 * Backward Euler looks for the positions x at which
 *
 *     E(x) = sum m / (2 dt^2) |x - y|^2 + springs(x) + bending(x) + contact(x) + couplings(x)
 *
 * is least; y is where texels would be without springs. With the unbalanced force r = -dE/dx and
 * the second derivative H, an iteration solves H d = r by conjugate gradients and moves texels by
 * d. The preconditioner is a multigrid cycle over H itself: coarse matrices are P' H P with
 * bilinear P. It need only be symmetric and positive, so nothing in it bounds anything; what ends
 * the iterations is what they leave.
 *
 * H has to be positive for conjugate gradients. Bending is a constant matrix and is. A spring of
 * stiffness k, length l and rest length l0 has k along itself and k (1 - l0 / l) across itself,
 * which is negative where it is compressed and left out then (Choi & Ko 2002, "Stable but
 * responsive cloth", section 4). */
#ifndef TOILE_KERNEL_NEWTON_H
#define TOILE_KERNEL_NEWTON_H

#include "kernel/block.h"

/* What ties a texel to others: it keeps the links to those right of it, above it, up and right, and
 * up and left. OWN is its own block, where blocks are kept. */
#define SYSTEM_EAST  0
#define SYSTEM_NORTH 1
#define SYSTEM_RISE  2
#define SYSTEM_LEFT  3
#define SYSTEM_OWN   4
#define SYSTEM_LINKS 4

/* A yarn that is longer than its limit is NEWTON_STIFFER times as stiff for what is beyond it. */
#define NEWTON_STIFFER 60.0f

/* A spring, as the matrix keeps it: three components of a vector t along it, and its pull in N/m,
 * which times the way to the other end is its force. Its block is t t' + across I, and across is
 * the pull where that is positive, else 0. */
KERNEL_FN v4 newton_spring(v3 to, float rest, float longest, float stiffness, float stiffer) {
    float inverse = 1.0f / k_sqrt(v3_dot(to, to) + KERNEL_TINY);
    float beyond = k_select(longest * inverse < 1.0f, stiffer, 0.0f);
    float pull = stiffness * (1.0f - rest * inverse) + beyond * (1.0f - longest * inverse);
    float along = (stiffness + beyond) - positive_part(pull);
    return v4_make(v3_scale(to, k_sqrt(along) * inverse), pull);
}

KERNEL_FN block newton_spring_block(v4 spring) {
    return block_lift(block_outer(v4_xyz(spring)), positive_part(spring.w));
}

/* What a spring's block makes of the difference between the moves of its ends. */
KERNEL_FN v3 newton_spring_times(v4 spring, v3 apart) {
    v3 t = v4_xyz(spring);
    return v3_madd(v3_scale(apart, positive_part(spring.w)), t, v3_dot(t, apart));
}

/* The weight of a Jacobi sweep, and what bending adds to the blocks that it divides by, in units of
 * the bending constant. The largest eigenvalue of the bending matrix is 64: a sweep leaves at most
 * |1 - 0.7 64 / 32| = 0.4 of its mode, and of the modes of springs alone, up to 2 in units of
 * their blocks, the same. */
#define NEWTON_WEIGHT 0.7f
#define NEWTON_BEND   32.0f

/* Bending of a level of twice the spacing: 16 times softer for the same places, in 4 times as large
 * a cell, which is 1/4; but linear interpolation between coarse texels has kinks, which bend
 * harder. As in kernel/bend.h, the factor for that is the root of 2. */
#define NEWTON_KINK 0.35355339f

/* ---- contact ------------------------------------------------------------------------------------
 *
 * A body presses against a texel with a pressure that grows by CONTACT_STIFF Pa per metre of depth:
 * the weight of a cloth, 2 Pa, makes it 1 um, and a blow of 5 m/s in a substep of 1/240 s, 240 Pa,
 * 0.12 mm, at every spacing. */
#define CONTACT_STIFF 2e6f

/* Does a body press? Where the texel is inside, or where its own block would take it there. own:
 * the inverse of that block. */
KERNEL_FN bool newton_presses(float gap, v3 normal, v3 force, block own) {
    float way = v3_dot(normal, block_times(own, force));
    return k_min(gap, gap + way) < 0.0f;
}

/* N; no texel feels less. Pressures end here, for products with numbers below 1e-38 take the CPU a
 * hundred times as long. */
#define CONTACT_NOTHING 1e-12f

/* How hard a body will press, as far as can be told before the solve: as hard as forces push the
 * texel against it. Above zero where it presses. */
KERNEL_FN float newton_weight(bool presses, v3 normal, v3 force) {
    return k_select(presses, k_max(-v3_dot(normal, force), CONTACT_NOTHING), 0.0f);
}

/* The pressure that limits friction: its mean over some substeps, or, where a body has only begun
 * to press, that of now. */
KERNEL_FN float newton_limit(float mean, float now) {
    return k_select(mean > 0.0f, mean, now);
}

/* Friction is a spring along the surface that keeps its force from substep to substep and gives
 * way where it is more than Coulomb's limit. slid: how far the texel has gone along the surface in
 * the substep; kept: the force at its start. This is how far the spring is drawn. */
KERNEL_FN v3 newton_drawn(v3 slid, v3 kept, v3 normal, float stiffness) {
    v3 drawn = v3_madd(slid, kept, -1.0f / stiffness);
    return v3_madd(drawn, normal, -v3_dot(drawn, normal));
}

/* Force per drawn way, N/m: secant stiffness of a spring that yields at `limit`. */
KERNEL_FN float newton_grip(v3 drawn, float limit, float stiffness) {
    return k_min(stiffness, limit * v3_inverse_length(drawn));
}

/* Does a texel slide ever further? Then friction, which has reached its limit, does not grow along
 * the slide, only across it. One that is being stopped is held by the secant, which never turns it
 * around. way: where the texel's own block takes it. */
KERNEL_FN bool newton_slides(v3 drawn, v3 way, float limit, float stiffness) {
    bool yields = stiffness * stiffness * v3_dot(drawn, drawn) > limit * limit;
    return yields && v3_dot(drawn, way) > 0.0f;
}

/* The block of a body's pressure. */
KERNEL_FN block newton_press_block(v3 normal, float press) {
    return block_scale(block_outer(normal), press);
}

/* That of friction. */
KERNEL_FN block newton_grip_block(v3 normal, float grip, v3 drawn, bool slides) {
    block across = block_lift(block_scale(block_outer(normal), -grip), grip);
    v3 along = v3_scale(drawn, v3_inverse_length(drawn));
    return block_add(across, block_scale(block_outer(along), k_select(slides, -grip, 0.0f)));
}

#endif
