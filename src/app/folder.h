/* The folder that a run writes to: made, kept from other runs, and with nothing of anybody else's
 * in the run's way. */
#ifndef TOILE_APP_FOLDER_H
#define TOILE_APP_FOLDER_H

#include <stdbool.h>

#include "app/written.h"
#include "io/scene.h"

typedef struct run_folder run_folder;

/* Makes the folder and those above it. Refuses one that another run is writing to, and keeps other
 * runs away until it is closed. */
toile_result folder_open(const char *path, const scene *s, run_folder **out);
/* Folders that were made and are still empty go away again. NULL is fine. */
void folder_close(run_folder *f);

written *folder_files(run_folder *f);

/* Whether a run of the scene may write a file of this name, a path below the folder. */
bool folder_is_result(const run_folder *f, const char *name);

/* Refuses a folder whose scene.json is of another simulation: its run cannot be continued. */
toile_result folder_check_scene(const run_folder *f);

/* Refuses a folder where something is in the way that no run wrote, or that was changed since, or
 * where a file of the scene lies. Changes nothing. frames: those of obj/ are written. */
toile_result folder_check(run_folder *f, bool frames);

/* After that: moves earlier results aside, unless a run is continued, and puts the scene there and
 * the files that it names. */
toile_result folder_begin(run_folder *f, bool resuming);

/* Makes the list of files anew. With `whole`, everything is there that the run had to write, and
 * results of earlier runs are removed. */
toile_result folder_end(run_folder *f, bool whole);

/* Whether a run that has begun keeps results of earlier ones until one is complete. */
bool folder_keeps_earlier(const run_folder *f);

#endif
