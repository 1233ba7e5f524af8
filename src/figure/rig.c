#include "figure/rig.h"

/* Legs are never quite straight: a knee that snaps shows. */
#define FULL_REACH 0.998

static vec mirrored(vec v, int side) {
    return side == RIG_LEFT ? v : vec_make(-v.x, v.y, v.z);
}

static int on_side(int joint, int side) {
    return joint + (side == RIG_LEFT ? 0 : JOINT_MIRROR);
}

/* ---- feet ---------------------------------------------------------------------------------------
 */

vec rig_ankle(const figure *b, int side, vec place, double yaw, double pitch) {
    vec ankle = b->joints[JOINT_LEFT_FOOT];
    vec pivot = mirrored(vec_sub(pitch < 0.0 ? b->heel : b->joints[JOINT_LEFT_TOES], ankle), side);
    vec roll = vec_sub(pivot, turned(turn_x(pitch), pivot));
    vec at = vec_add(place, turned(turn_y(yaw), roll));
    at.y += ankle.y;
    return at;
}

rig_foot rig_flat_foot(const figure *b, int side, vec place, double yaw) {
    return (rig_foot){.ankle = rig_ankle(b, side, place, yaw, 0.0), .yaw = yaw};
}

/* ---- trunk --------------------------------------------------------------------------------------
 */

static quat turn_of(rig_turn t) {
    return quat_multiply(turn_y(t.yaw), quat_multiply(turn_x(t.pitch), turn_z(-t.roll)));
}

static rig_turn between(rig_turn a, rig_turn b, double t) {
    return (rig_turn){a.yaw + (b.yaw - a.yaw) * t, a.pitch + (b.pitch - a.pitch) * t,
                      a.roll + (b.roll - a.roll) * t};
}

static vec hips_position(const figure *b, const posture *p) {
    vec at = vec_add(b->joints[JOINT_HIPS], p->hips);
    return vec_add(p->root, turned(turn_y(p->heading), at));
}

static vec thigh_position(const figure *b, const posture *p, int side) {
    vec offset = vec_sub(b->joints[on_side(JOINT_LEFT_THIGH, side)], b->joints[JOINT_HIPS]);
    quat hips = quat_multiply(turn_y(p->heading), turn_of(p->pelvis));
    return vec_add(hips_position(b, p), turned(hips, offset));
}

/* ---- legs ---------------------------------------------------------------------------------------
 */

static double bone_length(const figure *b, int joint) {
    return vec_length(vec_sub(b->joints[joint + 1], b->joints[joint]));
}

double rig_overreach(const figure *b, const posture *p) {
    double reach =
        FULL_REACH * (bone_length(b, JOINT_LEFT_THIGH) + bone_length(b, JOINT_LEFT_SHIN));
    double most = -1.0;
    for (int side = 0; side < RIG_SIDES; side++) {
        vec to = vec_sub(p->feet[side].ankle, thigh_position(b, p, side));
        double up = reach * reach - to.x * to.x - to.z * to.z;
        most = fmax(most, -to.y - sqrt(fmax(up, 0.0)));
    }
    return most;
}

/* The rotation that has unit columns x, y, z. */
static quat quat_from_axes(vec x, vec y, vec z) {
    double trace = x.x + y.y + z.z;
    if (trace > 0.0) {
        double s = 2.0 * sqrt(trace + 1.0);
        return (quat){(y.z - z.y) / s, (z.x - x.z) / s, (x.y - y.x) / s, 0.25 * s};
    }
    if (x.x > y.y && x.x > z.z) {
        double s = 2.0 * sqrt(1.0 + x.x - y.y - z.z);
        return (quat){0.25 * s, (y.x + x.y) / s, (z.x + x.z) / s, (y.z - z.y) / s};
    }
    if (y.y > z.z) {
        double s = 2.0 * sqrt(1.0 + y.y - x.x - z.z);
        return (quat){(y.x + x.y) / s, 0.25 * s, (z.y + y.z) / s, (z.x - x.z) / s};
    }
    double s = 2.0 * sqrt(1.0 + z.z - x.x - y.y);
    return (quat){(z.x + x.z) / s, (z.y + y.z) / s, 0.25 * s, (x.y - y.x) / s};
}

/* The frame of a bone that points down and whose front is as near to `front` as that lets it. */
static quat bone_frame(vec down, vec front) {
    vec y = vec_scale(vec_unit(down), -1.0);
    vec z = vec_unit(vec_madd(front, y, -vec_dot(front, y)));
    return quat_from_axes(vec_cross(y, z), y, z);
}

static quat bone_turn(vec rest, vec down, vec front) {
    quat before = bone_frame(rest, vec_make(0.0, 0.0, 1.0));
    return quat_normalize(quat_multiply(bone_frame(down, front), quat_conjugate(before)));
}

/* Knees bend towards where the foot and the pelvis face, half each. */
static void solve_leg(const figure *b, const posture *p, int side, quat global[JOINT_COUNT]) {
    int thigh = on_side(JOINT_LEFT_THIGH, side);
    double upper = bone_length(b, thigh), lower = bone_length(b, thigh + 1);
    vec hip = thigh_position(b, p, side), to = vec_sub(p->feet[side].ankle, hip);
    double reach = fmin(vec_length(to), 0.9999 * (upper + lower));
    vec down = vec_unit(to);
    double facing = 0.5 * (p->heading + p->pelvis.yaw + p->feet[side].yaw);
    /* At right angles to the leg: forwards from a leg that hangs, up from one that is raised. */
    vec bend = vec_unit(vec_cross(down, turned(turn_y(facing), vec_make(1.0, 0.0, 0.0))));
    double along = (upper * upper - lower * lower + reach * reach) / (2.0 * reach);
    double out = sqrt(fmax(upper * upper - along * along, 0.0));
    vec knee = vec_add(hip, vec_madd(vec_scale(down, along), bend, out));
    vec ankle = vec_madd(hip, down, reach);
    vec rest = vec_sub(b->joints[thigh + 1], b->joints[thigh]);
    global[thigh] = bone_turn(rest, vec_sub(knee, hip), bend);
    global[thigh + 1] = bone_turn(rest, vec_sub(ankle, knee), bend);
    quat yaw = turn_y(p->feet[side].yaw);
    global[thigh + 2] = quat_multiply(yaw, turn_x(p->feet[side].pitch));
    global[thigh + 3] = quat_multiply(yaw, turn_x(p->feet[side].toe_pitch));
}

/* ---- arms ---------------------------------------------------------------------------------------
 */

/* From the rest pose to hanging, by the half angle. */
static quat hang(const figure *b, double sign) {
    double cosine = b->shape.arm[1];
    return (quat){0.0, 0.0, -sign * sqrt(0.5 * (1.0 - cosine)), sqrt(0.5 * (1.0 + cosine))};
}

static void solve_arm(const figure *b, const posture *p, int side, quat global[JOINT_COUNT]) {
    double sign = side == RIG_LEFT ? 1.0 : -1.0;
    const rig_arm *a = &p->arms[side];
    int clavicle = on_side(JOINT_LEFT_CLAVICLE, side);
    /* The shoulder blade goes along with an arm that is raised beyond a third. */
    double raised = 0.25 * fmax(a->spread - 30.0, 0.0) + 0.15 * fmax(a->swing - 30.0, 0.0);
    global[clavicle] = quat_multiply(global[JOINT_CHEST], turn_z(sign * raised));
    quat upper = quat_multiply(turn_x(-a->swing), turn_z(sign * a->spread));
    upper = quat_multiply(global[JOINT_CHEST], quat_multiply(upper, turn_y(-sign * a->twist)));
    quat down = hang(b, sign), lower = quat_multiply(upper, turn_x(-a->elbow));
    global[clavicle + 1] = quat_multiply(upper, down);
    global[clavicle + 2] = quat_multiply(lower, down);
    global[clavicle + 3] = global[clavicle + 2];
}

/* ---- all ----------------------------------------------------------------------------------------
 */

static void set_translation(transform *t, vec v) {
    t->translation[0] = v.x;
    t->translation[1] = v.y;
    t->translation[2] = v.z;
}

void rig_solve(const figure *b, const posture *p, transform locals[JOINT_COUNT]) {
    quat global[JOINT_COUNT], heading = turn_y(p->heading);
    global[JOINT_ROOT] = heading;
    global[JOINT_HIPS] = quat_multiply(heading, turn_of(p->pelvis));
    global[JOINT_SPINE] = quat_multiply(heading, turn_of(between(p->pelvis, p->chest, 0.5)));
    global[JOINT_CHEST] = quat_multiply(heading, turn_of(p->chest));
    global[JOINT_NECK] = quat_multiply(heading, turn_of(between(p->chest, p->head, 0.5)));
    global[JOINT_HEAD] = quat_multiply(heading, turn_of(p->head));
    for (int side = 0; side < RIG_SIDES; side++) {
        solve_leg(b, p, side, global);
        solve_arm(b, p, side, global);
    }
    for (int j = 0; j < JOINT_COUNT; j++) {
        int parent = figure_joint_parents[j];
        locals[j] = transform_identity;
        vec at = parent < 0 ? p->root : vec_sub(b->joints[j], b->joints[parent]);
        if (j == JOINT_HIPS) {
            at = vec_add(at, p->hips);
        }
        set_translation(&locals[j], at);
        quat own =
            parent < 0 ? global[j] : quat_multiply(quat_conjugate(global[parent]), global[j]);
        locals[j].rotation = quat_normalize(own);
    }
}
