#include "cpu/meshes.h"

#include <float.h>

#include "kernel/contact.h"
#include "kernel/shape.h"
#include "model/body.h"

void meshes_begin(implicit_state *s, const step_plan *plan, int parity) {
    s->motion += (double)plan_mesh_way(plan, parity);
}

/* The nearest mesh, by the distance of the texel's plane of contact from it. */
typedef struct nearest {
    int body; /* -1: none within reach */
    float gap;
    v3 normal;
    v3 way;        /* of the surface in the step, where the mesh deforms */
    uint32_t face; /* of the mesh */
} nearest;

static nearest find_nearest(const pass_args *args, const mesh_clearance *known, v3 p) {
    const float reach = PLANE_DEEPEST * args->params->spacing;
    nearest found = {.body = -1, .gap = reach, .face = SOLID_NONE};
    for (int b = 0; b < args->plan->body_count; b++) {
        const plan_body *other = &args->plan->bodies[b];
        if (other->solid) {
            const shape_args *s = &other->shape[args->parity];
            v3 local = shape_local_point(p, s->center, s->axis_x, s->axis_y, s->axis_z);
            uint32_t hint = known->body == b ? known->face : SOLID_NONE;
            solid_touch touch = solid_nearest(other->solid, local, reach, s->time, hint);
            float gap = touch.distance.w - args->params->contact_distance[b];
            if (gap < found.gap) {
                v3 n =
                    shape_world_direction(v4_xyz(touch.distance), s->axis_x, s->axis_y, s->axis_z);
                found = (nearest){b, gap, n, touch.way, touch.face};
            }
        }
    }
    return found;
}

static void put_plane(const implicit_planes *c, size_t k, v3 normal, float height, v3 way,
                      float friction, float reflection) {
    c->mx[k] = normal.x;
    c->my[k] = normal.y;
    c->mz[k] = normal.z;
    c->level[k] = height;
    c->wx[k] = way.x;
    c->wy[k] = way.y;
    c->wz[k] = way.z;
    c->friction[k] = friction;
    c->reflection[k] = reflection;
}

/* Returns whether a mesh is near. */
static bool ask(implicit_state *s, const pass_args *args, size_t k, v3 p) {
    const implicit_planes *c = &s->at;
    nearest found = find_nearest(args, &s->clear[k], p);
    const float near = PLANE_REACH * args->params->spacing;
    const v3 none = {0.0f, 0.0f, 0.0f};
    bool is_near = found.body >= 0 && found.gap < near;
    /* A texel that is near asks again when it has moved a little; one that is not, when it may be
     * near. */
    float radius = is_near ? PLANE_STALE * args->params->spacing : found.gap - near;
    s->clear[k] = (mesh_clearance){p, radius, s->motion, found.body, found.face};
    if (!is_near) {
        put_plane(c, k, none, -FLT_MAX, none, 0.0f, 0.0f);
        return false;
    }
    const shape_args *body_here = &args->plan->bodies[found.body].shape[args->parity];
    v3 surface = plan_surface_velocity(args->plan, body_here, p, found.way);
    put_plane(c, k, found.normal, v3_dot(found.normal, p) - found.gap,
              v3_scale(surface, args->plan->substep), args->params->contact_friction[found.body],
              body_here->reflection);
    return true;
}

/* A plane that is still known goes along with the surface. Returns whether there is one. */
static bool carry(const implicit_planes *c, const step_plan *plan, size_t k) {
    if (!(c->level[k] > -FLT_MAX)) {
        return false;
    }
    v3 normal = v3_make(c->mx[k], c->my[k], c->mz[k]), way = v3_make(c->wx[k], c->wy[k], c->wz[k]);
    c->level[k] += v3_dot(normal, way) * plan->moment / plan->substep;
    return true;
}

void meshes_rows(implicit_state *s, const pass_args *args, bool afresh, int row_begin,
                 int row_end) {
    const grid *g = &args->state->grid;
    const level_planes *l = &args->hierarchy->levels[0].at;
    for (int row = row_begin; row < row_end; row++) {
        bool any = false;
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            if (!(args->state->at.inverse_mass[k] > 0.0f)) {
                continue;
            }
            v3 p = v3_make(l->x[k], l->y[k], l->z[k]), way = v3_sub(p, s->clear[k].middle);
            float moved = k_sqrt(v3_dot(way, way)) + (float)(s->motion - s->clear[k].motion);
            if (afresh || !(moved < s->clear[k].radius)) {
                any |= ask(s, args, k, p);
            } else {
                any |= carry(&s->at, args->plan, k);
            }
        }
        s->row_meshes[row] = any;
    }
}
