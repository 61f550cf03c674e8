/* external.h -- a method that is another program, run anew for each run: docs/how_to/method_as_program.md has what goes through the
 * pipes. It is handed the oracle's answers and what is public, and nothing else: no path of a data set, no descriptor,
 * no variable of the environment but a few that are the same everywhere, and those that are declared. */
#ifndef SP_METHODS_EXTERNAL_H
#define SP_METHODS_EXTERNAL_H

#include "algorithms/algorithm.h"
#include "core/base/arena.h"

typedef struct sp_external {
    const char *command;  /* words with spaces between them; one with a space, a quote or a backslash in double quotes */
    const char *files;    /* further files that count, in the same way; "": none */
    const char *environment; /* names of variables that it gets, with spaces between them; their values count; "": none */
    const char *folder;   /* in which it runs, and from which paths lead: the experiment's, ending in '/'; "": this one */
    double patience;      /* seconds without a byte after which it is given up */
    const sp_param *params; /* what it is told, numbers and flags; a table that ends with { 0 } */
} sp_external;

enum { SP_EXTERNAL_VERSION = 1 };

/* In the arena. Refuses a command that is not there and a name that is none of a variable (SP_EINVAL), a file that cannot
 * be read (SP_EIO). The messages begin with `place` and the key: "place.files: ". */
sp_status sp_external_new(sp_arena *, const sp_external *, const char *place, sp_algorithm *out, sp_error *);

/* The absolute path of file i of those that say what such a method does: its program, what its command names, further
 * ones; NULL past the last one, and for a method that is no program. */
const char *sp_external_file(const sp_algorithm *, size_t i);

/* `word` as one of a command, quoted where it has to be; NULL when out of memory. */
char *sp_external_word(sp_arena *, const char *word);

#endif
