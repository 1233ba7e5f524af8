#include "app/path.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

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

/* Links followed as far as there is something. NULL where not even the folder is there. */
static char *resolve(const char *path) {
    char *whole = realpath(path, NULL);
    if (whole) {
        return whole;
    }
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *above = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
    char *folder = above ? realpath(above, NULL) : NULL;
    char *full = NULL;
    if (folder && asprintf(&full, "%s/%s", folder, name) < 0) {
        full = NULL;
    }
    free(above);
    free(folder);
    return full;
}

bool path_same(const char *a, const char *b) {
    char *x = resolve(a), *y = resolve(b);
    bool same = x && y && strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

toile_result path_probe(const char *path) {
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
