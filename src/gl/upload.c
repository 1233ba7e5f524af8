#include "gl/upload.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Floats of a wind and doubles of a pin in a substep: two poses of four columns, each with its time
 * in the step. */
enum { WIND_FLOATS = 4, POSE_DOUBLES = 13, PIN_DOUBLES = 2 * POSE_DOUBLES };

/* ---- numbers ------------------------------------------------------------------------------------
 */

static cloth_block cloth_numbers(const device_cloth *cloth, const step_plan *plan, int index) {
    cloth_block block = cloth_block_of(plan, index, &cloth->grid);
    block.levels = cloth->level_count;
    block.pinned = cloth->pinned;
    block.meshes = cloth->implicit.meshes;
    if (cloth->gl->newton.equations.panels > 0) {
        const system_level *finest = &cloth->gl->newton.equations.level[0];
        block.equations_base = (int)finest->panels[index].first;
        block.equations_size = (int)finest->size;
    }
    block.vertices = (int)cloth->panel->coarse.vertex_count;
    return block;
}

static level_block level_numbers(const device_cloth *cloth, const cloth_params *p, int k) {
    const gl_level *l = &cloth->levels[k];
    const level *table = l->table;
    return (level_block){
        .grid = gl_grid(&table->grid),
        .finer = gl_grid(&cloth->levels[k > 0 ? k - 1 : k].table->grid),
        .coarser = gl_grid(&cloth->levels[k + 1 < cloth->level_count ? k + 1 : k].table->grid),
        .depth = k,
        .parts_at = l->parts_at,
        .bend_stiff = p->bend_stiff[k],
        .bend_taken = p->bend_taken[k],
        .no_edge = LEVEL_NO_EDGE,
    };
}

_Static_assert(sizeof(cloth_block) % 16 == 0, "as large as a uniform block");
_Static_assert(sizeof(level_block) % 16 == 0, "as large as a uniform block");

static size_t round_up(size_t bytes, size_t step) {
    return (bytes + step - 1) / step * step;
}

GLintptr upload_level_offset(const device_cloth *cloth, int depth) {
    size_t step = (size_t)cloth->gl->machine->uniform_step;
    return (GLintptr)(round_up(sizeof(cloth_block), step) +
                      (size_t)depth * round_up(sizeof(level_block), step));
}

static toile_result upload_numbers(device_cloth *cloth, const step_plan *plan, int index) {
    int blocks = cloth->level_count > 0 ? cloth->level_count : 1; /* one to bind */
    size_t bytes = (size_t)upload_level_offset(cloth, blocks);
    char *room = gl_stage(cloth->gl, bytes);
    if (!room) {
        return TOILE_ERROR_MEMORY;
    }
    *(cloth_block *)room = cloth_numbers(cloth, plan, index);
    for (int k = 0; k < cloth->level_count; k++) {
        *(level_block *)(room + upload_level_offset(cloth, k)) =
            level_numbers(cloth, &plan->cloths[index], k);
    }
    return gl_fill(cloth->gl->machine, &cloth->numbers, bytes, room);
}

static toile_result upload_contacts(device_cloth *cloth, const step_plan *plan, int index) {
    size_t bytes = (size_t)plan->body_count * sizeof(contact_block);
    contact_block *out = gl_stage(cloth->gl, bytes);
    if (!out) {
        return TOILE_ERROR_MEMORY;
    }
    gl_fill_contacts(plan, index, out);
    return gl_fill(cloth->gl->machine, &cloth->contacts, bytes, out);
}

/* ---- pins ---------------------------------------------------------------------------------------
 */

static void list_pin(device_cloth *cloth, const plan_pin *pin, int number, pinned_block *out) {
    for (uint32_t t = 0; t < pin->count; t++) {
        uint32_t texel = pin->texels[t], columns = (uint32_t)cloth->grid.columns;
        if (cloth->pin_place[texel] == 0) {
            cloth->pin_place[texel] = (uint32_t)++cloth->pinned;
        }
        const float *anchor = pin->anchors + 3 * (size_t)t;
        const float *end = pin->end_anchors + 3 * (size_t)t;
        out[cloth->pin_place[texel] - 1] = (pinned_block){
            .at = (int)grid_index(&cloth->grid, (int)(texel % columns), (int)(texel / columns)),
            .pin = number,
            .x = anchor[0],
            .y = anchor[1],
            .z = anchor[2],
            .way_x = end[0] - anchor[0],
            .way_y = end[1] - anchor[1],
            .way_z = end[2] - anchor[2]};
    }
}

/* Of pins that share a texel, the last one has it, as on the CPU. */
static toile_result upload_pins(device_cloth *cloth, const step_plan *plan, int index) {
    size_t count = 0;
    for (int p = 0; p < plan->pin_count; p++) {
        count += plan->pins[p].cloth == index ? plan->pins[p].count : 0;
    }
    cloth->pinned = 0;
    pinned_block *out = gl_stage(cloth->gl, count * sizeof *out);
    if (!out) {
        return TOILE_ERROR_MEMORY;
    }
    for (int p = 0; p < plan->pin_count; p++) {
        if (plan->pins[p].cloth == index) {
            list_pin(cloth, &plan->pins[p], p, out);
        }
    }
    for (int p = 0; p < plan->pin_count; p++) {
        for (uint32_t t = 0; plan->pins[p].cloth == index && t < plan->pins[p].count; t++) {
            cloth->pin_place[plan->pins[p].texels[t]] = 0;
        }
    }
    return gl_fill(cloth->gl->machine, &cloth->pins, (size_t)cloth->pinned * sizeof *out, out);
}

toile_result upload_cloth(device_cloth *cloth, const step_plan *plan, int index) {
    toile_result result = upload_pins(cloth, plan, index);
    if (result == TOILE_OK) {
        result = upload_contacts(cloth, plan, index);
    }
    return result == TOILE_OK ? upload_numbers(cloth, plan, index) : result;
}

/* ---- moments ------------------------------------------------------------------------------------
 */

static shape_block shape_numbers(const plan_body *b, int parity, int at) {
    const shape_args *s = &b->shape[parity];
    return (shape_block){
        .kind = (int)s->kind,
        .reflection = s->reflection,
        .center_x = s->center.x,
        .center_y = s->center.y,
        .center_z = s->center.z,
        .axis_xx = s->axis_x.x,
        .axis_xy = s->axis_x.y,
        .axis_xz = s->axis_x.z,
        .axis_yx = s->axis_y.x,
        .axis_yy = s->axis_y.y,
        .axis_yz = s->axis_y.z,
        .axis_zx = s->axis_z.x,
        .axis_zy = s->axis_z.y,
        .axis_zz = s->axis_z.z,
        .size_x = s->size.x,
        .size_y = s->size.y,
        .size_z = s->size.z,
        .velocity_x = s->velocity.x,
        .velocity_y = s->velocity.y,
        .velocity_z = s->velocity.z,
        .spin_x = s->spin.x,
        .spin_y = s->spin.y,
        .spin_z = s->spin.z,
        .solid = at,
        .time = s->time,
    };
}

static void put_pose(const pose *p, double time, double *out) {
    memcpy(out, p->position, 3 * sizeof *out);
    for (int axis = 0; axis < 3; axis++) {
        double unit[3] = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
        quat_rotate(p->rotation, unit, out + 3 * (axis + 1));
    }
    out[12] = time;
}

static toile_result upload_poses(device_context *gl, const step_plan *plan, int begin, int end) {
    size_t bytes = (size_t)(end - begin) * (size_t)plan->pin_count * PIN_DOUBLES * sizeof(double);
    double *room = gl_stage(gl, bytes), *out = room;
    if (!room) {
        return TOILE_ERROR_MEMORY;
    }
    for (int s = begin; s < end; s++) {
        for (int p = 0; p < plan->pin_count; p++, out += PIN_DOUBLES) {
            const plan_pin *pin = &plan->pins[p];
            const double count = plan->substeps;
            const pose before = pose_lerp(&pin->start, &pin->end, s / count);
            const pose after = pose_lerp(&pin->start, &pin->end, (s + 1) / count);
            put_pose(&before, s / count, out);
            put_pose(&after, (s + 1) / count, out + POSE_DOUBLES);
        }
    }
    return gl_fill(gl->machine, &gl->poses, bytes, room);
}

/* Bodies and winds come from the plan substep by substep, so both are filled in one walk. */
static toile_result upload_surroundings(device_context *gl, step_plan *plan, int begin, int end) {
    size_t bodies = (size_t)plan->body_count, count = (size_t)(end - begin);
    size_t winds = count * WIND_FLOATS * sizeof(float);
    size_t shapes = count * bodies * sizeof(shape_block);
    char *room = gl_stage(gl, winds + shapes);
    if (!room) {
        return TOILE_ERROR_MEMORY;
    }
    shape_block *shape = (shape_block *)(room + winds);
    gl->mesh_way = begin == 0 ? 0.0f : gl->mesh_way;
    for (int s = begin; s < end; s++) {
        plan_advance(plan, s);
        gl->mesh_way += plan_mesh_way(plan, s & 1);
        gl->mesh_motion[s - begin] = gl->mesh_way;
        for (int b = 0; b < plan->body_count; b++) {
            *shape++ = shape_numbers(&plan->bodies[b], s & 1, gl->solid_at[b].first);
        }
        float *wind = (float *)room + WIND_FLOATS * (s - begin);
        wind[0] = plan->wind.velocity[s & 1].x;
        wind[1] = plan->wind.velocity[s & 1].y;
        wind[2] = plan->wind.velocity[s & 1].z;
    }
    toile_result result = gl_fill(gl->machine, &gl->winds, winds, room);
    return result == TOILE_OK ? gl_fill(gl->machine, &gl->shapes, shapes, room + winds) : result;
}

toile_result upload_moments(device_context *gl, step_plan *plan, int begin, int end) {
    toile_result result = upload_surroundings(gl, plan, begin, end);
    return result == TOILE_OK ? upload_poses(gl, plan, begin, end) : result;
}
