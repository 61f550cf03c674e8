/* arena.h -- memory that is freed all at once: the strings and trees of a plan. Every function returns NULL when out of
 * memory. */
#ifndef SP_BASE_ARENA_H
#define SP_BASE_ARENA_H

#include <stddef.h>

typedef struct sp_arena {
    struct sp_arena_chunk *chunk; /* the one being filled; the full ones behind it */
} sp_arena; /* starts as { 0 } */

void *sp_arena_alloc(sp_arena *, size_t count, size_t size); /* count * size zero bytes, aligned for any type */
char *sp_arena_copy(sp_arena *, const char *text);
char *sp_arena_format(sp_arena *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sp_arena_free(sp_arena *);

#endif
