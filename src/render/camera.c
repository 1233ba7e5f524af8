#include "render/camera.h"

camera_view camera_view_make(const scene_camera *camera, int width, int height) {
    v3 eye = v3_load(camera->eye);
    v3 back = v3_normalize(v3_sub(eye, v3_load(camera->target)));
    v3 right = v3_cross(v3_make(0.0f, 1.0f, 0.0f), back);
    right = v3_dot(right, right) > 1e-10f ? v3_normalize(right) : v3_make(1.0f, 0.0f, 0.0f);
    float slope = tanf(0.5f * camera->fov * 0.0174532925f);
    return (camera_view){.eye = eye,
                         .right = right,
                         .up = v3_cross(back, right),
                         .back = back,
                         .slope = {slope * (float)width / (float)height, slope}};
}

v3 camera_view_ray(const camera_view *view, float x, float y) {
    v3 across = v3_scale(view->right, (2.0f * x - 1.0f) * view->slope[0]);
    v3 upwards = v3_scale(view->up, (1.0f - 2.0f * y) * view->slope[1]);
    return v3_sub(v3_add(across, upwards), view->back);
}

float camera_view_depth(const camera_view *view, v3 point) {
    return v3_dot(v3_sub(view->eye, point), view->back);
}

bool camera_view_project(const camera_view *view, v3 point, float *x, float *y) {
    float depth = camera_view_depth(view, point);
    if (!(depth > 0.0f)) {
        return false;
    }
    v3 from_eye = v3_sub(point, view->eye);
    *x = 0.5f + 0.5f * v3_dot(from_eye, view->right) / (depth * view->slope[0]);
    *y = 0.5f - 0.5f * v3_dot(from_eye, view->up) / (depth * view->slope[1]);
    return true;
}

mat4 camera_view_matrix(const camera_view *view, float near, float far, const float shift[2]) {
    v3 axes[3] = {view->right, view->up, view->back};
    float offset[3] = {-v3_dot(view->right, view->eye), -v3_dot(view->up, view->eye),
                       -v3_dot(view->back, view->eye)};
    mat4 m = {{0}};
    m.m[0] = 1.0f / view->slope[0];
    m.m[5] = 1.0f / view->slope[1];
    m.m[8] = shift[0];
    m.m[9] = shift[1];
    m.m[10] = -(far + near) / (far - near);
    m.m[11] = -1.0f;
    m.m[14] = -2.0f * far * near / (far - near);
    return mat4_multiply(m, mat4_affine(axes, offset));
}
