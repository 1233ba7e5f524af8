#include "app/written.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/path.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/json.h"

#define HEADER "toile files 1\n"

typedef struct entry {
    char *name;
    uint64_t size, hash;
    bool whole;   /* size and hash are known */
    bool current; /* of this run */
    bool looked;  /* state is known */
    written_state state;
} entry;

struct written {
    char *folder, *path; /* of the list */
    entry *items;
    size_t count, capacity;
    json_t *index; /* name -> number of the item */
    int aside;
    off_t length;   /* of the list's whole lines */
    int descriptor; /* of the list; -1: not open */
};

static toile_result cannot(const char *verb, const char *path) {
    return error_set(TOILE_ERROR_INVALID, "cannot %s '%s': %s", verb, path, strerror(errno));
}

/* ---- entries ------------------------------------------------------------------------------------
 */

static entry *find(const written *w, const char *name) {
    const json_t *number = json_object_get(w->index, name);
    return number ? &w->items[json_integer_value(number)] : NULL;
}

/* The entry of a name, which may be new. */
static entry *enter(written *w, const char *name) {
    entry *there = find(w, name);
    if (there) {
        return there;
    }
    entry *items = memory_grow(w->items, w->count, &w->capacity, sizeof *items, "files of a run");
    if (!items) {
        return NULL;
    }
    w->items = items;
    char *copy = memory_string(name);
    if (!copy) {
        return NULL;
    }
    if (json_object_set_new_nocheck(w->index, name, json_integer((json_int_t)w->count)) != 0) {
        free(copy);
        error_set(TOILE_ERROR_MEMORY, "not enough memory for the list of a run's files");
        return NULL;
    }
    items[w->count] = (entry){.name = copy};
    return &items[w->count++];
}

static void clear(written *w) {
    for (size_t i = 0; i < w->count; i++) {
        free(w->items[i].name);
    }
    json_object_clear(w->index);
    w->count = 0;
    w->length = 0;
    w->aside = 0;
    if (w->descriptor >= 0) {
        close(w->descriptor);
        w->descriptor = -1;
    }
}

size_t written_count(const written *w) {
    return w->count;
}

const char *written_name(const written *w, size_t i) {
    return w->items[i].name;
}

const char *written_folder(const written *w) {
    return w->folder;
}

bool written_lists(const written *w, const char *name) {
    return find(w, name) != NULL;
}

/* ---- reading the list ---------------------------------------------------------------------------
 */

/* A list may come from a stranger: it must not lead out of its folder. */
static bool is_good_name(const char *name) {
    for (const char *at = name;; at++) {
        size_t length = strcspn(at, "/");
        if (length == 0 || (length <= 2 && strncmp(at, "..", length) == 0)) {
            return false;
        }
        at += length;
        if (!*at) {
            return true;
        }
    }
}

static toile_result read_line(written *w, const char *line) {
    static const char writing[] = "writing ";
    entry read = {0};
    int name = 0, end = 0;
    if (sscanf(line, "aside %9d%n", &w->aside, &end) == 1 && w->aside > 0 && !line[end]) {
        return TOILE_OK;
    }
    if (strncmp(line, writing, sizeof writing - 1) == 0) {
        name = (int)sizeof writing - 1;
    } else if (sscanf(line, "wrote %16" SCNx64 " %" SCNu64 "%n", &read.hash, &read.size, &end) ==
                   2 &&
               line[end] == ' ') {
        read.whole = true;
        name = end + 1;
    }
    if (name == 0 || !is_good_name(line + name)) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' has a line that no run wrote: \"%s\"", w->path,
                         make_printable(line).text);
    }
    entry *e = enter(w, line + name);
    if (e) {
        e->hash = read.hash;
        e->size = read.size;
        e->whole = read.whole;
    }
    return e ? TOILE_OK : TOILE_ERROR_MEMORY;
}

/* A line without an end is one that a run was killed over, before it did what it says. */
static toile_result read_lines(written *w, char *text, size_t size) {
    size_t header = strlen(HEADER);
    if (size < header && memcmp(text, HEADER, size) == 0) {
        return TOILE_OK;
    }
    if (size < header || memcmp(text, HEADER, header) != 0) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s' is not the list of a run's files: move it, or choose another folder "
                         "with -o",
                         w->path);
    }
    toile_result result = TOILE_OK;
    size_t at = header;
    for (char *end; result == TOILE_OK && (end = memchr(text + at, '\n', size - at));) {
        *end = '\0';
        result = read_line(w, text + at);
        at = (size_t)(end - text) + 1;
    }
    w->length = (off_t)at;
    return result;
}

static toile_result read_list(written *w) {
    enum { LARGEST = 1 << 30 };
    struct stat status;
    if (lstat(w->path, &status) != 0 && errno == ENOENT) {
        return TOILE_OK;
    }
    if (!S_ISREG(status.st_mode)) {
        return error_set(TOILE_ERROR_INVALID, "'%s' is no plain file", w->path);
    }
    uint8_t *bytes;
    size_t size;
    toile_result result = file_read(w->path, LARGEST, &bytes, &size);
    if (result == TOILE_OK) {
        result = read_lines(w, (char *)bytes, size);
        free(bytes);
    }
    return result;
}

toile_result written_open(const char *folder, written **out) {
    written *w = memory_alloc(1, sizeof *w, "the list of a run's files");
    if (!w) {
        return TOILE_ERROR_MEMORY;
    }
    w->descriptor = -1;
    w->index = json_object();
    toile_result result =
        w->index ? path_format(&w->folder, "%s", folder)
                 : error_set(TOILE_ERROR_MEMORY, "not enough memory for the list of a run's files");
    if (result == TOILE_OK) {
        result = path_format(&w->path, "%s/" WRITTEN_LIST, folder);
    }
    if (result == TOILE_OK) {
        result = read_list(w);
    }
    if (result != TOILE_OK) {
        written_close(w);
        return result;
    }
    *out = w;
    return TOILE_OK;
}

void written_close(written *w) {
    if (w) {
        clear(w);
        json_decref(w->index);
        free(w->items);
        free(w->folder);
        free(w->path);
        free(w);
    }
}

/* ---- looking at files ---------------------------------------------------------------------------
 */

/* false with errno set where it cannot be read. */
static bool hash_descriptor(int descriptor, uint64_t *hash, uint64_t *size) {
    enum { BLOCK = 1 << 16 };
    unsigned char block[BLOCK];
    *hash = HASH_SEED;
    *size = 0;
    for (size_t used = BLOCK; used == BLOCK;) {
        used = 0;
        for (ssize_t n = 1; used < BLOCK && n != 0;) {
            n = read(descriptor, block + used, BLOCK - used);
            if (n < 0 && errno != EINTR) {
                return false;
            }
            used += n > 0 ? (size_t)n : 0;
        }
        *hash = hash_bytes(*hash, block, used);
        *size += used;
    }
    return true;
}

static bool hash_file(const char *path, uint64_t *hash, uint64_t *size) {
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    bool read = hash_descriptor(descriptor, hash, size);
    int error = errno;
    close(descriptor);
    errno = error;
    return read;
}

/* Runs make plain files, and no links. */
static written_state look(const entry *e, const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) {
        return errno == ENOENT || errno == ENOTDIR ? WRITTEN_NOTHING : WRITTEN_CHANGED;
    }
    if (!e) {
        return WRITTEN_FOREIGN;
    }
    if (!S_ISREG(status.st_mode)) {
        return WRITTEN_CHANGED;
    }
    if (!e->whole) {
        return WRITTEN_OURS;
    }
    uint64_t hash, size;
    bool same = (uint64_t)status.st_size == e->size && hash_file(path, &hash, &size) &&
                size == e->size && hash == e->hash;
    return same ? WRITTEN_OURS : WRITTEN_CHANGED;
}

written_state written_look(written *w, const char *name) {
    entry *e = find(w, name);
    if (e && e->looked) {
        return e->state;
    }
    char *path;
    if (path_format(&path, "%s/%s", w->folder, name) != TOILE_OK) {
        return WRITTEN_CHANGED; /* what is not known is not touched */
    }
    written_state state = look(e, path);
    free(path);
    if (e) {
        e->state = state;
        e->looked = true;
    }
    return state;
}

/* ---- writing the list ---------------------------------------------------------------------------
 */

static toile_result open_list(written *w) {
    if (w->descriptor >= 0) {
        return TOILE_OK;
    }
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    w->descriptor = open(w->path, flags, 0666);
    if (w->descriptor < 0 || ftruncate(w->descriptor, w->length) != 0) {
        return cannot("write", w->path);
    }
    return TOILE_OK;
}

/* All of it or nothing. */
static toile_result append(written *w, const char *text) {
    size_t size = strlen(text);
    ssize_t n;
    do {
        n = write(w->descriptor, text, size);
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t)size) {
        errno = n < 0 ? errno : ENOSPC;
        toile_result result = cannot("write", w->path);
        (void)!ftruncate(w->descriptor, w->length);
        return result;
    }
    w->length += n;
    return TOILE_OK;
}

static toile_result format_line(const entry *e, char **out) {
    return e->whole ? path_format(out, "wrote %016" PRIx64 " %" PRIu64 " %s\n", e->hash, e->size,
                                  e->name)
                    : path_format(out, "writing %s\n", e->name);
}

static toile_result append_line(written *w, const entry *e) {
    char *line;
    toile_result result = format_line(e, &line);
    if (result == TOILE_OK) {
        result = open_list(w);
    }
    if (result == TOILE_OK && w->length == 0) {
        result = append(w, HEADER);
    }
    if (result == TOILE_OK) {
        result = append(w, line);
    }
    free(line);
    return result;
}

toile_result written_begin(written *w, const char *name) {
    entry *e = enter(w, name);
    if (!e) {
        return TOILE_ERROR_MEMORY;
    }
    bool begun = e->current && !e->whole; /* a checkpoint is written again and again */
    e->current = true;
    e->whole = false;
    e->looked = false;
    return begun ? TOILE_OK : append_line(w, e);
}

static toile_result measure(const written *w, entry *e) {
    char *path;
    toile_result result = path_format(&path, "%s/%s", w->folder, e->name);
    if (result == TOILE_OK) {
        e->whole = hash_file(path, &e->hash, &e->size);
        result = e->whole ? TOILE_OK : cannot("read", path);
        free(path);
    }
    return result;
}

toile_result written_end(written *w, const char *name) {
    entry *e = find(w, name);
    TOILE_ASSERT(e);
    toile_result result = measure(w, e);
    return result == TOILE_OK ? append_line(w, e) : result;
}

void written_keep(written *w, const char *name) {
    entry *e = find(w, name);
    if (e && written_look(w, name) == WRITTEN_OURS) {
        e->current = true;
    }
}

int written_aside(const written *w) {
    return w->aside;
}

toile_result written_set_aside(written *w, int number) {
    char *line = NULL;
    toile_result result = open_list(w);
    if (result == TOILE_OK) {
        result = path_format(&line, "aside %d\n", number);
    }
    if (result == TOILE_OK) {
        result = append(w, line);
    }
    free(line);
    w->aside = number;
    return result;
}

toile_result written_restart(written *w, const char *path, written_stays *stays, void *user) {
    if ((path ? rename(w->path, path) : unlink(w->path)) != 0 && errno != ENOENT) {
        return cannot(path ? "move" : "remove", w->path);
    }
    written before = *w;
    *w = (written){
        .folder = before.folder, .path = before.path, .index = json_object(), .descriptor = -1};
    toile_result result = w->index ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < before.count && result == TOILE_OK; i++) {
        const entry *old = &before.items[i];
        if (stays(old->name, user) && written_look(&before, old->name) == WRITTEN_OURS) {
            entry *e = enter(w, old->name);
            result = e ? TOILE_OK : TOILE_ERROR_MEMORY;
            if (e) {
                *e = (entry){.name = e->name,
                             .size = old->size,
                             .hash = old->hash,
                             .whole = old->whole,
                             .current = true};
                result = append_line(w, e);
            }
        }
    }
    clear(&before);
    json_decref(before.index);
    free(before.items);
    return result;
}

/* ---- removing -----------------------------------------------------------------------------------
 */

void written_remove_folders(const written *w, const char *name) {
    char *path;
    if (path_format(&path, "%s/%s", w->folder, name) != TOILE_OK) {
        return;
    }
    size_t least = strlen(w->folder);
    for (char *slash; (slash = strrchr(path, '/')) && (size_t)(slash - path) > least;) {
        *slash = '\0';
        if (rmdir(path) != 0) {
            break;
        }
    }
    free(path);
}

toile_result written_remove(written *w, const char *name) {
    char *path;
    toile_result result = path_format(&path, "%s/%s", w->folder, name);
    if (result != TOILE_OK) {
        return result;
    }
    if (unlink(path) != 0 && errno != ENOENT) {
        result = cannot("remove", path);
    } else {
        written_remove_folders(w, name);
    }
    free(path);
    return result;
}

/* ---- the end ------------------------------------------------------------------------------------
 */

/* Gives the line of a file at the end of a run; NULL: none, since it is gone, or not ours. */
static toile_result settle(written *w, entry *e, bool whole, char **line) {
    *line = NULL;
    e->looked = false; /* somebody may have changed it meanwhile */
    if (written_look(w, e->name) != WRITTEN_OURS) {
        return TOILE_OK;
    }
    if (whole && !e->current) {
        return written_remove(w, e->name);
    }
    toile_result result = e->whole ? TOILE_OK : measure(w, e);
    return result == TOILE_OK ? format_line(e, line) : result;
}

toile_result written_finish(written *w, bool whole) {
    file_writer *writer;
    toile_result result = file_create(w->path, &writer);
    if (result != TOILE_OK) {
        return result;
    }
    fputs(HEADER, file_stream(writer));
    for (size_t i = 0; i < w->count && result == TOILE_OK; i++) {
        char *line;
        result = settle(w, &w->items[i], whole, &line);
        if (line) {
            fputs(line, file_stream(writer));
            free(line);
        }
    }
    if (result != TOILE_OK) {
        file_discard(writer);
        return result;
    }
    return file_commit(writer);
}
