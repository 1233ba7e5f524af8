/* The motion of a scene's bodies, which no cloth changes. */
#ifndef TOILE_APP_BODIES_H
#define TOILE_APP_BODIES_H

#include <stdint.h>

#include "io/scene.h"

/* Where all bodies are at all samples: the same that a run of the scene goes through. */
typedef struct body_trace {
    const scene *scene;
    uint32_t samples;
    toile_pose *poses; /* those of one body side by side */
    double *times;     /* s, of the samples */
} body_trace;

toile_result bodies_trace(const scene *s, uint32_t samples, body_trace *out);
void bodies_free(body_trace *t); /* zeroed is fine */

/* A body at a sample. Of one that deforms, the mesh is where its vertices are in the world then,
 * which takes scratch of 3 floats a vertex, and the pose is the identity. */
typedef struct body_sample {
    toile_body_def def;
    toile_pose pose;
} body_sample;
toile_result bodies_at(const body_trace *t, int body, uint32_t sample, float *scratch,
                       body_sample *out);

#endif
