/* arena.c -- the arena is a list of zeroed chunks, each filled from its beginning. Texts have no padding between
 * them. */
#include "core/base/arena.h"

#include "core/base/memory.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16, ALIGN = alignof(max_align_t) };

typedef struct sp_arena_chunk {
    struct sp_arena_chunk *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
} sp_arena_chunk;

static sp_arena_chunk *new_chunk(size_t size)
{
    sp_arena_chunk *chunk = sp_alloc(1, sizeof *chunk + size);
    if (chunk)
        chunk->size = size;
    return chunk;
}

/* `align` is a power of two, at most ALIGN. */
static void *take(sp_arena *arena, size_t bytes, size_t align)
{
    sp_arena_chunk *chunk = arena->chunk;
    size_t start = chunk ? (chunk->used + align - 1) / align * align : 0;
    if (!chunk || start > chunk->size || bytes > chunk->size - start) {
        if (!(chunk = new_chunk(bytes > CHUNK ? bytes : CHUNK)))
            return NULL;
        chunk->next = arena->chunk;
        arena->chunk = chunk;
        start = 0;
    }
    chunk->used = start + bytes;
    return chunk->bytes + start;
}

void *sp_arena_alloc(sp_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size)
        return NULL;
    return take(arena, count * size, ALIGN);
}

void *sp_arena_words(sp_arena *arena, size_t size)
{
    return take(arena, size, alignof(uint64_t));
}

char *sp_arena_text(sp_arena *arena, size_t size)
{
    return take(arena, size, 1);
}

char *sp_arena_copy(sp_arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = sp_arena_text(arena, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *sp_arena_format(sp_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length >= 0 ? sp_arena_text(arena, (size_t)length + 1) : NULL;
    if (!text)
        return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void sp_arena_free(sp_arena *arena)
{
    for (sp_arena_chunk *chunk = arena->chunk, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    arena->chunk = NULL;
}

sp_arena_mark sp_arena_now(const sp_arena *arena)
{
    return (sp_arena_mark){ arena->chunk, arena->chunk ? arena->chunk->used : 0 };
}

void sp_arena_release(sp_arena *arena, sp_arena_mark mark)
{
    while (arena->chunk && arena->chunk != mark.chunk) {
        sp_arena_chunk *next = arena->chunk->next;
        free(arena->chunk);
        arena->chunk = next;
    }
    if (arena->chunk) {
        memset(arena->chunk->bytes + mark.used, 0, arena->chunk->used - mark.used);
        arena->chunk->used = mark.used;
    }
}

/* --- texts ---------------------------------------------------------------------------------------------------- */

size_t sp_text_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return (size_t)(hash ^ hash >> 32);
}

/* The slot of a text, or the free one where it belongs. */
static const char **find_slot(const char **slot, size_t slots, const char *text)
{
    size_t at = sp_text_hash(text) & (slots - 1);
    while (slot[at] && strcmp(slot[at], text) != 0)
        at = (at + 1) & (slots - 1);
    return &slot[at];
}

static bool make_room(sp_texts *texts)
{
    if (2 * (texts->count + 1) <= texts->slots)
        return true;
    const size_t slots = texts->slots ? 2 * texts->slots : 64;
    const char **slot = sp_alloc(slots, sizeof *slot);
    if (!slot)
        return false;
    for (size_t i = 0; i < texts->slots; i++)
        if (texts->slot[i])
            *find_slot(slot, slots, texts->slot[i]) = texts->slot[i];
    free(texts->slot);
    texts->slot = slot;
    texts->slots = slots;
    return true;
}

const char *sp_texts_keep(sp_texts *texts, const char *text)
{
    if (!make_room(texts))
        return NULL;
    const char **slot = find_slot(texts->slot, texts->slots, text);
    if (!*slot && (*slot = sp_arena_copy(texts->arena, text)))
        texts->count++;
    return *slot;
}

void sp_texts_free(sp_texts *texts)
{
    free(texts->slot);
    *texts = (sp_texts){ 0 };
}
