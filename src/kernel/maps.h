/* Collision in images: Vassilev 2020 section 4, paradigms 1 and 2.
 *
 * Two cameras look at a body along an axis of its own frame, from both sides of its box. Each pixel
 * of their images has the height of the surface that the camera sees, along that axis, and its
 * normal: a plane. Between the planes of front and back is the body. Beside the paper's:
 *
 * - Cameras may look along all three axes. A surface along the view has no pixels: of a box two
 *   cameras see two faces, and would push cloth on a third one out through the first two.
 * - Distances are those from the planes, and so exact for flat surfaces, and for round ones up to
 *   the square of a pixel over their radius. Heights alone are off by what a steep surface rises in
 *   a pixel.
 * - The images belong to the frame of the body. A rigid body takes them along when it moves. One
 *   that deforms is drawn once a step, in the frame of the world, as it is at the end; two more
 *   images know how far each point of its surface goes in the step. What is next to a point during
 *   the step goes on, and is found in the images where that leads.
 * - A third image has the height of the second surface from each side, and how many there are. A
 *   point that is behind the second one from both sides, where there are more than two, is hidden:
 *   the surfaces around it are in none of the images (the paper's arm before the torso).
 * - Pixels beside the body have the place of the nearest pixel on it instead.
 *
 * A view has the axes u and v of the image and h towards the front camera. */
#ifndef TOILE_KERNEL_MAPS_H
#define TOILE_KERNEL_MAPS_H

#include "kernel/vec.h"

/* The images of a pair of cameras: normal in xyz and height in w of front and back; heights of the
 * second surfaces in x and y and their number in z. A pixel beside the body has no normal, and in
 * the third image the column and row of the nearest pixel on it, or -1 where all are empty: then
 * the body is too thin for the view. */
#define MAPS_FRONT  0
#define MAPS_BACK   1
#define MAPS_INNER  2
#define MAPS_IMAGES 3

/* A body that deforms also has, in xyz, the ways of both surfaces in the step, m, in the view. */
#define MAPS_FRONT_WAY     3
#define MAPS_BACK_WAY      4
#define MAPS_MOVING_IMAGES 5

/* Pixels around the box, so that those just beside the body are there too. */
#define MAPS_BORDER 2.0f

/* A surface whose normal has less than this along the view is left to other cameras: a pixel is
 * wide on it, and where it is hollow the plane is off by as much. */
#define MAPS_STEEP 0.25f

/* A point outside is above the pixel's surface if so much of its way there is along the normal, or
 * within so many pixels. */
#define MAPS_ABOVE  0.5f
#define MAPS_PIXELS 2.0f

/* The way of what is next to a point is that in the image where it leads, and is looked for so
 * often. Each time what it is off by shrinks by how much ways differ from place to place. */
#define MAPS_FOLLOWS 2

/* Rank of a view that cannot tell. */
#define MAPS_NONE 1e30f

/* In spacings of the cloth: what is deeper in a body may be nearer to its other side, and what is
 * farther from it does not matter. */
#define MAPS_REACH 8.0f

/* A point or direction of the body in a view along an axis (0, 1, 2 for x, y, z), and back. */
KERNEL_FN v3 maps_view(v3 p, int axis) {
    v3 turned = v3_select(axis == 0, v3_make(p.y, p.z, p.x), v3_make(p.z, p.x, p.y));
    return v3_select(axis == 2, p, turned);
}

KERNEL_FN v3 maps_body(v3 q, int axis) {
    v3 turned = v3_select(axis == 0, v3_make(q.z, q.x, q.y), v3_make(q.y, q.z, q.x));
    return v3_select(axis == 2, q, turned);
}

/* The pixel, of so many, in which something is; low is where the box begins. */
KERNEL_FN float maps_pixel(float at, float low, float pixel, float count) {
    float number = k_floor((at - low) / pixel + MAPS_BORDER);
    return k_max(k_min(number, count - 1.0f), 0.0f);
}

/* Where the middle of a pixel is. */
KERNEL_FN float maps_middle(float number, float low, float pixel) {
    return low + (number - MAPS_BORDER + 0.5f) * pixel;
}

/* Is q more than `slack` pixels beside the body? empty: its own pixel is; u and v are the middle of
 * the nearest pixel on it. With other views to say where surfaces along this one are, a pixel's
 * slack, which is what rasterizing may be off by, is left to them. */
KERNEL_FN bool maps_beside(v3 q, float u, float v, float pixel, bool empty, float slack) {
    float off = k_max(k_abs(q.x - u), k_abs(q.y - v));
    return empty && off > (0.5f + slack) * pixel;
}

/* Is q behind the second surface from both sides? */
KERNEL_FN bool maps_hidden(v3 q, v4 inner) {
    return inner.z > 2.5f && q.z < inner.x && q.z > inner.y;
}

/* Does a pixel lack a surface? And does the whole image, if that one does? */
KERNEL_FN bool maps_empty(v4 front) {
    return front.x == 0.0f && front.y == 0.0f && front.z == 0.0f;
}

KERNEL_FN bool maps_blank(v4 inner) {
    return inner.x < 0.0f;
}

/* The way to q from the surface that the front camera sees, or the one at the back. */
KERNEL_FN v3 maps_way(v3 q, float u, float v, float height) {
    return v3_make(q.x - u, q.y - v, q.z - height);
}

/* Is q nearer to the surface that the front camera sees than to the one at the back? */
KERNEL_FN bool maps_is_front(v3 q, float u, float v, v4 front, v4 back) {
    return v3_dot(v4_xyz(front), maps_way(q, u, v, front.w)) >=
           v3_dot(v4_xyz(back), maps_way(q, u, v, back.w));
}

/* Where q is at the end of the step if it goes along with a surface next to it; time: of q, between
 * the start of the step, 0, and its end, 1. Moving the plane of its pixel back by the way would do
 * for flat surfaces only: where one goes sideways, that plane is another place's. */
KERNEL_FN v3 maps_ahead(v3 q, v3 way, float time) {
    return v3_madd(q, way, 1.0f - time);
}

/* Unit normal and distance of q from the body between two planes. */
KERNEL_FN v4 maps_between(v3 q, float u, float v, v4 front, v4 back) {
    float before = v3_dot(v4_xyz(front), maps_way(q, u, v, front.w));
    float behind = v3_dot(v4_xyz(back), maps_way(q, u, v, back.w));
    bool is_front = before >= behind;
    v3 normal = v3_select(is_front, v4_xyz(front), v4_xyz(back));
    return v4_make(normal, k_select(is_front, before, behind));
}

/* The same beside the body: from the nearest point of the line through the body at the pixel. Its
 * edge is, in the mean, half a pixel from there. */
KERNEL_FN v4 maps_around(v3 q, float u, float v, v4 front, v4 back, float pixel) {
    v3 way = maps_way(q, u, v, k_max(k_min(q.z, front.w), back.w));
    float inverse = v3_inverse_length(way);
    float distance = v3_dot(way, way) * inverse - 0.5f * pixel;
    return v4_make(v3_scale(way, inverse), k_max(distance, 0.0f));
}

/* How good that answer is, against those of maps_rank: its direction is that of pixels, so that a
 * plane as near is better. */
KERNEL_FN float maps_rank_around(v4 hit, float pixel, float reach) {
    return k_select(hit.w + pixel < reach, hit.w + pixel, 2.0f * reach);
}

/* How good an answer of maps_between is; the lowest one of all views counts. It is how far away the
 * surface is: that next to q, and not what one of the cameras sees far behind it. Steep ones come
 * after others, and last come those beyond reach. */
KERNEL_FN float maps_rank(v3 q, float u, float v, v4 front, v4 back, v4 hit, float pixel,
                          float reach) {
    bool is_front = maps_is_front(q, u, v, front, back);
    v3 way = maps_way(q, u, v, k_select(is_front, front.w, back.w));
    float length = k_sqrt(v3_dot(way, way));
    bool above = hit.w >= MAPS_ABOVE * length || length <= MAPS_PIXELS * pixel;
    float far = k_select(hit.w < 0.0f || above, k_abs(hit.w), length);
    float rank = far + k_select(k_abs(hit.z) < MAPS_STEEP, reach, 0.0f);
    return k_select(far < reach, rank, 2.0f * reach);
}

#endif
