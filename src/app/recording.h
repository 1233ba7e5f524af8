/* The folder of a run:
 *
 *     scene.json            the scene, so that the folder can be drawn and checked by itself
 *     report.json           written by the caller
 *     <cloth>.pc2           motion of each cloth; sample 0 is the start
 *     <cloth>.obj           last frame of each cloth
 *     motion.glb            everything, moving
 *     obj/<cloth>_0000.obj  every frame
 *     checkpoint            written by the caller where it has no other place
 *
 * The motion is valid after every frame; all else is whole or not there, and of the same run. */
#ifndef TOILE_APP_RECORDING_H
#define TOILE_APP_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "io/scene.h"

/* What is written beside scene and report. The others need the motion. */
enum {
    FORMAT_PC2 = 1,
    FORMAT_GLB = 2,
    FORMAT_OBJ = 4,
};

typedef struct recording_def {
    const char *folder;
    unsigned formats;
    const scene *scene;
    const toile_world *world;
    const scene_ids *ids;
    uint32_t first;     /* frame that the world is at: 0, or that of a checkpoint */
    const char *resume; /* the checkpoint that it goes on from; NULL: from the start */
} recording_def;

typedef struct recording recording;

/* The folder is there. A recording that goes on refuses one that does not hold this run's frames so
 * far, and changes nothing then; a new one writes its first sample. Both take away what an earlier
 * run has left. */
toile_result recording_open(const recording_def *def, recording **out);

/* The world is at the next frame. */
toile_result recording_append(recording *r);

/* Closes the motion and makes the files of the last frame and of the whole. Frees r, also on error.
 */
toile_result recording_finish(recording *r);
void recording_abandon(recording *r); /* only closes and frees; NULL is fine */

/* One line for each file or sequence of a recording that ended with a frame. */
void recording_print(const recording_def *def, uint32_t last, FILE *stream);

#endif
