#include "figure/figure.h"

#include <string.h>

const char *const figure_joint_names[JOINT_COUNT] = {
    "root",          "hips",       "spine",          "chest",
    "neck",          "head",       "left_clavicle",  "left_upper_arm",
    "left_forearm",  "left_hand",  "left_thigh",     "left_shin",
    "left_foot",     "left_toes",  "right_clavicle", "right_upper_arm",
    "right_forearm", "right_hand", "right_thigh",    "right_shin",
    "right_foot",    "right_toes",
};

const int figure_joint_parents[JOINT_COUNT] = {
    -1,
    JOINT_ROOT,
    JOINT_HIPS,
    JOINT_SPINE,
    JOINT_CHEST,
    JOINT_NECK,
    JOINT_CHEST,
    JOINT_LEFT_CLAVICLE,
    JOINT_LEFT_UPPER_ARM,
    JOINT_LEFT_FOREARM,
    JOINT_HIPS,
    JOINT_LEFT_THIGH,
    JOINT_LEFT_SHIN,
    JOINT_LEFT_FOOT,
    JOINT_CHEST,
    JOINT_RIGHT_CLAVICLE,
    JOINT_RIGHT_UPPER_ARM,
    JOINT_RIGHT_FOREARM,
    JOINT_HIPS,
    JOINT_RIGHT_THIGH,
    JOINT_RIGHT_SHIN,
    JOINT_RIGHT_FOOT,
};

/* Everything below is drawn in millimetres for this stature. */
#define DRAWN_HEIGHT 1.72

/* ---- girths -------------------------------------------------------------------------------------
 */

/* How much each girth counts at a height of the trunk, and what keeps its size. */
static double girth_factor(const figure_shape *s, double y) {
    double to_waist = smooth_step(925.0, 1045.0, y), to_chest = smooth_step(1075.0, 1190.0, y),
           to_neck = smooth_step(1330.0, 1440.0, y);
    double factor = s->hip + (s->waist - s->hip) * to_waist;
    factor += (s->chest - factor) * to_chest;
    return factor + (1.0 - factor) * to_neck;
}

/* ---- parts --------------------------------------------------------------------------------------
 */

typedef struct maker {
    figure *figure;
    double unit; /* m per drawn millimetre */
} maker;

static vec place(const maker *m, double x, double y, double z) {
    return vec_scale(vec_make(x, y, z), m->unit);
}

/* A table of stations, each where it is along the axis and how far it reaches out, in, to the
 * front and back, all in mm. */
typedef const double station_row[1 + REACH_COUNT];

static void set_stations(const maker *m, part *p, station_row *rows, size_t count) {
    p->count = count;
    for (size_t i = 0; i < count; i++) {
        p->stations[i].at = rows[i][0] * m->unit;
        for (int k = 0; k < REACH_COUNT; k++) {
            p->stations[i].reach[k] = rows[i][1 + k] * m->unit;
        }
    }
}

static void add(const maker *m, part *p, unsigned group, double blend) {
    p->group = group;
    p->blend = blend * m->unit;
    field_add(&m->figure->field, p);
}

static void add_ellipsoid(const maker *m, vec center, vec radii, unsigned group, double blend) {
    part p = part_ellipsoid(center, vec_scale(radii, m->unit));
    add(m, &p, group, blend);
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* ---- trunk --------------------------------------------------------------------------------------
 */

/* Heights above the floor. */
static station_row trunk_rows[] = {
    {815, 60, 60, 42, 52},     {840, 104, 104, 70, 80},   {870, 138, 138, 90, 94},
    {915, 158, 158, 104, 96},  {960, 155, 155, 112, 83},  {1010, 136, 136, 115, 68},
    {1060, 123, 123, 114, 60}, {1120, 124, 124, 120, 66}, {1187, 134, 134, 127, 77},
    {1247, 142, 142, 127, 85}, {1300, 147, 147, 118, 86}, {1350, 146, 146, 97, 82},
    {1395, 124, 124, 70, 74},  {1430, 86, 86, 52, 60},    {1462, 58, 58, 40, 40},
};

static void make_trunk(const maker *m) {
    const figure_shape *s = &m->figure->shape;
    part p = {.roundness = 1.5, .cap = {12 * m->unit, 20 * m->unit}};
    /* The trunk leans back a little. Rows are measured upwards from the floor along it. */
    vec low = place(m, 0, 0, 29), high = place(m, 0, 1490, -48);
    p.origin = low;
    p.axis = vec_unit(vec_sub(high, low));
    p.out = vec_make(1, 0, 0);
    p.front = vec_cross(p.out, p.axis);
    set_stations(m, &p, trunk_rows, COUNT(trunk_rows));
    for (size_t i = 0; i < p.count; i++) {
        double factor = girth_factor(s, trunk_rows[i][0]);
        for (int k = 0; k < REACH_COUNT; k++) {
            p.stations[i].reach[k] *= factor;
        }
    }
    add(m, &p, GROUP_TRUNK, 1.0);
    double hip = s->hip, chest = s->chest;
    add_ellipsoid(m, place(m, 74 * hip, 872, -16 - 60 * hip), /* seat */
                  vec_make(74 * hip, 86, 58 * hip), GROUP_TRUNK, 45.0);
    add_ellipsoid(m, place(m, 70 * chest, 1240, 62 * chest), /* bust */
                  vec_make(60 * chest, 64, 52 * chest), GROUP_TRUNK, 40.0);
    add_ellipsoid(m, place(m, 78 * chest, 1325, -80 * chest), /* shoulder blade */
                  vec_make(60 * chest, 85, 36), GROUP_TRUNK, 45.0);
    /* From the neck down to the tip of the shoulder. */
    static station_row yoke_rows[] = {
        {0, 48, 40, 50, 44}, {70, 42, 46, 46, 46}, {140, 36, 50, 42, 46}};
    part yoke = {
        .origin = place(m, 28, 1436, -58), .roundness = 2.0, .cap = {30 * m->unit, 36 * m->unit}};
    double wider = 147 * (chest - 1.0);
    yoke.axis = vec_unit(place(m, 132 + wider, -52, 16));
    yoke.front = vec_unit(vec_madd(vec_make(0, 0, 1), yoke.axis, -yoke.axis.z));
    yoke.out = vec_cross(yoke.front, yoke.axis);
    set_stations(m, &yoke, yoke_rows, COUNT(yoke_rows));
    for (size_t i = 0; i < yoke.count; i++) {
        yoke.stations[i].at *= 1.0 + wider / 132;
    }
    add(m, &yoke, GROUP_TRUNK, 40.0);
}

/* ---- head ---------------------------------------------------------------------------------------
 */

static station_row neck_rows[] = {
    {0, 70, 70, 50, 52}, {45, 60, 60, 53, 54}, {95, 56, 56, 55, 55}, {150, 57, 57, 58, 58}};

/* Heights above the chin; depths from a plane through the ears. */
static station_row face_rows[] = {{0, 26, 26, 84, 10},   {14, 38, 38, 93, 30},
                                  {38, 50, 50, 95, 45},  {70, 58, 58, 97, 50},
                                  {100, 60, 60, 92, 50}, {125, 52, 52, 76, 45}};

static void make_head(const maker *m) {
    part neck = {
        .origin = place(m, 0, 1430, -52), .roundness = 2.0, .cap = {30 * m->unit, 30 * m->unit}};
    neck.axis = vec_unit(place(m, 0, 150, 52));
    neck.out = vec_make(1, 0, 0);
    neck.front = vec_cross(neck.out, neck.axis);
    set_stations(m, &neck, neck_rows, COUNT(neck_rows));
    add(m, &neck, GROUP_HEAD, 40.0);

    add_ellipsoid(m, place(m, 0, 1628, 0), vec_make(76, 92, 97), GROUP_HEAD, 30.0);
    part face = {.origin = place(m, 0, 1508, 0),
                 .axis = {0, 1, 0},
                 .out = {1, 0, 0},
                 .front = {0, 0, 1},
                 .roundness = 1.6,
                 .cap = {12 * m->unit, 30 * m->unit}};
    set_stations(m, &face, face_rows, COUNT(face_rows));
    add(m, &face, GROUP_HEAD, 40.0);
    part nose = {
        .origin = place(m, 0, 1574, 104), .roundness = 2.0, .cap = {9 * m->unit, 9 * m->unit}};
    nose.axis = vec_unit(place(m, 0, 50, -12));
    nose.out = vec_make(1, 0, 0);
    nose.front = vec_cross(nose.out, nose.axis);
    static station_row nose_rows[] = {{0, 13, 13, 12, 16}, {46, 9, 9, 5, 12}};
    set_stations(m, &nose, nose_rows, COUNT(nose_rows));
    add(m, &nose, GROUP_HEAD, 14.0);
    add_ellipsoid(m, place(m, 0, 1549, 84), vec_make(24, 11, 15), GROUP_HEAD, 24.0); /* lips */
    add_ellipsoid(m, place(m, 0, 1517, 80), vec_make(22, 17, 19), GROUP_HEAD, 26.0); /* chin */
    part eye = part_ellipsoid(place(m, 34, 1612, 112), vec_scale(vec_make(22, 12, 16), m->unit));
    eye.hollow = true;
    add(m, &eye, GROUP_HEAD, 16.0);
}

/* ---- arm ----------------------------------------------------------------------------------------
 */

/* From the shoulder down. Out: the back of the hand; in: the palm. */
static station_row arm_rows[] = {
    {0, 40, 46, 46, 48},   {45, 47, 48, 50, 51},  {100, 47, 48, 50, 50}, {175, 42, 44, 45, 46},
    {250, 38, 40, 40, 41}, {300, 37, 38, 38, 38}, {345, 39, 40, 41, 39}, {420, 33, 34, 35, 34},
    {500, 24, 25, 28, 28}, {545, 20, 20, 28, 28},
};

/* From the wrist down. */
static station_row hand_rows[] = {
    {-15, 19, 19, 26, 27}, {15, 18, 19, 32, 33},  {50, 17, 18, 40, 40}, {88, 15, 16, 42, 41},
    {125, 12, 13, 39, 38}, {155, 10, 11, 32, 31}, {170, 9, 10, 25, 24}};

static station_row thumb_rows[] = {{0, 13, 13, 15, 15}, {30, 13, 13, 14, 14}, {68, 9, 9, 10, 10}};

enum { UPPER_ARM = 300, FOREARM = 250, HAND = 186 };

static void make_arm(const maker *m) {
    figure *b = m->figure;
    double bulk = 0.4 + 0.6 * b->shape.chest;
    double sine = b->shape.arm[0], cosine = b->shape.arm[1];
    /* The arms stand as far from the ribs, however wide these are. */
    vec shoulder = place(m, 160 + 147 * (b->shape.chest - 1.0), 1372, -42);
    part p = {.origin = shoulder, .roundness = 2.0, .cap = {44 * m->unit, 10 * m->unit}};
    p.axis = vec_unit(vec_make(sine, -cosine, 0.04));
    p.front = vec_unit(vec_cross(vec_cross(p.axis, vec_make(0, 0, 1)), p.axis));
    p.out = vec_cross(p.front, p.axis);
    set_stations(m, &p, arm_rows, COUNT(arm_rows));
    for (size_t i = 0; i < p.count; i++) {
        double wrist = smooth_step(300, 500, arm_rows[i][0]);
        for (int k = 0; k < REACH_COUNT; k++) {
            p.stations[i].reach[k] *= bulk + (1.0 - bulk) * wrist;
        }
    }
    add(m, &p, GROUP_ARM, 50.0);

    vec wrist = vec_madd(shoulder, p.axis, (UPPER_ARM + FOREARM) * m->unit);
    part hand = {.origin = wrist, .roundness = 1.7, .cap = {10 * m->unit, 16 * m->unit}};
    hand.axis = vec_unit(vec_madd(p.axis, p.out, -0.06)); /* the fingers hang inwards */
    hand.front = p.front;
    hand.out = vec_unit(vec_madd(p.out, hand.axis, -vec_dot(p.out, hand.axis)));
    set_stations(m, &hand, hand_rows, COUNT(hand_rows));
    add(m, &hand, GROUP_ARM, 14.0);

    part thumb = {.roundness = 2.0, .cap = {10 * m->unit, 10 * m->unit}};
    thumb.origin = vec_madd(vec_madd(wrist, p.axis, 30 * m->unit), p.front, 26 * m->unit);
    thumb.origin = vec_madd(thumb.origin, p.out, -6 * m->unit);
    thumb.axis = vec_unit(vec_add(vec_madd(p.axis, p.front, 0.55), vec_scale(p.out, -0.25)));
    thumb.out = vec_unit(vec_madd(p.out, thumb.axis, -vec_dot(p.out, thumb.axis)));
    thumb.front = vec_cross(thumb.out, thumb.axis);
    set_stations(m, &thumb, thumb_rows, COUNT(thumb_rows));
    add(m, &thumb, GROUP_ARM, 16.0);

    b->arm = p.axis;
    b->fingertip = vec_madd(wrist, hand.axis, HAND * m->unit);
    b->joints[JOINT_LEFT_CLAVICLE] = place(m, 22, 1412, -30);
    b->joints[JOINT_LEFT_UPPER_ARM] = shoulder;
    b->joints[JOINT_LEFT_FOREARM] = vec_madd(shoulder, p.axis, UPPER_ARM * m->unit);
    b->joints[JOINT_LEFT_HAND] = wrist;
}

/* ---- leg ----------------------------------------------------------------------------------------
 */

/* From the hip joint down. */
static station_row leg_rows[] = {
    {-90, 54, 50, 60, 60}, {-45, 66, 54, 72, 70}, {0, 77, 62, 80, 78},   {60, 82, 74, 84, 82},
    {130, 80, 84, 87, 80}, {210, 76, 78, 84, 74}, {300, 66, 67, 74, 65}, {370, 56, 57, 63, 57},
    {415, 54, 54, 59, 52}, {460, 52, 51, 51, 56}, {525, 54, 54, 46, 66}, {600, 48, 48, 42, 58},
    {690, 36, 36, 36, 44}, {765, 32, 31, 33, 36}, {826, 34, 33, 36, 38}};

/* From the back of the heel to the toes. Front is up here, back is the sole. */
static station_row foot_rows[] = {
    {0, 20, 20, 20, 32},   {22, 30, 30, 40, 36},  {55, 33, 32, 52, 36},  {100, 36, 34, 42, 36},
    {145, 42, 40, 28, 36}, {185, 47, 43, 20, 36}, {215, 45, 40, 15, 35}, {238, 32, 30, 10, 34}};

enum { THIGH = 415, SHIN = 411, ANKLE_TO_HEEL = 46, HEEL_TO_BALL = 188 };

static void make_leg(const maker *m) {
    figure *b = m->figure;
    double bulk = 0.35 + 0.65 * b->shape.hip;
    vec hip = place(m, 88 * (0.7 + 0.3 * b->shape.hip), 902, -10);
    vec ankle = place(m, 128 * (0.5 + 0.5 * b->shape.hip), 78, -30);
    part p = {.origin = hip, .roundness = 1.9, .cap = {30 * m->unit, 20 * m->unit}};
    p.axis = vec_unit(vec_sub(ankle, hip));
    p.front = vec_unit(vec_madd(vec_make(0, 0, 1), p.axis, -p.axis.z));
    p.out = vec_cross(p.axis, p.front);
    set_stations(m, &p, leg_rows, COUNT(leg_rows));
    for (size_t i = 0; i < p.count; i++) {
        double at = p.stations[i].at,
               factor = bulk + (1.0 - bulk) * smooth_step(250, 750, leg_rows[i][0]);
        for (int k = 0; k < REACH_COUNT; k++) {
            p.stations[i].reach[k] *= factor;
        }
        /* The thighs keep apart, however wide the hips. */
        double middle = hip.x + p.axis.x * at;
        p.stations[i].reach[REACH_IN] = fmin(p.stations[i].reach[REACH_IN], middle - 9 * m->unit);
    }
    add(m, &p, GROUP_LEG, 40.0);

    part foot = {.roundness = 1.5, .cap = {12 * m->unit, 20 * m->unit}};
    foot.axis = vec_unit(vec_make(0.12, 0, 1)); /* toes point out by 7 degrees */
    foot.front = vec_make(0, 1, 0);
    foot.out = vec_cross(foot.front, foot.axis);
    foot.origin =
        vec_madd(vec_make(ankle.x, 24 * m->unit, ankle.z), foot.axis, -ANKLE_TO_HEEL * m->unit);
    set_stations(m, &foot, foot_rows, COUNT(foot_rows));
    add(m, &foot, GROUP_LEG, 30.0);

    b->leg = p.axis;
    b->heel = vec_madd(foot.origin, foot.axis, -2 * m->unit);
    b->heel.y = 0;
    b->toe = vec_madd(foot.origin, foot.axis, 258 * m->unit);
    b->joints[JOINT_LEFT_THIGH] = hip;
    b->joints[JOINT_LEFT_SHIN] = vec_lerp(hip, ankle, (double)THIGH / (double)(THIGH + SHIN));
    b->joints[JOINT_LEFT_FOOT] = ankle;
    b->joints[JOINT_LEFT_TOES] = vec_madd(foot.origin, foot.axis, HEEL_TO_BALL * m->unit);
    b->joints[JOINT_LEFT_TOES].y = 16 * m->unit;
}

void figure_make(figure *b, const figure_shape *shape) {
    memset(b, 0, sizeof *b);
    b->shape = *shape;
    b->scale = shape->height / DRAWN_HEIGHT;
    b->unit = 1e-3 * b->scale;
    maker m = {b, b->unit};
    make_trunk(&m);
    make_head(&m);
    make_leg(&m);
    make_arm(&m);
    b->joints[JOINT_HIPS] = place(&m, 0, 945, -14);
    b->joints[JOINT_SPINE] = place(&m, 0, 1040, -30);
    b->joints[JOINT_CHEST] = place(&m, 0, 1190, -45);
    b->joints[JOINT_NECK] = place(&m, 0, 1468, -50);
    b->joints[JOINT_HEAD] = place(&m, 0, 1560, -14);
    for (int j = JOINT_LEFT_CLAVICLE; j <= JOINT_LEFT_TOES; j++) {
        vec left = b->joints[j];
        b->joints[j + JOINT_MIRROR] = vec_make(-left.x, left.y, left.z);
    }
}
