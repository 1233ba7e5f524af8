#include "gl/fragment/numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gl/cloth_block.h"
#include "gl/fragment/layout.h"

/* Floats of a pinned texel: column, row, number of its pin, anchor. */
enum { PINNED_FLOATS = 6 };

/* Room of so many bytes, until the next call; NULL with an error message. */
static float *stage(device_context *gl, size_t bytes) {
    if (bytes > gl->staged) {
        free(gl->staging);
        gl->staged = 0;
        gl->staging = memory_alloc(1, bytes, "a step of the gl device");
        gl->staged = gl->staging ? bytes : 0;
    }
    return gl->staging;
}

/* ---- cloths ------------------------------------------------------------------------------------
 */

static float *put_pinned(const plan_pin *pin, int number, int columns, float *out) {
    for (uint32_t t = 0; t < pin->count; t++, out += PINNED_FLOATS) {
        uint32_t row = pin->texels[t] / (uint32_t)columns;
        out[0] = (float)(pin->texels[t] % (uint32_t)columns);
        out[1] = (float)row;
        out[2] = (float)number;
        memcpy(out + 3, pin->anchors + 3 * (size_t)t, 3 * sizeof *out);
    }
    return out;
}

static toile_result upload_pins(device_cloth *cloth, const step_plan *plan, int index) {
    size_t count = 0;
    for (int p = 0; p < plan->pin_count; p++) {
        count += plan->pins[p].cloth == index ? plan->pins[p].count : 0;
    }
    cloth->pinned = (int)count;
    if (count == 0) {
        return TOILE_OK;
    }
    size_t bytes = count * PINNED_FLOATS * sizeof(float);
    float *room = stage(cloth->gl, bytes), *out = room;
    if (!room) {
        return TOILE_ERROR_MEMORY;
    }
    for (int p = 0; p < plan->pin_count; p++) {
        if (plan->pins[p].cloth == index) {
            out = put_pinned(&plan->pins[p], p, cloth->grid.columns, out);
        }
    }
    glBindBuffer(GL_ARRAY_BUFFER, cloth->pins);
    if (count > cloth->pin_room) {
        cloth->pin_room = count;
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_DRAW);
    }
    glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes, room);
    return TOILE_OK;
}

_Static_assert(sizeof(cloth_block) % 16 == 0, "as large as a uniform block");

toile_result fragment_upload_cloth(device_cloth *cloth, const step_plan *plan, int index) {
    toile_result result = upload_pins(cloth, plan, index);
    const cloth_block block = cloth_block_of(plan, index, &cloth->grid);
    glBindBuffer(GL_UNIFORM_BUFFER, cloth->block);
    glBufferData(GL_UNIFORM_BUFFER, sizeof block, &block, GL_DYNAMIC_DRAW);
    return result;
}

/* ---- numbers -----------------------------------------------------------------------------------
 */

static float *put(float *out, v3 a, float b) {
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
    out[3] = b;
    return out + 4;
}

static v3 to_v3(const double v[3]) {
    return v3_make((float)v[0], (float)v[1], (float)v[2]);
}

static float *put_shape(const shape_args *s, float *out) {
    out = put(out, s->center, (float)s->kind);
    out = put(out, s->axis_x, s->reflection);
    out = put(out, s->axis_y, s->size.x);
    out = put(out, s->axis_z, s->size.y);
    out = put(out, s->velocity, s->size.z);
    return put(out, s->spin, 0.0f);
}

/* Where an axis of a pose points to. */
static void column_of(const pose *p, int axis, double out[3]) {
    double unit[3] = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
    quat_rotate(p->rotation, unit, out);
}

static v3 rate_of(const double from[3], const double to[3], double time) {
    double rate[3];
    for (int k = 0; k < 3; k++) {
        rate[k] = (to[k] - from[k]) / time;
    }
    return to_v3(rate);
}

static float *put_pin(const pose *before, const pose *after, double time, float *out) {
    const v3 place = to_v3(before->position);
    const double *at = before->position;
    const double rest[3] = {at[0] - (double)place.x, at[1] - (double)place.y,
                            at[2] - (double)place.z};
    double from[3][3], to[3][3];
    out = put(out, place, 0.0f);
    out = put(out, to_v3(rest), 0.0f);
    for (int axis = 0; axis < 3; axis++) {
        column_of(before, axis, from[axis]);
        column_of(after, axis, to[axis]);
        out = put(out, to_v3(from[axis]), 0.0f);
    }
    out = put(out, rate_of(at, after->position, time), 0.0f);
    for (int axis = 0; axis < 3; axis++) {
        out = put(out, rate_of(from[axis], to[axis], time), 0.0f);
    }
    return out;
}

static float *put_contacts(const step_plan *plan, float *out) {
    for (int c = 0; c < plan->cloth_count; c++) {
        const cloth_params *p = &plan->cloths[c];
        for (int b = 0; b < plan->body_count; b++) {
            v3 pair = v3_make(p->contact_distance[b], p->contact_friction[b], 0.0f);
            out = put(out, pair, 0.0f);
        }
    }
    return out;
}

static float *put_moment(step_plan *plan, int substep, float *out) {
    const double count = plan->substeps, time = (double)plan->moment;
    plan_advance(plan, substep);
    out = put(out, plan->wind.velocity[substep & 1], 0.0f);
    for (int b = 0; b < plan->body_count; b++) {
        out = put_shape(&plan->bodies[b].shape[substep & 1], out);
    }
    for (int p = 0; p < plan->pin_count; p++) {
        const plan_pin *pin = &plan->pins[p];
        const pose before = pose_lerp(&pin->start, &pin->end, substep / count);
        const pose after = pose_lerp(&pin->start, &pin->end, (substep + 1) / count);
        out = put_pin(&before, &after, time, out);
    }
    return out;
}

/* Room for so many rows of numbers. */
static toile_result make_rows(device_context *gl, size_t rows) {
    if (rows > (size_t)gl->machine->largest_texture) {
        return error_set(TOILE_ERROR_MEMORY,
                         "bodies and pins of %d substeps are %zu rows of numbers: expected at most "
                         "%d, which is what the OpenGL driver's textures hold; use device \"cpu\"",
                         FRAGMENT_CHUNK, rows, gl->machine->largest_texture);
    }
    if (!gl->numbers) {
        glGenTextures(1, &gl->numbers);
        glBindTexture(GL_TEXTURE_2D, gl->numbers);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
    glBindTexture(GL_TEXTURE_2D, gl->numbers);
    if ((int)rows > gl->number_rows) {
        gl->number_rows = (int)rows;
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, NUMBERS_WIDTH, (GLsizei)rows, 0, GL_RGBA,
                     GL_FLOAT, NULL);
    }
    return TOILE_OK;
}

toile_result fragment_upload_numbers(device_context *gl, step_plan *plan, int begin, int end) {
    size_t bodies = (size_t)plan->body_count, pins = (size_t)plan->pin_count;
    size_t contacts = (size_t)plan->cloth_count * bodies;
    size_t moment = MOMENT_NUMBERS + SHAPE_NUMBERS * bodies + PIN_NUMBERS * pins;
    size_t fours = contacts + (size_t)(end - begin) * moment;
    size_t rows = (fours + NUMBERS_WIDTH - 1) / NUMBERS_WIDTH;
    toile_result result = make_rows(gl, rows);
    float *room = result == TOILE_OK ? stage(gl, rows * NUMBERS_WIDTH * 4 * sizeof *room) : NULL;
    if (!room) {
        return result == TOILE_OK ? TOILE_ERROR_MEMORY : result;
    }
    gl->moments_at = (int)contacts;
    gl->moment_numbers = (int)moment;
    float *out = put_contacts(plan, room);
    for (int s = begin; s < end; s++) {
        out = put_moment(plan, s, out);
    }
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, NUMBERS_WIDTH, (GLsizei)rows, GL_RGBA, GL_FLOAT, room);
    return TOILE_OK;
}
