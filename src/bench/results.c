#include "bench/results.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/path.h"
#include "base/error.h"
#include "io/file.h"

const char *results_machine(void) {
    static char name[128];
    if (name[0]) {
        return name;
    }
    snprintf(name, sizeof name, "unknown machine");
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (f && fgets(line, sizeof line, f)) {
        char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (value) {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(value + 2, "\"\n"), value + 2);
            break;
        }
    }
    if (f) {
        fclose(f);
    }
    return name;
}

toile_result results_path(const char *folder, const char *bench, const char *ending, char **out) {
    char machine[128];
    snprintf(machine, sizeof machine, "%s", results_machine());
    for (char *c = machine; *c; c++) {
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    }
    toile_result result = file_make_folder(folder);
    return result == TOILE_OK ? path_format(out, "%s/%s_%s%s", folder, bench, machine, ending)
                              : result;
}

toile_result results_open(results_file *r, const char *folder, const char *bench,
                          const char *ending) {
    *r = (results_file){0};
    toile_result result = results_path(folder, bench, ending, &r->path);
    if (result == TOILE_OK) {
        result = path_probe(r->path);
    }
    if (result == TOILE_OK) {
        r->csv = open_memstream(&r->text, &r->size);
        result = r->csv ? TOILE_OK : error_set(TOILE_ERROR_MEMORY, "no memory for results");
    }
    if (result != TOILE_OK) {
        results_discard(r);
    }
    return result;
}

toile_result results_commit(results_file *r) {
    bool whole = fflush(r->csv) == 0 && !ferror(r->csv);
    toile_result result = whole ? TOILE_OK : error_set(TOILE_ERROR_MEMORY, "no memory for results");
    file_writer *w;
    if (result == TOILE_OK) {
        result = file_create(r->path, &w);
    }
    if (result == TOILE_OK) {
        fwrite(r->text, 1, r->size, file_stream(w));
        result = file_commit(w);
    }
    if (result == TOILE_OK) {
        printf("wrote %s\n", r->path);
    }
    results_discard(r);
    return result;
}

void results_discard(results_file *r) {
    if (r->csv) {
        fclose(r->csv);
    }
    free(r->text);
    free(r->path);
    *r = (results_file){0};
}
