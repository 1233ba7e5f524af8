#include "gl/self.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/self.h"

/* Numbers left out between the rows of a cloth. */
enum { ROW_GAP = 2 };

/* What the buffer of numbers begins with; a self_block a cloth follows. */
typedef struct self_head {
    double cells[SELF_RANKS][2];
    self_grid grids[SELF_RANKS];
    self_numbers numbers;
} self_head;
static_assert((int)SELF_RANKS == (int)SELF_CLASSES, "shaders know as many classes");

void gl_self_free(gl_self *self) {
    glDeleteBuffers(7, (GLuint[]){self->numbers.handle, self->slots, self->listed, self->entries,
                                  self->unsorted, self->seen, self->repels});
    *self = (gl_self){0};
}

static toile_result make_buffers(const machine *m, gl_self *self, size_t texels) {
    size_t slots = (size_t)self->slot_count, keys = (size_t)self->classes.keys;
    size_t words = SELF_SLOT_LISTS * slots + (size_t)self->block_count;
    toile_result result = gl_make_buffer(m, &self->slots, words * sizeof(uint32_t), NULL);
    if (result == TOILE_OK) {
        result = gl_make_buffer(m, &self->listed, keys * 4 * sizeof(float), NULL);
    }
    if (result == TOILE_OK) {
        result = gl_make_buffer(m, &self->entries, keys * 4 * sizeof(float), NULL);
    }
    if (result == TOILE_OK) {
        result = gl_make_buffer(m, &self->unsorted, keys * sizeof(uint32_t), NULL);
    }
    return result == TOILE_OK ? gl_make_buffer(m, &self->seen, texels * 8 * sizeof(float), NULL)
                              : result;
}

static int islands_at(const equations *e) {
    return REPELS_HEADS + REPELS_PLACE * (int)e->level[0].size;
}

/* Of a buffer for so many springs, and what is in front of them. */
static size_t repel_bytes(const gl_self *self, size_t springs) {
    return ((size_t)self->repels_at + REPEL_WORDS * springs) * sizeof(uint32_t);
}

/* The springs that repel texels, where the world is solved by Newton's method. */
static toile_result make_repels(const device_context *gl, gl_self *self) {
    const equations *e = &gl->newton.equations;
    if (e->panels == 0) {
        return TOILE_OK;
    }
    self->repels_at = islands_at(e) + e->parts;
    self->repels_most = REPELS_FIRST;
    return gl_make_buffer(gl->machine, &self->repels, repel_bytes(self, REPELS_FIRST), NULL);
}

toile_result gl_self_grow(device_context *gl, int springs) {
    gl_self *self = &gl->self;
    const size_t block = (size_t)gl->machine->largest_block, int_bytes = 4 * (size_t)INT32_MAX;
    const size_t most = ((block < int_bytes ? block : int_bytes) - repel_bytes(self, 0)) /
                        (REPEL_WORDS * sizeof(uint32_t));
    const size_t wanted = 2 * (size_t)springs, room = wanted < most ? wanted : most;
    GLuint made = 0;
    if (room < (size_t)springs ||
        gl_make_buffer(gl->machine, &made, repel_bytes(self, room), NULL) != TOILE_OK) {
        glDeleteBuffers(1, &made);
        return error_set(TOILE_ERROR_MEMORY,
                         "cloth that meets cloth needs %d springs, in %zu MB: expected at most %zu "
                         "of them, or less where the OpenGL driver has no memory left; use a "
                         "larger spacing or device \"cpu\"",
                         springs, repel_bytes(self, (size_t)springs) >> 20, most);
    }
    glDeleteBuffers(1, &self->repels);
    self->repels = made;
    self->repels_most = (int)room;
    return TOILE_OK;
}

/* A texel is tied to something: it and those around it, as on the CPU (cpu/self.h). */
static void tie_texel(const grid *g, int column, int row, uint32_t *words) {
    for (int k = 0; k < 9; k++) {
        const int i = column + k % 3 - 1, j = row + k / 3 - 1;
        if (i >= 0 && i < g->columns && j >= 0 && j < g->rows) {
            words[j * g->columns + i] |= SELF_TIED;
        }
    }
}

static void tie_texels(const equations *e, int cloth, uint32_t *words) {
    const coupling_level *c = &e->level[0].couplings;
    for (int i = 0; i < c->rows * COUPLED_CORNERS; i++) {
        const coupling_row *row = &c->row[i / COUPLED_CORNERS];
        const int k = i % COUPLED_CORNERS;
        if (row->tied && k < row->count && coupling_panel(row, k) == cloth) {
            const system_panel *own = &e->level[0].panels[cloth];
            const size_t at = row->texels[k] - own->first - grid_index(&own->grid, 0, 0);
            const size_t stride = (size_t)own->grid.stride;
            tie_texel(&own->grid, (int)(at % stride), (int)(at / stride), words);
        }
    }
}

/* A word a texel. index: of the cloth among those of the world. */
static toile_result make_mask(const device_context *gl, device_cloth *cloth, int index) {
    size_t count = grid_texels(&cloth->grid);
    uint32_t *words = memory_alloc(count, sizeof *words, "self-collision");
    if (!words) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        words[i] = cloth->panel->mask[i] ? SELF_THERE : 0;
    }
    tie_texels(&gl->newton.equations, index, words);
    toile_result result = gl_make_buffer(gl->machine, &cloth->mask, count * sizeof *words, words);
    free(words);
    return result;
}

static uint64_t numbers_of(const device_cloth *cloth) {
    return (uint64_t)(cloth->grid.columns + ROW_GAP) * (uint64_t)cloth->grid.rows;
}

static toile_result arrange(gl_self *self, device_cloth *const *cloths, const float *distances,
                            int count) {
    self_member *members = memory_alloc((size_t)count, sizeof *members, "self-collision");
    if (!members) {
        return TOILE_ERROR_MEMORY;
    }
    for (int c = 0; c < count; c++) {
        members[c] =
            (self_member){.distance = distances[c], .numbers = (uint32_t)numbers_of(cloths[c])};
    }
    self_classes_arrange(&self->classes, members, count);
    for (int c = 0; c < count; c++) {
        cloths[c]->member = members[c];
    }
    free(members);
    return TOILE_OK;
}

toile_result gl_self_make(device_context *gl, device_cloth *const *cloths, const float *distances,
                          int count) {
    gl_self *self = &gl->self;
    uint64_t texels = 0;
    toile_result result = TOILE_OK;
    gl_self_free(self);
    for (int c = 0; c < count && result == TOILE_OK; c++) {
        cloths[c]->self_first = (int)texels;
        texels += numbers_of(cloths[c]);
        result = make_mask(gl, cloths[c], c);
    }
    if (result == TOILE_OK && texels <= INT32_MAX) {
        result = arrange(self, cloths, distances, count);
    }
    if (texels > INT32_MAX || self->classes.keys > INT32_MAX / 8) {
        return error_set(TOILE_ERROR_MEMORY,
                         "self-collision of %llu texels: expected at most %d in a world on device "
                         "\"gl\", less where spacings differ by more than a factor of two",
                         (unsigned long long)texels, INT32_MAX / 8);
    }
    self->slot_count = (int)self->classes.slots;
    self->block_count = (self->slot_count + SELF_BLOCK - 1) / SELF_BLOCK;
    self->cloth_count = count;
    if (result == TOILE_OK) {
        result = make_buffers(gl->machine, self, (size_t)texels);
    }
    return result == TOILE_OK ? make_repels(gl, self) : result;
}

static self_block cloth_numbers(const equations *e, int index, const device_cloth *cloth,
                                const cloth_params *p) {
    const system_panel *own = e->panels > 0 ? &e->level[0].panels[index] : NULL;
    float across = self_distance_within(p->self_distance, p->spacing, 2.0f, 0.0f);
    return (self_block){.first = cloth->self_first,
                        .columns = cloth->grid.columns,
                        .stride = cloth->grid.columns + ROW_GAP,
                        .plain = across >= p->self_distance,
                        .spacing = p->spacing,
                        .distance = p->self_distance,
                        .friction = p->self_friction,
                        .rank = cloth->member.class,
                        .first_guest = (int)cloth->member.first_guest,
                        .numbers = (int)cloth->member.numbers,
                        .part = own ? e->part_of[index] : 0,
                        .place = own ? (int)(own->first + grid_index(&own->grid, 0, 0)) : 0,
                        .up = own ? own->grid.stride : 0};
}

static self_head head_numbers(const gl_self *self, const equations *e) {
    self_head head = {.numbers = {.slots = self->slot_count,
                                  .blocks = self->block_count,
                                  .islands = e->panels > 0 ? islands_at(e) : 0,
                                  .repels = self->repels_at,
                                  .repels_most = self->repels_most}};
    for (int k = 0; k < self->classes.count; k++) {
        const self_class *c = &self->classes.list[k];
        head.cells[k][0] = c->inverse_cell;
        head.cells[k][1] = c->farthest;
        head.grids[k] = (self_grid){c->reach,
                                    c->margin,
                                    (int)c->own.first,
                                    (int)c->own.count,
                                    (int)c->guests.first,
                                    (int)c->guests.count};
    }
    return head;
}

toile_result gl_self_upload(device_context *gl, const step_plan *plan,
                            device_cloth *const *cloths) {
    gl_self *self = &gl->self;
    size_t bytes = sizeof(self_head) + (size_t)self->cloth_count * sizeof(self_block);
    char *room = gl_stage(gl, bytes);
    if (!room) {
        return TOILE_ERROR_MEMORY;
    }
    for (int c = 0; c < self->cloth_count; c++) {
        self_block numbers = cloth_numbers(&gl->newton.equations, c, cloths[c], &plan->cloths[c]);
        memcpy(room + sizeof(self_head) + (size_t)c * sizeof numbers, &numbers, sizeof numbers);
    }
    self_head head = head_numbers(self, &gl->newton.equations);
    memcpy(room, &head, sizeof head);
    return gl_fill(gl->machine, &self->numbers, bytes, room);
}
