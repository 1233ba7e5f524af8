#include "model/body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/shape.h"
#include "model/character.h"

toile_body_def body_default_def(void) {
    return (toile_body_def){
        .name = "body",
        .shape = TOILE_SHAPE_SPHERE,
        .radii = {0.25f, 0.25f, 0.25f},
        .half = {0.25f, 0.25f, 0.25f},
        .a = {0.0f, -0.25f, 0.0f},
        .b = {0.0f, 0.25f, 0.0f},
        .normal = {0.0f, 1.0f, 0.0f},
        .friction = -1.0f,
    };
}

static bool in_world(const float v[3]) {
    return fabsf(v[0]) <= 1e6f && fabsf(v[1]) <= 1e6f && fabsf(v[2]) <= 1e6f;
}

static toile_result check_lengths(const char *field, const float *values, int count) {
    for (int i = 0; i < count; i++) {
        if (!(values[i] >= 1e-4f && values[i] <= 1e4f)) {
            return error_set(TOILE_ERROR_INVALID, "%s is %g: expected 0.0001 to 10000 m", field,
                             (double)values[i]);
        }
    }
    return TOILE_OK;
}

static toile_result check_matrices(const float *matrices, size_t joints) {
    for (size_t i = 0; i < SKIN_FLOATS * joints; i++) {
        if (!(fabsf(matrices[i]) <= SOLID_REACH)) {
            return error_set(TOILE_ERROR_INVALID,
                             "the matrix of joint %zu has %g in row %zu, column %zu: expected "
                             "numbers from -%g to %g",
                             i / SKIN_FLOATS, (double)matrices[i], i % SKIN_FLOATS / 4, i % 4,
                             (double)SOLID_REACH, (double)SOLID_REACH);
        }
    }
    return TOILE_OK;
}

static toile_result check_common(const toile_body_def *def) {
    if (!in_world(def->center) || !in_world(def->a) || !in_world(def->b) ||
        !in_world(def->rotate)) {
        return error_set(TOILE_ERROR_INVALID,
                         "center, a, b and rotate: expected numbers from -1e6 to 1e6");
    }
    if (!(def->friction <= 10.0f)) {
        return error_set(TOILE_ERROR_INVALID, "friction is %g: expected at most 10",
                         (double)def->friction);
    }
    if (!(def->reflection >= 0.0f && def->reflection <= 1.0f)) {
        return error_set(TOILE_ERROR_INVALID, "reflection is %g: expected 0 to 1",
                         (double)def->reflection);
    }
    return TOILE_OK;
}

/* Without matrices the mesh starts as it is given. */
static toile_result start_joints(body *b, const float *matrices) {
    size_t floats = SKIN_FLOATS * b->skin.joint_count;
    b->joints = memory_alloc(floats, sizeof *b->joints, "the joints of a body");
    b->placed = memory_alloc(floats, sizeof *b->placed, "the joints of a body");
    if (!b->joints || !b->placed) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < floats; i++) {
        b->joints[i] = matrices ? matrices[i] : i % SKIN_FLOATS % 5 == 0 ? 1.0f : 0.0f;
    }
    b->placed_known = true;
    return check_matrices(b->joints, b->skin.joint_count);
}

/* The mesh is checked as it starts: joints may have taken it elsewhere. */
static toile_result deforming_from_def(body *b, const toile_body_def *def) {
    const toile_mesh_def *mesh = &def->mesh;
    size_t floats = 3 * mesh->vertices;
    b->rest = memory_alloc(floats, sizeof *b->rest, "a mesh that deforms");
    b->wanted = memory_alloc(floats, sizeof *b->wanted, "a mesh that deforms");
    toile_result result = b->rest && b->wanted ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK && mesh->positions) {
        memcpy(b->rest, mesh->positions, floats * sizeof *b->rest);
        memcpy(b->wanted, mesh->positions, floats * sizeof *b->wanted);
    }
    bool skinned = def->shape == TOILE_SHAPE_SKINNED;
    if (result == TOILE_OK && skinned) {
        result = skin_create(&b->skin, &def->skin, mesh->vertices);
    }
    if (result == TOILE_OK && skinned) {
        result = start_joints(b, def->skin.matrices);
    }
    if (result == TOILE_OK && skinned && def->skin.matrices) {
        skin_apply(&b->skin, b->joints, b->rest, mesh->vertices, b->wanted);
    }
    toile_mesh_def start = *mesh;
    start.positions = b->wanted;
    return result == TOILE_OK ? solid_create_deforming(&b->solid, &start, def->open) : result;
}

/* Corners by the bits of their numbers, two triangles a side, counter-clockwise from outside. */
static toile_result box_from_def(body *b, const toile_body_def *def) {
    static const uint32_t triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    float positions[24];
    for (int i = 0; i < 24; i++) {
        positions[i] = i / 3 >> i % 3 & 1 ? def->half[i % 3] : -def->half[i % 3];
    }
    b->size = v3_make(def->half[0], def->half[1], def->half[2]);
    const toile_mesh_def mesh = {
        .positions = positions, .vertices = 8, .triangles = triangles, .triangle_count = 12};
    return solid_create(&b->hull, &mesh);
}

static toile_result shape_from_def(body *b, const toile_body_def *def) {
    toile_result result = TOILE_OK;
    b->align = quat_identity;
    for (int k = 0; k < 3; k++) {
        b->base.position[k] = (double)def->center[k];
    }
    switch (def->shape) {
    case TOILE_SHAPE_SPHERE:
        result = check_lengths("radius", def->radii, 1);
        b->size = v3_make(def->radii[0], def->radii[0], def->radii[0]);
        break;
    case TOILE_SHAPE_ELLIPSOID:
        result = check_lengths("radii", def->radii, 3);
        b->size = v3_make(def->radii[0], def->radii[1], def->radii[2]);
        break;
    case TOILE_SHAPE_BOX:
        result = check_lengths("half", def->half, 3);
        result = result == TOILE_OK ? box_from_def(b, def) : result;
        break;
    case TOILE_SHAPE_CAPSULE: {
        result = check_lengths("radius", def->radii, 1);
        double axis[3], squared = 0.0;
        for (int k = 0; k < 3; k++) {
            axis[k] = (double)def->b[k] - (double)def->a[k];
            squared += axis[k] * axis[k];
            b->base.position[k] = 0.5 * ((double)def->a[k] + (double)def->b[k]);
        }
        b->size = v3_make(def->radii[0], (float)(0.5 * sqrt(squared)), 0.0f);
        if (squared > 0.0) {
            b->align = quat_from_y_to(axis);
        }
        break;
    }
    case TOILE_SHAPE_PLANE: {
        double normal[3] = {(double)def->normal[0], (double)def->normal[1], (double)def->normal[2]};
        double squared = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
        if (!(squared > 1e-12 && isfinite(squared))) {
            return error_set(TOILE_ERROR_INVALID, "normal: expected a direction, not (%g, %g, %g)",
                             normal[0], normal[1], normal[2]);
        }
        b->align = quat_from_y_to(normal);
        break;
    }
    case TOILE_SHAPE_MESH:
        result = solid_create(&b->solid, &def->mesh);
        break;
    case TOILE_SHAPE_SKINNED:
    case TOILE_SHAPE_DEFORMING:
        result = deforming_from_def(b, def);
        break;
    default:
        result = error_set(TOILE_ERROR_INVALID, "shape is %d: expected a toile_shape_kind",
                           (int)def->shape);
    }
    return result;
}

toile_result body_create(body *b, const toile_body_def *def) {
    *b = (body){.def = *def};
    toile_result result = check_common(def);
    if (result == TOILE_OK) {
        result = shape_from_def(b, def);
    }
    if (result == TOILE_OK) {
        result = motion_create(&b->motion, def->keyframes, def->keyframe_count);
    }
    if (result == TOILE_OK) {
        b->name = memory_string(def->name ? def->name : "body");
        result = b->name ? TOILE_OK : TOILE_ERROR_MEMORY;
    }
    if (result != TOILE_OK) {
        body_free(b);
        return result;
    }
    b->def.name = b->name;
    b->def.keyframes = b->motion.keyframes;
    b->def.mesh = (toile_mesh_def){.positions = body_deforms(b) ? b->rest : b->solid.positions,
                                   .vertices = b->solid.vertices,
                                   .triangles = b->solid.triangles,
                                   .triangle_count = b->solid.triangle_count};
    b->def.skin = (toile_skin_def){.joint_count = (int)b->skin.joint_count,
                                   .influences = (int)b->skin.influences,
                                   .kind = b->skin.kind};
    bool turns = def->shape == TOILE_SHAPE_BOX || def->shape == TOILE_SHAPE_ELLIPSOID ||
                 shape_is_mesh(def->shape);
    b->base.rotation = turns ? quat_from_degrees(def->rotate) : quat_identity;
    b->now = b->next = b->base;
    body_aim(b, 0.0);
    body_arrive(b);
    return TOILE_OK;
}

void body_free(body *b) {
    motion_free(&b->motion);
    solid_free(&b->solid);
    solid_free(&b->hull);
    skin_free(&b->skin);
    free(b->rest);
    free(b->wanted);
    free(b->joints);
    free(b->placed);
    free(b->name);
    b->rest = b->wanted = b->joints = b->placed = NULL;
    b->name = NULL;
}

static bool same_pose(const pose *a, const pose *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static void place_joints(body *b) {
    transform next = transform_identity;
    memcpy(next.translation, b->next.position, sizeof next.translation);
    next.rotation = b->next.rotation;
    const affine whole = affine_from_transform(&next);
    for (size_t j = 0; j < b->skin.joint_count; j++) {
        const float *from = b->joints + SKIN_FLOATS * j;
        float *to = b->placed + SKIN_FLOATS * j;
        affine joint;
        for (int k = 0; k < SKIN_FLOATS; k++) {
            joint.row[k / 4][k % 4] = (double)from[k];
        }
        joint = affine_multiply(&whole, &joint);
        for (int k = 0; k < SKIN_FLOATS; k++) {
            to[k] = (float)joint.row[k / 4][k % 4];
        }
    }
}

/* Puts the wanted vertices where the pose has them. */
static void aim_vertices(body *b) {
    if (b->aimed && same_pose(&b->aim, &b->next)) {
        return;
    }
    for (size_t v = 0; v < b->solid.vertices; v++) {
        const float *from = b->wanted + 3 * v;
        double place[3], local[3] = {(double)from[0], (double)from[1], (double)from[2]};
        pose_apply(&b->next, local, place);
        for (size_t k = 0; k < 3; k++) {
            b->solid.ends[3 * v + k] = (float)place[k];
        }
    }
    solid_aim(&b->solid);
    place_joints(b);
    b->aimed = true;
    b->aim = b->next;
}

static void aim_pose(body *b, double time) {
    pose moved = motion_at(&b->motion, time);
    for (int k = 0; k < 3; k++) {
        b->next.position[k] = b->base.position[k] + moved.position[k];
    }
    b->next.rotation = quat_multiply(moved.rotation, b->base.rotation);
}

void body_aim(body *b, double time) {
    if (!b->driven) { /* else it is where the caller said, or was left */
        aim_pose(b, time);
    }
    if (body_deforms(b)) {
        aim_vertices(b);
    }
}

void body_arrive(body *b) {
    b->now = b->next;
    if (body_deforms(b)) {
        solid_arrive(&b->solid);
    }
}

void body_stay(body *b) {
    if (!b->driven) {
        b->next = b->now;
    }
}

void body_restore(body *b) {
    if (body_deforms(b)) {
        memcpy(b->solid.ends, b->solid.positions, 3 * b->solid.vertices * sizeof *b->solid.ends);
        solid_aim(&b->solid);
        solid_arrive(&b->solid);
        b->solid.arrivals++; /* no step has led here, and no device follows */
        b->aimed = b->placed_known = false;
    }
}

static toile_result check_vertices(const float *positions, size_t vertices) {
    for (size_t i = 0; i < 3 * vertices; i++) {
        if (!(fabsf(positions[i]) <= SOLID_REACH)) {
            const float *p = positions + i / 3 * 3;
            return error_set(TOILE_ERROR_INVALID,
                             "vertex %zu is moved to (%g, %g, %g): expected numbers from -%g to %g",
                             i / 3, (double)p[0], (double)p[1], (double)p[2], (double)SOLID_REACH,
                             (double)SOLID_REACH);
        }
    }
    return TOILE_OK;
}

toile_result body_move_vertices(body *b, const float *positions) {
    toile_result result = check_vertices(positions, b->solid.vertices);
    if (result == TOILE_OK) {
        memcpy(b->wanted, positions, 3 * b->solid.vertices * sizeof *b->wanted);
        b->aimed = false;
    }
    return result;
}

/* Sums of finite products are finite; whether they are within reach shows afterwards, in the ends,
 * which are of no use to anybody until the next step. */
toile_result body_move_joints(body *b, const float *matrices) {
    toile_result result = check_matrices(matrices, b->skin.joint_count);
    if (result == TOILE_OK) {
        skin_apply(&b->skin, matrices, b->rest, b->solid.vertices, b->solid.ends);
        b->aimed = false;
        result = check_vertices(b->solid.ends, b->solid.vertices);
    }
    if (result == TOILE_OK) {
        memcpy(b->wanted, b->solid.ends, 3 * b->solid.vertices * sizeof *b->wanted);
        memcpy(b->joints, matrices, SKIN_FLOATS * b->skin.joint_count * sizeof *b->joints);
        b->placed_known = true;
    }
    return result;
}

const float *body_placed_joints(const body *b) {
    return b->placed_known ? b->placed : NULL;
}

pose body_shape_pose(const body *b, const pose *p) {
    if (body_deforms(b)) {
        return (pose){{0.0, 0.0, 0.0}, quat_identity};
    }
    pose shape = *p;
    shape.rotation = quat_multiply(p->rotation, b->align);
    return shape;
}

float body_roundness(const body *b) {
    switch (b->def.shape) {
    case TOILE_SHAPE_SPHERE:
    case TOILE_SHAPE_CAPSULE:
        return b->size.x;
    case TOILE_SHAPE_ELLIPSOID: {
        float shortest = k_min(b->size.x, k_min(b->size.y, b->size.z));
        float longest = k_max(b->size.x, k_max(b->size.y, b->size.z));
        return shortest * shortest / longest;
    }
    case TOILE_SHAPE_BOX:
    case TOILE_SHAPE_MESH:
    case TOILE_SHAPE_SKINNED:
    case TOILE_SHAPE_DEFORMING:
        return 0.0f;
    default:
        return INFINITY;
    }
}

v4 shape_distance(toile_shape_kind kind, v3 p, v3 size) {
    switch (kind) {
    case TOILE_SHAPE_SPHERE:
        return sphere_distance(p, size);
    case TOILE_SHAPE_ELLIPSOID:
        return ellipsoid_distance(p, size);
    case TOILE_SHAPE_CAPSULE:
        return capsule_distance(p, size);
    case TOILE_SHAPE_BOX:
        return box_distance(p, size);
    default:
        return plane_distance(p, size);
    }
}

v4 body_distance(const body *b, v3 p) {
    if (shape_is_mesh(b->def.shape)) {
        return solid_distance(&b->solid, p, INFINITY);
    }
    return shape_distance(b->def.shape, p, b->size);
}

float body_depth(const body *b, v3 p) {
    if (shape_is_mesh(b->def.shape)) {
        v3 half = v3_scale(v3_sub(b->solid.high, b->solid.low), 0.5f);
        v3 middle = v3_add(b->solid.low, half);
        float outside = box_distance(v3_sub(p, middle), half).w;
        if (outside > b->solid.grain) {
            return b->solid.grain - outside;
        }
    }
    return -body_distance(b, p).w;
}
