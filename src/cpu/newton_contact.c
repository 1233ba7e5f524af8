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

/* The whole vectors of a row with texels that the shape may touch. */
__attribute__((always_inline)) static inline column_range
columns_near(const newton_args *args, const system_row *row, toucher by) {
    const pass_args *own = &args->panels[row->panel];
    const level_planes *at = &own->hierarchy->levels[0].at;
    const field x = field_from(at->x, at->y, at->z, grid_index(&own->state->grid, 0, row->row));
    const float reach = by.contact->distance + TOUCH_REACH * own->params->spacing;
    const shape_args *shape = &by.contact->shape;
    int first[GRID_VECTOR], end[GRID_VECTOR];
    for (int lane = 0; lane < GRID_VECTOR; lane++) {
        first[lane] = row->floats;
        end[lane] = 0;
    }
    for (int vector = row->floats - GRID_VECTOR; vector >= 0; vector -= GRID_VECTOR) {
#pragma omp simd
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            v3 p = to_shape(shape, field_at(x, vector + lane));
            bool near = by.distance_to(p, shape->size).w < reach;
            int behind = vector + GRID_VECTOR;
            first[lane] = near ? vector : first[lane];
            end[lane] = near && end[lane] < behind ? behind : end[lane];
        }
    }
    column_range all = {first[0], end[0]};
    for (int lane = 1; lane < GRID_VECTOR; lane++) {
        all = column_join(all, (column_range){first[lane], end[lane]});
    }
    return all;
}

/* What is done by each kind of shape. */
typedef struct touch_functions {
    column_range (*near)(const newton_args *args, const system_row *row,
                         const contact_args *contact);
    void (*touch)(const newton_args *args, const system_row *row, const contact_args *contact);
} touch_functions;

#define TOUCH(KIND, name)                                                                          \
    static column_range near_##name(const newton_args *args, const system_row *row,                \
                                    const contact_args *contact) {                                 \
        return columns_near(args, row, (toucher){contact, name##_distance});                       \
    }                                                                                              \
    static void touch_##name(const newton_args *args, const system_row *row,                       \
                             const contact_args *contact) {                                        \
        touch_by(args, row, (toucher){contact, name##_distance});                                  \
    }
SHAPES(TOUCH)
#define TOUCH_OF(KIND, name) [TOILE_SHAPE_##KIND] = {near_##name, touch_##name},
static const touch_functions touches[] = {SHAPES(TOUCH_OF)};

static void touch_meshes(const newton_args *args, const system_row *row) {
    const contact_args whole = {.end = row->floats};
    touch_by(args, row, (toucher){&whole, NULL});
}

/* The contact of a row with a shape. Returns whether there may be any. */
static bool is_near_shape(const newton_args *args, const system_row *row, int b,
                          contact_args *out) {
    const pass_args *own = &args->panels[row->panel];
    const cloth_params *p = own->params;
    const shape_args *shape = &own->plan->bodies[b].shape[own->parity];
    const float reach = p->contact_distance[b] + TOUCH_REACH * p->spacing;
    if (own->plan->bodies[b].solid || !is_near(&own->state->row_box[row->row], shape, reach)) {
        return false;
    }
    *out = (contact_args){
        .shape = *shape, .distance = p->contact_distance[b], .friction = p->contact_friction[b]};
    const column_range near = touches[shape->kind].near(args, row, out);
    out->begin = near.begin;
    out->end = near.end;
    return near.begin < near.end;
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

/* Where bodies press or rub, as whole vectors. */
static column_range find_pressed(const newton_args *args, const system_row *row,
                                 column_range touched) {
    const newton_level *l = &args->state->level[0];
    const rows3 diagonal = rows3_at(&l->plane[EQ_contact], row->at);
    column_range all = {row->floats, 0};
    for (int vector = touched.begin; vector < touched.end; vector += GRID_VECTOR) {
        bool any = false;
        for (int i = vector; i < vector + GRID_VECTOR; i++) {
            any |= diagonal.x[i] + diagonal.y[i] + diagonal.z[i] > 0.0f;
        }
        if (any) {
            all = column_join(all, (column_range){vector, vector + GRID_VECTOR});
        }
    }
    return all.begin < all.end ? all : (column_range){0, 0};
}

/* A range more that something may touch: what is new of it is cleared. */
static column_range touch_more(const newton_args *args, const system_row *row, column_range all,
                               column_range more) {
    const column_range both = column_join(all, more);
    if (all.begin >= all.end) {
        clear_row(args, row, both);
    } else {
        clear_row(args, row, (column_range){both.begin, all.begin});
        clear_row(args, row, (column_range){all.end, both.end});
    }
    return both;
}

/* Returns the columns that bodies may touch. */
static column_range touch_bodies(const newton_args *args, const system_row *row) {
    const pass_args *own = &args->panels[row->panel];
    column_range all = {row->floats, 0};
    if (own->plan->coarse_only) {
        return all;
    }
    for (int b = 0; b < own->plan->body_count; b++) {
        contact_args contact;
        if (is_near_shape(args, row, b, &contact)) {
            all = touch_more(args, row, all, (column_range){contact.begin, contact.end});
            touches[contact.shape.kind].touch(args, row, &contact);
        }
    }
    if (is_near_mesh(own, row)) {
        all = touch_more(args, row, all, (column_range){0, row->floats});
        touch_meshes(args, row);
    }
    return all;
}

void CPU_FN(newton_contact)(const newton_args *args, const system_row *row) {
    const implicit_state *own = args->panels[row->panel].implicit;
    column_range touched = touch_bodies(args, row), pressed = {0, 0};
    if (touched.begin < touched.end) {
        press_row(args, row, touched);
        pressed = find_pressed(args, row, touched);
    }
    if (CPU_FN(newton_self_has)(args, row)) {
        touched = touch_more(args, row, touched, (column_range){0, row->floats});
        pressed = touched;
    }
    own->row_touched[row->row] = touched.begin < touched.end ? touched : (column_range){0, 0};
    own->row_pressed[row->row] = pressed;
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
