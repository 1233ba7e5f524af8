/* The paper projects colliding vertices onto the surface and samples what that moved them by into
 * an offset texture, which Verlet's integration takes in (S10, S11). Its velocity is the difference
 * of positions, so a vertex that is moved out of a body by a millimetre leaves it at a metre a
 * second. Here a contact has the response of kernel/contact.h, like that of a texel: the place is
 * shifted, which is no motion, and the velocity changed by what the surface and friction take. Both
 * are sampled. */
#include "cpu/coarse.h"

#include <stdlib.h>

#include "base/memory.h"
#include "kernel/contact.h"
#include "kernel/mapping.h"
#include "kernel/shape.h"
#include "model/body.h"

toile_result coarse_create(coarse_state *c, const panel *p) {
    size_t count = p->coarse.vertex_count;
    *c = (coarse_state){.panel = p, .bytes = count * (6 * sizeof(float) + sizeof *c->clear)};
    c->offsets = memory_alloc(count, 3 * sizeof(float), "a coarse mesh");
    c->kicks = memory_alloc(count, 3 * sizeof(float), "a coarse mesh");
    c->clear = memory_alloc(count, sizeof *c->clear, "a coarse mesh");
    if (!c->offsets || !c->kicks || !c->clear) {
        coarse_free(c);
        return TOILE_ERROR_MEMORY;
    }
    return TOILE_OK;
}

void coarse_free(coarse_state *c) {
    free(c->offsets);
    free(c->kicks);
    free(c->clear);
    *c = (coarse_state){0};
}

typedef struct vertex {
    v3 x, v;
} vertex;

/* Three planes at a vertex of the coarse mesh (S4). */
static v3 project(const coarse_state *c, const grid *g, float *const *planes, uint32_t index) {
    const projection *p = &c->panel->coarse_projection;
    uint32_t columns = (uint32_t)g->columns, texel = p->texels[index];
    size_t k = grid_index(g, (int)(texel % columns), (int)(texel / columns));
    size_t up = k + (size_t)g->stride;
    return square_value(planes_get(planes, k), planes_get(planes, k + 1), planes_get(planes, up),
                        planes_get(planes, up + 1), p->fractions[2 * index],
                        p->fractions[2 * index + 1]);
}

void coarse_begin(coarse_state *c, const step_plan *plan, int parity) {
    c->motion += (double)plan_mesh_way(plan, parity);
}

void coarse_forget(coarse_state *c) {
    for (uint32_t i = 0; c->clear && i < c->panel->coarse.vertex_count; i++) {
        c->clear[i].radius = 0.0f;
    }
}

/* Answers a contact of a vertex that will be `ahead`; returns whether it touched. */
static bool answer(const pass_args *args, int b, v3 ahead, v4 hit, v3 way, vertex *p) {
    const shape_args *s = &args->plan->bodies[b].shape[args->parity];
    const float substep = args->plan->substep, distance = args->params->coarse_distance[b];
    if (!(hit.w < distance)) {
        return false;
    }
    v3 n = shape_world_direction(v4_xyz(hit), s->axis_x, s->axis_y, s->axis_z);
    v3 surface = plan_surface_velocity(args->plan, s, ahead, way);
    float gap = contact_gap(p->x, ahead, hit.w - distance, n, surface, substep);
    bool reached = contact_reached(p->v, n, gap, surface, substep);
    p->x = v3_madd(p->x, n, contact_shift(gap, reached, s->reflection));
    if (reached) {
        p->v = contact_velocity(p->v, n, surface, true, 0.0f, args->params->contact_friction[b],
                                s->reflection);
    }
    return true;
}

static v3 to_shape(const shape_args *s, v3 p) {
    return shape_local_point(p, s->center, s->axis_x, s->axis_y, s->axis_z);
}

static bool respond_to_shapes(const pass_args *args, vertex *p) {
    bool any = false;
    for (int b = 0; b < args->plan->body_count && args->plan->coarse_only; b++) {
        const shape_args *s = &args->plan->bodies[b].shape[args->parity];
        if (!args->plan->bodies[b].solid) {
            v3 ahead = v3_madd(p->x, p->v, args->plan->substep);
            v4 hit = shape_distance(s->kind, to_shape(s, ahead), s->size);
            any |= answer(args, b, ahead, hit, v3_make(0.0f, 0.0f, 0.0f), p);
        }
    }
    return any;
}

/* Meshes are asked only when the vertex may have left the ball that is known to be free: asking
 * takes a microsecond. */
static bool respond_to_meshes(coarse_state *c, const pass_args *args, clearance *clear, vertex *p) {
    v3 ahead = v3_madd(p->x, p->v, args->plan->substep);
    v3 way = v3_sub(ahead, clear->middle);
    float moved = k_sqrt(v3_dot(way, way)) + (float)(c->motion - clear->motion);
    if (moved < 0.99f * clear->radius) {
        return false;
    }
    bool any = false;
    *clear = (clearance){ahead, FLT_MAX, c->motion};
    for (int b = 0; b < args->plan->body_count; b++) {
        const plan_body *other = &args->plan->bodies[b];
        if (other->solid) {
            float distance = args->params->coarse_distance[b], reach = CONTACT_DEEPEST * distance;
            ahead = v3_madd(p->x, p->v, args->plan->substep);
            const shape_args *s = &other->shape[args->parity];
            solid_touch touch =
                solid_nearest(other->solid, to_shape(s, ahead), reach, s->time, SOLID_NONE);
            float near = k_min(touch.distance.w, reach) - distance;
            clear->radius = k_min(clear->radius, k_max(near, 0.0f));
            any |= answer(args, b, ahead, touch.distance, touch.way, p);
        }
    }
    return any;
}

static void store(float *out, uint32_t index, v3 value) {
    out[3 * (size_t)index] = value.x;
    out[3 * (size_t)index + 1] = value.y;
    out[3 * (size_t)index + 2] = value.z;
}

static v3 load(const float *in, uint32_t index) {
    return v3_make(in[3 * (size_t)index], in[3 * (size_t)index + 1], in[3 * (size_t)index + 2]);
}

void coarse_collide(coarse_state *c, const pass_args *args, unsigned substep, uint32_t begin,
                    uint32_t end) {
    const cloth_planes *at = &args->state->at;
    bool any = false;
    for (uint32_t i = begin; i < end; i++) {
        vertex before = {project(c, &args->state->grid, &at->plane[PLANE_x], i),
                         project(c, &args->state->grid, &at->plane[PLANE_vx], i)};
        vertex after = before;
        any |= respond_to_shapes(args, &after);
        any |= respond_to_meshes(c, args, &c->clear[i], &after);
        store(c->offsets, i, v3_sub(after.x, before.x));
        store(c->kicks, i, v3_sub(after.v, before.v));
    }
    if (any) {
        atomic_store_explicit(&c->touched, substep, memory_order_relaxed);
    }
}

static void sample_texel(const coarse_state *c, const pass_args *args, size_t texel, size_t k) {
    const uint32_t *corners = c->panel->sampling.vertices + 3 * texel;
    const float *weights = c->panel->sampling.weights + 3 * texel;
    v3 offset = triangle_value(load(c->offsets, corners[0]), load(c->offsets, corners[1]),
                               load(c->offsets, corners[2]), weights[1], weights[2]);
    v3 kick = triangle_value(load(c->kicks, corners[0]), load(c->kicks, corners[1]),
                             load(c->kicks, corners[2]), weights[1], weights[2]);
    const float offsets[3] = {offset.x, offset.y, offset.z}, kicks[3] = {kick.x, kick.y, kick.z};
    const level_planes *l = &args->hierarchy->levels[0].at;
    const level_plane arrival = predicted_plane(args);
    for (int axis = 0; axis < 3; axis++) {
        args->state->at.plane[PLANE_x + axis][k] += offsets[axis];
        args->state->at.plane[PLANE_vx + axis][k] += kicks[axis];
        l->plane[(int)arrival + axis][k] += offsets[axis] + kicks[axis] * args->plan->substep;
    }
}

void coarse_sample(const coarse_state *c, const pass_args *args, unsigned substep, int row_begin,
                   int row_end) {
    const grid *g = &args->state->grid;
    if (atomic_load_explicit(&c->touched, memory_order_relaxed) != substep) {
        return;
    }
    for (int row = row_begin; row < row_end; row++) {
        for (int i = 0; i < g->columns; i++) {
            size_t k = grid_index(g, i, row);
            if (args->state->at.inverse_mass[k] > 0.0f) {
                sample_texel(c, args, (size_t)row * (size_t)g->columns + (size_t)i, k);
            }
        }
    }
}
