/* Where results of benchmarks are kept, and whose they are. */
#ifndef TOILE_BENCH_RESULTS_H
#define TOILE_BENCH_RESULTS_H

#include <stdio.h>

#include "toile/toile.h"

#define RESULTS_FOLDER "bench/results"

/* The processor's name, as far as the system tells it. Static. */
const char *results_machine(void);

/* FOLDER/BENCH_<machine>ENDING, the machine in lower case without odd characters. Makes the folder.
 * Free with free(). */
toile_result results_path(const char *folder, const char *bench, const char *ending, char **out);

/* A table that is kept in memory until it is complete, so that an interrupt leaves nothing behind.
 */
typedef struct results_file {
    FILE *csv; /* to write to */
    char *text;
    size_t size;
    char *path;
} results_file;

/* Finds out whether the file can be written, before minutes of work depend on it. */
toile_result results_open(results_file *r, const char *folder, const char *bench,
                          const char *ending);
/* Writes the file and says so on the standard output. Frees, also on error. */
toile_result results_commit(results_file *r);
void results_discard(results_file *r); /* zeroed is fine */

#endif
