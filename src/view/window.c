#include "view/window.h"

#include <epoxy/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* GLFW's last error. It is called back from functions of GLFW only, in this thread. */
static char failure[512];

static void on_error(int code, const char *description) {
    (void)code;
    snprintf(failure, sizeof failure, "%s", description);
}

static toile_result no_display(void) {
    const char *display = getenv("DISPLAY");
    if (!display || !*display) {
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "no display to open a window on: DISPLAY is not set; expected an X server "
                         "or Xwayland ('toile render' needs none)");
    }
    return error_set(TOILE_ERROR_UNAVAILABLE,
                     "no display to open a window on: DISPLAY is '%s': %s ('toile render' needs "
                     "none)",
                     display, failure);
}

/* EGL first, as the other parts of the program use it; not all drivers have it for windows. */
static GLFWwindow *create(const window_def *def) {
    static const int APIS[] = {GLFW_EGL_CONTEXT_API, GLFW_NATIVE_CONTEXT_API};
    GLFWwindow *handle = NULL;
    for (int i = 0; i < 2 && !handle; i++) {
        glfwDefaultWindowHints();
        glfwWindowHint(GLFW_CONTEXT_CREATION_API, APIS[i]);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
        glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
        glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
        glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
        glfwWindowHint(GLFW_DEPTH_BITS, 0);
        glfwWindowHint(GLFW_STENCIL_BITS, 0);
        glfwWindowHintString(GLFW_X11_CLASS_NAME, "toile");
        handle = glfwCreateWindow(def->size[0], def->size[1], def->title, NULL, NULL);
    }
    return handle;
}

toile_result window_open(window *w, const window_def *def) {
    *w = (window){0};
    glfwSetErrorCallback(on_error);
    if (!glfwInit()) {
        return no_display();
    }
    w->handle = create(def);
    if (!w->handle) {
        return error_set(TOILE_ERROR_UNAVAILABLE, "no window with OpenGL 3.3: %s", failure);
    }
    glfwMakeContextCurrent(w->handle);
    glfwSwapInterval(def->vsync ? 1 : 0);
    window_update(w);
    return TOILE_OK;
}

/* GLFW stays started until the process ends: it would unload drivers, with what they have allocated
 * and never free. */
void window_close(window *w) {
    if (w->handle) {
        glfwDestroyWindow(w->handle);
    }
    *w = (window){0};
}

void window_update(window *w) {
    int size[2];
    float scales[2];
    glfwGetFramebufferSize(w->handle, &w->pixels[0], &w->pixels[1]);
    glfwGetWindowSize(w->handle, &size[0], &size[1]);
    glfwGetWindowContentScale(w->handle, &scales[0], &scales[1]);
    for (int k = 0; k < 2; k++) {
        w->density[k] = size[k] > 0 ? (float)w->pixels[k] / (float)size[k] : 1.0f;
    }
    w->scale = scales[1] >= 0.5f ? scales[1] : 1.0f;
}
