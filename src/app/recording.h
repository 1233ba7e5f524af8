/* The folder of a run:
 *
 *     scene.json            the scene, so that the folder can be drawn and checked by itself
 *     report.json           written by the caller
 *     <cloth>.pc2           motion of each cloth; sample 0 is the start
 *     <cloth>.obj           last frame of each cloth
 *     motion.glb            everything, moving
 *     obj/<cloth>_0000.obj  every frame
 *     checkpoint            written by the caller where it has no other place
 *     files.txt             list of all these (app/written.h)
 *     earlier/1 ...         results of earlier runs, until one is complete (app/earlier.h)
 *
 * The motion is valid after every frame; all else is whole or not there, and of the same run. */
#ifndef TOILE_APP_RECORDING_H
#define TOILE_APP_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/failures.h"
#include "app/folder.h"
#include "io/scene.h"

/* What is written beside scene and report. The others need the motion. */
enum {
    FORMAT_PC2 = 1,
    FORMAT_GLB = 2,
    FORMAT_OBJ = 4,
};

typedef struct recording_def {
    const char *folder;
    run_folder *place; /* the same, open; recording_print needs none */
    unsigned formats;
    const scene *scene;
    const toile_world *world;
    const scene_ids *ids;
    uint32_t first;     /* frame that the world is at: 0, or that of a checkpoint */
    const char *resume; /* the checkpoint that it goes on from; NULL: from the start */
} recording_def;

typedef struct recording recording;

/* A recording that goes on refuses a folder that does not hold this run's frames so far; a new one
 * moves the results of earlier runs aside and writes its first sample. What is refused is not
 * changed. */
toile_result recording_open(const recording_def *def, recording **out);

/* The world is at the next frame. */
toile_result recording_append(recording *r);

/* Closes the motion and makes the files of the last frame and of the whole, each of which may fail
 * by itself. Frees r. */
void recording_finish(recording *r, failures *f);
void recording_abandon(recording *r); /* only closes and frees; NULL is fine */

/* One line for each file or sequence of a recording that ended with a frame. */
void recording_print(const recording_def *def, uint32_t last, FILE *stream);

#endif
