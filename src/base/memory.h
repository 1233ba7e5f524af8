/* Memory whose size was checked. */
#ifndef TOILE_BASE_MEMORY_H
#define TOILE_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "toile/toile.h"

/* count * size zeroed bytes, aligned to 64; NULL with an error message naming `what` and the bytes.
 * Free with free(). */
void *memory_alloc(size_t count, size_t size, const char *what);

/* Grows an array of count elements to hold one more; capacity doubles. NULL (the old array stays)
 * on failure. */
void *memory_grow(void *array, size_t count, size_t *capacity, size_t size, const char *what);

/* A copy of a string; NULL with an error message on failure. */
char *memory_string(const char *text);

/* Memory that is freed together. Starts zeroed. */
typedef struct memory_pool {
    struct memory_block *blocks;
} memory_pool;

/* As memory_alloc, aligned for any type. */
void *memory_pool_alloc(memory_pool *pool, size_t count, size_t size, const char *what);
void memory_pool_free(memory_pool *pool); /* leaves it empty */

/* What the machine has in all, 0 when unknown. */
uint64_t memory_machine_bytes(void);

#endif
