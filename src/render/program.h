/* Shader programs. */
#ifndef TOILE_RENDER_PROGRAM_H
#define TOILE_RENDER_PROGRAM_H

#include <epoxy/gl.h>

#include "toile/toile.h"

/* Bindings that all programs share. */
enum { BLOCK_PICTURE, BLOCK_LIGHTS };
enum {
    UNIT_KEY_MAPS,
    UNIT_DOME_MAPS,
    UNIT_FLOOR_LIGHT,
    UNIT_PICTURE,
    UNIT_DISTANCES,
    UNIT_NORMALS,
    UNIT_COLORS
};

/* Compiles and links. Each shader is a NULL-terminated list of texts, put one after the other
 * behind a #version line. name stands for the program in messages. */
toile_result program_make(const char *name, const char *const vertex[],
                          const char *const fragment[], GLuint *out);
/* Likewise of a vertex stage alone, whose two outputs transform feedback puts into a buffer each.
 */
toile_result program_capture(const char *name, const char *const vertex[],
                             const char *const outputs[2], GLuint *out);

#endif
