/* Sampling and projection by the clock of the GPU, beside Table 1 of Schmitt 2013. */
#include "bench/surface.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/devices.h"
#include "app/rank.h"
#include "base/error.h"
#include "base/memory.h"
#include "bench/panels.h"
#include "bench/results.h"

#ifdef TOILE_GL

#include "gl/surface.h"

/* Times of single calls are too short for some clocks, so each measurement has several. */
enum { ROUNDS = 21, CALLS = 16, STEPS = 9, SQUARES = 2, ROWS = SQUARES + BENCH_PANELS };

/* The sizes of the paper: 50k texels and 1300 vertices in Table 1, 230k and 5100 in Figure 1. */
static const struct {
    const char *name;
    int across;   /* texels */
    int vertices; /* along an edge of the coarse mesh */
} squares[SQUARES] = {{"square", 225, 36}, {"square", 481, 72}};

/* What is measured of a panel, in ms, median. */
typedef struct surface_times {
    const char *name;
    toile_panel_info info;
    double sample, project;
    double drawn, compute; /* the stage of a step that does both, and collides between them */
} surface_times;

static toile_result cook_row(int row, bool quick, toile_panel **out) {
    toile_panel_def def = toile_default_panel_def();
    const double coarser = quick ? 8.0 : 1.0;
    if (row < SQUARES) {
        def.spacing = (float)(coarser / (squares[row].across - 1));
        def.coarse_edge = (float)(coarser / (squares[row].vertices - 1));
    } else {
        def.outline = &bench_panels[row - SQUARES].outline;
        def.spacing = (float)(coarser * BENCH_SPACING);
        def.coarse_edge = (float)(coarser * bench_panels[row - SQUARES].edge);
    }
    return toile_panel_cook(&def, out);
}

/* ---- alone --------------------------------------------------------------------------------------
 */

static GLuint make_zeros(size_t floats) {
    GLuint buffer = 0;
    float *zeros = memory_alloc(floats, sizeof *zeros, "what is sampled");
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(floats * sizeof *zeros), zeros, GL_STATIC_DRAW);
    free(zeros);
    return buffer;
}

static double time_calls(const gl_surface *s, bool sample) {
    GLuint query = 0;
    GLuint64 spent = 0;
    glGenQueries(1, &query);
    glBeginQuery(GL_TIME_ELAPSED, query);
    for (int i = 0; i < CALLS; i++) {
        if (sample) {
            surface_sample(s);
        } else {
            surface_project(s, 0, 3);
        }
    }
    glEndQuery(GL_TIME_ELAPSED);
    glGetQueryObjectui64v(query, GL_QUERY_RESULT, &spent);
    glDeleteQueries(1, &query);
    return (double)spent * 1e-6 / CALLS;
}

static double time_median(const gl_surface *s, bool sample) {
    double times[ROUNDS];
    time_calls(s, sample); /* warm */
    for (int i = 0; i < ROUNDS; i++) {
        times[i] = time_calls(s, sample);
    }
    rank_sort(times, ROUNDS);
    return rank_get(times, ROUNDS, 0.5);
}

static toile_result time_alone(machine *m, const toile_panel *p, surface_times *out) {
    const surface_buffers of = {make_zeros(6 * (size_t)p->coarse.vertex_count),
                                make_zeros(6 * p->grid.size)};
    gl_surface surface;
    toile_result result = surface_make(&surface, m, p, of);
    if (result == TOILE_OK) {
        out->sample = time_median(&surface, true);
        out->project = time_median(&surface, false);
        surface_free(&surface);
        result = context_check("measuring a surface");
    }
    glDeleteBuffers(2, (const GLuint[]){of.vertices, of.planes});
    return result;
}

static toile_result time_in_context(const toile_panel *p, surface_times *out) {
    machine *m = machine_take(MACHINE_COMPUTE);
    context_before before;
    toile_result result = m ? context_enter(&m->context, &before) : TOILE_ERROR_UNAVAILABLE;
    if (result == TOILE_OK) {
        result = time_alone(m, p, out);
        context_leave(&m->context, &before);
    }
    machine_give(m, result != TOILE_OK);
    return result;
}

/* ---- in a step ----------------------------------------------------------------------------------
 */

/* The cloth lies on a ball that is as good as a plane, so that all of it is sampled in each step.
 */
static toile_result make_world(const toile_panel *p, toile_world **out) {
    static const toile_level_def level = {TOILE_RELAXATION_JACOBI, 1};
    toile_world_def def = toile_default_world_def();
    def.device = "gl";
    def.collision = TOILE_COLLISION_COARSE;
    def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    def.solver.self_collision = false;
    def.solver.substeps = 1;
    def.solver.levels = &level;
    def.solver.level_count = 1;
    toile_result result = toile_world_create(&def, out);
    if (result != TOILE_OK) {
        return result;
    }
    toile_cloth_def cloth = toile_default_cloth_def();
    cloth.panel = p;
    cloth.transform.rotate[0] = -90.0f;
    cloth.transform.translate[1] = 0.02f;
    toile_body_def ball = toile_default_body_def();
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.center[1] = -100.0f;
    ball.radii[0] = 100.0f;
    bool added = toile_world_add_cloth(*out, &cloth).slot && toile_world_add_body(*out, &ball).slot;
    return added ? TOILE_OK : TOILE_ERROR_INVALID;
}

static toile_result time_stage(const toile_panel *p, bool drawn, double *ms) {
    toile_world *world = NULL;
    double times[STEPS];
    surface_prefer(drawn);
    toile_result result = make_world(p, &world);
    for (int i = -6; i < STEPS && result == TOILE_OK; i++) { /* the first ones fall */
        result = toile_world_step(world, 1.0f / 60.0f);
        times[i < 0 ? 0 : i] = toile_world_get_profile(world).stage_ms[TOILE_STAGE_COARSE];
    }
    surface_prefer(false);
    toile_world_destroy(world);
    if (result == TOILE_OK) {
        rank_sort(times, STEPS);
        *ms = rank_get(times, STEPS, 0.5);
    }
    return result;
}

/* ---- the table ----------------------------------------------------------------------------------
 */

static toile_result measure_row(int row, bool quick, surface_times *out) {
    toile_panel *p = NULL;
    toile_result result = cook_row(row, quick, &p);
    if (result != TOILE_OK) {
        return result;
    }
    out->name = row < SQUARES ? squares[row].name : bench_panels[row - SQUARES].name;
    out->info = toile_panel_get_info(p);
    result = time_in_context(p, out);
    if (result == TOILE_OK) {
        result = time_stage(p, true, &out->drawn);
    }
    if (result == TOILE_OK) {
        result = time_stage(p, false, &out->compute);
    }
    toile_panel_destroy(p);
    return result;
}

static void print_row(const surface_times *t) {
    printf("%-12s %8zu %8zu %10.4f %11.4f %8.4f %9.4f %11.4f\n", t->name, t->info.coarse_vertices,
           t->info.texels, t->sample, t->project, t->sample + t->project, t->drawn, t->compute);
}

toile_result bench_surface(bool quick) {
    printf("%s; %s\n\n", results_machine(), device_description("gl"));
    printf("%-12s %8s %8s %10s %11s %8s %9s %11s\n", "panel", "vertices", "texels", "sample ms",
           "project ms", "both ms", "drawn ms", "compute ms");
    for (int row = 0; row < ROWS; row++) {
        surface_times t = {.name = NULL};
        toile_result result = measure_row(row, quick, &t);
        if (result != TOILE_OK) {
            return result;
        }
        print_row(&t);
    }
    printf("%-12s %8d %8d %10.4f %11.4f %8s %9s %11s\n", "Schmitt 2013", 1300, 50000, 0.06, 0.02,
           "< 0.1", "", "");
    printf("Two vectors a vertex, by timer queries, median of %d. drawn, compute: the stage of a "
           "step that\nprojects, collides with a ball and samples, with the graphics pipeline and "
           "by compute shaders.\nThe paper's are of a Radeon HD 7850 (Table 1), one vector.\n",
           ROUNDS);
    return TOILE_OK;
}

#else

toile_result bench_surface(bool quick) {
    (void)quick;
    return error_set(TOILE_ERROR_UNAVAILABLE,
                     "bench: this toile was built without the gl device (TOILE_GL)");
}

#endif
