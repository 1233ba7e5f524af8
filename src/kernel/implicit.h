/* A step of implicit integration, texel by texel.
 *
 * Backward Euler looks for the positions x at which
 *
 *     E(x) = sum m / (2 dt^2) |x - y|^2 + springs(x) + bending(x)
 *
 * is least; y is where texels would be without springs. The unbalanced force r = -dE/dx is what a
 * step works on. A texel by itself is moved by Newton's method: the block of its own second
 * derivatives, 3 x 3, divides r. A spring's block is k along the spring and k (1 - rest / length)
 * across it; the latter is negative for a compressed one and left out then, as its energy is not
 * convex there. All texels move at once, so that each spring is counted twice: (a - b)^2 <= 2 a^2 +
 * 2 b^2. The matrix of those blocks is nowhere smaller than E's second derivative where the move
 * starts.
 *
 * Second order is BDF2: 3 x - 4 x0 + x1 = 2 dt v, 3 v - 4 v0 + v1 = 2 dt a, with x0, v0 at the
 * start of the substep and x1, v1 a substep before. That is a backward Euler step of 2/3 dt from x0
 * + (x0 - x1) / 3 and v0 + (v0 - v1) / 3. Only the change of velocity is kept: x0 - x1 is dt (v0 +
 * v1) / 2, to the same order. A texel that a body holds forgets its change, which may be a blow: it
 * would make it bounce. Where substeps get longer or shorter from one step to the next, the change
 * is scaled by stage_pace: v1 is taken from the line through v0 and the velocity kept.
 *
 * A symmetric matrix is two vectors: its diagonal (xx, yy, zz) and its sides (yz, xz, xy). */
#ifndef TOILE_KERNEL_IMPLICIT_H
#define TOILE_KERNEL_IMPLICIT_H

#include "kernel/vec.h"

/* What the kept change of velocity is multiplied by when substeps of length `before` are followed
 * by one of length `now`. It is the ratio, up to where BDF2 of changing steps is stable, 1 +
 * sqrt(2): the change in a very short substep is mostly rounding. */
#define STAGE_PACE 2.4142135f

KERNEL_FN float stage_pace(float now, float before) {
    return k_min(now / before, STAGE_PACE);
}

/* The share of a substep of length `moment` that velocities go on by themselves, before backward
 * Euler takes the rest: a third, or with first order nothing. */
KERNEL_FN float stage_share(float moment, float substep) {
    return (moment - substep) / moment;
}

/* Where a substep begins for backward Euler, and how fast; gained: the change of velocity kept. */
KERNEL_FN float stage_place(float x, float v, float gained, float share, float moment) {
    return x + share * moment * (v - 0.5f * gained);
}

KERNEL_FN float stage_speed(float v, float gained, float share) {
    return v + share * gained;
}

/* Where a body stops a texel and not its neighbour, going on by themselves takes them apart: on
 * fine grids their thread is stretched by a hundred times the energy of the blow. A texel is struck
 * if its velocity changes by more than this, which takes it STRIKE_WAY of a spacing in a third of a
 * substep; `substep` is the other two thirds. Steps in which cloth is struck, and those that follow
 * for a while, are made of substeps of first order, 3/2 as many: they have the same matrix. */
#define STRIKE_WAY 0.05f

KERNEL_FN float strike_speed(float spacing, float substep) {
    return 2.0f * STRIKE_WAY * spacing / substep;
}

/* Force of the inertia that takes a texel to where it would be without springs, `way` from here.
 * rate: mass / substep^2. */
KERNEL_FN v3 inertia_force(v3 way, float rate) {
    return v3_scale(way, rate);
}

/* How much longer a spring is than at rest, as a share of its length. times `to` and stiffness it
 * is the force of spring.h. */
KERNEL_FN float spring_excess(float rest, float inverse_length) {
    return 1.0f - rest * inverse_length;
}

/* How stiff the spring is across itself: not at all where it is compressed. */
KERNEL_FN float spring_across(float excess, float stiffness) {
    return stiffness * positive_part(excess);
}

/* Beyond its limit a thread is stiffer: a second spring, of rest length `longest`, that never
 * pushes. This is its excess. */
KERNEL_FN float bound_excess(float longest, float inverse_length) {
    return positive_part(spring_excess(longest, inverse_length));
}

/* How stiff it counts along itself. Also where it is slack, for an iteration that takes a thread
 * beyond its limit would give it energy; but not in threads that are about as long as at rest:
 * those of calm cloth are not taken that far, and would be held back. excess: of the first spring.
 */
KERNEL_FN float bound_stiffness(float stiffness, float excess, float rest, float longest) {
    float way = excess * rest, half_way = 0.5f * (longest - rest);
    return k_select(way * way > half_way * half_way, stiffness, 0.0f);
}

KERNEL_FN v3 spring_block_diagonal(v3 to, float inverse_length, float across, float stiffness) {
    v3 d = v3_scale(to, inverse_length);
    float along = stiffness - across;
    return v3_make(across + along * d.x * d.x, across + along * d.y * d.y,
                   across + along * d.z * d.z);
}

KERNEL_FN v3 spring_block_sides(v3 to, float inverse_length, float across, float stiffness) {
    v3 d = v3_scale(to, inverse_length);
    float along = stiffness - across;
    return v3_make(along * d.y * d.z, along * d.x * d.z, along * d.x * d.y);
}

/* The same in two parts: `across` on the diagonal, and `to` times itself times a slope, which both
 * ends of a spring may share. */
KERNEL_FN float spring_slope(float inverse_length, float across, float stiffness) {
    return (stiffness - across) * (inverse_length * inverse_length);
}

KERNEL_FN v3 slope_diagonal(v3 to, float slope) {
    return v3_make(slope * to.x * to.x, slope * to.y * to.y, slope * to.z * to.z);
}

KERNEL_FN v3 slope_sides(v3 to, float slope) {
    return v3_make(slope * to.y * to.z, slope * to.x * to.z, slope * to.x * to.y);
}

/* The move that a block makes of a force. */
KERNEL_FN v3 block_solve(v3 diagonal, v3 sides, v3 force) {
    float xx = diagonal.y * diagonal.z - sides.x * sides.x;
    float yy = diagonal.x * diagonal.z - sides.y * sides.y;
    float zz = diagonal.x * diagonal.y - sides.z * sides.z;
    float yz = sides.y * sides.z - diagonal.x * sides.x;
    float xz = sides.x * sides.z - diagonal.y * sides.y;
    float xy = sides.x * sides.y - diagonal.z * sides.z;
    float inverse = 1.0f / (diagonal.x * xx + sides.z * xy + sides.y * xz);
    return v3_scale(v3_make(xx * force.x + xy * force.y + xz * force.z,
                            xy * force.x + yy * force.y + yz * force.z,
                            xz * force.x + yz * force.y + zz * force.z),
                    inverse);
}

/* The weights of the three sweeps of damped Jacobi that a grid gets in a cycle: Chebyshev's, 1 /
 * (1.2 + 0.8 cos(pi (2 i + 1) / 6)), for eigenvalues of the scaled matrix from 0.4 to 2. Below are
 * those that the coarser grid takes care of; threads of different stiffness along u and v leave
 * some a little lower. */
#define CYCLE_FIRST  0.52837f
#define CYCLE_SECOND 1.97018f
#define CYCLE_THIRD  0.83333f

/* One sweep of damped Jacobi over A e = r. neighbours: the sum of coupling * e around the texel,
 * inverse: 1 / A's diagonal. */
KERNEL_FN float cycle_sweep(float e, float r, float neighbours, float inverse, float weight) {
    return (1.0f - weight) * e + weight * inverse * (r + neighbours);
}

/* The first sweep starts from nothing, and this is what it leaves of r; neighbours: the sum of
 * coupling * weight * inverse * r around the texel. */
KERNEL_FN float cycle_defect(float r, float neighbours, float weight) {
    return (1.0f - weight) * r + neighbours;
}

/* Iterations end before r is zero, and what is left of it acts on the cloth like a force that is
 * not there: over the way d of a substep it does the work -r.d. Curved cloth, of which an iteration
 * leaves more than of flat cloth, so swung up higher than it had come from. At the end of a substep
 * velocities are therefore multiplied so that their kinetic energy T becomes T + r.d. Then what is
 * left does no work, and backward Euler takes energy from cloth and never gives it any.
 *
 * Per second of substeps they grow by TRUST_GROWTH at most, and slow cloth not at all, so that what
 * lies still is not set in motion. They do not fall below TRUST_LEAST. Of r.d / T, what is below
 * TRUST_LITTLE substep^2 does not count: threads that an arc leaves stretched for a moment give
 * that back by themselves. slow: the kinetic energy of cloth that moves by TRUST_SLOW, in m/s. */
#define TRUST_GROWTH 4.0f
#define TRUST_LEAST  0.5f
#define TRUST_LITTLE 6.0f
#define TRUST_SLOW   0.05f

/* touched: slow cloth on bodies loses at most TRUST_CALM per second. What is left at the ends of a
 * contact does not grow with motion as T does, and would hold the cloth like glue; a share of its
 * way is taken instead. */
#define TRUST_CALM 10.0f

KERNEL_FN float trust_of(float work, float kinetic, float slow, float substep, bool touched) {
    float share = work / k_max(kinetic, KERNEL_TINY), little = TRUST_LITTLE * substep * substep;
    float longer = k_sqrt(positive_part(1.0f + share - k_min(k_max(share, -little), little)));
    float most = k_select(kinetic > slow, 1.0f + TRUST_GROWTH * substep, 1.0f);
    float calm = k_select(touched && kinetic < slow, 1.0f - TRUST_CALM * substep, 0.0f);
    return k_min(k_max(longer, k_max(calm, TRUST_LEAST)), most);
}

/* At bodies stiff cloth gets energy from texels that are caught too late, more than velocities
 * could pay for. There, of the way d a share is taken. The slope of what a substep minimises is
 * about -2 T where d starts, from cloth that was balanced, and -r.d where it ends; it is 0 at the
 * share 2 T / (2 T - r.d). kinetic: T, with those texels that bodies touch. */
KERNEL_FN float trust_share(float work, float kinetic, float slow) {
    float start = 2.0f * k_max(kinetic, slow);
    return start / (start + positive_part(-work));
}

/* Another iteration is worth it where the work is more than TRUST_WORK times the kinetic energy per
 * second. */
#define TRUST_WORK 10.0f

KERNEL_FN bool trust_enough(float work, float kinetic, float slow, float substep) {
    return kinetic < slow || k_abs(work) <= TRUST_WORK * substep * kinetic;
}

/* Cloth that nothing holds keeps its momentum: it is looked at from its own middle, which goes
 * trust_way in the substep. thrust: the sum of inertia times way, left: the sum of r. */
KERNEL_FN v3 trust_way(v3 thrust, float inertia, bool loose) {
    return v3_scale(thrust, k_select(loose, 1.0f / k_max(inertia, KERNEL_TINY), 0.0f));
}

KERNEL_FN float trust_work(float work, v3 left, v3 way) {
    return work - v3_dot(left, way);
}

KERNEL_FN float trust_kinetic(float kinetic, v3 thrust, v3 way) {
    return kinetic - 0.5f * v3_dot(thrust, way);
}

/* What velocities get back of the middle's, once multiplied. */
KERNEL_FN v3 trust_drift(v3 way, float trust, float substep) {
    return v3_scale(way, (1.0f - trust) / substep);
}

/* Contact is part of the system: a body presses against a texel with a force that keeps it out.
 * gap: the distance from the surface. Whether a body holds a texel while a cycle is run is asked
 * with r, the force without the body, and `stiffness`, A's diagonal, which turns ways into forces:
 * does it lead into the body? */
KERNEL_FN float grip_pressure(v3 r, v3 normal, float gap, float stiffness) {
    return -v3_dot(r, normal) - stiffness * gap;
}

/* How far a texel at x is off the surface; what is a millionth of its coordinates is rounding, and
 * would ask for more force than a small texel's weight. */
#define GRIP_NOTHING 1e-6f

KERNEL_FN float grip_off(float gap, v3 x) {
    float nothing = GRIP_NOTHING * (k_abs(x.x) + k_abs(x.y) + k_abs(x.z));
    return gap - k_min(k_max(gap, 0.0f), nothing);
}

KERNEL_FN v3 along_surface(v3 a, v3 normal) {
    return v3_madd(a, normal, -v3_dot(a, normal));
}

/* A texel by itself: its move with the pressure that stops it at the surface, or with as much of it
 * as `most` times the way that it must be moved back. */
KERNEL_FN v3 grip_block(v3 diagonal, v3 sides, v3 r, v3 normal, float gap, float most) {
    v3 loose = block_solve(diagonal, sides, r), yields = block_solve(diagonal, sides, normal);
    float inside = k_max(-gap - v3_dot(loose, normal), 0.0f);
    float stiffness = 1.0f / k_max(v3_dot(yields, normal), KERNEL_TINY);
    return v3_madd(loose, yields, inside * k_min(stiffness, most));
}

/* That `most`. Of the force that would stop the texel if it were alone, GRIP_MOST_PUSH times as
 * much: cloth that hits a body edge-on or fast is too stiff for more, moving few texels would crush
 * the threads beside them, and the cycle stops it as a whole. Cloth that lies on a round body is
 * stiff, too, by its threads, which are inclined to the normal by half a spacing over the radius.
 * What it is pressed by stops it at the surface, up to GRIP_LYING_PUSH of A's diagonal: a texel
 * that is let in is lifted by the cycle, which lifts what is beside the contact, too. It lies where
 * the normals of cloth and body are the same, by the square of their cosine, `same`, and where it
 * comes no further in the substep than `least`. */
#define GRIP_MOST_PUSH  16.0f
#define GRIP_LYING_PUSH 0.003f
#define GRIP_LIES       0.75f

KERNEL_FN float grip_most(float inertia, float inverse, float same, float came, float least) {
    bool lies = same * same > GRIP_LIES && came < least;
    float threads = GRIP_LYING_PUSH / k_max(inverse, KERNEL_TINY);
    return k_max(GRIP_MOST_PUSH * inertia, k_select(lies, threads, 0.0f));
}

/* Where a body holds cloth edge-on, a texel is held until the end of the substep, unless it is so
 * many spacings off: letting go in one iteration what the next one catches again, a sheet that
 * lands on its edge shook. Cloth that lies on the body is let go as soon as it pulls: the first
 * iteration takes all texels that would get into a ball for held, and few of them are. same: the
 * cosine between the normals of cloth and body. */
#define GRIP_GLUE 10.0f
#define GRIP_EDGE 0.5f

KERNEL_FN float grip_glue(float hold, float same, float spacing, float inverse) {
    bool glued = hold > 0.0f && same * same < GRIP_EDGE;
    return k_select(glued, GRIP_GLUE * spacing / k_max(inverse, KERNEL_TINY), 0.0f);
}

/* A held texel of the finest grid goes anywhere but along the normal, where it goes to the surface.
 * hold: the pressure, 0 where there is none. */
KERNEL_FN v3 grip_move(v3 e, v3 normal, float gap, float hold) {
    v3 slides = v3_madd(e, normal, -gap - v3_dot(e, normal));
    return v3_select(hold > 0.0f, slides, e);
}

/* What is left of a correction or a force where texels are held. */
KERNEL_FN v3 grip_part(v3 e, v3 normal, float hold) {
    v3 none = v3_make(0.0f, 0.0f, 0.0f);
    return v3_select(hold < 0.0f, none, v3_select(hold > 0.0f, along_surface(e, normal), e));
}

/* How stiffly a texel is held that a coarser one moves, in N/m; one of the finest grid as stiffly
 * as its own threads hold it. */
KERNEL_FN float grip_stiffness(float hold, float inverse, bool finest) {
    return k_select(finest && hold > 0.0f, 1.0f / k_max(inverse, KERNEL_TINY), hold);
}

/* Normals that differ by more than this in the mean leave a coarse texel no way to slide. */
#define GRIP_SAME_WAY 0.8f

/* The normal and the hold of a coarse texel. sum: of the normals of the texels that it moves, each
 * times how stiffly it is held and the weight it is moved by, without those that cannot slide;
 * total: the same without normals, of all. */
KERNEL_FN v4 grip_coarse(v3 sum, float total) {
    float same = (GRIP_SAME_WAY * GRIP_SAME_WAY) * (total * total);
    return v4_make(v3_scale(sum, v3_inverse_length(sum)),
                   k_select(v3_dot(sum, sum) < same, -total, total));
}

/* On a coarse grid. hold: N/m, how stiffly bodies hold the finer texels that follow this one along
 * the normal; below 0: along all axes. Their stiffness comes on top of A's diagonal, in which a
 * sweep is so much shorter: */
KERNEL_FN float grip_share(float hold, float inverse) {
    return 1.0f / (1.0f + k_abs(hold) * inverse);
}

/* swept: what a sweep without bodies makes of e, of which it keeps `kept`. */
KERNEL_FN v3 grip_sweep(v3 swept, v3 e, float kept, v3 normal, float hold, float inverse) {
    v3 lost = v3_scale(v3_madd(swept, e, -kept), grip_share(hold, inverse) - 1.0f);
    v3 along = v3_scale(normal, v3_dot(lost, normal));
    return v3_add(swept, v3_select(hold < 0.0f, lost, along));
}

/* The coarsest grid is solved by conjugate gradients where texels are held: at most so many, until
 * this share of the squared residual is left. */
#define HELD_MOST   40
#define HELD_ENOUGH 1e-4

/* The force of that stiffness against a correction. */
KERNEL_FN v3 grip_pull(v3 e, v3 normal, float hold) {
    v3 along = v3_scale(normal, v3_dot(e, normal));
    return v3_scale(v3_select(hold < 0.0f, e, along), k_abs(hold));
}

/* How hard a body presses a texel: its force into the surface, `into`, when iterations are done,
 * and what stops it at the end of the substep, in which it has `gone` that far against the surface,
 * if it is held. Also of texels that are near the surface and not held: an iteration leaves some in
 * the air by a hair, with the force that would take them down, and without theirs friction is lost
 * on fine grids. */
KERNEL_FN float grip_reaction(float into, v3 normal, v3 gone, float inertia, float hold) {
    float blow = inertia * k_max(-v3_dot(gone, normal), 0.0f);
    return into + k_select(hold > 0.0f, blow, 0.0f);
}

/* A body that reflects sends a texel away with a share of the velocity at which it came, `v`: that
 * of the substep without springs and bodies, or with second order the one at its start. The surface
 * goes `way` in the substep. The texel leaves at the end of the substep, from the surface: one that
 * is moved on by what was left of the time stretches the threads to texels that are not. So a
 * little is lost, at most what gravity gives in a substep, and nothing is ever gained. Slower than
 * what it gives in GRIP_LYING substeps, cloth lies on the body, and nothing is given back. */
#define GRIP_LYING 4.0f

KERNEL_FN float grip_least(v3 gravity, float substep) {
    return GRIP_LYING * k_sqrt(v3_dot(gravity, gravity)) * substep;
}

/* As a way, in a substep. */
KERNEL_FN float grip_way(v3 gravity, float substep) {
    return grip_least(gravity, substep) * substep;
}

KERNEL_FN float grip_back(v3 v, v3 way, v3 normal, float substep, float reflection, float least) {
    float approach = v3_dot(way, normal) / substep - v3_dot(v, normal);
    return k_select(approach > least, reflection * approach, 0.0f);
}

/* Friction is a force that a texel keeps from substep to substep, and that grows against its slide
 * like that of a spring, up to Coulomb's limit. While it is below the limit it holds the texel, but
 * for the spring's give, a fraction of a tenth of a millimetre. It does not ask for the force on
 * the texel, of which the pull of stiff threads makes noise: a rounding of positions by 6e-8 m is
 * more than the weight of a small texel. The spring's constant is a share of mass / substep^2, so
 * that A, which does not know of it, is still more than half as stiff as the whole. */
#define GRIP_SPRING 0.5f

KERNEL_FN v3 grip_friction(v3 kept, v3 slid, float inertia, float limit) {
    v3 force = v3_madd(kept, slid, -GRIP_SPRING * inertia);
    return v3_scale(force, k_min(k_max(limit, 0.0f) * v3_inverse_length(force), 1.0f));
}

/* Its limit is the friction coefficient times the pressure, which it follows by a share a substep:
 * the pressure on a single texel flickers, and what counts is its mean over some hundredths of a
 * second. So a texel rubs also at the moments at which it is not pressed, as long as it is within
 * so many spacings of the surface. The first pressure on it counts at once: cloth that is laid onto
 * a body would slide off before its mean has grown. */
#define GRIP_BAND 1.0f

KERNEL_FN float grip_limit(float limit, float now, float share) {
    return limit + k_select(limit > 0.0f, share, 1.0f) * (now - limit);
}

#endif
