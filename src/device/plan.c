#include "device/plan.h"

#include <math.h>

#include "base/hash.h"
#include "kernel/contact.h"

toile_stage pass_stage(pass p) {
    static const toile_stage stages[PASS_COUNT] = {
        [PASS_BACKUP] = TOILE_STAGE_CHECK,      [PASS_BODIES] = TOILE_STAGE_BODIES,
        [PASS_PINS] = TOILE_STAGE_BODIES,       [PASS_WIND] = TOILE_STAGE_FORCE,
        [PASS_FORCE] = TOILE_STAGE_FORCE,       [PASS_INTEGRATE] = TOILE_STAGE_INTEGRATE,
        [PASS_DETECT] = TOILE_STAGE_DETECT,     [PASS_LIMIT] = TOILE_STAGE_LIMIT,
        [PASS_LIMIT_BACK] = TOILE_STAGE_LIMIT,  [PASS_REST] = TOILE_STAGE_LIMIT,
        [PASS_REST_BACK] = TOILE_STAGE_LIMIT,   [PASS_RESPOND] = TOILE_STAGE_RESPOND,
        [PASS_MOVE] = TOILE_STAGE_MOVE,         [PASS_CHECK] = TOILE_STAGE_CHECK,
        [PASS_PREDICT] = TOILE_STAGE_INTEGRATE, [PASS_RESTRICT] = TOILE_STAGE_RESTRICT,
        [PASS_COARSE] = TOILE_STAGE_COARSE,     [PASS_COARSE_BEGIN] = TOILE_STAGE_COARSE,
        [PASS_SAMPLE] = TOILE_STAGE_COARSE,     [PASS_UPSAMPLE] = TOILE_STAGE_SOLVE,
        [PASS_BEND] = TOILE_STAGE_SOLVE,        [PASS_RELAX] = TOILE_STAGE_SOLVE,
        [PASS_RELAX_EVEN] = TOILE_STAGE_SOLVE,  [PASS_RELAX_ODD] = TOILE_STAGE_SOLVE,
        [PASS_JACOBI] = TOILE_STAGE_SOLVE,      [PASS_JACOBI_BACK] = TOILE_STAGE_SOLVE,
        [PASS_JACOBI_COPY] = TOILE_STAGE_SOLVE, [PASS_PROJECT_OUT] = TOILE_STAGE_SOLVE,
        [PASS_BEGIN] = TOILE_STAGE_INTEGRATE,   [PASS_MESHES_BEGIN] = TOILE_STAGE_DETECT,
        [PASS_MESHES] = TOILE_STAGE_DETECT,     [PASS_STAGE] = TOILE_STAGE_INTEGRATE,
        [PASS_CHANGE] = TOILE_STAGE_INTEGRATE,  [PASS_REBOUND] = TOILE_STAGE_RESPOND,
        [PASS_NORMAL] = TOILE_STAGE_FORCE,      [PASS_CURL] = TOILE_STAGE_FORCE,
        [PASS_VELOCITY] = TOILE_STAGE_MOVE,     [PASS_SOLVE] = TOILE_STAGE_SOLVE,
        [PASS_MAPS] = TOILE_STAGE_DETECT,       [PASS_MAPS_RESPOND] = TOILE_STAGE_RESPOND,
        [PASS_MAPS_OUT] = TOILE_STAGE_SOLVE,    [PASS_SELF] = TOILE_STAGE_SELF,
        [PASS_SELF_MOVED] = TOILE_STAGE_SELF,   [PASS_SELF_KEY] = TOILE_STAGE_SELF,
        [PASS_SELF_COUNT] = TOILE_STAGE_SELF,   [PASS_SELF_SORT] = TOILE_STAGE_SELF,
        [PASS_SELF_LIST] = TOILE_STAGE_SELF,    [PASS_SELF_LOAD] = TOILE_STAGE_SELF,
        [PASS_SELF_PUSH] = TOILE_STAGE_SELF,    [PASS_SELF_AHEAD] = TOILE_STAGE_SELF,
        [PASS_SELF_AFTER] = TOILE_STAGE_SELF,   [PASS_SELF_MEET] = TOILE_STAGE_SELF,
        [PASS_SELF_STOP] = TOILE_STAGE_SELF,    [PASS_SELF_FORGET] = TOILE_STAGE_SELF,
        [PASS_MEET] = TOILE_STAGE_SELF,         [PASS_CCD_BEGIN] = TOILE_STAGE_RESPOND,
        [PASS_CCD] = TOILE_STAGE_RESPOND,       [PASS_CCD_EDGES] = TOILE_STAGE_RESPOND,
        [PASS_CCD_PUSH] = TOILE_STAGE_RESPOND,
    };
    return stages[p];
}

static v3 to_v3(const double v[3]) {
    return v3_make((float)v[0], (float)v[1], (float)v[2]);
}

static v3 rotated_axis(quat q, int axis) {
    double unit[3] = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
    double out[3];
    quat_rotate(q, unit, out);
    return to_v3(out);
}

/* The turn between two poses as a vector: axis times angle over time. First order, for the small
 * turn of a substep. */
static v3 spin_between(quat from, quat to, double time) {
    quat d = quat_multiply(to, quat_conjugate(from));
    double sign = d.w < 0.0 ? -2.0 : 2.0;
    double spin[3] = {sign * d.x / time, sign * d.y / time, sign * d.z / time};
    return to_v3(spin);
}

static void advance_body(plan_body *b, int parity, double from, double to, double time) {
    pose before = pose_lerp(&b->start, &b->end, from), after = pose_lerp(&b->start, &b->end, to);
    double velocity[3];
    for (int k = 0; k < 3; k++) {
        velocity[k] = (after.position[k] - before.position[k]) / time;
    }
    shape_args *shape = &b->shape[parity];
    shape->center = to_v3(after.position);
    shape->axis_x = rotated_axis(after.rotation, 0);
    shape->axis_y = rotated_axis(after.rotation, 1);
    shape->axis_z = rotated_axis(after.rotation, 2);
    shape->velocity = to_v3(velocity);
    shape->spin = spin_between(before.rotation, after.rotation, time);
    shape->time = (float)to;
    shape->from_center = to_v3(before.position);
    shape->from_x = rotated_axis(before.rotation, 0);
    shape->from_y = rotated_axis(before.rotation, 1);
    shape->from_z = rotated_axis(before.rotation, 2);
    shape->from = (float)from;
}

void plan_pin_place(const plan_pin *pin, const pose *at, uint32_t texel, double time,
                    double place[3]) {
    const float *start = pin->anchors + 3 * (size_t)texel;
    const float *end = pin->end_anchors + 3 * (size_t)texel;
    double local[3];
    for (int k = 0; k < 3; k++) {
        local[k] = (double)start[k] + time * ((double)end[k] - (double)start[k]);
    }
    pose_apply(at, local, place);
}

float plan_mesh_way(const step_plan *plan, int parity) {
    float most = 0.0f;
    for (int b = 0; b < plan->body_count; b++) {
        const solid *mesh = plan->bodies[b].solid;
        const shape_args *s = &plan->bodies[b].shape[parity];
        if (mesh) {
            float deforming = mesh->longest_way / (float)plan->substeps;
            most =
                k_max(most, solid_fastest(mesh, s->velocity, s->spin) * plan->moment + deforming);
        }
    }
    return most;
}

v3 plan_surface_velocity(const step_plan *plan, const shape_args *s, v3 point, v3 way) {
    v3 rigid = contact_surface_velocity(s->velocity, s->spin, v3_sub(point, s->center));
    return v3_madd(rigid, way, 1.0f / plan->span);
}

/* A number from -1 to 1 that varies smoothly: four beats whose phases come from the seed. */
static double gust_noise(uint64_t seed, int channel, double phase) {
    static const double beat[4] = {1.0, 2.17, 3.73, 7.09}, height[4] = {0.45, 0.27, 0.18, 0.1};
    double sum = 0.0;
    for (int k = 0; k < 4; k++) {
        uint64_t bits = hash_word(hash_word(seed, (uint64_t)channel), (uint64_t)k);
        double offset = (double)(bits >> 11) * 0x1p-53;
        sum += height[k] * sin(6.283185307179586 * (beat[k] * phase + offset));
    }
    return sum;
}

/* The wind at a time: its strength varies by the gust's share, its direction by a third of that. */
static v3 wind_at(const toile_wind_def *def, uint64_t seed, double time) {
    double phase = time / (double)def->gust_period, share = (double)def->gust;
    double w[3], speed = 0.0, out[3];
    for (int k = 0; k < 3; k++) {
        w[k] = (double)def->velocity[k];
        speed += w[k] * w[k];
    }
    speed = sqrt(speed);
    double strength = 1.0 + share * gust_noise(seed, 3, phase);
    for (int k = 0; k < 3; k++) {
        out[k] = w[k] * strength + speed * share * gust_noise(seed, k, phase) / 3.0;
    }
    return to_v3(out);
}

void plan_advance(step_plan *plan, int substep) {
    double from = (double)substep / plan->substeps, to = (double)(substep + 1) / plan->substeps;
    double time = (double)plan->moment;
    int parity = substep & 1;
    for (int b = 0; b < plan->body_count; b++) {
        advance_body(&plan->bodies[b], parity, from, to, time);
    }
    double so_far = fmax(plan->motion[0], plan->motion[1]);
    plan->motion[parity] = so_far + (double)plan_mesh_way(plan, parity);
    if (plan->wind.on) {
        plan->wind.velocity[parity] =
            wind_at(&plan->wind_def, plan->seed, plan->time + time * (double)(substep + 1));
    }
}
