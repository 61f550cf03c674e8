/* places.h -- where the keys of an experiment's table are written, by a scan of its tokens: Lua's tables hold no lines.
 *
 * Found are table constructors as they stand in the text, a local that names one, an assignment `e.problem.n = 100`, and
 * include "file.lua". What a loop or a function makes has the line of the nearest place around it that is known. */
#ifndef SP_LUA_PLACES_H
#define SP_LUA_PLACES_H

#include "core/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* A key, a value of a list, or a variable, as it is written. */
typedef struct sp_place {
    struct sp_place *next;
    const char *file;     /* as messages name it */
    const char *variable; /* in which the table is; "": in what the text returns */
    const char *path;     /* in the table, "problem.n"; "": the whole of it */
    size_t line;
    /* The value is what a file returns, or what the path `inner` of a variable holds; NULL: it is neither. */
    const char *alias_file, *alias, *inner;
} sp_place;

/* A key that one table constructor gives twice. */
typedef struct sp_twice {
    struct sp_twice *next;
    const char *file, *key;
    size_t line, before; /* of the key, and of the one before it */
} sp_twice;

/* Of all texts; starts as { 0 }. */
typedef struct sp_places {
    sp_place *place; /* the last one first */
    sp_twice *twice, **twice_end;
} sp_places;

/* Adds those of a text, whose name in messages is `file`, in the arena; false when out of memory. */
bool sp_places_add(sp_places *, sp_arena *, const char *file, const char *text, size_t size);
/* The line of a path "problem.n[2]" of the table that `file` returns, or of what holds it; *in is the file. 0: not even its
 * first key is found. */
size_t sp_places_find(const sp_places *, const char *file, const char *path, const char **in);

#endif
