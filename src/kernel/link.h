/* Which springs tie a texel to others, as kernel/newton.h numbers links. */
#ifndef TOILE_KERNEL_LINK_H
#define TOILE_KERNEL_LINK_H

#include "kernel/newton.h"
#include "kernel/spring.h"

/* From a link's lower end to the other one: columns and rows. */
KERNEL_FN int link_across(int q) {
    return q == SYSTEM_EAST || q == SYSTEM_RISE ? 1 : q == SYSTEM_LEFT ? -1 : 0;
}

KERNEL_FN int link_along(int q) {
    return q == SYSTEM_EAST || q == SYSTEM_OWN ? 0 : 1;
}

/* Likewise in planes with `up` texels from a row to the next. */
KERNEL_FN int link_to(int q, int up) {
    return link_along(q) * up + link_across(q);
}

/* The cells on both sides of a spring; diagonals lie in one. A cell is named by its lower left
 * texel. */
KERNEL_FN int link_cell(int q) {
    return q == SYSTEM_LEFT ? -1 : 0;
}

KERNEL_FN int link_other_cell(int q, int up) {
    return q == SYSTEM_EAST ? -up : q == SYSTEM_RISE ? 0 : -1;
}

/* The numbers of a cloth: m and N/m. */
KERNEL_STRUCT(link_cloth) {
    float spacing, diagonal, longest;
    float stretch_u, stretch_v, shear;
};

KERNEL_STRUCT(link_kind) {
    float rest, longest;      /* m */
    float stiffness, stiffer; /* N/m, of a full width; and as much more beyond the limit */
};

/* Diagonals have no limit. */
KERNEL_FN link_kind link_of(int q, link_cloth c) {
    bool yarn = q == SYSTEM_EAST || q == SYSTEM_NORTH;
    float stretch = k_select(q == SYSTEM_EAST, c.stretch_u, c.stretch_v);
    link_kind l;
    l.rest = k_select(yarn, c.spacing, c.diagonal);
    l.longest = k_select(yarn, c.longest, c.diagonal);
    l.stiffness = k_select(yarn, stretch, c.shear);
    l.stiffer = k_select(yarn, NEWTON_STIFFER * stretch, 0.0f);
    return l;
}

/* A spring as the matrix keeps it. to: from its lower end to the other one; the two cells: how much
 * cloth is in them. */
KERNEL_FN v4 link_spring(link_kind l, v3 to, float cell, float other_cell) {
    float weight = thread_weight(cell, other_cell);
    return newton_spring(to, l.rest, l.longest, weight * l.stiffness, weight * l.stiffer);
}

#endif
