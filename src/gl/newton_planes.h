/* What passes over tiles of all panels need of the state of cloths, which are in buffers of their
 * own, and what bodies do to texels: planes of the finest level behind those of
 * device/newton_state.h. */
#ifndef TOILE_GL_NEWTON_PLANES_H
#define TOILE_GL_NEWTON_PLANES_H

/*  X(name, planes, where, unit, meaning and the passes that fill it) */
#define TEXEL_PLANES(X)                                                                            \
    X(cover, 1, TEXEL, "1", "how much cloth is in the cell up and right of the texel; start")      \
    X(place, 3, TEXEL, "m", "where the texel is; start, local, move")                              \
    X(start, 3, TEXEL, "m", "where it was at the start of the substep; start")                     \
    X(speed, 3, TEXEL, "m/s", "what takes it on from there without springs; start")                \
    X(came, 3, TEXEL, "m/s", "how fast it was at the start of the substep; start")                 \
    X(kept, 3, TEXEL, "N", "friction at the start of the substep; start")                          \
    X(limit, 1, TEXEL, "N", "mean of the pressure, which limits it; start")                        \
    X(normal, 3, TEXEL, "1", "of the nearest body; forces")                                        \
    X(gone, 3, TEXEL, "m", "how far the texel has gone against it; forces, move")                  \
    X(gap, 1, TEXEL, "m", "its distance from it; forces")                                          \
    X(mu, 1, TEXEL, "1", "Coulomb's coefficient there; forces")                                    \
    X(back, 1, TEXEL, "m/s", "how fast it sends the texel away; forces")                           \
    X(hold, 1, TEXEL, "N", "how hard it presses, 0: not at all; forces, move")                     \
    X(side, 3, TEXEL, "1", "normal of the nearest mesh; PASS_MESHES, PASS_MAPS")                   \
    X(height, 1, TEXEL, "m", "how far its plane of contact is from the origin along it; these")    \
    X(way, 3, TEXEL, "m", "way of its surface in the substep; these")                              \
    X(friction, 1, TEXEL, "1", "with it; these")                                                   \
    X(reflection, 1, TEXEL, "1", "what share of an approach it gives back; these")

#endif
