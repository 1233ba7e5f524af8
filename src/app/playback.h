/* Reading the folder of a run: its scene, and where everything was at each sample. */
#ifndef TOILE_APP_PLAYBACK_H
#define TOILE_APP_PLAYBACK_H

#include <stdint.h>

#include "app/bodies.h"
#include "app/meshes.h"
#include "app/outcome.h"
#include "io/pc2.h"
#include "io/scene.h"

typedef struct playback {
    scene *scene;
    toile_world *world; /* of the scene, at its start, on the device that moves nothing */
    scene_ids ids;
    meshes meshes;        /* at the sample sought last */
    pc2_reader **motions; /* one a cloth */
    body_trace trace;     /* of its bodies */
    float **vertices;     /* one a body: scratch of those that deform, else NULL */
    outcome outcome;      /* of the run */
    uint32_t samples;     /* at least 1 */
} playback;

toile_result playback_open(playback *p, const char *folder);
void playback_close(playback *p); /* zeroed is fine */

/* Fills in the meshes for a sample. */
toile_result playback_seek(playback *p, uint32_t sample);
/* A body at a sample; its mesh is good until the same one is asked for again. */
toile_result playback_body(playback *p, int body, uint32_t sample, body_sample *out);

#endif
