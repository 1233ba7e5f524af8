/* The files that runs wrote to a folder, as files.txt in it lists them. A run removes and replaces
 * only what is on the list and still as it was written.
 *
 * The list grows by a line at a time while a run goes on, and is made anew at its end:
 *
 *     toile files 1
 *     writing NAME            entered before the file is made: a run that is killed leaves it so
 *     wrote HASH BYTES NAME   it is whole
 *     aside N                 the files are being moved to earlier/N (app/earlier.h)
 *
 * Names are paths below the folder. The last line about a name counts.
 *
 * Sizes and hashes rather than times: a folder that was copied is still known. Only files of the
 * right size are read, at the speed of the disk, and that is nothing beside the run that made them.
 */
#ifndef TOILE_APP_WRITTEN_H
#define TOILE_APP_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "toile/toile.h"

#define WRITTEN_LIST "files.txt"

typedef struct written written;

typedef enum written_state {
    WRITTEN_NOTHING, /* is there */
    WRITTEN_OURS,    /* on the list and as it was written, or never finished */
    WRITTEN_CHANGED, /* on the list, but changed since, or not to be read */
    WRITTEN_FOREIGN, /* not on the list */
} written_state;

/* Reads the list of a folder, if there is one. */
toile_result written_open(const char *folder, written **out);
void written_close(written *w); /* NULL is fine */

written_state written_look(written *w, const char *name);

/* Before a file is written, and when it is whole; or only before: written_finish sees to the rest.
 */
toile_result written_begin(written *w, const char *name);
toile_result written_end(written *w, const char *name);
/* Leaves a file that is on the list, and as it was written, to this run. */
void written_keep(written *w, const char *name);

/* Makes the list anew, with all files as they are. With `whole`, this run has written all that it
 * had to, and what earlier ones left beside it is removed. */
toile_result written_finish(written *w, bool whole);

/* ---- for app/earlier.c --------------------------------------------------------------------------
 */

size_t written_count(const written *w);
const char *written_name(const written *w, size_t i);
const char *written_folder(const written *w);
bool written_lists(const written *w, const char *name);

/* Removes a file that is ours, and the folders above it that have become empty. */
toile_result written_remove(written *w, const char *name);
void written_remove_folders(const written *w, const char *name);

/* The number of an `aside` line; 0: none. */
int written_aside(const written *w);
toile_result written_set_aside(written *w, int number);

typedef bool written_stays(const char *name, void *user);

/* Moves the list itself (path NULL: removes it) and begins a new one, with those files that are
 * ours and stay. */
toile_result written_restart(written *w, const char *path, written_stays *stays, void *user);

#endif
