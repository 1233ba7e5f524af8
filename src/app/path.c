#include "app/path.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/file.h"

toile_result path_format(char **out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vasprintf(out, format, args);
    va_end(args);
    if (length < 0) {
        *out = NULL;
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the name of a file");
    }
    return TOILE_OK;
}

bool path_is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool path_ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), wanted = strlen(ending);
    return length >= wanted && strcasecmp(path + length - wanted, ending) == 0;
}

/* The folder that a path names something in: "." of "a", "/" of "/a". */
static char *get_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return strdup(".");
    }
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static char *join(const char *folder, const char *name) {
    char *path = NULL;
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    return asprintf(&path, "%s%s%s", folder, slash, name) < 0 ? NULL : path;
}

static char *resolve(const char *path, int links);

/* A link to what is not there yet. */
static char *resolve_link(const char *path, int links) {
    char target[4096];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) {
        return NULL;
    }
    target[length] = '\0';
    char *folder = get_folder(path);
    char *there = *target == '/' ? strdup(target) : folder ? join(folder, target) : NULL;
    char *whole = there ? resolve(there, links - 1) : NULL;
    free(folder);
    free(there);
    return whole;
}

/* What is not there is resolved by its letters: "out/../a" will be "a" when there is an "out". */
static char *resolve_missing(const char *path, int links) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *above = get_folder(path);
    char *folder = above ? resolve(above, links) : NULL;
    char *whole = NULL;
    if (folder && (!*name || strcmp(name, ".") == 0)) {
        whole = strdup(folder);
    } else if (folder && strcmp(name, "..") == 0) {
        whole = get_folder(folder);
    } else if (folder) {
        whole = join(folder, name);
    }
    free(above);
    free(folder);
    return whole;
}

static char *resolve(const char *path, int links) {
    char *whole = realpath(path, NULL);
    if (!whole && links > 0) {
        whole = resolve_link(path, links);
    }
    if (!whole && strcmp(path, ".") != 0 && strcmp(path, "/") != 0) {
        whole = resolve_missing(path, links);
    }
    return whole;
}

char *path_resolve(const char *path) {
    return resolve(path, 40);
}

bool path_same(const char *a, const char *b) {
    char *x = path_resolve(a), *y = path_resolve(b);
    bool same = file_same(a, b) || (x && y && strcmp(x, y) == 0);
    free(x);
    free(y);
    return same;
}

toile_result path_probe(const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISFIFO(status.st_mode)) {
        return TOILE_OK; /* whoever reads from it would take closing it for the end */
    }
    file_writer *w;
    toile_result result = file_create(path, &w);
    if (result == TOILE_OK) {
        file_discard(w);
    }
    return result;
}

toile_result path_make_temporary(char **out) {
    const char *above = getenv("TMPDIR");
    toile_result result = path_format(out, "%s/toile-XXXXXX", above && *above ? above : "/tmp");
    if (result == TOILE_OK && !mkdtemp(*out)) {
        result = error_set(TOILE_ERROR_INVALID, "cannot make the temporary folder '%s': %s", *out,
                           strerror(errno));
        free(*out);
        *out = NULL;
    }
    return result;
}

toile_result path_quote(const char *path, char **out) {
    size_t size = 3;
    for (const char *at = path; *at; at++) {
        size += *at == '\'' ? 4 : 1;
    }
    char *to = *out = malloc(size);
    if (!to) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the name of a file");
    }
    *to++ = '\'';
    for (const char *at = path; *at; at++) {
        /* Nothing can be escaped between quotes: they end, and begin again. */
        to = *at == '\'' ? stpcpy(to, "'\\''") : (*to = *at, to + 1);
    }
    *to++ = '\'';
    *to = '\0';
    return TOILE_OK;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

void path_remove_folder(const char *path) {
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
