/* Contact planes of texels with shapes. */
#include "kernel/shape.h"
#include "cpu/passes.h"

typedef struct texel_row {
    field x, v;
    float *nx, *ny, *nz, *offset;
    int32_t *body;
    int columns;
    float substep;
} texel_row;

typedef struct shape_view {
    shape_args shape;
    float distance, reach; /* m */
    int32_t tag;           /* index of the body + 1 */
} shape_view;

typedef v4 distance_function(v3 p, v3 size);

/* The shape's frame and back. */
static inline v3 to_shape(const shape_args *s, v3 p) {
    v3 d = v3_sub(p, s->center);
    return v3_make(v3_dot(d, s->axis_x), v3_dot(d, s->axis_y), v3_dot(d, s->axis_z));
}

static inline v3 from_shape(const shape_args *s, v3 n) {
    return v3_add(v3_scale(s->axis_x, n.x),
                  v3_add(v3_scale(s->axis_y, n.y), v3_scale(s->axis_z, n.z)));
}

/* Keeps the nearest contact of a texel: of several bodies, the one it is deepest in. Inlined for
 * each shape, for a loop that calls through a pointer has no vectors. */
__attribute__((always_inline)) static inline int
detect_row(const texel_row *row, const shape_view *view, distance_function *shape_distance) {
    const texel_row r = *row;
    const shape_view w = *view;
    float *restrict nx = r.nx, *restrict ny = r.ny, *restrict nz = r.nz;
    float *restrict offset = r.offset;
    int32_t *restrict body = r.body;
    int touched = 0;
#pragma omp simd reduction(| : touched)
    for (int i = 0; i < r.columns; i++) {
        v3 ahead = v3_madd(field_at(r.x, i), field_at(r.v, i), r.substep);
        v4 hit = shape_distance(to_shape(&w.shape, ahead), w.shape.size);
        v3 normal = from_shape(&w.shape, v4_xyz(hit));
        v3 old = v3_make(nx[i], ny[i], nz[i]);
        float old_offset = offset[i], gap = hit.w - w.distance;
        int32_t old_body = body[i];
        float old_gap = k_select(old_body == 0, w.reach, v3_dot(old, ahead) - old_offset);
        bool nearer = gap < old_gap;
        nx[i] = k_select(nearer, normal.x, old.x);
        ny[i] = k_select(nearer, normal.y, old.y);
        nz[i] = k_select(nearer, normal.z, old.z);
        offset[i] = k_select(nearer, v3_dot(normal, ahead) - gap, old_offset);
        body[i] = nearer ? w.tag : old_body;
        touched |= nearer;
    }
    return touched;
}

static int detect_sphere(const texel_row *r, const shape_view *view) {
    return detect_row(r, view, sphere_distance);
}

static int detect_ellipsoid(const texel_row *r, const shape_view *view) {
    return detect_row(r, view, ellipsoid_distance);
}

static int detect_capsule(const texel_row *r, const shape_view *view) {
    return detect_row(r, view, capsule_distance);
}

static int detect_box(const texel_row *r, const shape_view *view) {
    return detect_row(r, view, box_distance);
}

static int detect_plane(const texel_row *r, const shape_view *view) {
    return detect_row(r, view, plane_distance);
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
                       .columns = state->grid.stride,
                       .substep = args->plan->substep};
        for (int i = 0; i < r.columns; i++) {
            r.body[i] = 0;
        }
        int touched = 0;
        for (int b = 0; b < args->plan->body_count; b++) {
            const shape_args *shape = &args->plan->bodies[b].shape[args->parity];
            shape_view view = {*shape, args->params->contact_distance[b],
                               args->params->contact_reach, b + 1};
            touched |= detectors[shape->kind](&r, &view);
        }
        state->row_contact[row] = (uint8_t)touched;
    }
}
