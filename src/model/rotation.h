/* Rotations as unit quaternions, and poses. Double: they are few, and errors would add up over a
 * run. */
#ifndef TOILE_MODEL_ROTATION_H
#define TOILE_MODEL_ROTATION_H

typedef struct quat {
    double x, y, z, w;
} quat;

/* A point p of the thing stands at position + rotation * p. */
typedef struct pose {
    double position[3];
    quat rotation;
} pose;

static const quat quat_identity = {0.0, 0.0, 0.0, 1.0};

quat quat_multiply(quat a, quat b); /* b first, then a */
quat quat_conjugate(quat a);
quat quat_normalize(quat a);
/* Degrees about x, then y, then z. */
quat quat_from_degrees(const float degrees[3]);
/* The shortest turn that takes +y to the direction given, which must not be zero. */
quat quat_from_y_to(const double direction[3]);
/* Of a rotation, given as rows that columns are multiplied by. */
quat quat_from_matrix(const double m[3][3]);
void quat_rotate(quat q, const double in[3], double out[3]);
/* Along the shortest arc, at constant speed. */
quat quat_slerp(quat a, quat b, double t);

pose pose_lerp(const pose *a, const pose *b, double t);
void pose_apply(const pose *p, const double in[3], double out[3]);
/* The point of the thing that stands at `in`. */
void pose_apply_inverse(const pose *p, const double in[3], double out[3]);

#endif
