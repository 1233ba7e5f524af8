#include "gl/cloth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/implicit_state.h"
#include "gl/implicit.h"

bool gl_enter(device_context *gl, context_before *before) {
    if (context_enter(&gl->machine->context, before) == TOILE_OK) {
        return true;
    }
    gl->failed = !gl->machine->context.borrowed;
    gl->away = !gl->failed;
    snprintf(gl->failure, sizeof gl->failure, "%s", toile_error_message());
    return false;
}

void gl_leave(device_context *gl, const context_before *before, const char *doing) {
    if (context_check(doing) != TOILE_OK && !gl->failed) {
        gl->failed = true;
        snprintf(gl->failure, sizeof gl->failure, "%s", toile_error_message());
    }
    context_leave(&gl->machine->context, before);
}

toile_result gl_make_buffer(const machine *m, GLuint *buffer, size_t bytes, const void *data) {
    if (bytes > (size_t)m->largest_block) {
        return error_set(TOILE_ERROR_MEMORY,
                         "a cloth needs an array of %zu MB: expected at most %zu MB, which is what "
                         "the OpenGL driver can do; use a larger spacing or device \"cpu\"",
                         bytes >> 20, (size_t)m->largest_block >> 20);
    }
    if (!*buffer) {
        glGenBuffers(1, buffer);
    }
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, *buffer);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)bytes, data, GL_DYNAMIC_COPY);
    return context_check("making room for a cloth");
}

void *gl_stage(device_context *gl, size_t bytes) {
    if (bytes > gl->staged) {
        free(gl->staging);
        gl->staged = 0;
        gl->staging = memory_alloc(1, bytes, "a step of the gl device");
        if (!gl->staging) {
            return NULL;
        }
        gl->staged = bytes;
    } else if (bytes > 0) {
        memset(gl->staging, 0, bytes);
    }
    return gl->staging ? gl->staging : gl;
}

toile_result gl_fill(const machine *m, gl_store *store, size_t bytes, const void *data) {
    enum { SMALLEST = 256 }; /* what is bound may not be empty */
    if (bytes > store->room || store->room == 0) {
        size_t room = bytes > SMALLEST ? bytes : SMALLEST;
        toile_result result = gl_make_buffer(m, &store->handle, room, NULL);
        if (result != TOILE_OK) {
            return result;
        }
        store->room = room;
    }
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, store->handle);
    if (data) {
        glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)bytes, data);
    }
    return TOILE_OK;
}

/* By uploading zeros: what is written right behind glClearBufferData was lost with NVIDIA's driver
 * 580, which then clears it. */
static toile_result make_zeroed(const machine *m, GLuint *buffer, size_t bytes) {
    void *zeros = memory_alloc(bytes, 1, "the state of a cloth");
    toile_result result = zeros ? gl_make_buffer(m, buffer, bytes, zeros) : TOILE_ERROR_MEMORY;
    free(zeros);
    return result;
}

/* Room for planes, whose number must fit the ints of shaders. */
toile_result gl_make_planes(const machine *m, const grid *g, size_t planes, GLuint *buffer) {
    size_t bytes = planes * g->size * sizeof(float);
    return bytes / sizeof(float) > INT32_MAX ? gl_make_buffer(m, buffer, SIZE_MAX / 2, NULL)
                                             : make_zeroed(m, buffer, bytes);
}

void gl_write_plane(GLuint buffer, const grid *g, int number, const float *values) {
    size_t bytes = g->size * sizeof(float);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
    glBufferSubData(GL_SHADER_STORAGE_BUFFER, (GLintptr)((size_t)number * bytes), (GLsizeiptr)bytes,
                    values);
}

/* Passes have at most a work group for each row, or one for each few of them along y; along x the
 * most that a grid may have are few enough for any driver. */
static toile_result check_rows(const machine *m, int rows) {
    int64_t by_groups = (int64_t)m->most_groups[1] * GROUP_ROWS, by_rows = m->most_groups[0];
    int64_t most = by_groups < by_rows ? by_groups : by_rows;
    if (rows > most) {
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "a cloth has %d rows of texels: expected at most %lld, which is what the "
                         "OpenGL driver can do; use a larger spacing, lay its long side along u, "
                         "or use device \"cpu\"",
                         rows, (long long)most);
    }
    return TOILE_OK;
}

static toile_result create_in_context(device_cloth *cloth) {
    const machine *m = cloth->gl->machine;
    toile_result result = check_rows(m, cloth->grid.rows);
    if (result == TOILE_OK) {
        result = gl_make_planes(m, &cloth->grid, PLANE_COUNT, &cloth->state);
    }
    if (result == TOILE_OK) {
        gl_write_plane(cloth->state, &cloth->grid, PLANE_coverage, cloth->panel->coverage);
        result = context_check("making a cloth");
    }
    return result;
}

device_cloth *gl_cloth_create(device_context *gl, const panel *p, const grid *g) {
    device_cloth *cloth = memory_alloc(1, sizeof *cloth, "a cloth");
    if (!cloth) {
        return NULL;
    }
    *cloth = (device_cloth){.gl = gl, .panel = p, .grid = *g};
    cloth->planes = memory_alloc(g->size, 3 * sizeof(float), "the state of a cloth");
    cloth->pin_place = memory_alloc(grid_texels(g), sizeof *cloth->pin_place, "a cloth");
    cloth->bytes = g->size * PLANE_COUNT * sizeof(float);
    context_before before;
    toile_result result = cloth->planes && cloth->pin_place ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = context_enter(&gl->machine->context, &before);
    }
    if (result == TOILE_OK) {
        result = create_in_context(cloth);
        context_leave(&gl->machine->context, &before);
    }
    if (result != TOILE_OK) {
        gl_cloth_destroy(cloth);
        return NULL;
    }
    return cloth;
}

static void free_levels(device_cloth *cloth) {
    for (int k = 0; k < cloth->level_count; k++) {
        glDeleteBuffers(2, (GLuint[]){cloth->levels[k].planes, cloth->levels[k].lists});
    }
    glDeleteBuffers(2, (GLuint[]){cloth->mapping, cloth->moved});
    cloth->mapping = cloth->moved = 0;
    surface_free(&cloth->surface);
    cloth->level_count = 0;
    cloth->bytes = cloth->grid.size * PLANE_COUNT * sizeof(float);
}

void gl_cloth_destroy(device_cloth *cloth) {
    if (!cloth) {
        return;
    }
    context_before before;
    if (context_enter(&cloth->gl->machine->context, &before) == TOILE_OK) {
        free_levels(cloth);
        gl_implicit_free(&cloth->implicit);
        glDeleteBuffers(4, (GLuint[]){cloth->state, cloth->numbers.handle, cloth->contacts.handle,
                                      cloth->pins.handle});
        context_leave(&cloth->gl->machine->context, &before);
    }
    free(cloth->planes);
    free(cloth->pin_place);
    free(cloth);
}

size_t gl_cloth_bytes(const device_cloth *cloth) {
    return cloth->bytes + cloth->implicit.bytes;
}

/* ---- levels -------------------------------------------------------------------------------------
 */

/* The words of gl_level.lists: for each texel of the level the first of its parts, and one past the
 * last; the parts, each a texel and a weight; the odd texels, each with four of this level and
 * their weights. */
static uint32_t *list_words(const level *table, gl_level *out, size_t *count) {
    size_t texels = grid_texels(&table->grid);
    out->parts_at = (int)(texels + 1);
    out->odds_at = out->parts_at + 2 * (int)table->part_count;
    *count = (size_t)out->odds_at + ODD_WORDS * table->odd_count;
    uint32_t *words = memory_alloc(*count, sizeof *words, "the levels of a cloth");
    if (!words) {
        return NULL;
    }
    uint32_t *at = words + out->parts_at;
    size_t texel = 0;
    for (int row = 0; row < table->grid.rows; row++) {
        for (uint32_t p = table->part_rows[row]; p < table->part_rows[row + 1]; p++) {
            size_t own = (size_t)row * (size_t)table->grid.columns + table->parts[p].column;
            for (; texel <= own; texel++) {
                words[texel] = p;
            }
            *at++ = table->parts[p].texel;
            memcpy(at++, &table->parts[p].weight, sizeof(float));
        }
    }
    for (; texel <= texels; texel++) {
        words[texel] = (uint32_t)table->part_count;
    }
    for (size_t o = 0; o < table->odd_count; o++) {
        *at++ = table->odd[o].texel;
        memcpy(at, table->odd[o].coarse, sizeof table->odd[o].coarse);
        memcpy(at + 4, table->odd[o].weights, sizeof table->odd[o].weights);
        at += 8;
    }
    return words;
}

static toile_result make_lists(const machine *m, gl_level *l) {
    size_t count;
    uint32_t *words = list_words(l->table, l, &count);
    if (!words) {
        return TOILE_ERROR_MEMORY;
    }
    toile_result result = gl_make_buffer(m, &l->lists, count * sizeof *words, words);
    free(words);
    return result;
}

/* The tables of a coarse level; the finest one has those of the cloth. */
static void write_tables(const gl_level *l) {
    const level *t = l->table;
    const grid *g = &t->grid;
    gl_write_plane(l->planes, g, LEVEL_PLANE_COUNT + TABLE_inverse_mass, t->inverse_mass);
    gl_write_plane(l->planes, g, LEVEL_PLANE_COUNT + TABLE_coverage, t->coverage);
    gl_write_plane(l->planes, g, LEVEL_PLANE_COUNT + TABLE_regular, t->regular);
    gl_write_plane(l->planes, g, LEVEL_PLANE_COUNT + TABLE_mean, t->mean);
    for (int e = 0; e < EDGE_KINDS; e++) {
        gl_write_plane(l->planes, g, LEVEL_PLANE_COUNT + TABLE_rest + e, t->rest[e]);
    }
}

/* ---- the coarse mesh ----------------------------------------------------------------------------
 */

static void put_float(uint32_t *word, float value) {
    memcpy(word, &value, sizeof value);
}

static void list_mapping(const device_cloth *cloth, uint32_t *words) {
    const panel *p = cloth->panel;
    const projection *to_mesh = &p->coarse_projection;
    const uint32_t columns = (uint32_t)cloth->grid.columns;
    for (uint32_t v = 0; v < p->coarse.vertex_count; v++, words += PROJECTED_WORDS) {
        uint32_t texel = to_mesh->texels[v];
        words[0] =
            (uint32_t)grid_index(&cloth->grid, (int)(texel % columns), (int)(texel / columns));
        put_float(words + 1, to_mesh->fractions[2 * v]);
        put_float(words + 2, to_mesh->fractions[2 * v + 1]);
    }
    for (size_t t = 0; t < grid_texels(&cloth->grid); t++, words += SAMPLED_WORDS) {
        memcpy(words, p->sampling.vertices + 3 * t, 3 * sizeof *words);
        put_float(words + 3, p->sampling.weights[3 * t + 1]);
        put_float(words + 4, p->sampling.weights[3 * t + 2]);
    }
}

/* Room for what bodies do to it, and how it lies on the texels. */
static toile_result make_coarse(device_cloth *cloth) {
    const machine *m = cloth->gl->machine;
    size_t vertices = cloth->panel->coarse.vertex_count;
    size_t count = vertices * PROJECTED_WORDS + grid_texels(&cloth->grid) * SAMPLED_WORDS;
    uint32_t *words = memory_alloc(count, sizeof *words, "a coarse mesh");
    if (!words) {
        return TOILE_ERROR_MEMORY;
    }
    list_mapping(cloth, words);
    toile_result result = gl_make_buffer(m, &cloth->mapping, count * sizeof *words, words);
    free(words);
    size_t bytes = vertices * MOVED_FLOATS * sizeof(float);
    cloth->bytes += count * sizeof *words + bytes;
    return result == TOILE_OK ? make_zeroed(m, &cloth->moved, bytes) : result;
}

/* The other way between it and texels. */
static toile_result make_surface(device_cloth *cloth) {
    machine *m = cloth->gl->machine;
    toile_result result = machine_prepare(m, PROGRAM_coarse_seen);
    if (result == TOILE_OK) {
        result = machine_prepare(m, PROGRAM_sample_drawn);
    }
    if (result == TOILE_OK) {
        const surface_buffers of = {cloth->moved, cloth->state};
        result = surface_make(&cloth->surface, m, cloth->panel, of);
        cloth->bytes += cloth->surface.bytes;
    }
    return result;
}

/* ---- making them --------------------------------------------------------------------------------
 */

static void copy_plane(GLuint from, int number, GLuint to, int other, const grid *g) {
    size_t bytes = g->size * sizeof(float);
    glBindBuffer(GL_COPY_READ_BUFFER, from);
    glBindBuffer(GL_COPY_WRITE_BUFFER, to);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER,
                        (GLintptr)((size_t)number * bytes), (GLintptr)((size_t)other * bytes),
                        (GLsizeiptr)bytes);
}

static toile_result set_levels_in_context(device_cloth *cloth, const levels *tables) {
    const machine *m = cloth->gl->machine;
    free_levels(cloth);
    cloth->gl->solids_known = false; /* bodies may be others, too */
    toile_result result = make_coarse(cloth);
    if (result == TOILE_OK && surface_is_preferred()) {
        result = make_surface(cloth);
    }
    for (int k = 0; k < tables->count && result == TOILE_OK; k++) {
        gl_level *l = &cloth->levels[k];
        *l = (gl_level){.table = &tables->items[k]};
        cloth->level_count = k + 1;
        const grid *g = &l->table->grid;
        result = gl_make_planes(m, g, LEVEL_PLANE_COUNT + TABLE_COUNT, &l->planes);
        cloth->bytes += (LEVEL_PLANE_COUNT + TABLE_COUNT) * g->size * sizeof(float);
        if (result == TOILE_OK && k > 0) {
            result = make_lists(m, l);
            write_tables(l);
            gl_write_plane(cloth->levels[k - 1].planes, &cloth->levels[k - 1].table->grid,
                           LEVEL_PLANE_COUNT + TABLE_even, l->table->even);
        } else if (result == TOILE_OK) {
            int to = LEVEL_PLANE_COUNT + TABLE_inverse_mass;
            copy_plane(cloth->state, PLANE_inverse_mass, l->planes, to, g);
            copy_plane(cloth->state, PLANE_coverage, l->planes, LEVEL_PLANE_COUNT + TABLE_coverage,
                       g);
        }
    }
    return result == TOILE_OK ? context_check("making the levels of a cloth") : result;
}

toile_result gl_set_levels(device_cloth *cloth, const levels *tables, const bool *jacobi) {
    (void)jacobi; /* all levels have what it needs */
    context_before before;
    toile_result result = context_enter(&cloth->gl->machine->context, &before);
    if (result == TOILE_OK) {
        result = set_levels_in_context(cloth, tables);
        context_leave(&cloth->gl->machine->context, &before);
    }
    return result;
}

/* ---- fields -------------------------------------------------------------------------------------
 */

void gl_write_inverse_mass(device_cloth *cloth, const float *inverse_mass) {
    const grid *g = &cloth->grid;
    context_before before;
    if (!gl_enter(cloth->gl, &before)) {
        return;
    }
    memset(cloth->planes, 0, g->size * sizeof(float));
    for (int j = 0; j < g->rows; j++) {
        memcpy(cloth->planes + grid_index(g, 0, j), inverse_mass + (size_t)j * (size_t)g->columns,
               (size_t)g->columns * sizeof(float));
    }
    gl_write_plane(cloth->state, g, PLANE_inverse_mass, cloth->planes);
    gl_leave(cloth->gl, &before, "writing the masses of a cloth");
}

/* Where a field is: planes of a buffer, 0 where the cloth has none. A limit is one plane. */
typedef struct field_place {
    GLuint buffer;
    int first, count;
} field_place;

static field_place place_of(const device_cloth *cloth, device_field field) {
    const GLuint own = cloth->implicit.planes;
    return field == FIELD_POSITION   ? (field_place){cloth->state, PLANE_x, 3}
           : field == FIELD_VELOCITY ? (field_place){cloth->state, PLANE_vx, 3}
           : field == FIELD_CHANGE   ? (field_place){own, IMPLICIT_change_x, 3}
           : field == FIELD_FRICTION ? (field_place){own, IMPLICIT_fx, 3}
           : field == FIELD_REST     ? (field_place){own, IMPLICIT_rest_x, 3}
                                     : (field_place){own, IMPLICIT_limit, 1};
}

void gl_write(device_cloth *cloth, device_field field, const float *values) {
    const grid *g = &cloth->grid;
    context_before before;
    const field_place at = place_of(cloth, field);
    if (!at.buffer || !gl_enter(cloth->gl, &before)) {
        return;
    }
    memset(cloth->planes, 0, 3 * g->size * sizeof(float));
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            for (size_t axis = 0; axis < 3; axis++) {
                cloth->planes[axis * g->size + grid_index(g, i, j)] = *values++;
            }
        }
    }
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, at.buffer);
    glBufferSubData(GL_SHADER_STORAGE_BUFFER,
                    (GLintptr)((size_t)at.first * g->size * sizeof(float)),
                    (GLsizeiptr)((size_t)at.count * g->size * sizeof(float)), cloth->planes);
    gl_leave(cloth->gl, &before, "writing to a cloth");
}

void gl_read(const device_cloth *cloth, device_field field, float *values) {
    const grid *g = &cloth->grid;
    context_before before;
    const field_place at = place_of(cloth, field);
    memset(values, 0, 3 * grid_texels(g) * sizeof(float));
    if (!at.buffer || !gl_enter(cloth->gl, &before)) {
        return;
    }
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, at.buffer);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER,
                       (GLintptr)((size_t)at.first * g->size * sizeof(float)),
                       (GLsizeiptr)((size_t)at.count * g->size * sizeof(float)), cloth->planes);
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            for (int axis = 0; axis < at.count; axis++) {
                values[axis] = cloth->planes[(size_t)axis * g->size + grid_index(g, i, j)];
            }
            values += 3;
        }
    }
    gl_leave(cloth->gl, &before, "reading a cloth");
}

toile_gl_texels gl_locate(const device_cloth *cloth) {
    return (toile_gl_texels){.buffer = cloth->state,
                             .position = PLANE_x,
                             .cover = PLANE_coverage,
                             .plane = cloth->grid.size,
                             .row = (size_t)cloth->grid.stride,
                             .first = grid_index(&cloth->grid, 0, 0)};
}
