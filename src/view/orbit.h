/* A camera that goes around what it looks at. */
#ifndef TOILE_VIEW_ORBIT_H
#define TOILE_VIEW_ORBIT_H

#include "io/scene.h"

typedef struct orbit {
    float target[3]; /* m */
    float distance;  /* m */
    float azimuth;   /* radians, from +z towards +x */
    float elevation; /* radians */
    float fov;       /* degrees */
    float size;      /* m, of what there is to see */
} orbit;

/* As a camera stands. size bounds how near and how far it gets. */
orbit orbit_make(const scene_camera *camera, float size);
scene_camera orbit_camera(const orbit *o);

/* By parts of the window's height that the mouse has moved, right and down. */
void orbit_turn(orbit *o, float right, float down);
void orbit_pan(orbit *o, float right, float down);
/* 0: stays, 1: about a tenth nearer. */
void orbit_zoom(orbit *o, float nearer);
/* By parts of the distance: to the right, upwards and level ahead. */
void orbit_walk(orbit *o, float right, float up, float ahead);

#endif
