/* Names of files. */
#ifndef TOILE_APP_PATH_H
#define TOILE_APP_PATH_H

#include <stdbool.h>

#include "toile/toile.h"

/* A string as printf makes it. Free with free(). */
toile_result path_format(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool path_is_folder(const char *path);
bool path_ends_with(const char *path, const char *ending); /* in either case */

/* The whole path, without links, "." and "..", of something that may not be there yet. NULL where
 * it cannot be known. Free with free(). */
char *path_resolve(const char *path);

/* Whether two names, of files that may not be there yet, mean the same one. */
bool path_same(const char *a, const char *b);

/* Finds out whether a file can be written, before hours of work depend on it. */
toile_result path_probe(const char *path);

/* Makes a folder of its own where temporary files go. Free with free(). */
toile_result path_make_temporary(char **out);

/* In quotes, as a shell reads it. Free with free(). */
toile_result path_quote(const char *path, char **out);

/* Removes a folder and all that is in it. */
void path_remove_folder(const char *path);

#endif
