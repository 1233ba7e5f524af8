/* Bodies in Newton's method: the whole updates of a texel by the law of kernel/newton.h. Every body
 * that a texel may touch presses against it; friction is with the nearest. */
#ifndef TOILE_KERNEL_TOUCH_H
#define TOILE_KERNEL_TOUCH_H

#include "kernel/newton.h"

/* The gap of a texel that no body is near, m. */
#define TOUCH_FAR 3.4e38f

/* A body that reflects sends a texel away with a share of the velocity at which it came, `v`: that
 * of the substep without springs and bodies, or with second order the one at its start. The surface
 * goes `way` in the substep. The texel leaves at the end of the substep, from the surface: one that
 * is moved on by what was left of the time stretches the yarns to texels that are not. So a
 * little is lost, at most what gravity gives in a substep, and nothing is ever gained. Slower than
 * what it gives in GRIP_LYING substeps, cloth lies on the body, and nothing is given back. With one
 * substep cloth on a ball keeps 1e-7 J, with 2 to 16 less than 1e-10 J, and bounces are alike. */
#define GRIP_LYING 4.0f

KERNEL_FN float grip_least(v3 gravity, float substep) {
    return GRIP_LYING * k_sqrt(v3_dot(gravity, gravity)) * substep;
}

KERNEL_FN float grip_back(v3 v, v3 way, v3 normal, float substep, float reflection, float least) {
    float approach = v3_dot(way, normal) / substep - v3_dot(v, normal);
    return k_select(approach > least, reflection * approach, 0.0f);
}

/* Friction is limited by its coefficient times the mean of the pressure over some hundredths of a
 * second, which follows the pressure by a share per substep: that on a single texel flickers. So a
 * texel rubs also at the moments at which it is not pressed, as long as it is within so many
 * spacings of the surface: from 0.01 to 4 a strip on a bar is held and slides alike. The first
 * pressure on it counts at once: cloth that is laid onto a body would slide off before its mean has
 * grown. */
#define GRIP_BAND 1.0f

/* In spacings: bodies farther from a texel are not asked. Friction needs those within its band. A
 * texel is pressed ahead of the surface, too, where its own block would take it there. But of 776
 * such pressures from more than 1/50 of a spacing, in four scenes in which cloth falls on bodies at
 * up to 6 m/s, 27 were from more than 1/10 and none from more than 1/2. */
#define TOUCH_REACH GRIP_BAND

KERNEL_FN float grip_limit(float limit, float now, float share) {
    return limit + k_select(limit > 0.0f, share, 1.0f) * (now - limit);
}

/* The surface of a body near a texel. */
KERNEL_STRUCT(surface) {
    v3 normal, way; /* m, that it goes in the substep */
    float gap, friction, reflection;
};

/* What a texel brings along. */
KERNEL_STRUCT(touch_texel) {
    v3 at, start;  /* m, now and at the start of the substep */
    v3 speed;      /* m/s, then */
    v3 force;      /* N, without contact */
    block inverse; /* m/N, of its own block, likewise */
    float inertia; /* N/m; 0 where absent or pinned */
};

/* What bodies do to it. */
KERNEL_STRUCT(touching) {
    block press;     /* N/m, of all of them */
    v3 push;         /* N, likewise */
    v3 normal, gone; /* of the nearest; m, that the texel has gone against it in the substep */
    float gap, friction;
    float back; /* m/s, that it sends the texel away with */
    float hold; /* N, how hard it presses; 0: not at all */
};

/* Numbers of a cloth in a substep. */
KERNEL_STRUCT(touch_numbers) {
    float times;   /* by how much stiffer a body's pressure is than the texel's inertia */
    float substep; /* s */
    float least;   /* m/s, below which nothing is sent away */
};

KERNEL_FN float touch_times(float spacing, float substep, float cell_mass) {
    return CONTACT_STIFF * spacing * spacing * substep * substep / cell_mass;
}

/* A body more. */
KERNEL_FN touching touch_body(touching t, touch_texel x, surface near, touch_numbers c) {
    v3 n = near.normal;
    bool free = x.inertia > 0.0f;
    bool presses = free && newton_presses(near.gap, n, x.force, x.inverse);
    bool nearest = free && near.gap < t.gap;
    float stiff = k_select(presses, c.times * x.inertia, 0.0f);
    v3 went = v3_sub(v3_sub(x.at, x.start), near.way);
    float leaves = grip_back(x.speed, near.way, n, c.substep, near.reflection, c.least);
    t.press = block_add(t.press, newton_press_block(n, stiff));
    t.push = v3_madd(t.push, n, -stiff * near.gap);
    t.normal = v3_select(nearest, n, t.normal);
    t.gone = v3_select(nearest, went, t.gone);
    t.gap = k_select(nearest, near.gap, t.gap);
    t.friction = k_select(nearest, near.friction, t.friction);
    t.back = k_select(nearest, leaves, t.back);
    t.hold = k_select(nearest, newton_weight(presses, n, x.force), t.hold);
    return t;
}

KERNEL_STRUCT(touch_pressed) {
    block matrix; /* N/m, of pressure and friction */
    v3 force;     /* N, that is left with both */
};

/* All bodies together. kept: friction at the start of the substep; limit: the pressure that bounds
 * it. */
KERNEL_FN touch_pressed touch_press(touching t, touch_texel x, v3 kept, float limit, float times) {
    bool near = t.gap < TOUCH_FAR;
    float stiff = k_max(times * x.inertia, KERNEL_TINY);
    v3 drawn = newton_drawn(t.gone, kept, t.normal, stiff);
    float most = t.friction * newton_limit(limit, t.hold);
    float grip = newton_grip(drawn, k_select(near, most, 0.0f), stiff);
    touch_pressed p;
    p.force = v3_add(x.force, v3_madd(t.push, drawn, -grip));
    bool slides = newton_slides(drawn, block_times(x.inverse, p.force), most, stiff);
    p.matrix = block_add(t.press, newton_grip_block(t.normal, grip, drawn, slides));
    return p;
}

/* How hard the nearest body presses after a move, N. */
KERNEL_FN float touch_pressure(float gap, v3 normal, v3 move, float stiff, float hold) {
    float depth = positive_part(-(gap + v3_dot(normal, move)));
    return k_select(hold > 0.0f, stiff * depth, 0.0f);
}

KERNEL_STRUCT(touch_rubbed) {
    v3 kept;     /* N */
    float limit; /* N */
    v3 start;    /* m */
};

/* The force of friction at the end of the substep, and its limit: the mean of the pressure over
 * some substeps, for that on a single texel flickers; follow: the share of the last one. A texel
 * that is further from the body than `band` has neither.
 * A texel that a body stops goes on with it and gives nothing back: its velocity is what it goes
 * from the start of the substep, so moving the start along the normal takes the blow out of it. */
KERNEL_FN touch_rubbed touch_rub(touching t, touch_rubbed before, float stiffness, float follow,
                                 float band) {
    float stiff = k_max(stiffness, KERNEL_TINY);
    v3 drawn = newton_drawn(t.gone, before.kept, t.normal, stiff);
    float grip = newton_grip(drawn, t.friction * newton_limit(before.limit, t.hold), stiff);
    bool rubs = stiffness > 0.0f && t.gap < band;
    float came = k_select(t.hold > 0.0f, v3_dot(t.gone, t.normal), 0.0f);
    touch_rubbed after;
    after.kept = v3_select(rubs && grip > 0.0f, v3_scale(drawn, -grip), v3_make(0.0f, 0.0f, 0.0f));
    float limit = grip_limit(before.limit, t.hold, follow);
    after.limit = k_select(rubs && limit > CONTACT_NOTHING, limit, 0.0f);
    after.start = v3_madd(before.start, t.normal, came);
    return after;
}

#endif
