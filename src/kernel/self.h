/* Cloth against cloth: texels as spheres that keep a distance apart.
 *
 * Position-based, as Mueller et al. 2007 and Macklin et al. 2014 (Unified particle physics, section
 * 6): two texels nearer than their distance at the end of a substep are moved apart, and friction
 * takes at most its coefficient times that from how far they slid along each other.
 *
 * `before` and `after` are the vectors from the partner to the texel at the start and at the end of
 * the substep. For the partner both have the other sign, and so has all that comes of them, to the
 * bit: what one gets the other loses.
 *
 * Only what the texels came nearer to each other in this substep is taken from their velocity. What
 * is left of an overlap from before moves them without giving them a velocity, for pushed out
 * within a substep of a millisecond they would leave with a metre a second for each millimetre. */
#ifndef TOILE_KERNEL_SELF_H
#define TOILE_KERNEL_SELF_H

#include "kernel/vec.h"

/* In spacings. The middle of a cell is 0.707 from its corners, and so are the middles of two edges
 * that cross from their ends: nothing gets through a cloth whose spheres are further apart than
 * that. The rest is for what is left undone in a substep while other constraints press layers
 * together. With 0.75 a square dropped on its edge had 500 triangles in others, with 1 none. */
#define SELF_CLOSEST 1.0f

/* Share of their flat distance to which texels of one cloth may always come near each other. */
#define SELF_FLAT 0.75f

/* Of the distance: how much farther away partners are looked for, so that they are known before
 * they touch. */
#define SELF_MARGIN 0.5f

/* Of an old overlap, what is mended in a substep, and of the distance, the most that a texel is
 * shifted then. */
#define SELF_MEND_SHARE   0.5f
#define SELF_LONGEST_MEND 0.2f

/* The distance that texels of a fabric keep. */
KERNEL_FN float self_distance(float thickness, float spacing) {
    return k_max(thickness, SELF_CLOSEST * spacing);
}

/* The distance of two texels of the same cloth, so many columns and rows apart: a fabric that is
 * thicker than its spacing must not push itself apart while it lies flat, or is bent a little.
 * Texels that share a cell are held by its edges; 0 means that they do not see each other. */
KERNEL_FN float self_distance_within(float distance, float spacing, float columns, float rows) {
    bool share_cell = k_max(k_abs(columns), k_abs(rows)) < 1.5f;
    float in_panel = spacing * k_sqrt(columns * columns + rows * rows);
    return k_select(share_cell, 0.0f, k_min(distance, SELF_FLAT * in_panel));
}

/* The way out. Texels that passed each other go back to the side they came from. Those in the same
 * place at both times go up and down: side is 1 for one of them and -1 for the other. */
KERNEL_FN v3 self_direction(v3 before, v3 after, float side) {
    bool passed = v3_dot(before, after) <= 0.0f;
    v3 along = v3_select(passed, before, after);
    bool together = v3_dot(along, along) <= KERNEL_TINY;
    return v3_select(together, v3_make(0.0f, side, 0.0f),
                     v3_scale(along, v3_inverse_length(along)));
}

/* How far two texels are too near, negative when they are not. */
KERNEL_FN float self_depth(v3 after, v3 direction, float distance) {
    return distance - v3_dot(after, direction);
}

/* How much of the depth comes from this substep: it is taken from the relative velocity, which is
 * then that of texels that do not come nearer. */
KERNEL_FN float self_stop(v3 before, v3 after, v3 direction, float depth) {
    float approach = v3_dot(v3_sub(before, after), direction);
    return k_max(k_min(depth, approach), 0.0f);
}

/* Coulomb's law: what is taken off the way that they slid along each other. */
KERNEL_FN v3 self_friction(v3 before, v3 after, v3 direction, float stop, float friction) {
    v3 way = v3_sub(after, before);
    v3 slide = v3_sub(way, v3_scale(direction, v3_dot(way, direction)));
    float share = k_min(friction * stop * v3_inverse_length(slide), 1.0f);
    return v3_scale(slide, -share);
}

/* ---- in the implicit solver ---------------------------------------------------------------------
 *
 * There, cloth is not moved: an implicit step makes of a texel that was put somewhere else what its
 * threads and its bending make of it, k dt^2 / m times as strong as its inertia, which is a
 * thousand and more at 5 mm. Whatever a position-based push takes from the velocity, it gives many
 * times that to the threads, and folds that lie on each other shake until they tear. So pairs that
 * would be too near where velocities lead repel each other by springs in the matrix of the solve,
 * which finds what comes of that. A force that it is only told of (as Bridson et al. 2002, Robust
 * treatment of collisions, section 7.2, which has it outside of the solve) it spreads over the
 * cloth around, and folds get through each other. After the solve, what is left of the approach is
 * taken from velocities alone.
 *
 * A texel's share of what a pair does. All pairs act at once; each is divided by how many its
 * texels meet, the more of both, or layers in contact would leave faster than they came. */
KERNEL_FN float self_part(float inverse_mass, float masses, float meets, float partner_meets) {
    return inverse_mass / (masses * k_max(k_max(meets, partner_meets), 1.0f));
}

/* Along its direction at the start of the substep a spring keeps texels as far apart as they were,
 * and SELF_MEND of what lacks further: pushed out within a substep they would leave with a metre a
 * second for each 4 mm. */
#define SELF_MEND 0.25f

KERNEL_FN float self_rest(v3 before, v3 direction, float distance) {
    float was = v3_dot(before, direction);
    return k_min(distance, was + SELF_MEND * (distance - was));
}

/* N/m, of such a spring: so many times the inertia of both texels, for all that they meet. Where
 * folds meet, a line of texels stops all the cloth behind it, which yarns tie to it much more
 * tightly. Triangles that got through others at worst, in scenes/poncho.json and six variants of it
 * (spacing, fabric, angle): with 16 between 64 and 184, with 64 between 3 and 26; with 128 between
 * 4 and 16 in the variants, but five stacked sheets take a quarter more conjugate gradients. In
 * poncho.json with 16, 24 substeps per frame instead of 6 left none; looking for texels that pass
 * each other within a substep, or solving more exactly, did not help. */
#define SELF_STIFF 64.0f

KERNEL_FN float self_spring(float masses, float meets, float partner_meets, float substep) {
    return SELF_STIFF / (masses * k_max(k_max(meets, partner_meets), 1.0f) * substep * substep);
}

/* How far its force would take free texels in a substep. */
KERNEL_FN float self_press(v3 before, v3 after, v3 direction, float distance) {
    return SELF_STIFF *
           positive_part(self_rest(before, direction, distance) - v3_dot(after, direction));
}

/* ---- in others ----------------------------------------------------------------------------------
 */

/* What is mended of the sum of old overlaps. */
KERNEL_FN v3 self_mend(v3 sum, float distance) {
    float most = SELF_LONGEST_MEND * distance;
    float mended = SELF_MEND_SHARE * k_sqrt(v3_dot(sum, sum));
    return v3_scale(sum, SELF_MEND_SHARE * k_min(1.0f, most / k_max(mended, KERNEL_TINY)));
}

#endif
