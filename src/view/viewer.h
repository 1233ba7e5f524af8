/* The window of `toile view`. */
#ifndef TOILE_VIEW_VIEWER_H
#define TOILE_VIEW_VIEWER_H

#include "toile/toile.h"

typedef struct viewer_def {
    const char *path;
    const char *device; /* NULL: as the scene says */
    int threads;        /* 0: all there are */
    int size[2];        /* of the window */
    bool vsync;
    bool paused;         /* from the start */
    bool verbose;        /* says on stdout what happens */
    bool (*ended)(void); /* asks for the end, as signals do; may be NULL */
} viewer_def;

/* Shows the scene until the window is closed. */
toile_result viewer_run(const viewer_def *def);

#endif
