#include <math.h>

#include "base/error.h"
#include "step/world.h"

toile_body_def toile_default_body_def(void) {
    return body_default_def();
}

toile_body_id toile_world_add_body(toile_world *world, const toile_body_def *def) {
    TOILE_ASSERT(world && def);
    toile_body_id id = {0};
    world_body *b = slots_add(&world->bodies, sizeof *b, &id.slot, &id.generation, "bodies");
    if (!b) {
        return (toile_body_id){0};
    }
    if (body_create(&b->body, def) != TOILE_OK) {
        slots_release(&world->bodies, id.slot);
        return (toile_body_id){0};
    }
    body_aim(&b->body, world->time);
    body_arrive(&b->body);
    b->fresh = true;
    sleep_end_near_body(world, &b->body);
    world->prepared = world->maps_drawn = false;
    return id;
}

void body_destroy(world_body *b) {
    body_free(&b->body);
    solid_free(&b->surface);
}

bool bodies_take_ccd(const toile_world *w) {
    bool mass_spring = w->def.solver.kind == TOILE_SOLVER_MASS_SPRING;
    bool wanted = w->def.collision == TOILE_COLLISION_CCD ||
                  (w->def.collision == TOILE_COLLISION_AUTO && mass_spring);
    bool meshes = false;
    for (size_t i = 0; i < w->bodies.count; i++) {
        const world_body *b = world_body_at(w, i);
        meshes = meshes || (b && shape_is_mesh(b->body.def.shape));
    }
    return wanted && meshes && w->device->continuous;
}

toile_result bodies_check(const toile_world *w) {
    bool dressed = false;
    for (size_t i = 0; i < w->cloths.count; i++) {
        dressed = dressed || world_cloth(w, i);
    }
    for (size_t i = 0; i < w->bodies.count; i++) {
        const world_body *b = world_body_at(w, i);
        if (!b || !dressed || !shape_is_mesh(b->body.def.shape)) {
            continue;
        }
        if (body_deforms(&b->body) && !w->device->deforms) {
            return error_set(
                TOILE_ERROR_INVALID,
                "body '%s' deforms: device \"%s\" does not know such bodies; use \"gl\" "
                "or \"cpu\"",
                b->body.name, w->device->name);
        }
        if (w->def.solver.kind == TOILE_SOLVER_MASS_SPRING && !w->device->continuous &&
            w->def.collision != TOILE_COLLISION_MAPS) {
            return error_set(TOILE_ERROR_INVALID,
                             "body '%s' is a mesh: on device \"%s\" the mass-spring solver knows "
                             "shapes only; use device \"cpu\", the multilevel or the implicit "
                             "solver, or collision \"maps\"",
                             b->body.name, w->device->name);
        }
        if (w->def.collision == TOILE_COLLISION_SHAPES) {
            return error_set(TOILE_ERROR_INVALID,
                             "body '%s' is a mesh: collision \"shapes\" knows shapes only; use "
                             "\"auto\", \"coarse\", \"maps\" or \"ccd\"",
                             b->body.name);
        }
    }
    return TOILE_OK;
}

void toile_world_remove_body(toile_world *world, toile_body_id id) {
    TOILE_ASSERT(world);
    world_body *b = slots_get(&world->bodies, id.slot, id.generation);
    pins_remove_of(world, NO_INDEX, (int64_t)id.slot - 1);
    sleep_end_near_body(world, &b->body);
    body_destroy(b);
    slots_release(&world->bodies, id.slot);
    world->prepared = world->maps_drawn = false;
}

int toile_world_get_bodies(const toile_world *world, toile_body_id *ids, int capacity) {
    TOILE_ASSERT(world && (ids || capacity == 0));
    return slots_list(&world->bodies, (uint32_t *)ids, capacity);
}

toile_body_def toile_body_get_def(const toile_world *world, toile_body_id id) {
    TOILE_ASSERT(world);
    const world_body *b = slots_get(&world->bodies, id.slot, id.generation);
    return b->body.def;
}

toile_pose toile_body_get_pose(const toile_world *world, toile_body_id id) {
    TOILE_ASSERT(world);
    const world_body *b = slots_get(&world->bodies, id.slot, id.generation);
    const pose *p = &b->body.now;
    return (toile_pose){
        {(float)p->position[0], (float)p->position[1], (float)p->position[2]},
        {(float)p->rotation.x, (float)p->rotation.y, (float)p->rotation.z, (float)p->rotation.w}};
}

float toile_body_get_distance(const toile_world *world, toile_body_id id, const float point[3],
                              float normal[3]) {
    TOILE_ASSERT(world && point);
    const world_body *b = slots_get(&world->bodies, id.slot, id.generation);
    pose shape = body_shape_pose(&b->body, &b->body.now);
    double local[3];
    pose_apply_inverse(
        &shape, (const double[3]){(double)point[0], (double)point[1], (double)point[2]}, local);
    v4 found = body_distance(&b->body, v3_make((float)local[0], (float)local[1], (float)local[2]));
    if (normal) {
        double turned[3];
        quat_rotate(shape.rotation,
                    (const double[3]){(double)found.x, (double)found.y, (double)found.z}, turned);
        for (int k = 0; k < 3; k++) {
            normal[k] = (float)turned[k];
        }
    }
    return found.w;
}

toile_result pose_check(const float position[3], const float rotation[4]) {
    float squared = 0.0f;
    for (int k = 0; k < 4; k++) {
        squared += rotation[k] * rotation[k];
    }
    float farthest = fmaxf(fabsf(position[0]), fmaxf(fabsf(position[1]), fabsf(position[2])));
    if (!(farthest <= 1e6f && isfinite(position[0] + position[1] + position[2]) &&
          fabsf(squared - 1.0f) < 1e-3f)) {
        return error_set(TOILE_ERROR_INVALID,
                         "pose: expected a position within 1e6 m and a unit quaternion, not one of "
                         "length %g",
                         (double)sqrtf(squared));
    }
    return TOILE_OK;
}

pose pose_from(const float position[3], const float rotation[4]) {
    return (pose){{(double)position[0], (double)position[1], (double)position[2]},
                  quat_normalize((quat){(double)rotation[0], (double)rotation[1],
                                        (double)rotation[2], (double)rotation[3]})};
}

toile_result toile_world_move_body(toile_world *world, toile_body_id id, const toile_pose *to) {
    TOILE_ASSERT(world && to);
    world_body *b = slots_get(&world->bodies, id.slot, id.generation);
    toile_result result = pose_check(to->position, to->rotation);
    if (result == TOILE_OK) {
        b->body.next = pose_from(to->position, to->rotation);
        b->body.driven = true;
        b->body.def.keyframes = NULL;
        b->body.def.keyframe_count = 0;
    }
    return result;
}

static toile_result check_count(size_t found, size_t expected, const char *body_name,
                                const char *what) {
    return found == expected ? TOILE_OK
                             : error_set(TOILE_ERROR_INVALID, "count is %zu: body '%s' has %zu %s",
                                         found, body_name, expected, what);
}

toile_result toile_world_move_joints(toile_world *world, toile_body_id id, const float *matrices,
                                     size_t count) {
    TOILE_ASSERT(world && matrices);
    world_body *b = slots_get(&world->bodies, id.slot, id.generation);
    if (b->body.def.shape != TOILE_SHAPE_SKINNED) {
        return error_set(TOILE_ERROR_INVALID, "body '%s' has no joints: expected a skinned one",
                         b->body.name);
    }
    toile_result result = check_count(count, b->body.skin.joint_count, b->body.name, "joints");
    return result == TOILE_OK ? body_move_joints(&b->body, matrices) : result;
}

toile_result toile_world_move_vertices(toile_world *world, toile_body_id id, const float *positions,
                                       size_t count) {
    TOILE_ASSERT(world && positions);
    world_body *b = slots_get(&world->bodies, id.slot, id.generation);
    if (b->body.def.shape != TOILE_SHAPE_DEFORMING) {
        return error_set(TOILE_ERROR_INVALID,
                         "the vertices of body '%s' do not move by themselves: expected a "
                         "deforming one",
                         b->body.name);
    }
    toile_result result = check_count(count, b->body.solid.vertices, b->body.name, "vertices");
    return result == TOILE_OK ? body_move_vertices(&b->body, positions) : result;
}

toile_result toile_body_get_vertices(const toile_world *world, toile_body_id id, float *out,
                                     size_t count) {
    TOILE_ASSERT(world && (out || count == 0));
    const world_body *b = slots_get(&world->bodies, id.slot, id.generation);
    toile_result result = check_count(count, b->body.solid.vertices, b->body.name, "vertices");
    pose shape = body_shape_pose(&b->body, &b->body.now);
    for (size_t v = 0; result == TOILE_OK && v < count; v++) {
        const float *p = b->body.solid.positions + 3 * v;
        double place[3];
        pose_apply(&shape, (const double[3]){(double)p[0], (double)p[1], (double)p[2]}, place);
        for (size_t k = 0; k < 3; k++) {
            out[3 * v + k] = (float)place[k];
        }
    }
    return result;
}
