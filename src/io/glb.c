#include "io/glb.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/body_mesh.h"
#include "io/file.h"
#include "io/glb_chunks.h"
#include "io/glb_plan.h"
#include "io/glb_skin.h"

/* ---- sizes --------------------------------------------------------------------------------------
 */

uint64_t glb_surface_vectors_bytes(const glb_scene *scene, int surface) {
    return 24 * (uint64_t)scene->surfaces[surface].mesh.vertices * scene->samples;
}

uint64_t glb_surface_coordinates_bytes(const glb_scene *scene, int surface) {
    const mesh_view *mesh = &scene->surfaces[surface].mesh;
    return mesh->coordinates ? 8 * (uint64_t)mesh->vertices : 0;
}

uint64_t glb_surface_indices_bytes(const glb_scene *scene, int surface) {
    return 12 * (uint64_t)scene->surfaces[surface].mesh.triangles;
}

body_mesh_size glb_body_size(const glb_scene *scene, int body) {
    const glb_body *b = &scene->bodies[body];
    return b->skin ? (body_mesh_size){b->skin->character->vertices, b->skin->character->triangles}
                   : body_mesh_get_size(&b->def);
}

uint64_t glb_body_vectors_bytes(const glb_scene *scene, int body) {
    return 24 * (uint64_t)glb_body_size(scene, body).vertices;
}

uint64_t glb_body_indices_bytes(const glb_scene *scene, int body) {
    return 12 * (uint64_t)glb_body_size(scene, body).triangles;
}

static bool same_pose(const toile_pose *a, const toile_pose *b) {
    bool same = true;
    for (int k = 0; k < 3; k++) {
        same = same && a->position[k] == b->position[k];
    }
    for (int k = 0; k < 4; k++) {
        same = same && a->rotation[k] == b->rotation[k];
    }
    return same;
}

bool glb_body_moves(const glb_scene *scene, int body) {
    const toile_pose *poses = scene->bodies[body].poses;
    for (uint32_t sample = 1; sample < scene->samples; sample++) {
        if (!same_pose(&poses[sample], &poses[0])) {
            return true;
        }
    }
    return false;
}

uint64_t glb_weights_bytes(const glb_scene *scene) {
    return 4 * (uint64_t)scene->samples * (scene->samples - 1);
}

uint64_t glb_animation_bytes(const glb_scene *scene) {
    uint64_t moved = 0;
    for (int b = 0; b < scene->body_count; b++) {
        moved += glb_body_moves(scene, b) ? 28 * (uint64_t)scene->samples : 0;
    }
    moved += scene->surface_count > 0 ? glb_weights_bytes(scene) : 0;
    if (glb_has_skins(scene) && scene->samples > 1 && moved == 0) {
        return 4 * (uint64_t)scene->samples; /* the times of its joints */
    }
    return moved > 0 ? moved + 4 * (uint64_t)scene->samples : 0;
}

static uint64_t binary_bytes(const glb_scene *scene) {
    uint64_t bytes = glb_animation_bytes(scene) + glb_skins_bytes(scene);
    for (int i = 0; i < scene->surface_count; i++) {
        bytes += glb_surface_vectors_bytes(scene, i) + glb_surface_coordinates_bytes(scene, i) +
                 glb_surface_indices_bytes(scene, i);
    }
    for (int b = 0; b < scene->body_count; b++) {
        bytes += glb_body_vectors_bytes(scene, b) + glb_body_indices_bytes(scene, b);
    }
    return bytes;
}

uint64_t glb_size(const glb_scene *scene) {
    /* In double first, where damaged counts cannot overflow. What passes has a text that is short
     * enough to be measured. */
    double samples = (double)scene->samples;
    double estimate = scene->surface_count > 0 ? 4.0 * samples * samples : 0.0;
    for (int i = 0; i < scene->surface_count; i++) {
        estimate += 24.0 * samples * (double)scene->surfaces[i].mesh.vertices;
    }
    if (estimate > GLB_LIMIT_MB * 1e6) {
        return estimate < 1e19 ? (uint64_t)estimate : UINT64_MAX;
    }
    glb_plan plan = {.scene = scene, .binary_bytes = binary_bytes(scene)};
    return glb_file_bytes(glb_write_json(&plan, NULL), plan.binary_bytes);
}

toile_result glb_check_size(uint64_t bytes) {
    if (bytes <= GLB_LIMIT_MB * UINT64_C(1000000)) {
        return TOILE_OK;
    }
    return error_set(TOILE_ERROR_INVALID,
                     "the motion would make a .glb file of %.0f MB, above the limit of %d MB",
                     (double)bytes * 1e-6, GLB_LIMIT_MB);
}

/* ---- numbers ------------------------------------------------------------------------------------
 */

void glb_unit_rotation(const float rotation[4], float out[4]) {
    double squared = 0.0;
    for (int k = 0; k < 4; k++) {
        squared += (double)rotation[k] * (double)rotation[k];
    }
    double scale = squared > 0.0 ? 1.0 / sqrt(squared) : 0.0;
    for (int k = 0; k < 4; k++) {
        out[k] = (float)((double)rotation[k] * scale);
    }
    if (scale == 0.0) {
        out[3] = 1.0f;
    }
}

static glb_range range_of(const float *positions, size_t vertices) {
    glb_range range = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (size_t i = 0; i < vertices; i++) {
        for (size_t k = 0; k < 3; k++) {
            float value = positions[3 * i + k];
            range.low[k] = value < range.low[k] ? value : range.low[k];
            range.high[k] = value > range.high[k] ? value : range.high[k];
        }
    }
    return range;
}

static void subtract(float *values, const float *base, size_t count) {
    for (size_t i = 0; i < count; i++) {
        values[i] -= base[i];
    }
}

/* ---- what is needed to write --------------------------------------------------------------------
 */

typedef struct writer {
    const glb_scene *scene;
    FILE *stream;
    glb_range *ranges;       /* as in glb_plan */
    mesh_data *body_meshes;  /* one a body */
    float *weights;          /* one a target, zeros */
    float *base_positions;   /* 3 a vertex of the largest surface */
    float *base_normals;     /* the same */
    float *positions;        /* the same */
    float *normals;          /* the same */
    body_mesh_region region; /* where the surfaces are over the whole motion */
} writer;

static void writer_free(writer *w) {
    for (int b = 0; w->body_meshes && b < w->scene->body_count; b++) {
        mesh_free(&w->body_meshes[b]);
    }
    free(w->body_meshes);
    free(w->ranges);
    free(w->weights);
    free(w->base_positions);
    free(w->base_normals);
    free(w->positions);
    free(w->normals);
}

/* The size was checked before, so that no product here overflows. */
static toile_result writer_allocate(writer *w, const glb_scene *scene) {
    *w = (writer){.scene = scene};
    size_t vertices = 1;
    for (int i = 0; i < scene->surface_count; i++) {
        size_t count = scene->surfaces[i].mesh.vertices;
        vertices = count > vertices ? count : vertices;
    }
    size_t surfaces = (size_t)scene->surface_count, bodies = (size_t)scene->body_count;
    w->ranges = calloc(surfaces * scene->samples + bodies, sizeof *w->ranges);
    w->body_meshes = calloc(bodies + 1, sizeof *w->body_meshes);
    w->weights = calloc(scene->samples, sizeof *w->weights);
    w->base_positions = malloc(vertices * 3 * sizeof(float));
    w->base_normals = malloc(vertices * 3 * sizeof(float));
    w->positions = malloc(vertices * 3 * sizeof(float));
    w->normals = malloc(vertices * 3 * sizeof(float));
    if (!w->ranges || !w->body_meshes || !w->weights || !w->base_positions || !w->base_normals ||
        !w->positions || !w->normals) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory to write the motion of %zu points",
                         vertices);
    }
    return TOILE_OK;
}

static void range_unite(glb_range *all, const glb_range *range) {
    for (int k = 0; k < 3; k++) {
        all->low[k] = fminf(all->low[k], range->low[k]);
        all->high[k] = fmaxf(all->high[k], range->high[k]);
    }
}

/* Fills in the ranges of a surface, and widens `all` by where it is in the world. */
static toile_result measure_surface(writer *w, int i, glb_range *all) {
    const glb_surface *surface = &w->scene->surfaces[i];
    size_t vertices = surface->mesh.vertices;
    glb_range *ranges = w->ranges + (size_t)i * w->scene->samples;
    for (uint32_t sample = 0; sample < w->scene->samples; sample++) {
        float *positions = sample == 0 ? w->base_positions : w->positions;
        toile_result result = surface->read(surface->motion, sample, positions);
        if (result != TOILE_OK) {
            return result;
        }
        glb_range range = range_of(positions, vertices);
        range_unite(all, &range);
        if (sample > 0) {
            subtract(positions, w->base_positions, 3 * vertices);
            range = range_of(positions, vertices);
        }
        ranges[sample] = range;
    }
    return TOILE_OK;
}

/* Planes are shown about as far around the surfaces as these reach, so that viewers, which frame
 * all there is, do not lose them in a desert. */
static toile_result set_region(writer *w, const glb_range *all) {
    double squared = 0.0;
    for (int k = 0; k < 3; k++) {
        double low = (double)all->low[k], high = (double)all->high[k];
        w->region.center[k] = (float)(0.5 * (low + high));
        squared += (high - low) * (high - low);
    }
    w->region.reach = (float)sqrt(squared);
    /* Also keeps every difference of two positions finite. */
    if (!(w->region.reach < FLT_MAX / 4)) {
        return error_set(TOILE_ERROR_INVALID,
                         "the cloths and bodies lie %g m apart, which glTF cannot hold",
                         sqrt(squared));
    }
    return TOILE_OK;
}

static toile_result measure(writer *w) {
    const glb_scene *scene = w->scene;
    glb_range all = {{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}}; /* with no surface */
    if (scene->surface_count > 0) {
        all = range_of(NULL, 0);
    }
    toile_result result = TOILE_OK;
    for (int i = 0; i < scene->surface_count && result == TOILE_OK; i++) {
        result = measure_surface(w, i, &all);
    }
    if (result == TOILE_OK) {
        result = set_region(w, &all);
    }
    glb_range *ranges = w->ranges + (size_t)scene->surface_count * scene->samples;
    for (int b = 0; b < scene->body_count && result == TOILE_OK; b++) {
        mesh_data *mesh = &w->body_meshes[b];
        const glb_body *body = &scene->bodies[b];
        result = body->skin ? glb_skin_mesh(body->skin, mesh)
                            : body_mesh_create(&body->def, &w->region, mesh);
        if (result == TOILE_OK) {
            ranges[b] = range_of(mesh->positions, mesh->vertices);
        }
    }
    return result;
}

/* ---- the binary chunk, in the order of glb_plan.h -----------------------------------------------
 */

static void write_floats(writer *w, const float *values, size_t count) {
    fwrite(values, sizeof *values, count, w->stream);
}

static toile_result write_surface(writer *w, const glb_surface *surface) {
    const mesh_view *mesh = &surface->mesh;
    size_t count = 3 * mesh->vertices;
    for (uint32_t sample = 0; sample < w->scene->samples; sample++) {
        float *positions = sample == 0 ? w->base_positions : w->positions;
        float *normals = sample == 0 ? w->base_normals : w->normals;
        toile_result result = surface->read(surface->motion, sample, positions);
        if (result != TOILE_OK) {
            return result;
        }
        mesh_normals(mesh, positions, normals);
        if (sample > 0) {
            subtract(positions, w->base_positions, count);
            subtract(normals, w->base_normals, count);
        }
        write_floats(w, positions, count);
        write_floats(w, normals, count);
    }
    fwrite(mesh->indices, sizeof *mesh->indices, 3 * mesh->triangles, w->stream);
    for (size_t i = 0; mesh->coordinates && i < mesh->vertices; i++) {
        float uv[2] = {mesh->coordinates[2 * i], 1.0f - mesh->coordinates[2 * i + 1]};
        write_floats(w, uv, 2);
    }
    return TOILE_OK;
}

static void write_body(writer *w, const mesh_data *mesh) {
    write_floats(w, mesh->positions, 3 * mesh->vertices);
    write_floats(w, mesh->normals, 3 * mesh->vertices);
    fwrite(mesh->indices, sizeof *mesh->indices, 3 * mesh->triangles, w->stream);
}

/* q and -q are the same turn: of the two the one closer to the last is written, for players that
 * interpolate without asking. */
static void write_poses(writer *w, const toile_pose *poses) {
    for (uint32_t sample = 0; sample < w->scene->samples; sample++) {
        write_floats(w, poses[sample].position, 3);
    }
    float last[4] = {0.0f};
    for (uint32_t sample = 0; sample < w->scene->samples; sample++) {
        float rotation[4], dot = 0.0f;
        glb_unit_rotation(poses[sample].rotation, rotation);
        for (int k = 0; k < 4; k++) {
            dot += rotation[k] * last[k];
        }
        for (int k = 0; k < 4; k++) {
            last[k] = dot < 0.0f ? -rotation[k] : rotation[k];
        }
        write_floats(w, last, 4);
    }
}

static void write_animation(writer *w) {
    const glb_scene *scene = w->scene;
    for (uint32_t sample = 0; sample < scene->samples; sample++) {
        float time = (float)((double)sample * scene->frame_time);
        write_floats(w, &time, 1);
    }
    for (uint32_t sample = 0; scene->surface_count > 0 && sample < scene->samples; sample++) {
        /* Target n - 1 is sample n; sample 0, the mesh itself, needs none. */
        if (sample > 0) {
            w->weights[sample - 1] = 1.0f;
        }
        write_floats(w, w->weights, scene->samples - 1);
        if (sample > 0) {
            w->weights[sample - 1] = 0.0f;
        }
    }
    for (int b = 0; b < scene->body_count; b++) {
        if (glb_body_moves(scene, b)) {
            write_poses(w, scene->bodies[b].poses);
        }
    }
}

static toile_result write_binary(writer *w) {
    const glb_scene *scene = w->scene;
    for (int i = 0; i < scene->surface_count; i++) {
        toile_result result = write_surface(w, &scene->surfaces[i]);
        if (result != TOILE_OK) {
            return result;
        }
    }
    for (int b = 0; b < scene->body_count; b++) {
        write_body(w, &w->body_meshes[b]);
    }
    if (glb_animation_bytes(scene) > 0) {
        write_animation(w);
    }
    glb_skins_write(scene, w->stream);
    return TOILE_OK;
}

/* ---- the file -----------------------------------------------------------------------------------
 */

static toile_result write_file(writer *w) {
    glb_plan plan = {
        .scene = w->scene, .ranges = w->ranges, .binary_bytes = binary_bytes(w->scene)};
    uint64_t json_bytes = glb_write_json(&plan, NULL);
    glb_begin_json(w->stream, json_bytes, plan.binary_bytes);
    glb_write_json(&plan, w->stream);
    glb_begin_binary(w->stream, json_bytes, plan.binary_bytes);
    return write_binary(w);
}

toile_result glb_write(const char *path, const glb_scene *scene) {
    TOILE_ASSERT(scene->surface_count + scene->body_count > 0 && scene->samples > 0);
    TOILE_ASSERT(scene->frame_time > 0.0 && isfinite(scene->frame_time));
    toile_result result = glb_check_size(glb_size(scene));
    if (result != TOILE_OK) {
        return result;
    }
    writer w;
    file_writer *file = NULL;
    result = writer_allocate(&w, scene);
    if (result == TOILE_OK) {
        result = measure(&w);
    }
    if (result == TOILE_OK) {
        result = file_create(path, &file);
    }
    if (result == TOILE_OK) {
        w.stream = file_stream(file);
        result = write_file(&w);
    }
    if (result == TOILE_OK) {
        result = file_commit(file);
    } else {
        file_discard(file);
    }
    writer_free(&w);
    return result;
}
