/* A window of GLFW's with an OpenGL context that is current in this thread. */
#ifndef TOILE_VIEW_WINDOW_H
#define TOILE_VIEW_WINDOW_H

/* libepoxy declares OpenGL. */
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <stdbool.h>

#include "toile/toile.h"

typedef struct window_def {
    const char *title;
    int size[2]; /* screen coordinates */
    bool vsync;
} window_def;

typedef struct window {
    GLFWwindow *handle;
    int pixels[2];    /* of the picture; 0 while the window is an icon */
    float density[2]; /* pixels a screen coordinate, in which GLFW tells where the mouse is */
    float scale;      /* pixels a point: how large letters should be */
} window;

/* TOILE_ERROR_UNAVAILABLE when there is no display, or no OpenGL 3.3 on it. One window at a time.
 */
toile_result window_open(window *w, const window_def *def);
void window_close(window *w); /* zeroed is fine */

/* After events: sizes as they are now. */
void window_update(window *w);

#endif
