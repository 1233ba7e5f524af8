/* Mesh sequences: bodies that deform as frames say, one OBJ file per frame, or one mesh and a PC2
 * point cache. Sampled at a time, linearly between frames. */
#ifndef TOILE_IO_SEQUENCE_H
#define TOILE_IO_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "toile/toile.h"

/* Frames come from one of the three: files, pattern, or base with cache. */
typedef struct sequence_def {
    const char *const *files; /* names of OBJ files in order; NULL: none */
    size_t file_count;
    const char *pattern; /* with one %d, or %0Nd, for the number of the frame; NULL: none */
    long first, last;    /* numbers of the pattern, 0 to 999999999, both included */
    const char *base;    /* .obj, .gltf or .glb: triangles; NULL: none */
    const char *cache;   /* .pc2 with as many points as the base has vertices */
    double rate;         /* frames per second, above 0 */
    double scale;        /* of lengths, 1e-6 to 1e6 */
    double speed;        /* seconds of the sequence per second, -100 to 100 */
    double start;        /* s, the time within the sequence at time 0 */
    bool loop; /* after the last frame, and as long as the others, the first; else it stays */
} sequence_def;

sequence_def sequence_def_default(void); /* rate 30, scale and speed 1, loop; no frames */

typedef struct sequence sequence;

/* The name of a frame by a pattern, which is refused where it is none. out: SEQUENCE_NAME_SIZE. */
enum { SEQUENCE_NAME_SIZE = 4096 };
toile_result sequence_name(const char *pattern, long number, char *out);

/* Vertices at one place in the first frame are one: seams of texture coordinates are closed. All
 * frames must have the same triangles. Frames of OBJ files are kept in memory, 1 GiB of them at
 * most; of a cache two are. Messages name the file. */
toile_result sequence_open(const sequence_def *def, sequence **out);
void sequence_close(sequence *s); /* NULL is fine */

size_t sequence_vertices(const sequence *s);
size_t sequence_triangles(const sequence *s);
size_t sequence_frames(const sequence *s);
double sequence_length(const sequence *s);           /* s, of one round at speed 1 */
const uint32_t *sequence_indices(const sequence *s); /* 3 per triangle */

/* Positions at a time, 3 per vertex: a pure function of time. Fails only where a cache cannot be
 * read, or has numbers that are not finite. One thread at a time. */
toile_result sequence_sample(sequence *s, double time, float *positions);

#endif
