#include "figure/weights.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/character.h"

/* Times that weights are averaged with those of their neighbours. With 6 the skin crosses itself in
 * idle and in walk; with 14 it did not at seven moments of these, and volumes are the same to
 * 0.7 %. */
enum { SMOOTHINGS = 14 };

/* A vertex starts as the hips' own. At every joint a part of what its parent has, from 0 on one
 * side of the joint to 1 on the other, goes over to it: so weights always sum to 1. */
static void hand_over(double *w, int joint, double share) {
    int parent = figure_joint_parents[joint];
    w[joint] = w[parent] * share;
    w[parent] -= w[joint];
}

/* Millimetres of the drawn figure. Front and back of the neck's joints stand at different heights,
 * as collar and jaw do. */
static void weigh_trunk(vec p, double *w) {
    hand_over(w, JOINT_SPINE, smooth_step(950, 1080, p.y));
    hand_over(w, JOINT_CHEST, smooth_step(1090, 1260, p.y));
    hand_over(w, JOINT_NECK, smooth_step(1425, 1500, p.y + 0.55 * (p.z + 50)));
    hand_over(w, JOINT_HEAD, smooth_step(1495, 1555, p.y + 0.45 * (p.z + 15)));
}

/* The side is that of the joints, p on the left. The groin runs up from the crotch to the hip
 * bone; behind, the seat goes along with the thigh more softly. */
static void weigh_leg(const figure *b, vec p, double unit, double side, int mirror, double *w) {
    double groin = p.y - (815 + 0.75 * p.x), width = 65 + 20 * smooth_step(-60, 60, -p.z);
    hand_over(w, JOINT_LEFT_THIGH + mirror, side * smooth_step(width, -width, groin));
    vec knee = vec_scale(b->joints[JOINT_LEFT_SHIN], 1.0 / unit);
    double down = vec_dot(vec_sub(p, knee), b->leg);
    hand_over(w, JOINT_LEFT_SHIN + mirror, smooth_step(-55, 55, down));
    hand_over(w, JOINT_LEFT_FOOT + mirror, smooth_step(112, 58, p.y));
    vec ball = vec_scale(b->joints[JOINT_LEFT_TOES], 1.0 / unit);
    vec ahead = vec_unit(vec_make(b->toe.x - b->heel.x, 0.0, b->toe.z - b->heel.z));
    hand_over(w, JOINT_LEFT_TOES + mirror, smooth_step(-20, 20, vec_dot(vec_sub(p, ball), ahead)));
}

/* Where the arm begins is where its own surface is nearer than that of the trunk. An arm that turns
 * stretches the skin in front of its joint by its angle, times the distance from the joint, over
 * the width of this. */
static double arm_share(const figure *b, vec p, double unit) {
    vec at = vec_scale(p, unit), shoulder = vec_scale(b->joints[JOINT_LEFT_UPPER_ARM], 1.0 / unit);
    double trunk = field_distance(&b->field, at, GROUP_TRUNK | GROUP_LEG | GROUP_HEAD);
    double arm = field_distance(&b->field, at, GROUP_ARM);
    double nearer = smooth_step(-50, 56, (trunk - arm) / unit);
    return nearer * smooth_step(-90, 75, vec_dot(vec_sub(p, shoulder), b->arm));
}

/* The arm is the first to take: where hands hang beside hips, heights do not tell them apart. */
static void weigh_vertex(const figure *b, vec at, double *w) {
    double unit = b->unit;
    vec p = vec_scale(at, 1.0 / unit), left = vec_make(fabs(p.x), p.y, p.z);
    int mirror = p.x < 0 ? JOINT_MIRROR : 0;
    double arm = arm_share(b, left, unit);
    memset(w, 0, JOINT_COUNT * sizeof *w);
    w[JOINT_HIPS] = 1.0 - arm;
    weigh_trunk(p, w);
    double out = smooth_step(50, 130, left.x) * smooth_step(1320, 1400, p.y);
    hand_over(w, JOINT_LEFT_CLAVICLE + mirror, out);
    double own = 0.5 + 0.5 * smooth_step(0, 25, left.x);
    weigh_leg(b, left, unit, own, mirror, w);
    /* What is left of the hips between the legs is the other thigh's as much. */
    int other = JOINT_LEFT_THIGH + JOINT_MIRROR - mirror;
    double share = (1.0 - own) * w[JOINT_LEFT_THIGH + mirror] / own;
    share = fmin(share, w[JOINT_HIPS]);
    w[other] += share;
    w[JOINT_HIPS] -= share;

    w[JOINT_LEFT_UPPER_ARM + mirror] += arm;
    vec elbow = vec_scale(b->joints[JOINT_LEFT_FOREARM], 1.0 / unit);
    vec wrist = vec_scale(b->joints[JOINT_LEFT_HAND], 1.0 / unit);
    hand_over(w, JOINT_LEFT_FOREARM + mirror,
              smooth_step(-38, 38, vec_dot(vec_sub(left, elbow), b->arm)));
    hand_over(w, JOINT_LEFT_HAND + mirror,
              smooth_step(-24, 24, vec_dot(vec_sub(left, wrist), b->arm)));
}

/* Half of its own weights, half of the mean of its neighbours'. */
static void smooth_weights(const manifold *s, const double *from, double *to) {
    for (size_t v = 0; v < s->vertex_count; v++) {
        double sum[JOINT_COUNT] = {0.0};
        double count = 0.0;
        uint32_t first = s->vertices[v].edge, h = first;
        do {
            const double *neighbour = from + JOINT_COUNT * (size_t)edge_end(s, h);
            for (int j = 0; j < JOINT_COUNT; j++) {
                sum[j] += neighbour[j];
            }
            count += 1.0;
            h = edge_around(s, h);
        } while (h != first);
        for (int j = 0; j < JOINT_COUNT; j++) {
            to[JOINT_COUNT * v + (size_t)j] =
                0.5 * (from[JOINT_COUNT * v + (size_t)j] + sum[j] / count);
        }
    }
}

/* The largest few, made to sum to 1 again. */
static void keep_largest(const double *w, uint16_t *joints, float *weights) {
    int order[FIGURE_INFLUENCES];
    double total = 0.0;
    bool taken[JOINT_COUNT] = {false};
    for (int i = 0; i < FIGURE_INFLUENCES; i++) {
        int best = -1;
        for (int j = 0; j < JOINT_COUNT; j++) {
            if (!taken[j] && (best < 0 || w[j] > w[best])) {
                best = j;
            }
        }
        order[i] = best;
        taken[best] = true;
        total += w[best];
    }
    for (int i = 0; i < FIGURE_INFLUENCES; i++) {
        double weight = w[order[i]] / total;
        joints[i] = (uint16_t)(weight > 0.0 ? order[i] : 0);
        weights[i] = (float)weight;
    }
}

toile_result weights_make(const figure *b, const manifold *s, uint16_t *joints, float *weights) {
    double *now = memory_alloc(s->vertex_count * JOINT_COUNT, sizeof *now, "weights");
    double *next = memory_alloc(s->vertex_count * JOINT_COUNT, sizeof *next, "weights");
    if (!now || !next) {
        free(now);
        free(next);
        return TOILE_ERROR_MEMORY;
    }
    for (size_t v = 0; v < s->vertex_count; v++) {
        weigh_vertex(b, s->vertices[v].position, now + JOINT_COUNT * v);
    }
    for (int i = 0; i < SMOOTHINGS; i++) {
        smooth_weights(s, now, next);
        double *swap = now;
        now = next;
        next = swap;
    }
    for (size_t v = 0; v < s->vertex_count; v++) {
        keep_largest(now + JOINT_COUNT * v, joints + FIGURE_INFLUENCES * v,
                     weights + FIGURE_INFLUENCES * v);
    }
    free(now);
    free(next);
    return TOILE_OK;
}
