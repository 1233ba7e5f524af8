#include "gl/levels.h"

/* Copies planes of a buffer, of a grid, behind what shaders wrote. */
static void copy_planes(GLuint buffer, const grid *g, int from, int to, int count) {
    size_t bytes = g->size * sizeof(float);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_COPY_READ_BUFFER, buffer);
    glBindBuffer(GL_COPY_WRITE_BUFFER, buffer);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)((size_t)from * bytes),
                        (GLintptr)((size_t)to * bytes), (GLsizeiptr)((size_t)count * bytes));
}

static void run_jacobi(gl_run_state *run, int depth, int iterations) {
    for (int i = 0; i < iterations; i++) {
        bool back = i % 2 != 0;
        gl_call_all(
            run, &(gl_call){.program = PROGRAM_jacobi,
                            .level = depth,
                            .numbers = {back ? LEVEL_qx : LEVEL_x, back ? LEVEL_x : LEVEL_qx,
                                        back ? LEVEL_nu : LEVEL_lu, back ? LEVEL_lu : LEVEL_nu}});
    }
    for (int c = 0; c < run->plan->cloth_count && iterations % 2; c++) {
        if (depth < run->cloths[c]->level_count) {
            const gl_level *l = &run->cloths[c]->levels[depth];
            copy_planes(l->planes, &l->table->grid, LEVEL_qx, LEVEL_x, 3);
            copy_planes(l->planes, &l->table->grid, LEVEL_nu, LEVEL_lu, EDGE_KINDS);
        }
    }
}

/* The eight sets of iterations of Gauss-Seidel, backwards every second time. */
static void run_sets(gl_run_state *run, int depth, int begin, int end) {
    for (int i = 8 * begin; i < 8 * end; i++) {
        bool backwards = (i / 8) % 2 != 0;
        gl_call_all(run, &(gl_call){.program = PROGRAM_relax,
                                    .level = depth,
                                    .numbers = {backwards ? 7 - i % 8 : i % 8}});
    }
}

/* In tiles iterations come in pairs, out and back. */
static bool run_tiles(gl_run_state *run, int depth, int iterations, bool projects) {
    int paired = iterations / 2 * 2;
    bool ends = projects && paired == iterations && paired > 0;
    for (int i = 0; i < paired; i++) {
        gl_call_all(run, &(gl_call){.program = PROGRAM_relax_tile,
                                    .over = OVER_TILES,
                                    .level = depth,
                                    .numbers = {i % 2, ends && i + 1 == paired}});
    }
    run_sets(run, depth, paired, iterations);
    return ends;
}

static size_t most_texels(const gl_run_state *run, int depth) {
    size_t most = 0;
    for (int c = 0; c < run->plan->cloth_count; c++) {
        const device_cloth *cloth = run->cloths[c];
        size_t texels =
            depth < cloth->level_count ? grid_texels(&cloth->levels[depth].table->grid) : 0;
        most = texels > most ? texels : most;
    }
    return most;
}

bool gl_run_relax(gl_run_state *run, int depth, bool projects) {
    const toile_level_def *def = &run->plan->levels[depth].def;
    if (def->relaxation == TOILE_RELAXATION_JACOBI) {
        run_jacobi(run, depth, def->iterations);
        return false;
    }
    switch (machine_relaxing(run->gl->machine, most_texels(run, depth))) {
    case RELAX_SMALL:
        gl_call_all(run, &(gl_call){.program = PROGRAM_relax_small,
                                    .over = OVER_LEVEL,
                                    .level = depth,
                                    .numbers = {def->iterations, projects}});
        return projects;
    case RELAX_TILES:
        return run_tiles(run, depth, def->iterations, projects);
    default:
        run_sets(run, depth, 0, def->iterations);
        return false;
    }
}

/* Usual and odd texels are different ones, so no barrier is needed between them. */
void gl_run_upsample(gl_run_state *run, int depth) {
    for (int c = 0; c < run->plan->cloth_count; c++) {
        const device_cloth *cloth = run->cloths[c];
        if (depth + 1 < cloth->level_count) {
            const gl_level *coarser = &cloth->levels[depth + 1];
            GLint odd = (GLint)coarser->table->odd_count;
            gl_dispatch(run, &(gl_call){.program = PROGRAM_upsample, .level = depth}, cloth);
            if (odd > 0) {
                gl_dispatch(run,
                            &(gl_call){.program = PROGRAM_odd,
                                       .over = OVER_ODD,
                                       .level = depth,
                                       .numbers = {coarser->odds_at, odd}},
                            cloth);
            }
        }
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}
