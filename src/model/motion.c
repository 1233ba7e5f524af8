#include "model/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static bool keyframe_is_finite(const toile_keyframe *k) {
    bool finite = isfinite(k->time);
    for (int axis = 0; axis < 3; axis++) {
        finite = finite && isfinite(k->translate[axis]) && isfinite(k->rotate[axis]);
    }
    return finite;
}

toile_result motion_create(motion *m, const toile_keyframe *keyframes, int count) {
    *m = (motion){0};
    if (count < 0 || (count > 0 && !keyframes)) {
        return error_set(TOILE_ERROR_INVALID, "keyframe_count is %d: expected 0 or more", count);
    }
    if (count == 0) {
        return TOILE_OK;
    }
    for (int i = 0; i < count; i++) {
        if (!keyframe_is_finite(&keyframes[i])) {
            return error_set(TOILE_ERROR_INVALID, "keyframes[%d]: expected finite numbers", i);
        }
        if (i > 0 && !(keyframes[i].time > keyframes[i - 1].time)) {
            return error_set(TOILE_ERROR_INVALID,
                             "keyframes[%d].time is %g: expected more than %g before it", i,
                             (double)keyframes[i].time, (double)keyframes[i - 1].time);
        }
    }
    m->keyframes = memory_alloc((size_t)count, sizeof *m->keyframes, "keyframes");
    if (!m->keyframes) {
        return TOILE_ERROR_MEMORY;
    }
    memcpy(m->keyframes, keyframes, (size_t)count * sizeof *m->keyframes);
    m->count = count;
    return TOILE_OK;
}

void motion_free(motion *m) {
    free(m->keyframes);
    *m = (motion){0};
}

static pose keyframe_pose(const toile_keyframe *k) {
    return (pose){{(double)k->translate[0], (double)k->translate[1], (double)k->translate[2]},
                  quat_from_degrees(k->rotate)};
}

pose motion_at(const motion *m, double time) {
    if (m->count == 0) {
        return (pose){{0.0, 0.0, 0.0}, quat_identity};
    }
    int after = 0;
    while (after < m->count && (double)m->keyframes[after].time <= time) {
        after++;
    }
    if (after == 0 || after == m->count) {
        return keyframe_pose(&m->keyframes[after == 0 ? 0 : m->count - 1]);
    }
    const toile_keyframe *k = &m->keyframes[after - 1];
    pose a = keyframe_pose(&k[0]), b = keyframe_pose(&k[1]);
    return pose_lerp(&a, &b, (time - (double)k[0].time) / ((double)k[1].time - (double)k[0].time));
}
