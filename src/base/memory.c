#include "base/memory.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

enum { ALIGNMENT = 64 }; /* a cache line, and the widest vector */

/* Where the system has pages of this size, arrays that fill one get them: a step walks through
 * dozens of planes at a time, each on pages of its own. */
enum { LARGE_PAGE = 1 << 21 };

/* Pages are asked for before the memory is touched. Where there are none, small ones do. */
static void *alloc_large(size_t bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, LARGE_PAGE, bytes) != 0) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

void *memory_alloc(size_t count, size_t size, const char *what) {
    if (size != 0 && count > (SIZE_MAX - ALIGNMENT) / size) {
        error_set(TOILE_ERROR_MEMORY, "not enough memory for %s: %zu x %zu bytes", what, count,
                  size);
        return NULL;
    }
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0) {
        bytes = ALIGNMENT;
    }
    void *memory = bytes < LARGE_PAGE ? aligned_alloc(ALIGNMENT, bytes) : alloc_large(bytes);
    if (!memory) {
        error_set(TOILE_ERROR_MEMORY, "not enough memory for %s: %zu bytes", what, bytes);
        return NULL;
    }
    return memset(memory, 0, bytes);
}

void *memory_grow(void *array, size_t count, size_t *capacity, size_t size, const char *what) {
    if (count < *capacity) {
        return array;
    }
    size_t wanted = *capacity ? *capacity * 2 : 8;
    void *larger = wanted <= SIZE_MAX / size ? realloc(array, wanted * size) : NULL;
    if (!larger) {
        error_set(TOILE_ERROR_MEMORY, "not enough memory for %zu %s", wanted, what);
        return NULL;
    }
    *capacity = wanted;
    return larger;
}

char *memory_string(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (!copy) {
        error_set(TOILE_ERROR_MEMORY, "not enough memory for a name of %zu bytes", size);
        return NULL;
    }
    return memcpy(copy, text, size);
}

typedef struct memory_block {
    struct memory_block *next;
    alignas(max_align_t) unsigned char bytes[];
} memory_block;

void *memory_pool_alloc(memory_pool *pool, size_t count, size_t size, const char *what) {
    memory_block *block = NULL;
    if (size == 0 || count <= (SIZE_MAX - sizeof *block) / size) {
        block = calloc(1, sizeof *block + count * size);
    }
    if (!block) {
        error_set(TOILE_ERROR_MEMORY, "not enough memory for %s: %zu x %zu bytes", what, count,
                  size);
        return NULL;
    }
    block->next = pool->blocks;
    pool->blocks = block;
    return block->bytes;
}

void memory_pool_free(memory_pool *pool) {
    while (pool->blocks) {
        memory_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
}

uint64_t memory_machine_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}
