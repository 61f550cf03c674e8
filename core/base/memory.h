/* memory.h -- allocation: zeroed, 64-byte aligned, checked for overflow, released by free(). NULL when out of memory.
 * Blocks of 2 MiB or more are on huge pages if the system has them, which makes random access faster. */
#ifndef SP_BASE_MEMORY_H
#define SP_BASE_MEMORY_H

#include <stddef.h>

void *sp_alloc(size_t count, size_t size); /* count * size zero bytes, 64-byte aligned */
/* Zero bytes in a mapping of their own. The system provides a page when it is first touched. Released by sp_unmap()
 * with the same size. Under the address sanitizer the memory comes from the heap in its exact size, so that an access
 * beyond it is reported. */
void *sp_map(size_t bytes);
void sp_unmap(void *memory, size_t bytes); /* NULL is allowed */
double *sp_alloc_doubles(size_t count);    /* count zeros */
char *sp_copy_text(const char *text);      /* strdup; NULL stays NULL */
char *sp_format(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a new string */
/* Returns `memory`. If it is NULL, prints "out of memory" and ends the process with exit code 1. Only rooms above
 * core/run may call it, whose unfinished work can be lost: the store is transactional and files are renamed when they
 * are complete. */
void *sp_need(void *memory) __attribute__((returns_nonnull));

#endif
