/* The folder that a run writes to: made, kept from other runs, and rid of what an earlier one left.
 */
#ifndef TOILE_APP_FOLDER_H
#define TOILE_APP_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "io/scene.h"

typedef struct run_folder run_folder;

/* Makes the folder and those above it. Refuses one that another run is writing to, and keeps other
 * runs away until it is closed. */
toile_result folder_open(const char *path, run_folder **out);
/* Folders that were made and are still empty go away again. NULL is fine. */
void folder_close(run_folder *f);

/* Refuses a folder where a run would destroy a file of the scene, or a scene.json: one that
 * differs from the scene and lies beside no result of a run. With resuming, refuses one of another
 * simulation. */
toile_result folder_check_scene(const char *path, const scene *s, bool resuming);

/* Puts the scene there, unless it is, and the files that it names. */
toile_result folder_write_scene(const char *path, const scene *s);

/* What of an earlier run is still true. */
typedef struct folder_kept {
    bool motion;            /* <cloth>.pc2 */
    bool frames;            /* obj/<cloth>_0000.obj ..., up to the last one */
    uint32_t last;          /* frame */
    const char *checkpoint; /* a file that is being resumed from; may be NULL */
} folder_kept;

/* Removes the results of earlier runs: those of this scene's cloths and of the cloths of the
 * scene.json that is there, and what a run that was killed was about to write. */
toile_result folder_clean(const char *path, const scene *s, const folder_kept *kept);

#endif
