#include "gl/dispatch.h"

#include <string.h>

#include "gl/upload.h"

void gl_bind(gl_run_state *run, GLuint slot, GLuint buffer) {
    if (run->bound.storage[slot] != buffer) {
        run->bound.storage[slot] = buffer;
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, slot, buffer);
    }
}

static void bind_numbers(gl_run_state *run, GLuint slot, const device_cloth *cloth, GLintptr offset,
                         GLsizeiptr size) {
    gl_bindings *bound = &run->bound;
    if (bound->uniform[slot] != cloth->numbers.handle || bound->offset[slot] != offset) {
        bound->uniform[slot] = cloth->numbers.handle;
        bound->offset[slot] = offset;
        glBindBufferRange(GL_UNIFORM_BUFFER, slot, cloth->numbers.handle, offset, size);
    }
}

/* The level that a pass takes from or gives to. */
static int other_level(const gl_call *call) {
    return call->program == PROGRAM_restrict ? call->level - 1 : call->level + 1;
}

static bool is_of_maps(gl_program p) {
    return p == PROGRAM_implicit_maps || p == PROGRAM_maps_out || p == PROGRAM_maps_respond;
}

/* The one level is there for positions. */
static void bind_implicit(gl_run_state *run, const device_cloth *cloth) {
    bind_numbers(run, BIND_LEVEL, cloth, upload_level_offset(cloth, 0), sizeof(level_block));
    gl_bind(run, BIND_PLANES, cloth->levels[0].planes);
    gl_bind(run, BIND_TABLE, cloth->implicit.planes);
    gl_bind(run, BIND_EQUATIONS, run->gl->newton.planes[0]);
}

/* What was sampled by drawing. */
static void bind_textures(const device_cloth *cloth) {
    for (GLenum i = 0; i < 2; i++) {
        glActiveTexture(GL_TEXTURE0 + i);
        glBindTexture(GL_TEXTURE_2D, cloth->surface.textures[i]);
    }
    glActiveTexture(GL_TEXTURE0);
}

static void bind_levels(gl_run_state *run, const device_cloth *cloth, const gl_call *call) {
    int there = cloth->level_count;
    int other = other_level(call);
    bind_numbers(run, BIND_LEVEL, cloth, upload_level_offset(cloth, call->level),
                 sizeof(level_block));
    gl_bind(run, BIND_PLANES, there > 0 ? cloth->levels[call->level].planes : cloth->state);
    if (other >= 0 && other < there) {
        const gl_level *coarser = &cloth->levels[other > call->level ? other : call->level];
        gl_bind(run, BIND_OTHER, cloth->levels[other].planes);
        gl_bind(run, BIND_TABLE, coarser->lists);
    }
}

/* What a cloth does not have of its own. */
static void bind_self(gl_run_state *run, const device_cloth *cloth, gl_program program) {
    const gl_self *self = &run->gl->self;
    bool masked = program == PROGRAM_self_key || program == PROGRAM_self_load;
    if (program == PROGRAM_self_forget) {
        gl_bind(run, BIND_CHANGE, cloth->implicit.planes);
    } else {
        gl_bind(run, BIND_SEEN, self->seen);
    }
    gl_bind(run, BIND_ENTRIES, self->entries);
    gl_bind(run, BIND_STARTS, self->slots);
    gl_bind(run, BIND_LISTED, self->listed);
    gl_bind(run, BIND_SELF, self->numbers.handle);
    gl_bind(run, BIND_MASK, masked ? cloth->mask : self->unsorted);
    if (self->repels != 0 && (program == PROGRAM_self_meet || program == PROGRAM_self_springs)) {
        gl_bind(run, BIND_REPELS_MADE, self->repels);
    }
}

/* Planes of levels, and what programs have beside them. */
static void bind_level_of(gl_run_state *run, const device_cloth *cloth, const gl_call *call) {
    bind_levels(run, cloth, call);
    if (call->program == PROGRAM_pins) {
        gl_bind(run, BIND_TABLE, cloth->pins.handle);
    } else if (call->program == PROGRAM_coarse || call->program == PROGRAM_sample) {
        gl_bind(run, BIND_TABLE, cloth->mapping);
        gl_bind(run, BIND_OTHER, cloth->moved);
    } else if (call->program == PROGRAM_coarse_seen) {
        gl_bind(run, BIND_TABLE, cloth->surface.projected);
        gl_bind(run, BIND_OTHER, cloth->moved);
    } else if (call->program == PROGRAM_sample_drawn) {
        bind_textures(cloth);
    } else if (program_binds(call->program) == BINDS_SELF) {
        bind_self(run, cloth, call->program);
    }
}

static void bind_cloth(gl_run_state *run, const device_cloth *cloth, const gl_call *call) {
    const device_context *gl = run->gl;
    bind_numbers(run, BIND_CLOTH, cloth, 0, sizeof(cloth_block));
    gl_bind(run, BIND_STATE, cloth->state);
    gl_bind(run, BIND_MARKS, gl->marks.handle);
    gl_bind(run, BIND_SHAPES, gl->shapes.handle);
    gl_bind(run, BIND_CONTACTS, cloth->contacts.handle);
    gl_bind(run, BIND_MOMENTS,
            call->program == PROGRAM_pins ? gl->poses.handle
            : call->program == PROGRAM_coarse || call->program == PROGRAM_coarse_seen ||
                    call->program == PROGRAM_implicit_meshes
                ? gl->solids.handle
            : is_of_maps(call->program) ? gl->maps.numbers.handle
                                        : gl->winds.handle);
    const gl_binds binds = program_binds(call->program);
    if (binds == BINDS_IMPLICIT || binds == BINDS_EQUATIONS) {
        bind_implicit(run, cloth);
    }
    if (binds == BINDS_EQUATIONS) {
        gl_bind(run, BIND_PARTS, gl->newton.parts);
    }
    if (binds == BINDS_LEVEL || binds == BINDS_SELF) {
        bind_level_of(run, cloth, call);
    }
}

static GLuint groups(int count, int size) {
    return (GLuint)((count + size - 1) / size);
}

/* The grid that a call is about, NULL if the cloth has fewer levels than another one. */
static const grid *grid_of_call(const device_cloth *cloth, const gl_call *call) {
    if (call->level == 0) {
        return &cloth->grid;
    }
    return call->level < cloth->level_count ? &cloth->levels[call->level].table->grid : NULL;
}

/* Work groups along x and y. */
typedef struct group_counts {
    GLuint x, y;
} group_counts;

static group_counts groups_of_call(const gl_run_state *run, const gl_call *call,
                                   const device_cloth *cloth, const grid *g) {
    const int vertices = (int)cloth->panel->coarse.vertex_count;
    switch (call->over) {
    case OVER_ROWS:
        return (group_counts){(GLuint)g->rows, 1};
    case OVER_PINNED:
        return (group_counts){groups(cloth->pinned, GROUP_LINE), 1};
    case OVER_LEVEL:
    case OVER_HASH:
        return (group_counts){1, 1};
    case OVER_ODD:
        return (group_counts){groups(call->numbers[1], GROUP_LINE), 1};
    case OVER_SLOTS:
        return (group_counts){(GLuint)run->gl->self.block_count, 1};
    case OVER_VERTICES:
        return (group_counts){groups(vertices, GROUP_LINE), 1};
    case OVER_TILES:
        return (group_counts){groups(g->columns, TILE_COLUMNS), groups(g->rows, TILE_ROWS)};
    case OVER_BROAD:
        return (group_counts){groups(g->columns, BROAD_COLUMNS), groups(g->rows, BROAD_ROWS)};
    case OVER_UP:
        return (group_counts){groups(g->columns, UP_COLUMNS), groups(g->rows, UP_ROWS)};
    default:
        return (group_counts){groups(g->columns, GROUP_COLUMNS), groups(g->rows, GROUP_ROWS)};
    }
}

/* Uniforms that the program has already are not set again: that takes as long as a short pass. */
static void set_numbers(compute_program *p, const compute_numbers *next) {
    compute_numbers *now = &p->numbers;
    if (p->substep >= 0 && now->substep != next->substep) {
        glUniform1i(p->substep, next->substep);
    }
    if (p->stamp >= 0 && now->stamp != next->stamp) {
        glUniform1i(p->stamp, next->stamp);
    }
    if (p->call >= 0 && memcmp(now->call, next->call, sizeof now->call) != 0) {
        glUniform4iv(p->call, 1, next->call);
    }
    if (p->share >= 0 && now->share != next->share) {
        glUniform1f(p->share, next->share);
    }
    *now = *next;
}

void gl_launch(gl_run_state *run, const gl_call *call, GLuint groups_x, GLuint groups_y) {
    compute_numbers numbers = {
        .substep = run->substep - run->chunk, .stamp = run->gl->stamp, .share = call->share};
    memcpy(numbers.call, call->numbers, sizeof numbers.call);
    compute_program *p = &run->gl->machine->programs[call->program];
    if (run->bound.program != p->handle) {
        run->bound.program = p->handle;
        glUseProgram(p->handle);
    }
    set_numbers(p, &numbers);
    if (call->groups_at > 0) {
        glDispatchComputeIndirect(call->groups_at);
    } else {
        glDispatchCompute(groups_x, groups_y, 1);
    }
}

void gl_dispatch(gl_run_state *run, const gl_call *call, const device_cloth *cloth) {
    const grid *g = grid_of_call(cloth, call);
    if (!g || (call->over == OVER_PINNED && cloth->pinned == 0)) {
        return;
    }
    group_counts count = groups_of_call(run, call, cloth, g);
    bind_cloth(run, cloth, call);
    gl_launch(run, call, count.x, count.y);
}

void gl_call_all(gl_run_state *run, const gl_call *call) {
    bool once = call->over == OVER_SLOTS || call->over == OVER_HASH;
    for (int c = 0; c < run->plan->cloth_count && !(once && c > 0); c++) {
        if (once || !run->plan->cloths[c].asleep) {
            gl_dispatch(run, call, run->cloths[c]);
        }
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}
