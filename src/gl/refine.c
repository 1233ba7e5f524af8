#include "gl/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gl/refine_store.h"

struct refiner {
    machine *machine;
    refine_def def;
    refine_scene scene;
    refine_store store;
    int columns, rows;  /* of the finest grid */
    int position, mark; /* numbers of what the last pass drew */
    int last, before;   /* grids of the steps before; -1: not known */
    int peeled;         /* layers of the last step */
    int asked;          /* queries of the last step that are not read yet */
    bool sorted;        /* triangles are on the GPU in the order of the trees */
    int stamp_count;
    refine_pass stamped[REFINE_STAMPS]; /* what is between a stamp and the next */
    refine_numbers *numbers;            /* room for all levels, as the GPU has them */
};

/* ---- times --------------------------------------------------------------------------------------
 */

/* What follows belongs to a pass. */
static void stamp(refiner *r, refine_pass pass) {
    if (r->stamp_count < REFINE_STAMPS) {
        r->stamped[r->stamp_count] = pass;
        glQueryCounter(r->store.stamps[r->stamp_count++], GL_TIMESTAMP);
    }
}

static void read_times(const refiner *r, double times[REFINE_PASS_COUNT]) {
    GLuint64 begin = 0, end = 0;
    memset(times, 0, REFINE_PASS_COUNT * sizeof *times);
    for (int i = 0; i < r->stamp_count; i++) {
        const GLuint next =
            i + 1 < r->stamp_count ? r->store.stamps[i + 1] : r->store.stamps[REFINE_STAMPS];
        glGetQueryObjectui64v(r->store.stamps[i], GL_QUERY_RESULT, &begin);
        glGetQueryObjectui64v(next, GL_QUERY_RESULT, &end);
        times[r->stamped[i]] += end > begin ? 1e-6 * (double)(end - begin) : 0.0;
    }
}

/* ---- uploads ------------------------------------------------------------------------------------
 */

/* Afresh, so that nothing waits for what the GPU still reads. */
static void send(GLenum target, GLuint buffer, size_t bytes, const void *data) {
    glBindBuffer(target, buffer);
    if (bytes > 0) {
        glBufferData(target, (GLsizeiptr)bytes, NULL, GL_STREAM_DRAW);
        glBufferSubData(target, 0, (GLsizeiptr)bytes, data);
    }
}

static bool searches(const refiner *r) {
    return r->def.options.correction >= REFINE_OBJECT;
}

/* What the first step decided on for good: the order of triangles, and where trees begin. */
static void send_order(const refiner *r) {
    const refine_scene *scene = &r->scene;
    send(GL_TEXTURE_BUFFER, r->store.triangles.buffer,
         3 * scene->triangles * sizeof *scene->corners, scene->corners);
    glBindBuffer(GL_TEXTURE_BUFFER, r->store.roots.buffer);
    for (size_t i = 0; i < scene->body_count; i++) {
        const GLint root = (GLint)scene->bodies[i].root;
        glBufferSubData(GL_TEXTURE_BUFFER, (GLintptr)(i * sizeof root), sizeof root, &root);
    }
}

static void send_bodies(refiner *r) {
    const refine_scene *scene = &r->scene;
    const refine_store *s = &r->store;
    if (!r->sorted) {
        send_order(r);
        r->sorted = true;
    }
    send(GL_TEXTURE_BUFFER, s->end.buffer, scene->vertices * sizeof *scene->end, scene->end);
    if (!searches(r)) {
        return;
    }
    if (r->def.options.correction == REFINE_HISTORY) {
        send(GL_TEXTURE_BUFFER, s->start.buffer, scene->vertices * sizeof *scene->start,
             scene->start);
    }
    send(GL_TEXTURE_BUFFER, s->nodes.buffer, scene->node_count * sizeof *scene->nodes,
         scene->nodes);
}

static refine_numbers numbers_of(const refiner *r, const refine_step *step, int level) {
    const refine_options *o = &r->def.options;
    const float share = 1.0f / (float)(1 << level), h = step->time_step;
    const bool by_winding = o->rule == REFINE_WINDING && refine_most_layers(o) > 1;
    const float kept = o->damping * h < 1.0f ? 1.0f - o->damping * h : 0.0f;
    refine_numbers n = {
        .level = {refine_size(r->def.columns, level), refine_size(r->def.rows, level), level,
                  o->levels - level},
        .images = {r->store.views, r->store.side, r->store.tiles, by_winding},
        .choice = {(GLint)o->correction, o->any, (GLint)r->scene.body_count,
                   (r->last >= 0 ? 1 : 0) + (r->before >= 0 ? 2 : 0)},
        .cloth = {share * r->def.spacing[0], share * r->def.spacing[1], 1.0f + o->stretch,
                  o->thickness},
        .force = {step->gravity.x * h * h, step->gravity.y * h * h, step->gravity.z * h * h, kept}};
    memcpy(n.views, r->scene.views, sizeof n.views);
    return n;
}

static void send_numbers(refiner *r, const refine_step *step) {
    const size_t stride = (size_t)r->store.numbers_step;
    const size_t levels = (size_t)r->def.options.levels + 1;
    for (size_t level = 0; level < levels; level++) {
        const refine_numbers n = numbers_of(r, step, (int)level);
        memcpy((char *)r->numbers + level * stride, &n, sizeof n);
    }
    send(GL_UNIFORM_BUFFER, r->store.numbers, levels * stride, r->numbers);
}

/* Shaders read the numbers of that level from now on. */
static void use_level(const refiner *r, int level) {
    glBindBufferRange(GL_UNIFORM_BUFFER, REFINE_BIND_NUMBERS, r->store.numbers,
                      (GLintptr)level * r->store.numbers_step, sizeof(refine_numbers));
}

static void bind_texture(GLuint unit, GLenum target, GLuint texture) {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(target, texture);
}

static void bind_lists(const refiner *r) {
    const refine_store *s = &r->store;
    bind_texture(REFINE_UNIT_NODES, GL_TEXTURE_BUFFER, s->nodes.texture);
    bind_texture(REFINE_UNIT_TRIANGLES, GL_TEXTURE_BUFFER, s->triangles.texture);
    bind_texture(REFINE_UNIT_START, GL_TEXTURE_BUFFER, s->start.texture);
    bind_texture(REFINE_UNIT_END, GL_TEXTURE_BUFFER, s->end.texture);
    bind_texture(REFINE_UNIT_ROOTS, GL_TEXTURE_BUFFER, s->roots.texture);
    bind_texture(REFINE_UNIT_LAYERS, GL_TEXTURE_2D_ARRAY, s->bodies.texture);
    bind_texture(REFINE_UNIT_LAST, GL_TEXTURE_2D, r->last >= 0 ? s->grids[r->last] : 0);
    bind_texture(REFINE_UNIT_BEFORE, GL_TEXTURE_2D, r->before >= 0 ? s->grids[r->before] : 0);
}

/* ---- peeling ------------------------------------------------------------------------------------
 */

static const refine_program *use(const refiner *r, refine_program_name name) {
    const refine_program *p = &r->machine->refine.all[name];
    glUseProgram(p->handle);
    return p;
}

/* Draws the triangles of bodies that are kept, in as few runs as there are. */
static void draw_bodies(const refiner *r) {
    const refine_scene *s = &r->scene;
    for (size_t i = 0; i < s->body_count;) {
        const size_t first = s->bodies[i].first_triangle;
        size_t count = 0;
        while (i < s->body_count && s->bodies[i].kept) {
            count += s->bodies[i++].triangles;
        }
        if (count > 0) {
            glDrawArraysInstanced(GL_TRIANGLES, (GLint)(3 * first), (GLsizei)(3 * count),
                                  r->store.views);
        } else {
            i++;
        }
    }
}

/* Layers are read one after the other from the texture that the next is drawn to, never the one
 * that is drawn. */
static void between_layers(void) {
    if (epoxy_gl_version() >= 45) {
        glTextureBarrier();
    }
}

static void begin_peeling(const refiner *r) {
    const refine_store *s = &r->store;
    glBindVertexArray(s->no_array);
    glViewportIndexedf(0, 0.0f, 0.0f, (float)(s->tiles * s->side), (float)(s->tile_rows * s->side));
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glDepthMask(GL_TRUE);
    glEnable(GL_DEPTH_CLAMP); /* what is before the first depth counts as well */
    for (GLenum i = 0; i < 4; i++) {
        glEnable(GL_CLIP_DISTANCE0 + i);
    }
}

static void end_peeling(void) {
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_DEPTH_CLAMP);
    for (GLenum i = 0; i < 4; i++) {
        glDisable(GL_CLIP_DISTANCE0 + i);
    }
}

static void begin_layer(const refine_atlas *a, const refine_program *p, int layer) {
    const float nothing[4] = {0.0f, 0.0f, 0.0f, 0.0f}, far = 1.0f;
    glBindFramebuffer(GL_FRAMEBUFFER, a->frames[layer]);
    glClearBufferfv(GL_COLOR, 0, nothing);
    glClearBufferfv(GL_DEPTH, 0, &far);
    glUniform1i(p->layer, layer);
    between_layers();
}

static bool is_drawn(const refiner *r, int layer) {
    GLuint drawn = 0;
    glGetQueryObjectuiv(r->store.drawn[layer], GL_QUERY_RESULT, &drawn);
    return drawn != 0;
}

/* How many layers to draw, with the answers to the last step's queries. */
static int planned_layers(const refiner *r) {
    const int most = refine_most_layers(&r->def.options);
    int used = 0;
    if (r->def.options.stop != REFINE_STOP_LATE || r->asked == 0) {
        return most;
    }
    while (used < r->asked && is_drawn(r, used)) {
        used++;
    }
    return used + 1 < most ? used + 1 : most;
}

/* Front to back, until nothing more is drawn (section 6.4). */
static void peel(refiner *r) {
    const int planned = r->scene.kept > 0 ? planned_layers(r) : 0;
    const bool asks = r->def.options.stop == REFINE_STOP_QUERY;
    r->peeled = 0;
    begin_peeling(r);
    use_level(r, 0);
    const refine_program *p = use(r, REFINE_PROGRAM_peel_body);
    for (int layer = 0; layer < planned; layer++) {
        begin_layer(&r->store.bodies, p, layer);
        glBeginQuery(GL_ANY_SAMPLES_PASSED, r->store.drawn[layer]);
        draw_bodies(r);
        glEndQuery(GL_ANY_SAMPLES_PASSED);
        if (asks && !is_drawn(r, layer)) {
            break;
        }
        r->peeled = layer + 1;
    }
    r->asked = planned;
    end_peeling();
}

/* The level above, `level - 1`, which the last pass drew. */
static void peel_cloth(refiner *r, int level) {
    const int columns = refine_size(r->def.columns, level - 1);
    const int rows = refine_size(r->def.rows, level - 1);
    begin_peeling(r);
    use_level(r, level - 1);
    const refine_program *p = use(r, REFINE_PROGRAM_peel_cloth);
    glUniform1i(p->above, columns);
    bind_texture(REFINE_UNIT_LAYERS, GL_TEXTURE_2D_ARRAY, r->store.cloth.texture);
    for (int layer = 0; layer < REFINE_CLOTH_LAYERS; layer++) {
        begin_layer(&r->store.cloth, p, layer);
        glDrawArraysInstanced(GL_TRIANGLES, 0, 6 * (columns - 1) * (rows - 1), r->store.views);
    }
    bind_texture(REFINE_UNIT_LAYERS, GL_TEXTURE_2D_ARRAY, r->store.bodies.texture);
    end_peeling();
}

/* ---- passes over a level ------------------------------------------------------------------------
 */

/* A grid that nobody needs. */
static int free_grid(const refiner *r) {
    int grid = 0;
    while (grid == r->position || grid == r->last || grid == r->before) {
        grid++;
    }
    return grid;
}

/* The next pass reads what the last one drew, and draws to another place. */
static void begin_pass(refiner *r, int level) {
    const int to = free_grid(r), mark = 1 - r->mark;
    const float columns = (float)refine_size(r->def.columns, level);
    const float rows = (float)refine_size(r->def.rows, level);
    bind_texture(REFINE_UNIT_POSITIONS, GL_TEXTURE_2D,
                 r->position >= 0 ? r->store.grids[r->position] : 0);
    bind_texture(REFINE_UNIT_MARKS, GL_TEXTURE_2D, r->store.marks[r->mark]);
    glBindFramebuffer(GL_FRAMEBUFFER, r->store.frames[to][mark]);
    glViewportIndexedf(0, 0.0f, 0.0f, columns, rows);
    r->position = to;
    r->mark = mark;
}

static void draw_all(refiner *r, int level) {
    begin_pass(r, level);
    glBindVertexArray(r->store.no_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Makes a level; joint: and corrects that above it on the way. */
static void subdivide(refiner *r, int level, bool joint) {
    const int columns = refine_size(r->def.columns, level - 1);
    const int rows = refine_size(r->def.rows, level - 1);
    const refine_program *p = use(r, level == 1 ? REFINE_PROGRAM_first
                                     : joint    ? REFINE_PROGRAM_joint
                                                : REFINE_PROGRAM_next);
    glUniform2i(p->size, 2 * columns - 1, 2 * rows - 1);
    glUniform1i(p->above, columns);
    glUniform1i(p->peeled, r->peeled);
    glUniform1i(p->followed, 0);
    use_level(r, level - 1);
    begin_pass(r, level);
    glBindVertexArray(r->store.cell_arrays[level - 1]);
    glDrawElements(GL_LINES_ADJACENCY, 4 * (columns - 1) * (rows - 1), GL_UNSIGNED_INT, NULL);
    use_level(r, level);
}

static void apply_forces(refiner *r, int level) {
    const refine_program *p = use(r, REFINE_PROGRAM_forces);
    for (int i = 0; i <= r->def.options.iterations; i++) {
        glUniform1i(p->advances, i == 0);
        draw_all(r, level);
    }
}

static void keep_order(refiner *r, int level) {
    const refine_program *p = use(r, REFINE_PROGRAM_order);
    glUniform1i(p->peeled, REFINE_CLOTH_LAYERS);
    bind_texture(REFINE_UNIT_LAYERS, GL_TEXTURE_2D_ARRAY, r->store.cloth.texture);
    draw_all(r, level);
    bind_texture(REFINE_UNIT_LAYERS, GL_TEXTURE_2D_ARRAY, r->store.bodies.texture);
}

static void find_places(const refiner *r, int level) {
    const refine_program *p = use(r, REFINE_PROGRAM_layers);
    const int columns = refine_size(r->def.columns, level);
    const int rows = refine_size(r->def.rows, level);
    glUniform1i(p->peeled, r->peeled);
    glUniform1f(p->near, refine_near(&r->def.options));
    bind_texture(REFINE_UNIT_POSITIONS, GL_TEXTURE_2D, r->store.grids[r->position]);
    bind_texture(REFINE_UNIT_PLACES, GL_TEXTURE_2D, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, r->store.places_frame);
    glViewportIndexedf(0, 0.0f, 0.0f, (float)(columns * r->store.views), (float)rows);
    glBindVertexArray(r->store.no_array);
    glDrawArraysInstanced(GL_POINTS, 0, columns * rows, r->store.views);
    bind_texture(REFINE_UNIT_PLACES, GL_TEXTURE_2D, r->store.places);
}

static void correct(refiner *r, int level, bool followed) {
    const refine_program *p = use(r, REFINE_PROGRAM_correct);
    glUniform1i(p->peeled, r->peeled);
    glUniform1i(p->followed, followed);
    draw_all(r, level);
}

static void detect(refiner *r, int level, bool followed) {
    stamp(r, REFINE_PASS_LAYERS);
    find_places(r, level);
    /* The next subdivision does it. */
    if (!r->def.options.one_pass || level == r->def.options.levels) {
        stamp(r, REFINE_PASS_CORRECT);
        correct(r, level, followed);
    }
}

/* Into a grid of its own, so that there is a level above to peel: the coarse one as it is. */
static void draw_coarse(refiner *r) {
    r->position = free_grid(r);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, r->store.coarse);
    bind_texture(REFINE_UNIT_POSITIONS, GL_TEXTURE_2D, r->store.grids[r->position]);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, r->def.columns, r->def.rows, GL_RGB, GL_FLOAT, NULL);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

static void make_level(refiner *r, int level) {
    const refine_options *o = &r->def.options;
    if (o->cloth && o->layers > 0) {
        stamp(r, REFINE_PASS_CLOTH);
        if (level == 1) {
            draw_coarse(r);
        }
        bind_texture(REFINE_UNIT_POSITIONS, GL_TEXTURE_2D, r->store.grids[r->position]);
        peel_cloth(r, level);
    }
    stamp(r, REFINE_PASS_SUBDIVIDE);
    subdivide(r, level, o->one_pass && o->layers > 0);
    if (o->forces) {
        stamp(r, REFINE_PASS_FORCES);
        apply_forces(r, level);
    }
    if (o->layers == 0) {
        return;
    }
    if (o->cloth) {
        stamp(r, REFINE_PASS_CLOTH);
        keep_order(r, level);
    }
    detect(r, level, false);
    if (o->move_parents) {
        stamp(r, REFINE_PASS_PARENTS);
        use(r, REFINE_PROGRAM_parents);
        draw_all(r, level);
        detect(r, level, true);
    }
}

/* ---- a step -------------------------------------------------------------------------------------
 */

static void leave_clean(const refiner *r) {
    for (GLuint unit = 0; unit < REFINE_UNITS; unit++) {
        glActiveTexture(GL_TEXTURE0 + unit);
        glBindTexture(GL_TEXTURE_2D, 0);
        glBindTexture(GL_TEXTURE_2D_ARRAY, 0);
        glBindTexture(GL_TEXTURE_BUFFER, 0);
    }
    glActiveTexture(GL_TEXTURE0);
    glUseProgram(0);
    glBindVertexArray(0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glBindBufferBase(GL_UNIFORM_BUFFER, REFINE_BIND_NUMBERS, 0);
    glQueryCounter(r->store.stamps[REFINE_STAMPS], GL_TIMESTAMP);
}

/* In the machine's context. */
static toile_result refine(refiner *r, const refine_step *step) {
    const size_t coarse = 3 * (size_t)r->def.columns * (size_t)r->def.rows;
    r->stamp_count = 0;
    r->position = -1;
    glDisable(GL_BLEND);
    stamp(r, REFINE_PASS_UPLOAD);
    send(GL_ARRAY_BUFFER, r->store.coarse, coarse * sizeof *step->coarse, step->coarse);
    send_bodies(r);
    send_numbers(r, step);
    bind_lists(r);
    if (r->def.options.layers > 0) {
        stamp(r, REFINE_PASS_PEEL);
        peel(r);
    }
    for (int level = 1; level <= r->def.options.levels; level++) {
        make_level(r, level);
    }
    leave_clean(r);
    toile_result result = context_check("refining a cloth");
    if (result == TOILE_OK) {
        r->before = r->last;
        r->last = r->position;
    }
    return result;
}

static toile_result step_refiner(refiner *r, const refine_step *step) {
    context_before before;
    toile_result result = refine_check_step(&r->def, step);
    if (result == TOILE_OK) {
        result = refine_scene_step(&r->scene, &r->def, step);
    }
    if (result == TOILE_OK) {
        result = context_enter(&r->machine->context, &before);
    }
    if (result == TOILE_OK) {
        result = refine(r, step);
        context_leave(&r->machine->context, &before);
    }
    return result;
}

/* ---- results ------------------------------------------------------------------------------------
 */

static void read_grid(GLuint texture, GLenum format, GLenum type, void *out) {
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture);
    glGetTexImage(GL_TEXTURE_2D, 0, format, type, out);
    glBindTexture(GL_TEXTURE_2D, 0);
}

static toile_result read_all(refiner *r, refine_result *out) {
    if (out->positions) {
        read_grid(r->store.grids[r->last], GL_RGB, GL_FLOAT, out->positions);
    }
    if (out->before && r->before >= 0) {
        read_grid(r->store.grids[r->before], GL_RGB, GL_FLOAT, out->before);
    } else if (out->before) {
        memset(out->before, 0, 3 * sizeof(float) * (size_t)r->columns * (size_t)r->rows);
    }
    if (out->marks) {
        read_grid(r->store.marks[r->mark], GL_RED_INTEGER, GL_INT, out->marks);
        refine_count_marks(&r->def, out->marks, out->counts);
    }
    read_times(r, out->times);
    out->layers = r->peeled;
    out->objects = r->scene.kept;
    return context_check("reading a refined cloth");
}

static toile_result read_refiner(refiner *r, refine_result *out) {
    context_before before;
    if (r->last < 0) {
        return error_set(TOILE_ERROR_INVALID, "nothing was refined yet: expected a step before");
    }
    toile_result result = context_enter(&r->machine->context, &before);
    if (result == TOILE_OK) {
        result = read_all(r, out);
        context_leave(&r->machine->context, &before);
    }
    return result;
}

static toile_result copy_finest(refiner *r) {
    if (!r->store.finest) {
        const size_t floats = 3 * (size_t)r->columns * (size_t)r->rows;
        glGenBuffers(1, &r->store.finest);
        glBindBuffer(GL_PIXEL_PACK_BUFFER, r->store.finest);
        glBufferData(GL_PIXEL_PACK_BUFFER, (GLsizeiptr)(floats * sizeof(float)), NULL,
                     GL_DYNAMIC_COPY);
    }
    glBindBuffer(GL_PIXEL_PACK_BUFFER, r->store.finest);
    read_grid(r->store.grids[r->last], GL_RGB, GL_FLOAT, NULL);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glFlush();
    return context_check("copying a refined cloth for drawing");
}

const context *gl_refine_context(const refiner *r) {
    return &r->machine->context;
}

toile_result gl_refine_buffer(refiner *r, GLuint *buffer) {
    context_before before;
    if (r->last < 0) {
        return error_set(TOILE_ERROR_INVALID, "nothing was refined yet: expected a step before");
    }
    toile_result result = context_enter(&r->machine->context, &before);
    if (result == TOILE_OK) {
        result = copy_finest(r);
        *buffer = r->store.finest;
        context_leave(&r->machine->context, &before);
    }
    return result;
}

static void load_grid(const refiner *r, int grid, const float *values) {
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, r->store.grids[grid]);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, r->columns, r->rows, GL_RGB, GL_FLOAT, values);
    glBindTexture(GL_TEXTURE_2D, 0);
}

static toile_result set_history(refiner *r, const float *last, const float *before) {
    context_before was;
    toile_result result = context_enter(&r->machine->context, &was);
    if (result != TOILE_OK) {
        return result;
    }
    r->last = last ? 0 : -1;
    r->before = last && before ? 1 : -1;
    if (last) {
        load_grid(r, 0, last);
    }
    if (last && before) {
        load_grid(r, 1, before);
    }
    result = context_check("loading a refined cloth");
    context_leave(&r->machine->context, &was);
    return result;
}

/* ---- begin and end ------------------------------------------------------------------------------
 */

static void close_refiner(refiner *r) {
    context_before before;
    if (!r) {
        return;
    }
    if (r->machine && context_enter(&r->machine->context, &before) == TOILE_OK) {
        refine_store_free(&r->store);
        context_leave(&r->machine->context, &before);
    }
    machine_give(r->machine, false);
    refine_scene_free(&r->scene);
    free(r->numbers);
    free(r);
}

static toile_result make_store(refiner *r, const refine_def *def) {
    context_before before;
    toile_result result = context_enter(&r->machine->context, &before);
    if (result != TOILE_OK) {
        return result;
    }
    result = refine_programs_make(&r->machine->refine);
    if (result == TOILE_OK) {
        result = refine_store_make(&r->store, r->machine, def, &r->scene);
    }
    context_leave(&r->machine->context, &before);
    if (result == TOILE_OK) {
        r->numbers = memory_alloc(REFINE_LEVELS, (size_t)r->store.numbers_step, "refined cloth");
        result = r->numbers ? TOILE_OK : TOILE_ERROR_MEMORY;
    }
    return result;
}

static toile_result open_refiner(refiner **out, const refine_def *def) {
    toile_result result = refine_check_def(def);
    refiner *r = result == TOILE_OK ? memory_alloc(1, sizeof *r, "refined cloth") : NULL;
    if (!r) {
        return result == TOILE_OK ? TOILE_ERROR_MEMORY : result;
    }
    r->def = *def;
    r->columns = refine_size(def->columns, def->options.levels);
    r->rows = refine_size(def->rows, def->options.levels);
    r->position = r->last = r->before = -1;
    result = refine_scene_make(&r->scene, def);
    if (result == TOILE_OK) {
        r->machine = machine_take(MACHINE_COMPUTE);
        result = r->machine ? make_store(r, def) : TOILE_ERROR_UNAVAILABLE;
    }
    r->def.objects = NULL; /* the caller's */
    r->def.held = NULL;
    if (result != TOILE_OK) {
        close_refiner(r);
        return result;
    }
    *out = r;
    return TOILE_OK;
}

const refine_driver gl_refine_driver = {.name = "gl",
                                        .open = open_refiner,
                                        .close = close_refiner,
                                        .step = step_refiner,
                                        .read = read_refiner,
                                        .set_history = set_history};
