/* The start and the end of a substep, which read and write the state of a cloth, are dispatched for
 * one cloth after the other; all passes between them over tiles of all panels at once.
 *
 * Sums of a part stay on the GPU, where a work group makes the next numbers of them; one of them
 * says that the part rests, another that it is solved: passes, or those of conjugate gradients,
 * then return at once. When that goes for all, what is still queued has no work groups, and the
 * host, which has learnt of it meanwhile, queues no more of it (gl/watch.h). Where the driver
 * cannot tell, as many iterations of both kinds are queued as the steps before make likely
 * (gl/implicit.h). */
#include "gl/newton.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/newton_order.h"
#include "device/newton_state.h"
#include "gl/newton_couple.h"
#include "gl/newton_groups.h"
#include "gl/newton_planes.h"
#include "gl/newton_small.h"
#include "kernel/touch.h"

/* ---- memory -------------------------------------------------------------------------------------
 */

enum { HAS_ALL = 1, HAS_FINEST = 2, HAS_TEXEL = 2, HAS_COARSE = 4 };

/* Planes of a level, behind which weights of bending are. Those that all have come first, and those
 * of texels last, as cmake/shader_planes.cmake numbers them. */
static int planes_of(int depth) {
    const int here = HAS_ALL | (depth == 0 ? HAS_FINEST : HAS_COARSE);
    int count = 0;
#define X(name, planes, where, unit, meaning) count += HAS_##where & here ? (planes) : 0;
    EQUATION_PLANES(X)
    TEXEL_PLANES(X)
#undef X
    return count;
}

void gl_newton_free(gl_newton *n) {
    watch_free(&n->watch);
    glDeleteBuffers(n->equations.levels, n->planes);
    glDeleteBuffers(8, (GLuint[]){n->tiles, n->parts, n->factors, n->panels.handle, n->groups,
                                  n->couplings, n->aims.handle, n->contacts.handle});
    free(n->factor_at);
    free(n->sums_at);
    free(n->small_from);
    equations_free(&n->equations);
    *n = (gl_newton){0};
}

static int tiles_of(const grid *g) {
    return gl_tiles_along(g->columns, UP_COLUMNS) * gl_tiles_along(g->rows, UP_ROWS);
}

static void list_tiles(const system_panel *own, int number, tile_block *out) {
    const int across = gl_tiles_along(own->grid.columns, UP_COLUMNS);
    for (int i = 0; i < tiles_of(&own->grid); i++) {
        out[i] = (tile_block){number, i % across * UP_COLUMNS, i / across * UP_ROWS, i};
    }
}

/* Counts them, and lists them unless there is no room yet. */
static int walk_tiles(gl_newton *n, tile_block *out) {
    int count = 0;
    for (int depth = 0; depth < n->equations.levels; depth++) {
        n->first_tile[depth] = count;
        for (int p = 0; p < n->equations.panels; p++) {
            const system_panel *own = &n->equations.level[depth].panels[p];
            if (own->there && out) {
                list_tiles(own, p, out + count);
            }
            count += own->there ? tiles_of(&own->grid) : 0;
        }
        n->first_tile[depth + 1] = count;
    }
    return count;
}

static toile_result make_tiles(const machine *m, gl_newton *n) {
    const int count = walk_tiles(n, NULL), most = m->most_groups[0];
    if (n->first_tile[1] > most || n->equations.panels > most) {
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "the cloths of the world have %d tiles of texels: expected at most %d, "
                         "which is what the OpenGL driver can do; use a larger spacing, or device "
                         "\"cpu\"",
                         n->first_tile[1], most);
    }
    tile_block *tiles = memory_alloc((size_t)count, sizeof *tiles, "a world");
    if (!tiles) {
        return TOILE_ERROR_MEMORY;
    }
    walk_tiles(n, tiles);
    toile_result result = gl_make_buffer(m, &n->tiles, (size_t)count * sizeof *tiles, tiles);
    free(tiles);
    return result;
}

static toile_result make_level(const machine *m, gl_newton *n, int depth) {
    const system_level *l = &n->equations.level[depth];
    const grid layout = {.size = l->size};
    const int count = planes_of(depth);
    toile_result result =
        gl_make_planes(m, &layout, (size_t)count + TOUCHED_PLANE + 1, &n->planes[depth]);
    for (int w = 0; result == TOILE_OK && w < SYSTEM_WEIGHTS; w++) {
        gl_write_plane(n->planes[depth], &layout, count + w, l->weights[w]);
    }
    return result == TOILE_OK ? gl_couplings_mark(n, depth, count + TOUCHED_PLANE) : result;
}

/* Where the factors of coarsest matrices are. */
static toile_result make_factors(const machine *m, gl_newton *n) {
    const equations *e = &n->equations;
    size_t count = 0;
    n->factor_at = memory_alloc((size_t)e->parts, sizeof *n->factor_at, "a world");
    if (!n->factor_at) {
        return TOILE_ERROR_MEMORY;
    }
    for (int part = 0; part < e->parts; part++) {
        const size_t unknowns = (size_t)e->part[part].unknowns;
        if (unknowns > PART_UNKNOWNS) {
            return error_set(TOILE_ERROR_UNAVAILABLE,
                             "cloths that are tied together have %zu texels on their coarsest "
                             "level: expected at most %d on device \"gl\"; tie fewer, or use "
                             "device \"cpu\"",
                             unknowns / 3, PART_UNKNOWNS / 3);
        }
        n->factor_at[part] = (int)count;
        n->ends[e->part[part].levels - 1] = true;
        count += (unknowns > SHARED_UNKNOWNS ? 2 : 1) * unknowns * unknowns;
    }
    return gl_make_buffer(m, &n->factors, count * sizeof(float), NULL);
}

static int part_tiles(const equations *e, int part) {
    int tiles = 0;
    for (int p = e->part[part].first; p != NO_PANEL; p = e->next[p]) {
        tiles += tiles_of(&e->level[0].panels[p].grid);
    }
    return tiles;
}

/* Numbers of parts, and behind them the sums of tiles of the finest level, those of a part
 * together. */
static toile_result make_parts(const machine *m, gl_newton *n) {
    const equations *e = &n->equations;
    int floats = e->parts * PART_FLOATS;
    n->sums_at = memory_alloc((size_t)e->panels, sizeof *n->sums_at, "a world");
    if (!n->sums_at) {
        return TOILE_ERROR_MEMORY;
    }
    for (int part = 0; part < e->parts; part++) {
        for (int p = e->part[part].first; p != NO_PANEL; p = e->next[p]) {
            n->sums_at[p] = floats;
            floats += tiles_of(&e->level[0].panels[p].grid) * SUMS_FLOATS;
        }
    }
    return gl_make_buffer(m, &n->parts, (size_t)floats * sizeof(float), NULL);
}

/* Of all that the buffers hold; what a step fills comes on top of it. */
static size_t count_bytes(const gl_newton *n) {
    const GLuint others[] = {n->tiles, n->parts, n->groups, n->factors, n->couplings};
    const int depths = n->equations.levels, count = depths + (int)(sizeof others / sizeof *others);
    size_t bytes = 0;
    for (int i = 0; i < count; i++) {
        GLint64 size = 0;
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, i < depths ? n->planes[i] : others[i - depths]);
        glGetBufferParameteri64v(GL_SHADER_STORAGE_BUFFER, GL_BUFFER_SIZE, &size);
        bytes += (size_t)size;
    }
    return bytes;
}

device_system gl_system(const device_context *gl) {
    return (device_system){gl->newton.equations.levels, gl->newton.bytes};
}

static toile_result make_equations(const machine *m, gl_newton *n, const system_base *bases,
                                   int count, const coupling_base *couplings, int coupling_count) {
    toile_result result = equations_create(&n->equations, bases, count, couplings, coupling_count);
    for (int depth = 0; depth < n->equations.levels && result == TOILE_OK; depth++) {
        result = make_level(m, n, depth);
    }
    if (result == TOILE_OK) {
        result = make_tiles(m, n);
    }
    if (result == TOILE_OK) {
        result = make_factors(m, n);
    }
    if (result == TOILE_OK) {
        result = gl_small_find(n);
    }
    if (result == TOILE_OK) {
        result = make_parts(m, n);
    }
    if (result == TOILE_OK) {
        result = gl_groups_make(m, n);
    }
    if (result == TOILE_OK) {
        result = gl_couplings_make(m, n);
    }
    if (result == TOILE_OK) {
        watch_make(&n->watch);
        n->bytes = count_bytes(n);
    }
    return result;
}

/* Reads the plane back, which only couplings need. */
static float *inverse_mass_of(const device_cloth *cloth) {
    const size_t size = cloth->grid.size, bytes = size * sizeof(float);
    float *masses = memory_alloc(size, sizeof *masses, "a world");
    if (masses) {
        glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, cloth->state);
        glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, (GLintptr)(PLANE_inverse_mass * bytes),
                           (GLsizeiptr)bytes, masses);
    }
    return masses;
}

/* In the context. masses: a plane a cloth, which the caller frees. */
static toile_result set_equations(gl_newton *n, device_cloth *const *cloths, system_base *bases,
                                  float **masses, int count, const coupling_base *couplings,
                                  int coupling_count) {
    toile_result result = TOILE_OK;
    gl_newton_free(n);
    for (int c = 0; c < count && result == TOILE_OK; c++) {
        masses[c] = coupling_count > 0 ? inverse_mass_of(cloths[c]) : NULL;
        result = coupling_count > 0 && !masses[c] ? TOILE_ERROR_MEMORY : TOILE_OK;
        bases[c] = (system_base){&cloths[c]->grid, cloths[c]->panel->coverage, masses[c]};
    }
    if (result == TOILE_OK && count > 0) {
        result = make_equations(cloths[0]->gl->machine, n, bases, count, couplings, coupling_count);
    }
    if (result != TOILE_OK) {
        gl_newton_free(n);
    }
    return result;
}

toile_result gl_set_equations(device_context *gl, device_cloth *const *cloths, int count,
                              const coupling_base *couplings, int coupling_count) {
    system_base *bases = memory_alloc((size_t)count, sizeof *bases, "a world");
    float **masses = memory_alloc((size_t)count, sizeof *masses, "a world");
    context_before before;
    toile_result result =
        bases && masses ? context_enter(&gl->machine->context, &before) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result =
            set_equations(&gl->newton, cloths, bases, masses, count, couplings, coupling_count);
        context_leave(&gl->machine->context, &before);
    }
    for (int c = 0; masses && c < count; c++) {
        free(masses[c]);
    }
    free(masses);
    free(bases);
    return result;
}

/* ---- numbers ------------------------------------------------------------------------------------
 */

/* Is no panel of the part pinned? */
static bool is_loose(const equations *e, const step_plan *plan, int part) {
    bool loose = true;
    for (int p = e->part[part].first; p != NO_PANEL; p = e->next[p]) {
        loose &= !plan->cloths[p].pinned;
    }
    return loose;
}

static void fill_panel(const device_context *gl, const step_plan *plan, const device_cloth *cloth,
                       int p, system_block *out) {
    const gl_newton *n = &gl->newton;
    const equations *e = &n->equations;
    const cloth_params *c = &plan->cloths[p];
    const int part = e->part_of[p];
    float bend = c->bend * (1.0f + c->bend_lag);
    for (int depth = 0; depth < n->equations.levels; depth++, bend *= NEWTON_KINK) {
        const system_level *l = &n->equations.level[depth];
        const system_panel *own = &l->panels[p];
        out[depth * n->equations.panels] =
            (system_block){.columns = own->grid.columns,
                           .rows = own->grid.rows,
                           .stride = own->grid.stride,
                           .first = (int)(own->first + grid_index(&own->grid, 0, 0)),
                           .size = (int)l->size,
                           .last = own->last,
                           .small = depth == n->small_from[p]  ? SMALL_FIRST
                                    : depth > n->small_from[p] ? SMALL_LOWER
                                                               : 0,
                           .loose = is_loose(e, plan, part),
                           .coupled = e->level[0].couplings.rows > 0,
                           .repels = gl->self.repels_most,
                           .asleep = c->asleep,
                           .sums = n->sums_at[p],
                           .tiles = part_tiles(e, part),
                           .factor = n->factor_at[part],
                           .part = part,
                           .next = e->next[p],
                           .lead = p < e->parts ? e->part[p].first : 0,
                           .unknown = own->unknown,
                           .unknowns = e->part[part].unknowns,
                           .bend = bend,
                           .bend_once = c->bend,
                           .bend_lag = c->bend_lag,
                           .spacing = c->spacing,
                           .diagonal = c->diagonal,
                           .longest = c->longest,
                           .stretch_u = c->stretch_u,
                           .stretch_v = c->stretch_v,
                           .shear = c->shear,
                           .substep = plan->substep,
                           .press = touch_times(c->spacing, plan->substep, c->cell_mass),
                           .least = grip_least(plan->gravity, plan->substep),
                           .bodies = plan->body_count,
                           .touches = !plan->coarse_only,
                           .meshes = cloth->implicit.meshes,
                           .tolerance = c->little_move,
                           .enough = (float)plan->enough,
                           .slow = (float)(plan->slow * (double)plan->substep),
                           .little = (float)plan->little,
                           .share = (float)plan->share};
    }
}

/* What panels have to do with bodies. */
static toile_result upload_contacts(device_context *gl, const step_plan *plan) {
    const size_t bodies = (size_t)plan->body_count;
    const size_t bytes = (size_t)plan->cloth_count * bodies * sizeof(contact_block);
    contact_block *out = gl_stage(gl, bytes);
    for (int c = 0; out && c < plan->cloth_count; c++) {
        gl_fill_contacts(plan, c, out + (size_t)c * bodies);
    }
    return out ? gl_fill(gl->machine, &gl->newton.contacts, bytes, out) : TOILE_ERROR_MEMORY;
}

toile_result gl_newton_upload(device_context *gl, const step_plan *plan,
                              device_cloth *const *cloths) {
    gl_newton *n = &gl->newton;
    size_t bytes = (size_t)n->equations.panels * (size_t)n->equations.levels * sizeof(system_block);
    system_block *room = gl_stage(gl, bytes);
    if (!room) {
        return TOILE_ERROR_MEMORY;
    }
    n->loose = false;
    for (int p = 0; p < n->equations.panels; p++) {
        fill_panel(gl, plan, cloths[p], p, room + p);
        n->loose |= room[p].loose != 0;
    }
    toile_result result = gl_fill(gl->machine, &n->panels, bytes, room);
    if (result == TOILE_OK) {
        result = upload_contacts(gl, plan);
    }
    return result == TOILE_OK ? gl_couplings_aim(gl, plan) : result;
}

/* ---- passes -------------------------------------------------------------------------------------
 */

typedef struct solve {
    gl_run_state *run;
    int drawn; /* iterations of conjugate gradients in this one of Newton's method */
} solve;

/* How the device does a pass. */
typedef enum solve_over {
    OVER_NONE,       /* not at all: there is nothing to do, or another one does it, too */
    OVER_EACH_CLOTH, /* texels of the cloths, whose state it reads or writes */
    OVER_FINEST,     /* tiles of all panels, outside of conjugate gradients */
    OVER_EACH_TILE,  /* tiles of all panels on a level */
    OVER_EACH_END,   /* parts whose coarsest level it is */
    OVER_COUPLINGS   /* of a level, or texels that they touch */
} solve_over;

static const struct {
    solve_over over;
    gl_program program;
} passes[NEWTON_PASSES] = {
    [NEWTON_START] = {OVER_EACH_CLOTH, PROGRAM_newton_start},
    [NEWTON_SPRINGS] = {OVER_FINEST, PROGRAM_newton_springs},
    [NEWTON_STIFFEN] = {OVER_COUPLINGS, PROGRAM_newton_stiffen},
    [NEWTON_FORCES] = {OVER_FINEST, PROGRAM_newton_forces},
    [NEWTON_LOCAL] = {OVER_FINEST, PROGRAM_newton_local},
    [NEWTON_COARSEN] = {OVER_EACH_TILE, PROGRAM_newton_coarsen},
    [NEWTON_FACTOR] = {OVER_EACH_END, PROGRAM_newton_factor},
    [NEWTON_TOGETHER] = {OVER_COUPLINGS, PROGRAM_newton_together},
    [NEWTON_DEFECT] = {OVER_NONE, PROGRAM_NONE}, /* by down */
    [NEWTON_DOWN] = {OVER_EACH_TILE, PROGRAM_newton_down},
    [NEWTON_EXACT] = {OVER_EACH_END, PROGRAM_newton_exact},
    [NEWTON_UP] = {OVER_NONE, PROGRAM_NONE}, /* by the sweep */
    [NEWTON_SWEEP] = {OVER_EACH_TILE, PROGRAM_newton_up},
    [NEWTON_JOINED] = {OVER_COUPLINGS, PROGRAM_newton_together},
    [NEWTON_DIRECTION] = {OVER_EACH_TILE, PROGRAM_newton_direction},
    [NEWTON_PRODUCT] = {OVER_EACH_TILE, PROGRAM_newton_product},
    [NEWTON_ADVANCE] = {OVER_EACH_TILE, PROGRAM_newton_advance},
    [NEWTON_MOVE] = {OVER_FINEST, PROGRAM_newton_move},
    [NEWTON_MEET] = {OVER_NONE, PROGRAM_NONE},
    [NEWTON_PRESS] = {OVER_NONE, PROGRAM_NONE}, /* by move */
    [NEWTON_END] = {OVER_EACH_CLOTH, PROGRAM_newton_end},
};

static void run_cloths(gl_run_state *run, gl_program program) {
    for (int c = 0; c < run->plan->cloth_count; c++) {
        if (!run->plan->cloths[c].asleep) {
            gl_call call = {
                .program = program, .over = OVER_UP, .numbers = {run->gl->newton.sums_at[c]}};
            gl_dispatch(run, &call, run->cloths[c]);
        }
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

/* What slots hold that differ from program to program. */
static void bind_tables(gl_run_state *run, gl_program program) {
    const gl_newton *n = &run->gl->newton;
    const GLuint marks = run->gl->marks.handle;
    const GLuint repels = run->gl->self.repels != 0 ? run->gl->self.repels : marks;
    const bool numbers = program == PROGRAM_newton_numbers;
    const bool forces = program == PROGRAM_newton_forces;
    gl_bind(run, BIND_TILES,
            numbers                           ? repels
            : program == PROGRAM_newton_small ? n->factors
                                              : n->tiles);
    gl_bind(run, BIND_MARKS, numbers ? marks : repels);
    gl_bind(run, BIND_AIMS,
            numbers  ? n->watch.buffer
            : forces ? run->gl->shapes.handle
                     : n->aims.handle);
}

/* A program over the tiles, the parts or the couplings of a level. other: planes beside those of
 * the level. */
static void launch(gl_run_state *run, const gl_call *call, GLuint other) {
    const gl_newton *n = &run->gl->newton;
    const bool ends = call->program == PROGRAM_newton_numbers &&
                      (call->numbers[0] == NUMBERS_ADVANCE ||
                       call->numbers[0] == NUMBERS_SETTLE); /* dispatches to come */
    bind_tables(run, call->program);
    gl_bind(run, BIND_COARSER, other);
    gl_bind(run, BIND_EQUATIONS, n->planes[call->level]);
    gl_bind(run, BIND_PANELS, n->panels.handle);
    gl_bind(run, BIND_PARTS, n->parts);
    gl_bind(run, BIND_COUPLINGS, n->couplings);
    gl_launch(run, call, (GLuint)n->equations.parts, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | (ends ? GL_COMMAND_BARRIER_BIT : 0));
}

/* Over the coarsest level of those parts that end there. */
static void run_parts(gl_run_state *run, newton_pass which, int depth) {
    const gl_newton *n = &run->gl->newton;
    const int panels = n->equations.panels;
    const bool exact = which == NEWTON_EXACT;
    gl_call call = {.program = passes[which].program,
                    .level = depth,
                    .groups_at = groups_place(exact ? drawn_part_groups(n) : part_groups(n)),
                    .numbers = {0, depth * panels, 0, depth}};
    if (exact ? n->ends_alone[depth] : n->ends[depth]) {
        launch(run, &call, n->factors);
    }
}

/* From a level on, where that is the first small one of some panel. */
static void run_small(gl_run_state *run, int depth) {
    const gl_newton *n = &run->gl->newton;
    const int panels = n->equations.panels;
    const int lower = depth + 1 < n->equations.levels ? depth + 1 : depth;
    gl_call call = {.program = PROGRAM_newton_small,
                    .level = depth,
                    .groups_at = groups_place(drawn_part_groups(n)),
                    .numbers = {0, depth * panels, panels, depth}};
    if (n->begins_small[depth]) {
        launch(run, &call, n->planes[lower]);
    }
}

/* The first aim of the substep. */
static GLint first_aim(const gl_run_state *run) {
    return run->substep * run->gl->newton.equations.level[0].couplings.rows;
}

/* Of the finest level, outside of conjugate gradients. */
static void run_texels(gl_run_state *run, newton_pass which) {
    const gl_newton *n = &run->gl->newton;
    gl_call call = {.program = passes[which].program, .groups_at = groups_place(texel_groups(n))};
    launch(run, &call, which == NEWTON_FORCES ? n->contacts.handle : n->planes[0]);
}

/* Over the tiles of all panels on a level. On the way down the level whose matrix is needed is the
 * finer one. */
static void run_tiles(gl_run_state *run, newton_pass which, int depth) {
    const gl_newton *n = &run->gl->newton;
    const int panels = n->equations.panels;
    int own = depth, other = 0, groups = level_groups(n, depth, GROUPS_PLAIN);
    if (which == NEWTON_DOWN) {
        own = depth - 1;
        other = depth;
        groups = level_groups(n, depth, GROUPS_DOWN);
    } else if (which == NEWTON_COARSEN) {
        other = depth - 1;
        groups = coarsen_groups(depth);
    } else if (which == NEWTON_SWEEP) {
        other = depth + 1;
    }
    gl_call call = {.program = passes[which].program,
                    .level = own,
                    .groups_at = groups_place(groups),
                    .numbers = {n->first_tile[depth], own * panels, other * panels, own}};
    launch(run, &call, n->planes[other]);
}

/* What couplings of a level sum up: PULL_. */
static void run_pull(gl_run_state *run, GLint what, int depth) {
    const gl_newton *n = &run->gl->newton;
    const int panels = n->equations.panels, other = what == PULL_GAINED ? depth + 1 : 0;
    const int groups =
        what == PULL_PLACES ? coupling_groups(n) : level_groups(n, depth, GROUPS_PULL);
    gl_call call = {.program = PROGRAM_newton_pull,
                    .level = depth,
                    .groups_at = groups_place(groups),
                    .numbers = {what, depth * panels,
                                what == PULL_PLACES ? first_aim(run) : other * panels, depth}};
    launch(run, &call, n->planes[other]);
}

static void run_couplings(gl_run_state *run, newton_pass which, int depth) {
    const gl_newton *n = &run->gl->newton;
    const group_kind kind = which == NEWTON_STIFFEN ? GROUPS_PULL : GROUPS_TOGETHER;
    gl_call call = {
        .program = passes[which].program,
        .level = depth,
        .groups_at = groups_place(level_groups(n, depth, kind)),
        .numbers = {which == NEWTON_JOINED, depth * n->equations.panels, first_aim(run), depth}};
    launch(run, &call, n->planes[depth]);
}

/* Along the direction of conjugate gradients. iteration: of these. */
static void run_advance(gl_run_state *run, int iteration) {
    const gl_newton *n = &run->gl->newton;
    gl_call call = {.program = PROGRAM_newton_advance,
                    .groups_at = groups_place(advance_groups(n, iteration)),
                    .numbers = {0, 0, iteration, 0}};
    launch(run, &call, n->planes[0]);
}

/* Which one an iteration is: the last one of all, the last one that is queued, or none. */
static GLint kind_of(int done, int queued, int most) {
    return done == most ? ITERATION_LAST : done == queued ? ITERATION_SHORT : ITERATION_MORE;
}

/* What sums of parts come to. done: iterations with this one; kind: what kind_of says. */
static void run_numbers(gl_run_state *run, GLint what, GLint done, GLint kind) {
    const gl_newton *n = &run->gl->newton;
    const bool drawn = what == NUMBERS_DIRECTION || what == NUMBERS_ADVANCE;
    const int groups = drawn ? drawn_part_groups(n) : part_groups(n);
    gl_call call = {.program = PROGRAM_newton_numbers,
                    .groups_at = what == NUMBERS_START ? 0 : groups_place(groups),
                    .numbers = {what, done, kind}};
    launch(run, &call, n->groups);
}

/* What couplings have to do with a pass. */
static void couple_before(gl_run_state *run, newton_pass which, int depth) {
    if (which == NEWTON_FORCES) {
        run_pull(run, PULL_PLACES, 0);
    } else if (which == NEWTON_SWEEP) {
        run_pull(run, PULL_GAINED, depth);
    } else if (which == NEWTON_PRODUCT) {
        run_pull(run, PULL_DIRECTION, 0);
    }
}

/* Numbers that a pass needs. */
static void run_before(solve *s, newton_pass which) {
    if (which == NEWTON_FORCES) {
        s->drawn = 0;
        watch_for(&s->run->gl->newton.watch, TOLD_SOLVED);
    } else if (which == NEWTON_DIRECTION) {
        run_numbers(s->run, NUMBERS_DIRECTION, ++s->drawn, 0);
    } else if (which == NEWTON_ADVANCE) {
        run_numbers(s->run, NUMBERS_ADVANCE, s->drawn,
                    kind_of(s->drawn, s->run->gradients, s->run->plan->gradients));
    } else if (which == NEWTON_MOVE && s->run->gl->newton.loose) {
        run_numbers(s->run, NUMBERS_SHIFT, 0, 0);
    }
}

/* Is the level of a pass over tiles one that newton_small has of all panels? */
static bool is_small(const gl_newton *n, newton_pass which, int depth) {
    return (which == NEWTON_DOWN && !n->has_tiles[depth - 1]) ||
           (which == NEWTON_SWEEP && !n->has_tiles[depth]);
}

static void run_pass(void *user, newton_pass which, int depth) {
    solve *s = user;
    const gl_newton *n = &s->run->gl->newton;
    if (n->equations.level[0].couplings.rows > 0) {
        couple_before(s->run, which, depth);
    }
    run_before(s, which);
    if (passes[which].over == OVER_EACH_CLOTH) {
        run_cloths(s->run, passes[which].program);
    } else if (passes[which].over == OVER_FINEST) {
        run_texels(s->run, which);
    } else if (passes[which].over == OVER_EACH_END) {
        run_parts(s->run, which, depth);
    } else if (passes[which].over == OVER_COUPLINGS) {
        run_couplings(s->run, which, depth);
    } else if (which == NEWTON_ADVANCE) {
        run_advance(s->run, s->drawn);
    } else if (passes[which].over == OVER_EACH_TILE && !is_small(n, which, depth)) {
        run_tiles(s->run, which, depth);
    }
    if (which == NEWTON_EXACT) {
        run_small(s->run, depth);
    }
    if (which == NEWTON_START) {
        run_numbers(s->run, NUMBERS_START, 0, 0);
    }
}

/* While the GPU makes an iteration, the host learns what came of the one before: one at most has no
 * work groups. Waiting for the same one would leave the GPU idle each time. */
static bool draws_on(void *user, int done) {
    const gl_run_state *run = ((solve *)user)->run;
    gl_watch *watch = &run->gl->newton.watch;
    return done < run->gradients && !(watch->told && watch_look(watch, TOLD_SOLVED));
}

/* An iteration of Newton's method is too many dispatches to queue one that is not needed. */
static bool goes_on(void *user, int done) {
    gl_run_state *run = ((solve *)user)->run;
    gl_watch *watch = &run->gl->newton.watch;
    run_numbers(run, NUMBERS_SETTLE, done,
                kind_of(done, run->iterations, run->plan->most_iterations));
    return !(watch->told && watch_wait(watch, TOLD_REST)) && done < run->iterations;
}

static bool any_awake(const step_plan *plan) {
    bool any = false;
    for (int c = 0; c < plan->cloth_count; c++) {
        any |= !plan->cloths[c].asleep;
    }
    return any;
}

void gl_newton_run(gl_run_state *run) {
    const gl_newton *n = &run->gl->newton;
    if (n->equations.panels > 0 && any_awake(run->plan)) {
        gl_groups_reset(n);
        watch_for(&run->gl->newton.watch, TOLD_REST);
        newton_order(&(newton_device){.user = &(solve){.run = run},
                                      .levels = n->equations.levels,
                                      .coupled = n->equations.level[0].couplings.rows > 0,
                                      .run = run_pass,
                                      .draws_on = draws_on,
                                      .goes_on = goes_on});
    }
}
