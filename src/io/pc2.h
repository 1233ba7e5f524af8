/* PC2 point caches: what Blender's Mesh Cache modifier reads, and how a run keeps its motion. */
#ifndef TOILE_IO_PC2_H
#define TOILE_IO_PC2_H

#include <stddef.h>
#include <stdint.h>

#include "toile/toile.h"

typedef struct pc2_info {
    uint32_t points;
    uint32_t samples;
    float start; /* frame number of the first sample */
    float rate;  /* frames between samples: 1 */
} pc2_info;

typedef struct pc2_writer pc2_writer;
typedef struct pc2_reader pc2_reader;

/* A writer keeps the file valid after every sample: the count in the header is brought up to date
 * last, so a process that dies leaves a file with all samples that were finished. */
toile_result pc2_create(const char *path, uint32_t points, float start, pc2_writer **out);
/* Goes on with a file that is there: keeps its first `samples` samples and drops the rest. */
toile_result pc2_continue(const char *path, uint32_t points, uint32_t samples, pc2_writer **out);
toile_result pc2_append(pc2_writer *w, const float *positions);
toile_result pc2_close(pc2_writer *w); /* frees w, also on error */

toile_result pc2_open(const char *path, pc2_reader **out);
pc2_info pc2_get_info(const pc2_reader *r);
toile_result pc2_read(pc2_reader *r, uint32_t sample, float *positions);
void pc2_free(pc2_reader *r); /* NULL is fine */

#endif
