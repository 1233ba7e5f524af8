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

/* From the usual planes to the others and back, in turn. */
static void run_jacobi(gl_run_state *run, int depth, int iterations) {
    for (int i = 0; i < iterations; i++) {
        bool back = i % 2 != 0;
        gl_call_all(
            run, &(gl_call){.program = PROGRAM_jacobi,
                            .level = depth,
                            .numbers = {back ? LEVEL_qx : LEVEL_x, back ? LEVEL_x : LEVEL_qx,
                                        back ? LEVEL_nu : LEVEL_lu, back ? LEVEL_lu : LEVEL_nu}});
    }
}

static void copy_back(gl_run_state *run, int depth) {
    for (int c = 0; c < run->plan->cloth_count; c++) {
        if (depth < run->cloths[c]->level_count) {
            const gl_level *l = &run->cloths[c]->levels[depth];
            copy_planes(l->planes, &l->table->grid, LEVEL_qx, LEVEL_x, 3);
            copy_planes(l->planes, &l->table->grid, LEVEL_nu, LEVEL_lu, EDGE_KINDS);
        }
    }
}

bool gl_run_but_last(gl_run_state *run) {
    const toile_level_def *def = &run->plan->levels[0].def;
    bool fits = def->relaxation == TOILE_RELAXATION_JACOBI && def->iterations % 2 == 0;
    if (fits) {
        run_jacobi(run, 0, def->iterations - 1);
    }
    return fits;
}

/* The eight sets of iterations of Gauss-Seidel, backwards every second time. */
static void run_sets(gl_run_state *run, int depth, int iterations) {
    for (int i = 0; i < 8 * iterations; i++) {
        bool backwards = (i / 8) % 2 != 0;
        gl_call_all(run, &(gl_call){.program = PROGRAM_relax,
                                    .level = depth,
                                    .numbers = {backwards ? 7 - i % 8 : i % 8}});
    }
}

/* Edges of the largest set. */
static int most_edges(const gl_run_state *run, int depth) {
    int most = 0;
    for (int c = 0; c < run->plan->cloth_count; c++) {
        if (depth < run->cloths[c]->level_count) {
            const grid *g = &run->cloths[c]->levels[depth].table->grid;
            int along_u = (g->columns + 1) / 2 * g->rows;
            int along_v = g->columns * ((g->rows + 1) / 2);
            most = along_u > most ? along_u : most;
            most = along_v > most ? along_v : most;
        }
    }
    return most;
}

static gl_relaxing relaxing_of(const gl_run_state *run, int depth) {
    return machine_relaxing(run->gl->machine, most_edges(run, depth));
}

/* Dispatches that the level's iterations take in tiles, each of which goes to other planes; 0: it
 * has none. */
static int count_tiles(const gl_run_state *run, int depth) {
    const toile_level_def *def = &run->plan->levels[depth].def;
    gl_relaxing way = relaxing_of(run, depth);
    int each = way == RELAX_TILES ? TILE_ITERATIONS : way == RELAX_BROAD ? BROAD_ITERATIONS : 0;
    bool tiles = each > 0 && def->relaxation == TOILE_RELAXATION_GAUSS_SEIDEL;
    return tiles ? (def->iterations + each - 1) / each : 0;
}

/* Does upsampling, too, so that they end in the usual ones? The coarsest level of a cloth has
 * none. */
static bool starts_beside(const gl_run_state *run, int depth) {
    bool beside = count_tiles(run, depth) % 2 != 0;
    for (int c = 0; c < run->plan->cloth_count; c++) {
        beside &= run->cloths[c]->level_count != depth + 1;
    }
    return beside;
}

/* An even number of times to other planes, upsampling included. */
static void run_tiles(gl_run_state *run, int depth, int iterations, bool projects) {
    bool broad = relaxing_of(run, depth) == RELAX_BROAD;
    int beside = starts_beside(run, depth), count = count_tiles(run, depth), done = 0;
    count += (count + beside) % 2;
    for (int i = 0; i < count; i++) {
        int left = count - i, next = (iterations - done + left - 1) / left;
        gl_call_all(run,
                    &(gl_call){.program = broad ? PROGRAM_relax_broad : PROGRAM_relax_tile,
                               .over = broad ? OVER_BROAD : OVER_TILES,
                               .level = depth,
                               .numbers = {(i + beside) % 2, done, next, projects && left == 1}});
        done += next;
    }
}

bool gl_run_relax(gl_run_state *run, int depth, bool projects) {
    const toile_level_def *def = &run->plan->levels[depth].def;
    if (def->relaxation == TOILE_RELAXATION_JACOBI) {
        run_jacobi(run, depth, def->iterations);
        if (def->iterations % 2 != 0) {
            copy_back(run, depth);
        }
        return false;
    }
    switch (relaxing_of(run, depth)) {
    case RELAX_SMALL:
        gl_call_all(run, &(gl_call){.program = PROGRAM_relax_small,
                                    .over = OVER_LEVEL,
                                    .level = depth,
                                    .numbers = {def->iterations, projects}});
        return projects;
    case RELAX_TILES:
    case RELAX_BROAD:
        run_tiles(run, depth, def->iterations, projects);
        return projects;
    default:
        run_sets(run, depth, def->iterations);
        return false;
    }
}

/* Usual and odd texels are different ones, so no barrier is needed between them. */
void gl_run_upsample(gl_run_state *run, int depth) {
    const GLint beside = starts_beside(run, depth);
    for (int c = 0; c < run->plan->cloth_count; c++) {
        const device_cloth *cloth = run->cloths[c];
        if (depth + 1 < cloth->level_count) {
            const gl_level *coarser = &cloth->levels[depth + 1];
            GLint odd = (GLint)coarser->table->odd_count;
            gl_dispatch(
                run, &(gl_call){.program = PROGRAM_upsample, .level = depth, .numbers = {beside}},
                cloth);
            if (odd > 0) {
                gl_dispatch(run,
                            &(gl_call){.program = PROGRAM_odd,
                                       .over = OVER_ODD,
                                       .level = depth,
                                       .numbers = {coarser->odds_at, odd, beside}},
                            cloth);
            }
        }
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}
