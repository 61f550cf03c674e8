/* arena.h -- arena allocator for the strings and trees of a plan: zeroed memory, freed together by sp_arena_free or
 * back to a mark by sp_arena_release, never singly. Functions that return memory return NULL when there is none. */
#ifndef SP_BASE_ARENA_H
#define SP_BASE_ARENA_H

#include <stddef.h>

typedef struct sp_arena {
    struct sp_arena_chunk *chunk; /* the one being filled; the full ones behind it */
} sp_arena; /* starts as { 0 } */

void *sp_arena_alloc(sp_arena *, size_t count, size_t size); /* count * size zero bytes, aligned for any type */
/* size zero bytes, aligned for pointers and numbers of 64 bits */
void *sp_arena_words(sp_arena *, size_t size);
char *sp_arena_text(sp_arena *, size_t size);               /* size zero bytes for a text, not aligned */
char *sp_arena_copy(sp_arena *, const char *text);
char *sp_arena_format(sp_arena *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sp_arena_free(sp_arena *);

/* How far an arena is filled. */
typedef struct sp_arena_mark {
    const struct sp_arena_chunk *chunk;
    size_t used; /* bytes of that chunk */
} sp_arena_mark;

sp_arena_mark sp_arena_now(const sp_arena *);
/* Frees what was taken since the mark; what was taken before stays. */
void sp_arena_release(sp_arena *, sp_arena_mark);

/* One copy of each text, in an arena. Starts as { .arena = ... }; sp_texts_free leaves the texts to the arena. */
typedef struct sp_texts {
    sp_arena *arena;
    const char **slot; /* open addressing; a power of two of them, NULL where there is no text */
    size_t slots, count;
} sp_texts;

const char *sp_texts_keep(sp_texts *, const char *text); /* equal texts give equal pointers */
void sp_texts_free(sp_texts *);
size_t sp_text_hash(const char *text); /* FNV-1a, 64 bits: for tables in memory, never for a name that is stored */

#endif
