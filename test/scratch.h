/* A folder of its own for a test that writes files. */
#ifndef TOILE_TEST_SCRATCH_H
#define TOILE_TEST_SCRATCH_H

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_folder[256];

/* The path of a file in the folder. The result is good for four more calls. */
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
