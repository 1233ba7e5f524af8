#include "gl/dispatch.h"

#include "gl/upload.h"

static void bind(gl_run_state *run, GLuint slot, GLuint buffer) {
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

static bool is_of_cycle(gl_program p) {
    return p >= PROGRAM_cycle_begin && p <= PROGRAM_cycle_up;
}

/* The finest level is there for positions. */
static void bind_cycle(gl_run_state *run, const device_cloth *cloth, const gl_call *call) {
    const gl_cycle *cycle = &cloth->cycle;
    int other = call->program == PROGRAM_cycle_down ? call->level - 1 : call->level + 1;
    bind_numbers(run, BIND_LEVEL, cloth,
                 upload_level_offset(cloth, cloth->level_count + call->level), sizeof(level_block));
    bind(run, BIND_PLANES, cloth->levels[0].planes);
    bind(run, BIND_TABLE, cycle->planes[call->level]);
    if (other >= 0 && other < cycle->count) {
        bind(run, BIND_OTHER, cycle->planes[other]);
    }
    if (call->program == PROGRAM_cycle_exact) {
        bind(run, BIND_MOMENTS, cycle->exact);
    }
}

static void bind_levels(gl_run_state *run, const device_cloth *cloth, const gl_call *call) {
    int there = cloth->level_count;
    int other = other_level(call);
    bind_numbers(run, BIND_LEVEL, cloth, upload_level_offset(cloth, call->level),
                 sizeof(level_block));
    bind(run, BIND_PLANES, there > 0 ? cloth->levels[call->level].planes : cloth->state);
    if (other >= 0 && other < there) {
        const gl_level *coarser = &cloth->levels[other > call->level ? other : call->level];
        bind(run, BIND_OTHER, cloth->levels[other].planes);
        bind(run, BIND_TABLE, coarser->lists);
    }
}

/* What a cloth does not have of its own. */
static void bind_self(gl_run_state *run, const device_cloth *cloth, gl_program program) {
    const gl_self *self = &run->gl->self;
    bool key = program == PROGRAM_self_key;
    bind(run, BIND_SEEN, self->seen);
    bind(run, BIND_ENTRIES, self->entries);
    bind(run, BIND_STARTS, self->slots);
    bind(run, BIND_LISTED, self->listed);
    bind(run, BIND_SELF, self->numbers.handle);
    bind(run, BIND_MASK, key ? cloth->mask : self->unsorted);
}

static void bind_cloth(gl_run_state *run, const device_cloth *cloth, const gl_call *call) {
    const device_context *gl = run->gl;
    bind_numbers(run, BIND_CLOTH, cloth, 0, sizeof(cloth_block));
    bind(run, BIND_STATE, cloth->state);
    bind(run, BIND_MARKS, gl->marks.handle);
    bind(run, BIND_SHAPES, gl->shapes.handle);
    bind(run, BIND_CONTACTS, cloth->contacts.handle);
    bind(run, BIND_MOMENTS,
         call->program == PROGRAM_pins ? gl->poses.handle
         : call->program == PROGRAM_coarse || call->program == PROGRAM_cycle_meshes
             ? gl->solids.handle
             : gl->winds.handle);
    if (is_of_cycle(call->program)) {
        bind_cycle(run, cloth, call);
        return;
    }
    bind_levels(run, cloth, call);
    if (call->program == PROGRAM_pins) {
        bind(run, BIND_TABLE, cloth->pins.handle);
    } else if (call->program == PROGRAM_coarse || call->program == PROGRAM_sample) {
        bind(run, BIND_TABLE, cloth->mapping);
        bind(run, BIND_OTHER, cloth->moved);
    } else if (call->program >= PROGRAM_self_forget && call->program <= PROGRAM_self_total) {
        bind_self(run, cloth, call->program);
    }
}

static GLuint groups(int count, int size) {
    return (GLuint)((count + size - 1) / size);
}

/* The grid that a call is about, NULL if the cloth has fewer levels than another one. */
static const grid *grid_of_call(const device_cloth *cloth, const gl_call *call) {
    if (is_of_cycle(call->program)) {
        return call->level < cloth->cycle.count ? &cloth->cycle.tables->levels[call->level].grid
                                                : NULL;
    }
    if (call->level == 0) {
        return &cloth->grid;
    }
    return call->level < cloth->level_count ? &cloth->levels[call->level].table->grid : NULL;
}

void gl_dispatch(gl_run_state *run, const gl_call *call, const device_cloth *cloth) {
    const grid *g = grid_of_call(cloth, call);
    if (!g || (call->over == OVER_PINNED && cloth->pinned == 0)) {
        return;
    }
    bind_cloth(run, cloth, call);
    const compute_program *p = &run->gl->machine->programs[call->program];
    if (run->bound.program != p->handle) {
        run->bound.program = p->handle;
        glUseProgram(p->handle);
    }
    glUniform1i(p->substep, run->substep - run->chunk);
    glUniform1i(p->stamp, run->gl->stamp);
    glUniform4iv(p->call, 1, call->numbers);
    glUniform1f(p->share, call->share);
    if (call->over == OVER_ROWS) {
        glDispatchCompute((GLuint)g->rows, 1, 1);
    } else if (call->over == OVER_PINNED) {
        glDispatchCompute(groups(cloth->pinned, GROUP_LINE), 1, 1);
    } else if (call->over == OVER_LEVEL || call->over == OVER_HASH) {
        glDispatchCompute(1, 1, 1);
    } else if (call->over == OVER_ODD) {
        glDispatchCompute(groups(call->numbers[1], GROUP_LINE), 1, 1);
    } else if (call->over == OVER_SLOTS) {
        glDispatchCompute((GLuint)run->gl->self.block_count, 1, 1);
    } else if (call->over == OVER_VERTICES) {
        glDispatchCompute(groups((int)cloth->panel->coarse.vertex_count, GROUP_LINE), 1, 1);
    } else {
        glDispatchCompute(groups(g->columns, GROUP_COLUMNS), groups(g->rows, GROUP_ROWS), 1);
    }
}

void gl_call_all(gl_run_state *run, const gl_call *call) {
    bool once = call->over == OVER_SLOTS || call->over == OVER_HASH;
    for (int c = 0; c < run->plan->cloth_count && !(once && c > 0); c++) {
        gl_dispatch(run, call, run->cloths[c]);
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}
