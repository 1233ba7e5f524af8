#include "gl/context.h"

#include <epoxy/gl.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { MAX_DEVICES = 32, TRIED_SIZE = 640 };

/* What was tried so far, for the error message. */
typedef struct attempts {
    char text[TRIED_SIZE];
    size_t used;
} attempts;

static void attempt_failed(attempts *a, const char *where, const char *why) {
    int n = snprintf(a->text + a->used, sizeof a->text - a->used, "%s%s: %s", a->used ? "; " : "",
                     where, why);
    if (n > 0) {
        a->used += (size_t)n;
    }
    if (a->used >= sizeof a->text) {
        a->used = sizeof a->text - 1;
    }
}

static const char *egl_error_name(void) {
    switch (eglGetError()) {
    case EGL_NOT_INITIALIZED:
        return "EGL_NOT_INITIALIZED";
    case EGL_BAD_ACCESS:
        return "EGL_BAD_ACCESS";
    case EGL_BAD_ALLOC:
        return "EGL_BAD_ALLOC";
    case EGL_BAD_ATTRIBUTE:
        return "EGL_BAD_ATTRIBUTE";
    case EGL_BAD_CONFIG:
        return "EGL_BAD_CONFIG";
    case EGL_BAD_DISPLAY:
        return "EGL_BAD_DISPLAY";
    case EGL_BAD_MATCH:
        return "EGL_BAD_MATCH";
    case EGL_BAD_PARAMETER:
        return "EGL_BAD_PARAMETER";
    default:
        return "no reason given";
    }
}

static void make_description(context *c) {
    const char *vendor = (const char *)glGetString(GL_VENDOR);
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    int version = epoxy_gl_version();
    snprintf(c->description, sizeof c->description, "%s, %s, OpenGL %d.%d",
             vendor ? vendor : "unknown vendor", renderer ? renderer : "unknown renderer",
             version / 10, version % 10);
    c->software = renderer && (strstr(renderer, "llvmpipe") || strstr(renderer, "softpipe"));
}

/* Says which version a display has instead of the one that was asked for. */
static const char *describe_version(const context *c, EGLConfig config, const context_need *need) {
    static _Thread_local char text[96];
    int used =
        snprintf(text, sizeof text, "has no OpenGL %d.%d core profile", need->major, need->minor);
    EGLContext plain = eglCreateContext(c->display, config, EGL_NO_CONTEXT, NULL);
    if (plain != EGL_NO_CONTEXT && eglMakeCurrent(c->display, c->surface, c->surface, plain)) {
        int version = epoxy_gl_version();
        snprintf(text + used, sizeof text - (size_t)used, ", only OpenGL %d.%d", version / 10,
                 version % 10);
        eglMakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    }
    if (plain != EGL_NO_CONTEXT) {
        eglDestroyContext(c->display, plain);
    }
    return text;
}

/* Makes c->handle and, where needed, c->surface on an initialized display; other: what it shares
 * its objects with. Returns NULL, or what failed. */
static const char *make_context(context *c, const context_need *need, EGLContext other) {
    if (!eglBindAPI(EGL_OPENGL_API)) {
        return "has no desktop OpenGL";
    }
    bool surfaceless = epoxy_has_egl_extension(c->display, "EGL_KHR_surfaceless_context");
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE,
                             surfaceless ? 0 : EGL_PBUFFER_BIT, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!eglChooseConfig(c->display, wanted, &config, 1, &count) || count < 1) {
        return "has no configuration for OpenGL";
    }
    if (!surfaceless) {
        const EGLint size[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
        c->surface = eglCreatePbufferSurface(c->display, config, size);
        if (c->surface == EGL_NO_SURFACE) {
            return "cannot draw without a window";
        }
    }
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION_KHR,
                              need->major,
                              EGL_CONTEXT_MINOR_VERSION_KHR,
                              need->minor,
                              EGL_CONTEXT_OPENGL_PROFILE_MASK_KHR,
                              EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT_KHR,
                              EGL_NONE};
    c->handle = eglCreateContext(c->display, config, other, version);
    if (c->handle == EGL_NO_CONTEXT) {
        return describe_version(c, config, need);
    }
    if (!eglMakeCurrent(c->display, c->surface, c->surface, c->handle)) {
        return "its context cannot be made current";
    }
    make_description(c);
    return NULL;
}

static bool try_display(context *c, const context_need *need, EGLDisplay display, const char *where,
                        attempts *tried) {
    if (display == EGL_NO_DISPLAY) {
        attempt_failed(tried, where, "not there");
        return false;
    }
    if (!eglInitialize(display, NULL, NULL)) {
        attempt_failed(tried, where, egl_error_name());
        return false;
    }
    *c = (context){.display = display, .handle = EGL_NO_CONTEXT, .surface = EGL_NO_SURFACE};
    const char *failure = make_context(c, need, EGL_NO_CONTEXT);
    if (failure) {
        attempt_failed(tried, where, failure);
        context_close(c);
        return false;
    }
    return true;
}

static bool try_devices(context *c, const context_need *need, bool software, attempts *tried) {
    EGLDeviceEXT devices[MAX_DEVICES];
    EGLint count = 0;
    if (!eglQueryDevicesEXT(MAX_DEVICES, devices, &count)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const char *extensions = eglQueryDeviceStringEXT(devices[i], EGL_EXTENSIONS);
        if ((extensions && strstr(extensions, "EGL_MESA_device_software")) != software) {
            continue;
        }
        char where[48];
        snprintf(where, sizeof where, "EGL device %d%s", i, software ? " (software)" : "");
        if (try_display(c, need,
                        eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL), where,
                        tried)) {
            return true;
        }
    }
    return false;
}

static bool try_all(context *c, const context_need *need, attempts *tried) {
    bool platforms = epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base");
    bool devices = platforms &&
                   epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") &&
                   (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_base") ||
                    epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration"));
    if (!devices) {
        attempt_failed(tried, "EGL devices", "not supported");
    } else if (try_devices(c, need, false, tried)) {
        return true;
    }
    if (!platforms || !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
        attempt_failed(tried, "surfaceless", "not supported");
    } else if (try_display(c, need,
                           eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA,
                                                    EGL_DEFAULT_DISPLAY, NULL),
                           "surfaceless", tried)) {
        return true;
    }
    return try_display(c, need, eglGetDisplay(EGL_DEFAULT_DISPLAY), "default display", tried) ||
           (devices && try_devices(c, need, true, tried));
}

static context_before current_context(void) {
    return (context_before){.api = eglQueryAPI(),
                            .display = eglGetCurrentDisplay(),
                            .handle = eglGetCurrentContext(),
                            .draw = eglGetCurrentSurface(EGL_DRAW),
                            .read = eglGetCurrentSurface(EGL_READ)};
}

toile_result context_open(context *c, const context_need *need) {
    attempts tried = {.used = 0};
    context_before before = current_context();
    bool made = try_all(c, need, &tried);
    if (!made) {
        *c = (context){0};
    }
    context_leave(c, &before);
    if (made) {
        return TOILE_OK;
    }
    return error_set(TOILE_ERROR_UNAVAILABLE,
                     "no OpenGL %d.%d %s (on Debian, libgl1-mesa-dri does it without a GPU); "
                     "tried %s",
                     need->major, need->minor, need->purpose, tried.text);
}

toile_result context_open_shared(context *c, const context_need *need, EGLDisplay display,
                                 EGLContext other) {
    context_before before = current_context();
    *c = (context){.display = display, .handle = EGL_NO_CONTEXT, .surface = EGL_NO_SURFACE};
    const char *failure = make_context(c, need, other);
    context_leave(c, &before);
    if (failure) {
        context_close(c);
        return error_set(TOILE_ERROR_UNAVAILABLE, "no OpenGL %d.%d %s that shares objects: %s",
                         need->major, need->minor, need->purpose, failure);
    }
    return TOILE_OK;
}

toile_result context_borrow(context *c, const context_need *need) {
    *c = (context){
        .display = eglGetCurrentDisplay(), .handle = eglGetCurrentContext(), .borrowed = true};
    if (!c->handle) {
        *c = (context){0};
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "no OpenGL context is current in this thread: expected one of OpenGL "
                         "%d.%d or later that was made through EGL",
                         need->major, need->minor);
    }
    const int version = epoxy_gl_version();
    if (!epoxy_is_desktop_gl() || version < 10 * need->major + need->minor) {
        *c = (context){0};
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "the OpenGL context that is current in this thread has OpenGL %s%d.%d: "
                         "expected %d.%d or later %s",
                         epoxy_is_desktop_gl() ? "" : "ES ", version / 10, version % 10,
                         need->major, need->minor, need->purpose);
    }
    make_description(c);
    return TOILE_OK;
}

/* The display stays initialized: it is one for the whole process, and terminating it would take
 * away contexts that others made on it. */
void context_close(context *c) {
    if (c->handle && !c->borrowed) {
        eglDestroyContext(c->display, c->handle);
    }
    if (c->surface) {
        eglDestroySurface(c->display, c->surface);
    }
    *c = (context){0};
}

static toile_result enter_borrowed(const context *c, context_before *before) {
    if (eglGetCurrentContext() != c->handle) {
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "the OpenGL context that the world was created in is not current: "
                         "expected it to be so in every call that is given the world");
    }
    while (glGetError() != GL_NO_ERROR) {
    }
    guest_save(&before->guest);
    return TOILE_OK;
}

toile_result context_enter(const context *c, context_before *before) {
    if (c->borrowed) {
        return enter_borrowed(c, before);
    }
    *before = current_context();
    if (!eglBindAPI(EGL_OPENGL_API) ||
        !eglMakeCurrent(c->display, c->surface, c->surface, c->handle)) {
        toile_result result =
            error_set(TOILE_ERROR_UNAVAILABLE, "cannot make the OpenGL context current: %s",
                      egl_error_name());
        eglBindAPI(before->api);
        return result;
    }
    return TOILE_OK;
}

void context_leave(const context *c, const context_before *before) {
    if (c->borrowed) {
        guest_restore(&before->guest);
        return;
    }
    if (before->handle == EGL_NO_CONTEXT && c->display) {
        eglMakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    }
    eglBindAPI(before->api);
    if (before->handle != EGL_NO_CONTEXT) {
        eglMakeCurrent(before->display, before->draw, before->read, before->handle);
    }
}

toile_result context_check(const char *doing) {
    GLenum error = glGetError();
    if (error == GL_NO_ERROR) {
        return TOILE_OK;
    }
    if (error == GL_OUT_OF_MEMORY) {
        return error_set(TOILE_ERROR_MEMORY, "OpenGL ran out of memory while %s", doing);
    }
    return error_set(TOILE_ERROR_UNAVAILABLE, "OpenGL reports error 0x%04x while %s", error, doing);
}
