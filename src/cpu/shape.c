/* Contact planes of texels with shapes. */
#include "kernel/shape.h"
#include "cpu/passes.h"

typedef struct shape_view {
    shape_args shape;
    float distance, reach; /* m */
    uint16_t tag;          /* index of the body + 1 */
} shape_view;

typedef struct texel_row {
    field x, v;
    float *restrict nx, *restrict ny, *restrict nz, *restrict offset;
    uint16_t *restrict body;
    int columns;
    float substep;
} texel_row;

/* The shape's frame and back. */
static inline v3 to_shape(const shape_args *s, v3 p) {
    v3 d = v3_sub(p, s->center);
    return v3_make(v3_dot(d, s->axis_x), v3_dot(d, s->axis_y), v3_dot(d, s->axis_z));
}

static inline v3 from_shape(const shape_args *s, v3 n) {
    return v3_add(v3_scale(s->axis_x, n.x),
                  v3_add(v3_scale(s->axis_y, n.y), v3_scale(s->axis_z, n.z)));
}

/* Keeps the nearest contact of a texel: of several bodies, the one it is deepest in. */
#define DETECT_LOOP(distance_expression)                                                           \
    int touched = 0;                                                                               \
    _Pragma("omp simd reduction(| : touched)") for (int i = 0; i < r->columns; i++) {              \
        v3 ahead = v3_madd(field_at(r->x, i), field_at(r->v, i), r->substep);                      \
        v3 p = to_shape(&s, ahead);                                                                \
        v4 hit = (distance_expression);                                                            \
        v3 normal = from_shape(&s, v4_xyz(hit));                                                   \
        v3 old = v3_make(r->nx[i], r->ny[i], r->nz[i]);                                            \
        float gap = hit.w - distance;                                                              \
        float old_gap = k_select(r->body[i] == 0, reach, v3_dot(old, ahead) - r->offset[i]);       \
        bool nearer = gap < old_gap;                                                               \
        r->nx[i] = k_select(nearer, normal.x, old.x);                                              \
        r->ny[i] = k_select(nearer, normal.y, old.y);                                              \
        r->nz[i] = k_select(nearer, normal.z, old.z);                                              \
        r->offset[i] = k_select(nearer, v3_dot(normal, ahead) - gap, r->offset[i]);                \
        r->body[i] = nearer ? tag : r->body[i];                                                    \
        touched |= nearer;                                                                         \
    }                                                                                              \
    return touched

static int detect_sphere(const texel_row *r, const shape_view *view) {
    const shape_args s = view->shape;
    const float distance = view->distance, reach = view->reach;
    const uint16_t tag = view->tag;
    DETECT_LOOP(sphere_distance(p, s.size.x));
}

static int detect_ellipsoid(const texel_row *r, const shape_view *view) {
    const shape_args s = view->shape;
    const float distance = view->distance, reach = view->reach;
    const uint16_t tag = view->tag;
    DETECT_LOOP(ellipsoid_distance(p, s.size));
}

static int detect_capsule(const texel_row *r, const shape_view *view) {
    const shape_args s = view->shape;
    const float distance = view->distance, reach = view->reach;
    const uint16_t tag = view->tag;
    DETECT_LOOP(capsule_distance(p, s.size.y, s.size.x));
}

static int detect_box(const texel_row *r, const shape_view *view) {
    const shape_args s = view->shape;
    const float distance = view->distance, reach = view->reach;
    const uint16_t tag = view->tag;
    DETECT_LOOP(box_distance(p, s.size));
}

static int detect_plane(const texel_row *r, const shape_view *view) {
    const shape_args s = view->shape;
    const float distance = view->distance, reach = view->reach;
    const uint16_t tag = view->tag;
    DETECT_LOOP(plane_distance(p));
}

typedef int detect_function(const texel_row *r, const shape_view *view);

static detect_function *const detectors[] = {
    [TOILE_SHAPE_SPHERE] = detect_sphere,   [TOILE_SHAPE_ELLIPSOID] = detect_ellipsoid,
    [TOILE_SHAPE_CAPSULE] = detect_capsule, [TOILE_SHAPE_BOX] = detect_box,
    [TOILE_SHAPE_PLANE] = detect_plane,
};

void CPU_FN(detect_rows)(const pass_args *args, int row_begin, int row_end) {
    cloth_state *state = args->state;
    const cloth_planes *s = &state->at;
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&state->grid, 0, row);
        texel_row r = {.x = field_from(s->x, s->y, s->z, first),
                       .v = field_from(s->vx, s->vy, s->vz, first),
                       .nx = s->ax + first,
                       .ny = s->ay + first,
                       .nz = s->az + first,
                       .offset = s->contact_offset + first,
                       .body = state->contact_body + first,
                       .columns = state->grid.padded,
                       .substep = args->plan->substep};
        for (int i = 0; i < r.columns; i++) {
            r.body[i] = 0;
        }
        int touched = 0;
        for (int b = 0; b < args->plan->body_count; b++) {
            const shape_args *shape = &args->plan->bodies[b].shape;
            shape_view view = {*shape, args->params->contact_distance[b],
                               args->params->contact_reach, (uint16_t)(b + 1)};
            touched |= detectors[shape->kind](&r, &view);
        }
        state->row_contact[row] = (uint8_t)touched;
    }
}
