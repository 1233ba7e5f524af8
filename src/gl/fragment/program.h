/* The shaders of src/gl/fragment/shaders as programs of OpenGL 3.3. */
#ifndef TOILE_GL_FRAGMENT_PROGRAM_H
#define TOILE_GL_FRAGMENT_PROGRAM_H

#include <epoxy/gl.h>

#include "toile/toile.h"

/*  X(name, what its vertex shader and its fragment shader are called) */
#define FRAGMENT_PROGRAMS(X)                                                                       \
    X(again, screen, again)                                                                        \
    X(check, check, tell)                                                                          \
    X(force, screen, force)                                                                        \
    X(integrate, screen, integrate)                                                                \
    X(limit, limit, limit)                                                                         \
    X(mark, mark, tell)                                                                            \
    X(move, screen, move)                                                                          \
    X(pins, pins, pins)                                                                            \
    X(respond, screen, respond)                                                                    \
    X(touch, screen, touch)                                                                        \
    X(wind, screen, wind)

typedef enum fragment_name {
#define X(name, vertex, fragment) FRAGMENT_##name,
    FRAGMENT_PROGRAMS(X)
#undef X
        FRAGMENT_COUNT,
    FRAGMENT_NONE = FRAGMENT_COUNT
} fragment_name;

/* Their textures; each has a unit of its own. */
#define FRAGMENT_SAMPLERS(X)                                                                       \
    X(positions)                                                                                   \
    X(velocities)                                                                                  \
    X(accelerations)                                                                               \
    X(air)                                                                                         \
    X(tables)                                                                                      \
    X(numbers)                                                                                     \
    X(mark)                                                                                        \
    X(touched)

typedef enum fragment_unit {
#define X(name) UNIT_##name,
    FRAGMENT_SAMPLERS(X)
#undef X
        UNIT_COUNT
} fragment_unit;

/* What src/gl/fragment/shaders.cmake embeds. */
#define X(name, vertex, fragment)                                                                  \
    extern const char fragment_##vertex##_vert[], fragment_##fragment##_frag[];
FRAGMENT_PROGRAMS(X)
#undef X

/* A program, and the uniforms that differ from one call to the next; -1 where it has none. */
typedef struct fragment_program {
    GLuint handle; /* 0: not made yet */
    GLint moment;  /* int, where the numbers of the substep begin */
    GLint call;    /* int, as the pass understands it */
    GLint share;   /* float, of the substep */
} fragment_program;

/* Makes a program in the current context, unless it is made. */
toile_result fragment_prepare(fragment_program *programs, fragment_name name);

/* For tests: this program gets a text that no driver compiles, where it is not made yet;
 * FRAGMENT_NONE, the default, for none. */
void fragment_break(fragment_name name);

#endif
