/* What src/gl changes in a context that belongs to somebody else, to be set back. */
#ifndef TOILE_GL_GUEST_H
#define TOILE_GL_GUEST_H

#include <epoxy/gl.h>

enum {
    GUEST_STORAGE = 8,
    GUEST_UNIFORM = 2,
    GUEST_UNITS = 7,
    GUEST_TARGETS = 8,
    GUEST_CLIPS = 8,
    GUEST_SWITCHES = 12,
    GUEST_BUFFERS = 10,
    GUEST_BLENDING = 6,
    GUEST_VIEWPORTS = 16 /* OpenGL promises so many */
};

/* A buffer that is bound to a numbered place. */
typedef struct guest_range {
    GLuint buffer;
    GLint64 start, size; /* 0 and 0: all of it */
} guest_range;

/* What is bound to the first image unit. */
typedef struct guest_image {
    GLint texture, level, layer, access, format;
    GLboolean layered;
} guest_image;

typedef struct guest_state {
    GLint program, vertex_array, draw_frame, read_frame, renderbuffer;
    GLint buffers[GUEST_BUFFERS]; /* that are bound to targets */
    guest_range storage[GUEST_STORAGE], uniform[GUEST_UNIFORM], feedback;
    GLint unit; /* of textures, that is active */
    GLint flat_textures[GUEST_UNITS], buffer_textures[GUEST_UNITS];
    GLint layered_texture; /* of the first unit */
    guest_image image;
    GLboolean switches[GUEST_SWITCHES];
    GLboolean blend[GUEST_TARGETS], color_mask[GUEST_TARGETS][4]; /* of draw buffers */
    GLboolean clips[GUEST_CLIPS];                                 /* by distances */
    GLint clip_origin, clip_depth;                                /* where the driver has them */
    GLfloat viewport[4]; /* the first one, as the library draws to no other */
    GLdouble depth_range[2];
    GLboolean scissors[GUEST_VIEWPORTS];
    GLint blending[GUEST_BLENDING]; /* of the first draw buffer: how, the others do not blend */
    GLint depth_function, polygon_mode[2];
    GLboolean depth_mask;
} guest_state;

/* Keeps what there is, and sets what drawing must find. */
void guest_save(guest_state *s);
void guest_restore(const guest_state *s);

#endif
