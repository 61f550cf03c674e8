/* external_internal.h -- what the files of this folder share. */
#ifndef SP_METHODS_EXTERNAL_INTERNAL_H
#define SP_METHODS_EXTERNAL_INTERNAL_H

#include "core/base/hash.h"
#include "core/methods/external.h"

#include <sys/stat.h>

/* A file as it was when it counted. */
typedef struct sp_program_file {
    struct sp_program_file *next;
    const char *path;
    struct stat seen;
    char content[SP_HASH_HEX];
} sp_program_file;

/* Where a program looks for others. */
#define SP_EXTERNAL_PATH "/usr/local/bin:/usr/bin:/bin"

/* A program that has been found. */
typedef struct sp_program {
    const char *name;         /* as the command has it */
    const char *path;         /* of the file to run */
    char *const *words;       /* its arguments from argv[0] on, then NULL */
    char *const *environment; /* then NULL */
    const char *folder;       /* in which it runs */
    double patience;
    const sp_param *params;
    sp_program_file *files;    /* those that the command names, and the further ones */
    char content[SP_HASH_HEX]; /* of the command, of all of them and of the environment */
} sp_program;

sp_status sp_program_find(sp_arena *, const sp_external *, const char *place, sp_program *, sp_error *);

/* The variables that it gets, as execve takes them; what of them counts goes into the hash. `declared`: names, then NULL.
 * SP_EINVAL, at `place`, names one that is none. */
sp_status sp_program_environment(sp_arena *, char *const *declared, const char *place, sp_hash *, char *const **out,
                                 sp_error *);

/* Are the files what they were? SP_EHASH names one that is not. */
sp_status sp_program_same(const sp_program *, sp_error *);

/* sp_foreign.run; its context is an sp_program. */
sp_status sp_program_run(const sp_foreign *, sp_oracle *, const sp_values *, double *w);

#endif
