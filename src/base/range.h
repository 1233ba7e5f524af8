/* Ranges of the numbers in a struct, as a table. */
#ifndef TOILE_BASE_RANGE_H
#define TOILE_BASE_RANGE_H

#include <stddef.h>

#include "toile/toile.h"

typedef enum range_type { RANGE_FLOAT, RANGE_INT } range_type; /* enums are ints */

typedef struct range {
    const char *name; /* as messages call it; NULL ends a table */
    const char *unit; /* with a space before it, or "" */
    size_t offset;
    range_type type;
    double low, high;
} range;

/* The first number of a struct that is out of its range, or not a number, makes an error that says
 * what was expected. */
toile_result range_check(const void *object, const range *table);

#endif
