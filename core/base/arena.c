/* arena.c -- a list of zeroed chunks, each filled from its beginning. */
#include "core/base/arena.h"

#include "core/base/memory.h"

#include <stdalign.h>
#include <stdarg.h>
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

void *sp_arena_alloc(sp_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size)
        return NULL;
    const size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    sp_arena_chunk *chunk = arena->chunk;
    if (!chunk || bytes > chunk->size - chunk->used) {
        if (!(chunk = new_chunk(bytes > CHUNK ? bytes : CHUNK)))
            return NULL;
        chunk->next = arena->chunk;
        arena->chunk = chunk;
    }
    void *memory = chunk->bytes + chunk->used;
    chunk->used += bytes;
    return memory;
}

char *sp_arena_copy(sp_arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = sp_arena_alloc(arena, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *sp_arena_format(sp_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length >= 0 ? sp_arena_alloc(arena, (size_t)length + 1, 1) : NULL;
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
