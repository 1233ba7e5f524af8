/* A folder of its own for a test that writes files, a disk that can be full, and what errors say.
 */
#ifndef TOILE_TEST_SCRATCH_H
#define TOILE_TEST_SCRATCH_H

#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toile/toile.h"

#define assert_message(part)                                                                       \
    do {                                                                                           \
        if (!strstr(toile_error_message(), part)) {                                                \
            fail_msg("'%s' lacks '%s'", toile_error_message(), part);                              \
        }                                                                                          \
    } while (0)

static char scratch_folder[256];

/* The path of a file in the folder. The result is good for three more calls. */
static inline const char *scratch(const char *name) {
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
    return path;
}

static inline int scratch_count(void) {
    int count = 0;
    DIR *folder = opendir(scratch_folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

static inline void scratch_put(const char *name, const void *bytes, size_t size) {
    FILE *f = fopen(scratch(name), "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) != 0) {
        perror(name);
        abort();
    }
}

/* No file can grow beyond so many bytes: writing fails half-way, with the words "File too large".
 */
static inline void scratch_limit_disk(rlim_t bytes) {
    struct rlimit limit = {0};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        perror("setrlimit");
        abort();
    }
}

static inline void scratch_unlimit_disk(void) {
    scratch_limit_disk(RLIM_INFINITY);
}

/* Set-up and tear-down of a cmocka test. */
static inline int scratch_setup(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(scratch_folder, sizeof scratch_folder, "%s/toile-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(scratch_folder) ? 0 : -1;
}

static inline int scratch_remove(const char *path, const struct stat *status, int kind,
                                 struct FTW *place) {
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static inline int scratch_teardown(void **state) {
    (void)state;
    return nftw(scratch_folder, scratch_remove, 8, FTW_DEPTH | FTW_PHYS);
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

#endif
