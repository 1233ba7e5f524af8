#include "app/recording.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/meshes.h"
#include "app/motion.h"
#include "app/path.h"
#include "app/process.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/json.h"
#include "io/obj.h"
#include "io/pc2.h"

struct recording {
    recording_def def;
    written *files;
    meshes meshes;
    pc2_writer **motions; /* one a cloth */
    uint32_t frame;       /* of the last sample */
};

static const char *cloth_name(const recording_def *def, int cloth) {
    return def->scene->cloths[cloth].def.name;
}

/* Names below the folder, of a cloth's files. */

static toile_result motion_name(const recording_def *def, int cloth, char **out) {
    return path_format(out, "%s.pc2", cloth_name(def, cloth));
}

static toile_result obj_name(const recording_def *def, int cloth, uint32_t frame, char **out) {
    return path_format(out, "obj/%s_%04u.obj", cloth_name(def, cloth), (unsigned)frame);
}

static toile_result motion_path(const recording_def *def, int cloth, char **out) {
    return path_format(out, "%s/%s.pc2", def->folder, cloth_name(def, cloth));
}

/* ---- opening ------------------------------------------------------------------------------------
 */

/* A motion that goes on is at the very positions of the checkpoint there. */
static toile_result check_motion(const recording *r, int cloth, const char *path,
                                 pc2_reader *motion) {
    const mesh_data *mesh = &r->meshes.items[cloth];
    pc2_info info = pc2_get_info(motion);
    if (info.points != mesh->vertices || info.samples <= r->def.first) {
        return error_set(TOILE_ERROR_INVALID,
                         "cannot continue '%s', which holds %u samples of %u points: the "
                         "checkpoint goes on from sample %u of %zu points",
                         path, (unsigned)info.samples, (unsigned)info.points,
                         (unsigned)r->def.first, mesh->vertices);
    }
    float *positions = memory_alloc(3 * mesh->vertices, sizeof *positions, "a sample");
    toile_result result =
        positions ? pc2_read(motion, r->def.first, positions) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK &&
        memcmp(positions, mesh->positions, 3 * mesh->vertices * sizeof *positions) != 0) {
        result = error_set(TOILE_ERROR_INVALID,
                           "cannot continue '%s', which is the motion of another run: its sample "
                           "%u is not where the checkpoint is",
                           path, (unsigned)r->def.first);
    }
    free(positions);
    return result;
}

/* Before the first of several motions is cut to length, all must be long enough. */
static toile_result check_motions(recording *r) {
    toile_result result = meshes_read(&r->meshes, r->def.world, r->def.ids);
    for (int c = 0; c < r->meshes.count && result == TOILE_OK; c++) {
        char *path = NULL;
        pc2_reader *reader = NULL;
        result = motion_path(&r->def, c, &path);
        if (result == TOILE_OK) {
            result = pc2_open(path, &reader);
        }
        if (result == TOILE_OK) {
            result = check_motion(r, c, path, reader);
        }
        pc2_free(reader);
        free(path);
    }
    return result;
}

static toile_result open_motions(recording *r) {
    toile_result result = TOILE_OK;
    for (int c = 0; c < r->meshes.count && result == TOILE_OK; c++) {
        uint32_t points = (uint32_t)r->meshes.items[c].vertices;
        char *path = NULL, *name = NULL;
        result = motion_name(&r->def, c, &name);
        if (result == TOILE_OK) {
            result = written_begin(r->files, name);
        }
        if (result == TOILE_OK) {
            result = motion_path(&r->def, c, &path);
        }
        if (result == TOILE_OK) {
            result = r->def.resume ? pc2_continue(path, points, r->def.first + 1, &r->motions[c])
                                   : pc2_create(path, points, 0.0f, &r->motions[c]);
        }
        free(name);
        free(path);
    }
    return result;
}

static toile_result make_folder_of_frames(const recording_def *def) {
    char *path;
    toile_result result = path_format(&path, "%s/obj", def->folder);
    if (result == TOILE_OK) {
        result = file_make_folder(path);
        free(path);
    }
    return result;
}

/* The mesh of a cloth as it was read last, to a file of that name, which is freed. */
static toile_result write_obj(const recording *r, int cloth, char *name) {
    mesh_view view = mesh_get_view(&r->meshes.items[cloth], cloth_name(&r->def, cloth));
    char *path;
    toile_result result = path_format(&path, "%s/%s", r->def.folder, name);
    if (result == TOILE_OK) {
        result = written_begin(r->files, name);
        if (result == TOILE_OK) {
            result = obj_write(path, &view);
        }
        if (result == TOILE_OK) {
            result = written_end(r->files, name);
        }
        free(path);
    }
    free(name);
    return result;
}

/* The state of the world as a sample. */
static toile_result write_sample(recording *r) {
    toile_result result =
        r->def.formats ? meshes_read(&r->meshes, r->def.world, r->def.ids) : TOILE_OK;
    for (int c = 0; c < r->meshes.count && result == TOILE_OK; c++) {
        if (r->def.formats & FORMAT_PC2) {
            result = pc2_append(r->motions[c], r->meshes.items[c].positions);
        }
        if (result == TOILE_OK && r->def.formats & FORMAT_OBJ) {
            char *name;
            result = obj_name(&r->def, c, r->frame, &name);
            if (result == TOILE_OK) {
                result = write_obj(r, c, name);
            }
        }
    }
    return result;
}

/* A frame of a motion that goes on, unless it is there. */
static toile_result write_earlier_frame(recording *r, int cloth, pc2_reader *motion,
                                        uint32_t frame) {
    char *name;
    mesh_data *mesh = &r->meshes.items[cloth];
    toile_result result = obj_name(&r->def, cloth, frame, &name);
    if (result != TOILE_OK) {
        return result;
    }
    if (written_look(r->files, name) == WRITTEN_OURS) {
        written_keep(r->files, name);
        free(name);
        return TOILE_OK;
    }
    result = pc2_read(motion, frame, mesh->positions);
    if (result != TOILE_OK) {
        free(name);
        return result;
    }
    meshes_compute_normals(mesh);
    return write_obj(r, cloth, name);
}

/* The run so far may not have been asked for frames. */
static toile_result write_earlier_frames(recording *r) {
    toile_result result = TOILE_OK;
    for (int c = 0; c < r->meshes.count && result == TOILE_OK; c++) {
        char *path;
        pc2_reader *motion = NULL;
        result = motion_path(&r->def, c, &path);
        if (result == TOILE_OK) {
            result = pc2_open(path, &motion);
            free(path);
        }
        for (uint32_t frame = 0; frame <= r->def.first && result == TOILE_OK; frame++) {
            result = write_earlier_frame(r, c, motion, frame);
        }
        pc2_free(motion);
    }
    return result;
}

static toile_result check(recording *r) {
    const recording_def *def = &r->def;
    char what[512];
    snprintf(what, sizeof what, "'%s' has %d cloths, whose motions are written together",
             def->scene->path, def->scene->cloth_count);
    toile_result result =
        def->formats ? process_check_files(def->scene->cloth_count, what) : TOILE_OK;
    if (result == TOILE_OK) {
        result = meshes_create(&r->meshes, def->scene, def->world, def->ids);
    }
    if (result == TOILE_OK && def->resume) {
        result = folder_check_scene(def->place);
    }
    if (result == TOILE_OK && def->formats && def->resume) {
        result = check_motions(r);
    }
    return result == TOILE_OK ? folder_check(def->place, def->formats & FORMAT_OBJ) : result;
}

static toile_result begin(recording *r) {
    bool frames = r->def.formats & FORMAT_OBJ;
    toile_result result = folder_begin(r->def.place, r->def.resume != NULL);
    if (result == TOILE_OK && frames) {
        result = make_folder_of_frames(&r->def);
    }
    if (result == TOILE_OK && r->def.formats & FORMAT_PC2) {
        result = open_motions(r);
    }
    if (result == TOILE_OK && frames && r->def.resume) {
        result = write_earlier_frames(r);
    }
    if (result == TOILE_OK && !r->def.resume) {
        result = write_sample(r);
    }
    return result;
}

toile_result recording_open(const recording_def *def, recording **out) {
    recording *r = memory_alloc(1, sizeof *r, "a recording");
    if (!r) {
        return TOILE_ERROR_MEMORY;
    }
    r->def = *def;
    r->files = folder_files(def->place);
    r->frame = def->first;
    r->motions = memory_alloc((size_t)def->scene->cloth_count, sizeof(pc2_writer *), "motions");
    toile_result result = r->motions ? check(r) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = begin(r);
    }
    if (result != TOILE_OK) {
        recording_abandon(r);
        return result;
    }
    *out = r;
    return TOILE_OK;
}

toile_result recording_append(recording *r) {
    r->frame++;
    return write_sample(r);
}

/* ---- closing ------------------------------------------------------------------------------------
 */

static void close_motions(recording *r, failures *f) {
    for (int c = 0; r->motions && c < r->meshes.count; c++) {
        if (r->motions[c]) {
            failures_add(f, pc2_close(r->motions[c]));
            r->motions[c] = NULL;
        }
    }
}

static void write_last_frame(recording *r, failures *f) {
    toile_result result = meshes_read(&r->meshes, r->def.world, r->def.ids);
    failures_add(f, result);
    for (int c = 0; c < r->meshes.count && result == TOILE_OK; c++) {
        char *name;
        result = path_format(&name, "%s.obj", cloth_name(&r->def, c));
        failures_add(f, result == TOILE_OK ? write_obj(r, c, name) : result);
    }
}

static toile_result write_whole(recording *r) {
    static const char name[] = "motion.glb";
    pc2_reader **readers = memory_alloc((size_t)r->meshes.count, sizeof(pc2_reader *), "motions");
    toile_result result = readers ? TOILE_OK : TOILE_ERROR_MEMORY;
    char *path = NULL;
    for (int c = 0; c < r->meshes.count && result == TOILE_OK; c++) {
        result = motion_path(&r->def, c, &path);
        if (result == TOILE_OK) {
            result = pc2_open(path, &readers[c]);
            free(path);
        }
    }
    if (result == TOILE_OK) {
        result = written_begin(r->files, name);
    }
    if (result == TOILE_OK) {
        result = path_format(&path, "%s/%s", r->def.folder, name);
    }
    if (result == TOILE_OK) {
        result = motion_write(path, r->def.scene, &r->meshes, readers, r->frame + 1);
        free(path);
    }
    for (int c = 0; readers && c < r->meshes.count; c++) {
        pc2_free(readers[c]);
    }
    free(readers);
    return result;
}

void recording_finish(recording *r, failures *f) {
    close_motions(r, f);
    if (r->def.formats) {
        write_last_frame(r, f);
    }
    if (r->def.formats & FORMAT_GLB) {
        failures_add(f, write_whole(r));
    }
    recording_abandon(r);
}

void recording_abandon(recording *r) {
    if (r) {
        close_motions(r, &(failures){0});
        meshes_free(&r->meshes);
        free(r->motions);
        free(r);
    }
}

void recording_print(const recording_def *def, uint32_t last, FILE *stream) {
    for (int c = 0; c < def->scene->cloth_count && def->formats; c++) {
        const char *name = cloth_name(def, c);
        fprintf(stream, "%s/%s.pc2\n%s/%s.obj\n", def->folder, name, def->folder, name);
        if (def->formats & FORMAT_OBJ) {
            fprintf(stream, "%s/obj/%s_0000.obj to %s_%04u.obj\n", def->folder, name, name,
                    (unsigned)last);
        }
    }
    if (def->formats & FORMAT_GLB) {
        fprintf(stream, "%s/motion.glb\n", def->folder);
    }
    fprintf(stream, "%s/report.json\n", def->folder);
}
