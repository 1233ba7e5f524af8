/* The CPU device: threads over rows. One parallel region runs all substeps of a step; a pass
 * waits only where it must. */
#include "device/device.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/barrier.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cpu/passes.h"

#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_thread_num(void) {
    return 0;
}
static int omp_get_num_threads(void) {
    return 1;
}
#endif

struct device_context {
    int threads; /* asked for */
    int used;    /* in the last step */
    const pass_table *passes;
};

struct device_cloth {
    cloth_state state;
};

static int machine_threads(void) {
#ifdef _OPENMP
    return omp_get_num_procs();
#else
    return 1;
#endif
}

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
    snprintf(text, sizeof text, "%d threads, %s", machine_threads(), passes_choose()->name);
    return text;
}

static device_context *cpu_open(int threads) {
    device_context *context = memory_alloc(1, sizeof *context, "the CPU device");
    if (context) {
        context->threads = threads > 0 ? threads : machine_threads();
        context->used = context->threads;
        context->passes = passes_choose();
    }
    return context;
}

static void cpu_close(device_context *context) {
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
        memcpy(cloth->state.at.coverage, p->coverage, g->size * sizeof(float));
    }
    return cloth;
}

static void cpu_cloth_destroy(device_cloth *cloth) {
    if (cloth) {
        cloth_state_free(&cloth->state);
        free(cloth);
    }
}

static size_t cpu_cloth_bytes(const device_cloth *cloth) {
    return cloth->state.bytes;
}

static void cpu_write_inverse_mass(device_cloth *cloth, const float *inverse_mass) {
    const grid *g = &cloth->state.grid;
    for (int j = 0; j < g->rows; j++) {
        memcpy(cloth->state.at.inverse_mass + grid_index(g, 0, j),
               inverse_mass + (size_t)j * (size_t)g->columns, (size_t)g->columns * sizeof(float));
    }
}

static plane field_plane(device_field field) {
    return field == FIELD_POSITION ? PLANE_x : PLANE_vx;
}

static void cpu_write(device_cloth *cloth, device_field field, const float *values) {
    const grid *g = &cloth->state.grid;
    float *const *planes = &cloth->state.at.plane[field_plane(field)];
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++, values += 3) {
            size_t k = grid_index(g, i, j);
            planes[0][k] = values[0];
            planes[1][k] = values[1];
            planes[2][k] = values[2];
        }
    }
}

static void cpu_read(const device_cloth *cloth, device_field field, float *values) {
    const grid *g = &cloth->state.grid;
    float *const *planes = &cloth->state.at.plane[field_plane(field)];
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++, values += 3) {
            size_t k = grid_index(g, i, j);
            values[0] = planes[0][k];
            values[1] = planes[1][k];
            values[2] = planes[2][k];
        }
    }
}

static void place_of(const pose *p, const float *anchor, double place[3]) {
    double local[3] = {(double)anchor[0], (double)anchor[1], (double)anchor[2]};
    pose_apply(p, local, place);
}

/* Pinned texels get the velocity of their pin. One that is away from it, having been put somewhere
 * else, gets there by the end of the step. */
static void steer_pinned(const step_plan *plan, const plan_pin *pin, cloth_state *s, int substep,
                         int row_begin, int row_end) {
    const double count = plan->substeps, left = plan->substeps - substep,
                 time = (double)plan->substep;
    const pose before = pose_lerp(&pin->start, &pin->end, substep / count);
    const pose after = pose_lerp(&pin->start, &pin->end, (substep + 1) / count);
    for (uint32_t t = 0; t < pin->count; t++) {
        int column = (int)(pin->texels[t] % (uint32_t)s->grid.columns);
        int row = (int)(pin->texels[t] / (uint32_t)s->grid.columns);
        if (row < row_begin || row >= row_end) {
            continue;
        }
        size_t k = grid_index(&s->grid, column, row);
        double from[3], to[3];
        place_of(&before, pin->anchors + 3 * (size_t)t, from);
        place_of(&after, pin->anchors + 3 * (size_t)t, to);
        for (int axis = 0; axis < 3; axis++) {
            double away = from[axis] - (double)s->at.plane[PLANE_x + axis][k];
            s->at.plane[PLANE_vx + axis][k] = (float)((to[axis] - from[axis] + away / left) / time);
        }
    }
}

/* The elongation limit has nothing to do while all threads of a cloth are shorter than this share
 * of it. */
static const float NEARLY = 0.95f;

static bool near_limit(const cloth_params *params, const cloth_state *s) {
    float allowed = 1.0f + NEARLY * (params->longest / params->spacing - 1.0f);
    for (int row = 0; params->limited && row < s->grid.rows; row++) {
        if (!(s->row_stretch[row] <= allowed)) {
            return true;
        }
    }
    return false;
}

/* What the threads of a step share. */
typedef struct run_state {
    const pass_table *passes;
    step_plan *plan;
    device_cloth *const *cloths;
    double *stage_ms;
    double clock; /* of thread 0 */
    toile_stage stage;
    barrier barrier;
} run_state;

/* One pass over a thread's rows of a cloth. */
static void run_rows(run_state *run, pass_call call, int substep, int c, int thread) {
    step_plan *plan = run->plan;
    cloth_state *state = &run->cloths[c]->state;
    int64_t rows = state->grid.rows, threads = run->barrier.threads;
    int begin = (int)(rows * thread / threads), end = (int)(rows * (thread + 1) / threads);
    int parity = substep & 1;
    bool limits = call.pass >= PASS_LIMIT && call.pass <= PASS_REST_BACK;
    if (limits && !near_limit(&plan->cloths[c], state)) {
        return; /* another cloth is: what this one does must not depend on it */
    }
    if (call.pass == PASS_PINS) {
        for (int p = 0; p < plan->pin_count; p++) {
            if (plan->pins[p].cloth == c) {
                steer_pinned(plan, &plan->pins[p], state, substep, begin, end);
            }
        }
    } else if (run->passes->row_passes[call.pass]) {
        pass_args args = {plan, &plan->cloths[c], state, call.share, parity};
        run->passes->row_passes[call.pass](&args, begin, end);
    }
}

/* Thread 0 keeps the time; waiting counts for the stage before. */
static void run_pass(run_state *run, pass_call call, int substep, int thread) {
    if (call.pass == PASS_WAIT) {
        barrier_wait(&run->barrier);
    }
    if (call.pass == PASS_BODIES && thread == 0 && substep + 1 < run->plan->substeps) {
        plan_advance(run->plan, substep + 1);
    }
    for (int c = 0; c < run->plan->cloth_count; c++) {
        run_rows(run, call, substep, c, thread);
    }
    if (thread == 0) {
        double now = clock_ms();
        run->stage = call.pass == PASS_WAIT ? run->stage : pass_stage(call.pass);
        run->stage_ms[run->stage] += now - run->clock;
        run->clock = now;
    }
}

/* Pairs of passes, velocities to the scratch planes and back. All threads find the same cloths near
 * the limit. */
static void run_limit(run_state *run, pass there, int pairs, int substep, int thread) {
    const pass back = there == PASS_LIMIT ? PASS_LIMIT_BACK : PASS_REST_BACK;
    const step_plan *plan = run->plan;
    bool any = false;
    for (int c = 0; c < plan->cloth_count; c++) {
        any |= near_limit(&plan->cloths[c], &run->cloths[c]->state);
    }
    for (int i = 0; any && i < 2 * pairs; i++) {
        run_pass(run, (pass_call){.pass = PASS_WAIT}, substep, thread);
        run_pass(run, (pass_call){.pass = i % 2 ? back : there}, substep, thread);
    }
    if (any) {
        run_pass(run, (pass_call){.pass = PASS_WAIT}, substep, thread);
    }
}

/* Threads at their limit form long chains, and each pair of passes reaches two texels further. Once
 * a step this costs little. */
enum { REST_PAIRS = 8 };

static void run_passes(run_state *run, int begin, int end, int substep, int thread) {
    for (int p = begin; p < end; p++) {
        pass_call call = run->plan->passes[p];
        if (call.pass == PASS_LIMIT) {
            run_limit(run, PASS_LIMIT, run->plan->limit_pairs, substep, thread);
        } else if (call.pass == PASS_REST) {
            run_limit(run, PASS_REST, REST_PAIRS, substep, thread);
        } else {
            run_pass(run, call, substep, thread);
        }
    }
}

static bool find_failure(const step_plan *plan, device_cloth *const *cloths,
                         device_failure *failure) {
    for (int c = 0; c < plan->cloth_count; c++) {
        const cloth_state *s = &cloths[c]->state;
        for (int row = 0; row < s->grid.rows; row++) {
            if (s->row_bad[row] >= 0) {
                *failure = (device_failure){c, s->row_bad[row], row};
                return true;
            }
        }
    }
    return false;
}

/* The wind planes are read also when there is no wind, and must be finite then. */
static void restore(const step_plan *plan, device_cloth *const *cloths) {
    for (int c = 0; c < plan->cloth_count; c++) {
        cloth_state *s = &cloths[c]->state;
        for (int p = PLANE_sx; p <= PLANE_sz; p++) {
            memset(s->at.plane[p], 0, s->grid.size * sizeof(float));
        }
        for (int p = 0; p < SAVED_PLANES; p++) {
            memcpy(s->at.plane[FIRST_SAVED + p], s->at.plane[FIRST_BACKUP + p],
                   s->grid.size * sizeof(float));
        }
    }
}

/* Threads own rows: more of them than rows have nothing to do but wait. */
static int useful_threads(const device_context *context, const step_plan *plan,
                          device_cloth *const *cloths) {
    int rows = 1;
    for (int c = 0; c < plan->cloth_count; c++) {
        rows = cloths[c]->state.grid.rows > rows ? cloths[c]->state.grid.rows : rows;
    }
    return context->threads < rows ? context->threads : rows;
}

/* Threads of the runtime have floating-point settings of their own, such as those of the caller
 * when they were made. */
static toile_result cpu_run(device_context *context, step_plan *plan, device_cloth *const *cloths,
                            double stage_ms[TOILE_STAGE_COUNT], device_failure *failure) {
    run_state run = {.passes = context->passes,
                     .plan = plan,
                     .cloths = cloths,
                     .stage_ms = stage_ms,
                     .clock = clock_ms()};
    plan_advance(plan, 0);
#pragma omp parallel num_threads(useful_threads(context, plan, cloths)) default(shared)
    {
#pragma omp single
        {
            barrier_create(&run.barrier, omp_get_num_threads());
            context->used = omp_get_num_threads();
        }
        int thread = omp_get_thread_num();
        fenv_t caller;
        fegetenv(&caller);
        fesetenv(FE_DFL_ENV);
        run_passes(&run, 0, plan->prologue, 0, thread);
        for (int s = 0; s < plan->substeps; s++) {
            run_passes(&run, plan->prologue, plan->epilogue, s, thread);
        }
        run_passes(&run, plan->epilogue, plan->pass_count, plan->substeps - 1, thread);
        run_pass(&run, (pass_call){.pass = PASS_CHECK}, plan->substeps - 1, thread);
        fesetenv(&caller);
    }
    barrier_destroy(&run.barrier);
    if (find_failure(plan, cloths, failure)) {
        restore(plan, cloths);
        return TOILE_ERROR_NUMERICAL;
    }
    return TOILE_OK;
}

const device cpu_device = {
    .name = "cpu",
    .describe = cpu_describe,
    .open = cpu_open,
    .close = cpu_close,
    .threads = cpu_threads,
    .simd = cpu_simd,
    .cloth_create = cpu_cloth_create,
    .cloth_destroy = cpu_cloth_destroy,
    .cloth_bytes = cpu_cloth_bytes,
    .write_inverse_mass = cpu_write_inverse_mass,
    .write = cpu_write,
    .read = cpu_read,
    .run = cpu_run,
};
