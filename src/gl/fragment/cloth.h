/* The memory of a cloth that is simulated by fragment shaders: textures of a texel a texel. */
#ifndef TOILE_GL_FRAGMENT_CLOTH_H
#define TOILE_GL_FRAGMENT_CLOTH_H

#include "device/device.h"
#include "gl/machine.h"
#include "gl/timer.h"

/*  Four floats a texel, each texture drawn into through a framebuffer of its own. Positions and
 *  velocities have two, because a pass cannot read what it writes.
 *
 *  X(name, meaning and the passes that fill it) */
#define FRAGMENT_TEXTURES(X)                                                                       \
    X(x0, "m, position; respond, move")                                                            \
    X(x1, "m, position")                                                                           \
    X(v0, "m/s, velocity; pins, integrate, limit, respond")                                        \
    X(v1, "m/s, velocity")                                                                         \
    X(acceleration, "m/s^2, and the longest thread right and up over its rest length; force")      \
    X(air, "N, wind on the cell up and right; wind")                                               \
    X(backup_x, "m, position before the step")                                                     \
    X(backup_v, "m/s, velocity before the step")

typedef enum fragment_texture {
#define X(name, meaning) TEXTURE_##name,
    FRAGMENT_TEXTURES(X)
#undef X
        TEXTURE_COUNT
} fragment_texture;

/* A small texture: what all texels, or many, have to tell. */
typedef struct fragment_mark {
    GLuint texture, frame;
} fragment_mark;

struct device_context {
    machine *machine;
    GLuint plain;       /* vertex array of passes that have no attributes */
    GLuint numbers;     /* texture, see layout.h */
    int number_rows;    /* that it has room for */
    float *staging;     /* what it is filled from */
    size_t staged;      /* bytes of that */
    int moment_numbers; /* fours of a substep */
    int moments_at;     /* where those of the first one begin */
    gl_timer timer;
    bool failed;       /* an error between steps, which the next one reports */
    char failure[256]; /* that one */
};

struct device_cloth {
    device_context *gl;
    const panel *panel;
    grid grid;
    GLuint textures[TEXTURE_COUNT], frames[TEXTURE_COUNT];
    GLuint both[2][2];       /* framebuffers of x0 or x1 together with v0 or v1 */
    int x, v;                /* 0 or 1: which ones are the state */
    GLuint tables;           /* texture of two floats: inverse mass, coverage */
    fragment_mark stretched; /* is a thread near its limit? mark */
    fragment_mark touched;   /* first and last body that each block of a row touches; touch */
    fragment_mark bad;       /* 1, column and row of the first texel out of bounds; check */
    GLuint block;            /* cloth_block */
    GLuint pins, pins_array; /* buffer of 6 floats a pinned texel, and its vertex array */
    size_t pin_room;         /* pinned texels that fit it */
    int pinned;              /* of them */
    float *texels;           /* 4 floats a texel, border included, for upload and read-back */
};

device_cloth *fragment_cloth_create(device_context *gl, const panel *p, const grid *g);
void fragment_cloth_destroy(device_cloth *cloth);
size_t fragment_cloth_bytes(const device_cloth *cloth);
void fragment_write_inverse_mass(device_cloth *cloth, const float *inverse_mass);
void fragment_write(device_cloth *cloth, device_field field, const float *values);
void fragment_read(const device_cloth *cloth, device_field field, float *values);

/* Blocks of a row, of which each tells what it touches. */
int fragment_blocks(const grid *g);

/* Copies the state to the backup, or back. */
void fragment_keep(const device_cloth *cloth);
void fragment_restore(const device_cloth *cloth);

#endif
