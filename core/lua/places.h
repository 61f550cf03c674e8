/* places.h -- finds the file and line in which a key of an experiment's table is written. It scans the tokens of the text,
 * because a Lua table does not record lines.
 *
 * The scan knows four forms: a table constructor, a local that names one, an assignment `e.problem.n = 100`, and
 * include "file.lua". A value that a loop or a function computes gets the line of the nearest enclosing key that is known. */
#ifndef SP_LUA_PLACES_H
#define SP_LUA_PLACES_H

#include "core/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* A key, a value of a list, or a variable, as it is written. */
typedef struct sp_place {
    struct sp_place *next;
    const char *file;     /* as messages name it */
    const char *variable; /* that holds the table; "": the table that the text returns */
    const char *path;     /* of the key in the table, "problem.n"; "": the table itself */
    size_t line;
    /* If the value is a copy of another table: the file of that table, its variable ("": what the file returns), and the path
     * within it. All NULL: the value is not a copy. */
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

/* Adds the places of a text; messages call it `file`. They belong to the arena. False when out of memory. */
bool sp_places_add(sp_places *, sp_arena *, const char *file, const char *text, size_t size);
/* The line of a path such as "problem.n[2]" in the table that `file` returns, or of the nearest known key around it; *in is the
 * file of that line. 0: not even the first key of the path is found. */
size_t sp_places_find(const sp_places *, const char *file, const char *path, const char **in);

#endif
