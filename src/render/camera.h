/* Between places in space and places in a picture. */
#ifndef TOILE_RENDER_CAMERA_H
#define TOILE_RENDER_CAMERA_H

#include "io/scene.h"
#include "render/matrix.h"

/* A camera's axes, and the tangents of the angles from the middle of its picture to the edges. */
typedef struct camera_view {
    v3 eye;
    v3 right, up, back; /* unit */
    float slope[2];     /* to the right edge and to the upper one */
} camera_view;

camera_view camera_view_make(const scene_camera *camera, int width, int height);

/* The direction from the eye to a place of the picture, as long as it takes to be 1 m deep. x runs
 * to the right and y down, both 0 to 1. */
v3 camera_view_ray(const camera_view *view, float x, float y);

/* The place in the picture where a point is seen; false for one behind the eye. */
bool camera_view_project(const camera_view *view, v3 point, float *x, float *y);

/* How far a point is along the view direction, m. */
float camera_view_depth(const camera_view *view, v3 point);

/* To OpenGL's clip space, with the picture shifted by a part of it: 1 is to the edge. */
mat4 camera_view_matrix(const camera_view *view, float near, float far, const float shift[2]);

#endif
