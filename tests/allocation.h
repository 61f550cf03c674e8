/* allocation.h -- makes the k-th allocation fail. For programs linked with malloc, calloc, realloc and aligned_alloc
 * wrapped (tests/CMakeLists.txt). */
#ifndef SP_TESTS_ALLOCATION_H
#define SP_TESTS_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>

static size_t allocations, failing; /* counted while armed; failing = 0: none */
static bool armed;

static inline void arm(size_t fail)
{
    allocations = 0;
    failing = fail;
    armed = true;
}

static inline void disarm(void)
{
    armed = false;
}

static inline bool fails(void)
{
    return armed && ++allocations == failing;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

#endif
