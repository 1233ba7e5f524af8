/* Every allocation of the program under test goes through here, by the linker (-Wl,--wrap). The
 * test says what becomes of it. */
#ifndef TOILE_TEST_ALLOCATIONS_H
#define TOILE_TEST_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Defined by the test: called before each allocation; false makes it fail. */
static bool may_allocate(void);

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size) {
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size) {
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size) {
    return may_allocate() ? __real_realloc(memory, size) : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return may_allocate() ? __real_aligned_alloc(alignment, size) : NULL;
}

#endif
