/* A scene that is played with: its world, what its characters do, the hand in it, and what is seen
 * of it. One thread uses it at a time. */
#ifndef TOILE_VIEW_PLAY_H
#define TOILE_VIEW_PLAY_H

#include "gl/context.h"
#include "io/scene.h"
#include "view/hold.h"
#include "view/player.h"
#include "view/skin.h"

typedef struct play {
    scene *scene;
    toile_world *world;
    scene_ids ids;
    skins skins;
    hold hold;
    player player;
    bool wind;      /* blows */
    bool on_device; /* the world runs in the next, whose objects a window sees too */
    context context;
    context_before before;
} play;

typedef struct play_def {
    const char *path;
    const char *device; /* NULL: as the scene says */
    int threads;        /* 0: all there are */
    /* The context of a window, made through EGL, that device "gl" shares its objects with, so that
     * texels need not be read back to be seen. NULL, or where that cannot be done: they are. */
    EGLDisplay display;
    EGLContext window;
} play_def;

/* Where it is on_device, a context stays current in this thread until play_end. */
toile_result play_open(play *p, const play_def *def);
void play_close(play *p); /* zeroed is fine */
/* The part of closing that must be done by the thread that played, for devices that tie their world
 * to it. */
void play_end(play *p);

/* The scene from its beginning. On error it is as it was. */
toile_result play_reset(play *p);

toile_result play_step(play *p);

/* The scene's own wind, or a breeze along a direction where it has none. */
toile_result play_blow(play *p, bool on, const float direction[3]);

#endif
