/* Files that are whole or not there: writing goes to a temporary name beside the path, closing
 * renames. Links are followed. What is neither a file nor a link to one, such as /dev/stdout or a
 * pipe, is written to directly, for it must not be replaced.
 *
 * All functions return TOILE_ERROR_INVALID when a file cannot be opened, read or written. */
#ifndef TOILE_IO_FILE_H
#define TOILE_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "toile/toile.h"

/* The formats of this folder are little-endian and are copied to and from memory as they are. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "needs a little-endian machine");

typedef struct file_writer file_writer;

toile_result file_create(const char *path, file_writer **out);
/* The stream to write to; it has no file descriptor. Errors of writing are found by file_commit. */
FILE *file_stream(file_writer *w);
/* Flushes, syncs, renames and frees. On any error, such as a full disk, removes the temporary file
 * and says which file could not be written and why. */
toile_result file_commit(file_writer *w);
void file_discard(file_writer *w); /* NULL is fine */

/* Reads a whole file of at most limit bytes; a zero byte is put behind it. Free with free(). */
toile_result file_read(const char *path, size_t limit, uint8_t **bytes, size_t *size);

/* The same for a plain file only: what is a pipe or a device may have no end, or make the reader
 * wait. */
toile_result file_read_plain(const char *path, size_t limit, uint8_t **bytes, size_t *size);

/* The same for text, which has no zero bytes: ends soon behind the first of them. */
toile_result file_read_text(const char *path, size_t limit, uint8_t **bytes, size_t *size);

/* Copies a plain file of at most limit bytes. Whole or not there, as all that is written. */
toile_result file_copy(const char *from, const char *to, size_t limit);

/* Whether two paths lead to the same file, and there is one. */
bool file_same(const char *a, const char *b);

/* Whether a path, links followed, lies in a folder or below it, and both are there. */
bool file_lies_in(const char *path, const char *folder);

/* Whether ".." is a part of a path. */
bool file_climbs(const char *path);

/* Makes a folder and those above it. */
toile_result file_make_folder(const char *path);

#endif
