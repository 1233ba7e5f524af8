/* The CPU device: its memory. run.c has the steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cpu/run.h"

const pass_table *passes_choose(void) {
    const pass_table *tables[4];
    int count = 0;
    tables[count++] = &passes_baseline;
#ifdef TOILE_X86_PASSES
    if (__builtin_cpu_supports("avx2")) {
        tables[count++] = &passes_avx2;
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) {
        tables[count++] = &passes_avx512;
    }
#endif
    const pass_table *best = tables[count - 1];
    const char *wanted = getenv("TOILE_SIMD");
    tables[count++] = &passes_scalar;
    for (int i = 0; wanted && i < count; i++) {
        if (strcmp(tables[i]->name, wanted) == 0) {
            best = tables[i];
        }
    }
    return best;
}

static const char *cpu_describe(const char **reason) {
    static _Thread_local char text[64];
    *reason = "";
    snprintf(text, sizeof text, "%d threads, %s", team_processors(), passes_choose()->name);
    return text;
}

static device_context *cpu_open(const toile_world_def *def, team *threads) {
    (void)def;
    device_context *context = memory_alloc(1, sizeof *context, "the CPU device");
    if (context) {
        context->team = threads;
        context->used = team_size(threads);
        context->passes = passes_choose();
    }
    return context;
}

static void cpu_close(device_context *context) {
    self_free(context->self);
    meet_free(context->meet);
    map_set_free(&context->maps);
    newton_state_free(&context->newton);
    free(context->panels);
    free(context);
}

static int cpu_threads(const device_context *context) {
    return context->used;
}

static const char *cpu_simd(const device_context *context) {
    return context->passes->name;
}

static device_cloth *cpu_cloth_create(device_context *context, const panel *p, const grid *g) {
    (void)context;
    device_cloth *cloth = memory_alloc(1, sizeof *cloth, "a cloth");
    if (cloth && cloth_state_create(&cloth->state, g) != TOILE_OK) {
        free(cloth);
        return NULL;
    }
    if (cloth) {
        cloth->panel = p;
        memcpy(cloth->state.at.coverage, p->coverage, g->size * sizeof(float));
    }
    return cloth;
}

static void cpu_cloth_destroy(device_cloth *cloth) {
    if (cloth) {
        implicit_state_free(&cloth->implicit);
        hierarchy_free(&cloth->hierarchy);
        coarse_free(&cloth->coarse);
        ccd_free(&cloth->ccd);
        cloth_state_free(&cloth->state);
        free(cloth);
    }
}

static size_t cpu_cloth_bytes(const device_cloth *cloth) {
    return cloth->state.bytes + cloth->hierarchy.bytes + cloth->coarse.bytes +
           cloth->implicit.bytes + cloth->ccd.bytes;
}

static toile_result cpu_set_levels(device_cloth *cloth, const levels *tables, const bool *jacobi) {
    hierarchy_free(&cloth->hierarchy);
    coarse_free(&cloth->coarse);
    toile_result result = coarse_create(&cloth->coarse, cloth->panel);
    return result == TOILE_OK ? hierarchy_create(&cloth->hierarchy, tables, &cloth->state, jacobi)
                              : result;
}

static toile_result cpu_set_implicit(device_cloth *cloth, bool meshes) {
    implicit_state made;
    toile_result result = implicit_state_create(&made, &cloth->state.grid, meshes);
    if (result == TOILE_OK) {
        implicit_state_keep(&made, &cloth->implicit, &cloth->state.grid);
        implicit_state_free(&cloth->implicit);
        cloth->implicit = made;
    }
    return result;
}

/* Places that couplings tie to others. */
static void tell_ties(const device_context *context) {
    const equations *e = &context->newton.equations;
    const coupling_level *c = &e->level[0].couplings;
    for (int r = 0; r < c->rows; r++) {
        for (int k = 0; k < c->row[r].count && c->row[r].tied; k++) {
            const int index = coupling_panel(&c->row[r], k);
            const system_panel *own = &e->level[0].panels[index];
            const size_t at = c->row[r].texels[k] - own->first - grid_index(&own->grid, 0, 0);
            const int column = (int)(at % (size_t)own->grid.stride),
                      row = (int)(at / (size_t)own->grid.stride);
            if (context->meet) {
                meet_tie(context->meet, index, column, row);
            } else {
                self_tie(context->self, index, column, row);
            }
        }
    }
}

static toile_result cpu_set_self(device_context *context, device_cloth *const *cloths,
                                 const float *distances, int count) {
    uint64_t texels = 0, rows = 0;
    for (int c = 0; c < count; c++) {
        texels += self_numbers(&cloths[c]->state.grid);
        rows += (uint64_t)cloths[c]->state.grid.rows;
    }
    self_free(context->self);
    context->self = self_create(count, texels, rows, team_size(context->team));
    for (int c = 0; context->self && c < count; c++) {
        self_add_cloth(context->self, &cloths[c]->state.grid, cloths[c]->panel->mask, distances[c]);
    }
    if (!context->self) {
        return TOILE_ERROR_MEMORY;
    }
    tell_ties(context);
    return self_arrange(context->self);
}

static toile_result cpu_set_meet(device_context *context, device_cloth *const *cloths, int count) {
    meet_free(context->meet);
    context->meet = meet_create(count, team_size(context->team));
    toile_result result = context->meet ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (int c = 0; result == TOILE_OK && c < count; c++) {
        result = meet_add_cloth(context->meet, cloths[c]->panel, &cloths[c]->state.grid);
    }
    if (result == TOILE_OK) {
        tell_ties(context);
        result = meet_arrange(context->meet, &context->newton.equations);
    }
    return result;
}

static toile_result cpu_set_equations(device_context *context, device_cloth *const *cloths,
                                      int count, const coupling_base *couplings,
                                      int coupling_count) {
    newton_state_free(&context->newton);
    free(context->panels);
    context->panels = memory_alloc((size_t)count, sizeof *context->panels, "a world");
    system_base *bases = memory_alloc((size_t)count, sizeof *bases, "a world");
    toile_result result = context->panels && bases ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (int c = 0; result == TOILE_OK && c < count; c++) {
        const cloth_planes *at = &cloths[c]->state.at;
        bases[c] = (system_base){&cloths[c]->state.grid, at->coverage, at->inverse_mass};
    }
    if (result == TOILE_OK) {
        result = newton_state_create(&context->newton, bases, count, couplings, coupling_count,
                                     team_size(context->team));
    }
    free(bases);
    return result;
}

static device_system cpu_system(const device_context *context) {
    return (device_system){context->newton.equations.levels, context->newton.bytes};
}

static toile_result cpu_set_ccd(device_cloth *cloth, bool on, bool edges) {
    ccd_free(&cloth->ccd);
    return on ? ccd_create(&cloth->ccd, &cloth->state.grid, edges) : TOILE_OK;
}

/* Drawn by OpenGL, wherever it runs, and read back. */
static toile_result cpu_set_maps(device_context *context, const map_request *request) {
    toile_result result =
        map_drawer_here ? map_drawer_here->draw(&context->maps, request)
                        : error_set(TOILE_ERROR_UNAVAILABLE, "this library is built without it");
    if (result == TOILE_ERROR_UNAVAILABLE) {
        error_prefix("collision \"maps\" draws bodies with OpenGL; \"auto\", \"shapes\" and "
                     "\"coarse\" do without: ");
    }
    return result;
}

static toile_result cpu_move_maps(device_context *context, map_counts *counts) {
    return map_set_move(&context->maps, &map_copy_mover, &context->maps, counts);
}

static void cpu_write_inverse_mass(device_cloth *cloth, const float *inverse_mass) {
    const grid *g = &cloth->state.grid;
    for (int j = 0; j < g->rows; j++) {
        memcpy(cloth->state.at.inverse_mass + grid_index(g, 0, j),
               inverse_mass + (size_t)j * (size_t)g->columns, (size_t)g->columns * sizeof(float));
    }
}

/* The planes of a field, NULL where a cloth has none: before the first step of an implicit solver,
 * and for all but the first one of a limit. */
static void field_planes(const device_cloth *cloth, device_field field, float *out[3]) {
    const implicit_planes *own = &cloth->implicit.at;
    float *const *state = cloth->state.at.plane;
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = field == FIELD_POSITION   ? state[PLANE_x + axis]
                    : field == FIELD_VELOCITY ? state[PLANE_vx + axis]
                    : field == FIELD_CHANGE   ? own->plane[IMPLICIT_change_x + axis]
                    : field == FIELD_FRICTION ? own->plane[IMPLICIT_fx + axis]
                    : field == FIELD_REST     ? own->plane[IMPLICIT_rest_x + axis]
                    : axis == 0               ? own->limit
                                              : NULL;
    }
}

static void cpu_write(device_cloth *cloth, device_field field, const float *values) {
    const grid *g = &cloth->state.grid;
    float *planes[3];
    field_planes(cloth, field, planes);
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            for (int axis = 0; axis < 3; axis++, values++) {
                if (planes[axis]) {
                    planes[axis][grid_index(g, i, j)] = *values;
                }
            }
        }
    }
}

static void cpu_read(const device_cloth *cloth, device_field field, float *values) {
    const grid *g = &cloth->state.grid;
    float *planes[3];
    field_planes(cloth, field, planes);
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            for (int axis = 0; axis < 3; axis++) {
                *values++ = planes[axis] ? planes[axis][grid_index(g, i, j)] : 0.0f;
            }
        }
    }
}

const device cpu_device = {
    .name = "cpu",
    .deforms = true,
    .continuous = true,
    .sleeps = true,
    .describe = cpu_describe,
    .open = cpu_open,
    .close = cpu_close,
    .threads = cpu_threads,
    .simd = cpu_simd,
    .cloth_create = cpu_cloth_create,
    .cloth_destroy = cpu_cloth_destroy,
    .cloth_bytes = cpu_cloth_bytes,
    .set_levels = cpu_set_levels,
    .set_implicit = cpu_set_implicit,
    .set_self = cpu_set_self,
    .set_meet = cpu_set_meet,
    .set_equations = cpu_set_equations,
    .system = cpu_system,
    .couples = true,
    .set_ccd = cpu_set_ccd,
    .set_maps = cpu_set_maps,
    .move_maps = cpu_move_maps,
    .write_inverse_mass = cpu_write_inverse_mass,
    .write = cpu_write,
    .read = cpu_read,
    .run = cpu_run,
};
