#include "app/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "app/path.h"
#include "base/error.h"
#include "io/scene_files.h"

/* A path below the folder of the run; NULL: it lies elsewhere. Free with free(). */
static char *find_below(const outputs *o, const char *path) {
    char *file = path_resolve(path), *folder = path_resolve(o->folder), *below = NULL;
    size_t length = folder ? strlen(folder) : 0;
    if (file && folder && strncmp(file, folder, length) == 0) {
        const char *name = file + length;
        name += *name == '/';
        below = name > file + length || folder[length - 1] == '/' ? strdup(name) : NULL;
    }
    free(file);
    free(folder);
    return below;
}

static bool is_result(const outputs *o, const char *path, const char *except) {
    char *below = find_below(o, path);
    bool result = below && strcmp(below, except) != 0 && folder_is_result(o->open, below);
    free(below);
    return result;
}

/* An output that the user named. */
typedef struct output {
    const char *option, *path;
} output;

static toile_result refuse(const output *out, const char *what) {
    return error_set(TOILE_ERROR_INVALID, "%s: '%s' is %s: expected another file", out->option,
                     out->path, what);
}

static toile_result compare(void *context, const scene_file_read *file) {
    const output *out = context;
    return path_same(out->path, file->path) ? refuse(out, "a file that the scene reads") : TOILE_OK;
}

/* own: the result of the folder that it may be, since it is the same. */
static toile_result check_output(const outputs *o, output *out, const char *own) {
    if (path_same(out->path, o->scene->path)) {
        return refuse(out, "the scene");
    }
    if (is_result(o, out->path, own)) {
        return refuse(out, "a result of the run");
    }
    toile_result result = scene_files_visit(o->scene, compare, out);
    return result == TOILE_OK ? path_probe(out->path) : result;
}

toile_result outputs_check(const outputs *o) {
    output report = {"--report", o->report}, checkpoint = {"--checkpoint", o->checkpoint};
    toile_result result = TOILE_OK;
    if (is_result(o, o->scene->path, "scene.json")) {
        result = error_set(TOILE_ERROR_INVALID,
                           "the scene '%s' is where the run in '%s' writes a result: choose "
                           "another folder with -o",
                           o->scene->path, o->folder);
    }
    if (result == TOILE_OK && o->report &&
        ((o->checkpoint && path_same(o->report, o->checkpoint)) ||
         (o->resume && path_same(o->report, o->resume)))) {
        result = refuse(&report, "a checkpoint");
    }
    if (result == TOILE_OK && o->report) {
        result = check_output(o, &report, "report.json");
    }
    if (result == TOILE_OK && o->checkpoint) {
        result = check_output(o, &checkpoint, "checkpoint");
    }
    return result;
}
