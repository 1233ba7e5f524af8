/* Checkpoints: the whole state of a run, and what was measured of it, in one file, versioned,
 * checksummed, renamed into place. */
#ifndef TOILE_IO_CHECKPOINT_H
#define TOILE_IO_CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "io/history.h"

/* measured: NULL where nothing was. */
toile_result checkpoint_write(const char *path, const toile_world *world, uint32_t frame,
                              const history *measured);

/* Loads the state into a world made from the same scene and tells the frame, and, unless NULL, what
 * was measured of as many cloths. On error changes
 * nothing and says whether the file is no checkpoint, of another version, cut short, altered, or of
 * another world. */
toile_result checkpoint_read(const char *path, toile_world *world, uint32_t *frame,
                             history *measured);

/* The same from memory, for fuzzing; name stands for the path in messages. */
toile_result checkpoint_parse(const uint8_t *bytes, size_t size, const char *name,
                              toile_world *world, uint32_t *frame, history *measured);

#endif
