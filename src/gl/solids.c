#include "gl/solids.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gl/blocks.h"

_Static_assert(SOLID_TRIANGLES >> (SOLID_STACK - 1) == 0, "a search finds room");
_Static_assert(sizeof(solid_node) == 16 * sizeof(uint32_t), "words of a node");
_Static_assert(sizeof(solid_face) == 12 * sizeof(uint32_t), "words of a face");
_Static_assert(sizeof(solid_boxes) == 12 * sizeof(uint32_t), "words of boxes");
_Static_assert(sizeof(solid_corners) == 9 * sizeof(uint32_t), "words of corners");
_Static_assert(sizeof(solid_block) == SOLID_WORDS * sizeof(uint32_t), "words of a mesh");

/* ---- layout -------------------------------------------------------------------------------------
 */

/* The heights of a tree: how many nodes there are below a node, one under the other, at most. */
enum { HEIGHTS = SOLID_STACK };

static size_t height_words(const solid *s) {
    return 2 + HEIGHTS + s->node_count;
}

static size_t words_of(size_t count, size_t size) {
    return count * size / sizeof(uint32_t);
}

/* Where the arrays of a mesh are that begins at a word, and where it ends. */
static solid_block layout(const solid *s, size_t at, size_t *end) {
    size_t nodes = at + SOLID_WORDS;
    size_t faces = nodes + words_of(s->node_count, sizeof(solid_node));
    size_t numbers = faces + words_of(s->triangle_count, sizeof(solid_face));
    size_t rest = numbers + s->triangle_count;
    solid_block block = {
        .nodes = (int)nodes, .faces = (int)faces, .numbers = (int)numbers, .grain = s->grain};
    if (!solid_deforms(s)) {
        block.normals = (int)rest;
        *end = rest + words_of(s->triangle_count, SOLID_PARTS * sizeof(v3));
        return block;
    }
    size_t corners = rest + words_of(s->node_count, sizeof(solid_boxes));
    size_t triangles = corners + words_of(s->triangle_count, sizeof(solid_corners));
    size_t starts = triangles + 3 * s->triangle_count, ends = starts + 3 * s->vertices;
    size_t twins = ends + 3 * s->vertices, heights = twins + 3 * s->triangle_count;
    block.end_boxes = (int)rest;
    block.end_corners = (int)corners;
    block.triangles = (int)triangles;
    block.starts = (int)starts;
    block.ends = (int)ends;
    block.twins = (int)twins;
    block.heights = (int)heights;
    *end = heights + height_words(s);
    return block;
}

/* ---- skins --------------------------------------------------------------------------------------
 */

_Static_assert(sizeof(skin_rows) == SKIN_ROWS_WORDS * sizeof(uint32_t), "words of rows");
_Static_assert(sizeof(skin_joint) == SKIN_JOINT_WORDS * sizeof(uint32_t), "words of a joint");

static size_t joint_words(const body_skin *skin) {
    return skin->kind == TOILE_SKINNING_LINEAR ? SKIN_ROWS_WORDS : SKIN_JOINT_WORDS;
}

/* Words up to what joints do. */
static size_t table_words(const plan_body *b) {
    return (3 + 2 * b->skin->influences) * b->solid->vertices;
}

static void put_skin(const plan_body *b, uint32_t *words) {
    size_t vertices = b->solid->vertices, count = b->skin->influences * vertices;
    memcpy(words, b->rest, 3 * vertices * sizeof *words);
    words += 3 * vertices;
    for (size_t i = 0; i < count; i++) {
        words[i] = b->skin->joints[i];
    }
    memcpy(words + count, b->skin->weights, count * sizeof *words);
}

static toile_result upload_skins(device_context *gl, const step_plan *plan) {
    size_t count = 0;
    for (int i = 0; i < plan->body_count; i++) {
        const plan_body *b = &plan->bodies[i];
        gl->solid_at[i].skin = b->skin ? (int)count : -1;
        count += b->skin ? table_words(b) + joint_words(b->skin) * b->skin->joint_count : 0;
    }
    if (count == 0) {
        return TOILE_OK;
    }
    uint32_t *words = gl_stage(gl, count * sizeof *words);
    for (int i = 0; i < plan->body_count && words; i++) {
        if (plan->bodies[i].skin) {
            put_skin(&plan->bodies[i], words + gl->solid_at[i].skin);
        }
    }
    return words ? gl_fill(gl->machine, &gl->skins, count * sizeof *words, words)
                 : TOILE_ERROR_MEMORY;
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

/* Children have greater numbers than their parents, so one walk from the last one up finds the
 * heights, and a second one counts nodes into their places. heights: zeroed. */
static toile_result put_heights(const solid *s, uint32_t *words) {
    uint32_t *height = memory_alloc(s->node_count, sizeof *height, "the tree of a mesh");
    if (!height) {
        return TOILE_ERROR_MEMORY;
    }
    uint32_t *begins = words + 1, *nodes = words + 2 + HEIGHTS;
    words[0] = HEIGHTS;
    for (uint32_t i = s->node_count; i-- > 0;) {
        for (int child = 0; child < 2; child++) {
            const solid_node *n = &s->nodes[i];
            uint32_t above = n->count[child] > 0 ? 0 : height[n->first[child]] + 1;
            height[i] = above > height[i] ? above : height[i];
        }
        begins[height[i] + 1]++;
    }
    for (size_t k = 0; k < HEIGHTS; k++) {
        begins[k + 1] += begins[k];
    }
    uint32_t placed[HEIGHTS] = {0};
    for (uint32_t i = 0; i < s->node_count; i++) {
        nodes[begins[height[i]] + placed[height[i]]++] = i;
    }
    free(height);
    return TOILE_OK;
}

static void put(uint32_t *words, int at, const void *from, size_t count, size_t size) {
    memcpy(words + at, from, count * size);
}

static toile_result put_solid(const solid *s, uint32_t *words, int at) {
    size_t end;
    solid_block b = layout(s, (size_t)at, &end);
    put(words, at, &b, 1, sizeof b);
    put(words, b.nodes, s->nodes, s->node_count, sizeof *s->nodes);
    put(words, b.faces, s->faces, s->triangle_count, sizeof *s->faces);
    put(words, b.numbers, s->face_triangle, s->triangle_count, sizeof(uint32_t));
    if (!solid_deforms(s)) {
        put(words, b.normals, s->part_normals, s->triangle_count, SOLID_PARTS * sizeof(v3));
        return TOILE_OK;
    }
    put(words, b.end_boxes, s->end_boxes, s->node_count, sizeof *s->end_boxes);
    put(words, b.end_corners, s->end_corners, s->triangle_count, sizeof *s->end_corners);
    put(words, b.triangles, s->triangles, s->triangle_count, 3 * sizeof(uint32_t));
    put(words, b.starts, s->positions, s->vertices, 3 * sizeof(float));
    put(words, b.ends, s->ends, s->vertices, 3 * sizeof(float));
    put(words, b.twins, s->twins, s->triangle_count, 3 * sizeof(uint32_t));
    return put_heights(s, words + b.heights);
}

static toile_result upload_all(device_context *gl, const step_plan *plan, size_t count) {
    uint32_t *words = gl_stage(gl, count * sizeof *words);
    toile_result result = words ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (int b = 0; b < plan->body_count && result == TOILE_OK; b++) {
        const solid *s = plan->bodies[b].solid;
        if (s) {
            result = put_solid(s, words, gl->solid_at[b].first);
            gl->solid_at[b].arrivals = s->arrivals;
        }
    }
    if (result == TOILE_OK) {
        result = gl_fill(gl->machine, &gl->solids, count * sizeof *words, words);
    }
    return result == TOILE_OK ? upload_skins(gl, plan) : result;
}

/* ---- a step -------------------------------------------------------------------------------------
 */

static void run_over(const device_context *gl, gl_program program, size_t count,
                     const GLint *call) {
    const compute_program *p = &gl->machine->programs[program];
    glUseProgram(p->handle);
    glUniform4iv(p->call, 1, call);
    glDispatchCompute((GLuint)((count + GROUP_LINE - 1) / GROUP_LINE), 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

static size_t largest(size_t a, size_t b, size_t c) {
    size_t most = a > b ? a : b;
    return most > c ? most : c;
}

static void put_words(const gl_store *store, size_t at, const void *from, size_t bytes) {
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, store->handle);
    glBufferSubData(GL_SHADER_STORAGE_BUFFER, (GLintptr)(at * sizeof(uint32_t)), (GLsizeiptr)bytes,
                    from);
}

/* The ends of a mesh, by its joints where it has some. */
static void put_ends(const device_context *gl, const plan_body *b, const gl_solid_place *place,
                     const solid_block *block) {
    const solid *s = b->solid;
    if (!b->skin || place->skin < 0) {
        put_words(&gl->solids, (size_t)block->ends, s->ends, 3 * s->vertices * sizeof *s->ends);
        return;
    }
    const body_skin *skin = b->skin;
    bool dual = skin->kind == TOILE_SKINNING_DUAL_QUATERNION;
    if (dual) {
        skin_joints_from_rows((const skin_rows *)b->joints, skin->joint_count, skin->motions);
    }
    put_words(&gl->skins, (size_t)place->skin + table_words(b),
              dual ? (const void *)skin->motions : b->joints,
              joint_words(skin) * skin->joint_count * sizeof(uint32_t));
    GLint influences = (GLint)skin->influences;
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, BIND_TABLE, gl->skins.handle);
    run_over(gl, PROGRAM_solid_skin, s->vertices,
             (const GLint[]){place->first, (GLint)s->vertices, place->skin,
                             dual ? -influences : influences});
}

/* The device has the mesh as it was at the end of the last step, or of one that failed. */
static void move_solid(const device_context *gl, const plan_body *b, gl_solid_place *place) {
    const solid *s = b->solid;
    const GLint at = place->first, vertices = (GLint)s->vertices,
                triangles = (GLint)s->triangle_count, nodes = (GLint)s->node_count;
    size_t end;
    solid_block block = layout(s, (size_t)at, &end);
    if (s->arrivals != place->arrivals) {
        run_over(gl, PROGRAM_solid_arrive, largest(s->vertices, s->triangle_count, s->node_count),
                 (const GLint[]){at, vertices, triangles, nodes});
        place->arrivals = s->arrivals;
    }
    put_words(&gl->solids, (size_t)at, &block, sizeof block);
    put_ends(gl, b, place, &block);
    run_over(gl, PROGRAM_solid_corners, s->triangle_count, (const GLint[]){at, triangles, 0, 0});
    run_over(gl, PROGRAM_solid_boxes, 1, (const GLint[]){at, 0, 0, 0});
}

static toile_result prepare_programs(machine *m) {
    static const gl_program programs[] = {PROGRAM_solid_arrive, PROGRAM_solid_corners,
                                          PROGRAM_solid_boxes, PROGRAM_solid_skin};
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < sizeof programs / sizeof *programs && result == TOILE_OK; i++) {
        result = machine_prepare(m, programs[i]);
    }
    return result;
}

/* Is the mesh as the device has it, or one step further? A state may have been loaded. */
static bool is_followed(const solid *s, const gl_solid_place *place) {
    return s->arrivals == place->arrivals || s->arrivals == place->arrivals + 1;
}

static toile_result move_all(device_context *gl, const step_plan *plan) {
    toile_result result = TOILE_OK;
    bool bound = false;
    for (int b = 0; b < plan->body_count && result == TOILE_OK; b++) {
        const solid *s = plan->bodies[b].solid;
        if (s && solid_deforms(s)) {
            result = bound ? TOILE_OK : prepare_programs(gl->machine);
            if (result == TOILE_OK && !bound) {
                glBindBufferBase(GL_SHADER_STORAGE_BUFFER, BIND_MOMENTS, gl->solids.handle);
                bound = true;
            }
            if (result == TOILE_OK) {
                move_solid(gl, &plan->bodies[b], &gl->solid_at[b]);
            }
        }
    }
    return result;
}

static toile_result make_room(device_context *gl, int bodies) {
    if (bodies <= gl->solid_room && gl->solid_at) {
        return TOILE_OK;
    }
    free(gl->solid_at);
    gl->solid_room = 0;
    gl->solid_at = memory_alloc((size_t)bodies + 1, sizeof *gl->solid_at, "bodies");
    if (!gl->solid_at) {
        return TOILE_ERROR_MEMORY;
    }
    gl->solid_room = bodies;
    gl->solids_known = false;
    return TOILE_OK;
}

toile_result gl_solids_upload(device_context *gl, const step_plan *plan) {
    size_t count = 0;
    toile_result result = make_room(gl, plan->body_count);
    bool followed = true;
    for (int b = 0; b < plan->body_count && result == TOILE_OK; b++) {
        const solid *s = plan->bodies[b].solid;
        gl->solid_at[b].first = !s ? -1 : plan->maps ? b : (int)count;
        if (s && !plan->maps) {
            layout(s, count, &count);
            followed = followed && is_followed(s, &gl->solid_at[b]);
        }
    }
    if (result != TOILE_OK || plan->maps) {
        return result; /* with images, meshes are not asked */
    }
    if (gl->solids_known && followed) {
        return move_all(gl, plan);
    }
    result = upload_all(gl, plan, count);
    gl->solids_known = result == TOILE_OK;
    return result;
}

void gl_solids_free(device_context *gl) {
    free(gl->solid_at);
    gl->solid_at = NULL;
    gl->solid_room = 0;
}
