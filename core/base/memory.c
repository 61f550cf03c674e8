/* memory.c -- every allocation goes through malloc or aligned_alloc, which tests replace to make each one fail. The
 * exception is sp_map, which asks the system for a mapping (under the address sanitizer posix_memalign). */
#include "core/base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#endif

enum { ALIGNMENT = 64, PAGE = 1 << 16 /* at most */, HUGE_PAGE = 1 << 21 };

/* Asked for, not relied on: from now on the system may back [memory, memory + bytes) by huge pages. */
static void advise(char *memory, size_t bytes)
{
    const size_t skip = (PAGE - (uintptr_t)memory % PAGE) % PAGE;
    if (bytes >= HUGE_PAGE)
        madvise(memory + skip, bytes - skip, MADV_HUGEPAGE);
}

void *sp_alloc(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    const size_t bytes = count * size;
    const size_t rounded = bytes == 0 ? ALIGNMENT : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *memory = aligned_alloc(ALIGNMENT, rounded);
    if (!memory)
        return NULL;
    advise(memory, rounded);
    return memset(memory, 0, rounded);
}

#ifdef WATCHED
void *sp_map(size_t bytes)
{
    void *memory = NULL;
    if (bytes == 0 || posix_memalign(&memory, ALIGNMENT, bytes) != 0)
        return NULL;
    advise(memory, bytes);
    return memset(memory, 0, bytes);
}

void sp_unmap(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
}
#else
void *sp_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    advise(memory, bytes);
    return memory;
}

void sp_unmap(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
#endif

double *sp_alloc_doubles(size_t count)
{
    return sp_alloc(count, sizeof(double));
}

char *sp_copy_text(const char *text)
{
    if (!text)
        return NULL;
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *sp_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text)
        return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void *sp_need(void *memory)
{
    static const char message[] = "stillpoint: out of memory\n";
    if (memory)
        return memory;
    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(1); /* not exit(), because other threads may be running */
}
