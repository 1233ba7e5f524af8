/* Bodies in Newton's method: kernel/newton.h has the law. Every body that a texel may touch presses
 * against it; friction is with the nearest. */
#include <string.h>

#include "cpu/newton_row.h"
#include "cpu/surface.h"

static float times_of(const pass_args *own) {
    return touch_times(own->params->spacing, own->plan->substep, own->params->cell_mass);
}

static touch_numbers numbers_of(const pass_args *own) {
    const float substep = own->plan->substep;
    return (touch_numbers){times_of(own), substep, grip_least(own->plan->gravity, substep)};
}

/* Inlined for each shape, for a loop that calls through a pointer has no vectors. */
__attribute__((always_inline)) static inline void touch_by(const newton_args *args,
                                                           const system_row *row, toucher by) {
    const pass_args *own = &args->panels[row->panel];
    const newton_level *l = &args->state->level[0];
    const size_t first = grid_index(&own->state->grid, 0, row->row);
    const cloth_planes *s = &own->state->at;
    const implicit_planes *c = &own->implicit->at;
    const level_planes *at = &own->hierarchy->levels[0].at;
    const field x = field_from(at->x, at->y, at->z, first);
    const field start = field_from(s->x, s->y, s->z, first);
    const bool second = own->plan->substep < own->plan->moment;
    const field v = second ? field_from(c->began_x, c->began_y, c->began_z, first)
                           : field_from(s->vx, s->vy, s->vz, first);
    const float *restrict inertia = l->plane[EQ_inertia] + row->at;
    const rows6 inverse = rows6_at(&l->plane[EQ_inverse], row->at);
    const rows6 contact = rows6_at(&l->plane[EQ_contact], row->at);
    const rows3 r = rows3_at(&l->plane[EQ_residual], row->at);
    const rows3 push = scratch3(args, PUSH_OUT);
    const rows3 normal = {c->nx + first, c->ny + first, c->nz + first};
    const rows3 gone = {c->gx + first, c->gy + first, c->gz + first};
    float *restrict gaps = c->gap + first, *restrict hold = c->hold + first,
                    *restrict mu = c->mu + first, *restrict back = c->back + first;
    const touch_numbers numbers = numbers_of(own);
#pragma omp simd
    for (int i = by.contact->begin; i < by.contact->end; i++) {
        touch_texel texel = {field_at(x, i),   field_at(start, i),     field_at(v, i),
                             rows3_load(r, i), rows6_load(inverse, i), inertia[i]};
        surface near = surface_at(by, c, first, i, texel.at, numbers.substep);
        touching t = {rows6_load(contact, i),
                      rows3_load(push, i),
                      rows3_load(normal, i),
                      rows3_load(gone, i),
                      gaps[i],
                      mu[i],
                      back[i],
                      hold[i]};
        t = touch_body(t, texel, near, numbers);
        rows6_store(contact, i, t.press);
        rows3_store(push, i, t.push);
        rows3_store(normal, i, t.normal);
        rows3_store(gone, i, t.gone);
        gaps[i] = t.gap;
        mu[i] = t.friction;
        back[i] = t.back;
        hold[i] = t.hold;
    }
}

typedef void touch_function(const newton_args *args, const system_row *row,
                            const contact_args *contact);

#define TOUCH(KIND, name)                                                                          \
    static void touch_##name(const newton_args *args, const system_row *row,                       \
                             const contact_args *contact) {                                        \
        touch_by(args, row, (toucher){contact, name##_distance});                                  \
    }
SHAPES(TOUCH)
#define TOUCH_OF(KIND, name) [TOILE_SHAPE_##KIND] = touch_##name,
static touch_function *const touches[] = {SHAPES(TOUCH_OF)};

static void touch_meshes(const newton_args *args, const system_row *row) {
    const contact_args whole = {.end = row->floats};
    touch_by(args, row, (toucher){&whole, NULL});
}

static row_box box_of_vector(field x, int first) {
    row_box box = {field_at(x, first), field_at(x, first)};
    for (int i = first + 1; i < first + GRID_VECTOR; i++) {
        box.low = v3_min(box.low, field_at(x, i));
        box.high = v3_max(box.high, field_at(x, i));
    }
    return box;
}

/* The contact of a row with a shape, of the vectors between the first and the last that may touch
 * it. Returns whether there are any. */
static bool is_near_shape(const pass_args *own, const system_row *row, int b, contact_args *out) {
    const cloth_params *p = own->params;
    const shape_args *shape = &own->plan->bodies[b].shape[own->parity];
    const float reach = p->contact_distance[b] + TOUCH_REACH * p->spacing;
    if (own->plan->bodies[b].solid || !is_near(&own->state->row_box[row->row], shape, reach)) {
        return false;
    }
    const level_planes *at = &own->hierarchy->levels[0].at;
    const field x = field_from(at->x, at->y, at->z, grid_index(&own->state->grid, 0, row->row));
    int begin = 0, end = row->floats;
    while (begin < end) {
        const row_box box = box_of_vector(x, begin);
        if (is_near(&box, shape, reach)) {
            break;
        }
        begin += GRID_VECTOR;
    }
    while (begin < end) {
        const row_box box = box_of_vector(x, end - GRID_VECTOR);
        if (is_near(&box, shape, reach)) {
            break;
        }
        end -= GRID_VECTOR;
    }
    *out = (contact_args){*shape, p->contact_distance[b], p->contact_friction[b], begin, end};
    return begin < end;
}

static bool is_near_mesh(const pass_args *own, const system_row *row) {
    return own->implicit->clear && own->implicit->row_meshes[row->row];
}

/* Nothing touches these texels yet. */
static void clear_row(const newton_args *args, const system_row *row, column_range columns) {
    const pass_args *own = &args->panels[row->panel];
    const implicit_planes *c = &own->implicit->at;
    const newton_level *l = &args->state->level[0];
    const size_t begin = (size_t)columns.begin;
    const size_t first = grid_index(&own->state->grid, 0, row->row) + begin;
    const size_t count = (size_t)(columns.end - columns.begin), bytes = count * sizeof(float);
    for (int p = 0; p < 6; p++) {
        memset(l->plane[EQ_contact + p] + row->at + begin, 0, bytes);
    }
    for (int axis = 0; axis < 3; axis++) {
        memset(scratch_at(args, PUSH_OUT + axis) + begin, 0, bytes);
    }
    memset(c->hold + first, 0, bytes);
    for (size_t i = 0; i < count; i++) {
        c->gap[first + i] = TOUCH_FAR;
    }
}

/* Forces of pressure, and friction, whose limit follows from the pressure of the iteration
 * before. */
static void press_row(const newton_args *args, const system_row *row, column_range columns) {
    const pass_args *own = &args->panels[row->panel];
    const newton_level *l = &args->state->level[0];
    const size_t first = grid_index(&own->state->grid, 0, row->row);
    const implicit_planes *c = &own->implicit->at;
    const rows6 contact = rows6_at(&l->plane[EQ_contact], row->at);
    const rows6 inverse = rows6_at(&l->plane[EQ_inverse], row->at);
    const rows6 block_own = rows6_at(&l->plane[EQ_own], row->at);
    const rows3 r = rows3_at(&l->plane[EQ_residual], row->at);
    const rows3 push = scratch3(args, PUSH_OUT);
    const rows3 normal = {c->nx + first, c->ny + first, c->nz + first};
    const rows3 gone = {c->gx + first, c->gy + first, c->gz + first};
    const rows3 kept = {c->fx + first, c->fy + first, c->fz + first};
    const float *restrict inertia = l->plane[EQ_inertia] + row->at;
    const float *restrict gaps = c->gap + first, *restrict mu = c->mu + first,
                          *restrict limit = c->limit + first, *restrict hold = c->hold + first;
    const float times = times_of(own);
#pragma omp simd
    for (int i = columns.begin; i < columns.end; i++) {
        touching t = {.press = rows6_load(contact, i),
                      .push = rows3_load(push, i),
                      .normal = rows3_load(normal, i),
                      .gone = rows3_load(gone, i),
                      .gap = gaps[i],
                      .friction = mu[i],
                      .hold = hold[i]};
        touch_texel texel = {
            .force = rows3_load(r, i), .inverse = rows6_load(inverse, i), .inertia = inertia[i]};
        touch_pressed p = touch_press(t, texel, rows3_load(kept, i), limit[i], times);
        rows6_store(contact, i, p.matrix);
        rows6_store(block_own, i, block_add(rows6_load(block_own, i), p.matrix));
        rows3_store(r, i, p.force);
    }
}

/* The columns that bodies may touch. */
static column_range touched_columns(const newton_args *args, const system_row *row) {
    const pass_args *own = &args->panels[row->panel];
    const column_range whole = {0, row->floats};
    if (own->plan->coarse_only) {
        return (column_range){0, 0};
    }
    if (is_near_mesh(own, row)) {
        return whole;
    }
    column_range all = {row->floats, 0};
    for (int b = 0; b < own->plan->body_count; b++) {
        contact_args contact;
        if (is_near_shape(own, row, b, &contact)) {
            all.begin = contact.begin < all.begin ? contact.begin : all.begin;
            all.end = contact.end > all.end ? contact.end : all.end;
        }
    }
    return all.begin < all.end ? all : (column_range){0, 0};
}

void CPU_FN(newton_contact)(const newton_args *args, const system_row *row) {
    const pass_args *own = &args->panels[row->panel];
    column_range *touched = &own->implicit->row_touched[row->row];
    const column_range bodies = touched_columns(args, row);
    const bool self = CPU_FN(newton_self_has)(args, row);
    *touched = self ? (column_range){0, row->floats} : bodies;
    clear_row(args, row, *touched);
    for (int b = 0; b < own->plan->body_count && bodies.end > 0; b++) {
        contact_args contact;
        if (is_near_shape(own, row, b, &contact)) {
            touches[contact.shape.kind](args, row, &contact);
        }
    }
    if (bodies.end > 0 && is_near_mesh(own, row)) {
        touch_meshes(args, row);
    }
    press_row(args, row, bodies);
}

/* How hard the nearest body presses after a move. */
void CPU_FN(newton_press)(const newton_args *args, const system_row *row) {
    const pass_args *own = &args->panels[row->panel];
    const newton_level *l = &args->state->level[0];
    const size_t first = grid_index(&own->state->grid, 0, row->row);
    const implicit_planes *c = &own->implicit->at;
    const column_range touched = newton_touched(args, row);
    const rows3 normal = {c->nx + first, c->ny + first, c->nz + first};
    const rows3 gone = {c->gx + first, c->gy + first, c->gz + first};
    const rows3 d = rows3_at(&l->plane[EQ_move], row->at);
    const float *restrict inertia = l->plane[EQ_inertia] + row->at;
    const float *restrict gaps = c->gap + first;
    float *restrict hold = c->hold + first;
    const float times = times_of(own);
#pragma omp simd
    for (int i = touched.begin; i < touched.end; i++) {
        v3 move = rows3_load(d, i);
        hold[i] = touch_pressure(gaps[i], rows3_load(normal, i), move, times * inertia[i], hold[i]);
        rows3_store(gone, i, v3_add(rows3_load(gone, i), move));
    }
}

/* Friction for the next substep; none where nothing touches a texel. */
void CPU_FN(newton_rub)(const newton_args *args, const system_row *row) {
    const pass_args *own = &args->panels[row->panel];
    const newton_level *l = &args->state->level[0];
    const size_t first = grid_index(&own->state->grid, 0, row->row);
    const implicit_planes *c = &own->implicit->at;
    const rows3 kept = {c->fx + first, c->fy + first, c->fz + first};
    const column_range touched = newton_touched(args, row);
    for (int p = IMPLICIT_fx; p <= IMPLICIT_limit; p++) {
        float *own_row = c->plane[p] + first;
        memset(own_row, 0, (size_t)touched.begin * sizeof *own_row);
        memset(own_row + touched.end, 0, (size_t)(row->floats - touched.end) * sizeof *own_row);
    }
    const rows3 normal = {c->nx + first, c->ny + first, c->nz + first};
    const rows3 gone = {c->gx + first, c->gy + first, c->gz + first};
    const float *restrict inertia = l->plane[EQ_inertia] + row->at;
    const float *restrict mu = c->mu + first, *restrict hold = c->hold + first,
                          *restrict gaps = c->gap + first;
    const rows3 start = rows3_at(&own->state->at.plane[PLANE_x], first);
    float *restrict limit = c->limit + first;
    const float times = times_of(own), follow = own->plan->grip_follow;
    const float band = GRIP_BAND * own->params->spacing;
#pragma omp simd
    for (int i = touched.begin; i < touched.end; i++) {
        touching t = {.normal = rows3_load(normal, i),
                      .gone = rows3_load(gone, i),
                      .gap = gaps[i],
                      .friction = mu[i],
                      .hold = hold[i]};
        touch_rubbed now = {rows3_load(kept, i), limit[i], rows3_load(start, i)};
        now = touch_rub(t, now, times * inertia[i], follow, band);
        rows3_store(kept, i, now.kept);
        limit[i] = now.limit;
        rows3_store(start, i, now.start);
    }
}
