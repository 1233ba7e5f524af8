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

toile_result folder_open(const char *path, run_folder **out) {
    run_folder *f = memory_alloc(1, sizeof *f, "a folder");
    if (!f) {
        return TOILE_ERROR_MEMORY;
    }
    f->lock = -1;
    toile_result result = path_format(&f->path, "%s", path);
    if (result == TOILE_OK) {
        f->there = existing_length(f->path);
        result = file_make_folder(path);
    }
    if (result == TOILE_OK) {
        result = lock(f);
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
    if (f->path) {
        remove_made(f);
    }
    if (f->lock >= 0) {
        close(f->lock);
    }
    free(f->path);
    free(f);
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
        if (file_read(path, LARGEST, &bytes, &size) != TOILE_OK) {
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

static bool is_sign_of_run(const char *name) {
    return strcmp(name, "report.json") == 0 || strcmp(name, "checkpoint") == 0 ||
           path_ends_with(name, ".pc2");
}

static bool has_run(const char *folder) {
    DIR *entries = opendir(folder);
    bool found = false;
    for (struct dirent *e; entries && !found && (e = readdir(entries));) {
        found = is_sign_of_run(e->d_name);
    }
    if (entries) {
        closedir(entries);
    }
    return found;
}

toile_result folder_check_scene(const char *path, const scene *s, bool resuming) {
    char *text = read_scene(path);
    toile_result result = scene_files_check(s, path);
    if (result != TOILE_OK) {
        free(text);
        return result;
    }
    if (text && resuming && !is_same_simulation(text, s)) {
        result = error_set(TOILE_ERROR_INVALID,
                           "cannot continue the run in '%s': its scene.json is another simulation "
                           "than '%s'",
                           path, s->path);
    } else if (text && !resuming && !is_text_of(text, s) && !has_run(path)) {
        result = error_set(TOILE_ERROR_INVALID,
                           "'%s/scene.json' is not of a run and would be replaced: expected a "
                           "folder of its own for the run",
                           path);
    }
    free(text);
    return result;
}

toile_result folder_write_scene(const char *path, const scene *s) {
    char *text = read_scene(path), *name = NULL;
    file_writer *w;
    bool there = text && is_text_of(text, s);
    free(text);
    toile_result result = there ? TOILE_OK : path_format(&name, "%s/scene.json", path);
    if (result == TOILE_OK && !there) {
        result = file_create(name, &w);
        if (result == TOILE_OK) {
            fputs(s->source->text, file_stream(w));
            result = file_commit(w);
        }
    }
    free(name);
    return result == TOILE_OK ? scene_files_copy(s, path) : result;
}

/* ---- earlier results ----------------------------------------------------------------------------
 */

/* Names of cloths, sorted. */
typedef struct names {
    const char **items;
    size_t count;
} names;

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_names(names *n, const scene *s) {
    for (int c = 0; s && c < s->cloth_count; c++) {
        n->items[n->count++] = s->cloths[c].def.name;
    }
}

static bool is_cloth(const names *n, const char *name) {
    return n->count > 0 && bsearch(&name, n->items, n->count, sizeof *n->items, compare_names);
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
static bool cut_number(char *text, char mark, unsigned long *number) {
    char *digits = text + strlen(text);
    while (digits > text && isdigit((unsigned char)digits[-1])) {
        digits--;
    }
    if (!*digits || digits == text || digits[-1] != mark) {
        return false;
    }
    *number = strtoul(digits, NULL, 10);
    digits[-1] = '\0';
    return true;
}

/* "report.json.tmp-123-0", as files are called while they are written. */
static bool cut_temporary(char *text) {
    static const char mark[] = ".tmp-", digits[] = "0123456789";
    char *at = strstr(text, mark);
    for (char *next = at; next; next = strstr(next + 1, mark)) {
        at = next;
    }
    if (!at) {
        return false;
    }
    const char *process = at + strlen(mark);
    const char *dash = process + strspn(process, digits);
    if (dash == process || *dash != '-' || !dash[1] || dash[1 + strspn(dash + 1, digits)]) {
        return false;
    }
    *at = '\0';
    return true;
}

/* In the folder itself; name is changed. */
static bool is_result(const names *n, const folder_kept *kept, char *name) {
    bool temporary = cut_temporary(name);
    if (strcmp(name, "report.json") == 0 || strcmp(name, "motion.glb") == 0 ||
        strcmp(name, "checkpoint") == 0) {
        return true;
    }
    if (cut(name, ".pc2")) {
        return !kept->motion && is_cloth(n, name);
    }
    return (temporary && strcmp(name, "scene.json") == 0) ||
           (cut(name, ".obj") && is_cloth(n, name));
}

/* In the folder of all frames. */
static bool is_frame(const names *n, const folder_kept *kept, char *name) {
    unsigned long frame;
    bool temporary = cut_temporary(name);
    return cut(name, ".obj") && cut_number(name, '_', &frame) && is_cloth(n, name) &&
           (temporary || !kept->frames || frame > kept->last);
}

typedef bool is_old(const names *n, const folder_kept *kept, char *name);
typedef toile_result treatment(const char *path);

static toile_result refuse_folder(const char *path) {
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        return error_set(TOILE_ERROR_INVALID, "cannot write '%s': it is a folder", path);
    }
    return TOILE_OK;
}

static toile_result remove_file(const char *path) {
    if (unlink(path) != 0 && errno != ENOENT) {
        return error_set(TOILE_ERROR_INVALID, "cannot remove '%s': %s", path, strerror(errno));
    }
    return TOILE_OK;
}

static toile_result treat(const char *folder, const char *name, const folder_kept *kept,
                          treatment *what) {
    char *path;
    toile_result result = path_format(&path, "%s/%s", folder, name);
    if (result == TOILE_OK) {
        bool resumed = kept->checkpoint && path_same(path, kept->checkpoint);
        result = resumed ? TOILE_OK : what(path);
        free(path);
    }
    return result;
}

/* Does that to every old file; where there is no such folder, to none. */
static toile_result treat_all(const char *folder, const names *n, const folder_kept *kept,
                              is_old *old, treatment *what) {
    DIR *entries = opendir(folder);
    toile_result result = TOILE_OK;
    for (struct dirent *e; entries && result == TOILE_OK && (e = readdir(entries));) {
        char name[sizeof e->d_name];
        snprintf(name, sizeof name, "%s", e->d_name);
        if (old(n, kept, name)) {
            result = treat(folder, e->d_name, kept, what);
        }
    }
    if (entries) {
        closedir(entries);
    }
    return result;
}

/* Nothing is removed when something cannot be. */
static toile_result clean(const char *path, const names *n, const folder_kept *kept) {
    char *frames;
    toile_result result = path_format(&frames, "%s/obj", path);
    if (result != TOILE_OK) {
        return result;
    }
    treatment *const treatments[] = {refuse_folder, remove_file};
    for (int i = 0; i < 2 && result == TOILE_OK; i++) {
        result = treat_all(path, n, kept, is_result, treatments[i]);
        if (result == TOILE_OK) {
            result = treat_all(frames, n, kept, is_frame, treatments[i]);
        }
    }
    rmdir(frames); /* unless something is in it */
    free(frames);
    return result;
}

toile_result folder_clean(const char *path, const scene *s, const folder_kept *kept) {
    scene *before = NULL;
    char *name;
    toile_result result = path_format(&name, "%s/scene.json", path);
    if (result != TOILE_OK) {
        return result;
    }
    if (scene_load(name, &before) != TOILE_OK) {
        before = NULL; /* none, or of another version: its cloths have no names then */
    }
    free(name);
    int count = s->cloth_count + (before ? before->cloth_count : 0);
    names n = {.items = memory_alloc((size_t)count, sizeof *n.items, "names of cloths")};
    result = n.items ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        add_names(&n, s);
        add_names(&n, before);
        qsort(n.items, n.count, sizeof *n.items, compare_names);
        result = clean(path, &n, kept);
    }
    free(n.items);
    scene_free(before);
    return result;
}
