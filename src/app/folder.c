#include "app/folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/earlier.h"
#include "app/path.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/json.h"
#include "io/scene_files.h"

struct run_folder {
    char *path;
    size_t there; /* so many characters of the path named a folder before */
    int lock;     /* descriptor */
    const scene *scene;
    const char **cloths; /* their names, sorted */
    written *files;
    json_t *own; /* names of files there that are the scene's own, and stay as they are */
    bool begun;
};

/* ---- making and locking -------------------------------------------------------------------------
 */

static size_t existing_length(char *path) {
    size_t there = 0;
    for (size_t end = 0; path[end];) {
        end += strspn(path + end, "/");
        end += strcspn(path + end, "/");
        char separator = path[end];
        path[end] = '\0';
        bool folder = path_is_folder(path);
        path[end] = separator;
        if (!folder) {
            break;
        }
        there = end;
    }
    return there;
}

static void remove_made(run_folder *f) {
    for (size_t end = strlen(f->path); end > f->there;) {
        f->path[end] = '\0';
        if (rmdir(f->path) != 0 && errno != ENOENT) {
            break;
        }
        while (end > f->there && f->path[end] != '/') {
            end--;
        }
    }
}

static toile_result lock(run_folder *f) {
    f->lock = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Not every file system has locks, which is no reason to write nothing there. */
    if (f->lock >= 0 && flock(f->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return error_set(TOILE_ERROR_INVALID, "cannot write to '%s': another run is writing there",
                         f->path);
    }
    return TOILE_OK;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static toile_result sort_cloths(run_folder *f) {
    size_t count = (size_t)f->scene->cloth_count;
    f->cloths = memory_alloc(count + 1, sizeof *f->cloths, "names of cloths");
    if (!f->cloths) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t c = 0; c < count; c++) {
        f->cloths[c] = f->scene->cloths[c].def.name;
    }
    qsort(f->cloths, count, sizeof *f->cloths, compare_names);
    return TOILE_OK;
}

toile_result folder_open(const char *path, const scene *s, run_folder **out) {
    run_folder *f = memory_alloc(1, sizeof *f, "a folder");
    if (!f) {
        return TOILE_ERROR_MEMORY;
    }
    f->lock = -1;
    f->scene = s;
    f->own = json_object();
    toile_result result = f->own ? path_format(&f->path, "%s", path)
                                 : error_set(TOILE_ERROR_MEMORY, "not enough memory for a folder");
    if (result == TOILE_OK) {
        f->there = existing_length(f->path);
        result = file_make_folder(path);
    }
    if (result == TOILE_OK) {
        result = lock(f);
    }
    if (result == TOILE_OK) {
        result = sort_cloths(f);
    }
    if (result == TOILE_OK) {
        result = written_open(path, &f->files);
    }
    if (result != TOILE_OK) {
        folder_close(f);
        return result;
    }
    *out = f;
    return TOILE_OK;
}

void folder_close(run_folder *f) {
    if (!f) {
        return;
    }
    written_close(f->files);
    if (f->path) {
        remove_made(f);
    }
    if (f->lock >= 0) {
        close(f->lock);
    }
    json_decref(f->own);
    free(f->cloths);
    free(f->path);
    free(f);
}

written *folder_files(run_folder *f) {
    return f->files;
}

bool folder_keeps_earlier(const run_folder *f) {
    return f->begun && earlier_is_there(f->path);
}

/* ---- names --------------------------------------------------------------------------------------
 */

static bool is_cloth(const run_folder *f, const char *name) {
    size_t count = (size_t)f->scene->cloth_count;
    return count > 0 && bsearch(&name, f->cloths, count, sizeof *f->cloths, compare_names);
}

/* Cuts what ends the text off, if it ends so. */
static bool cut(char *text, const char *ending) {
    size_t length = strlen(text), wanted = strlen(ending);
    if (length < wanted || strcmp(text + length - wanted, ending) != 0) {
        return false;
    }
    text[length - wanted] = '\0';
    return true;
}

/* The same for a number and the mark in front of it. */
static bool cut_number(char *text, char mark) {
    char *digits = text + strlen(text);
    while (digits > text && isdigit((unsigned char)digits[-1])) {
        digits--;
    }
    if (!*digits || digits == text || digits[-1] != mark) {
        return false;
    }
    digits[-1] = '\0';
    return true;
}

static bool is_below(const char *name, const char *folder) {
    size_t length = strlen(folder);
    return strncmp(name, folder, length) == 0 && (!name[length] || name[length] == '/');
}

bool folder_is_result(const run_folder *f, const char *name) {
    static const char *const names[] = {"scene.json", "report.json", "motion.glb",
                                        "checkpoint", WRITTEN_LIST,  "obj"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    if (is_below(name, SCENE_FILES) || is_below(name, EARLIER)) {
        return true;
    }
    bool frame = is_below(name, "obj");
    char *cloth;
    if (path_format(&cloth, "%s", name + (frame ? strlen("obj/") : 0)) != TOILE_OK) {
        return true; /* not known, not touched */
    }
    bool result = frame ? cut(cloth, ".obj") && cut_number(cloth, '_')
                        : cut(cloth, ".pc2") || cut(cloth, ".obj");
    result = result && is_cloth(f, cloth);
    free(cloth);
    return result;
}

/* ---- the scene ----------------------------------------------------------------------------------
 */

/* NULL where there is none, or none that can be read. */
static char *read_scene(const char *folder) {
    enum { LARGEST = 64 << 20 };
    char *path;
    uint8_t *bytes = NULL;
    size_t size;
    if (path_format(&path, "%s/scene.json", folder) == TOILE_OK) {
        if (file_read_plain(path, LARGEST, &bytes, &size) != TOILE_OK) {
            bytes = NULL;
        }
        free(path);
    }
    return (char *)bytes;
}

static bool is_text_of(const char *text, const scene *s) {
    size_t mark = strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* as when a scene is read */
    return strcmp(text + mark, s->source->text) == 0;
}

static void drop_colors(json_t *list) {
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item) {
        json_object_del(item, "color");
    }
}

/* What a scene says, but for its length and its looks, which may change on the way. */
static json_t *load_simulation(const char *text) {
    json_t *root = json_loads(text, 0, NULL);
    json_object_del(root, "frames");
    json_object_del(root, "camera");
    json_object_del(root, "render");
    drop_colors(json_object_get(root, "cloths"));
    drop_colors(json_object_get(root, "bodies"));
    return root;
}

static bool is_same_simulation(const char *text, const scene *s) {
    json_t *there = load_simulation(text), *ours = load_simulation(s->source->text);
    bool same = there && json_equal(there, ours);
    json_decref(there);
    json_decref(ours);
    return same;
}

toile_result folder_check_scene(const run_folder *f) {
    char *text = read_scene(f->path);
    toile_result result = TOILE_OK;
    if (text && !is_same_simulation(text, f->scene)) {
        result = error_set(TOILE_ERROR_INVALID,
                           "cannot continue the run in '%s': its scene.json is another simulation "
                           "than '%s'",
                           f->path, f->scene->path);
    }
    free(text);
    return result;
}

static toile_result write_text(const run_folder *f) {
    char *path;
    file_writer *w;
    toile_result result = path_format(&path, "%s/scene.json", f->path);
    if (result == TOILE_OK) {
        result = file_create(path, &w);
        free(path);
    }
    if (result == TOILE_OK) {
        fputs(f->scene->source->text, file_stream(w));
        result = file_commit(w);
    }
    return result;
}

static bool is_own(const char *name, void *user) {
    const run_folder *f = user;
    return json_object_get(f->own, name);
}

static toile_result copy_file(void *context, const scene_file_read *file) {
    run_folder *f = context;
    char *name = NULL, *path = NULL;
    toile_result result = file->copy ? path_format(&name, SCENE_FILES "/%s", file->copy) : TOILE_OK;
    if (result == TOILE_OK && name && !is_own(name, f)) {
        result = path_format(&path, "%s/%s", f->path, name);
        if (result == TOILE_OK) {
            result = written_begin(f->files, name);
        }
        if (result == TOILE_OK) {
            result = scene_files_copy(file, path);
        }
        if (result == TOILE_OK) {
            result = written_end(f->files, name);
        }
    }
    free(name);
    free(path);
    return result;
}

static toile_result write_scene(run_folder *f) {
    static const char name[] = "scene.json";
    toile_result result = TOILE_OK;
    if (!is_own(name, f)) {
        result = written_begin(f->files, name);
        if (result == TOILE_OK) {
            result = write_text(f);
        }
        if (result == TOILE_OK) {
            result = written_end(f->files, name);
        }
    }
    return result == TOILE_OK ? scene_files_visit(f->scene, copy_file, f) : result;
}

/* ---- what is in the way -------------------------------------------------------------------------
 */

static toile_result check_name(run_folder *f, const char *name) {
    written_state state = is_own(name, f) ? WRITTEN_NOTHING : written_look(f->files, name);
    if (state == WRITTEN_FOREIGN || state == WRITTEN_CHANGED) {
        return error_set(TOILE_ERROR_INVALID,
                         "'%s/%s' is in the way of the run: %s; move it, or choose another folder "
                         "with -o",
                         f->path, name,
                         state == WRITTEN_FOREIGN ? "no run wrote it"
                                                  : "it was changed after a run wrote it");
    }
    return TOILE_OK;
}

/* below: "" or "obj/". */
static toile_result check_entries(run_folder *f, const char *below, bool frames) {
    char *path;
    toile_result result = path_format(&path, "%s/%s", f->path, below);
    if (result != TOILE_OK) {
        return result;
    }
    DIR *entries = opendir(path);
    if (!entries && errno != ENOENT) { /* what is there cannot be known */
        result = error_set(TOILE_ERROR_INVALID, "cannot read the folder '%s': %s", path,
                           strerror(errno));
    }
    free(path);
    for (struct dirent *e; entries && result == TOILE_OK && (e = readdir(entries));) {
        char name[sizeof e->d_name + 8];
        snprintf(name, sizeof name, "%s%s", below, e->d_name);
        bool list = strcmp(name, WRITTEN_LIST) == 0;
        bool obj = strcmp(name, "obj") == 0;
        if (obj || strcmp(name, SCENE_FILES) == 0 || strcmp(name, EARLIER) == 0) {
            result = earlier_check_folder(f->path, name, obj && frames);
        } else if (!list && folder_is_result(f, name)) {
            result = check_name(f, name);
        }
    }
    if (entries) {
        closedir(entries);
    }
    return result;
}

/* The run's own copy is where it should be; anything else that is read must not be here. */
static toile_result check_file(void *context, const scene_file_read *file) {
    run_folder *f = context;
    char *name = NULL, *path = NULL;
    toile_result result = path_format(&name, SCENE_FILES "/%s", file->copy ? file->copy : "");
    if (result == TOILE_OK) {
        result = path_format(&path, "%s/%s", f->path, name);
    }
    if (result == TOILE_OK && file->copy && file_same(path, file->path)) {
        json_object_set_new_nocheck(f->own, name, json_true());
    } else if (result == TOILE_OK && file_lies_in(file->path, f->path)) {
        result = error_set(TOILE_ERROR_INVALID,
                           "'%s' lies in the folder of the run, which might replace or remove it: "
                           "expected a folder of its own for the run",
                           file->path);
    } else if (result == TOILE_OK && file->copy) {
        result = check_name(f, name);
    }
    free(name);
    free(path);
    return result;
}

toile_result folder_check(run_folder *f, bool frames) {
    char *text = read_scene(f->path);
    if (text && is_text_of(text, f->scene)) {
        json_object_set_new_nocheck(f->own, "scene.json", json_true());
    }
    free(text);
    toile_result result = scene_files_visit(f->scene, check_file, f);
    if (result == TOILE_OK) {
        result = check_entries(f, "", frames);
    }
    if (result == TOILE_OK) {
        result = check_entries(f, "obj/", frames);
    }
    return result == TOILE_OK ? earlier_check(f->files) : result;
}

/* ---- a run --------------------------------------------------------------------------------------
 */

toile_result folder_begin(run_folder *f, bool resuming) {
    toile_result result = earlier_remove_temporaries(f->files);
    if (result == TOILE_OK && !resuming) {
        result = earlier_move(f->files, is_own, f);
    }
    const char *name;
    json_t *value;
    json_object_foreach(f->own, name, value) {
        written_keep(f->files, name);
    }
    f->begun = result == TOILE_OK;
    return result == TOILE_OK ? write_scene(f) : result;
}

toile_result folder_end(run_folder *f, bool whole) {
    toile_result result = written_finish(f->files, whole);
    return result == TOILE_OK && whole ? earlier_remove(f->path) : result;
}
