#include "model/rotation.h"

#include <math.h>

quat quat_multiply(quat a, quat b) {
    return (quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

quat quat_conjugate(quat a) {
    return (quat){-a.x, -a.y, -a.z, a.w};
}

quat quat_normalize(quat a) {
    double length = sqrt(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w);
    return length > 0.0 ? (quat){a.x / length, a.y / length, a.z / length, a.w / length}
                        : quat_identity;
}

quat quat_from_degrees(const float degrees[3]) {
    quat q = quat_identity;
    for (int axis = 0; axis < 3; axis++) {
        double half = (double)degrees[axis] * (3.14159265358979323846 / 360.0);
        double s = sin(half);
        quat turn = {axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0, cos(half)};
        q = quat_multiply(turn, q);
    }
    return q;
}

quat quat_from_y_to(const double direction[3]) {
    double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                         direction[2] * direction[2]);
    double x = direction[0] / length, y = direction[1] / length, z = direction[2] / length;
    if (y < -1.0 + 1e-12) {
        return (quat){1.0, 0.0, 0.0, 0.0};
    }
    return quat_normalize((quat){z, 0.0, -x, 1.0 + y});
}

/* The largest of the four numbers is found first, so that nothing small is divided by. */
quat quat_from_matrix(const double m[3][3]) {
    double trace = m[0][0] + m[1][1] + m[2][2];
    if (trace > 0.0) {
        return quat_normalize(
            (quat){m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1.0 + trace});
    }
    int i = m[1][1] > m[0][0] ? 1 : 0;
    i = m[2][2] > m[i][i] ? 2 : i;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double q[3];
    q[i] = 1.0 + m[i][i] - m[j][j] - m[k][k];
    q[j] = m[j][i] + m[i][j];
    q[k] = m[k][i] + m[i][k];
    return quat_normalize((quat){q[0], q[1], q[2], m[k][j] - m[j][k]});
}

void quat_rotate(quat q, const double in[3], double out[3]) {
    quat p = {in[0], in[1], in[2], 0.0};
    quat r = quat_multiply(quat_multiply(q, p), quat_conjugate(q));
    out[0] = r.x;
    out[1] = r.y;
    out[2] = r.z;
}

quat quat_slerp(quat a, quat b, double t) {
    double cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    if (cosine < 0.0) {
        b = (quat){-b.x, -b.y, -b.z, -b.w};
        cosine = -cosine;
    }
    double from = 1.0 - t, to = t;
    if (cosine < 1.0 - 1e-9) {
        double angle = acos(cosine);
        from = sin(from * angle) / sin(angle);
        to = sin(to * angle) / sin(angle);
    }
    return quat_normalize((quat){from * a.x + to * b.x, from * a.y + to * b.y,
                                 from * a.z + to * b.z, from * a.w + to * b.w});
}

pose pose_lerp(const pose *a, const pose *b, double t) {
    pose p;
    for (int k = 0; k < 3; k++) {
        p.position[k] = a->position[k] + (b->position[k] - a->position[k]) * t;
    }
    p.rotation = quat_slerp(a->rotation, b->rotation, t);
    return p;
}

void pose_apply(const pose *p, const double in[3], double out[3]) {
    quat_rotate(p->rotation, in, out);
    for (int k = 0; k < 3; k++) {
        out[k] += p->position[k];
    }
}

void pose_apply_inverse(const pose *p, const double in[3], double out[3]) {
    double relative[3];
    for (int k = 0; k < 3; k++) {
        relative[k] = in[k] - p->position[k];
    }
    quat_rotate(quat_conjugate(p->rotation), relative, out);
}
