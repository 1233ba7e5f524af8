#include "app/recording.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/meshes.h"
#include "app/motion.h"
#include "app/path.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/json.h"
#include "io/obj.h"
#include "io/pc2.h"

struct recording {
    recording_def def;
    meshes meshes;
    pc2_writer **motions; /* one a cloth */
    uint32_t frame;       /* of the last sample */
};

static const char *cloth_name(const recording_def *def, int cloth) {
    return def->scene->cloths[cloth].def.name;
}

static toile_result motion_path(const recording_def *def, int cloth, char **out) {
    return path_format(out, "%s/%s.pc2", def->folder, cloth_name(def, cloth));
}

static toile_result obj_path(const recording_def *def, int cloth, uint32_t frame, char **out) {
    return path_format(out, "%s/obj/%s_%04u.obj", def->folder, cloth_name(def, cloth),
                       (unsigned)frame);
}

/* ---- opening ------------------------------------------------------------------------------------
 */

/* Before the first of several motions is cut to length, all must be long enough. */
static toile_result check_motions(const recording *r) {
    toile_result result = TOILE_OK;
    for (int c = 0; c < r->meshes.count && result == TOILE_OK; c++) {
        char *path = NULL;
        pc2_reader *reader = NULL;
        result = motion_path(&r->def, c, &path);
        if (result == TOILE_OK) {
            result = pc2_open(path, &reader);
        }
        if (result == TOILE_OK) {
            pc2_info info = pc2_get_info(reader);
            if (info.points != r->meshes.items[c].vertices || info.samples <= r->def.first) {
                result = error_set(TOILE_ERROR_INVALID,
                                   "cannot continue '%s', which holds %u samples of %u points: "
                                   "the checkpoint goes on from sample %u of %zu points",
                                   path, (unsigned)info.samples, (unsigned)info.points,
                                   (unsigned)r->def.first, r->meshes.items[c].vertices);
            }
        }
        pc2_free(reader);
        free(path);
    }
    return result;
}

static toile_result write_scene(const recording_def *def) {
    char *path;
    file_writer *w;
    toile_result result = path_format(&path, "%s/scene.json", def->folder);
    if (result != TOILE_OK) {
        return result;
    }
    result = file_create(path, &w);
    if (result == TOILE_OK) {
        fputs(def->scene->source->text, file_stream(w));
        result = file_commit(w);
    }
    free(path);
    return result;
}

static toile_result remove_file(const char *folder, const char *name) {
    char *path;
    toile_result result = path_format(&path, "%s/%s", folder, name);
    if (result == TOILE_OK) {
        unlink(path); /* usually it is not there */
        free(path);
    }
    return result;
}

/* A folder never shows the end of one run beside the motion of another. */
static toile_result remove_results(const recording_def *def) {
    toile_result result = remove_file(def->folder, "report.json");
    if (result == TOILE_OK) {
        result = remove_file(def->folder, "motion.glb");
    }
    for (int c = 0; c < def->scene->cloth_count && result == TOILE_OK; c++) {
        char *name;
        result = path_format(&name, "%s.obj", cloth_name(def, c));
        if (result == TOILE_OK) {
            result = remove_file(def->folder, name);
            free(name);
        }
        bool removed = true;
        for (uint32_t frame = def->first + 1; removed && result == TOILE_OK; frame++) {
            result = obj_path(def, c, frame, &name);
            if (result == TOILE_OK) {
                removed = unlink(name) == 0;
                free(name);
            }
        }
    }
    return result;
}

static toile_result open_motions(recording *r) {
    toile_result result = TOILE_OK;
    for (int c = 0; c < r->meshes.count && result == TOILE_OK; c++) {
        uint32_t points = (uint32_t)r->meshes.items[c].vertices;
        char *path;
        result = motion_path(&r->def, c, &path);
        if (result == TOILE_OK) {
            result = r->def.first > 0 ? pc2_continue(path, points, r->def.first + 1, &r->motions[c])
                                      : pc2_create(path, points, 0.0f, &r->motions[c]);
            free(path);
        }
    }
    return result;
}

static toile_result make_folders(const recording_def *def) {
    toile_result result = file_make_folder(def->folder);
    if (result == TOILE_OK && def->formats & FORMAT_OBJ) {
        char *path;
        result = path_format(&path, "%s/obj", def->folder);
        if (result == TOILE_OK) {
            result = file_make_folder(path);
            free(path);
        }
    }
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
            char *path;
            result = obj_path(&r->def, c, r->frame, &path);
            if (result == TOILE_OK) {
                mesh_view view = mesh_get_view(&r->meshes.items[c], cloth_name(&r->def, c));
                result = obj_write(path, &view);
                free(path);
            }
        }
    }
    return result;
}

static toile_result check(recording *r) {
    const recording_def *def = &r->def;
    toile_result result = meshes_create(&r->meshes, def->scene, def->world, def->ids);
    if (result == TOILE_OK && def->formats & FORMAT_PC2 && def->first > 0) {
        result = check_motions(r);
    }
    return result;
}

static toile_result begin(recording *r) {
    toile_result result = make_folders(&r->def);
    if (result == TOILE_OK) {
        result = write_scene(&r->def);
    }
    if (result == TOILE_OK) {
        result = remove_results(&r->def);
    }
    if (result == TOILE_OK && r->def.formats & FORMAT_PC2) {
        result = open_motions(r);
    }
    if (result == TOILE_OK && r->def.first == 0) {
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

static toile_result close_motions(recording *r) {
    toile_result result = TOILE_OK;
    for (int c = 0; r->motions && c < r->meshes.count; c++) {
        if (r->motions[c]) {
            toile_result closed = pc2_close(r->motions[c]);
            result = result == TOILE_OK ? closed : result;
            r->motions[c] = NULL;
        }
    }
    return result;
}

static toile_result write_last_frame(recording *r) {
    toile_result result = meshes_read(&r->meshes, r->def.world, r->def.ids);
    for (int c = 0; c < r->meshes.count && result == TOILE_OK; c++) {
        char *path;
        result = path_format(&path, "%s/%s.obj", r->def.folder, cloth_name(&r->def, c));
        if (result == TOILE_OK) {
            mesh_view view = mesh_get_view(&r->meshes.items[c], cloth_name(&r->def, c));
            result = obj_write(path, &view);
            free(path);
        }
    }
    return result;
}

static toile_result write_whole(recording *r) {
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
        result = path_format(&path, "%s/motion.glb", r->def.folder);
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

toile_result recording_finish(recording *r) {
    toile_result result = close_motions(r);
    if (result == TOILE_OK && r->def.formats) {
        result = write_last_frame(r);
    }
    if (result == TOILE_OK && r->def.formats & FORMAT_GLB) {
        result = write_whole(r);
    }
    recording_abandon(r);
    return result;
}

void recording_abandon(recording *r) {
    if (r) {
        close_motions(r);
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
