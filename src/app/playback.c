#include "app/playback.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/path.h"
#include "app/process.h"
#include "base/error.h"
#include "base/memory.h"

static toile_result load_scene(playback *p, const char *folder) {
    char *path;
    toile_result result = path_format(&path, "%s/scene.json", folder);
    if (result != TOILE_OK) {
        return result;
    }
    result = scene_load(path, &p->scene);
    free(path);
    if (result == TOILE_OK) {
        p->scene->world.device = "null";
        result = scene_build(p->scene, NULL, NULL, &p->world, &p->ids);
    }
    return result;
}

static toile_result open_motion(playback *p, const char *folder, int cloth) {
    char *path;
    toile_result result = path_format(&path, "%s/%s.pc2", folder, p->scene->cloths[cloth].def.name);
    if (result != TOILE_OK) {
        return result;
    }
    result = pc2_open(path, &p->motions[cloth]);
    if (result == TOILE_OK) {
        pc2_info info = pc2_get_info(p->motions[cloth]);
        size_t points = p->meshes.items[cloth].vertices;
        if (info.points != points || info.samples == 0) {
            result =
                error_set(TOILE_ERROR_FORMAT,
                          "'%s' holds %u samples of %u points: expected samples of %zu, as the "
                          "scene beside it has",
                          path, (unsigned)info.samples, (unsigned)info.points, points);
        }
        /* Of a run that was killed, one cloth may have a sample more than the next. */
        p->samples = cloth == 0 || info.samples < p->samples ? info.samples : p->samples;
    }
    free(path);
    return result;
}

static toile_result open_motions(playback *p, const char *folder) {
    char what[512];
    snprintf(what, sizeof what, "'%s' has the motions of %d cloths", folder, p->meshes.count);
    p->samples = p->outcome.frames + 1; /* where no cloth says otherwise */
    p->motions = memory_alloc((size_t)p->meshes.count, sizeof(pc2_reader *), "motions");
    toile_result result =
        p->motions ? process_check_files(p->meshes.count, what) : TOILE_ERROR_MEMORY;
    for (int c = 0; c < p->meshes.count && result == TOILE_OK; c++) {
        result = open_motion(p, folder, c);
    }
    return result;
}

static toile_result make_scratch(playback *p) {
    p->vertices = memory_alloc((size_t)p->scene->body_count, sizeof *p->vertices, "bodies");
    bool complete = p->vertices;
    for (int b = 0; b < p->scene->body_count && complete; b++) {
        const scene_body *body = &p->scene->bodies[b];
        if (body->actor) {
            p->vertices[b] = memory_alloc(body->def.mesh.vertices, 3 * sizeof(float), "bodies");
            complete = p->vertices[b];
        }
    }
    return complete ? TOILE_OK : TOILE_ERROR_MEMORY;
}

toile_result playback_open(playback *p, const char *folder) {
    *p = (playback){0};
    toile_result result = load_scene(p, folder);
    if (result == TOILE_OK) {
        result = meshes_create(&p->meshes, p->scene, p->world, &p->ids);
    }
    if (result == TOILE_OK) {
        result = outcome_read(folder, &p->outcome);
    }
    if (result == TOILE_OK) {
        result = open_motions(p, folder);
    }
    if (result == TOILE_OK) {
        result = bodies_trace(p->scene, p->samples, &p->trace);
    }
    if (result == TOILE_OK) {
        result = make_scratch(p);
    }
    if (result != TOILE_OK) {
        playback_close(p);
    }
    return result;
}

void playback_close(playback *p) {
    for (int c = 0; p->motions && c < p->meshes.count; c++) {
        pc2_free(p->motions[c]);
    }
    free(p->motions);
    for (int b = 0; p->vertices && b < p->scene->body_count; b++) {
        free(p->vertices[b]);
    }
    free(p->vertices);
    bodies_free(&p->trace);
    outcome_free(&p->outcome);
    meshes_free(&p->meshes);
    toile_world_destroy(p->world);
    scene_ids_free(&p->ids);
    scene_free(p->scene);
    *p = (playback){0};
}

toile_result playback_seek(playback *p, uint32_t sample) {
    toile_result result = TOILE_OK;
    for (int c = 0; c < p->meshes.count && result == TOILE_OK; c++) {
        mesh_data *mesh = &p->meshes.items[c];
        result = pc2_read(p->motions[c], sample, mesh->positions);
        if (result == TOILE_OK) {
            meshes_compute_normals(mesh);
        }
    }
    return result;
}

toile_result playback_body(playback *p, int body, uint32_t sample, body_sample *out) {
    return bodies_at(&p->trace, body, sample, p->vertices[body], out);
}
