/* faults.h -- the C library's allocation, with a fault: for programs that include it in their one source, and not under
 * a sanitizer that has allocation for itself. */
#ifndef SP_TESTS_FAULTS_H
#define SP_TESTS_FAULTS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static size_t failing, *counted; /* which one fails; how many there were; NULL: nothing fails */
static bool all_after;           /* and all behind it */

static bool fails(void)
{
    if (!counted)
        return false;
    ++*counted;
    if (*counted != failing && !(all_after && *counted > failing))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

#endif
